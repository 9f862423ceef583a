/* SPDX-License-Identifier: Apache-2.0 */
/* libaksandbox: runs code in a sandbox that the operator's configuration chose.
 *
 * An ak_runtime holds a configuration and the providers it loaded. An ak_session is one sandbox as the
 * application knows it: made at its first operation, healed when it vanished, destroyed by the caller.
 *
 * Threads  Every function may be called from any thread. Operations on one session wait for each other
 *          where the provider asks for it. An error or a result belongs to one thread at a time. An
 *          operation works in its caller's thread, which cannot give up on a provider that takes no
 *          notice of its deadline or of a cancel.
 * Process  The library installs no signal handler, changes no process-wide setting, writes nothing to the
 *          standard streams, and waits for no child but its own. After fork() the child must not use a
 *          runtime of its parent, nor free it.
 * Memory   What _new or a result parameter gives is the caller's, freed by the matching _free, which takes
 *          NULL. Strings that an accessor returns are borrowed and live as long as their object.
 * Growth   Structs start with struct_size (sizeof, set by the caller) and grow at the end; zero is absent.
 * Times    Seconds as double where a person writes them, nanoseconds of CLOCK_MONOTONIC inside.
 *
 * Everything below is since 0.1.
 */
#ifndef AKSANDBOX_H
#define AKSANDBOX_H
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define AKSANDBOX_API __attribute__ ((visibility ("default")))

enum ak_status {
  AK_STATUS_OK = 0,
  AK_STATUS_CONFIG,
  AK_STATUS_CAPABILITY,
  AK_STATUS_POLICY,
  AK_STATUS_TIMEOUT,
  AK_STATUS_PROVISION,
  AK_STATUS_GONE,               /* a PROVISION: what was to be attached no longer exists */
  AK_STATUS_SESSION_NOT_FOUND,
  AK_STATUS_BROKER,
  AK_STATUS_FILE_NOT_FOUND,
  AK_STATUS_UNAVAILABLE,        /* nothing was done; the same call may work later */
  AK_STATUS_AUTH,
  AK_STATUS_CANCELLED,
  AK_STATUS_PLUGIN,             /* the plugin broke its contract, or crashed */
  AK_STATUS_INTERNAL
};

/* How an execution ended. */
enum ak_how {
  AK_HOW_NONE = 0,              /* the operation was not an execution */
  AK_HOW_EXITED,
  AK_HOW_SIGNALLED,
  AK_HOW_TIMED_OUT,
  AK_HOW_OUT_OF_MEMORY,
  AK_HOW_CANCELLED,
  AK_HOW_LOST                   /* the connection broke; the program may still be running */
};

/* Lower-case name of a status ("config") or an outcome ("timed_out"): the ones of every JSON output.
 * Never NULL. */
AKSANDBOX_API const char *ak_status_name (enum ak_status status);
AKSANDBOX_API const char *ak_how_name (enum ak_how how);

/* The version of the library, and what its distributor added (--with-extra), or "". */
AKSANDBOX_API const char *ak_version (void);
AKSANDBOX_API const char *ak_version_extra (void);

/* What went wrong, filled once, where it happened. Functions that take `struct ak_error **error` set it
 * when they fail and leave it alone otherwise; the pointer may be NULL, and *error must be NULL before. */
struct ak_error;
AKSANDBOX_API enum ak_status ak_error_status (const struct ak_error *error);
AKSANDBOX_API const char *ak_error_text (const struct ak_error *error);       /* "OBJECT: REASON"; never NULL */
AKSANDBOX_API const char *ak_error_hint (const struct ak_error *error);       /* what to do, or NULL */
AKSANDBOX_API const char *ak_error_provider (const struct ak_error *error);   /* or NULL */
AKSANDBOX_API const char *ak_error_operation (const struct ak_error *error);  /* or NULL */
AKSANDBOX_API int ak_error_retryable (const struct ak_error *error);
AKSANDBOX_API void ak_error_free (struct ak_error *error);

/* A configuration and the providers it loaded. */
struct ak_runtime;

struct ak_runtime_options {
  size_t struct_size;
  const char *config_file;      /* NULL: the files of aksandbox(1), the first that exists; "": none at all */
  /* Called for every log record, by any thread, level as in syslog(3). NULL: nothing is logged. */
  void (*log) (void *log_data, int level, const char *text);
  void *log_data;
  /* The configuration itself, as in a file, instead of config_file, which then must be NULL: config_size bytes,
   * called config_name in messages (NULL: "configuration"). Not needed once ak_runtime_new has returned. */
  const char *config_text;
  size_t config_size;
  const char *config_name;
  unsigned max_executions;      /* of ak_operation_start, at once; further ones wait. 0: twice the processors */
};

