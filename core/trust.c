/* SPDX-License-Identifier: Apache-2.0 */
/* Which files may be loaded, executed or believed: who could have written them. */
#include "config.h"
#include "trust.h"
#include "cleanup.h"
#include "owner.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#define HOPS_MAX 40

/* A walk from / to a file, one component at a time. No name is looked up twice, so that what was judged
 * is what is opened. */
struct walk {
  const char *path;             /* as it was asked for, for messages */
  char *todo;                   /* what is left of it, links replaced; `at` is the next component */
  char *at;
  char done[PATH_MAX];          /* where `here` is; "" is / */
  int parent, here;             /* O_PATH; parent is the folder that `here` was found in */
  struct stat st;               /* of here */
  unsigned hops;
  char target[PATH_MAX];        /* of the last link */
};

static enum ak_status
refuse (const struct walk *w, const char *component, const struct owner_fault *fault, struct ak_error **error)
{
  if (!strcmp (component, w->path))
    return ak_fail (error, AK_STATUS_PLUGIN, *fault->remedy ? fault->remedy : NULL,
                    "%s: refused for its permissions: it is %s", w->path, fault->reason);
  return ak_fail (error, AK_STATUS_PLUGIN, *fault->remedy ? fault->remedy : NULL,
                  "%s: refused for its permissions: %s is %s", w->path, component, fault->reason);
}

static enum ak_status
judge (const struct walk *w, int fd, const struct stat *st, const char *component, struct ak_error **error)
{
  struct owner_fault fault;
  if (!ak_owner_judge (fd, st, component, &fault))
    return AK_STATUS_OK;
  return refuse (w, component, &fault, error);
}

static enum ak_status
cannot (const struct walk *w, const char *component, struct ak_error **error)
{
  if (errno != ENOENT && errno != ENOTDIR)
    return ak_fail (error, AK_STATUS_PLUGIN, NULL, "%s: cannot be opened: %s: %s", w->path, component,
                    strerror (errno));
  if (w->hops)
    return ak_fail (error, AK_STATUS_FILE_NOT_FOUND, NULL,
                    "%s: not found: a link on the way leads to %s, and there is no %s", w->path, w->target,
                    component);
  return ak_fail (error, AK_STATUS_FILE_NOT_FOUND, NULL, "%s: not found", w->path);
}

static void
set_here (struct walk *w, int fd)
{
  if (w->parent >= 0)
    close (w->parent);
  w->parent = w->here;
  w->here = fd;
}

static enum ak_status
go_to_root (struct walk *w, struct ak_error **error)
{
  int fd = open ("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0 || fstat (fd, &w->st)) {
    enum ak_status status = cannot (w, "/", error);
    if (fd >= 0)
      close (fd);
    return status;
  }
  set_here (w, fd);
  w->done[0] = 0;
  return judge (w, fd, &w->st, "/", error);
}

/* The next component, cut out of todo; NULL at the end. */
static char *
next_component (struct walk *w)
{
  w->at += strspn (w->at, "/");
  if (!*w->at)
    return NULL;
  char *component = w->at;
  w->at += strcspn (w->at, "/");
  if (*w->at)
    *w->at++ = 0;
  return component;
}

static enum ak_status
follow (struct walk *w, int link, const char *component, struct ak_error **error)
{
  ssize_t n = readlinkat (link, "", w->target, sizeof w->target - 1);
  char *todo = NULL;
  if (n <= 0)
    return ak_fail (error, AK_STATUS_PLUGIN, NULL, "%s: cannot be opened: the link %s: %s", w->path,
                    component, strerror (n ? errno : ENOENT));
  w->target[n] = 0;
  if (++w->hops > HOPS_MAX)
    return ak_fail (error, AK_STATUS_PLUGIN, NULL, "%s: cannot be opened: more than %d links on the way",
                    w->path, HOPS_MAX);
  if (asprintf (&todo, "%s/%s", w->target, w->at) < 0)
    return ak_fail_memory (error);
  /* Without anything behind it a file must not become "FILE/", which only a folder may be called. */
  if (!*w->at)
    todo[strlen (todo) - 1] = 0;
  free (w->todo);
  w->todo = w->at = todo;
  return *todo == '/' ? go_to_root (w, error) : AK_STATUS_OK;
}

