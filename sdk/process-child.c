/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The child's half of a start: from clone to exec with system calls alone, since the process it was
 * copied from may have held any lock. */
#define _GNU_SOURCE
#include "process-internal.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PARENT_PATIENCE_MS 10000

static void
say (int line, enum aks_step step, int error, int over)
{
  struct aks_word word = { step, error, over };
  while (send (line, &word, sizeof word, MSG_NOSIGNAL) < 0 && errno == EINTR)
    ;
}

/* A session of its own, and nothing of the application's signal handling. */
static int
detach (void)
{
  if (setsid () < 0)
    return -1;
  /* Zeros are SIG_DFL, however the kernel arranges them. Not by sigaction, which refuses to touch the
   * signals of the C library, and those may have come to us ignored. */
  static const unsigned long standard[8];
  for (int i = 1; i < NSIG; i++)
    syscall (SYS_rt_sigaction, i, standard, NULL, (size_t) NSIG / 8);
  umask (022);
  return 0;
}

static int
write_to (int fd, const char *text)
{
  size_t size = strlen (text);
  ssize_t n = write (fd, text, size);
  int error = errno;
  close (fd);
  errno = error;
  return n == (ssize_t) size ? 0 : -1;
}

/* The files belong to root while the process is not dumpable, as it is when the application is not. They
 * are opened in an instant, since our memory is a copy of the application's. */
static int
write_own_maps (const struct aks_maps *maps)
{
  int dumpable = prctl (PR_GET_DUMPABLE, 0, 0, 0, 0);
  if (dumpable != 1)
    prctl (PR_SET_DUMPABLE, 1, 0, 0, 0);
  int groups = open ("/proc/self/setgroups", O_WRONLY | O_CLOEXEC);
  int uids = open ("/proc/self/uid_map", O_WRONLY | O_CLOEXEC);
  int gids = open ("/proc/self/gid_map", O_WRONLY | O_CLOEXEC);
  int error = errno;
  if (dumpable != 1)
    prctl (PR_SET_DUMPABLE, 0, 0, 0, 0);
  errno = error;
  if (groups < 0 || uids < 0 || gids < 0)
    return -1;
  return write_to (groups, "deny") || write_to (uids, maps->uids) || write_to (gids, maps->gids) ? -1 : 0;
}

static int
have_maps (const struct aks_start *start, int line)
{
  if (!(start->spaces & CLONE_NEWUSER))
    return 0;
  if (start->maps->deny_setgroups)
    return write_own_maps (start->maps);
  struct pollfd parent = { .fd = line, .events = POLLIN };
  char byte;
  if (poll (&parent, 1, PARENT_PATIENCE_MS) != 1 || recv (line, &byte, 1, 0) != 1)
    _exit (1);                          /* the parent has failed, and knows why */
  return 0;
}

/* Nothing that is mounted here shows outside. What the host mounts and unmounts still shows here, so that
 * its devices do not stay busy. */
