/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes on their way in or out: a queue that is one run of memory. */
#include "kernel.h"
#include "queue.h"
#include <string.h>
#include <sys/mman.h>

static uint8_t *
map (size_t size)
{
  void *bytes = mmap (NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  if (bytes == MAP_FAILED)
    return NULL;
  madvise (bytes, size, MADV_DONTFORK);
  return bytes;
}

int
queue_init (struct queue *queue, size_t capacity, size_t limit)
{
  uint8_t *bytes = map (capacity);

  if (!bytes)
    return -1;
  *queue = (struct queue) { .bytes = bytes, .capacity = capacity, .limit = limit };
  return 0;
}

void
queue_free (struct queue *queue)
{
  if (queue->bytes)
    munmap (queue->bytes, queue->capacity);
  *queue = (struct queue) { 0 };
}

static int
grow (struct queue *queue, size_t size)
{
  size_t capacity = queue->capacity;
  uint8_t *bytes;

  while (capacity < size)
    capacity *= 2;
  if (capacity > queue->limit)
    return -1;
  bytes = map (capacity);
  if (!bytes)
    return -1;
  memcpy (bytes, queue->bytes + queue->head, queue->size);
  munmap (queue->bytes, queue->capacity);
  queue->bytes = bytes;
  queue->head = 0;
  queue->capacity = capacity;
  return 0;
}

uint8_t *
queue_room (struct queue *queue, size_t size)
{
  if (size > queue->limit - queue->size
      || (size > queue->capacity - queue->size && grow (queue, queue->size + size))) {
    queue->overrun = 1;
    return NULL;
  }
  if (size > queue->capacity - queue->head - queue->size) {
    memmove (queue->bytes, queue->bytes + queue->head, queue->size);
    queue->head = 0;
  }
  return queue->bytes + queue->head + queue->size;
}

void
queue_add (struct queue *queue, size_t size)
{
  queue->size += size;
}

void
queue_drop (struct queue *queue, size_t size)
{
  queue->size -= size;
  queue->head = queue->size ? queue->head + size : 0;
}