static enum ak_status
go_up (struct walk *w, struct ak_error **error)
{
  int fd = openat (w->here, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0)
    return cannot (w, "..", error);
  char *slash = strrchr (w->done, '/');
  if (slash)
    *slash = 0;
  set_here (w, fd);
  if (fstat (fd, &w->st))
    return cannot (w, w->done, error);
  return judge (w, fd, &w->st, *w->done ? w->done : "/", error);
}

static enum ak_status
step (struct walk *w, const char *name, struct ak_error **error)
{
  char component[PATH_MAX];
  int n = snprintf (component, sizeof component, "%s/%s", w->done, name);
  if (n >= (int) sizeof component) {
    errno = ENAMETOOLONG;
    return cannot (w, w->done, error);
  }
  CLEANUP_CLOSE int fd = openat (w->here, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
  struct stat st;
  if (fd < 0 || fstat (fd, &st))
    return cannot (w, component, error);
  enum ak_status status = judge (w, fd, &st, component, error);
  if (status != AK_STATUS_OK)
    return status;
  if (S_ISLNK (st.st_mode))
    return follow (w, fd, component, error);
  w->st = st;
  memcpy (w->done, component, (size_t) n + 1);
  set_here (w, TAKE_FD (fd));
  return AK_STATUS_OK;
}

static enum ak_status
walk (struct walk *w, struct ak_error **error)
{
  enum ak_status status = go_to_root (w, error);
  while (status == AK_STATUS_OK) {
    const char *name = next_component (w);
    if (!name)
      break;
    if (!S_ISDIR (w->st.st_mode)) {
      errno = ENOTDIR;
      return cannot (w, w->done, error);
    }
    if (!strcmp (name, "."))
      continue;
    status = strcmp (name, "..") ? step (w, name, error) : go_up (w, error);
  }
  return status;
}

/* Open what `here` is for reading. O_PATH could not, and a name may mean something else by now. */
static enum ak_status
reopen (const struct walk *w, int flags, int *ret_fd, struct ak_error **error)
{
  const char *name = strrchr (w->done, '/');
  int is_folder = S_ISDIR (w->st.st_mode);
  CLEANUP_CLOSE int fd = openat (is_folder ? w->here : w->parent, is_folder ? "." : name + 1,
                                 flags | O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY);
  struct stat st;
  if (fd < 0 || fstat (fd, &st))
    return ak_fail (error, AK_STATUS_PLUGIN, NULL, "%s: cannot be opened: %s", w->path, strerror (errno));
  if (st.st_dev != w->st.st_dev || st.st_ino != w->st.st_ino)
    return ak_fail (error, AK_STATUS_PLUGIN, "Try again.",
                    "%s: refused: it was replaced while it was looked at", w->path);
  enum ak_status status = judge (w, fd, &st, *w->done ? w->done : "/", error);
  if (status == AK_STATUS_OK)
    *ret_fd = TAKE_FD (fd);
  return status;
}

static enum ak_status
trust_open (const char *path, int want_folder, int *ret_fd, struct ak_error **error)
{
  struct walk w = { .path = path, .parent = -1, .here = -1 };
  if (*path != '/')
    return ak_fail (error, AK_STATUS_CONFIG, "Write the whole path, from / on.", "'%s': not an absolute path",
                    path);
  w.todo = w.at = strdup (path);
  if (!w.todo)
    return ak_fail_memory (error);
  enum ak_status status = walk (&w, error);
  if (status == AK_STATUS_OK && want_folder && !S_ISDIR (w.st.st_mode))
    status = ak_fail (error, AK_STATUS_PLUGIN, NULL, "%s: not a folder", path);
  else if (status == AK_STATUS_OK && !want_folder && !S_ISREG (w.st.st_mode))
    status = ak_fail (error, AK_STATUS_PLUGIN, NULL, "%s: not a regular file%s", path,
                      S_ISDIR (w.st.st_mode) ? ", but a folder" : "");
  else if (status == AK_STATUS_OK)
    status = reopen (&w, want_folder ? O_DIRECTORY : O_NONBLOCK, ret_fd, error);
  free (w.todo);
  if (w.parent >= 0)
    close (w.parent);
  if (w.here >= 0)
    close (w.here);
  return status;
}

enum ak_status
ak_trust_open (const char *path, int *ret_fd, struct ak_error **error)
{
  return trust_open (path, 0, ret_fd, error);
}

enum ak_status
ak_trust_open_dir (const char *path, int *ret_fd, struct ak_error **error)
{
  return trust_open (path, 1, ret_fd, error);
}
