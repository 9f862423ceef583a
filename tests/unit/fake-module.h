/* SPDX-License-Identifier: Apache-2.0 */
/* A provider inside the test program that does what a test tells it, and counts. */
#ifndef TESTS_UNIT_FAKE_MODULE_H
#define TESTS_UNIT_FAKE_MODULE_H
#include <stdatomic.h>
#include "runtime.h"

struct fake {
  atomic_int opens, closes, probes, creates, attaches, destroys, kills, releases, executes;
  atomic_int most_at_once, at_once;
  atomic_int handles;                   /* given out and not released */
  int32_t open_code, create_code, attach_code, destroy_code, execute_code;      /* what they answer */
  const char *report_id;                /* what create reports; NULL: "fake-N" */
  int no_id;                            /* create reports none */
  int reports;                          /* report whatever there is to report */
  int gone_once;                        /* the next attach answers GONE */
  int create_takes_ms, execute_takes_ms;
  uint32_t how;                         /* of executions; AK_EXITED */
  int32_t exit_code;
  uint32_t probe_removes;               /* capabilities */
  const char *prints;                   /* on stdout */
  _Atomic uint64_t seen_deadline_ns;
  char seen_labels[512];
  char seen_principal[256];             /* "0 agent [] {}": user, subject, groups, credentials */
  const char *says;                     /* logged by create, and the text of its failure */
  const struct ak_config *config;
  int seen_external;
  char last_destroyed[64];
};
extern struct fake fake;                /* reset by fake_session_new */

struct fake_session {
  struct ak_session session;
  struct ak_runtime runtime;
  struct profile_config profile;
  struct module module;
  char log[4096];                       /* every record, one a line */
};

/* A session on the fake provider with these capabilities; adjust `profile` and `fake` before the first use. */
struct fake_session *fake_session_new (uint32_t caps, uint32_t threads);
/* What depends on the profile: the instance and its checks. */
enum ak_status fake_session_start (struct fake_session *fs, struct ak_error **error);
void fake_session_free (struct fake_session *fs);
/* Run `code`; the result is the caller's, also on failure. */
enum ak_status fake_run (struct fake_session *fs, const char *code, struct ak_result **result, struct ak_error **error);

#endif
