/* SPDX-License-Identifier: Apache-2.0 */
/* The process between the runner and a program: parent of all that the program leaves behind.
 *
 * It is a subreaper, so that whoever is orphaned below it stays below it: its execution can be killed
 * whole, and no zombie is left. It has the programs' uid and may be stopped or killed by them at any time;
 * nothing but the usage figures depends on its help. */
#include "shepherd.h"
#include <errno.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "protect.h"

struct shepherd {
  pid_t main;                   /* 0: reaped */
  int status;
  int told;                     /* that the main process has exited */
  uint64_t cpu_ns, peak_bytes;
  int proc;
};

void
usage_add (const struct rusage *usage, uint64_t *cpu_ns, uint64_t *peak_bytes)
{
  uint64_t peak = (uint64_t) usage->ru_maxrss * 1024;

  *cpu_ns += (uint64_t) (usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * 1000000000
             + (uint64_t) (usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) * 1000;
  if (peak > *peak_bytes)
    *peak_bytes = peak;
}

static void
tell (const struct note *note)
{
  while (send (SHEPHERD_CONTROL, note, sizeof *note, MSG_NOSIGNAL) < 0 && errno == EINTR)
    ;
}

static void __attribute__ ((noreturn))
fail (int error)
{
  tell (&(struct note) { .what = NOTE_FAILED, .value = FAILED_RESOURCE, .error = error });
  tell (&(struct note) { .what = NOTE_EXITED });
  _exit (0);
}

static void
reap (struct shepherd *s)
{
  struct rusage usage;
  int status, childless;
  pid_t pid;

  while ((pid = wait4 (-1, &status, WNOHANG | __WALL, &usage)) > 0) {
    usage_add (&usage, &s->cpu_ns, &s->peak_bytes);
    if (pid == s->main) {
      s->main = 0;
      s->status = status;
    }
  }
  childless = pid < 0 && errno == ECHILD;
  if (s->main || (s->told && !childless))
    return;
  tell (&(struct note) {
    .what = s->told ? NOTE_CHILDLESS : NOTE_EXITED, .value = (uint32_t) s->status, .rest = !childless,
    .cpu_ns = s->cpu_ns, .peak_bytes = s->peak_bytes,
  });
  s->told = 1;
  if (childless)
    _exit (0);
}

/* The runner is gone, by whatever hand: so is what it was to answer for. */
static void __attribute__ ((noreturn))
end_all (struct shepherd *s)
{
  struct killer killer = { .proc = s->proc };
  struct kill_root root = { .pid = getpid () };

  for (int i = 0; i < 5000 && kill_pass (&killer, &root, 1, NULL, 0) == 0; i++) {
    while (waitpid (-1, NULL, WNOHANG | __WALL) > 0)
      ;
    if (root.alive == 0 && waitpid (-1, NULL, WNOHANG | __WALL) < 0)
      break;
    usleep (500);
  }
  if (s->main)
    kill (-s->main, SIGKILL);
  _exit (0);
}

static void
listen_to_runner (struct shepherd *s)
{
  struct note note;
  ssize_t n = recv (SHEPHERD_CONTROL, &note, sizeof note, MSG_DONTWAIT);

  if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
    end_all (s);
  if (n != sizeof note || note.what != NOTE_SIGNAL || !s->main)
    return;
  kill (-s->main, (int) note.value);
  if (note.value == SIGTERM)
    kill (-s->main, SIGCONT);
}

static void __attribute__ ((noreturn))
watch (struct shepherd *s)
{
  struct pollfd control = { .fd = SHEPHERD_CONTROL, .events = POLLIN };
  sigset_t waiting;

  protect_signal_set (&waiting);
  for (;;) {
    int n = ppoll (&control, 1, NULL, &waiting);

    reap (s);
    if (n > 0)
      listen_to_runner (s);
  }
}

void
shepherd_run (const struct runner *runner, const struct spec *spec, const struct launch *launch)
{
  int fds[] = { launch->in, launch->out, launch->err, launch->code, launch->control, runner->proc };
  static struct shepherd s;
  const struct program *program;

  s.proc = runner->proc < 0 ? -1 : SHEPHERD_PROC;
  if (protect_place (fds, 6, SHEPHERD_CONTROL))
    _exit (1);
  if (prctl (PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))
    fail (errno);
  program = program_new (runner, spec);
  if (!program)
    fail (ENOMEM);
  s.main = vfork ();
  if (s.main == 0)
    program_run (program);
  if (s.main < 0)
    fail (errno);
  protect_close (0, 3);
  tell (&(struct note) { .what = NOTE_STARTED, .value = (uint32_t) s.main });
  watch (&s);
}
