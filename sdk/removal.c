/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Removal of a folder's contents, however deep, whatever programs of strangers made of them.
 *
 * A folder that is not empty gives its own folders to the top, under new names, and is then removed. So
 * there is no way back up that somebody could bend, no stack and no path: two folders are open at any
 * time. */
#define _GNU_SOURCE
#include <aksandbox/sdk-cleanup.h>
#include <aksandbox/sdk-folder.h>
#include <aksandbox/sdk-text.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#define RESOLVE_ONE_STEP 0x0du          /* RESOLVE_NO_XDEV, RESOLVE_NO_SYMLINKS, RESOLVE_BENEATH */
#ifndef SYS_openat2
#define SYS_openat2 437
#endif

struct work {
  int top;
  struct aks_removal *removal;
  uint64_t fresh;                       /* number of the next name in the top folder */
  unsigned asked;
  int progress, stopped;
};

struct how { uint64_t flags, mode, resolve; };  /* struct open_how */

static int
mount_of (int fd)
{
  char path[48], line[128];
  int mount = -1;
  snprintf (path, sizeof path, "/proc/self/fdinfo/%d", fd);
  FILE *f = fopen (path, "re");
  while (f && fgets (line, sizeof line, f))
    if (sscanf (line, "mnt_id: %d", &mount) == 1)
      break;
  if (f)
    fclose (f);
  return mount;
}

/* A folder that is no link and no mount point. -EXDEV: it is a mount point. */
static int
open_inside (int parent, const char *name, int flags)
{
  flags |= O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  struct how how = { .flags = (uint64_t) flags, .resolve = RESOLVE_ONE_STEP };
  long fd = syscall (SYS_openat2, parent, name, &how, sizeof how);
  if (fd >= 0)
    return (int) fd;
  /* Kernels before 5.6, and container engines older than it, which say EPERM. */
  if (errno != ENOSYS && errno != EPERM)
    return -errno;
  AKS_CLOSE int old = openat (parent, name, flags);
  if (old < 0)
    return -errno;
  struct stat here, there;
  if (fstat (parent, &here) || fstat (old, &there))
    return -errno;
  return here.st_dev == there.st_dev && mount_of (parent) == mount_of (old) ? AKS_TAKE_FD (old) : -EXDEV;
}

/* A folder whose mode keeps us out; never what a link points to. */
static int
open_up (int parent, const char *name)
{
  char path[48];
  AKS_CLOSE int fd = open_inside (parent, name, O_PATH);
  if (fd < 0)
    return fd;
  snprintf (path, sizeof path, "/proc/self/fd/%d", fd);
  return chmod (path, 0700) ? -errno : 0;
}

static void
note (struct work *w, const char *folder, const char *name, int error)
{
  struct aks_removal *r = w->removal;
  char path[600];
  if (r->error)
    return;
  snprintf (path, sizeof path, "%s%s%s", folder ? folder : "", folder ? "/" : "", name);
  aks_escape (r->left, sizeof r->left, path);
  r->error = error;
}

static int
stopped (struct work *w)
{
  struct aks_removal *r = w->removal;
  if (!w->stopped && r->stopped && w->asked++ % 64 == 0)
    w->stopped = r->stopped (r->data) != 0;
  return w->stopped;
}

/* A file, a link, an empty folder. 0, ENOTEMPTY, or why not. */
static int
remove_simple (int folder, const char *name)
{
  if (unlinkat (folder, name, 0) == 0 || errno == ENOENT)
    return 0;
  int error = errno;
  if (unlinkat (folder, name, AT_REMOVEDIR) == 0)
    return 0;
  if (errno == ENOTDIR)
    return error;
  return errno == EEXIST ? ENOTEMPTY : errno;
}

/* Give a folder a name of its own in the top folder. */
static int
hoist (struct work *w, int folder, const char *name)
{
  for (int attempt = 0, opened = 0; attempt < 1000; attempt++) {
    char fresh[32];
    snprintf (fresh, sizeof fresh, "r%llu", (unsigned long long) w->fresh++);
    if (renameat (folder, name, w->top, fresh) == 0)
      return 0;
    /* A folder that changes its parent has to be writable itself. */
    if (errno == EACCES && !opened++ && open_up (folder, name) == 0)
      continue;
    if (errno != ENOTEMPTY && errno != EEXIST && errno != ENOTDIR)
      return errno;
  }
  return EEXIST;
}

static DIR *
read_folder (int fd)
{
  AKS_CLOSE int copy = openat (fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *dir = copy < 0 ? NULL : fdopendir (copy);
  if (dir)
    (void) AKS_TAKE_FD (copy);
  return dir;
}

static int
is_dots (const char *name)
{
  return name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2]));
}

/* One pass over a folder below the top. Returns how many entries it got rid of. */
static unsigned
empty_inner (struct work *w, int folder, const char *folder_name)
{
  unsigned gone = 0;
  DIR *dir = read_folder (folder);
  if (!dir)
    note (w, NULL, folder_name, errno);
  for (struct dirent *e; dir && !stopped (w) && (e = readdir (dir));) {
    if (is_dots (e->d_name))
      continue;
    int error = remove_simple (folder, e->d_name);
    if (error == ENOTEMPTY)
      error = hoist (w, folder, e->d_name);
    if (error)
      note (w, folder_name, e->d_name, error);
    else
      gone++;
  }
  if (dir)
    closedir (dir);
  return gone;
}

/* A folder in the top folder that is not empty. */
static int
dissolve (struct work *w, const char *name)
{
  AKS_CLOSE int fd = open_inside (w->top, name, O_RDONLY | O_NONBLOCK);
  if (fd == -EACCES && open_up (w->top, name) == 0)
    fd = open_inside (w->top, name, O_RDONLY | O_NONBLOCK);
  struct stat st;
  if (fd < 0)
    return fd == -EXDEV ? EBUSY : -fd;
  if (fstat (fd, &st) == 0 && (st.st_mode & 0700) != 0700)
    fchmod (fd, 0700);                  /* if that fails, what cannot be removed says so */
  while (empty_inner (w, fd, name))
    w->progress = 1;
  if (unlinkat (w->top, name, AT_REMOVEDIR) == 0)
    return 0;
  return errno == EEXIST ? ENOTEMPTY : errno;
}

static void
empty_top (struct work *w)
{
  DIR *dir = read_folder (w->top);
  if (!dir)
    note (w, NULL, ".", errno);
  for (struct dirent *e; dir && !stopped (w) && (e = readdir (dir));) {
    if (is_dots (e->d_name) || (w->removal->keep && strcmp (e->d_name, w->removal->keep) == 0))
      continue;
    int error = remove_simple (w->top, e->d_name);
    if (error == ENOTEMPTY)
      error = dissolve (w, e->d_name);
    if (error)
      note (w, NULL, e->d_name, error);
    else
      w->progress = 1;
  }
  if (dir)
    closedir (dir);
}

int
aks_folder_empty (int folder, struct aks_removal *removal)
{
  struct work w = { .top = folder, .removal = removal };
  do {
    w.progress = 0;
    removal->error = 0;
    removal->left[0] = '\0';
    empty_top (&w);
  } while (w.progress && !w.stopped);
  if (w.stopped)
    return -ECANCELED;
  return removal->error ? -ENOTEMPTY : 0;
}
