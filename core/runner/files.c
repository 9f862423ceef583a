/* SPDX-License-Identifier: Apache-2.0 */
/* File operations, on the runner's side: a helper does them, with the programs' rights (helper.h); what
 * goes to it and comes from it is checked here and passed on as it is. */
#include "runner.h"
#include "helper.h"
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define HELPER_OUTPUT (128u * 1024u)
#define HELPER_OUTPUT_MAX (64u * 1024u * 1024u)
#define KILLED_PATIENCE (250 * MILLISECOND)

struct file_op *
file_find (struct runner *runner, uint64_t id)
{
  for (size_t i = 0; i < runner->n_file_ops; i++)
    if (runner->file_ops[i].id == id)
      return &runner->file_ops[i];
  return NULL;
}

/* The helper is no more, and neither are its operations. */
static void
helper_gone (struct runner *runner)
{
  for (size_t i = 0; i < runner->n_file_ops; i++)
    frame_add_error (&runner->host.output, runner->file_ops[i].id, RUNNER_E_RESOURCE,
                     "the process that does file operations has died");
  runner->n_file_ops = 0;
  close (runner->files.in);
  runner->files.in = runner->files.out = -1;
  queue_free (&runner->files.input);
  queue_free (&runner->files.output);
  runner->files_pid = 0;
}

static void
helper_kill (struct runner *runner)
{
  kill (runner->files_pid, SIGKILL);
  helper_gone (runner);
}

int
files_reaped (struct runner *runner, pid_t pid)
{
  if (pid != runner->files_pid)
    return 0;
  helper_gone (runner);
  return 1;
}

static int
helper_start (struct runner *runner)
{
  int ends[2];
  pid_t pid = -1;

  if (socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends))
    return -1;
  if (queue_init (&runner->files.input, LINK_INPUT, LINK_INPUT) == 0
      && queue_init (&runner->files.output, HELPER_OUTPUT, HELPER_OUTPUT_MAX) == 0)
    pid = fork ();
  if (pid == 0)
    helper_run (runner, ends[1]);
  close (ends[1]);
  if (pid < 0) {
    close (ends[0]);
    queue_free (&runner->files.input);
    queue_free (&runner->files.output);
    return -1;
  }
  runner->files.in = runner->files.out = ends[0];
  runner->files_pid = pid;
  return 0;
}

static void
pass_on (struct runner *runner, const struct frame_header *header, const uint8_t *payload)
{
  if (frame_add (&runner->files.output, header->type, header->stream, header->id, payload, header->size))
    helper_kill (runner);
}

static int
has_unknown_flags (const struct frame_header *header, const uint8_t *payload)
{
  return (header->type == FRAME_FILE_WRITE && get_u32 (payload + 4) != 0)
         || (header->type == FRAME_FILE_LIST && get_u32 (payload) != 0)
         || (header->type == FRAME_FILE_REMOVE && get_u32 (payload) > 1);
}

const char *
file_request (struct runner *runner, const struct frame_header *header, const uint8_t *payload)
{
  if (has_unknown_flags (header, payload))
    return "flags that are not zero";
  if (runner->n_file_ops == FILE_OPS_MAX)
    frame_add_error (&runner->host.output, header->id, RUNNER_E_RESOURCE, "too many file operations at once");
  else if (!runner->files_pid && helper_start (runner))
    frame_add_error (&runner->host.output, header->id, RUNNER_E_RESOURCE, "no process for file operations");
  else {
    runner->file_ops[runner->n_file_ops++] = (struct file_op) {
      .id = header->id, .type = header->type, .allowed = header->type == FRAME_FILE_WRITE ? CREDIT_START : 0,
      .credit = header->type == FRAME_FILE_READ ? CREDIT_START : 0, .kill_at = NEVER,
    };
    /* A program may have stopped it: it has their uid. */
    kill (runner->files_pid, SIGCONT);
    pass_on (runner, header, payload);
  }
  return NULL;
}

static const char *
file_input (struct file_op *op, const struct frame_header *header)
{
  if (op->type != FRAME_FILE_WRITE || header->stream != STREAM_FILE || op->ended_input)
    return "DATA or EOF of a stream that is not open";
  if (header->size > op->allowed)
    return "DATA beyond the credit";
  op->allowed -= header->size;
  op->ended_input = header->type == FRAME_EOF;
  return NULL;
}

static const char *
file_credit (struct file_op *op, const struct frame_header *header, uint32_t more)
{
  if (op->type != FRAME_FILE_READ || header->stream != STREAM_FILE)
    return "CREDIT of a stream that is not open";
  if (more > CREDIT_MAX - op->credit)
    return "CREDIT beyond the limit";
  op->credit += more;
  return NULL;
}

const char *
file_frame (struct runner *runner, struct file_op *op, const struct frame_header *header,
            const uint8_t *payload)
{
  const char *wrong = NULL;

  if (header->type == FRAME_DATA || header->type == FRAME_EOF)
    wrong = file_input (op, header);
  else if (header->type == FRAME_CREDIT)
    wrong = file_credit (op, header, get_u32 (payload));
  else if (header->type == FRAME_KILL) {
    if (op->kill_at == NEVER)
      op->kill_at = now_ns () + KILLED_PATIENCE;
    kill (runner->files_pid, SIGCONT);
  } else
    wrong = header->type == FRAME_SIGNAL ? "a signal for a file operation" : "an id that is used already";
  if (!wrong)
    pass_on (runner, header, payload);
  return wrong;
}

/* -1: the helper does not do what it should. Programs cannot speak for it, but nothing depends on that. */
static int
from_helper (struct runner *runner, const struct frame_header *header, const uint8_t *payload)
{
  struct file_op *op = file_find (runner, header->id);

  if (frame_check (header, FROM_FILES) || !op)
    return -1;
  if (header->type == FRAME_DATA) {
    if (header->size > op->credit)
      return -1;
    op->credit -= header->size;
  } else if (header->type == FRAME_CREDIT) {
    if (op->type != FRAME_FILE_WRITE || get_u32 (payload) > CREDIT_MAX - op->allowed)
      return -1;
    op->allowed += get_u32 (payload);
  } else if (header->type == FRAME_ERROR || header->type == FRAME_FILE_DONE)
    *op = runner->file_ops[--runner->n_file_ops];
  frame_add (&runner->host.output, header->type, header->stream, header->id, payload, header->size);
  return 0;
}

void
file_frames (struct runner *runner, int readable)
{
  struct queue *input = &runner->files.input;

  if (readable && link_read (&runner->files) < 0) {
    helper_kill (runner);
    return;
  }
  while (runner->host.output.size < OUTPUT_PAUSE) {
    struct frame_header header;
    int found = frame_first (input->bytes + input->head, input->size, &header);

    if (found == 0)
      break;
    if (found < 0 || from_helper (runner, &header, input->bytes + input->head + FRAME_HEADER)) {
      helper_kill (runner);
      return;
    }
    queue_drop (input, FRAME_HEADER + header.size);
  }
}

uint64_t
file_next_time (const struct runner *runner)
{
  uint64_t next = NEVER;

  for (size_t i = 0; i < runner->n_file_ops; i++)
    if (runner->file_ops[i].kill_at < next)
      next = runner->file_ops[i].kill_at;
  return next;
}

/* Frames that wait for the helper go out here, once a turn. */
void
file_times (struct runner *runner, uint64_t now)
{
  if (!runner->files_pid)
    return;
  if (now >= file_next_time (runner) || link_write (&runner->files))
    helper_kill (runner);
}
