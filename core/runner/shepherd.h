/* SPDX-License-Identifier: Apache-2.0 */
/* The process between the runner and a program: parent of all that the program leaves behind. */
#ifndef AKSANDBOX_CORE_RUNNER_SHEPHERD_H
#define AKSANDBOX_CORE_RUNNER_SHEPHERD_H
#include "kernel.h"
#include <stdint.h>
#include "runner.h"

/* Messages of a shepherd, and of the program before it is one. */
enum note_what {
  NOTE_STARTED = 1,     /* value: pid */
  NOTE_FAILED = 2,      /* value: enum failure; error: errno */
  NOTE_EXITED = 3,      /* value: status of wait; rest: not 0, processes of it live on */
  NOTE_CHILDLESS = 4,   /* the last one has gone, and so has the shepherd */
  NOTE_SIGNAL = 5,      /* to the shepherd. value: for the main process's group */
};
enum failure { FAILED_RESOURCE = 1, FAILED_DIRECTORY, FAILED_NOT_FOUND, FAILED_INTERPRETER, FAILED_EXEC };
struct note { uint32_t what, value; int32_t error; uint32_t rest; uint64_t cpu_ns, peak_bytes; };

void usage_add (const struct rusage *usage, uint64_t *cpu_ns, uint64_t *peak_bytes);

/* Where a shepherd has its descriptors; the program has 0, 1, 2 and, with code, 3. */
#define SHEPHERD_CONTROL 4
#define SHEPHERD_PROC 5

struct launch { int in, out, err, code, control; };

/* In the child of a fork of the runner. */
void shepherd_run (const struct runner *runner, const struct spec *spec, const struct launch *launch)
  __attribute__ ((noreturn));

struct program {
  const char *cwd;              /* or NULL */
  char **argv;                  /* one entry before argv[0] is there too, for a script without "#!" */
  char **env;
  const char *path;
  const struct setup *setup;
  const struct rlimit *files_limit;
};
/* Made from what was told; NULL: no memory. */
const struct program *program_new (const struct runner *runner, const struct spec *spec);
/* Becomes the program, in a child of vfork: tells why not otherwise. */
void program_run (const struct program *program) __attribute__ ((noreturn));

#endif
