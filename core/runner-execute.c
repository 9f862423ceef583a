/* SPDX-License-Identifier: Apache-2.0 */
/* The runner's client: one execution, from its description to its outcome, whatever the runner does. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "runner-private.h"

#define TAIL_SIZE (FIELD_HEAD + 8u)     /* EXEC_TIMEOUT */
#define MIN_PIECE 1024u                 /* a description goes on when so much of it has room */

/* The description: fields before the code with the code's head, a prefix, the code, and last, so that it is
 * counted from START, the time that is left. */
struct spec {
  uint8_t *head;
  struct { const uint8_t *bytes; size_t size; } pieces[3];
  size_t at;                    /* of all three */
  size_t size;
};

struct execution {
  struct op op;
  struct spec spec;
  uint64_t grace_ns;
  uint32_t how;                 /* AK_TIMED_OUT or AK_CANCELLED: the host wants it to end; 0 */
};

static size_t
text_size (const char *text)
{
  return FIELD_HEAD + strlen (text);
}

static size_t
head_size (const struct ak_exec *exec, const char *const *argv)
{
  size_t size = (FIELD_HEAD + 8) + (FIELD_HEAD + 4) + FIELD_HEAD;      /* grace, stdin, code */
  for (size_t i = 0; argv[i] && size <= SPEC_MAX; i++)
    size += text_size (argv[i]);
  for (size_t i = 0; exec->env && exec->env[i] && size <= SPEC_MAX; i++)
    size += text_size (exec->env[i]);
  return size + (exec->cwd ? text_size (exec->cwd) : 0);
}

static uint8_t *
put_head (uint8_t *at, const struct ak_exec *exec, const char *const *argv, int has_stdin)
{
  uint8_t number[8];
  for (size_t i = 0; argv[i]; i++)
    at = ak_wire_put_field (at, EXEC_ARG, argv[i], strlen (argv[i]));
  for (size_t i = 0; exec->env && exec->env[i]; i++)
    at = ak_wire_put_field (at, EXEC_ENV, exec->env[i], strlen (exec->env[i]));
  if (exec->cwd)
    at = ak_wire_put_field (at, EXEC_CWD, exec->cwd, strlen (exec->cwd));
  ak_wire_put_u64 (number, exec->term_grace_ns);
  at = ak_wire_put_field (at, EXEC_TERM_GRACE, number, 8);
  ak_wire_put_u32 (number, (uint32_t) has_stdin);
  return ak_wire_put_field (at, EXEC_STDIN, number, 4);
}

static enum ak_status
spec_make (struct spec *spec, const struct ak_exec *exec, int has_stdin, struct ak_error **error)
{
  const char *const *argv = exec->argv;
  const struct language *language = NULL;
  if (!argv) {
    const char *name = exec->language ? exec->language : "python";
    language = ak_language_find (name);
    if (!language)
      return ak_fail (error, AK_STATUS_CAPABILITY, NULL, "language:%s: the sandbox's runner does not know it",
                      name);
    argv = language->argv;
  } else if (!argv[0])
    return ak_fail (error, AK_STATUS_CONFIG, NULL, "command: is empty");
  size_t prefix_size = language && language->prefix ? strlen (language->prefix) : 0;
  uint64_t code_size = language ? exec->code_size : 0;
  size_t head = head_size (exec, argv);
  if (code_size > SPEC_MAX || head + prefix_size + code_size + TAIL_SIZE > SPEC_MAX)
    return ak_fail (error, AK_STATUS_CONFIG, NULL,
                    "code: with arguments and environment it is larger than %u MiB", SPEC_MAX >> 20);
  spec->head = malloc (head);
  if (!spec->head)
    return ak_fail_memory (error);
  uint8_t *at = put_head (spec->head, exec, argv, has_stdin);
  if (language) {
    at = ak_wire_put_u32 (at, EXEC_CODE);
    at = ak_wire_put_u32 (at, (uint32_t) (prefix_size + code_size));
  }
  spec->pieces[0].bytes = spec->head;
  spec->pieces[0].size = (size_t) (at - spec->head);
  spec->pieces[1].bytes = (const uint8_t *) (prefix_size ? language->prefix : NULL);
  spec->pieces[1].size = prefix_size;
  spec->pieces[2].bytes = exec->code;
  spec->pieces[2].size = (size_t) code_size;
  spec->size = spec->pieces[0].size + prefix_size + spec->pieces[2].size;
  return AK_STATUS_OK;
}

