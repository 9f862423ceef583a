/* SPDX-License-Identifier: Apache-2.0 */
/* The runner's client: bytes in and out of the stream, never waiting. */
#include "config.h"
#include <endian.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include "runner-private.h"

#define READS_AFTER_BREAK 64    /* what a runner said before it closed, in buffers */

uint32_t
ak_wire_u32 (const uint8_t *p)
{
  uint32_t v;
  memcpy (&v, p, sizeof v);
  return le32toh (v);
}

uint64_t
ak_wire_u64 (const uint8_t *p)
{
  uint64_t v;
  memcpy (&v, p, sizeof v);
  return le64toh (v);
}

uint8_t *
ak_wire_put_u32 (uint8_t *p, uint32_t v)
{
  v = htole32 (v);
  memcpy (p, &v, sizeof v);
  return p + sizeof v;
}

uint8_t *
ak_wire_put_u64 (uint8_t *p, uint64_t v)
{
  v = htole64 (v);
  memcpy (p, &v, sizeof v);
  return p + sizeof v;
}

uint8_t *
ak_wire_put_field (uint8_t *p, uint32_t tag, const void *bytes, size_t size)
{
  p = ak_wire_put_u32 (p, tag);
  p = ak_wire_put_u32 (p, (uint32_t) size);
  memcpy (p, bytes, size);
  return p + size;
}

/* Length of the UTF-8 character at p if it is one that people may see: no control character, nothing that
 * turns the direction of the text around it. 0: it is not. */
static size_t
visible (const uint8_t *p, size_t size)
{
  if (p[0] < 0x80)
    return p[0] >= 0x20 && p[0] != 0x7f;
  size_t n = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
  if (p[0] < 0xc2 || p[0] > 0xf4 || size < n)
    return 0;
  uint32_t c = p[0] & (0x7fu >> n);
  for (size_t i = 1; i < n; i++) {
    if ((p[i] & 0xc0) != 0x80)
      return 0;
    c = c << 6 | (p[i] & 0x3fu);
  }
  if ((n == 3 && c < 0x800) || (n == 4 && (c < 0x10000 || c > 0x10ffff)) || (c >= 0xd800 && c <= 0xdfff))
    return 0;
  if (c < 0xa0 || c == 0x061c || (c >= 0x200e && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e)
      || (c >= 0x2066 && c <= 0x2069))
    return 0;
  return n;
}

void
ak_wire_text (char ret[RUNNER_TEXT_MAX + 1], const uint8_t *text, size_t size)
{
  size_t used = 0;
  for (size_t i = 0; i < size;) {
    size_t n = visible (text + i, size - i);
    if (used + (n ? n : 1) > RUNNER_TEXT_MAX)
      break;
    if (n)
      memcpy (ret + used, text + i, n);
    else
      ret[used] = '?';
    used += n ? n : 1;
    i += n ? n : 1;
  }
  ret[used] = '\0';
}

size_t
ak_wire_room_locked (const struct runner *r)
{
  size_t used = r->out_size + sizeof (struct frame_header);
  if (used >= RUNNER_OUT_DATA)
    return 0;
  size_t room = RUNNER_OUT_DATA - used;
  return room < FRAME_PAYLOAD_MAX ? room : FRAME_PAYLOAD_MAX;
}

uint8_t *
ak_wire_frame_locked (struct runner *r, uint16_t type, uint16_t stream, uint64_t id, size_t size)
{
  size_t n = sizeof (struct frame_header) + size;
  if (atomic_load (&r->lost))
    return NULL;
  if (r->out_size + n > RUNNER_OUT_SIZE) {
    ak_runner_lose_locked (r, "it does not read what it is sent");
    return NULL;
  }
  if (r->out_start + r->out_size + n > RUNNER_OUT_SIZE) {
    memmove (r->out, r->out + r->out_start, r->out_size);
    r->out_start = 0;
  }
  uint8_t *p = r->out + r->out_start + r->out_size;
  p = ak_wire_put_u32 (p, (uint32_t) size);
  p = ak_wire_put_u32 (p, (uint32_t) type | (uint32_t) stream << 16);
  p = ak_wire_put_u64 (p, id);
  r->out_size += n;
  r->out_total += n;
  return p;
}

