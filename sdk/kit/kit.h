/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The conformance kit: what every provider must do, asked of any host that can drive one.
 *
 * The kit knows no host. Whoever runs it hands over a target: functions that create, attach and run, with
 * the AK_E codes of <aksandbox/provider.h> as the host's verdict. A check ends in one report.
 * Threads: one check at a time on one target. Since 0.1.
 */
#ifndef AKSANDBOX_KIT_H
#define AKSANDBOX_KIT_H
#include <stddef.h>
#include <stdint.h>
#include <aksandbox/provider.h>

/* Bytes that a target function gave, with a NUL behind them; free() them. */
struct kit_bytes { char *data; size_t size; };
/* How a program ended, and what it printed. */
struct kit_run { uint32_t how; int32_t code; struct kit_bytes out, err; };

struct kit_target {
  void *data;                           /* the first argument of every function */
  uint32_t caps;                        /* of the instance, AK_CAP_* */
  const char *const *languages;         /* of the instance, ended by NULL */
  /* Each returns AK_OK or an AK_E code, and fills its outputs only with AK_OK. */
  int32_t (*create) (void *data, void **sandbox, char id[256]);
  int32_t (*attach) (void *data, const char *id, void **sandbox);
  int32_t (*destroy) (void *data, const char *id);
  void (*release) (void *data, void *sandbox);
  int32_t (*code) (void *data, void *sandbox, const char *language, const char *code, size_t size,
                   struct kit_run *run);
  int32_t (*command) (void *data, void *sandbox, const char *const *argv, struct kit_run *run);
  int32_t (*upload) (void *data, void *sandbox, const char *path, const char *bytes, size_t size);
  int32_t (*download) (void *data, void *sandbox, const char *path, struct kit_bytes *bytes);
  int32_t (*install) (void *data, void *sandbox, const char *const *packages, struct kit_run *run);
};

enum kit_verdict { KIT_OK, KIT_FAILED, KIT_SKIPPED };
/* `detail` says what was seen instead, or why it was skipped; "" for KIT_OK. */
typedef void kit_report (void *report_data, const char *check, enum kit_verdict verdict, const char *detail);

/* Agent Kernel's provider contract. Returns how many checks failed. */
int kit_contract (const struct kit_target *target, kit_report *report, void *report_data);

#endif
