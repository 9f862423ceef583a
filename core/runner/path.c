/* SPDX-License-Identifier: Apache-2.0 */
/* Paths that cannot leave the workspace, however the tree below it changes meanwhile.
 *
 * openat2 does it in one call. It refuses absolute links, also those that lead back inside, and older
 * kernels do not have it: then the path is walked component by component, each opened without following,
 * links read and put in front of what is left, ".." answered from the folders passed and never asked of
 * the kernel. */
#include "kernel.h"
#include "path.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINKS_MAX 40
#define DEPTH_MAX 256
#define RACES_MAX 16
#define GO_ON INT_MIN           /* no descriptor and no errno */

static const char *
behind (const char *path, const char *folder)
{
  size_t length = strlen (folder);

  while (length && folder[length - 1] == '/')
    length--;
  return strncmp (path, folder, length) == 0 && (path[length] == 0 || path[length] == '/') ? path + length
                                                                                           : NULL;
}

/* What is behind the workspace's own path, or NULL: it does not begin with it. */
static const char *
below (const struct workspace *workspace, const char *path)
{
  const char *rest = behind (path, workspace->path);

  return rest ? rest : behind (path, workspace->real);
}

int
path_normal (const struct workspace *workspace, const uint8_t *bytes, size_t size, char ret[PATH_MAX])
{
  char text[PATH_MAX], *out = ret;
  const char *in;

  if (size >= sizeof text)
    return -ENAMETOOLONG;
  if (memchr (bytes, 0, size))
    return -EINVAL;
  memcpy (text, bytes, size);
  text[size] = 0;
  in = below (workspace, text) ? below (workspace, text) : text;
  for (size_t length; *(in += strspn (in, "/")); in += length) {
    length = strcspn (in, "/");
    if (length == 1 && in[0] == '.')
      continue;
    if (length == 2 && in[0] == '.' && in[1] == '.') {
      if (out == ret)
        return -EXDEV;
      while (--out > ret && *out != '/')
        ;
      continue;
    }
    if (out > ret)
      *out++ = '/';
    memmove (out, in, length);
    out += length;
  }
  strcpy (out, out == ret ? "." : "");
  return 0;
}

/* The folders of a walk, from the workspace down. */
struct walk {
  const struct workspace *workspace;
  int folders[DEPTH_MAX];
  int depth, links;
  char rest[2 * PATH_MAX];
};

static int
here (const struct walk *walk)
{
  return walk->depth ? walk->folders[walk->depth - 1] : walk->workspace->fd;
}

static void
up_to (struct walk *walk, int depth)
{
  while (walk->depth > depth)
    close (walk->folders[--walk->depth]);
}

/* Puts what a link says in front of the rest. */
static int
follow (struct walk *walk, int link)
{
  char target[PATH_MAX], *start = target;
  ssize_t length = readlinkat (link, "", target, sizeof target - 1);
  size_t rest = strlen (walk->rest);

  if (length < 0)
    return -errno;
  target[length] = 0;
  if (++walk->links > LINKS_MAX)
    return -ELOOP;
  if (target[0] == '/') {
    const char *inside = below (walk->workspace, target);

    if (!inside)
      return -EXDEV;
    start = target + (inside - target);
    up_to (walk, 0);
  }
  if (strlen (start) + 1 + rest >= sizeof walk->rest)
    return -ENAMETOOLONG;
  memmove (walk->rest + strlen (start) + 1, walk->rest, rest + 1);
  memcpy (walk->rest, start, strlen (start));
  walk->rest[strlen (start)] = '/';
  return 0;
}

static int
is_last (const struct walk *walk)
{
  return walk->rest[strspn (walk->rest, "/")] == 0;
}

/* Cuts the next component off the rest. */
static int
cut (struct walk *walk, char name[NAME_MAX + 1])
{
  size_t skip = strspn (walk->rest, "/"), length = strcspn (walk->rest + skip, "/");

  if (length > NAME_MAX)
    return -ENAMETOOLONG;
  memcpy (name, walk->rest + skip, length);
  name[length] = 0;
  memmove (walk->rest, walk->rest + skip + length, strlen (walk->rest + skip + length) + 1);
  return 0;
}

static int
open_at (int folder, const char *name, int flags)
{
  int fd = openat (folder, name, flags | O_CLOEXEC);

  return fd < 0 ? -errno : fd;
}

