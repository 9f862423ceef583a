/* SPDX-License-Identifier: Apache-2.0 */
/* What keeps the programs off the runner, and privileges off the programs. */
#include "kernel.h"
#include "protect.h"
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

/* The libraries keep two or three signals for their threads and out of every set and reach. There are no
 * threads here, but programs that send these signals, and parents that ignored them. */
void
protect_signal_set (sigset_t *set)
{
  memset (set, 0xff, sizeof *set);
  sigdelset (set, SIGCHLD);
}

#define SIGNALS 64
#define SIGNALS_SIZE (SIGNALS / 8)

void
protect_signals (void (*child) (int))
{
  static const unsigned long by_default[8];     /* the kernel's struct, all of it zero */
  sigset_t all;

  for (int i = 1; i <= SIGNALS; i++)
    syscall (SYS_rt_sigaction, i, by_default, NULL, SIGNALS_SIZE);
  sigaction (SIGPIPE, &(struct sigaction) { .sa_handler = SIG_IGN }, NULL);
  sigaction (SIGCHLD, &(struct sigaction) { .sa_handler = child }, NULL);
  /* Only now: with the first handler musl unblocks its own. */
  memset (&all, 0xff, sizeof all);
  syscall (SYS_rt_sigprocmask, SIG_SETMASK, &all, NULL, SIGNALS_SIZE);
}

void
protect_close (unsigned first, unsigned last)
{
  struct rlimit limit;

  if (syscall (SYS_close_range, first, last, 0) == 0)
    return;
  if (getrlimit (RLIMIT_NOFILE, &limit) || limit.rlim_cur > 65536)
    limit.rlim_cur = 65536;
  if (last >= limit.rlim_cur)
    last = (unsigned) limit.rlim_cur - 1;
  for (unsigned fd = first; fd <= last; fd++)
    close ((int) fd);
}

int
protect_place (int *fds, int n, int n_inherited)
{
  for (int i = 0; i < n; i++)
    if (fds[i] >= 0 && fds[i] < n && (fds[i] = fcntl (fds[i], F_DUPFD, n)) < 0)
      return -1;
  for (int i = 0; i < n; i++)
    if (fds[i] < 0)
      close (i);
    else if (dup3 (fds[i], i, i < n_inherited ? 0 : O_CLOEXEC) < 0)
      return -1;
  protect_close ((unsigned) n, ~0u);
  return 0;
}

int
protect_limit (int resource, uint64_t soft, uint64_t hard)
{
  struct rlimit now, limit = { (rlim_t) soft, (rlim_t) hard };

  if (getrlimit (resource, &now))
    return -1;
  if (limit.rlim_max > now.rlim_max)
    limit.rlim_max = now.rlim_max;
  if (limit.rlim_cur > limit.rlim_max)
    limit.rlim_cur = limit.rlim_max;
  return setrlimit (resource, &limit);
}

/* A /proc of another pid namespace has other numbers, or none for us. */
static int
shows_us (int proc)
{
  struct statfs fs;
  char text[16] = "";

  return fstatfs (proc, &fs) == 0 && fs.f_type == KERNEL_PROC_SUPER_MAGIC
         && readlinkat (proc, "self", text, sizeof text - 1) > 0 && atoi (text) == (int) getpid ();
}

/* One that is mounted nowhere: for a chroot, or a container whose /proc is hidden. */
static int
make_proc (void)
{
  int fs = (int) syscall (SYS_fsopen, "proc", KERNEL_FSOPEN_CLOEXEC);
  int proc = -1;

  if (fs < 0)
    return -1;
  if (syscall (SYS_fsconfig, fs, KERNEL_FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0)
    proc = (int) syscall (SYS_fsmount, fs, KERNEL_FSMOUNT_CLOEXEC, 0);
  close (fs);
  return proc;
}

int
protect_open_proc (void)
{
  int proc = open ("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);

  if (proc >= 0 && !shows_us (proc)) {
    close (proc);
    proc = -1;
  }
  return proc >= 0 ? proc : make_proc ();
}

static int
drop_capabilities (void)
{
  struct kernel_cap_header header = { .version = KERNEL_CAP_VERSION_3 };
  struct kernel_cap_data data[2] = { { 0, 0, 0 } };

  /* These three need CAP_SETPCAP; who lacks it can hand nothing on that no_new_privs would not stop. */
  prctl (PR_SET_SECUREBITS, KERNEL_SECUREBITS, 0, 0, 0);
  for (unsigned long cap = 0; cap <= KERNEL_CAP_HIGHEST; cap++)
    if (prctl (PR_CAPBSET_DROP, cap, 0, 0, 0) && prctl (PR_CAPBSET_READ, cap, 0, 0, 0) < 0)
      break;
  prctl (PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  if (syscall (SYS_capset, &header, data))
    return -1;
  memset (data, 0xff, sizeof data);
  if (syscall (SYS_capget, &header, data))
    return -1;
  return data[0].permitted || data[1].permitted || data[0].effective || data[1].effective ? -1 : 0;
}

int
protect_self (void)
{
  struct rlimit none = { 0, 0 };

  umask (022);
  setrlimit (RLIMIT_CORE, &none);
  if (drop_capabilities ())
    return -1;
  if (prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl (PR_SET_DUMPABLE, 0, 0, 0, 0)
      || prctl (PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))
    return -1;
  return 0;
}
