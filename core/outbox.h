/* SPDX-License-Identifier: Apache-2.0 */
/* Output that waits to be read: bytes of two streams in their order, within a limit. */
#ifndef AKSANDBOX_CORE_OUTBOX_H
#define AKSANDBOX_CORE_OUTBOX_H
#include <aksandbox.h>

#define OUTBOX_RUNS 256

/* A ring, and how its bytes belong to the streams in turn. */
struct outbox {
  char *bytes;                  /* NULL: of no size */
  size_t room, at, used;
  struct { enum ak_stream stream; size_t size; } runs[OUTBOX_RUNS];
  unsigned first_run, n_runs;
};

int ak_outbox_init (struct outbox *box, size_t room);   /* -1: no memory */
void ak_outbox_clear (struct outbox *box);
/* How much was taken: less than `size` when it is full. */
size_t ak_outbox_put (struct outbox *box, enum ak_stream stream, const char *bytes, size_t size);
/* Bytes of one stream; 0 when there are none. */
size_t ak_outbox_get (struct outbox *box, enum ak_stream *stream, char *buffer, size_t size);

#endif
