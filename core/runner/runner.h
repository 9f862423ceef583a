/* SPDX-License-Identifier: Apache-2.0 */
/* The runner's state, and what its parts do for each other. One thread; nothing here blocks but the end. */
#ifndef AKSANDBOX_CORE_RUNNER_RUNNER_H
#define AKSANDBOX_CORE_RUNNER_RUNNER_H
#include "kernel.h"
#include <signal.h>
#include <sys/resource.h>
#include <sys/types.h>
#include "frame.h"
#include "kill.h"
#include "link.h"
#include "protocol.h"
#include "spec.h"

/* Above PAUSE no output and no frame of the host is taken up; what is then still under way fits between the
 * two: one batch of data, and for each execution a few frames without data. */
#define OUTPUT_PAUSE (64u * 1024u)
#define OUTPUT_FRAMES (256u * 1024u)
#define OUTPUT_LIMIT (2u * 1024u * 1024u)

#define NEVER UINT64_MAX
#define MILLISECOND 1000000ull
/* The host has its own, shorter; it then kills from outside. */
#define KILL_PATIENCE (5000 * MILLISECOND)

enum exec_state {
  EXEC_DESCRIBED,       /* pieces of SPEC arrive */
  EXEC_RUNNING,
  EXEC_DRAINING,        /* over; what its pipes held at that moment is being forwarded */
  EXEC_ENDED,           /* EXIT was sent; its background processes write on, into nothing */
  EXEC_GONE,            /* nothing is left of it */
};

/* One of a program's two outputs. */
struct output {
  int fd;               /* -1: at its end */
  int big;              /* the pipe was enlarged */
  uint64_t credit;
  uint64_t left;        /* DRAINING: bytes still to forward */
};

struct input {
  int fd;               /* -1: closed, or never there */
  int big;
  int open;             /* the host may send DATA */
  struct queue bytes;   /* what the pipe did not take yet */
  uint64_t allowed;     /* the host may send this much more */
  uint64_t consumed;    /* not yet given back as CREDIT */
};

enum kill_stage {
  KILL_NOT,
  KILL_TERM,            /* SIGTERM was sent, the grace runs */
  KILL_WALK,            /* its tree is being killed */
  KILL_REST,            /* nothing lives below the shepherd, which should say so and go */
};

struct execution {
  uint64_t id;
  enum exec_state state;
  struct spec spec;
  uint64_t described;   /* bytes of SPEC; 0 once it was started */
  pid_t shepherd;       /* 0: reaped */
  int control;          /* socket to it; -1: closed */
  struct output outputs[2];
  struct input input;
  uint64_t started_at, ended_at, deadline, grace_ns;
  enum exit_how how;    /* 0: not known yet */
  uint32_t code;
  uint64_t cpu_ns, peak_bytes;
  int exited;           /* the shepherd has told how the main process ended */
  int not_started;
  int childless;        /* the shepherd has told that nothing lives below it */
  int orphaned;         /* its shepherd died before that; what it left behind is being killed */
  enum kill_stage stage;
  uint64_t stage_until;
  unsigned empty_passes;
  int unkillable;       /* gave up waiting for the last of it */
};

struct file_op {
  uint64_t id;
  uint16_t type;
  int ended_input;      /* EOF was sent */
  uint64_t allowed;     /* WRITE: the host may send this much more */
  uint64_t credit;      /* READ: we may send this much more */
  uint64_t kill_at;     /* the helper is killed if the operation has not ended by then */
};
#define FILE_OPS_MAX 64u

#define REFUSED_MAX 64u
#define DESCRIBED_MAX (2u * SPEC_MAX)

struct runner {
  struct link host;
  int host_pidfd;       /* or -1 */
  int proc;             /* a /proc of this pid namespace, or -1 */
  int workspace;
  uint32_t flags;       /* HELLO_* */
  int greeted, ending;
  struct rlimit files_limit;    /* of descriptors, as it was before the runner raised its own */
  struct setup setup;
  uint64_t last_id;
  uint64_t described;           /* bytes of all descriptions whose START has not come */
  uint64_t refused[REFUSED_MAX];        /* ids of which the rest of a description may still come */
  unsigned refused_at;
  struct execution *executions[EXECUTIONS_MAX];
  size_t n_executions, turn;
  unsigned big_pipes;
  struct killer killer;
  uint64_t orphans_until;       /* not 0: orphans of dead shepherds are being killed */
  unsigned orphans_empty_passes;
  struct link files;
  pid_t files_pid;      /* 0: none */
  struct file_op file_ops[FILE_OPS_MAX];
  size_t n_file_ops;
};

uint64_t now_ns (void);

/* main.c, loop.c */
void runner_violation (struct runner *runner, const char *what);        /* tells the host, then ends */
void runner_loop (struct runner *runner);
extern volatile sig_atomic_t runner_child_changed;

/* hello.c, dispatch.c: frames of the host */
const char *host_hello (struct runner *runner, const struct frame_header *header, const uint8_t *payload);
void host_frames (struct runner *runner);

/* exec.c: an execution's life */
struct execution *exec_find (struct runner *runner, uint64_t id);
struct execution *exec_new (struct runner *runner, uint64_t id);        /* NULL: too many, or no memory */
const char *exec_describe (struct runner *runner, struct execution *e, const uint8_t *bytes, size_t size);
void exec_described (struct runner *runner, struct execution *e);       /* nothing more will come */
void exec_start (struct runner *runner, struct execution *e);
void exec_control (struct runner *runner, struct execution *e);         /* its shepherd has said something */
void exec_signal (struct execution *e, uint32_t signal);
void exec_reaped (struct runner *runner, pid_t pid, const struct rusage *usage);
void exec_refuse (struct runner *runner, struct execution *e, enum runner_error code, const char *text);
void exec_progress (struct runner *runner, struct execution *e);
void exec_sweep (struct runner *runner);

/* deadline.c: an execution's death */
void exec_kill (struct runner *runner, struct execution *e, enum exit_how how);
uint64_t exec_next_time (const struct execution *e);
void exec_time (struct runner *runner, struct execution *e, uint64_t now);
void runner_walk (struct runner *runner);       /* one step of killing whatever has to be killed */
int runner_walks (const struct runner *runner);
void runner_kill_everything (struct runner *runner);

/* stream.c: a program's three streams */
int output_wanted (const struct runner *runner, const struct execution *e, const struct output *o);
void output_forward (struct runner *runner, struct execution *e, int which);
void output_snapshot (struct output *o);
void output_close (struct runner *runner, struct output *o);
const char *input_data (struct runner *runner, struct execution *e, const uint8_t *bytes, size_t size);
const char *input_eof (struct runner *runner, struct execution *e);
void input_drain (struct runner *runner, struct execution *e);
void input_close (struct runner *runner, struct input *input);

/* launch.c, shepherd.c, program.c: see shepherd.h */

/* files.c: file operations, done by a process of their own */
struct file_op *file_find (struct runner *runner, uint64_t id);
const char *file_request (struct runner *runner, const struct frame_header *header, const uint8_t *payload);
const char *file_frame (struct runner *runner, struct file_op *op, const struct frame_header *header,
                        const uint8_t *payload);
void file_frames (struct runner *runner, int readable);         /* what the helper says */
int files_reaped (struct runner *runner, pid_t pid);
void file_times (struct runner *runner, uint64_t now);
uint64_t file_next_time (const struct runner *runner);

#endif