/* One component. A descriptor, if it was the last one, or GO_ON. */
static int
step (struct walk *walk, int flags)
{
  char name[NAME_MAX + 1];
  struct stat st;
  int fd, error = cut (walk, name);

  if (error)
    return error;
  if (name[0] == 0 || strcmp (name, ".") == 0)
    return is_last (walk) ? open_at (here (walk), ".", flags) : GO_ON;
  if (strcmp (name, "..") == 0) {
    if (walk->depth == 0)
      return -EXDEV;
    up_to (walk, walk->depth - 1);
    return is_last (walk) ? open_at (here (walk), ".", flags) : GO_ON;
  }
  fd = openat (here (walk), name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0 || fstat (fd, &st)) {
    error = -errno;
    if (fd >= 0)
      close (fd);
    return error;
  }
  if (S_ISLNK (st.st_mode)) {
    error = follow (walk, fd);
    close (fd);
    return error ? error : GO_ON;
  }
  if (is_last (walk)) {
    close (fd);
    fd = open_at (here (walk), name, flags | O_NOFOLLOW);
    /* It was no link a moment ago. */
    return fd == -ELOOP || (fd == -ENOTDIR && S_ISDIR (st.st_mode)) ? -EAGAIN : fd;
  }
  if (!S_ISDIR (st.st_mode) || walk->depth == DEPTH_MAX) {
    close (fd);
    return S_ISDIR (st.st_mode) ? -ENAMETOOLONG : -ENOTDIR;
  }
  walk->folders[walk->depth++] = fd;
  return GO_ON;
}

static int
walk_open (const struct workspace *workspace, const char *path, int flags)
{
  static struct walk walk;
  int fd;

  walk.workspace = workspace;
  walk.depth = walk.links = 0;
  strcpy (walk.rest, path);
  do
    fd = step (&walk, flags);
  while (fd == GO_ON);
  up_to (&walk, 0);
  return fd;
}

/* Whether the kernel has given an answer that cannot be bettered. */
static int
is_final (int result)
{
  /* EPERM is what the filters of some engines answer to a call that they do not know. */
  return result != -EXDEV && result != -ENOSYS && result != -EPERM && result != -EAGAIN;
}

int
path_open (const struct workspace *workspace, const char *path, int flags)
{
  struct kernel_open_how how = {
    .flags = (uint64_t) (unsigned)(flags | O_CLOEXEC),
    .resolve = KERNEL_RESOLVE_BENEATH | KERNEL_RESOLVE_NO_MAGICLINKS,
  };
  int result = -EAGAIN;

  /* EAGAIN: somebody renames what is on the way. */
  for (int i = 0; i < RACES_MAX && result == -EAGAIN; i++) {
    result = (int) syscall (SYS_openat2, workspace->fd, path, &how, sizeof how);
    result = result < 0 ? -errno : result;
    if (!is_final (result))
      result = walk_open (workspace, path, flags);
  }
  return result;
}

/* Makes what is missing of a folder's path, each step from the workspace again, so that links are followed as
 * everywhere. */
static int
make_folders (const struct workspace *workspace, char *path)
{
  int folder = path_open (workspace, ".", O_PATH | O_DIRECTORY);

  for (char *name = path; folder >= 0 && *name;) {
    size_t length = strcspn (name, "/");
    char after = name[length];
    int next;

    name[length] = 0;
    next = path_open (workspace, path, O_PATH | O_DIRECTORY);
    if (next == -ENOENT) {
      if (mkdirat (folder, name, 0755) && errno != EEXIST)
        next = -errno;
      else
        next = path_open (workspace, path, O_PATH | O_DIRECTORY);
    }
    close (folder);
    folder = next;
    name[length] = after;
    name += length + (after != 0);
  }
  return folder;
}

int
path_parent (const struct workspace *workspace, const char *path, int make, const char **name)
{
  const char *slash = strrchr (path, '/');
  char folder[PATH_MAX] = ".";
  int fd;

  if (strcmp (path, ".") == 0)
    return -EISDIR;
  if (slash) {
    memcpy (folder, path, (size_t) (slash - path));
    folder[slash - path] = 0;
  }
  fd = path_open (workspace, folder, O_PATH | O_DIRECTORY);
  if (fd == -ENOENT && make)
    fd = make_folders (workspace, folder);
  if (fd >= 0)
    *name = slash ? slash + 1 : path;
  return fd;
}
