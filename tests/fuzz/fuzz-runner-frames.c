/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as what comes in at the runner: cut into frames, checked, and read as descriptions. How they
 * were cut into pieces on their way must make no difference. */
#include "runner/kernel.h"
#include <stdlib.h>
#include <string.h>
#include "runner/frame.h"
#include "runner/queue.h"
#include "runner/spec.h"
#include "replay.h"

struct outcome { unsigned frames; uint64_t sum; const char *wrong; int problem; };

static void
take_setup (struct outcome *outcome, const uint8_t *payload, size_t size)
{
  struct setup setup = { .workspace = NULL };

  if (!setup_read (&setup, payload, size)) {
    if (!setup.workspace || setup.workspace[0] != '/' || setup.n_limits > SETUP_LIMITS_MAX)
      abort ();
    outcome->sum += setup.env.size + setup.n_limits;
  }
  free (setup.workspace);
  free (setup.env.bytes);
}

/* What is used without another check later on. */
static void
check_strings (const struct strings *strings)
{
  size_t size = 0;

  for (size_t i = 0; i < strings->count; i++)
    size += strlen (strings->bytes + size) + 1;
  if (size != strings->size || size > SPEC_TEXT_MAX + strings->count)
    abort ();
}

static void
finish_spec (struct outcome *outcome, struct spec *spec)
{
  outcome->wrong = spec_finish (spec);
  outcome->problem = spec->problem != NULL;
  if (!outcome->wrong && !spec->problem) {
    if (spec->args.count == 0 || spec->cwd.count > 1 || spec->wants_stdin > 1)
      abort ();
    check_strings (&spec->args);
    check_strings (&spec->env);
    check_strings (&spec->cwd);
    outcome->sum += spec->args.count + spec->env.size * 3 + spec->timeout_ns;
  }
  spec_free (spec);
}

static const char *
take_frame (struct outcome *outcome, struct spec *spec, const struct frame_header *header,
            const uint8_t *payload)
{
  const char *wrong = frame_check (header, FROM_HOST);

  outcome->sum =
    outcome->sum * 31 + header->type + header->size + header->id + (frame_check (header, FROM_FILES) != NULL);
  if (wrong)
    return wrong;
  if (header->type == FRAME_HELLO)
    take_setup (outcome, payload + 8, header->size - 8);
  else if (header->type == FRAME_SPEC)
    return spec_feed (spec, payload, header->size);
  else if (header->type == FRAME_START) {
    finish_spec (outcome, spec);
    return outcome->wrong;
  }
  return NULL;
}

static struct outcome
run (const uint8_t *data, size_t size, size_t piece)
{
  struct outcome outcome = { 0, 0, NULL, 0 };
  struct queue queue;
  struct spec spec;

  spec_init (&spec);
  if (queue_init (&queue, FRAME_SIZE_MAX, 2 * FRAME_SIZE_MAX))
    abort ();
  for (size_t at = 0; at < size && !outcome.wrong; at += piece) {
    size_t now = size - at < piece ? size - at : piece;
    uint8_t *room = queue_room (&queue, now);
    struct frame_header header;
    int found = 0;

    if (!room)
      abort ();
    memcpy (room, data + at, now);
    queue_add (&queue, now);
    while (!outcome.wrong && (found = frame_first (queue.bytes + queue.head, queue.size, &header)) > 0) {
      if (header.size > FRAME_PAYLOAD_MAX || FRAME_HEADER + header.size > queue.size)
        abort ();
      outcome.frames++;
      outcome.wrong = take_frame (&outcome, &spec, &header, queue.bytes + queue.head + FRAME_HEADER);
      queue_drop (&queue, FRAME_HEADER + header.size);
    }
    if (found < 0)
      outcome.wrong = "too big";
  }
  spec_free (&spec);
  queue_free (&queue);
  return outcome;
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  struct outcome whole, cut;

  if (size == 0 || size > 65536)
    return 0;
  whole = run (data, size, size);
  cut = run (data, size, 1 + data[size - 1] % 97);
  if (whole.frames != cut.frames || whole.sum != cut.sum || whole.problem != cut.problem
      || (whole.wrong == NULL) != (cut.wrong == NULL))
    abort ();
  return 0;
}
