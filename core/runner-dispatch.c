/* SPDX-License-Identifier: Apache-2.0 */
/* The runner's client: every frame of the runner, checked in all its fields, to the operation it is for. */
#include "config.h"
#include <string.h>
#include "runner-private.h"

#define IDLE_FRAMES_MAX 20000u          /* a second: frames that bring nothing */
#define CREDIT_WORTH 4096u              /* less brings nothing */
#define ENTRY_HEAD 24u
#define SIGNAL_MAX 64u
#define CODE_MAX 255u

_Static_assert (EXIT_EXITED == AK_EXITED && EXIT_SIGNALLED == AK_SIGNALLED && EXIT_TIMED_OUT == AK_TIMED_OUT
                && EXIT_OUT_OF_MEMORY == AK_OUT_OF_MEMORY && EXIT_CANCELLED == AK_CANCELLED,
                "outcomes are handed on as they come");

enum { ID_NONE, ID_EITHER, ID_OPERATION };

static const struct frame_rule {
  uint32_t min, max;            /* of the payload */
  uint8_t id, has_stream;
} rules[] = {
  [FRAME_HELLO] = { 16, 16, ID_NONE, 0 },
  [FRAME_PING] = { 8, 8, ID_NONE, 0 },
  [FRAME_PONG] = { 8, 8, ID_NONE, 0 },
  [FRAME_ERROR] = { 4, FRAME_PAYLOAD_MAX, ID_EITHER, 0 },
  [FRAME_DATA] = { 1, FRAME_PAYLOAD_MAX, ID_OPERATION, 1 },
  [FRAME_EOF] = { 0, 0, ID_OPERATION, 1 },
  [FRAME_CREDIT] = { 4, 4, ID_OPERATION, 1 },
  [FRAME_STARTED] = { 4, 4, ID_OPERATION, 0 },
  [FRAME_EXIT] = { EXIT_PAYLOAD, EXIT_PAYLOAD, ID_OPERATION, 0 },
  [FRAME_FILE_ENTRY] = { ENTRY_HEAD, ENTRY_HEAD + RUNNER_PATH_MAX, ID_OPERATION, 0 },
  [FRAME_FILE_DONE] = { 0, 0, ID_OPERATION, 0 },
};

/* What has no line above is all zero: of type 0, of a later version, or the host's alone to send. */
static int
is_known (uint16_t type)
{
  return type < sizeof rules / sizeof *rules && (rules[type].max || rules[type].id == ID_OPERATION);
}

int
ak_runner_header_ok_locked (struct runner *r, const struct frame_header *h)
{
  if (!is_known (h->type))
    ak_runner_lose_locked (r, "it broke the protocol: frame of unknown type %u", h->type);
  else if (!r->greeted && h->type != FRAME_HELLO && h->type != FRAME_ERROR)
    ak_runner_lose_locked (r, "it broke the protocol: its first frame is of type %u", h->type);
  else if (h->size < rules[h->type].min || h->size > rules[h->type].max)
    ak_runner_lose_locked (r, "it broke the protocol: frame of type %u with %u bytes", h->type, h->size);
  else if (h->stream && (!rules[h->type].has_stream || h->stream > STREAM_FILE))
    ak_runner_lose_locked (r, "it broke the protocol: frame of type %u on stream %u", h->type, h->stream);
  else if (rules[h->type].id != ID_EITHER && (h->id != 0) != (rules[h->type].id == ID_OPERATION))
    ak_runner_lose_locked (r, "it broke the protocol: frame of type %u with id %llu", h->type,
                           (unsigned long long) h->id);
  else
    return 1;
  return 0;
}

struct op *
ak_runner_find_locked (struct runner *r, uint64_t id)
{
  struct op *op = r->ops[id % OP_BUCKETS];
  while (op && op->id != id)
    op = op->next;
  return op;
}

/* A runner that has nothing to say may not keep us busy with it. */
static void
count_idle_locked (struct runner *r)
{
  uint64_t now = r->heard_ns;
  if (now - r->idle_frames_ns > 1000000000u) {
    r->idle_frames_ns = now;
    r->idle_frames = 0;
  }
  if (++r->idle_frames > IDLE_FRAMES_MAX)
    ak_runner_lose_locked (r, "it floods the connection with frames that bring nothing");
}

