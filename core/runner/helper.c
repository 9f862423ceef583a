/* SPDX-License-Identifier: Apache-2.0 */
/* The process that does the file operations: its loop, and how an operation begins and ends. */
#include "helper.h"
#include "protect.h"
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HELPER_SOCKET = 3, HELPER_WORKSPACE, HELPER_PROC, N_HELPER };

static void
task_free (struct file_task *task)
{
  if (task->type == FRAME_FILE_WRITE)
    write_abort (task);
  if (task->fd >= 0)
    close (task->fd);
  if (task->folder >= 0)
    close (task->folder);
  while (task->depth)
    close (task->folders[--task->depth]);
  task->type = 0;
}

void
task_done (struct helper *helper, struct file_task *task)
{
  frame_add (&helper->link.output, FRAME_FILE_DONE, 0, task->id, NULL, 0);
  task->temp[0] = 0;
  task_free (task);
}

void
task_refused (struct helper *helper, struct file_task *task, const char *why)
{
  frame_add_error (&helper->link.output, task->id, RUNNER_E_FILE, why);
  task_free (task);
}

void
task_failed (struct helper *helper, struct file_task *task, int error)
{
  enum runner_error code = error == ENOENT                                         ? RUNNER_E_NOT_FOUND
                           : error == EXDEV                                        ? RUNNER_E_ESCAPE
                           : error == EINVAL                                       ? RUNNER_E_SPEC
                           : error == ENOMEM || error == EMFILE || error == ENFILE ? RUNNER_E_RESOURCE
                                                                                   : RUNNER_E_FILE;
  const char *why = error == EXDEV ? "the path leaves the workspace"
                    : error == EINVAL ? "this is no path" : strerror (error);

  frame_add_error (&helper->link.output, task->id, code, why);
  task_free (task);
}

void
task_entry (struct helper *helper, const struct file_task *task, const void *stat, const char *name)
{
  const struct stat *st = stat;
  uint8_t payload[24 + PATH_MAX] = { 0 };
  size_t length = strlen (name);

  put_u32 (payload, st->st_mode);
  put_u64 (payload + 8, (uint64_t) st->st_size);
  put_u64 (payload + 16, (uint64_t) ((int64_t) st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec));
  memcpy (payload + 24, name, length);
  frame_add (&helper->link.output, FRAME_FILE_ENTRY, 0, task->id, payload, 24 + length);
}

/* Nobody in the workspace can guess it, so nobody can put something there first. */
void
random_name (char name[TEMP_NAME])
{
  static const char digits[] = "0123456789abcdef";
  unsigned char bytes[12];

  while (getrandom (bytes, sizeof bytes, 0) != sizeof bytes)
    ;
  memcpy (name, ".aksandbox-", 11);
  for (size_t i = 0; i < sizeof bytes; i++) {
    name[11 + 2 * i] = digits[bytes[i] >> 4];
    name[12 + 2 * i] = digits[bytes[i] & 15];
  }
  name[11 + 2 * sizeof bytes] = 0;
}

static struct file_task *
task_find (struct helper *helper, uint64_t id)
{
  for (size_t i = 0; i < FILE_OPS_MAX; i++)
    if (helper->tasks[i].type && helper->tasks[i].id == id)
      return &helper->tasks[i];
  return NULL;
}

static void
begin (struct helper *helper, const struct frame_header *header, const uint8_t *payload)
{
  size_t skip = header->type == FRAME_FILE_WRITE ? 8 : header->type == FRAME_FILE_READ ? 16
                : header->type == FRAME_FILE_STAT ? 0 : 4;
  struct file_task *task = helper->tasks;
  char path[PATH_MAX];
  int error;

  /* The runner lets no more than FILE_OPS_MAX be under way. */
  while (task->type)
    task++;
  task->id = header->id;
  task->type = header->type;
  task->fd = task->folder = -1;
  task->temp[0] = 0;
  task->consumed = 0;
  task->depth = 0;
  error = path_normal (&helper->workspace, payload + skip, header->size - skip, path);
  if (error)
    task_failed (helper, task, -error);
  else if (header->type == FRAME_FILE_WRITE)
    write_begin (helper, task, get_u32 (payload), path);
  else if (header->type == FRAME_FILE_READ)
    read_begin (helper, task, get_u64 (payload), get_u64 (payload + 8), path);
  else if (header->type == FRAME_FILE_LIST)
    list_begin (helper, task, path);
  else if (header->type == FRAME_FILE_STAT)
    stat_begin (helper, task, path);
  else
    remove_begin (helper, task, (int) get_u32 (payload), path);
}

