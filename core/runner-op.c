/* SPDX-License-Identifier: Apache-2.0 */
/* The runner's client: the life of an operation, from its id to its end or its being given up. */
#include "config.h"
#include <string.h>
#include <unistd.h>
#include "runner-private.h"

void
ak_op_begin (struct op *op, struct runner *r, enum op_kind kind, const struct runner_io *io,
             struct stop *stop)
{
  memset (op, 0, sizeof *op);
  op->runner = r;
  op->kind = kind;
  op->io = io;
  op->stop = stop;
  op->wake_fd = -1;
  op->filling = &op->backlog[0];
  op->draining = &op->backlog[1];
  op->window[0] = op->window[1] = op->send_credit = CREDIT_START;
  pthread_mutex_lock (&r->lock);
  /* See now, before anything is begun, whether the runner has left since the last operation. */
  while (!r->leader && r->greeted && ak_wire_read_locked (r) > 0)
    ;
}

void
ak_op_end_unlock (struct op *op)
{
  struct runner *r = op->runner;
  ak_op_forget_locked (op);
  ak_wire_flush_locked (r);
  ak_runner_resign_locked (op);
  if (op->wake_fd >= 0 && r->n_spare_wakes < SPARE_WAKES) {
    r->spare_wakes[r->n_spare_wakes++] = op->wake_fd;
    op->wake_fd = -1;
  }
  pthread_mutex_unlock (&r->lock);
  if (op->wake_fd >= 0)
    close (op->wake_fd);
  ak_op_clear_io (op);
}

void
ak_op_name_locked (struct op *op)
{
  struct runner *r = op->runner;
  op->id = ++r->last_id;
  op->next = r->ops[op->id % OP_BUCKETS];
  r->ops[op->id % OP_BUCKETS] = op;
}

void
ak_op_forget_locked (struct op *op)
{
  if (!op->id)
    return;
  for (struct op **at = &op->runner->ops[op->id % OP_BUCKETS]; *at; at = &(*at)->next)
    if (*at == op) {
      *at = op->next;
      return;
    }
}

void
ak_op_requested_locked (struct op *op)
{
  op->requested = 1;
  op->mark = op->runner->out_total;
}

int
ak_op_sent_locked (const struct op *op)
{
  return op->requested && op->runner->out_total - op->runner->out_size >= op->mark;
}

int
ak_op_cancelled (const struct op *op)
{
  const struct stop *s = op->stop;
  return atomic_load_explicit (&s->abandoned, memory_order_acquire)
         || (s->cancel && atomic_load_explicit (&s->cancel->fired, memory_order_acquire));
}

void
ak_op_kill_locked (struct op *op, enum kill_reason reason)
{
  if (op->kill_sent || op->ended)
    return;
  op->kill_sent = 1;
  ak_wire_put_u32_locked (op->runner, FRAME_KILL, 0, op->id, reason);
}

/* The thread may have been in its sink all the while, with the answer unread. So the limit holds once it is
 * past and nothing is there to read, or so much more has come for so much longer that it is no answer. */
int
ak_op_overdue_locked (struct op *op, unsigned quiet)
{
  uint64_t now = ak_now_ns ();
  struct runner *r = op->runner;
  if (!op->limit_ns || now < op->limit_ns)
    return 0;
  if (!op->late_ns)
    op->late_ns = now;
  if (!quiet && now < op->late_ns + r->times.kill_ns)
    return 0;
  ak_runner_lose_locked (r, "it did not answer in time when an operation was to end");
  return 1;
}

/* What the runner's number means. FILE is CONFIG: what was asked for does not fit what is there, such as a
 * folder where a file should be, or a file that may not be written. */
enum ak_status
ak_op_error (const struct op *op, const char *object, struct ak_error **error)
{
  static const enum ak_status statuses[] = {
    [RUNNER_E_RESOURCE] = AK_STATUS_UNAVAILABLE,
    [RUNNER_E_NOT_FOUND] = AK_STATUS_FILE_NOT_FOUND,
    [RUNNER_E_ESCAPE] = AK_STATUS_POLICY,
    [RUNNER_E_FILE] = AK_STATUS_CONFIG,
    [RUNNER_E_SPEC] = AK_STATUS_CONFIG,
  };
  return ak_fail (error, statuses[op->error_code], NULL, "%s: %s", object,
                  op->error_text[0] ? op->error_text : "the runner refused it and did not say why");
}