static void
hello_locked (struct runner *r, const uint8_t *p)
{
  uint32_t version = ak_wire_u32 (p + 4);
  if (r->greeted)
    ak_runner_lose_locked (r, "it broke the protocol: a second hello");
  else if (ak_wire_u32 (p) != RUNNER_MAGIC)
    ak_runner_lose_locked (r, "what answers is not a runner");
  else if (version < 1 || version > RUNNER_VERSION)
    ak_runner_lose_locked (r, "it speaks version %u of the protocol, this program %u", version,
                           RUNNER_VERSION);
  else {
    r->flags = ak_wire_u32 (p + 8) & (HELLO_PID1 | HELLO_SECCOMP | HELLO_CLEAN_KILL);
    r->greeted = 1;
  }
}

static void
ping_locked (struct runner *r, const uint8_t *p)
{
  count_idle_locked (r);
  ak_wire_put_locked (r, FRAME_PONG, 0, 0, p, 8);
}

static void
pong_locked (struct runner *r, const uint8_t *p)
{
  count_idle_locked (r);
  if (r->pongs == r->pings || ak_wire_u64 (p) != r->pongs + 1)
    ak_runner_lose_locked (r, "it broke the protocol: an answer to a ping that was not sent");
  else
    r->pongs++;
}

/* The part of the backlog that a stream's data goes to; -1: not of this kind of operation. */
static int
part_of (const struct op *op, uint16_t stream)
{
  if (op->kind == OP_EXECUTE)
    return stream == STREAM_STDOUT ? 0 : stream == STREAM_STDERR ? 1 : -1;
  return op->kind == OP_READ && stream == STREAM_FILE ? 0 : -1;
}

static const char *
data (struct op *op, const struct frame_header *h, const uint8_t *p)
{
  int part = part_of (op, h->stream);
  if (part < 0 || !ak_op_sent_locked (op) || (op->kind == OP_READ && !op->has_entry))
    return "data that nobody asked for";
  if (op->eofs & 1u << h->stream)
    return "data after the end of its stream";
  if (h->size > op->window[part])
    return "data beyond its credit";
  op->window[part] -= h->size;
  if (ak_backlog_add_data (op, h->stream, p, h->size) != 0)
    ak_runner_lose_locked (op->runner, "out of memory for what it sent");
  return NULL;
}

static const char *
eof (struct op *op, const struct frame_header *h)
{
  if (part_of (op, h->stream) < 0 || !ak_op_sent_locked (op) || op->eofs & 1u << h->stream)
    return "an end of a stream that is not open";
  op->eofs |= 1u << h->stream;
  return NULL;
}

static const char *
credit (struct op *op, const struct frame_header *h, const uint8_t *p)
{
  uint32_t more = ak_wire_u32 (p);
  if (!op->has_input || h->stream != (op->kind == OP_WRITE ? STREAM_FILE : STREAM_STDIN))
    return "credit for a stream that is not open";
  if (more == 0 || op->send_credit + more > CREDIT_MAX)
    return "a credit out of bounds";
  op->send_credit += more;
  if (more < CREDIT_WORTH)
    count_idle_locked (op->runner);
  return NULL;
}

static const char *
started (struct op *op)
{
  if (op->kind != OP_EXECUTE || !ak_op_sent_locked (op) || op->started)
    return "a start that nobody asked for";
  op->started = 1;
  return NULL;
}

static const char *
exit_code (struct ak_outcome *o, const struct op *op, uint32_t how, uint32_t code, uint32_t flags)
{
  if (how < EXIT_EXITED || how > EXIT_CANCELLED || code > (how == EXIT_SIGNALLED ? SIGNAL_MAX : CODE_MAX)
      || (how == EXIT_SIGNALLED && code == 0) || flags & ~(EXIT_NOT_STARTED | EXIT_SURVIVORS))
    return "an exit out of bounds";
  if (flags & EXIT_NOT_STARTED && how == EXIT_EXITED && code != 126 && code != 127)
    return "an exit that contradicts itself";
  if ((how == EXIT_TIMED_OUT && !op->timeout_asked) || (how == EXIT_CANCELLED && !op->kill_sent))
    return "an end that nobody asked for";
  o->how = how;
  o->code = how == EXIT_EXITED || how == EXIT_SIGNALLED ? (int32_t) code : 0;
  o->unconfirmed = how != EXIT_EXITED && how != EXIT_SIGNALLED && flags & EXIT_SURVIVORS;
  return NULL;
}

