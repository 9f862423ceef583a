/* SPDX-License-Identifier: Apache-2.0 */
/* One stream of frames: two descriptors that never block, and what is on its way. */
#ifndef AKSANDBOX_CORE_RUNNER_LINK_H
#define AKSANDBOX_CORE_RUNNER_LINK_H
#include "queue.h"

#define LINK_INPUT (256u * 1024u)

struct link { int in, out; struct queue input, output; };

/* 1: bytes came. 0: none now, or no room for them. -1: the stream is over. */
int link_read (struct link *link);
/* Writes what can be written now. -1: the other side is gone. */
int link_write (struct link *link);

#endif
