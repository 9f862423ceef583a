/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes on their way in or out: a queue that is one run of memory. */
#ifndef AKSANDBOX_CORE_RUNNER_QUEUE_H
#define AKSANDBOX_CORE_RUNNER_QUEUE_H
#include <stddef.h>
#include <stdint.h>

struct queue {
  uint8_t *bytes;
  size_t head, size;            /* the queue is bytes[head .. head + size) */
  size_t capacity;
  size_t limit;                 /* capacity never grows beyond */
  int overrun;                  /* room was refused */
};

/* -1: no memory. Children of fork do not get the mapping, so that it costs a fork nothing. */
int queue_init (struct queue *queue, size_t capacity, size_t limit);
void queue_free (struct queue *queue);
/* Room for `size` more bytes behind the last one, or NULL: beyond the limit, or no memory. */
uint8_t *queue_room (struct queue *queue, size_t size);
void queue_add (struct queue *queue, size_t size);      /* that much of the room was filled */
void queue_drop (struct queue *queue, size_t size);     /* from the head */

#endif
