/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Folders and small files of ours where strangers write too: made, opened and recognised. */
#define _GNU_SOURCE
#include <aksandbox/sdk-cleanup.h>
#include <aksandbox/sdk-folder.h>
#include <aksandbox/sdk-text.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int
open_folder (int parent, const char *name)
{
  int fd = openat (parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  struct stat st;
  if (fd >= 0)
    return fd;
  int error = errno;
  /* What a link gives with O_DIRECTORY depends on the kernel; what the mode forbids is no folder of ours. */
  if (fstatat (parent, name, &st, AT_SYMLINK_NOFOLLOW) == 0) {
    if (S_ISLNK (st.st_mode))
      return -ELOOP;
    if (!S_ISDIR (st.st_mode))
      return -ENOTDIR;
    if (error == EACCES)
      return -EPERM;
  }
  return -error;
}

int
aks_folder_make (int parent, const char *name, int *ret)
{
  struct stat st;
  if (mkdirat (parent, name, 0700))
    return -errno;
  AKS_CLOSE int fd = open_folder (parent, name);
  int error = fd < 0 ? fd : 0;
  if (!error && (fchmod (fd, 0700) || fstat (fd, &st)))
    error = -errno;
  if (!error && st.st_uid != geteuid ())
    error = -EPERM;
  if (error) {
    unlinkat (parent, name, AT_REMOVEDIR);
    return error;
  }
  *ret = AKS_TAKE_FD (fd);
  return 0;
}

int
aks_folder_open (int parent, const char *name, int *ret)
{
  struct stat st;
  AKS_CLOSE int fd = open_folder (parent, name);
  if (fd < 0)
    return fd;
  if (fstat (fd, &st))
    return -errno;
  if (st.st_uid != geteuid () || (st.st_mode & 07777) != 0700)
    return -EPERM;
  *ret = AKS_TAKE_FD (fd);
  return 0;
}

int
aks_place_of (int fd, struct aks_place *ret)
{
  struct stat st;
  if (fstat (fd, &st))
    return -errno;
  *ret = (struct aks_place) { st.st_dev, st.st_ino };
  return 0;
}

int
aks_place_at (int parent, const char *name, struct aks_place *ret)
{
  struct stat st;
  if (fstatat (parent, name, &st, AT_SYMLINK_NOFOLLOW))
    return -errno;
  *ret = (struct aks_place) { st.st_dev, st.st_ino };
  return 0;
}

int
aks_place_equal (const struct aks_place *a, const struct aks_place *b)
{
  return a->dev == b->dev && a->ino == b->ino;
}

int
aks_file_read (int folder, const char *name, size_t limit, char **ret, size_t *ret_size)
{
  struct stat st;
  AKS_CLOSE int fd = openat (folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (fd < 0 || fstat (fd, &st))
    return -errno;
  if (!S_ISREG (st.st_mode))
    return -EINVAL;
  if (st.st_size < 0 || (uint64_t) st.st_size > limit)
    return -EFBIG;
  /* It may grow while it is read: one byte more than its size tells. */
  size_t room = (size_t) st.st_size + 1, have = 0;
  AKS_FREE char *bytes = malloc (room + 1);
  if (!bytes)
    return -ENOMEM;
  while (have < room) {
    ssize_t got = read (fd, bytes + have, room - have);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return -errno;
    if (got == 0)
      break;
    have += (size_t) got;
  }
  if (have == room)
    return -EFBIG;
  bytes[have] = '\0';
  *ret_size = have;
  *ret = AKS_TAKE_PTR (bytes);
  return 0;
}

static int
write_all (int fd, const char *bytes, size_t size)
{
  while (size) {
    ssize_t n = write (fd, bytes, size);
    if (n < 0 && errno != EINTR)
      return -errno;
    if (n > 0) {
      bytes += n;
      size -= (size_t) n;
    }
  }
  return 0;
}

int
aks_file_write (int folder, const char *name, const void *data, size_t size, int durable)
{
  char chance[17], temporary[32];
  int error = aks_random_hex (chance, 8);
  if (error)
    return error;
  snprintf (temporary, sizeof temporary, ".new-%s", chance);
  AKS_CLOSE int fd = openat (folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0)
    return -errno;
  error = write_all (fd, data, size);
  if (!error && durable && fsync (fd))
    error = -errno;
  if (!error && renameat (folder, temporary, folder, name))
    error = -errno;
  if (error)
    unlinkat (folder, temporary, 0);
  else if (durable && fsync (folder))
    error = -errno;
  return error;
}
