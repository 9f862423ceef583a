/* SPDX-License-Identifier: Apache-2.0 */
/* Runners: their start, and their end in this process and in others. */
#define _GNU_SOURCE
#include "local_subprocess.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>

#define RUNNER "aksandbox-runner"       /* its argv[0] */
#define RECORD_PREFIX "runner."
#define RECORD_MAX 256
#define END_MS 2000                     /* how long a runner has to end */

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

static void
child_free (struct child *c)
{
  aks_process_clear (&c->process);
  if (c->record >= 0)
    close (c->record);
  free (c);
}

/* Take the runners of a handle and an id, either being NULL, out of the list. */
static struct child *
take (struct local *local, const void *owner, const char *id)
{
  struct child *taken = NULL;
  AKS_LOCK_FOR_SCOPE (&local->lock);
  for (struct child **at = &local->children; *at;) {
    struct child *c = *at;
    if ((owner && c->owner != owner) || (id && strcmp (c->id, id))) {
      at = &c->next;
      continue;
    }
    *at = c->next;
    c->next = taken;
    taken = c;
  }
  return taken;
}

void
local_children_reap (struct local *local)
{
  AKS_LOCK_FOR_SCOPE (&local->lock);
  for (struct child **at = &local->children; *at;) {
    struct child *c = *at;
    if (!aks_process_wait (&c->process, 0)) {
      at = &c->next;
      continue;
    }
    *at = c->next;
    child_free (c);
  }
}

/* Not 0: something may still run. */
static int
end (const struct aks_process *process, enum level level)
{
  if (level == LEVEL_USER || level == LEVEL_PID)
    return !aks_process_kill (process, END_MS);
  return aks_tree_kill (process, END_MS);
}

