/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Killing a process and all that descends from it, where no namespace does it. */
#define _GNU_SOURCE
#include "process-stat.h"
#include "process-internal.h"
#include <aksandbox/sdk-cleanup.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>

#define ROUNDS_OF_STOPPING 16

struct entry { struct aks_stat stat; int below; };
struct table { struct entry *entries; size_t n, room; };

static int
by_pid (const void *a, const void *b)
{
  pid_t x = ((const struct entry *) a)->stat.pid, y = ((const struct entry *) b)->stat.pid;
  return x < y ? -1 : x > y;
}

static struct entry *
look_up (const struct table *t, pid_t pid)
{
  struct entry key = { .stat = { .pid = pid } };
  return bsearch (&key, t->entries, t->n, sizeof key, by_pid);
}

static int
add (struct table *t, const struct aks_stat *stat)
{
  if (t->n == t->room) {
    size_t room = t->room ? 2 * t->room : 256;
    struct entry *grown = realloc (t->entries, room * sizeof *grown);
    if (!grown)
      return -ENOMEM;
    t->entries = grown;
    t->room = room;
  }
  t->entries[t->n++] = (struct entry) { *stat, 0 };
  return 0;
}

/* Every process there is, those below `root` marked. */
static int
scan (struct table *t, pid_t root)
{
  DIR *proc = opendir ("/proc");
  int error = proc ? 0 : -errno;
  t->n = 0;
  for (struct dirent *e; !error && proc && (e = readdir (proc));) {
    struct aks_stat stat;
    long pid = strtol (e->d_name, NULL, 10);
    if (pid > 0 && aks_stat_of ((pid_t) pid, &stat) == 0)
      error = add (t, &stat);
  }
  if (proc)
    closedir (proc);
  if (error)
    return error;
  qsort (t->entries, t->n, sizeof *t->entries, by_pid);
  for (int more = 1; more;) {
    more = 0;
    for (struct entry *e = t->entries; e < t->entries + t->n; e++) {
      const struct entry *parent = e->below ? NULL : look_up (t, e->stat.parent);
      if (parent && (parent->below || parent->stat.pid == root))
        more = e->below = 1;
    }
  }
  return 0;
}

static void
signal_entry (const struct entry *e, int number)
{
  struct aks_stat now;
  struct aks_process process = { e->stat.pid, (int) syscall (SYS_pidfd_open, e->stat.pid, 0) };
  if (aks_stat_of (e->stat.pid, &now) == 0 && now.start == e->stat.start) {
    if (process.pidfd >= 0)
      aks_signal (&process, number);
    else
      kill (e->stat.pid, number);
  }
  aks_process_clear (&process);
}

/* Signal all below the root that live and are not in state `except`. Returns how many. */
static size_t
signal_below (const struct table *t, int number, char except)
{
  size_t n = 0;
  for (const struct entry *e = t->entries; e < t->entries + t->n; e++)
    if (e->below && e->stat.state != 'Z' && e->stat.state != 'X' && e->stat.state != except) {
      signal_entry (e, number);
      n++;
    }
  return n;
}

static int64_t
now_ms (void)
{
  struct timespec t;
  clock_gettime (CLOCK_MONOTONIC, &t);
  return (int64_t) t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* One round: stop until nobody runs, then kill. Returns how many lived, or an error. */
static int64_t
round_of_killing (struct table *t, const struct aks_process *root, int64_t end)
{
  int error = scan (t, root->pid);
  for (int i = 0; !error && i < ROUNDS_OF_STOPPING && now_ms () < end && signal_below (t, SIGSTOP, 'T'); i++)
    error = scan (t, root->pid);
  return error ? error : (int64_t) signal_below (t, SIGKILL, 0);
}

int
aks_tree_kill (const struct aks_process *root, int timeout_ms)
{
  struct table table = { NULL, 0, 0 };
  int64_t end = now_ms () + timeout_ms, alive = 0;
  if (aks_process_wait (root, 0))
    return 0;
  aks_signal (root, SIGSTOP);
  while ((alive = round_of_killing (&table, root, end)) > 0 && now_ms () < end)
    nanosleep (&(struct timespec) { 0, 1000000 }, NULL);
  free (table.entries);
  int gone = aks_process_kill (root, (int) (end > now_ms () ? end - now_ms () : 100));
  return alive < 0 ? (int) alive : alive || !gone ? -ETIMEDOUT : 0;
}
