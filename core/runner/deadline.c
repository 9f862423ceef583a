/* SPDX-License-Identifier: Apache-2.0 */
/* An execution's death: deadline, grace, the walk that kills its tree, and the end of everything. */
#include "runner.h"
#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

/* A look at /proc is not of one moment, so one in which nobody lives proves little. */
#define EMPTY_PASSES 3u
#define REST_PATIENCE (20 * MILLISECOND)

static void
begin_walk (struct runner *runner, struct execution *e)
{
  e->stage = KILL_WALK;
  e->stage_until = now_ns () + KILL_PATIENCE;
  e->empty_passes = 0;
  if (e->shepherd)
    kill (e->shepherd, SIGCONT);
  if (runner->proc >= 0)
    return;
  /* Without /proc nobody can be found but the main process's group. */
  exec_signal (e, SIGKILL);
  e->stage = KILL_REST;
  e->stage_until = now_ns () + 5 * REST_PATIENCE;
}

void
exec_kill (struct runner *runner, struct execution *e, enum exit_how how)
{
  if (!e->how)
    e->how = how;
  if (e->stage == KILL_NOT || e->stage == KILL_TERM)
    begin_walk (runner, e);
}

uint64_t
exec_next_time (const struct execution *e)
{
  if (e->state != EXEC_RUNNING && e->state != EXEC_DRAINING)
    return NEVER;
  if (e->stage == KILL_NOT)
    return e->state == EXEC_RUNNING ? e->deadline : NEVER;
  return e->childless || e->shepherd == 0 ? NEVER : e->stage_until;
}

static void
deadline_passed (struct runner *runner, struct execution *e, uint64_t now)
{
  uint64_t grace = e->grace_ns;

  if (grace == 0) {
    exec_kill (runner, e, EXIT_TIMED_OUT);
    return;
  }
  e->how = EXIT_TIMED_OUT;
  e->stage = KILL_TERM;
  e->stage_until = grace < NEVER - now ? now + grace : NEVER;
  if (e->shepherd)
    kill (e->shepherd, SIGCONT);
  exec_signal (e, SIGTERM);
}

void
exec_time (struct runner *runner, struct execution *e, uint64_t now)
{
  /* Whom SIGTERM made end in time has perhaps left somebody behind. */
  if (e->stage == KILL_TERM && e->exited && !e->childless)
    begin_walk (runner, e);
  if (now < exec_next_time (e))
    return;
  if (e->stage == KILL_NOT)
    deadline_passed (runner, e, now);
  else if (e->stage == KILL_TERM)
    begin_walk (runner, e);
  else if (e->stage == KILL_WALK) {
    e->unkillable = 1;
    e->stage_until = NEVER;
  } else {
    kill (e->shepherd, SIGKILL);
    e->stage_until = NEVER;
  }
}

static int
walks (const struct execution *e)
{
  return e->stage == KILL_WALK && e->shepherd && !e->childless && !e->unkillable;
}

int
runner_walks (const struct runner *runner)
{
  if (runner->orphans_until)
    return 1;
  for (size_t i = 0; i < runner->n_executions; i++)
    if (walks (runner->executions[i]))
      return 1;
  return 0;
}

static void
orphans_done (struct runner *runner, int unkillable)
{
  for (size_t i = 0; i < runner->n_executions; i++) {
    struct execution *e = runner->executions[i];

    e->unkillable |= e->orphaned && unkillable;
    e->orphaned = 0;
  }
  runner->orphans_until = 0;
  runner->orphans_empty_passes = 0;
}

static void
walked (struct execution *e, size_t alive)
{
  e->empty_passes = alive ? 0 : e->empty_passes + 1;
  if (e->empty_passes < EMPTY_PASSES)
    return;
  e->stage = KILL_REST;
  e->stage_until = now_ns () + REST_PATIENCE;
  kill (e->shepherd, SIGCONT);
}

void
runner_walk (struct runner *runner)
{
  static struct kill_root roots[EXECUTIONS_MAX + 1];
  static struct execution *owners[EXECUTIONS_MAX];
  static pid_t spared[EXECUTIONS_MAX + 1];
  size_t n = 0, n_roots, n_spared = 0;
  int failed;

  for (size_t i = 0; i < runner->n_executions; i++) {
    struct execution *e = runner->executions[i];

    if (e->shepherd)
      spared[n_spared++] = e->shepherd;
    if (!walks (e))
      continue;
    roots[n].pid = e->shepherd;
    owners[n++] = e;
  }
  if (runner->files_pid)
    spared[n_spared++] = runner->files_pid;
  n_roots = n;
  if (runner->orphans_until)
    roots[n_roots++].pid = getpid ();
  failed = kill_pass (&runner->killer, roots, n_roots, spared, n_spared);
  for (size_t i = 0; i < n && !failed; i++)
    walked (owners[i], roots[i].alive);
  if (!runner->orphans_until)
    return;
  runner->orphans_empty_passes = failed || roots[n].alive ? 0 : runner->orphans_empty_passes + 1;
  if (runner->orphans_empty_passes == EMPTY_PASSES || now_ns () > runner->orphans_until)
    orphans_done (runner, runner->orphans_empty_passes != EMPTY_PASSES);
}

/* The end. As PID 1 the kernel does it, when the runner exits. */
void
runner_kill_everything (struct runner *runner)
{
  struct kill_root root = { .pid = getpid () };
  uint64_t until = now_ns () + KILL_PATIENCE;

  if (runner->flags & HELLO_PID1)
    return;
  for (size_t i = 0; i < runner->n_executions; i++)
    if (runner->proc < 0)
      exec_signal (runner->executions[i], SIGKILL);
  while (now_ns () < until) {
    int failed = kill_pass (&runner->killer, &root, 1, NULL, 0);
    pid_t pid;

    while ((pid = waitpid (-1, NULL, WNOHANG | __WALL)) > 0)
      ;
    if (pid < 0 && errno == ECHILD)
      return;
    if (failed)
      return;
    usleep (500);
  }
}