/* Copy the next bytes of the description. */
static void
spec_take (struct spec *spec, uint8_t *to, size_t size)
{
  size_t start = 0;
  for (int i = 0; i < 3 && size; i++) {
    size_t end = start + spec->pieces[i].size;
    if (spec->at < end) {
      size_t n = earlier (size, end - spec->at);
      memcpy (to, spec->pieces[i].bytes + (spec->at - start), n);
      to += n;
      size -= n;
      spec->at += n;
    }
    start = end;
  }
}

/* The last piece, with what is left of the time, and START. */
static void
start_locked (struct execution *x, size_t size)
{
  struct op *op = &x->op;
  uint64_t deadline = op->stop->deadline_ns, now = ak_now_ns ();
  uint8_t *at = ak_wire_frame_locked (op->runner, FRAME_SPEC, 0, op->id, size + (deadline ? TAIL_SIZE : 0));
  if (!at)
    return;
  spec_take (&x->spec, at, size);
  if (deadline) {
    at = ak_wire_put_u32 (at + size, EXEC_TIMEOUT);
    at = ak_wire_put_u32 (at, 8);
    ak_wire_put_u64 (at, deadline > now ? deadline - now : 1);
    op->timeout_asked = 1;
  }
  ak_wire_put_locked (op->runner, FRAME_START, 0, op->id, NULL, 0);
  ak_op_requested_locked (op);
}

/* Queue as much of the description as has room. */
static void
pump_spec_locked (struct execution *x)
{
  struct op *op = &x->op;
  size_t room;
  while (!op->requested && !op->kill_sent && (room = ak_wire_room_locked (op->runner)) >= MIN_PIECE) {
    size_t left = x->spec.size - x->spec.at;
    if (!op->id)
      ak_op_name_locked (op);
    if (left + TAIL_SIZE <= room) {
      start_locked (x, left);
      return;
    }
    size_t size = earlier (room, left - TAIL_SIZE);     /* something is left to go with the tail */
    uint8_t *at = ak_wire_frame_locked (op->runner, FRAME_SPEC, 0, op->id, size);
    if (!at)
      return;
    spec_take (&x->spec, at, size);
  }
}

/* The host's wishes. Returns 1 when there is nothing to wait for: nothing was begun. */
static int
heed_stop_locked (struct execution *x)
{
  struct op *op = &x->op;
  uint64_t deadline = op->stop->deadline_ns, now = ak_now_ns (), kill_ns = op->runner->times.kill_ns;
  if (deadline && now >= deadline && !x->how) {
    x->how = AK_TIMED_OUT;
    op->limit_ns = deadline + x->grace_ns + kill_ns;
    if (op->id && !op->requested) {
      op->timeout_asked = 1;
      ak_op_kill_locked (op, KILL_TIMEOUT);
    }
  }
  if (!op->kill_sent && (op->discards || ak_op_cancelled (op))) {
    if (!x->how)
      x->how = AK_CANCELLED;
    op->limit_ns = op->limit_ns ? earlier (op->limit_ns, now + kill_ns) : now + kill_ns;
    if (op->id)
      ak_op_kill_locked (op, KILL_CANCEL);
  }
  return x->how && !op->id;
}

