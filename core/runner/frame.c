/* SPDX-License-Identifier: Apache-2.0 */
/* Frames: cutting them out of bytes, checking their headers, putting them together. No system calls. */
#include "frame.h"
#include <string.h>

_Static_assert (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "frames are little-endian and copied as they are");

#define STREAM(n) (1u << (n))
#define PATH_BYTES 4096u
#define ERROR_BYTES 4096u

/* What each side may send. `streams` 0: the field is zero. */
static const struct rule {
  uint16_t type;
  uint8_t connection;           /* id 0, otherwise never 0 */
  uint8_t streams;
  uint32_t size_min, size_max;
} host_rules[] = {
  { FRAME_HELLO, 1, 0, 8, FRAME_PAYLOAD_MAX },
  { FRAME_PING, 1, 0, 8, 8 },
  { FRAME_PONG, 1, 0, 8, 8 },
  { FRAME_BYE, 1, 0, 0, 0 },
  { FRAME_DATA, 0, STREAM (STREAM_STDIN) | STREAM (STREAM_FILE), 0, FRAME_PAYLOAD_MAX },
  { FRAME_EOF, 0, STREAM (STREAM_STDIN) | STREAM (STREAM_FILE), 0, 0 },
  { FRAME_CREDIT, 0, STREAM (STREAM_STDOUT) | STREAM (STREAM_STDERR) | STREAM (STREAM_FILE), 4, 4 },
  { FRAME_SPEC, 0, 0, 0, FRAME_PAYLOAD_MAX },
  { FRAME_START, 0, 0, 0, 0 },
  { FRAME_SIGNAL, 0, 0, 4, 4 },
  { FRAME_KILL, 0, 0, 4, 4 },
  { FRAME_FILE_WRITE, 0, 0, 8, 8 + PATH_BYTES },
  { FRAME_FILE_READ, 0, 0, 16, 16 + PATH_BYTES },
  { FRAME_FILE_LIST, 0, 0, 4, 4 + PATH_BYTES },
  { FRAME_FILE_STAT, 0, 0, 0, PATH_BYTES },
  { FRAME_FILE_REMOVE, 0, 0, 4, 4 + PATH_BYTES },
}, file_rules[] = {
  { FRAME_ERROR, 0, 0, 4, 4 + ERROR_BYTES },
  { FRAME_DATA, 0, STREAM (STREAM_FILE), 1, FRAME_PAYLOAD_MAX },
  { FRAME_CREDIT, 0, STREAM (STREAM_FILE), 4, 4 },
  { FRAME_FILE_ENTRY, 0, 0, 24, 24 + PATH_BYTES },
  { FRAME_FILE_DONE, 0, 0, 0, 0 },
};

int
frame_first (const uint8_t *bytes, size_t size, struct frame_header *ret)
{
  struct frame_header header;

  if (size < FRAME_HEADER)
    return 0;
  memcpy (&header, bytes, FRAME_HEADER);
  if (header.size > FRAME_PAYLOAD_MAX)
    return -1;
  if (size - FRAME_HEADER < header.size)
    return 0;
  *ret = header;
  return 1;
}

const char *
frame_check (const struct frame_header *header, enum frame_sender sender)
{
  const struct rule *rules = sender == FROM_HOST ? host_rules : file_rules;
  size_t n =
    sender == FROM_HOST ? sizeof host_rules / sizeof *host_rules : sizeof file_rules / sizeof *file_rules;
  const struct rule *rule = NULL;

  for (size_t i = 0; i < n && !rule; i++)
    if (rules[i].type == header->type)
      rule = &rules[i];
  if (!rule)
    return "unknown type of frame";
  if (header->size < rule->size_min || header->size > rule->size_max)
    return "a frame of the wrong size";
  if (rule->connection != (header->id == 0))
    return "a frame with the wrong kind of id";
  if (rule->streams ? header->stream > STREAM_FILE || !(rule->streams & STREAM (header->stream))
                    : header->stream != 0)
    return "a frame on the wrong stream";
  return NULL;
}

void
frame_put_header (uint8_t *to, uint32_t type, uint32_t stream, uint64_t id, size_t size)
{
  struct frame_header header = {
    .size = (uint32_t) size, .type = (uint16_t) type, .stream = (uint16_t) stream, .id = id,
  };

  memcpy (to, &header, FRAME_HEADER);
}

int
frame_add (struct queue *queue, uint32_t type, uint32_t stream, uint64_t id, const void *payload, size_t size)
{
  uint8_t *to = queue_room (queue, FRAME_HEADER + size);

  if (!to)
    return -1;
  frame_put_header (to, type, stream, id, size);
  if (size)
    memcpy (to + FRAME_HEADER, payload, size);
  queue_add (queue, FRAME_HEADER + size);
  return 0;
}

int
frame_add_u32 (struct queue *queue, uint32_t type, uint32_t stream, uint64_t id, uint32_t value)
{
  return frame_add (queue, type, stream, id, &value, sizeof value);
}

int
frame_add_error (struct queue *queue, uint64_t id, enum runner_error code, const char *text)
{
  size_t size = strlen (text);
  uint8_t *to = queue_room (queue, FRAME_HEADER + 4 + size);

  if (!to)
    return -1;
  frame_put_header (to, FRAME_ERROR, 0, id, 4 + size);
  put_u32 (to + FRAME_HEADER, code);
  memcpy (to + FRAME_HEADER + 4, text, size);
  queue_add (queue, FRAME_HEADER + 4 + size);
  return 0;
}

uint32_t
get_u32 (const uint8_t *from)
{
  uint32_t value;

  memcpy (&value, from, sizeof value);
  return value;
}

uint64_t
get_u64 (const uint8_t *from)
{
  uint64_t value;

  memcpy (&value, from, sizeof value);
  return value;
}

void
put_u32 (uint8_t *to, uint32_t value)
{
  memcpy (to, &value, sizeof value);
}

void
put_u64 (uint8_t *to, uint64_t value)
{
  memcpy (to, &value, sizeof value);
}
