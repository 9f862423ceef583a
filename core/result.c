/* SPDX-License-Identifier: Apache-2.0 */
/* What an operation gave: output with head and tail kept, outcome, notice. */
#include "config.h"
#include "result.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 512u

void
ak_collector_init (struct collector *c, size_t limit)
{
  memset (c, 0, sizeof *c);
  c->limit = limit;
}

/* Grow by doubling, so that many small writes cost no more than one large one. */
static int
reserve (char **buffer, size_t *room, size_t need, size_t most)
{
  size_t want = *room ? *room : FIRST_ROOM;
  if (need <= *room)
    return 0;
  while (want < need)
    want *= 2;
  if (want > most)
    want = most;
  char *grown = realloc (*buffer, want);
  if (!grown)
    return -1;
  *buffer = grown;
  *room = want;
  return 0;
}

static int
add_tail (struct collector *c, const char *data, size_t size)
{
  size_t most = c->limit - c->limit / 2;
  if (!size || !most)
    return 0;
  if (size > most) {
    data += size - most;
    size = most;
  }
  if (c->tail_size + size <= most) {
    if (reserve (&c->tail, &c->tail_room, c->tail_size + size, most))
      return -1;
    memcpy (c->tail + c->tail_size, data, size);
    c->tail_size += size;
    return 0;
  }
  if (reserve (&c->tail, &c->tail_room, most, most))
    return -1;
  /* The ring starts at tail_at and is full from here on; fill what is left of it first. */
  size_t fill = most - c->tail_size;
  memcpy (c->tail + c->tail_size, data, fill);
  c->tail_size = most;
  data += fill;
  size -= fill;
  while (size) {
    size_t n = most - c->tail_at < size ? most - c->tail_at : size;
    memcpy (c->tail + c->tail_at, data, n);
    c->tail_at = (c->tail_at + n) % most;
    data += n;
    size -= n;
  }
  return 0;
}

int
ak_collector_add (struct collector *c, const void *data, size_t size)
{
  size_t most = c->limit / 2, take = most - c->head_size < size ? most - c->head_size : size;
  if (take) {
    if (reserve (&c->head, &c->head_room, c->head_size + take, most))
      return -1;
    memcpy (c->head + c->head_size, data, take);
  }
  if (add_tail (c, (const char *) data + take, size - take))
    return -1;
  c->head_size += take;
  c->total += size;
  return 0;
}

static uint64_t
cut (const struct collector *c)
{
  return c->total - c->head_size - c->tail_size;
}

char *
ak_collector_text (const struct collector *c, size_t *ret_size)
{
  char marker[96] = "";
  size_t m = 0;
  if (cut (c))
    m = (size_t) snprintf (marker, sizeof marker, "\n[... %" PRIu64 " bytes cut of %" PRIu64 " ...]\n", cut (c),
                           c->total);
  char *text = malloc (c->head_size + m + c->tail_size + 1), *at = text;
  if (!text)
    return NULL;
  if (c->head_size)
    at = mempcpy (at, c->head, c->head_size);
  at = mempcpy (at, marker, m);
  size_t first = c->tail_size - c->tail_at;
  if (c->tail_size) {
    at = mempcpy (at, c->tail + c->tail_at, first);
    at = mempcpy (at, c->tail, c->tail_at);
  }
  *at = 0;
  *ret_size = (size_t) (at - text);
  return text;
}

void
ak_collector_clear (struct collector *c)
{
  free (c->head);
  free (c->tail);
  ak_collector_init (c, c->limit);
}

struct ak_result *
ak_result_new (size_t output_limit)
{
  struct ak_result *r = calloc (1, sizeof *r);
  if (!r)
    return NULL;
  for (int i = 0; i < 2; i++)
    ak_collector_init (&r->output[i], output_limit ? output_limit : OUTPUT_LIMIT_DEFAULT);
  r->outcome.struct_size = sizeof r->outcome;
  return r;
}

void
ak_result_free (struct ak_result *result)
{
  if (!result)
    return;
  for (int i = 0; i < 2; i++) {
    ak_collector_clear (&result->output[i]);
    free (result->text[i]);
  }
  free (result->notice);
  free (result->data);
  free (result->json);
  free (result);
}

void
ak_result_note (struct ak_result *result, const char *text)
{
  char *joined = NULL;
  if (asprintf (&joined, "%s%s%s", result->notice ? result->notice : "", result->notice ? "; " : "", text) < 0) {
    result->incomplete = 1;
    return;
  }
  free (result->notice);
  result->notice = joined;
}

static const char *const how_names[] = {
  [AK_HOW_NONE] = "none",
  [AK_HOW_EXITED] = "exited",
  [AK_HOW_SIGNALLED] = "signalled",
  [AK_HOW_TIMED_OUT] = "timed_out",
  [AK_HOW_OUT_OF_MEMORY] = "out_of_memory",
  [AK_HOW_CANCELLED] = "cancelled",
  [AK_HOW_LOST] = "lost",
};

const char *
ak_how_name (enum ak_how how)
{
  size_t i = (size_t) how;
  return i < sizeof how_names / sizeof *how_names ? how_names[i] : "none";
}

enum ak_how
ak_result_how (const struct ak_result *result)
{
  return (enum ak_how) result->outcome.how;
}

int
ak_result_signal (const struct ak_result *result)
{
  return result->outcome.how == AK_SIGNALLED ? result->outcome.code : 0;
}

int
ak_result_exit_code (const struct ak_result *result)
{
  switch (result->outcome.how) {
  case AK_EXITED:
    return result->outcome.code;
  case AK_SIGNALLED:
    return 128 + result->outcome.code;
  case AK_TIMED_OUT:
    return 124;
  case AK_OUT_OF_MEMORY:
    return 137;
  case AK_CANCELLED:
    return 130;
  case AK_LOST:
    return 125;
  default:
    return 0;
  }
}

static int
index_of (enum ak_stream stream)
{
  return stream == AK_STREAM_STDERR;
}

const char *
ak_result_output (const struct ak_result *result, enum ak_stream stream, size_t *size)
{
  *size = result->text_size[index_of (stream)];
  return result->text[index_of (stream)] ? result->text[index_of (stream)] : "";
}

uint64_t
ak_result_total (const struct ak_result *result, enum ak_stream stream)
{
  return result->output[index_of (stream)].total;
}

int
ak_result_truncated (const struct ak_result *result)
{
  return cut (&result->output[0]) || cut (&result->output[1]);
}

uint64_t
ak_result_duration_ns (const struct ak_result *result)
{
  return result->duration_ns;
}

const char *
ak_result_notice (const struct ak_result *result)
{
  return result->notice;
}

int
ak_result_unconfirmed (const struct ak_result *result)
{
  return result->outcome.unconfirmed != 0;
}
