/* SPDX-License-Identifier: Apache-2.0 */
/* A program's three streams: its outputs to the host under credit, the host's bytes to its input. */
#include "runner.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* What one user may have in enlarged pipes is limited (pipe-user-pages-soft: 64 MiB), and whoever comes
 * later gets tiny ones. So a pipe is enlarged when it was found full, and not all of them are. */
#define PIPE_BIG (1024 * 1024)
#define PIPES_BIG_MAX 24u

static void
enlarge (struct runner *runner, int fd, int *big)
{
  if (*big || runner->big_pipes == PIPES_BIG_MAX)
    return;
  fcntl (fd, F_SETPIPE_SZ, PIPE_BIG);
  *big = 1;
  runner->big_pipes++;
}

int
output_wanted (const struct runner *runner, const struct execution *e, const struct output *o)
{
  if (o->fd < 0)
    return 0;
  if (e->state == EXEC_ENDED)
    return 1;
  return o->credit > 0 && runner->host.output.size < OUTPUT_PAUSE
         && (e->state != EXEC_DRAINING || o->left > 0);
}

void
output_close (struct runner *runner, struct output *o)
{
  if (o->fd < 0)
    return;
  close (o->fd);
  o->fd = -1;
  o->left = 0;
  runner->big_pipes -= (unsigned) o->big;
}

void
output_snapshot (struct output *o)
{
  int size = 0;

  o->left = o->fd >= 0 && ioctl (o->fd, FIONREAD, &size) == 0 && size > 0 ? (uint64_t) size : 0;
}

/* A background process writes on, and must neither block nor get SIGPIPE. */
static void
discard (struct runner *runner, struct output *o)
{
  char nowhere[16384];
  ssize_t n = read (o->fd, nowhere, sizeof nowhere);

  if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
    output_close (runner, o);
}

void
output_forward (struct runner *runner, struct execution *e, int which)
{
  struct output *o = &e->outputs[which];
  size_t size = FRAME_PAYLOAD_MAX;
  uint8_t *room;
  ssize_t n;

  if (e->state == EXEC_ENDED) {
    discard (runner, o);
    return;
  }
  room = queue_room (&runner->host.output, FRAME_SIZE_MAX);
  if (!room)
    return;
  if (size > o->credit)
    size = (size_t) o->credit;
  if (e->state == EXEC_DRAINING && size > o->left)
    size = (size_t) o->left;
  n = read (o->fd, room + FRAME_HEADER, size);
  if (n > 0) {
    frame_put_header (room, FRAME_DATA, which == 0 ? STREAM_STDOUT : STREAM_STDERR, e->id, (size_t) n);
    queue_add (&runner->host.output, FRAME_HEADER + (size_t) n);
    o->credit -= (uint64_t) n;
    if (e->state == EXEC_DRAINING)
      o->left -= (uint64_t) n;
    if (n == FRAME_PAYLOAD_MAX)
      enlarge (runner, o->fd, &o->big);
  } else if (n == 0 || (errno != EAGAIN && errno != EINTR))
    output_close (runner, o);
  else if (errno == EAGAIN)
    o->left = 0;
}

void
input_close (struct runner *runner, struct input *input)
{
  if (input->fd >= 0) {
    close (input->fd);
    input->fd = -1;
    runner->big_pipes -= (unsigned) input->big;
  }
  queue_free (&input->bytes);
}

static void
consumed (struct runner *runner, struct execution *e, size_t size)
{
  struct input *input = &e->input;

  input->consumed += size;
  if (!input->open || input->consumed < CREDIT_START / 4)
    return;
  frame_add_u32 (&runner->host.output, FRAME_CREDIT, STREAM_STDIN, e->id, (uint32_t) input->consumed);
  input->allowed += input->consumed;
  input->consumed = 0;
}

/* How much the pipe took. A program that does not read its input is none of our business: the rest goes
   nowhere. */
static size_t
offer (struct runner *runner, struct execution *e, const uint8_t *bytes, size_t size)
{
  struct input *input = &e->input;
  ssize_t n = write (input->fd, bytes, size);

  if (n < 0 && errno != EAGAIN && errno != EINTR) {
    size += input->bytes.size;
    input_close (runner, input);
    consumed (runner, e, size);
    return 0;
  }
  if (n < (ssize_t) size)
    enlarge (runner, input->fd, &input->big);
  if (n > 0)
    consumed (runner, e, (size_t) n);
  return n > 0 ? (size_t) n : 0;
}

const char *
input_data (struct runner *runner, struct execution *e, const uint8_t *bytes, size_t size)
{
  struct input *input = &e->input;
  size_t taken = 0;
  uint8_t *room;

  if (!input->open)
    return "DATA of a stream that is not open";
  if (size > input->allowed)
    return "DATA beyond the credit";
  input->allowed -= size;
  if (input->fd < 0) {
    consumed (runner, e, size);
    return NULL;
  }
  if (input->bytes.size == 0 && size) {
    taken = offer (runner, e, bytes, size);
    if (input->fd < 0)
      return NULL;
  }
  if (taken == size)
    return NULL;
  if (!input->bytes.bytes && queue_init (&input->bytes, FRAME_SIZE_MAX, CREDIT_START))
    return "no memory";
  room = queue_room (&input->bytes, size - taken);
  if (!room)
    return "no memory";
  memcpy (room, bytes + taken, size - taken);
  queue_add (&input->bytes, size - taken);
  return NULL;
}

const char *
input_eof (struct runner *runner, struct execution *e)
{
  if (!e->input.open)
    return "EOF of a stream that is not open";
  e->input.open = 0;
  if (e->input.bytes.size == 0)
    input_close (runner, &e->input);
  return NULL;
}

void
input_drain (struct runner *runner, struct execution *e)
{
  struct input *input = &e->input;
  size_t taken = offer (runner, e, input->bytes.bytes + input->bytes.head, input->bytes.size);

  if (input->fd < 0)
    return;
  queue_drop (&input->bytes, taken);
  if (input->bytes.size == 0) {
    queue_free (&input->bytes);
    if (!input->open)
      input_close (runner, input);
  }
}
