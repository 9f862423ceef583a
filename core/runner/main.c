/* SPDX-License-Identifier: Apache-2.0 */
/* aksandbox-runner: starts programs inside a sandbox for the host at the other end of a stream
   (protocol.h). */
#include "runner.h"
#include "protect.h"
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/vfs.h>
#include <unistd.h>

/* As many as all executions and a walk need; more would slow down whoever goes through all numbers. */
#define DESCRIPTORS 16384

static void
child_changed (int signal)
{
  (void) signal;
  runner_child_changed = 1;
}

void
runner_violation (struct runner *runner, const char *what)
{
  struct pollfd out = { .fd = runner->host.out, .events = POLLOUT };

  runner->ending = 1;
  frame_add_error (&runner->host.output, 0, RUNNER_E_PROTOCOL, what);
  for (int i = 0; i < 10 && link_write (&runner->host) == 0 && runner->host.output.size; i++)
    poll (&out, 1, 20);
}

static int
is_pidfd (int fd)
{
  struct statfs fs;

  return fstatfs (fd, &fs) == 0 && (fs.f_type == KERNEL_ANON_INODE_MAGIC || fs.f_type == KERNEL_PIDFS_MAGIC);
}

/* Moves a descriptor out of the way of those that programs get. */
static int
keep (int fd)
{
  return fcntl (fd, F_DUPFD_CLOEXEC, OWN_DESCRIPTORS);
}

static void
raise_files_limit (struct runner *runner)
{
  struct rlimit limit;

  getrlimit (RLIMIT_NOFILE, &runner->files_limit);
  limit = runner->files_limit;
  if (limit.rlim_cur < DESCRIPTORS)
    limit.rlim_cur = limit.rlim_max < DESCRIPTORS ? limit.rlim_max : DESCRIPTORS;
  setrlimit (RLIMIT_NOFILE, &limit);
}

/* -1: 0 and 1 are not open. */
static int
take_descriptors (struct runner *runner)
{
  int buffer = 1024 * 1024, proc, nothing;

  raise_files_limit (runner);
  protect_close (4, ~0u);
  proc = protect_open_proc ();
  runner->proc = proc < 0 ? -1 : keep (proc);
  runner->host.in = keep (0);
  runner->host.out = keep (1);
  runner->host_pidfd = is_pidfd (3) ? keep (3) : -1;
  close (0);
  close (1);
  protect_close (3, OWN_DESCRIPTORS - 1);
  /* Keeps the low numbers from meaning anything else. */
  nothing = open ("/", O_PATH | O_CLOEXEC);
  if (nothing < 0 || fcntl (nothing, F_DUPFD_CLOEXEC, 0) < 0 || runner->host.in < 0 || runner->host.out < 0)
    return -1;
  setsockopt (runner->host.out, SOL_SOCKET, SO_SNDBUF, &buffer, sizeof buffer);
  if (fcntl (runner->host.in, F_SETFL, O_NONBLOCK) || fcntl (runner->host.out, F_SETFL, O_NONBLOCK))
    return -1;
  return 0;
}

static void
set_flags (struct runner *runner)
{
  int first = getpid () == 1;

  if (protect_filter () == 0)
    runner->flags |= HELLO_SECCOMP;
  if (first)
    runner->flags |= HELLO_PID1;
  if (first && runner->proc >= 0)
    runner->flags |= HELLO_CLEAN_KILL;
}

int
main (void)
{
  static struct runner runner;

  protect_signals (child_changed);
  runner.host_pidfd = runner.workspace = runner.files.in = runner.files.out = -1;
  if (take_descriptors (&runner) || queue_init (&runner.host.input, LINK_INPUT, LINK_INPUT)
      || queue_init (&runner.host.output, OUTPUT_LIMIT, OUTPUT_LIMIT))
    return 1;
  runner.killer.proc = runner.proc;
  if (protect_self ()) {
    runner_violation (&runner, "privileges cannot be dropped");
    return 1;
  }
  set_flags (&runner);
  runner_loop (&runner);
  runner_kill_everything (&runner);
  _exit (0);
}