static void
take_frame (struct helper *helper, const struct frame_header *header, const uint8_t *payload)
{
  struct file_task *task = task_find (helper, header->id);

  if (header->type >= FRAME_FILE_WRITE)
    begin (helper, header, payload);
  else if (!task)
    return;
  else if (header->type == FRAME_DATA)
    write_data (helper, task, payload, header->size);
  else if (header->type == FRAME_EOF)
    write_end (helper, task);
  else if (header->type == FRAME_CREDIT)
    task->credit += get_u32 (payload);
  else if (header->type == FRAME_KILL)
    task_refused (helper, task, "cancelled");
}

static void
take_frames (struct helper *helper)
{
  struct queue *input = &helper->link.input;

  while (helper->link.output.size < OUTPUT_FRAMES) {
    struct frame_header header;

    if (frame_first (input->bytes + input->head, input->size, &header) <= 0)
      return;
    take_frame (helper, &header, input->bytes + input->head + FRAME_HEADER);
    queue_drop (input, FRAME_HEADER + header.size);
  }
}

static int
can_step (const struct file_task *task)
{
  return task->type == FRAME_FILE_LIST || task->type == FRAME_FILE_REMOVE
         || (task->type == FRAME_FILE_READ && (task->credit || task->at == task->end));
}

/* A batch of each; whether there is more to do. */
static int
step_all (struct helper *helper)
{
  int more = 0;

  for (size_t i = 0; i < FILE_OPS_MAX; i++) {
    struct file_task *task = &helper->tasks[i];

    if (!can_step (task))
      continue;
    more = 1;
    if (helper->link.output.size >= OUTPUT_PAUSE)
      continue;
    if (task->type == FRAME_FILE_READ)
      read_step (helper, task);
    else if (task->type == FRAME_FILE_LIST)
      list_step (helper, task);
    else
      remove_step (helper, task);
  }
  return more;
}

static void
limit_file_size (const struct setup *setup)
{
  for (size_t i = 0; i < setup->n_limits; i++)
    if (setup->limits[i].resource == RLIMIT_FSIZE)
      protect_limit (RLIMIT_FSIZE, setup->limits[i].soft, setup->limits[i].hard);
}

static void
loop (struct helper *helper)
{
  for (;;) {
    int more = step_all (helper);
    size_t pending;
    struct pollfd socket = { .fd = HELPER_SOCKET, .events = POLLIN };

    if (link_write (&helper->link))
      return;
    pending = helper->link.output.size;
    if (pending)
      socket.events |= POLLOUT;
    if (poll (&socket, 1, more && pending < OUTPUT_PAUSE ? 0 : -1) < 0)
      continue;
    if (socket.revents & (POLLIN | POLLHUP | POLLERR) && link_read (&helper->link) < 0)
      return;
    take_frames (helper);
  }
}

void
helper_run (const struct runner *runner, int socket)
{
  static struct helper helper;
  static char real[PATH_MAX];
  int fds[N_HELPER] = { -1, -1, -1, socket, runner->workspace, runner->proc };

  if (protect_place (fds, N_HELPER, 0) || !getcwd (real, sizeof real))
    _exit (1);
  limit_file_size (&runner->setup);
  helper.workspace = (struct workspace) { HELPER_WORKSPACE, runner->setup.workspace, real };
  helper.proc = runner->proc < 0 ? -1 : HELPER_PROC;
  helper.link.in = helper.link.out = HELPER_SOCKET;
  if (queue_init (&helper.link.input, LINK_INPUT, LINK_INPUT)
      || queue_init (&helper.link.output, OUTPUT_LIMIT, OUTPUT_LIMIT))
    _exit (1);
  loop (&helper);
  for (size_t i = 0; i < FILE_OPS_MAX; i++)
    if (helper.tasks[i].type)
      task_free (&helper.tasks[i]);
  _exit (0);
}
