/* SPDX-License-Identifier: Apache-2.0 */
/* Writing, reading, listing and examining files, for the helper. */
#include "helper.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINK_TRIES 8

/* Without a name where the file system can do that: then nothing is left of it, whatever happens to us. */
static int
open_temp (const struct helper *helper, struct file_task *task)
{
  if (helper->proc >= 0) {
    task->fd = openat (task->folder, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
    if (task->fd >= 0)
      return 0;
  }
  for (int i = 0; i < LINK_TRIES; i++) {
    random_name (task->temp);
    task->fd = openat (task->folder, task->temp, O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY | O_CLOEXEC, 0600);
    if (task->fd >= 0)
      return 0;
    if (errno != EEXIST)
      break;
  }
  task->temp[0] = 0;
  return -1;
}

void
write_begin (struct helper *helper, struct file_task *task, uint32_t mode, const char *path)
{
  const char *name = "";

  task->mode = mode;
  task->folder = path_parent (&helper->workspace, path, 1, &name);
  if (task->folder < 0)
    task_failed (helper, task, -task->folder);
  else if (strlen (name) > NAME_MAX)
    task_failed (helper, task, ENAMETOOLONG);
  else if (strcpy (task->name, name), open_temp (helper, task))
    task_failed (helper, task, errno);
}

void
write_data (struct helper *helper, struct file_task *task, const uint8_t *bytes, size_t size)
{
  if (task->type != FRAME_FILE_WRITE)
    return;
  task->consumed += size;
  while (size) {
    ssize_t n = write (task->fd, bytes, size);

    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0) {
      task_failed (helper, task, errno);
      return;
    }
    bytes += n;
    size -= (size_t) n;
  }
  if (task->consumed < CREDIT_START / 4)
    return;
  frame_add_u32 (&helper->link.output, FRAME_CREDIT, STREAM_FILE, task->id, (uint32_t) task->consumed);
  task->consumed = 0;
}

/* Gives the nameless file a name: at once the right one, if it is free. 1: it has that one. */
static int
link_temp (const struct helper *helper, struct file_task *task)
{
  char self[32] = "self/fd/";
  char *end = self + strlen (self);
  int fd = task->fd, error;

  for (int scale = 10000; scale; scale /= 10)
    if (fd >= scale || scale == 1)
      *end++ = (char) ('0' + fd / scale % 10);
  if (linkat (helper->proc, self, task->folder, task->name, AT_SYMLINK_FOLLOW) == 0)
    return 1;
  error = errno;
  for (int i = 0; i < LINK_TRIES && error == EEXIST; i++) {
    random_name (task->temp);
    if (linkat (helper->proc, self, task->folder, task->temp, AT_SYMLINK_FOLLOW) == 0)
      return 0;
    error = errno;
  }
  task->temp[0] = 0;
  errno = error;
  return -1;
}

void
write_end (struct helper *helper, struct file_task *task)
{
  int linked = 0;

  if (task->type != FRAME_FILE_WRITE)
    return;
  if (fchmod (task->fd, task->mode & 0777)) {
    task_failed (helper, task, errno);
    return;
  }
  if (task->temp[0] == 0)
    linked = link_temp (helper, task);
  if (linked < 0 || (linked == 0 && renameat (task->folder, task->temp, task->folder, task->name)))
    task_failed (helper, task, errno);
  else
    task_done (helper, task);
}

void
write_abort (struct file_task *task)
{
  if (task->temp[0])
    unlinkat (task->folder, task->temp, 0);
}

static const char *
kind (mode_t mode)
{
  return S_ISDIR (mode)    ? "it is a directory"
         : S_ISFIFO (mode) ? "it is a FIFO"
         : S_ISSOCK (mode) ? "it is a socket"
         : S_ISREG (mode)  ? NULL
                           : "it is a device";
}

void
read_begin (struct helper *helper, struct file_task *task, uint64_t offset, uint64_t length, const char *path)
{
  struct stat st;

  task->fd = path_open (&helper->workspace, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  if (task->fd < 0 || fstat (task->fd, &st))
    task_failed (helper, task, task->fd < 0 ? -task->fd : errno);
  else if (kind (st.st_mode))
    task_refused (helper, task, kind (st.st_mode));
  else {
    uint64_t size = (uint64_t) st.st_size;

    task->credit = CREDIT_START;
    task->at = offset < size ? offset : size;
    task->end = length && length < size - task->at ? task->at + length : size;
    task_entry (helper, task, &st, path);
  }
}

void
read_step (struct helper *helper, struct file_task *task)
{
  uint8_t *room = queue_room (&helper->link.output, FRAME_SIZE_MAX);
  uint64_t size = task->end - task->at;
  ssize_t n;

  if (size > FRAME_PAYLOAD_MAX)
    size = FRAME_PAYLOAD_MAX;
  if (size > task->credit)
    size = task->credit;
  n = size ? pread (task->fd, room + FRAME_HEADER, (size_t) size, (off_t) task->at) : 0;
  if (n < 0) {
    task_failed (helper, task, errno);
    return;
  }
  if (n > 0) {
    frame_put_header (room, FRAME_DATA, STREAM_FILE, task->id, (size_t) n);
    queue_add (&helper->link.output, FRAME_HEADER + (size_t) n);
    task->credit -= (uint64_t) n;
    task->at += (uint64_t) n;
  }
  if (n == 0 || task->at == task->end)
    task_done (helper, task);
}

void
stat_begin (struct helper *helper, struct file_task *task, const char *path)
{
  struct stat st;

  task->fd = path_open (&helper->workspace, path, O_PATH);
  if (task->fd < 0 || fstat (task->fd, &st)) {
    task_failed (helper, task, task->fd < 0 ? -task->fd : errno);
    return;
  }
  task_entry (helper, task, &st, path);
  task_done (helper, task);
}

void
list_begin (struct helper *helper, struct file_task *task, const char *path)
{
  task->fd = path_open (&helper->workspace, path, O_RDONLY | O_DIRECTORY | O_NONBLOCK);
  if (task->fd < 0)
    task_failed (helper, task, -task->fd);
}

void
list_step (struct helper *helper, struct file_task *task)
{
  _Alignas (8) char buffer[16384];
  long n = syscall (SYS_getdents64, task->fd, buffer, sizeof buffer);

  for (long at = 0; at < n;) {
    const struct dirent_raw *d = (const void *) (buffer + at);
    struct stat st;

    if (strcmp (d->name, ".") && strcmp (d->name, "..")
        && fstatat (task->fd, d->name, &st, AT_SYMLINK_NOFOLLOW) == 0)
      task_entry (helper, task, &st, d->name);
    at += d->size;
  }
  if (n == 0)
    task_done (helper, task);
  else if (n < 0)
    task_failed (helper, task, errno);
}