static int
own_mounts (void)
{
  if (unshare (CLONE_NEWNS))
    return -1;
  if (mount ("none", "/", "none", MS_REC | MS_SLAVE, NULL) == 0)
    return 0;
  if (errno != EINVAL)
    return -1;
  /* In a chroot "/" is no mount. Entering our own mount namespace once more leads to its true root; from
   * there we go back to where we were. */
  int root = open ("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
  int here = open (".", O_PATH | O_DIRECTORY | O_CLOEXEC);
  int self = (int) syscall (SYS_pidfd_open, getpid (), 0);
  if (root < 0 || here < 0 || self < 0 || setns (self, CLONE_NEWNS)
      || mount ("none", "/", "none", MS_REC | MS_SLAVE, NULL) || fchdir (root) || chroot (".")
      || fchdir (here))
    return -1;
  close (root);
  close (here);
  close (self);
  return 0;
}

/* linux/landlock.h may be older than the kernel. */
struct landlock_scope { uint64_t fs, net, scoped; };
#define SYS_LANDLOCK_CREATE 444
#define SYS_LANDLOCK_RESTRICT 446
#define LANDLOCK_VERSION 1u
#define LANDLOCK_SIGNALS 2u

static int
scope (void)
{
  struct landlock_scope rules = { .scoped = LANDLOCK_SIGNALS };
  long version = syscall (SYS_LANDLOCK_CREATE, NULL, 0, LANDLOCK_VERSION);
  if (version >= 0 && version < 6)
    errno = ENOSYS;
  if (version < 6)
    return -1;
  int fd = (int) syscall (SYS_LANDLOCK_CREATE, &rules, sizeof rules, 0);
  if (fd < 0 || prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || syscall (SYS_LANDLOCK_RESTRICT, fd, 0))
    return -1;
  close (fd);
  return 0;
}

static void
close_from (unsigned first)
{
  if (syscall (SYS_close_range, first, ~0u, 0) == 0)
    return;
  struct rlimit limit = { 0, 0 };
  getrlimit (RLIMIT_NOFILE, &limit);
  unsigned end = limit.rlim_cur > 65536 ? 65536 : (unsigned) limit.rlim_cur;
  for (; first < end; first++)
    close ((int) first);
}

/* Bring the descriptors to their numbers. *line and *program move out of the way, to the two numbers
 * above. */
static int
arrange (const struct aks_start *start, int *line, int *program)
{
  unsigned n = start->n_fds;
  int above = (int) n + 2, moved[64];
  if (n > sizeof moved / sizeof *moved) {
    errno = EINVAL;
    return -1;
  }
  for (unsigned i = 0; i < n; i++) {
    int fd = start->fds[i] >= 0 ? start->fds[i] : open ("/dev/null", O_RDWR | O_CLOEXEC);
    moved[i] = fd < 0 ? -1 : fcntl (fd, F_DUPFD_CLOEXEC, above);
    if (moved[i] < 0)
      return -1;
  }
  int high_line = fcntl (*line, F_DUPFD_CLOEXEC, above), high_program = -1;
  if (high_line < 0 || (*program >= 0 && (high_program = fcntl (*program, F_DUPFD_CLOEXEC, above)) < 0))
    return -1;
  for (unsigned i = 0; i < n; i++)
    if (dup2 (moved[i], (int) i) < 0)
      return -1;
  if (dup3 (high_line, (int) n, O_CLOEXEC) < 0
      || (high_program >= 0 && dup3 (high_program, (int) n + 1, O_CLOEXEC) < 0))
    return -1;
  *line = (int) n;
  *program = high_program >= 0 ? (int) n + 1 : -1;
  close_from (high_program >= 0 ? n + 2 : n + 1);
  return 0;
}

static enum aks_step
set_up (const struct aks_start *start, int *line, int *program)
{
  if (detach ())
    return AKS_STEP_SESSION;
  if (have_maps (start, *line))
    return AKS_STEP_MAPS;
  /* Before the mounts are copied: the folder of the descriptor would otherwise lie outside of them. */
  if (start->folder >= 0 ? fchdir (start->folder) : chdir ("/"))
    return AKS_STEP_FOLDER;
  if ((start->spaces & CLONE_NEWNS) && own_mounts ())
    return AKS_STEP_MOUNTS;
  if ((start->flags & AKS_PROC) && mount ("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL))
    return AKS_STEP_PROC;
  if ((start->flags & AKS_SCOPE) && scope ())
    return AKS_STEP_SCOPE;
  return arrange (start, line, program) ? AKS_STEP_DESCRIPTORS : 0;
}

/* The thread sanitizer does not see a clone by system call, and takes what the copy does with its descriptors for
 * a race with the threads of the original. */
#ifdef __SANITIZE_THREAD__
void AnnotateIgnoreReadsBegin (const char *file, int line);
void AnnotateIgnoreWritesBegin (const char *file, int line);
#define UNWATCHED() (AnnotateIgnoreReadsBegin (__FILE__, __LINE__), AnnotateIgnoreWritesBegin (__FILE__, __LINE__))
#else
#define UNWATCHED() ((void) 0)
#endif

void
aks_child_run (const struct aks_start *start, int line)
{
  int program = start->program;
  UNWATCHED ();
  enum aks_step failed = set_up (start, &line, &program);
  if (failed) {
    say (line, failed, errno, 0);
    _exit (1);
  }
  if (program < 0) {
    say (line, AKS_STEP_EXEC, 0, 1);
    _exit (0);
  }
  say (line, AKS_STEP_EXEC, 0, 0);
  sigset_t none;
  sigemptyset (&none);
  sigprocmask (SIG_SETMASK, &none, NULL);
  /* The kernel reads the lists and writes nothing there. */
  syscall (SYS_execveat, program, "", start->argv, start->envp, AT_EMPTY_PATH);
  say (line, AKS_STEP_EXEC, errno, 0);
  _exit (1);
}
