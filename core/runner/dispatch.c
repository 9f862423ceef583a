/* SPDX-License-Identifier: Apache-2.0 */
/* Frames of the host: whose they are, and whether they may come now. */
#include "runner.h"
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static const char *
hello (struct runner *runner, const uint8_t *payload, size_t size)
{
  uint32_t version = get_u32 (payload + 4);
  uint8_t answer[16];
  const char *wrong;

  if (get_u32 (payload) != RUNNER_MAGIC)
    return "HELLO without the magic number";
  if (version == 0)
    return "version 0";
  wrong = setup_read (&runner->setup, payload + 8, size - 8);
  if (wrong)
    return wrong;
  runner->workspace = open (runner->setup.workspace, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (runner->workspace < 0 || fchdir (runner->workspace))
    return "the workspace is no directory that can be entered";
  put_u32 (answer, RUNNER_MAGIC);
  put_u32 (answer + 4, version < RUNNER_VERSION ? version : RUNNER_VERSION);
  put_u32 (answer + 8, runner->flags);
  put_u32 (answer + 12, (uint32_t) getpid ());
  frame_add (&runner->host.output, FRAME_HELLO, 0, 0, answer, sizeof answer);
  runner->greeted = 1;
  return NULL;
}

static const char *
connection_frame (struct runner *runner, const struct frame_header *header, const uint8_t *payload)
{
  if (header->type == FRAME_HELLO)
    return "a second HELLO";
  if (header->type == FRAME_PING)
    frame_add (&runner->host.output, FRAME_PONG, 0, 0, payload, header->size);
  else if (header->type == FRAME_BYE)
    runner->ending = 1;
  return NULL;
}

static const char *
output_credit (struct execution *e, uint32_t stream, uint32_t more)
{
  struct output *o = &e->outputs[stream == STREAM_STDERR];

  if (stream == STREAM_FILE)
    return "CREDIT of a stream that is not open";
  if (more > CREDIT_MAX - o->credit)
    return "CREDIT beyond the limit";
  o->credit += more;
  return NULL;
}

static const char *
signal_program (struct execution *e, uint32_t signal)
{
  if (signal == 0 || signal > 64)
    return "no such signal";
  if (e->state == EXEC_RUNNING)
    exec_signal (e, signal);
  return NULL;
}

/* The host may not know yet, and go on describing it. */
static void
refused (struct runner *runner, uint64_t id)
{
  runner->refused[runner->refused_at++ % REFUSED_MAX] = id;
}

static const char *
kill_program (struct runner *runner, struct execution *e, uint32_t reason)
{
  if (reason != KILL_CANCEL && reason != KILL_TIMEOUT)
    return "no such reason";
  if (e->state == EXEC_DESCRIBED) {
    refused (runner, e->id);
    exec_described (runner, e);
    e->not_started = e->childless = 1;
    e->started_at = now_ns ();
    e->state = EXEC_RUNNING;
  }
  exec_kill (runner, e, reason == KILL_CANCEL ? EXIT_CANCELLED : EXIT_TIMED_OUT);
  return NULL;
}

static const char *
exec_frame (struct runner *runner, struct execution *e, const struct frame_header *header,
            const uint8_t *payload)
{
  const char *wrong;

  switch (header->type) {
  case FRAME_SPEC:
    return e->state == EXEC_DESCRIBED ? exec_describe (runner, e, payload, header->size) : "SPEC after START";
  case FRAME_START:
    if (e->state != EXEC_DESCRIBED)
      return "a second START";
    exec_described (runner, e);
    wrong = spec_finish (&e->spec);
    if (!wrong)
      exec_start (runner, e);
    return wrong;
  case FRAME_SIGNAL:
    return signal_program (e, get_u32 (payload));
  case FRAME_KILL:
    return kill_program (runner, e, get_u32 (payload));
  case FRAME_CREDIT:
    return output_credit (e, header->stream, get_u32 (payload));
  case FRAME_DATA:
    return header->stream == STREAM_STDIN ? input_data (runner, e, payload, header->size)
                                          : "DATA of a stream that is not open";
  case FRAME_EOF:
    return header->stream == STREAM_STDIN ? input_eof (runner, e) : "EOF of a stream that is not open";
  default:
    return "an id that is used already";
  }
}

/* The first frame with a new id. */
static const char *
new_frame (struct runner *runner, const struct frame_header *header, const uint8_t *payload)
{
  struct execution *e;

  runner->last_id = header->id;
  if (header->type >= FRAME_FILE_WRITE)
    return file_request (runner, header, payload);
  if (header->type != FRAME_SPEC && header->type != FRAME_START)
    return "an id that does not exist";
  e = exec_new (runner, header->id);
  if (e)
    return exec_frame (runner, e, header, payload);
  refused (runner, header->id);
  frame_add_error (&runner->host.output, header->id, RUNNER_E_RESOURCE, "too many executions at once");
  return NULL;
}

/* What crossed with the end of its id. */
static const char *
late_frame (const struct runner *runner, const struct frame_header *header)
{
  if (header->type < FRAME_SPEC || header->type == FRAME_SIGNAL || header->type == FRAME_KILL)
    return NULL;
  if (header->type == FRAME_SPEC || header->type == FRAME_START)
    for (unsigned i = 0; i < REFUSED_MAX; i++)
      if (runner->refused[i] == header->id)
        return NULL;
  return "an id that is used already";
}

static const char *
dispatch (struct runner *runner, const struct frame_header *header, const uint8_t *payload)
{
  const char *wrong = frame_check (header, FROM_HOST);
  struct execution *e;
  struct file_op *op;

  if (wrong)
    return wrong;
  if (!runner->greeted)
    return header->type == FRAME_HELLO ? hello (runner, payload, header->size) : "a frame before HELLO";
  if (header->id == 0)
    return connection_frame (runner, header, payload);
  if (header->id > runner->last_id)
    return new_frame (runner, header, payload);
  e = exec_find (runner, header->id);
  if (e)
    return exec_frame (runner, e, header, payload);
  op = file_find (runner, header->id);
  return op ? file_frame (runner, op, header, payload) : late_frame (runner, header);
}

void
host_frames (struct runner *runner)
{
  struct queue *input = &runner->host.input;

  while (!runner->ending && runner->host.output.size < OUTPUT_FRAMES) {
    struct frame_header header;
    int found = frame_first (input->bytes + input->head, input->size, &header);
    const char *wrong;

    if (found == 0)
      return;
    wrong = found < 0 ? "a frame that is too big"
            : dispatch (runner, &header, input->bytes + input->head + FRAME_HEADER);
    if (wrong) {
      runner_violation (runner, wrong);
      return;
    }
    queue_drop (input, FRAME_HEADER + header.size);
  }
}