/* Read the configuration and load what its profiles name. `options` may be NULL. */
AKSANDBOX_API enum ak_status ak_runtime_new (const struct ak_runtime_options *options, struct ak_runtime **runtime,
                                             struct ak_error **error);
/* Frees it and every instance; its sessions must be freed before. Destroys no sandbox. */
AKSANDBOX_API void ak_runtime_free (struct ak_runtime *runtime);

/* A session on a profile (NULL: the default one). Loads the provider and checks the profile; makes no
 * sandbox yet. */
struct ak_session;
AKSANDBOX_API enum ak_status ak_session_new (struct ak_runtime *runtime, const char *profile,
                                             struct ak_session **session, struct ak_error **error);
/* On a profile of its own, whatever the configuration holds: `type` is a built-in name, module:symbol,
 * a.b.c or an absolute file. `settings` (NULL or ended by NULL) are "KEY=VALUE" with the keys of a
 * profile, such as "policy.network_egress=deny"; a value is read as JSON when it is JSON, else as text. */
AKSANDBOX_API enum ak_status ak_session_new_type (struct ak_runtime *runtime, const char *type,
                                                  const char *const *settings, struct ak_session **session,
                                                  struct ak_error **error);
/* Dispose of its sandbox, confirmed by the backend; an attached environment is only released. The session
 * may be used again and then gets a new sandbox. */
AKSANDBOX_API enum ak_status ak_session_destroy (struct ak_session *session, struct ak_error **error);
/* Free the handle; its sandbox, if it was not destroyed, lives on as its provider says. */
AKSANDBOX_API void ak_session_free (struct ak_session *session);
/* Provider's name, and isolation of the instance ("none", "os_policy", "container"...). Never NULL. */
AKSANDBOX_API const char *ak_session_provider (const struct ak_session *session);
AKSANDBOX_API const char *ak_session_isolation (const struct ak_session *session);
/* The sandbox's id, or NULL before there is one. */
AKSANDBOX_API const char *ak_session_sandbox_id (const struct ak_session *session);

/* Cancels operations from another thread or a signal handler. */
struct ak_cancel;
AKSANDBOX_API struct ak_cancel *ak_cancel_new (void);             /* NULL: no memory or descriptor */
AKSANDBOX_API void ak_cancel_fire (struct ak_cancel *cancel);     /* async-signal-safe; stays fired */
AKSANDBOX_API void ak_cancel_free (struct ak_cancel *cancel);     /* after the operations that use it */

enum ak_stream { AK_STREAM_STDOUT = 1, AK_STREAM_STDERR = 2 };

/* What to run. Exactly one of code and argv. */
struct ak_request {
  size_t struct_size;
  const char *language;         /* of code; NULL: python */
  const void *code;             /* any bytes */
  size_t code_size;
  const char *const *argv;      /* a command, ended by NULL; no shell is involved */
  const char *const *env;       /* "NAME=value"..., NULL or ended by NULL */
  const char *cwd;              /* NULL: the workspace */
  double timeout;               /* seconds; shortens the policy's; 0: the policy's alone */
  int has_stdin, stdin_fd;      /* the program reads stdin_fd, which stays the caller's; without has_stdin
                                   it reads end-of-file */
  /* Output as it comes, called by the thread that called, never after ak_execute returned. Other than 0
   * cancels. NULL: only the result has it. */
  int (*output) (void *output_data, enum ak_stream stream, const void *data, size_t size);
  void *output_data;
  size_t output_limit;          /* bytes of each stream kept in the result, head and tail; 0: 1 MiB */
  struct ak_cancel *cancel;
  /* Long work and where the program runs, for people; as output. NULL: nobody is told. */
  void (*progress) (void *progress_data, const char *text);
  void *progress_data;
};

/* Run it. A program that fails is a result; only machinery that fails is an error. */
struct ak_result;
AKSANDBOX_API enum ak_status ak_execute (struct ak_session *session, const struct ak_request *request,
                                         struct ak_result **result, struct ak_error **error);
AKSANDBOX_API enum ak_how ak_result_how (const struct ak_result *result);
AKSANDBOX_API int ak_result_exit_code (const struct ak_result *result);  /* 128 + n for a signal, 124 timed
                                                out, 137 out of memory, 130 cancelled, 125 lost */
