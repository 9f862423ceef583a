/* SPDX-License-Identifier: Apache-2.0 */
/* The runner's client: files of the workspace. */
#include "config.h"
#include <string.h>
#include "runner-private.h"

#define MODE_DEFAULT 0644u
#define REQUEST_HEAD_MAX 16u

/* One file operation: what is sent, and why it was told to end. */
struct file_op {
  struct op op;
  uint16_t type;
  uint8_t head[REQUEST_HEAD_MAX];       /* before the path */
  size_t head_size;
  enum ak_status stopped;               /* TIMEOUT, CANCELLED, UNAVAILABLE; OK: it was not */
  const char *why;
};

static void
request_locked (struct file_op *f)
{
  struct op *op = &f->op;
  size_t path_size = strlen (op->path);
  if (op->requested || ak_wire_room_locked (op->runner) < f->head_size + path_size)
    return;
  ak_op_name_locked (op);
  uint8_t *at = ak_wire_frame_locked (op->runner, f->type, 0, op->id, f->head_size + path_size);
  if (!at)
    return;
  memcpy (at, f->head, f->head_size);
  memcpy (at + f->head_size, op->path, path_size);
  ak_op_requested_locked (op);
}

/* The first reason stays. */
static void
stop_file_locked (struct file_op *f, enum ak_status status, const char *why)
{
  struct op *op = &f->op;
  if (f->stopped != AK_STATUS_OK)
    return;
  f->stopped = status;
  f->why = why;
  op->limit_ns = ak_now_ns () + op->runner->times.file_ns;
  if (op->id)
    ak_op_kill_locked (op, status == AK_STATUS_TIMEOUT ? KILL_TIMEOUT : KILL_CANCEL);
}

static void
heed_file_stop_locked (struct file_op *f)
{
  int reason = ak_stop_reason (f->op.stop);
  if (f->op.overrun)
    stop_file_locked (f, AK_STATUS_UNAVAILABLE, "more files came at once than can wait");
  else if (f->op.discards)
    stop_file_locked (f, AK_STATUS_CANCELLED, "stopped by who receives it");
  else if (reason == AK_E_CANCELLED)
    stop_file_locked (f, AK_STATUS_CANCELLED, "cancelled");
  else if (reason == AK_E_TIMEOUT)
    stop_file_locked (f, AK_STATUS_TIMEOUT, "the deadline has passed");
}

static void
run_file_locked (struct file_op *f)
{
  struct op *op = &f->op;
  struct runner *r = op->runner;
  unsigned quiet = 0;
  for (;;) {
    if (ak_op_deliver_locked (op)) {
      quiet = 0;
      continue;
    }
    heed_file_stop_locked (f);
    if (op->ended || atomic_load (&r->lost))
      return;
    if ((f->stopped && !op->id) || ak_op_overdue_locked (op, quiet))
      return;
    request_locked (f);
    ak_op_send_input_locked (op);
    if (op->has_input && op->requested && ak_op_pump_upload_locked (op) != 0)
      stop_file_locked (f, AK_STATUS_CANCELLED, "stopped by its source");
    ak_wire_flush_locked (r);
    int sends = !op->requested || (op->has_input && !op->input_ended && (op->input_size || op->send_credit));
    quiet = ak_runner_wait_locked (op, -1, sends && !op->kill_sent,
                                   f->stopped ? op->limit_ns : op->stop->deadline_ns)
            & WAIT_QUIET;
  }
}

static enum ak_status
conclude_file (struct file_op *f, int was_sent, struct ak_error **error)
{
  struct op *op = &f->op;
  if (op->ended && !op->error_code && !op->discards)
    return AK_STATUS_OK;        /* all of it, even if it was told to end a moment too late */
  if (f->stopped != AK_STATUS_OK)
    return ak_fail (error, f->stopped, NULL, "%s: %s", op->path, f->why);
  if (op->ended)
    return ak_op_error (op, op->path, error);
  return ak_fail (error, was_sent ? AK_STATUS_PROVISION : AK_STATUS_GONE, NULL, "runner: %s",
                  op->runner->reason);
}

static enum ak_status
file_operation (struct runner *r, struct file_op *f, enum op_kind kind, const char *path, struct stop *stop,
                const struct runner_io *io, struct ak_error **error)
{
  size_t size = strlen (path);
  if (size > RUNNER_PATH_MAX)
    return ak_fail (error, AK_STATUS_CONFIG, NULL, "path: longer than %u bytes", RUNNER_PATH_MAX);
  ak_op_begin (&f->op, r, kind, io, stop);
  f->op.path = path;
  f->op.has_input = kind == OP_WRITE;
  run_file_locked (f);
  int was_sent = ak_op_sent_locked (&f->op);
  ak_op_end_unlock (&f->op);
  return conclude_file (f, was_sent, error);
}

enum ak_status
ak_runner_write_file (struct runner *runner, const char *path, unsigned mode, struct stop *stop,
                      const struct runner_io *io, struct ak_error **error)
{
  struct file_op f = { .type = FRAME_FILE_WRITE, .head_size = 8 };
  ak_wire_put_u32 (f.head, mode ? mode : MODE_DEFAULT);
  return file_operation (runner, &f, OP_WRITE, path, stop, io, error);
}

enum ak_status
ak_runner_read_file (struct runner *runner, const char *path, struct stop *stop, const struct runner_io *io,
                     struct ak_error **error)
{
  struct file_op f = { .type = FRAME_FILE_READ, .head_size = 16 };
  return file_operation (runner, &f, OP_READ, path, stop, io, error);
}

enum ak_status
ak_runner_list_files (struct runner *runner, const char *path, struct stop *stop, const struct runner_io *io,
                      struct ak_error **error)
{
  struct file_op f = { .type = FRAME_FILE_LIST, .head_size = 4 };
  return file_operation (runner, &f, OP_LIST, path, stop, io, error);
}

enum ak_status
ak_runner_stat_file (struct runner *runner, const char *path, struct stop *stop, const struct runner_io *io,
                     struct ak_error **error)
{
  struct file_op f = { .type = FRAME_FILE_STAT, .head_size = 0 };
  return file_operation (runner, &f, OP_STAT, path, stop, io, error);
}

enum ak_status
ak_runner_remove_file (struct runner *runner, const char *path, int recursive, struct stop *stop,
                       struct ak_error **error)
{
  struct file_op f = { .type = FRAME_FILE_REMOVE, .head_size = 4 };
  struct runner_io none = { .stdin_fd = -1 };
  ak_wire_put_u32 (f.head, recursive != 0);
  return file_operation (runner, &f, OP_REMOVE, path, stop, &none, error);
}
