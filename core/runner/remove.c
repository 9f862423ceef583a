/* SPDX-License-Identifier: Apache-2.0 */
/* Removing files and trees, for the helper.
 *
 * Every step is relative to a folder that is held open, nothing is followed, no mount is entered. A tree
 * may be deeper than there are descriptors, and is not climbed by "..", which its owner can lead
 * elsewhere: what lies too deep is moved up to the top of the tree under a name that nobody guesses, and
 * its turn comes later. */
#include "helper.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int
same_device (int a, int b)
{
  struct stat first, second;

  return fstat (a, &first) == 0 && fstat (b, &second) == 0 && first.st_dev == second.st_dev;
}

/* A descriptor or a negative errno. */
static int
open_folder (int in, const char *name)
{
  struct kernel_open_how how = {
    .flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
    .resolve = KERNEL_RESOLVE_NO_XDEV | KERNEL_RESOLVE_NO_SYMLINKS | KERNEL_RESOLVE_BENEATH,
  };
  int fd = (int) syscall (SYS_openat2, in, name, &how, sizeof how);

  if (fd >= 0)
    return fd;
  if (errno == EXDEV)
    return -EBUSY;
  if (errno != ENOSYS && errno != EPERM && errno != EAGAIN)
    return -errno;
  fd = openat (in, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd >= 0 && !same_device (in, fd)) {
    close (fd);
    return -EBUSY;
  }
  return fd < 0 ? -errno : fd;
}

/* 0, or a negative errno. */
static int
descend (struct file_task *task, int in, const char *name)
{
  int fd;

  if (task->depth == REMOVE_DEPTH) {
    char temp[TEMP_NAME];

    random_name (temp);
    return renameat (in, name, task->folders[0], temp) ? -errno : 0;
  }
  fd = open_folder (in, name);
  if (fd < 0)
    return fd == -ENOENT || fd == -ENOTDIR ? 0 : fd;
  strcpy (task->names[task->depth], name);
  task->folders[task->depth++] = fd;
  return 0;
}

/* One entry: 1, it was a folder that is now the deepest one; 0, gone; or a negative errno. */
static int
remove_entry (struct file_task *task, int in, const char *name)
{
  int depth = task->depth, error;

  if (unlinkat (in, name, 0) == 0 || errno == ENOENT)
    return 0;
  if (errno != EISDIR)
    return -errno;
  if (unlinkat (in, name, AT_REMOVEDIR) == 0 || errno == ENOENT)
    return 0;
  if (errno != ENOTEMPTY && errno != EEXIST)
    return -errno;
  error = descend (task, in, name);
  return error ? error : task->depth > depth;
}

/* Removes what a folder holds, as far as a batch goes, or until there is a deeper one. 0, or a negative
   errno. */
static int
empty_folder (struct file_task *task, int folder)
{
  _Alignas (8) char buffer[8192];
  long n;

  lseek (folder, 0, SEEK_SET);
  n = syscall (SYS_getdents64, folder, buffer, sizeof buffer);
  if (n < 0)
    return -errno;
  for (long at = 0; at < n;) {
    const struct dirent_raw *d = (const void *) (buffer + at);
    int is_dot = strcmp (d->name, ".") == 0 || strcmp (d->name, "..") == 0;
    int result = is_dot ? 0 : remove_entry (task, folder, d->name);

    if (result)
      return result < 0 ? result : 0;
    at += d->size;
  }
  return 0;
}

void
remove_step (struct helper *helper, struct file_task *task)
{
  int depth = task->depth, folder = task->folders[depth - 1], result;
  int above = depth > 1 ? task->folders[depth - 2] : task->folder;

  result = empty_folder (task, folder);
  if (result < 0) {
    task_failed (helper, task, -result);
    return;
  }
  if (task->depth > depth)
    return;
  if (unlinkat (above, task->names[depth - 1], AT_REMOVEDIR) && errno != ENOENT) {
    if (errno != ENOTEMPTY && errno != EEXIST)
      task_failed (helper, task, errno);
    return;
  }
  close (folder);
  task->depth--;
  if (task->depth == 0)
    task_done (helper, task);
}

void
remove_begin (struct helper *helper, struct file_task *task, int recursive, const char *path)
{
  const char *name = "";
  int error;

  task->folder = path_parent (&helper->workspace, path, 0, &name);
  if (task->folder < 0) {
    if (task->folder == -EISDIR)
      task_refused (helper, task, "it is the workspace");
    else
      task_failed (helper, task, -task->folder);
    return;
  }
  if (strlen (name) > NAME_MAX) {
    task_failed (helper, task, ENAMETOOLONG);
    return;
  }
  if (unlinkat (task->folder, name, 0) == 0) {
    task_done (helper, task);
    return;
  }
  if (errno == EISDIR) {
    if (unlinkat (task->folder, name, AT_REMOVEDIR) == 0) {
      task_done (helper, task);
      return;
    }
    if (recursive && (errno == ENOTEMPTY || errno == EEXIST)) {
      error = descend (task, task->folder, name);
      if (error || task->depth == 0)
        task_failed (helper, task, error ? -error : ENOENT);
      return;
    }
  }
  task_failed (helper, task, errno);
}
