/* SPDX-License-Identifier: Apache-2.0 */
/* The runner's client from inside: the connection, the operations on it, and who reads for whom.
 *
 * Of the threads that wait in an operation one leads: it polls the stream, reads, and hands each frame to
 * the operation that it is for. The others follow: each polls a descriptor of its own, beside its own
 * standard input and cancel wish. Whoever leads resigns before it does anything that may take long (a sink,
 * a source, a file) and when its operation has ended; the next that waits, or comes, leads.
 *
 * One lock guards all of it. Under it nothing blocks: the stream is read and written without waiting, and
 * what cannot be written yet stays in a queue of whole frames, so that a thread may leave at any time. */
#ifndef AKSANDBOX_CORE_RUNNER_PRIVATE_H
#define AKSANDBOX_CORE_RUNNER_PRIVATE_H
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include "runner-client.h"
#include "runner/protocol.h"

#define RUNNER_TEXT_MAX 512             /* bytes of a text of the runner's that are kept */
#define RUNNER_PATH_MAX 4096            /* of a file, in either direction */
#define RUNNER_IN_SIZE (2 * FRAME_SIZE_MAX)
#define RUNNER_OUT_DATA (2 * FRAME_SIZE_MAX)    /* what of the queue data may fill; the rest is for control */
#define RUNNER_OUT_SIZE (4 * FRAME_SIZE_MAX)
#define FIELD_HEAD 8u                   /* tag and size */
#define OP_BUCKETS 64u
#define RUNS_MAX 128u
#define SPARE_WAKES 8u

struct runner_times {
  uint64_t hello_ns;            /* for the answer to HELLO */
  uint64_t ping_ns;             /* of silence, then PING */
  uint64_t silence_ns;          /* of silence, then lost */
  uint64_t kill_ns;             /* for EXIT after a cancel, or after the deadline and its grace */
  uint64_t file_ns;             /* for the end of a file operation that was told to stop */
};
extern struct runner_times ak_runner_times;     /* what a new connection takes; tests shorten it */

enum op_kind { OP_HELLO, OP_EXECUTE, OP_WRITE, OP_READ, OP_LIST, OP_STAT, OP_REMOVE };

/* What came for an operation and waits for its thread, in the order in which it came. Of OP_LIST: entries in
 * part[0] and no runs. */
struct backlog {
  struct { uint8_t *bytes; size_t size, room; } part[2];
  struct { uint32_t stream, size; } runs[RUNS_MAX];
  size_t n_runs;
};

struct op {
  struct runner *runner;
  enum op_kind kind;
  const struct runner_io *io;
  struct stop *stop;
  const char *path;             /* of a file operation */
  uint64_t id;                  /* 0 until its first frame is queued */
  struct op *next;              /* of its bucket */
  /* Waiting. */
  int wake_fd;                  /* of a follower, made on demand; -1 */
  int waits;                    /* is in the list of followers */
  struct op *next_waiting, **waiting_link;
  /* Sending. */
  int requested;                /* the whole request is queued, and `mark` says where it ends */
  uint64_t mark;
  uint64_t send_credit;         /* that the runner gave */
  int has_input, input_ended;   /* DATA goes to the runner; EOF was queued */
  uint64_t input_pause_ns;      /* ask standard input again then */
  int input_is_file;            /* reading it never waits for anybody */
  uint8_t *input;               /* FRAME_PAYLOAD_MAX bytes, made on demand */
  size_t input_at, input_size;  /* of these: read, and not yet queued for want of room */
  /* Receiving. */
  uint64_t window[2];           /* what the runner may still send of stdout or the file, and of stderr */
  uint64_t consumed[2];         /* given back when it is worth a frame */
  unsigned eofs;                /* bit by stream */
  struct backlog backlog[2], *filling, *draining;
  int discards;                 /* the sink wants no more */
  int overrun;                  /* more entries than may wait */
  int has_entry, entry_given;
  struct ak_file entry;
  /* Ending. */
  int kill_sent;
  uint64_t limit_ns;            /* the runner must have answered; 0: no limit yet */
  uint64_t late_ns;             /* when that was first seen to be past; 0 */
  int started, ended;
  uint32_t error_code;          /* enum runner_error; 0: it ended well */
  char error_text[RUNNER_TEXT_MAX + 1];
  int timeout_asked;
  struct ak_outcome outcome;
};

struct runner {
  pthread_mutex_t lock;
  int read_fd, write_fd;
  int read_is_socket, write_is_socket;
  int wake_fd;                  /* wakes the leader */
  atomic_int lost;
  char reason[RUNNER_TEXT_MAX + 128];
  int greeted;
  uint32_t flags;
  uint64_t last_id;
  struct op *ops[OP_BUCKETS];
  struct op *leader, *waiting;
  int leader_sleeps;
  int spare_wakes[SPARE_WAKES];
  size_t n_spare_wakes;
  uint8_t *in;                  /* less than a frame, between two readings */
  size_t in_size;
  uint8_t *out;                 /* whole frames, of the first maybe only the rest */
  size_t out_start, out_size;
  uint64_t out_total;           /* bytes ever queued */
  uint64_t heard_ns, pinged_ns; /* last valid frame, last PING */
  uint64_t unled_ns;            /* since when nobody leads; 0: somebody does */
  uint64_t pings, pongs;
  uint64_t idle_frames_ns;      /* start of the second in which idle_frames are counted */
  unsigned idle_frames;
  struct runner_times times;
};