AKSANDBOX_API int ak_result_signal (const struct ak_result *result);     /* 0: it was none */
/* Bytes that were kept; with a cut, head and tail with a marker line between. Never NULL. */
AKSANDBOX_API const char *ak_result_output (const struct ak_result *result, enum ak_stream stream, size_t *size);
AKSANDBOX_API uint64_t ak_result_total (const struct ak_result *result, enum ak_stream stream);
AKSANDBOX_API int ak_result_truncated (const struct ak_result *result);
AKSANDBOX_API uint64_t ak_result_duration_ns (const struct ak_result *result);
AKSANDBOX_API const char *ak_result_notice (const struct ak_result *result);      /* or NULL */
AKSANDBOX_API int ak_result_unconfirmed (const struct ak_result *result);         /* it may still be running */
/* A JSON object with the names of aksandbox(1): stdout, stderr, outcome, exit_code... Borrowed. */
AKSANDBOX_API const char *ak_result_json (struct ak_result *result);
AKSANDBOX_API void ak_result_free (struct ak_result *result);

/* The same on a thread of the runtime, for an application that waits for many things at once.
 *
 *   poll ak_operation_fd
 *   while ((n = ak_operation_read (operation, &stream, buffer, sizeof buffer)) > 0) ...
 *   if (ak_operation_ended (operation)) ak_operation_finish (operation, &result, &error)
 *
 * Every operation must be finished, and before its session is freed. */
struct ak_operation;
struct ak_start {
  size_t struct_size;
  /* How much output may wait for ak_operation_read; when it is full, the program waits, and its deadline does
   * not. 0: none is kept to be read, the result alone has it. */
  size_t buffer;
  /* Called once when the operation has ended, by the thread that ran it, or by the one that cancelled it before
   * it began. It may finish the operation. NULL: nobody is told. */
  void (*done) (void *done_data, struct ak_operation *operation);
  void *done_data;
};
/* Copies the request, all but its functions' data and `cancel`, and duplicates stdin_fd. The request's functions
 * are called by a thread with a stack of 256 KiB and every signal blocked. `start` may be NULL: all zero;
 * `operation` may be NULL where `done` finishes it.
 * With as many under way as the runtime's max_executions it waits for one to end; what waits costs no thread. */
AKSANDBOX_API enum ak_status ak_operation_start (struct ak_session *session, const struct ak_request *request,
                                                 const struct ak_start *start, struct ak_operation **operation,
                                                 struct ak_error **error);
/* Readable while ak_operation_read would give something, and from the end on. To be polled, nothing else. */
AKSANDBOX_API int ak_operation_fd (const struct ak_operation *operation);
/* Output in the order in which it came, all of one stream; 0: none now. Never waits. */
AKSANDBOX_API size_t ak_operation_read (struct ak_operation *operation, enum ak_stream *stream, void *buffer,
                                        size_t size);
/* Whether it has ended and its output was read, so that ak_operation_finish does not wait. */
AKSANDBOX_API int ak_operation_ended (struct ak_operation *operation);
/* Fires the request's `cancel`, or one of its own. Where it has not begun it ends at once, as CANCELLED. */
AKSANDBOX_API void ak_operation_cancel (struct ak_operation *operation);
/* Waits for the end and frees the operation; what was not read is dropped. Results as of ak_execute; `result`
 * may be NULL. */
AKSANDBOX_API enum ak_status ak_operation_finish (struct ak_operation *operation, struct ak_result **result,
                                                  struct ak_error **error);

/* Files of the workspace. `path` is relative to it, or absolute below it. Write: `read` is asked until it
 * returns 0 (end) or -1 (stop, which leaves nothing behind); `mode` 0 means 0644. */
AKSANDBOX_API enum ak_status ak_upload (struct ak_session *session, const char *path, unsigned mode,
                                        int64_t (*read) (void *data, void *buffer, size_t size), void *data,
                                        struct ak_cancel *cancel, struct ak_error **error);
AKSANDBOX_API enum ak_status ak_download (struct ak_session *session, const char *path,
                                          int (*write) (void *data, const void *bytes, size_t size), void *data,
                                          struct ak_cancel *cancel, struct ak_error **error);
struct ak_entry {               /* of ak_list_files; the library's, valid during the callback */
  size_t struct_size;
  const char *path;             /* bytes from inside the sandbox: hostile */
  unsigned mode;                /* st_mode */
  uint64_t size;
  int64_t mtime_ns;
};
AKSANDBOX_API enum ak_status ak_list_files (struct ak_session *session, const char *path,
                                            int (*entry) (void *data, const struct ak_entry *entry), void *data,
                                            struct ak_cancel *cancel, struct ak_error **error);

#ifdef __cplusplus
}
#endif
#endif
