/* SPDX-License-Identifier: Apache-2.0 */
/* One stream of frames: two descriptors that never block, and what is on its way. */
#include "kernel.h"
#include "link.h"
#include "protocol.h"
#include <errno.h>
#include <unistd.h>

int
link_read (struct link *link)
{
  uint8_t *room;
  size_t size;
  ssize_t n;

  if (link->input.size > LINK_INPUT - FRAME_SIZE_MAX)
    return 0;
  room = queue_room (&link->input, FRAME_SIZE_MAX);
  if (!room)
    return 0;
  size = link->input.capacity - link->input.head - link->input.size;
  n = read (link->in, room, size);
  if (n > 0) {
    queue_add (&link->input, (size_t) n);
    return 1;
  }
  return n < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : -1;
}

int
link_write (struct link *link)
{
  while (link->output.size) {
    ssize_t n = write (link->out, link->output.bytes + link->output.head, link->output.size);

    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return errno == EAGAIN ? 0 : -1;
    queue_drop (&link->output, (size_t) n);
  }
  return 0;
}
