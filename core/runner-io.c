/* SPDX-License-Identifier: Apache-2.0 */
/* The runner's client: output until its thread takes it, standard input and uploads. */
#include "config.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>
#include "runner-private.h"

_Static_assert (AK_STDOUT == STREAM_STDOUT && AK_STDERR == STREAM_STDERR && AK_CONTENT == STREAM_FILE,
                "streams are handed to the sink as they come");

#define ROOM_MIN 4096u
#define CREDIT_BACK (CREDIT_START / 4)  /* less is not worth a frame */
#define ENTRIES_MAX (16u * 1024u * 1024u)       /* bytes of entries that may wait: they come without credit */
#define INPUT_PAUSE_NS 10000000u

struct entry_record {                   /* then the path and its NUL */
  uint32_t mode, path_size;
  uint64_t size;
  int64_t mtime_ns;
};

static uint8_t *
more (struct backlog *b, int part, size_t size, size_t limit)
{
  size_t room = b->part[part].room ? b->part[part].room : ROOM_MIN;
  while (room < b->part[part].size + size)
    room *= 2;
  if (room > limit)
    room = limit;
  if (room > b->part[part].room) {
    uint8_t *bytes = realloc (b->part[part].bytes, room);
    if (!bytes)
      return NULL;
    b->part[part].bytes = bytes;
    b->part[part].room = room;
  }
  b->part[part].size += size;
  return b->part[part].bytes + b->part[part].size - size;
}

int
ak_backlog_add_data (struct op *op, uint32_t stream, const uint8_t *bytes, size_t size)
{
  struct backlog *b = op->filling;
  int part = stream == STREAM_STDERR;
  if (op->discards) {
    op->consumed[part] += size;
    return 0;
  }
  /* The window bounds it, so that the limit is never in the way. */
  uint8_t *at = more (b, part, size, CREDIT_START);
  if (!at)
    return -1;
  memcpy (at, bytes, size);
  size_t last = b->n_runs;
  if (last && b->runs[last - 1].stream == stream)
    last--;
  else if (last == RUNS_MAX)
    last -= 2; /* neighbours differ. Two streams that change at every byte lose some of their order */
  else
    b->runs[b->n_runs++] = (__typeof__ (b->runs[0])) { stream, 0 };
  b->runs[last].size += (uint32_t) size;
  return 0;
}

int
ak_backlog_add_entry (struct op *op, const struct ak_file *file, size_t path_size)
{
  struct entry_record record = { .mode = file->mode, .path_size = (uint32_t) path_size, .size = file->size,
                                 .mtime_ns = file->mtime_ns };
  if (op->filling->part[0].size + sizeof record + path_size + 1 > ENTRIES_MAX)
    op->overrun = op->discards = 1;
  if (op->discards)
    return 0;
  uint8_t *at = more (op->filling, 0, sizeof record + path_size + 1, ENTRIES_MAX);
  if (!at)
    return -1;
  memcpy (at, &record, sizeof record);
  memcpy (at + sizeof record, file->path, path_size);
  at[sizeof record + path_size] = '\0';
  return 0;
}

/* These three return not 0 when the sink wants no more. */
static int
give_entry (const struct runner_io *io, const struct ak_file *file)
{
  return io->entry && io->entry (io->data, file) != 0;
}

static int
give_entries (const struct runner_io *io, const struct backlog *b)
{
  struct entry_record record;
  int full = 0;
  for (size_t at = 0; at < b->part[0].size && !full; at += sizeof record + record.path_size + 1) {
    memcpy (&record, b->part[0].bytes + at, sizeof record);
    full = give_entry (io, &(struct ak_file) { .struct_size = sizeof (struct ak_file), .mode = record.mode,
                                               .path = (const char *) b->part[0].bytes + at + sizeof record,
                                               .size = record.size, .mtime_ns = record.mtime_ns });
  }
  return full;
}

static int
give_data (const struct runner_io *io, const struct backlog *b)
{
  size_t at[2] = { 0, 0 };
  int full = 0;
  for (size_t i = 0; i < b->n_runs && !full; i++) {
    int part = b->runs[i].stream == STREAM_STDERR;
    full = io->write
           && io->write (io->data, b->runs[i].stream, b->part[part].bytes + at[part], b->runs[i].size) != 0;
    at[part] += b->runs[i].size;
  }
  return full;
}

static void
credit_back_locked (struct op *op, int part, uint16_t stream)
{
  if (op->ended || op->eofs & 1u << stream || op->consumed[part] < CREDIT_BACK)
    return;
  ak_wire_put_u32_locked (op->runner, FRAME_CREDIT, stream, op->id, (uint32_t) op->consumed[part]);
  op->window[part] += op->consumed[part];
  op->consumed[part] = 0;
}

static void
credits_back_locked (struct op *op)
{
  if (op->kind == OP_READ)
    credit_back_locked (op, 0, STREAM_FILE);
  else if (op->kind == OP_EXECUTE) {
    credit_back_locked (op, 0, STREAM_STDOUT);
    credit_back_locked (op, 1, STREAM_STDERR);
  }
}