static uint64_t
until_locked (const struct execution *x)
{
  const struct op *op = &x->op;
  uint64_t until = x->how ? op->limit_ns : op->stop->deadline_ns;
  if (op->input_pause_ns > ak_now_ns ())
    until = until ? earlier (until, op->input_pause_ns) : op->input_pause_ns;
  return until;
}

static void
run_locked (struct execution *x)
{
  struct op *op = &x->op;
  struct runner *r = op->runner;
  unsigned seen = 0;
  for (;;) {
    if (ak_op_deliver_locked (op)) {
      seen &= ~WAIT_QUIET;      /* it was long ago */
      continue;
    }
    if (op->ended || atomic_load (&r->lost) || heed_stop_locked (x)
        || ak_op_overdue_locked (op, seen & WAIT_QUIET))
      return;
    pump_spec_locked (x);
    ak_op_send_input_locked (op);
    if (seen & WAIT_OWN && ak_op_wants_stdin_locked (op)) {
      ak_op_pump_stdin_locked (op);
      seen = 0;
      continue;
    }
    ak_wire_flush_locked (r);
    seen = ak_runner_wait_locked (op, ak_op_wants_stdin_locked (op) ? op->io->stdin_fd : -1,
                                  !op->kill_sent && (!op->requested || op->input_size), until_locked (x));
  }
}

/* What became of it, when the runner did not say. */
static enum ak_status
without_exit (struct execution *x, int was_sent, int (*hard_kill) (void *data), void *hard_kill_data,
              struct ak_outcome *ret, struct ak_error **error)
{
  struct runner *r = x->op.runner;
  if (x->how) {
    ret->how = x->how;
    ret->unconfirmed = x->op.id && (!hard_kill || hard_kill (hard_kill_data) != 0);
  } else if (!was_sent)
    return ak_fail (error, AK_STATUS_GONE, NULL, "runner: %s", r->reason);
  else
    ret->how = AK_LOST;
  return AK_STATUS_OK;
}

static enum ak_status
conclude (struct execution *x, int was_sent, int (*hard_kill) (void *data), void *hard_kill_data,
          struct ak_outcome *outcome, struct ak_error **error)
{
  struct op *op = &x->op;
  struct ak_outcome o = op->outcome;
  enum ak_status status = AK_STATUS_OK;
  if (!op->ended)
    status = without_exit (x, was_sent, hard_kill, hard_kill_data, &o, error);
  else if (op->error_code && x->how)
    o.how = x->how;
  else if (op->error_code && op->started)
    o.how = AK_LOST;            /* the sandbox's own machinery failed under a running program */
  else if (op->error_code)
    return ak_op_error (op, "execution", error);
  if (status != AK_STATUS_OK)
    return status;
  outcome->how = o.how;
  outcome->code = o.code;
  outcome->unconfirmed = o.unconfirmed;
  outcome->cpu_ns = o.cpu_ns;
  outcome->peak_bytes = o.peak_bytes;
  return AK_STATUS_OK;
}

enum ak_status
ak_runner_execute (struct runner *runner, const struct ak_exec *exec, struct stop *stop,
                   const struct runner_io *io, int (*hard_kill) (void *data), void *hard_kill_data,
                   struct ak_outcome *outcome, struct ak_error **error)
{
  struct execution x = { .grace_ns = exec->term_grace_ns };
  struct stat st;
  enum ak_status status = spec_make (&x.spec, exec, io->stdin_fd >= 0, error);
  if (status != AK_STATUS_OK)
    return status;
  ak_op_begin (&x.op, runner, OP_EXECUTE, io, stop);
  x.op.has_input = io->stdin_fd >= 0;
  x.op.input_is_file = x.op.has_input && fstat (io->stdin_fd, &st) == 0 && S_ISREG (st.st_mode);
  run_locked (&x);
  int was_sent = ak_op_sent_locked (&x.op);
  ak_op_end_unlock (&x.op);
  free (x.spec.head);
  return conclude (&x, was_sent, hard_kill, hard_kill_data, outcome, error);
}
