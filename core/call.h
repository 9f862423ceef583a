/* SPDX-License-Identifier: Apache-2.0 */
/* One operation of a plugin: what it sees as struct ak_call, and the host's functions behind it. */
#ifndef AKSANDBOX_CORE_CALL_H
#define AKSANDBOX_CORE_CALL_H
#include <signal.h>
#include "instance.h"

/* What the plugin's words do in this operation. A NULL function: such words are discarded. */
struct call_io {
  void *data;
  int has_stdin, stdin_fd;
  int (*write) (void *data, uint32_t stream, const void *bytes, size_t size);   /* not 0: stop */
  int (*next_file) (void *data, struct ak_file *file);
  int64_t (*read) (void *data, void *buffer, size_t size);
  int (*put_file) (void *data, const struct ak_file *file);
  int (*report) (void *data, uint32_t what, const char *key, const char *value);
};

struct call {
  struct ak_call base;                  /* first: what the plugin holds */
  struct instance *instance;
  struct stop *stop;
  const char *operation;
  const struct call_io *io;
  pthread_mutex_t lock;                 /* of error */
  struct ak_error *error;
  char retry_after[32];
  sigset_t signals;                     /* the thread's mask, while the plugin runs */
};

/* INTERNAL in a forked child, whose parent goes on with what both have. */
enum ak_status ak_instance_here (const struct instance *instance, struct ak_error **error);
/* Between enter and leave the thread belongs to the plugin: signals blocked, calls kept apart as the thread
 * model asks. AK_OK, or the reason of `stop` why there was no waiting for its turn; NULL: it waits. */
int ak_plugin_enter (struct instance *instance, const struct stop *stop, sigset_t *old);
void ak_plugin_leave (struct instance *instance, const sigset_t *old);
/* The error for a turn that did not come, for `reason`. */
enum ak_status ak_call_no_turn (const struct instance *instance, int reason, struct ak_error **error);
/* The same for an operation that gets a call. Begin fails in a forked child. */
enum ak_status ak_call_begin (struct call *call, struct instance *instance, const char *operation, struct stop *stop,
                              const struct call_io *io, struct ak_error **error);
/* `code` is what the plugin returned; gives its status and moves its error to `error`. */
enum ak_status ak_call_end (struct call *call, int32_t code, struct ak_error **error);

#endif