static const char *
exited (struct op *op, const uint8_t *p)
{
  struct ak_outcome o = { .cpu_ns = ak_wire_u64 (p + 8), .peak_bytes = ak_wire_u64 (p + 16) };
  uint32_t how = ak_wire_u32 (p), flags = ak_wire_u32 (p + 32);
  if (op->kind != OP_EXECUTE || !(op->kill_sent || ak_op_sent_locked (op)))
    return "an exit of what was not started";
  if (how == EXIT_EXITED && !op->started && !(flags & EXIT_NOT_STARTED))
    return "an exit before the start";
  if (ak_wire_u32 (p + 36) != 0)
    return "an exit out of bounds";
  const char *fault = exit_code (&o, op, how, ak_wire_u32 (p + 4), flags);
  if (fault)
    return fault;
  op->outcome = o;
  op->ended = 1;
  return NULL;
}

static const char *
entry (struct op *op, const struct frame_header *h, const uint8_t *p)
{
  size_t path_size = h->size - ENTRY_HEAD;
  struct ak_file f = { .struct_size = sizeof f,
                       .mode = ak_wire_u32 (p),
                       .path = (const char *) p + ENTRY_HEAD,
                       .size = ak_wire_u64 (p + 8),
                       .mtime_ns = (int64_t) ak_wire_u64 (p + 16) };
  if ((op->kind != OP_LIST && op->kind != OP_STAT && op->kind != OP_READ) || !ak_op_sent_locked (op))
    return "an entry that nobody asked for";
  if (ak_wire_u32 (p + 4) != 0 || memchr (f.path, '\0', path_size) || (op->kind == OP_LIST && !path_size))
    return "an entry out of bounds";
  if (op->kind == OP_LIST) {
    if (ak_backlog_add_entry (op, &f, path_size) != 0)
      ak_runner_lose_locked (op->runner, "out of memory for what it sent");
    return NULL;
  }
  if (op->has_entry)
    return "a second entry";
  op->entry = f;
  op->entry.path = op->path;    /* what the runner calls it is of no use */
  op->has_entry = 1;
  return NULL;
}

static const char *
done (struct op *op)
{
  if (op->kind == OP_EXECUTE || !ak_op_sent_locked (op) || (op->kind == OP_WRITE && !op->input_ended))
    return "the end of what has not begun";
  if ((op->kind == OP_READ || op->kind == OP_STAT) && !op->has_entry)
    return "the end of a file without its entry";
  op->ended = 1;
  return NULL;
}

static const char *
failed (struct op *op, const struct frame_header *h, const uint8_t *p)
{
  uint32_t code = ak_wire_u32 (p);
  if (code <= RUNNER_E_PROTOCOL || code > RUNNER_E_SPEC)
    return "an error of unknown number";
  op->error_code = code;
  ak_wire_text (op->error_text, p + 4, h->size - 4);
  op->ended = 1;
  return NULL;
}

static void
operation_locked (struct runner *r, const struct frame_header *h, const uint8_t *p)
{
  struct op *op = ak_runner_find_locked (r, h->id);
  const char *fault = NULL;
  if (!op)
    fault = "a frame for what is not under way";
  else
    switch (h->type) {
    case FRAME_DATA: fault = data (op, h, p); break;
    case FRAME_EOF: fault = eof (op, h); count_idle_locked (r); break;
    case FRAME_CREDIT: fault = credit (op, h, p); break;
    case FRAME_STARTED: fault = started (op); break;
    case FRAME_EXIT: fault = exited (op, p); break;
    case FRAME_FILE_ENTRY: fault = entry (op, h, p); break;
    case FRAME_FILE_DONE: fault = done (op); break;
    default: fault = failed (op, h, p); break;
    }
  if (fault)
    ak_runner_lose_locked (r, "it broke the protocol: %s", fault);
  else
    ak_runner_wake_locked (r, op);
  /* What comes after its end is for nobody. */
  if (op && op->ended)
    ak_op_forget_locked (op);
}

void
ak_runner_dispatch_locked (struct runner *r, const struct frame_header *h, const uint8_t *p)
{
  char text[RUNNER_TEXT_MAX + 1];
  r->heard_ns = ak_now_ns ();
  if (h->id)
    operation_locked (r, h, p);
  else if (h->type == FRAME_HELLO)
    hello_locked (r, p);
  else if (h->type == FRAME_PING)
    ping_locked (r, p);
  else if (h->type == FRAME_PONG)
    pong_locked (r, p);
  else {
    ak_wire_text (text, p + 4, h->size - 4);
    ak_runner_lose_locked (r, "it gave up: %s", text);
  }
}
