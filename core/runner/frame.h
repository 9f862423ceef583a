/* SPDX-License-Identifier: Apache-2.0 */
/* Frames: cutting them out of bytes, checking their headers, putting them together. No system calls. */
#ifndef AKSANDBOX_CORE_RUNNER_FRAME_H
#define AKSANDBOX_CORE_RUNNER_FRAME_H
#include <stddef.h>
#include <stdint.h>
#include "protocol.h"
#include "queue.h"

#define FRAME_HEADER 16u

enum frame_sender { FROM_HOST, FROM_FILES };    /* FROM_FILES: the process that does the file operations */

/* 1: a whole frame is at the start of `bytes`, its header in *ret. 0: not yet. -1: its size is beyond the
   limit. */
int frame_first (const uint8_t *bytes, size_t size, struct frame_header *ret);
/* NULL, or what is wrong with a header from there. */
const char *frame_check (const struct frame_header *header, enum frame_sender sender);

void frame_put_header (uint8_t *to, uint32_t type, uint32_t stream, uint64_t id, size_t size);
/* -1: no room. */
int frame_add (struct queue *queue, uint32_t type, uint32_t stream, uint64_t id, const void *payload,
               size_t size);
int frame_add_u32 (struct queue *queue, uint32_t type, uint32_t stream, uint64_t id, uint32_t value);
int frame_add_error (struct queue *queue, uint64_t id, enum runner_error code, const char *text);

uint32_t get_u32 (const uint8_t *from);
uint64_t get_u64 (const uint8_t *from);
void put_u32 (uint8_t *to, uint32_t value);
void put_u64 (uint8_t *to, uint64_t value);

#endif