static inline uint64_t
earlier (uint64_t a, uint64_t b)
{
  return a < b ? a : b;
}

static inline uint64_t
later (uint64_t a, uint64_t b)
{
  return a > b ? a : b;
}

/* runner-wire.c: bytes. */
uint32_t ak_wire_u32 (const uint8_t *p);
uint64_t ak_wire_u64 (const uint8_t *p);
uint8_t *ak_wire_put_u32 (uint8_t *p, uint32_t v);      /* the place behind it */
uint8_t *ak_wire_put_u64 (uint8_t *p, uint64_t v);
uint8_t *ak_wire_put_field (uint8_t *p, uint32_t tag, const void *bytes, size_t size);
/* Hostile text for people: bounded, one line, nothing that a terminal obeys. */
void ak_wire_text (char ret[RUNNER_TEXT_MAX + 1], const uint8_t *text, size_t size);
/* How much payload a DATA or SPEC frame may have now; 0: no room. */
size_t ak_wire_room_locked (const struct runner *r);
/* Queue a frame; the caller flushes. Control finds room as long as the runner reads; when it does not the
 * connection is lost. The first gives the place of the payload, which the caller fills; NULL: lost. */
uint8_t *ak_wire_frame_locked (struct runner *r, uint16_t type, uint16_t stream, uint64_t id, size_t size);
void ak_wire_put_locked (struct runner *r, uint16_t type, uint16_t stream, uint64_t id, const void *payload,
                         size_t size);
void ak_wire_put_u32_locked (struct runner *r, uint16_t type, uint16_t stream, uint64_t id, uint32_t v);
void ak_wire_flush_locked (struct runner *r);
/* Read once, hand out what is complete. 1: something came, 0: nothing there, -1: lost. */
int ak_wire_read_locked (struct runner *r);

/* runner-dispatch.c: one checked frame to its operation. A violation loses the connection. */
struct op *ak_runner_find_locked (struct runner *r, uint64_t id);
int ak_runner_header_ok_locked (struct runner *r, const struct frame_header *h);
void ak_runner_dispatch_locked (struct runner *r, const struct frame_header *h, const uint8_t *payload);

/* runner-wait.c: who leads, and for how long. */
#define WAIT_QUIET 1u           /* nothing was there to read */
#define WAIT_OWN 2u             /* the operation's own descriptor is ready */
/* Lets go of the lock while it sleeps, until a frame for `op`, `own_fd` (-1: none) readable, room in the
 * queue when that is wanted, a cancel wish, or the time `until_ns` (0: none). May return early. */
unsigned ak_runner_wait_locked (struct op *op, int own_fd, int wants_room, uint64_t until_ns);
void ak_runner_wake_locked (struct runner *r, struct op *op);
void ak_runner_resign_locked (struct op *op);
void ak_runner_lose_locked (struct runner *r, const char *format, ...)
  __attribute__ ((format (printf, 2, 3)));

/* runner-op.c: the life of an operation. Begin takes the lock, end gives it back. */
void ak_op_begin (struct op *op, struct runner *r, enum op_kind kind, const struct runner_io *io,
                  struct stop *stop);
void ak_op_end_unlock (struct op *op);
void ak_op_name_locked (struct op *op);         /* gives it its id, right before its first frame is queued */
void ak_op_requested_locked (struct op *op);    /* right after its last */
void ak_op_forget_locked (struct op *op);       /* no frame is for it any more */
int ak_op_sent_locked (const struct op *op);    /* the whole request has left */
int ak_op_cancelled (const struct op *op);
void ak_op_kill_locked (struct op *op, enum kill_reason reason);
/* Whether the runner did not answer in time, and is lost for it. `quiet`: ak_runner_wait_locked said so
 * just now. */
int ak_op_overdue_locked (struct op *op, unsigned quiet);
enum ak_status ak_op_error (const struct op *op, const char *object, struct ak_error **error);

/* runner-io.c: what comes and what goes. The ones that call the sink or source let go of the lock
 * meanwhile. */
int ak_backlog_add_data (struct op *op, uint32_t stream, const uint8_t *bytes,
                         size_t size); /* -1: no memory */
int ak_backlog_add_entry (struct op *op, const struct ak_file *file, size_t path_size);
int ak_op_deliver_locked (struct op *op);       /* 1: there was something */
int ak_op_wants_stdin_locked (const struct op *op);
void ak_op_pump_stdin_locked (struct op *op);
void ak_op_send_input_locked (struct op *op);
int ak_op_pump_upload_locked (struct op *op);   /* -1: the source says stop */
void ak_op_clear_io (struct op *op);

#endif