void
ak_wire_put_locked (struct runner *r, uint16_t type, uint16_t stream, uint64_t id, const void *payload,
                    size_t size)
{
  uint8_t *p = ak_wire_frame_locked (r, type, stream, id, size);
  if (p && size)
    memcpy (p, payload, size);
}

void
ak_wire_put_u32_locked (struct runner *r, uint16_t type, uint16_t stream, uint64_t id, uint32_t v)
{
  uint8_t payload[4];
  ak_wire_put_u32 (payload, v);
  ak_wire_put_locked (r, type, stream, id, payload, sizeof payload);
}

/* A pipe has no MSG_NOSIGNAL: hold SIGPIPE back in this thread, and take back the one that we made. */
static ssize_t
write_pipe (int fd, const void *bytes, size_t size)
{
  sigset_t pipe_signal, old, pending;
  sigemptyset (&pipe_signal);
  sigaddset (&pipe_signal, SIGPIPE);
  sigpending (&pending);
  int was_pending = sigismember (&pending, SIGPIPE);
  pthread_sigmask (SIG_BLOCK, &pipe_signal, &old);
  ssize_t n = write (fd, bytes, size);
  int saved = errno;
  if (n < 0 && saved == EPIPE && !was_pending)
    while (sigtimedwait (&pipe_signal, NULL, &(struct timespec) { 0, 0 }) < 0 && errno == EINTR)
      ;
  pthread_sigmask (SIG_SETMASK, &old, NULL);
  errno = saved;
  return n;
}

/* Nothing can be written any more. What the runner said before it left is still worth reading: how an
 * execution ended, or why the connection does. */
static void
broken_locked (struct runner *r, int error)
{
  for (int i = 0; i < READS_AFTER_BREAK && ak_wire_read_locked (r) > 0; i++)
    ;
  errno = error;
  ak_runner_lose_locked (r, "the stream broke: %m");
}

void
ak_wire_flush_locked (struct runner *r)
{
  while (r->out_size && !atomic_load (&r->lost)) {
    const uint8_t *p = r->out + r->out_start;
    ssize_t n = r->write_is_socket ? send (r->write_fd, p, r->out_size, MSG_DONTWAIT | MSG_NOSIGNAL)
                                   : write_pipe (r->write_fd, p, r->out_size);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0 && (errno == EAGAIN || errno == ENOBUFS))
      return;
    if (n < 0) {
      broken_locked (r, errno);
      return;
    }
    r->out_start += (size_t) n;
    r->out_size -= (size_t) n;
    if (!r->out_size)
      r->out_start = 0;
  }
}

/* Hand out the complete frames of r->in and keep the rest. */
static void
parse_locked (struct runner *r)
{
  size_t at = 0;
  while (r->in_size - at >= sizeof (struct frame_header) && !atomic_load (&r->lost)) {
    const uint8_t *p = r->in + at;
    uint32_t kind = ak_wire_u32 (p + 4);
    struct frame_header h = { .size = ak_wire_u32 (p),
                              .type = (uint16_t) kind,
                              .stream = (uint16_t) (kind >> 16),
                              .id = ak_wire_u64 (p + 8) };
    if (!ak_runner_header_ok_locked (r, &h) || r->in_size - at < sizeof h + h.size)
      break;
    ak_runner_dispatch_locked (r, &h, p + sizeof h);
    at += sizeof h + h.size;
  }
  r->in_size -= at;
  memmove (r->in, r->in + at, r->in_size);
}

int
ak_wire_read_locked (struct runner *r)
{
  ssize_t n;
  if (atomic_load (&r->lost))
    return -1;
  do
    n = r->read_is_socket ? recv (r->read_fd, r->in + r->in_size, RUNNER_IN_SIZE - r->in_size, MSG_DONTWAIT)
                          : read (r->read_fd, r->in + r->in_size, RUNNER_IN_SIZE - r->in_size);
  while (n < 0 && errno == EINTR);
  if (n < 0 && errno == EAGAIN)
    return 0;
  if (n < 0)
    ak_runner_lose_locked (r, "the stream broke: %m");
  else if (n == 0)
    ak_runner_lose_locked (r, r->in_size ? "the stream ended in the middle of a frame" : "the stream ended");
  else {
    r->in_size += (size_t) n;
    parse_locked (r);
  }
  return atomic_load (&r->lost) ? -1 : 1;
}