/* Tell other processes of a runner. Without a record they cannot kill it, but it ends with this process. */
static void
write_record (struct child *c, int folder)
{
  struct aks_identity who;
  char chance[17], text[RECORD_MAX];
  int error = aks_identity_of (c->process.pid, &who);
  if (!error)
    error = aks_random_hex (chance, 8);
  if (error)
    return;
  snprintf (c->record_name, sizeof c->record_name, RECORD_PREFIX "%s", chance);
  int n = snprintf (text, sizeof text, "%d %" PRIu64 " %" PRIu64 " %s %s\n", (int)who.pid, who.start,
                    who.space, who.boot, local_level_name (c->level));
  AKS_CLOSE int fd =
    openat (folder, c->record_name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  /* The lock says that this process lives, to those who cannot see it. */
  if (fd >= 0 && flock (fd, LOCK_EX | LOCK_NB) == 0 && write (fd, text, (size_t) n) == n)
    c->record = AKS_TAKE_FD (fd);
}

static int32_t
start_failed (struct ak_call *call, const char *id, enum aks_step step, int error)
{
  int busy = error == -EAGAIN || error == -ENOMEM || error == -EMFILE || error == -ENFILE;
  return local_fail (call, busy ? AK_E_UNAVAILABLE : AK_E_PROVISION,
                     busy ? "Try again when fewer processes run." : NULL, "sandbox %s: runner: %s: %s", id,
                     aks_step_text (step), strerror (-error));
}

static int32_t
start_runner (struct child *c, struct ak_call *call, int runner, int stream, int work)
{
  static const char *const argv[] = { RUNNER, NULL }, *const envp[] = { NULL };
  AKS_CLOSE int host = (int) syscall (SYS_pidfd_open, getpid (), 0);
  int fds[] = { stream, stream, -1, host };
  struct aks_start start = {
    .program = runner, .argv = argv, .envp = envp, .fds = fds, .n_fds = host >= 0 ? 4 : 3, .folder = work,
  };
  struct aks_maps maps;
  enum aks_step step = AKS_STEP_PREPARE;
  int error = local_level_apply (c->level, &start, &maps);
  if (!error)
    error = aks_process_start (&start, &c->process, &step);
  return error ? start_failed (call, c->id, step, error) : AK_OK;
}

int32_t
local_child_start (struct sandbox *s, struct ak_call *call, int stream, int work)
{
  struct local *local = s->local;
  AKS_CLOSE int runner = local->host->runner (local->config, NULL);
  if (runner < 0)
    return local_fail (call, AK_E_CAPABILITY, "Install aksandbox completely.",
                       "runner: none for this machine");
  enum level level = local_level (local);
  if (level == LEVEL_UNKNOWN)
    return local_fail (call, AK_E_UNAVAILABLE, "Try again when fewer processes run.", "sandbox %s: %s", s->id,
                       local->why_not);
  struct child *c = calloc (1, sizeof *c);
  if (!c)
    return local_fail (call, AK_E_INTERNAL, NULL, "sandbox %s: out of memory", s->id);
  *c = (struct child) { .owner = s, .level = level, .process = { 0, -1 }, .record = -1 };
  memcpy (c->id, s->id, sizeof c->id);
  int32_t status = start_runner (c, call, runner, stream, work);
  if (status != AK_OK) {
    child_free (c);
    return status;
  }
  write_record (c, s->folder);
  AKS_LOCK_FOR_SCOPE (&local->lock);
  c->next = local->children;
  local->children = c;
  return AK_OK;
}

void
local_children_release (struct sandbox *s)
{
  for (struct child *c = take (s->local, s, NULL), *next; c; c = next) {
    next = c->next;
    if (!aks_process_wait (&c->process, END_MS) && end (&c->process, c->level))
      local_log (s->local, LOG_ERR, "sandbox %s: its runner cannot be killed", s->id);
    if (*c->record_name)
      unlinkat (s->folder, c->record_name, 0);
    child_free (c);
  }
}

/* Programs can write records too: only a runner is killed for one. */
static int
is_runner (pid_t pid)
{
  char path[32], text[sizeof RUNNER];
  snprintf (path, sizeof path, "/proc/%d/cmdline", pid);
  AKS_CLOSE int fd = open (path, O_RDONLY | O_CLOEXEC);
  return fd >= 0 && read (fd, text, sizeof text) == (ssize_t)sizeof text
         && memcmp (text, RUNNER, sizeof text) == 0;
}

static int
parse_record (char *text, struct aks_identity *who, enum level *level)
{
  char name[16];
  int pid;
  if (sscanf (text, "%d %" SCNu64 " %" SCNu64 " %36s %15s", &pid, &who->start, &who->space, who->boot, name)
      != 5)
    return -EPROTO;
  who->pid = pid;
  *level = local_level_find (name);
  return *level == LEVEL_UNKNOWN ? -EPROTO : 0;
}

/* That the process which wrote a record still has it. */
static int
is_locked (int folder, const char *name)
{
  AKS_CLOSE int fd = openat (folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  return fd >= 0 && flock (fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK;
}

/* End what a record tells of. 0, or why it may still run. */
static int
end_recorded (int folder, const char *name)
{
  AKS_FREE char *text = NULL;
  size_t size;
  struct aks_identity who = { .pid = 0 };
  struct aks_process process = { 0, -1 };
  enum level level = LEVEL_UNKNOWN;
  int error = aks_file_read (folder, name, RECORD_MAX, &text, &size);
  if (!error)
    error = parse_record (text, &who, &level);
  if (!error)
    error = aks_identity_open (&who, &process.pidfd);
  if (error)
    return error != -ESRCH && is_locked (folder, name) ? -EBUSY : 0;
  process.pid = who.pid;
  error = is_runner (who.pid) ? end (&process, level) : 0;
  aks_process_clear (&process);
  return error ? -ETIMEDOUT : 0;
}

static int
kill_recorded (int folder)
{
  AKS_CLOSE int copy = openat (folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *dir = copy < 0 ? NULL : fdopendir (copy);
  if (!dir)
    return -errno;
  (void) AKS_TAKE_FD (copy);
  int error = 0;
  for (struct dirent *e; (e = readdir (dir));) {
    if (strncmp (e->d_name, RECORD_PREFIX, strlen (RECORD_PREFIX)))
      continue;
    int this = end_recorded (folder, e->d_name);
    if (!this)
      unlinkat (folder, e->d_name, 0);
    else if (!error)
      error = this;
  }
  closedir (dir);
  return error;
}

int32_t
local_children_kill (struct local *local, struct ak_call *call, const char *id, int folder)
{
  int error = 0;
  for (struct child *c = take (local, NULL, id), *next; c; c = next) {
    next = c->next;
    if (end (&c->process, c->level))
      error = -ETIMEDOUT;
    else if (folder >= 0 && *c->record_name)
      unlinkat (folder, c->record_name, 0);
    child_free (c);
  }
  if (!error && folder >= 0)
    error = kill_recorded (folder);
  if (error == -EBUSY)
    return local_fail (call, AK_E_UNAVAILABLE, "End what uses it, in the other container or namespace.",
                       "sandbox %s: in use by a process that cannot be seen from here", id);
  if (error)
    return local_fail (call, AK_E_UNAVAILABLE, NULL, "sandbox %s: not all of its processes have ended: %s",
                       id, strerror (-error));
  return AK_OK;
}
