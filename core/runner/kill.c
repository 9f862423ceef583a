/* SPDX-License-Identifier: Apache-2.0 */
/* Killing whole trees of processes that do not want to die.
 *
 * A tree that forks as fast as it can is first stopped, process by process, until a look at /proc shows
 * nobody new, and only then killed. No number is trusted to mean the same process for longer than a look:
 * a pidfd is opened first, then the parent read and compared, and the signal goes through the pidfd. The
 * parent in turn is a root or was seized the same way, and its pidfd must still be alive after the look. */
#include "kernel.h"
#include "kill.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define ENTRIES_MAX 131072u
#define VICTIMS_MAX 4096u
#define NOBODY (-1)
#define QUICK_LOOKS 200
#define QUICK_LOOKS_QUIET 3

struct kill_entry { pid_t pid, parent; int root; int alive; };
struct kill_victim { pid_t pid; int pidfd; };

static void *
scratch (size_t size)
{
  void *memory =
    mmap (NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

  if (memory == MAP_FAILED)
    return NULL;
  madvise (memory, size, MADV_DONTFORK);
  return memory;
}

static long
number (const char **text)
{
  long value = 0;

  for (; **text == ' '; ++*text)
    ;
  for (; **text >= '0' && **text <= '9'; ++*text)
    value = value * 10 + (**text - '0');
  return value;
}

static char *
append_number (char *to, pid_t pid)
{
  char digits[12];
  int n = 0;

  do {
    digits[n++] = (char) ('0' + pid % 10);
    pid /= 10;
  } while (pid);
  while (n)
    *to++ = digits[--n];
  return to;
}

/* The text of a small file of /proc, or NULL. */
static const char *
read_small (const struct killer *killer, const char *path, char *text, size_t size)
{
  int fd = openat (killer->proc, path, O_RDONLY | O_CLOEXEC);
  ssize_t n;

  if (fd < 0)
    return NULL;
  n = read (fd, text, size - 1);
  close (fd);
  if (n <= 0)
    return NULL;
  text[n] = 0;
  return text;
}

/* A process chooses its own name, so the fields begin behind the last parenthesis. A leader that has ended is
 * listed as a zombie while its threads run on, and its children are theirs. */
static int
parse_stat (const char *text, struct kill_entry *entry)
{
  const char *p = strrchr (text, ')');
  char state;
  long threads;

  if (!p || p[1] != ' ' || !p[2])
    return -1;
  state = p[2];
  p += 3;
  entry->parent = (pid_t) number (&p);
  for (int field = 5; field < 20; field++)
    for (p += strspn (p, " "); *p && *p != ' '; p++)
      ;
  threads = number (&p);
  entry->alive = (state != 'Z' && state != 'X') || threads > 1;
  return 0;
}

static int
look_at (const struct killer *killer, pid_t pid, struct kill_entry *entry)
{
  char path[24], text[1024];

  strcpy (append_number (path, pid), "/stat");
  *entry = (struct kill_entry) { .pid = pid, .root = NOBODY };
  return read_small (killer, path, text, sizeof text) ? parse_stat (text, entry) : -1;
}

/* /proc lists by number. */
static struct kill_entry *
entry_of (const struct killer *killer, pid_t pid)
{
  size_t low = 0, high = killer->n_entries;

  while (low < high) {
    size_t middle = (low + high) / 2;

    if (killer->entries[middle].pid < pid)
      low = middle + 1;
    else
      high = middle;
  }
  return low < killer->n_entries && killer->entries[low].pid == pid ? &killer->entries[low] : NULL;
}

static int
contains (const pid_t *pids, size_t n, pid_t pid)
{
  for (size_t i = 0; i < n; i++)
    if (pids[i] == pid)
      return 1;
  return 0;
}

static int
root_of_parent (const struct killer *killer, const struct kill_root *roots, size_t n_roots, pid_t parent)
{
  const struct kill_entry *entry;

  for (size_t i = 0; i < n_roots; i++)
    if (roots[i].pid == parent)
      return (int) i;
  entry = entry_of (killer, parent);
  return entry ? entry->root : NOBODY;
}

static int
signal_to (int pidfd, int signal)
{
  return (int) syscall (SYS_pidfd_send_signal, pidfd, signal, NULL, 0);
}

static struct kill_victim *
victim_of (const struct killer *killer, pid_t pid)
{
  for (size_t i = 0; i < killer->n_victims; i++)
    if (killer->victims[i].pid == pid && signal_to (killer->victims[i].pidfd, 0) == 0)
      return &killer->victims[i];
  return NULL;
}

static int
is_root (const struct kill_root *roots, size_t n_roots, pid_t pid)
{
  for (size_t i = 0; i < n_roots; i++)
    if (roots[i].pid == pid)
      return 1;
  return 0;
}

/* Stops the process, once it is certain whose it is. Where there is no pidfd to be had, the look is all
 * the certainty there is, and it is killed at once. */
static void
seize (struct killer *killer, const struct kill_root *roots, size_t n_roots, const struct kill_entry *entry)
{
  int pidfd = (int) syscall (SYS_pidfd_open, entry->pid, 0);
  struct kill_entry now;

  if (look_at (killer, entry->pid, &now) || now.parent != entry->parent
      || (!is_root (roots, n_roots, now.parent) && !victim_of (killer, now.parent))) {
    if (pidfd >= 0)
      close (pidfd);
  } else if (pidfd < 0)
    kill (entry->pid, SIGKILL);
  else if (killer->n_victims == killer->max_victims) {
    signal_to (pidfd, SIGKILL);
    close (pidfd);
  } else if (signal_to (pidfd, SIGSTOP) == 0)
    killer->victims[killer->n_victims++] = (struct kill_victim) { entry->pid, pidfd };
  else
    close (pidfd);
}

/* What one pass is about. */
struct pass {
  struct killer *killer;
  struct kill_root *roots;
  size_t n_roots;
  const pid_t *spared;
  size_t n_spared;
  int found_new;
};

/* Whether this entry turns out to be below a root: then it is dealt with at once, since a moment later it
 * may have forked and ended. */
static int
judge (struct pass *pass, struct kill_entry *entry)
{
  if (entry->root != NOBODY || contains (pass->spared, pass->n_spared, entry->pid))
    return 0;
  entry->root = root_of_parent (pass->killer, pass->roots, pass->n_roots, entry->parent);
  if (entry->root == NOBODY)
    return 0;
  if (!entry->alive)
    return 1;
  pass->roots[entry->root].alive++;
  if (!victim_of (pass->killer, entry->pid)) {
    pass->found_new = 1;
    seize (pass->killer, pass->roots, pass->n_roots, entry);
  }
  return 1;
}

struct directory_entry { uint64_t inode; int64_t offset; uint16_t size; uint8_t type; char name[]; };

static void
look_and_judge (struct pass *pass, pid_t pid)
{
  struct killer *killer = pass->killer;
  struct kill_entry *entry = &killer->entries[killer->n_entries];

  if (killer->n_entries == ENTRIES_MAX || look_at (killer, pid, entry))
    return;
  killer->n_entries++;
  judge (pass, entry);
}

static int
read_processes (struct pass *pass)
{
  _Alignas (8) char buffer[8192];
  int dir = openat (pass->killer->proc, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  long n;

  if (dir < 0)
    return -1;
  pass->killer->n_entries = 0;
  while ((n = syscall (SYS_getdents64, dir, buffer, sizeof buffer)) > 0)
    for (long at = 0; at < n;) {
      const struct directory_entry *d = (const void *) (buffer + at);

      if (d->name[0] >= '1' && d->name[0] <= '9')
        look_and_judge (pass, atoi (d->name));
      at += d->size;
    }
  close (dir);
  return n < 0 ? -1 : 0;
}

/* The children of a root as the kernel lists them, where it does. That is so much quicker than a look at
 * all processes that it catches also those who fork and end, and so come to the root, in less time than
 * such a look takes. */
static int
seize_children (struct pass *pass, pid_t root)
{
  struct killer *killer = pass->killer;
  char path[64], text[4096], *end = append_number (path, root);
  const char *p;
  int found = 0;

  strcpy (end, "/task/");
  strcpy (append_number (end + strlen (end), root), "/children");
  p = read_small (killer, path, text, sizeof text);
  while (p && *p) {
    pid_t pid = (pid_t) number (&p);
    struct kill_entry entry;

    p += strcspn (p, " ");
    p += strspn (p, " ");
    /* The last number may be cut off; whose it is, is seen. */
    if (contains (pass->spared, pass->n_spared, pid) || victim_of (killer, pid)
        || look_at (killer, pid, &entry) || entry.parent != root || !entry.alive)
      continue;
    seize (killer, pass->roots, pass->n_roots, &entry);
    found = 1;
  }
  return found;
}

static void
seize_newcomers (struct pass *pass)
{
  int quiet = 0;

  for (int i = 0; i < QUICK_LOOKS && quiet < QUICK_LOOKS_QUIET; i++) {
    int found = 0;

    for (size_t k = 0; k < pass->n_roots; k++)
      found |= seize_children (pass, pass->roots[k].pid);
    quiet = found ? 0 : quiet + 1;
  }
}

static void
kill_victims (struct killer *killer)
{
  for (size_t i = 0; i < killer->n_victims; i++)
    signal_to (killer->victims[i].pidfd, SIGKILL);
  for (size_t i = 0; i < killer->n_victims; i++)
    close (killer->victims[i].pidfd);
  killer->n_victims = 0;
}

/* Each victim costs a descriptor, and the looks need some too. */
static size_t
max_victims (void)
{
  struct rlimit limit;

  if (getrlimit (RLIMIT_NOFILE, &limit) || limit.rlim_cur / 2 > VICTIMS_MAX)
    return VICTIMS_MAX;
  return (size_t) limit.rlim_cur / 2;
}

static int
prepare (struct killer *killer)
{
  if (killer->proc < 0)
    return -1;
  killer->max_victims = max_victims ();
  if (!killer->entries)
    killer->entries = scratch (ENTRIES_MAX * sizeof *killer->entries);
  if (!killer->victims)
    killer->victims = scratch (VICTIMS_MAX * sizeof *killer->victims);
  return killer->entries && killer->victims ? 0 : -1;
}

int
kill_pass (struct killer *killer, struct kill_root *roots, size_t n_roots, const pid_t *spared,
           size_t n_spared)
{
  struct pass pass = { killer, roots, n_roots, spared, n_spared, 0 };
  int changed = 1;

  for (size_t i = 0; i < n_roots; i++)
    roots[i].alive = 0;
  if (prepare (killer) || read_processes (&pass))
    return -1;
  /* Those whose parents were listed behind them. */
  while (changed) {
    changed = 0;
    for (size_t i = 0; i < killer->n_entries; i++)
      changed |= judge (&pass, &killer->entries[i]);
  }
  if (pass.found_new)
    seize_newcomers (&pass);
  else
    kill_victims (killer);
  return 0;
}
