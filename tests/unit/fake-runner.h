/* SPDX-License-Identifier: Apache-2.0 */
/* A runner of the test's own making: a thread that speaks raw frames, honest ones or not. */
#ifndef AKSANDBOX_TESTS_FAKE_RUNNER_H
#define AKSANDBOX_TESTS_FAKE_RUNNER_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include "runner-private.h"

#define MS 1000000u

struct fake {
  int in, out;                  /* the runner's ends, which may be one socket */
  int client_in, client_out;    /* the host's */
  pthread_t thread;
  void (*script) (struct fake *fake);
  const void *data;             /* of the script */
  size_t size;
  struct runner *runner;
  struct frame_header frame;    /* the last that came */
  uint8_t payload[FRAME_PAYLOAD_MAX];
  /* What it saw: read by the test after fake_join. */
  uint8_t *spec;                /* of the last execution */
  size_t spec_size, spec_room;
  uint64_t input;               /* bytes of DATA */
  unsigned kills, eofs, pongs, credits, seen;
  uint32_t kill_reason;
};

/* Start the thread on a socketpair, or on two pipes. */
void fake_start (struct fake *fake, int on_pipes, void (*script) (struct fake *), const void *data,
                 size_t size);
/* The same, and say hello to each other. The script starts behind the hello. */
void fake_connect (struct fake *fake, int on_pipes, void (*script) (struct fake *), const void *data,
                   size_t size);
/* Close the client's side (its runner, when there is one) and wait for the thread. */
void fake_join (struct fake *fake);
void fake_clear (struct fake *fake);

/* For scripts. Frames that come are noted in *fake; 0: the host is gone. */
int fake_next (struct fake *fake);
int fake_until (struct fake *fake, uint16_t type);
void fake_drain (struct fake *fake);    /* until the host is gone */
void fake_raw (struct fake *fake, const void *bytes, size_t size);
void fake_say (struct fake *fake, uint16_t type, uint16_t stream, uint64_t id, const void *payload,
               size_t size);
void fake_say_u32 (struct fake *fake, uint16_t type, uint16_t stream, uint64_t id, uint32_t v);
void fake_say_text (struct fake *fake, uint16_t stream, uint64_t id, const char *text);
void fake_say_hello (struct fake *fake, uint32_t magic, uint32_t version, uint32_t flags);
void fake_say_exit (struct fake *fake, uint64_t id, uint32_t how, uint32_t code, uint32_t flags);
void fake_say_error (struct fake *fake, uint64_t id, uint32_t code, const char *text);
void fake_say_entry (struct fake *fake, uint64_t id, uint32_t mode, uint64_t size, int64_t mtime_ns,
                     const char *path);
void fake_hang_up (struct fake *fake);

/* The host's side: what an operation printed, with "1:" or "2:" before each change of stream. */
struct printed {
  char *text;
  size_t size;
  uint64_t total[4];
  uint32_t last;
  int refuse;                   /* the sink says stop */
  unsigned calls;
};
struct runner_io fake_io (struct printed *printed);
void fake_printed_clear (struct printed *printed);
uint64_t fake_ms_since (uint64_t start_ns);
unsigned fake_open_descriptors (void);

/* The nth field of this tag in the description; NULL: there is none. */
const uint8_t *fake_field (const struct fake *fake, uint32_t tag, unsigned nth, size_t *size);

/* Run `sh -c true` or whatever the script makes of it; the deadline is so many milliseconds away, 0: there
 * is none. */
enum ak_status fake_execute (struct fake *fake, unsigned deadline_ms, struct ak_cancel *cancel,
                             struct printed *printed, struct ak_outcome *outcome, struct ak_error **error);
/* Counts its calls in *data, an int, and says that it worked; or that it did not. */
int fake_hard_kill (void *data);
int fake_hard_kill_fails (void *data);

#endif
