/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Children that are not the application's: starting, waiting, killing. */
#define _GNU_SOURCE
#include "process-internal.h"
#include <aksandbox/sdk-cleanup.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#ifndef CLONE_PIDFD
#define CLONE_PIDFD 0x00001000
#endif
#define BY_PIDFD ((idtype_t) 3)         /* P_PIDFD, which older C libraries do not name */
#define START_PATIENCE_MS 10000
/* How long after its last word a child may take to execute its program, where the stream's end cannot be
 * seen because another child of the application has inherited it. */
#define EXEC_PATIENCE_MS 250

const char *
aks_step_text (enum aks_step step)
{
  switch (step) {
  case AKS_STEP_PREPARE: return "cannot prepare the start";
  case AKS_STEP_CLONE: return "cannot make the process in its namespaces";
  case AKS_STEP_SESSION: return "cannot make its session";
  case AKS_STEP_MAPS: return "cannot map user and group ids";
  case AKS_STEP_FOLDER: return "cannot enter the working folder";
  case AKS_STEP_MOUNTS: return "cannot separate its mounts";
  case AKS_STEP_PROC: return "cannot mount its own /proc";
  case AKS_STEP_SCOPE: return "cannot confine its signals with Landlock";
  case AKS_STEP_DESCRIPTORS: return "cannot arrange its descriptors";
  case AKS_STEP_EXEC: return "cannot execute the program";
  case AKS_STEP_DIED: return "it died while it was set up";
  }
  return "cannot start it";
}

static int
has_capabilities (unsigned a, unsigned b)
{
  struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
  struct __user_cap_data_struct data[2];
  memset (data, 0, sizeof data);
  if (syscall (SYS_capget, &header, data))
    return 0;
  return (data[0].effective & (1u << a)) && (data[0].effective & (1u << b));
}

/* The ids that there are for us, each on itself. */
static int
copy_map (const char *file, char *ret, size_t room)
{
  unsigned inside, outside, count;
  size_t at = 0;
  FILE *f = fopen (file, "re");
  if (!f)
    return -errno;
  while (at < room && fscanf (f, "%u %u %u", &inside, &outside, &count) == 3)
    at += (size_t) snprintf (ret + at, room - at, "%u %u %u\n", inside, inside, count);
  fclose (f);
  return at && at < room ? 0 : -E2BIG;
}

int
aks_maps_identity (struct aks_maps *ret)
{
  struct aks_maps maps = { .deny_setgroups = 0 };
  if (has_capabilities (CAP_SETUID, CAP_SETGID)) {
    int error = copy_map ("/proc/self/uid_map", maps.uids, sizeof maps.uids);
    if (!error)
      error = copy_map ("/proc/self/gid_map", maps.gids, sizeof maps.gids);
    if (error)
      return error;
  } else {
    maps.deny_setgroups = 1;
    snprintf (maps.uids, sizeof maps.uids, "%u %u 1\n", geteuid (), geteuid ());
    snprintf (maps.gids, sizeof maps.gids, "%u %u 1\n", getegid (), getegid ());
  }
  *ret = maps;
  return 0;
}

static int
write_map (pid_t pid, const char *file, const char *text)
{
  char path[48];
  snprintf (path, sizeof path, "/proc/%d/%s", pid, file);
  AKS_CLOSE int fd = open (path, O_WRONLY | O_CLOEXEC);
  if (fd < 0)
    return -errno;
  ssize_t n = write (fd, text, strlen (text));
  return n < 0 ? -errno : n == (ssize_t) strlen (text) ? 0 : -EIO;
}

static pid_t
clone_child (unsigned long flags, int *pidfd)
{
#ifdef __s390__
  return (pid_t) syscall (SYS_clone, NULL, flags, pidfd, NULL, 0);
#else
  return (pid_t) syscall (SYS_clone, flags, NULL, pidfd, NULL, NULL);
#endif
}

/* The next word of the child. 1, 0 the stream has ended or the child has, -1 nothing came in time. */
static int
hear (int line, int pidfd, int timeout_ms, struct aks_word *ret)
{
  struct pollfd fds[2] = { { .fd = line, .events = POLLIN }, { .fd = pidfd, .events = POLLIN } };
  int n;
  do
    n = poll (fds, 2, timeout_ms);
  while (n < 0 && errno == EINTR);
  if (n <= 0)
    return -1;
  return recv (line, ret, sizeof *ret, MSG_DONTWAIT) == (ssize_t) sizeof *ret;
}

