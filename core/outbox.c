/* SPDX-License-Identifier: Apache-2.0 */
/* Output that waits to be read: bytes of two streams in their order, within a limit. */
#include "config.h"
#include "outbox.h"
#include <stdlib.h>
#include <string.h>

int
ak_outbox_init (struct outbox *box, size_t room)
{
  memset (box, 0, sizeof *box);
  box->bytes = room ? malloc (room) : NULL;
  box->room = room;
  return room && !box->bytes ? -1 : 0;
}

void
ak_outbox_clear (struct outbox *box)
{
  free (box->bytes);
  box->bytes = NULL;
}

static size_t
least (size_t a, size_t b)
{
  return a < b ? a : b;
}

/* 0: there are too many changes between the streams already. */
static int
grow_run (struct outbox *box, enum ak_stream stream, size_t size)
{
  unsigned last = (box->first_run + box->n_runs + OUTBOX_RUNS - 1) % OUTBOX_RUNS;
  if (!box->n_runs || box->runs[last].stream != stream) {
    if (box->n_runs == OUTBOX_RUNS)
      return 0;
    last = (box->first_run + box->n_runs++) % OUTBOX_RUNS;
    box->runs[last].stream = stream;
    box->runs[last].size = 0;
  }
  box->runs[last].size += size;
  return 1;
}

size_t
ak_outbox_put (struct outbox *box, enum ak_stream stream, const char *bytes, size_t size)
{
  size_t n = least (size, box->room - box->used);
  if (!n || !grow_run (box, stream, n))
    return 0;
  size_t end = (box->at + box->used) % box->room, first = least (n, box->room - end);
  memcpy (box->bytes + end, bytes, first);
  memcpy (box->bytes, bytes + first, n - first);
  box->used += n;
  return n;
}

size_t
ak_outbox_get (struct outbox *box, enum ak_stream *stream, char *buffer, size_t size)
{
  if (!box->n_runs || !size)
    return 0;
  size_t n = least (size, box->runs[box->first_run].size), first = least (n, box->room - box->at);
  *stream = box->runs[box->first_run].stream;
  memcpy (buffer, box->bytes + box->at, first);
  memcpy (buffer + first, box->bytes, n - first);
  box->at = (box->at + n) % box->room;
  box->used -= n;
  if (!(box->runs[box->first_run].size -= n)) {
    box->first_run = (box->first_run + 1) % OUTBOX_RUNS;
    box->n_runs--;
  }
  return n;
}
