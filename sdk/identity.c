/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Who a process is: what /proc tells of it, and finding that very process again. */
#define _GNU_SOURCE
#include "process-stat.h"
#include "process-internal.h"
#include <aksandbox/sdk-cleanup.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

static int
read_small (const char *path, char *ret, size_t room)
{
  AKS_CLOSE int fd = open (path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return -errno;
  ssize_t n = read (fd, ret, room - 1);
  if (n < 0)
    return -errno;
  ret[n] = '\0';
  return 0;
}

int
aks_stat_of (pid_t pid, struct aks_stat *ret)
{
  char path[32], text[1024];
  snprintf (path, sizeof path, "/proc/%d/stat", pid);
  int error = read_small (path, text, sizeof text);
  if (error)
    return error == -ENOENT ? -ESRCH : error;
  /* The name in brackets may hold anything, brackets too. */
  const char *rest = strrchr (text, ')');
  struct aks_stat stat = { .pid = pid };
  unsigned long long start;
  if (!rest
      || sscanf (rest, ") %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
                 &stat.state, &stat.parent, &start) != 3)
    return -EPROTO;
  stat.start = start;
  *ret = stat;
  return 0;
}

int
aks_boot_id (char ret[37])
{
  char text[64];
  int error = read_small ("/proc/sys/kernel/random/boot_id", text, sizeof text);
  if (error)
    return error;
  if (strspn (text, "0123456789abcdef-") != 36)
    return -EPROTO;
  memcpy (ret, text, 36);
  ret[36] = '\0';
  return 0;
}

static int
own_space (uint64_t *ret)
{
  struct stat st;
  if (stat ("/proc/self/ns/pid", &st))
    return -errno;
  *ret = st.st_ino;
  return 0;
}

int
aks_identity_of (pid_t pid, struct aks_identity *ret)
{
  struct aks_identity identity = { .pid = pid };
  struct aks_stat stat;
  int error = aks_stat_of (pid, &stat);
  if (!error)
    error = aks_boot_id (identity.boot);
  if (!error)
    error = own_space (&identity.space);
  if (error)
    return error;
  identity.start = stat.start;
  *ret = identity;
  return 0;
}

/* Root could be told to kill anybody. */
static int
is_ours (pid_t pid)
{
  char path[32], text[4096];
  unsigned uid;
  snprintf (path, sizeof path, "/proc/%d/status", pid);
  if (read_small (path, text, sizeof text))
    return 0;
  const char *line = strstr (text, "\nUid:");
  return line && sscanf (line, "\nUid: %u", &uid) == 1 && uid == geteuid ();
}

int
aks_identity_open (const struct aks_identity *identity, int *ret_pidfd)
{
  char boot[37];
  uint64_t space = 0;
  struct aks_stat stat;
  int error = aks_boot_id (boot);
  if (!error && strcmp (boot, identity->boot))
    return -ESRCH;
  if (!error)
    error = own_space (&space);
  if (error)
    return error;
  if (space != identity->space)
    return -EXDEV;
  AKS_CLOSE int fd = identity->pid > 0 ? (int) syscall (SYS_pidfd_open, identity->pid, 0) : -1;
  if (fd < 0)
    return identity->pid > 0 ? -errno : -ESRCH;
  error = aks_stat_of (identity->pid, &stat);
  if (error)
    return error;
  int ours = is_ours (identity->pid);
  /* What was read is of the process of the descriptor only if that has not ended meanwhile. */
  struct pollfd end = { .fd = fd, .events = POLLIN };
  if (stat.start != identity->start || poll (&end, 1, 0) != 0)
    return -ESRCH;
  if (!ours)
    return -EPERM;
  *ret_pidfd = AKS_TAKE_FD (fd);
  return 0;
}