/* Follow the child until its program runs. */
static int
follow (int line, int pidfd, enum aks_step *step)
{
  struct aks_word word;
  int got = hear (line, pidfd, START_PATIENCE_MS, &word);
  if (got == 1 && !word.error && !word.over) {
    got = hear (line, pidfd, EXEC_PATIENCE_MS, &word);
    if (got != 1)
      return 0;
  }
  if (got == 1 && word.over)
    return 0;
  *step = got == 1 ? word.step : AKS_STEP_DIED;
  return got == 1 ? -word.error : got == 0 ? -ECHILD : -ETIMEDOUT;
}

static int
give_maps (const struct aks_start *start, pid_t pid, int line)
{
  if (!(start->spaces & CLONE_NEWUSER) || start->maps->deny_setgroups)
    return 0;
  int error = write_map (pid, "uid_map", start->maps->uids);
  if (!error)
    error = write_map (pid, "gid_map", start->maps->gids);
  if (!error && send (line, "", 1, MSG_NOSIGNAL) != 1)
    error = -errno;
  return error;
}

int
aks_process_start (const struct aks_start *start, struct aks_process *ret, enum aks_step *step)
{
  struct aks_process child = { 0, -1 };
  sigset_t all, before;
  int pair[2];
  if (socketpair (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair)) {
    *step = AKS_STEP_PREPARE;
    return -errno;
  }
  AKS_CLOSE int line = pair[0];
  AKS_CLOSE int childs = pair[1];
  /* No handler of the application may run in the child, which has its memory. */
  sigfillset (&all);
  pthread_sigmask (SIG_SETMASK, &all, &before);
  child.pid = clone_child ((start->spaces & ~(unsigned) CLONE_NEWNS) | CLONE_PIDFD, &child.pidfd);
  if (child.pid == 0)
    aks_child_run (start, childs);
  int error = child.pid < 0 ? -errno : 0;
  pthread_sigmask (SIG_SETMASK, &before, NULL);
  if (error) {
    *step = AKS_STEP_CLONE;
    return error;
  }
  close (AKS_TAKE_FD (childs));
  error = give_maps (start, child.pid, line);
  if (error)
    *step = AKS_STEP_MAPS;
  else
    error = follow (line, child.pidfd, step);
  if (error) {
    aks_process_kill (&child, START_PATIENCE_MS);
    aks_process_clear (&child);
    return error;
  }
  *ret = child;
  return 0;
}

/* Milliseconds until `end`, 0 when it is past. */
static int
rest_ms (const struct timespec *end)
{
  struct timespec now;
  clock_gettime (CLOCK_MONOTONIC, &now);
  int64_t ms = (int64_t) (end->tv_sec - now.tv_sec) * 1000 + (end->tv_nsec - now.tv_nsec) / 1000000;
  return ms > 0 ? (int) ms : 0;
}

int
aks_process_wait (const struct aks_process *process, int timeout_ms)
{
  struct pollfd fd = { .fd = process->pidfd, .events = POLLIN };
  struct timespec end;
  siginfo_t info;
  clock_gettime (CLOCK_MONOTONIC, &end);
  end.tv_sec += timeout_ms / 1000;
  end.tv_nsec += (long) (timeout_ms % 1000) * 1000000;
  int n;
  while ((n = poll (&fd, 1, rest_ms (&end))) < 0 && errno == EINTR)
    ;
  if (n <= 0)
    return 0;
  /* ECHILD: somebody else's child, or the application has collected it. */
  waitid (BY_PIDFD, (id_t) process->pidfd, &info, WEXITED | WNOHANG | __WALL);
  return 1;
}

int
aks_signal (const struct aks_process *process, int number)
{
  struct pollfd end = { .fd = process->pidfd, .events = POLLIN };
  if (syscall (SYS_pidfd_send_signal, process->pidfd, number, NULL, 0) == 0)
    return 0;
  /* Container engines that are older than the call say EPERM. */
  if (errno != ENOSYS && errno != EPERM)
    return -errno;
  return poll (&end, 1, 0) == 0 && kill (process->pid, number) ? -errno : 0;
}

int
aks_process_kill (const struct aks_process *process, int timeout_ms)
{
  aks_signal (process, SIGKILL);
  return aks_process_wait (process, timeout_ms);
}

void
aks_process_clear (struct aks_process *process)
{
  if (process->pidfd >= 0)
    close (process->pidfd);
  *process = (struct aks_process) { 0, -1 };
}
