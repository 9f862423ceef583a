/* SPDX-License-Identifier: Apache-2.0 */
/* What an operation gave: output with head and tail kept, outcome, notice. */
#ifndef AKSANDBOX_CORE_RESULT_H
#define AKSANDBOX_CORE_RESULT_H
#include <stdint.h>
#include <aksandbox.h>
#include <aksandbox/provider.h>

#define OUTPUT_LIMIT_DEFAULT (1024u * 1024u)

/* Keeps the first and the last half of its limit, whatever comes. */
struct collector {
  size_t limit;
  uint64_t total;
  char *head;                   /* limit / 2 at most */
  size_t head_size, head_room;
  char *tail;                   /* a ring of limit - limit / 2, made when the head is full */
  size_t tail_at, tail_size, tail_room;
};

void ak_collector_init (struct collector *c, size_t limit);
int ak_collector_add (struct collector *c, const void *data, size_t size);      /* -1: no memory; nothing is lost before */
/* Head and tail with a marker line between when something was cut; NUL-terminated, the caller's. */
char *ak_collector_text (const struct collector *c, size_t *ret_size);
void ak_collector_clear (struct collector *c);

struct ak_result {
  struct collector output[2];   /* stdout, stderr */
  char *text[2];                /* built when asked for */
  size_t text_size[2];
  struct ak_outcome outcome;
  uint64_t duration_ns;
  const char *provider, *isolation;     /* live as long as the process */
  char session_id[33];
  char *notice;
  char *data;                   /* provider_data: a JSON object, or NULL */
  char *json;
  int incomplete;               /* there was no memory for a part of it */
};

struct ak_result *ak_result_new (size_t output_limit);
/* Add a sentence to the notice; the first stays first. Without memory the result is marked as incomplete. */
void ak_result_note (struct ak_result *result, const char *text);

#endif
