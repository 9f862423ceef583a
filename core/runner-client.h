/* SPDX-License-Identifier: Apache-2.0 */
/* The host's side of the runner: executions and files over one connection. */
#ifndef AKSANDBOX_CORE_RUNNER_CLIENT_H
#define AKSANDBOX_CORE_RUNNER_CLIENT_H
#include <stdint.h>
#include <sys/types.h>
#include <aksandbox/provider.h>
#include "error.h"
#include "stop.h"

/* A connection. Any number of threads may use it at once: whichever waits reads for all (there is no thread
 * of its own); nobody waits for another's execution. A violation by the runner, silence for 15 s while
 * something runs, or the end of the stream makes it lost for good: every operation on it ends at once. */
struct runner;

struct runner_setup {
  const char *workspace;                /* absolute, inside */
  const char *const *env;               /* "NAME=value"; NULL or ended by NULL */
  const struct runner_limit { int resource; uint64_t value; } *limits;
  size_t n_limits;
};

/* Takes the descriptors (they may be one), also on failure. Says HELLO and waits for the answer until
 * `stop`, 10 s at most. */
enum ak_status ak_runner_open (int read_fd, int write_fd, const struct runner_setup *setup, struct stop *stop,
                               struct runner **ret, struct ak_error **error);
/* Says BYE where that is still possible, closes the descriptors. No operation may be under way. */
void ak_runner_close (struct runner *runner);
/* In a forked child: frees it and says nothing on the stream, which is the parent's. */
void ak_runner_abandon (struct runner *runner);
int ak_runner_is_lost (struct runner *runner);
const char *ak_runner_lost_reason (struct runner *runner);      /* or NULL; lives as long as it */
uint32_t ak_runner_flags (const struct runner *runner);         /* HELLO_* */

/* Where an operation's bytes go and come from. Called only by the thread that called the operation. */
struct runner_io {
  void *data;
  /* AK_STDOUT, AK_STDERR, AK_CONTENT; not 0: cancel, and it is not called again. */
  int (*write) (void *data, uint32_t stream, const void *bytes, size_t size);
  int stdin_fd;                         /* -1: none. Read when readable; never closed */
  int64_t (*read) (void *data, void *buffer, size_t size);      /* of upload: 0 end, -1 stop */
  int (*entry) (void *data, const struct ak_file *file);        /* of list, and before the bytes of read */
};

/* `exec->code` with its language (NULL: python), or `exec->argv`. At stop's deadline the runner kills and
 * answers TIMED_OUT; if it does not answer within term_grace + 500 ms, or stays silent after a cancel for
 * 500 ms, `hard_kill` is called once (NULL: there is none, and the outcome says unconfirmed) and the runner
 * is lost, the outcome TIMED_OUT or CANCELLED all the same. The stream's end without that is AK_LOST. An
 * error only for what is no outcome: an unknown language (CAPABILITY "language:x"), a description that is
 * malformed or too large (CONFIG), the sandbox's own limits (UNAVAILABLE), a runner that was lost before it
 * had all of the description, so that nothing can have been started (GONE). Returns by the deadline +
 * term_grace + 1 s, and what hard_kill takes; a sink that blocks is the caller's. */
enum ak_status ak_runner_execute (struct runner *runner, const struct ak_exec *exec, struct stop *stop,
                                  const struct runner_io *io, int (*hard_kill) (void *data),
                                  void *hard_kill_data, struct ak_outcome *outcome, struct ak_error **error);

/* Files of the workspace. When stop or a sink or source ends an operation (TIMEOUT, CANCELLED), the runner
 * is told, leaves nothing half done, and is lost if it does not answer within a second. FILE_NOT_FOUND;
 * POLICY: the path leaves the workspace; CONFIG: what was asked for does not fit what is there (a folder, a
 * FIFO, no permission, no space), and why; UNAVAILABLE: may work later; GONE: the runner was lost before,
 * PROVISION: meanwhile. */
enum ak_status ak_runner_write_file (struct runner *runner, const char *path, unsigned mode /* 0: 0644 */,
                                     struct stop *stop, const struct runner_io *io, struct ak_error **error);
enum ak_status ak_runner_read_file (struct runner *runner, const char *path, struct stop *stop,
                                    const struct runner_io *io, struct ak_error **error);
enum ak_status ak_runner_list_files (struct runner *runner, const char *path, struct stop *stop,
                                     const struct runner_io *io, struct ak_error **error);
enum ak_status ak_runner_stat_file (struct runner *runner, const char *path, struct stop *stop,
                                    const struct runner_io *io, struct ak_error **error);
enum ak_status ak_runner_remove_file (struct runner *runner, const char *path, int recursive,
                                      struct stop *stop, struct ak_error **error);

/* How a language's code becomes a command: the interpreters that the runner knows by name. */
struct language {
  const char *name;             /* "python" */
  const char *const *argv;      /* {"python3", "-c", "exec(...)"}: reads the code from descriptor 3 */
  const char *prefix;           /* put before the code, or NULL */
};
const struct language *ak_language_find (const char *name);

#endif
