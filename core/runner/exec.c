/* SPDX-License-Identifier: Apache-2.0 */
/* An execution's life, from the first piece of its description until nothing is left of it. */
#include "runner.h"
#include "launch.h"
#include "shepherd.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define NAME_SHOWN 200u         /* bytes of a program's name in an error text */

struct execution *
exec_find (struct runner *runner, uint64_t id)
{
  for (size_t i = 0; i < runner->n_executions; i++) {
    struct execution *e = runner->executions[i];

    if (e->id == id && e->state < EXEC_ENDED)
      return e;
  }
  return NULL;
}

struct execution *
exec_new (struct runner *runner, uint64_t id)
{
  struct execution *e = NULL;

  if (runner->n_executions < EXECUTIONS_MAX)
    e = calloc (1, sizeof *e);
  if (!e)
    return NULL;
  e->id = id;
  spec_init (&e->spec);
  e->control = e->input.fd = e->outputs[0].fd = e->outputs[1].fd = -1;
  e->outputs[0].credit = e->outputs[1].credit = CREDIT_START;
  e->deadline = NEVER;
  runner->executions[runner->n_executions++] = e;
  return e;
}

const char *
exec_describe (struct runner *runner, struct execution *e, const uint8_t *bytes, size_t size)
{
  if (runner->described + size > DESCRIBED_MAX)
    spec_problem (&e->spec, RUNNER_E_RESOURCE, "too much is described at once");
  else if (!e->spec.problem) {
    runner->described += size;
    e->described += size;
  }
  return spec_feed (&e->spec, bytes, size);
}

void
exec_described (struct runner *runner, struct execution *e)
{
  runner->described -= e->described;
  e->described = 0;
}

void
exec_refuse (struct runner *runner, struct execution *e, enum runner_error code, const char *text)
{
  frame_add_error (&runner->host.output, e->id, code, text);
  e->state = EXEC_ENDED;
  input_close (runner, &e->input);
}

void
exec_start (struct runner *runner, struct execution *e)
{
  const struct spec *spec = &e->spec;

  if (spec->problem) {
    exec_refuse (runner, e, spec->problem_code, spec->problem);
    return;
  }
  e->started_at = now_ns ();
  if (launch_start (runner, e)) {
    exec_refuse (runner, e, RUNNER_E_RESOURCE, strerror (errno));
    return;
  }
  if (spec->timeout_ns && spec->timeout_ns < NEVER - e->started_at)
    e->deadline = e->started_at + spec->timeout_ns;
  e->input.open = spec->wants_stdin != 0;
  e->input.allowed = spec->wants_stdin ? CREDIT_START : 0;
  e->grace_ns = spec->grace_ns;
  e->state = EXEC_RUNNING;
  if (e->spec.code >= 0) {
    close (e->spec.code);
    e->spec.code = -1;
  }
}

/* It is likely to reach a terminal, and not every control character is below the space. */
static size_t
append (char *text, size_t size, const char *more, size_t max)
{
  static const char digits[] = "0123456789abcdef";

  for (size_t i = 0; i < max && more[i]; i++) {
    unsigned char c = (unsigned char) more[i];

    if (c >= ' ' && c < 0x7f) {
      text[size++] = (char) c;
      continue;
    }
    text[size++] = '\\';
    text[size++] = 'x';
    text[size++] = digits[c >> 4];
    text[size++] = digits[c & 15];
  }
  return size;
}

/* Why a program could not be started, in one line, as a shell would say it. */
static void
tell_not_started (struct runner *runner, struct execution *e, const struct note *note)
{
  const char *name = note->value == FAILED_DIRECTORY ? e->spec.cwd.bytes : e->spec.args.bytes;
  const char *why = note->value == FAILED_NOT_FOUND     ? "not found"
                    : note->value == FAILED_INTERPRETER ? "its interpreter was not found"
                                                        : strerror (note->error);
  char text[4 * NAME_SHOWN + 160];
  size_t size = append (text, 0, "aksandbox: ", 16);

  if (note->value == FAILED_DIRECTORY)
    size = append (text, size, "working directory ", 20);
  size = append (text, size, name, NAME_SHOWN);
  size = append (text, size, ": ", 2);
  size = append (text, size, why, 100);
  text[size++] = '\n';
  frame_add (&runner->host.output, FRAME_DATA, STREAM_STDERR, e->id, text, size);
  e->outputs[1].credit -= size;
}

static void
take_failure (struct runner *runner, struct execution *e, const struct note *note)
{
  if (e->not_started)
    return;
  if (note->value == FAILED_RESOURCE) {
    exec_refuse (runner, e, RUNNER_E_RESOURCE, strerror (note->error));
    return;
  }
  e->not_started = 1;
  e->code = note->value == FAILED_NOT_FOUND || note->value == FAILED_INTERPRETER ? 127 : 126;
  tell_not_started (runner, e, note);
}

