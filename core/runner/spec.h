/* SPDX-License-Identifier: Apache-2.0 */
/* What the host says of the sandbox (SETUP_*) and of one execution (EXEC_*), read field by field. */
#ifndef AKSANDBOX_CORE_RUNNER_SPEC_H
#define AKSANDBOX_CORE_RUNNER_SPEC_H
#include <stddef.h>
#include <stdint.h>
#include "protocol.h"

/* Arguments and environment of one execution, above what the kernel takes (6 MiB). */
#define SPEC_TEXT_MAX (8u * 1024u * 1024u)
#define SETUP_LIMITS_MAX 32u

/* Strings one behind the other, each with its NUL. */
struct strings { char *bytes; size_t size, capacity, count; };

struct setup {
  struct strings env;
  char *workspace;
  size_t n_limits;
  struct setup_limit { uint32_t resource; uint64_t soft, hard; } limits[SETUP_LIMITS_MAX];
};

/* Takes a HELLO's fields. NULL, or what is wrong with them. Never called twice for one *setup, which is
   zeroed. */
const char *setup_read (struct setup *setup, const uint8_t *bytes, size_t size);

struct spec {
  struct strings args, env, cwd;
  int code;                     /* descriptor of the code, or -1 */
  uint64_t timeout_ns, grace_ns;
  uint32_t wants_stdin;
  const char *problem;          /* why it cannot be started, although the frames are right */
  enum runner_error problem_code;
  /* Where reading stands: a field's head, then its bytes, may come in any number of pieces. */
  uint64_t total;
  uint32_t tag, left, seen;
  unsigned head_size, number_size;
  uint8_t head[8], number[8];
};

void spec_init (struct spec *spec);
void spec_free (struct spec *spec);
/* The next piece. NULL, or how it breaks the protocol. */
const char *spec_feed (struct spec *spec, const uint8_t *bytes, size_t size);
/* Why it cannot be started; the first reason counts. From then on nothing more of it is kept. */
void spec_problem (struct spec *spec, enum runner_error code, const char *text);
/* All pieces were there. As spec_feed; looks also for what must not be missing, see `problem`. */
const char *spec_finish (struct spec *spec);

#endif
