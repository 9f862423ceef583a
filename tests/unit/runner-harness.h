/* SPDX-License-Identifier: Apache-2.0 */
/* Speaks raw frames with a runner, for tests: as an ordinary child, and as PID 1 of namespaces of its own. */
#ifndef AKSANDBOX_TESTS_RUNNER_HARNESS_H
#define AKSANDBOX_TESTS_RUNNER_HARNESS_H
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <cmocka.h>
#include "runner/protocol.h"

#define SECOND 1000000000ull
#define PATIENCE_MS 40000

struct bytes { uint8_t *data; size_t size, capacity; };       /* a NUL follows */

/* What was told of one id. */
struct told {
  uint64_t id;
  int hold;                     /* give no more credit for its data */
  uint16_t ended;               /* FRAME_EXIT, FRAME_FILE_DONE, FRAME_ERROR; 0: not yet */
  uint32_t pid;                 /* of STARTED */
  struct bytes out, err, file;
  struct bytes entries;         /* FILE_ENTRY payloads, each behind its u32 size */
  size_t n_entries;
  uint32_t how, code, flags;
  uint64_t cpu_ns, peak_bytes, duration_ns;
  uint32_t error;
  char error_text[256];
  uint64_t given[4];            /* credit that we gave and have not yet seen used, by stream */
  uint64_t allowed;             /* what we may send of its stdin or file */
};

struct peer {
  int fd;                       /* our end of the stream */
  pid_t pid;                    /* of the runner, as we see it */
  int pid1;
  char workspace[64];
  char tag[32];                 /* unique and a long time for sleep: TAG in the programs' environment */
  uint32_t hello_flags, hello_pid;
  uint64_t last_id;
  int over;                     /* the stream has ended */
  uint32_t error;               /* of an ERROR with id 0 */
  char error_text[256];
  struct bytes input;
  struct told *told;
  size_t n_told, told_capacity;
};

/* How to start one; zero is a runner that answered HELLO. */
struct peer_setup {
  int pid1;
  int no_proc;                  /* with pid1: without a /proc */
  int raw;                      /* do not say HELLO */
  int host_pidfd;               /* descriptor 3; 0: none */
  const uint8_t *fields;        /* SETUP fields besides workspace, PATH and TAG */
  size_t fields_size;
};

/* NULL: pid1 was asked for, and there are no user namespaces here. */
struct peer *peer_start (const struct peer_setup *setup);
/* Closes the stream, waits for the runner's end, removes the workspace. Asserts that the runner exits. */
void peer_stop (struct peer *peer);

/* For groups: the state of a test is its peer. BOTH makes two tests of a function; those as PID 1 are left
 * out, with a remark, where there are no user namespaces. */
int peer_setup_child (void **state);
int peer_setup_pid1 (void **state);
int peer_teardown (void **state);
int peer_run_tests (const char *name, struct CMUnitTest *tests, size_t n);
#define AS_CHILD(f) { #f, f, peer_setup_child, peer_teardown, NULL }
#define AS_PID1(f) { #f " (as PID 1)", f, peer_setup_pid1, peer_teardown, NULL }
#define BOTH(f) AS_CHILD (f), AS_PID1 (f)

/* What to execute; NULL and zero are absent. */
struct exec_request {
  const char *const *argv;
  const char *sh;               /* instead of argv: a line for sh */
  const char *python;           /* instead of argv: a program, as EXEC_CODE */
  const char *const *env;
  const char *cwd;
  const void *code;
  size_t code_size;
  uint64_t timeout_ns, grace_ns;
  int wants_stdin, hold;
};

void put_field (struct bytes *to, uint32_t tag, const void *bytes, size_t size);
void bytes_add (struct bytes *to, const void *bytes, size_t size);

void peer_send (struct peer *peer, uint32_t type, uint32_t stream, uint64_t id, const void *payload,
                size_t size);
void peer_send_raw (struct peer *peer, const void *bytes, size_t size);
void peer_send_u32 (struct peer *peer, uint32_t type, uint32_t stream, uint64_t id, uint32_t value);
/* Takes up frames until `until` says so, the stream ends or the time is over: 1, -1, 0. */
int peer_pump (struct peer *peer, int (*until) (struct peer *peer, void *data), void *data, int timeout_ms);

uint64_t peer_exec (struct peer *peer, const struct exec_request *request);
uint64_t peer_file (struct peer *peer, uint32_t type, const void *head, size_t head_size, const void *path,
                    size_t size);
struct told *peer_told (struct peer *peer, uint64_t id);
/* Waits until the id has ended; asserts that it does in time. Valid until the next new id. */
struct told *peer_wait (struct peer *peer, uint64_t id);
struct told *peer_wait_ms (struct peer *peer, uint64_t id, int timeout_ms);
struct told *peer_run (struct peer *peer, const struct exec_request *request);
struct told *peer_sh (struct peer *peer, const char *line);
/* Until the stream has ended; asserts that it does. */
void peer_wait_over (struct peer *peer);
/* Sends DATA as credit allows, then EOF. Stops early when the id has ended. */
void peer_feed (struct peer *peer, uint64_t id, uint32_t stream, const void *bytes, size_t size);

/* Processes whose command line holds the text, whoever's children they are. */
unsigned processes_with (const char *text);
/* Asserts that there are so many before long. */
void wait_for_processes (const char *text, unsigned n);
/* Asserts that there are none within two seconds. */
void assert_no_process (const char *text);
void assert_bytes (struct bytes bytes, const void *expected, size_t size);
void assert_text (struct bytes bytes, const char *expected);
uint64_t clock_ns (void);
void sleep_ms (unsigned ms);

#endif
