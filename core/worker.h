/* SPDX-License-Identifier: Apache-2.0 */
/* The worker: fail-closed checks, attach or create, self-heal, run under the deadline. */
#ifndef AKSANDBOX_CORE_WORKER_H
#define AKSANDBOX_CORE_WORKER_H
#include "result.h"
#include "session.h"

enum operation {
  OP_EXECUTE_CODE,
  OP_EXECUTE_COMMAND,
  OP_INSTALL_PACKAGES,
  OP_UPLOAD,
  OP_DOWNLOAD,
  OP_LIST_FILES,
  OP_DESTROY,
};
const char *ak_operation_name (enum operation operation);

/* One operation. Everything is borrowed until it has ended. */
struct job {
  enum operation operation;
  struct ak_exec exec;                  /* of an execution */
  uint64_t timeout_ns;                  /* 0: the policy's alone */
  const char *const *packages;          /* of an installation */
  const char *path;                     /* of a file operation */
  unsigned mode;
  struct ak_cancel *cancel;             /* or NULL */
  int has_stdin, stdin_fd;
  void *data;                           /* of the functions, each NULL where nobody wants it */
  int (*output) (void *data, uint32_t stream, const void *bytes, size_t size);
  int64_t (*read) (void *data, void *buffer, size_t size);
  int (*entry) (void *data, const struct ak_file *file);
  void (*progress) (void *progress_data, const char *text);
  void *progress_data;
};

/* `result` collects, also when it fails. */
enum ak_status ak_worker_run (struct ak_session *session, const struct job *job, struct ak_result *result,
                              struct ak_error **error);

/* Before anything is provisioned: the operation, the language, identity and policy against the instance's
 * capabilities. */
enum ak_status ak_admit (struct instance *instance, const struct job *job, struct ak_error **error);
enum ak_status ak_admit_language (const struct instance *instance, char *const *languages, const char *language,
                                  struct ak_error **error);
/* Make sure that there is a live sandbox, with this thread counted as one of its users. */
enum ak_status ak_acquire (struct ak_session *session, const struct job *job, struct ak_result *result,
                           struct ak_error **error);

#endif