int
ak_op_deliver_locked (struct op *op)
{
  struct runner *r = op->runner;
  struct backlog *b = op->filling;
  int gives_entry = op->has_entry && !op->entry_given;
  if (op->discards)     /* the runner must go on to its end */
    credits_back_locked (op);
  if (!b->part[0].size && !b->part[1].size && !gives_entry)
    return 0;
  int full = op->discards;
  op->filling = op->draining;
  op->draining = b;
  op->entry_given = op->has_entry;
  ak_wire_flush_locked (r);
  ak_runner_resign_locked (op);
  pthread_mutex_unlock (&r->lock);
  if (gives_entry && !full)
    full = give_entry (op->io, &op->entry);
  if (!full)
    full = op->kind == OP_LIST ? give_entries (op->io, b) : give_data (op->io, b);
  pthread_mutex_lock (&r->lock);
  op->discards |= full;
  for (int i = 0; i < 2; i++) {
    op->consumed[i] += b->part[i].size;
    b->part[i].size = 0;
  }
  b->n_runs = 0;
  credits_back_locked (op);
  return 1;
}

int
ak_op_wants_stdin_locked (const struct op *op)
{
  return op->has_input && op->requested && !op->input_ended && !op->input_size && !op->kill_sent
         && op->send_credit && (!op->input_pause_ns || ak_now_ns () >= op->input_pause_ns);
}

static uint16_t
input_stream (const struct op *op)
{
  return op->kind == OP_WRITE ? STREAM_FILE : STREAM_STDIN;
}

static void
input_eof_locked (struct op *op)
{
  op->input_ended = 1;
  ak_wire_put_locked (op->runner, FRAME_EOF, input_stream (op), op->id, NULL, 0);
}

/* Queue what was read, as much as has room. Others may have filled the queue since that was last asked. */
void
ak_op_send_input_locked (struct op *op)
{
  size_t size = earlier (op->input_size, ak_wire_room_locked (op->runner));
  if (!size || op->kill_sent || op->ended)
    return;
  ak_wire_put_locked (op->runner, FRAME_DATA, input_stream (op), op->id, op->input + op->input_at, size);
  op->input_at += size;
  op->input_size -= size;
}

/* How much may be read; makes the buffer. 0: no memory. */
static size_t
input_room_locked (struct op *op)
{
  if (!op->input)
    op->input = malloc (FRAME_PAYLOAD_MAX);
  return op->input ? earlier (FRAME_PAYLOAD_MAX, op->send_credit) : 0;
}

static void
input_came_locked (struct op *op, size_t size)
{
  op->send_credit -= size;
  op->input_at = 0;
  op->input_size = size;
  ak_op_send_input_locked (op);
}

/* Read without waiting even when another reader of the same pipe was faster, and without O_NONBLOCK, which
 * would be the other readers' too. Where the kernel has no such reading, poll's word must do. */
static ssize_t
read_ready (int fd, void *buffer, size_t size, int is_file)
{
  struct iovec v = { .iov_base = buffer, .iov_len = size };
  ssize_t n = is_file ? -1 : preadv2 (fd, &v, 1, -1, RWF_NOWAIT);
  if (is_file || (n < 0 && (errno == EOPNOTSUPP || errno == ENOSYS || errno == EINVAL)))
    n = read (fd, buffer, size);
  return n;
}

void
ak_op_pump_stdin_locked (struct op *op)
{
  struct runner *r = op->runner;
  size_t room = input_room_locked (op);
  if (!room) {
    ak_runner_lose_locked (r, "out of memory for standard input");
    return;
  }
  ak_runner_resign_locked (op);
  pthread_mutex_unlock (&r->lock);
  ssize_t n = read_ready (op->io->stdin_fd, op->input, room, op->input_is_file);
  int again = n < 0 && (errno == EAGAIN || errno == EINTR);
  pthread_mutex_lock (&r->lock);
  op->input_pause_ns = again ? ak_now_ns () + INPUT_PAUSE_NS : 0;
  if (again || op->ended || atomic_load (&r->lost))
    return;
  if (n > 0)
    input_came_locked (op, (size_t) n);
  else
    input_eof_locked (op);
}

int
ak_op_pump_upload_locked (struct op *op)
{
  struct runner *r = op->runner;
  if (op->input_ended || op->input_size || op->kill_sent || !op->send_credit)
    return 0;
  size_t room = input_room_locked (op);
  if (!room)
    return -1;
  ak_wire_flush_locked (r);
  ak_runner_resign_locked (op);
  pthread_mutex_unlock (&r->lock);
  int64_t n = op->io->read (op->io->data, op->input, room);
  pthread_mutex_lock (&r->lock);
  if (n < 0 || (uint64_t) n > room)
    return -1;
  if (op->ended || atomic_load (&r->lost))
    return 0;
  if (n > 0)
    input_came_locked (op, (size_t) n);
  else
    input_eof_locked (op);
  return 0;
}

void
ak_op_clear_io (struct op *op)
{
  for (int i = 0; i < 2; i++)
    for (int part = 0; part < 2; part++)
      free (op->backlog[i].part[part].bytes);
  free (op->input);
}