static void
take_exit (struct execution *e, const struct note *note)
{
  int status = (int) note->value;

  e->exited = 1;
  e->childless = !note->rest;
  if (e->how)
    return;
  e->how = !e->not_started && WIFSIGNALED (status) ? EXIT_SIGNALLED : EXIT_EXITED;
  if (!e->not_started)
    e->code = (uint32_t) (WIFSIGNALED (status) ? WTERMSIG (status) : WEXITSTATUS (status));
}

static void
take_note (struct runner *runner, struct execution *e, const struct note *note)
{
  if (note->what == NOTE_STARTED && e->state == EXEC_RUNNING) {
    if (!e->not_started)
      frame_add_u32 (&runner->host.output, FRAME_STARTED, 0, e->id, note->value);
    spec_free (&e->spec);
  } else if (note->what == NOTE_FAILED && e->state == EXEC_RUNNING)
    take_failure (runner, e, note);
  else if (note->what == NOTE_EXITED && !e->exited)
    take_exit (e, note);
  else if (note->what == NOTE_CHILDLESS)
    e->childless = 1;
  if (note->what == NOTE_EXITED || note->what == NOTE_CHILDLESS) {
    e->cpu_ns = note->cpu_ns;
    e->peak_bytes = note->peak_bytes;
  }
}

void
exec_control (struct runner *runner, struct execution *e)
{
  while (e->control >= 0) {
    struct note note;
    ssize_t n = recv (e->control, &note, sizeof note, MSG_DONTWAIT);

    if (n == sizeof note)
      take_note (runner, e, &note);
    else if (n < 0 && (errno == EAGAIN || errno == EINTR))
      return;
    else {
      close (e->control);
      e->control = -1;
    }
  }
}

void
exec_signal (struct execution *e, uint32_t signal)
{
  struct note note = { .what = NOTE_SIGNAL, .value = signal };

  if (e->control >= 0)
    send (e->control, &note, sizeof note, MSG_DONTWAIT | MSG_NOSIGNAL);
}

void
exec_reaped (struct runner *runner, pid_t pid, const struct rusage *usage)
{
  for (size_t i = 0; i < runner->n_executions; i++) {
    struct execution *e = runner->executions[i];

    if (e->shepherd != pid)
      continue;
    exec_control (runner, e);
    e->shepherd = 0;
    if (e->childless)
      return;
    e->orphaned = 1;
    runner->orphans_until = now_ns () + KILL_PATIENCE;
    if (!e->exited)
      usage_add (usage, &e->cpu_ns, &e->peak_bytes);
    return;
  }
}

static int
tree_is_dead (const struct execution *e)
{
  return e->childless || e->unkillable || (e->shepherd == 0 && !e->orphaned);
}

static int
is_over (const struct execution *e)
{
  if (e->stage != KILL_NOT)
    return tree_is_dead (e);
  return e->exited || (e->shepherd == 0 && !e->orphaned);
}

static void
tell_exit (struct runner *runner, struct execution *e)
{
  uint32_t flags = (e->not_started ? EXIT_NOT_STARTED : 0)
                   | (e->unkillable || (!e->childless && e->shepherd) ? EXIT_SURVIVORS : 0);
  uint8_t payload[EXIT_PAYLOAD] = { 0 };

  put_u32 (payload, e->how);
  put_u32 (payload + 4, e->code);
  put_u64 (payload + 8, e->cpu_ns);
  put_u64 (payload + 16, e->peak_bytes);
  put_u64 (payload + 24, e->ended_at - e->started_at);
  put_u32 (payload + 32, flags);
  frame_add (&runner->host.output, FRAME_EXIT, 0, e->id, payload, sizeof payload);
}

void
exec_progress (struct runner *runner, struct execution *e)
{
  if (e->state == EXEC_RUNNING && is_over (e)) {
    if (!e->how) {
      e->how = EXIT_SIGNALLED;          /* nobody but a program kills a shepherd */
      e->code = SIGKILL;
    }
    output_snapshot (&e->outputs[0]);
    output_snapshot (&e->outputs[1]);
    e->ended_at = now_ns ();
    e->state = EXEC_DRAINING;
  }
  if (e->state == EXEC_DRAINING && e->outputs[0].left == 0 && e->outputs[1].left == 0
      && (e->stage == KILL_NOT || tree_is_dead (e))) {
    tell_exit (runner, e);
    e->state = EXEC_ENDED;
    spec_free (&e->spec);
    input_close (runner, &e->input);
  }
  if (e->state == EXEC_ENDED && e->shepherd == 0 && e->outputs[0].fd < 0 && e->outputs[1].fd < 0)
    e->state = EXEC_GONE;
}

static void
exec_free (struct runner *runner, struct execution *e)
{
  spec_free (&e->spec);
  input_close (runner, &e->input);
  if (e->control >= 0)
    close (e->control);
  free (e);
}

void
exec_sweep (struct runner *runner)
{
  size_t kept = 0;

  for (size_t i = 0; i < runner->n_executions; i++) {
    struct execution *e = runner->executions[i];

    exec_progress (runner, e);
    if (e->state == EXEC_GONE)
      exec_free (runner, e);
    else
      runner->executions[kept++] = e;
  }
  runner->n_executions = kept;
}
