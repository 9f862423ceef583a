/* SPDX-License-Identifier: Apache-2.0 */
/* The public operations: execute, and files. */
#include "config.h"
#include "cleanup.h"
#include "request.h"
#include "struct-copy.h"
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define TIMEOUT_MAX_S (30 * 86400.0)

enum ak_status
ak_request_copy (const struct ak_request *from, struct ak_request *to, struct ak_error **error)
{
  enum ak_status status =
    ak_struct_copy (to, sizeof *to, from, offsetof (struct ak_request, timeout), "request", error);
  if (status != AK_STATUS_OK)
    return status;
  if (!to->code == !(to->argv && to->argv[0]))
    return ak_fail (error, AK_STATUS_CONFIG, NULL, "request: needs either code or a command, and not both");
  if (isnan (to->timeout) || to->timeout < 0 || to->timeout > TIMEOUT_MAX_S)
    return ak_fail (error, AK_STATUS_CONFIG, NULL, "request: a timeout is above 0 and at most %.0f seconds", TIMEOUT_MAX_S);
  return AK_STATUS_OK;
}

/* What the application's functions are called through. */
struct listener {
  const struct ak_request *request;
};

static int
listen_output (void *data, uint32_t stream, const void *bytes, size_t size)
{
  const struct ak_request *r = ((struct listener *) data)->request;
  if (!r->output || (stream != AK_STDOUT && stream != AK_STDERR))
    return 0;
  return r->output (r->output_data, (enum ak_stream) stream, bytes, size);
}

static enum ak_status
finish_text (struct ak_result *r, struct ak_error **error)
{
  for (int i = 0; i < 2; i++) {
    if (!r->output[i].total)
      continue;
    r->text[i] = ak_collector_text (&r->output[i], &r->text_size[i]);
    if (!r->text[i])
      return ak_fail_memory (error);
  }
  return AK_STATUS_OK;
}

enum ak_status
ak_request_run (struct ak_session *session, const struct ak_request *req, struct ak_result **result,
                struct ak_error **error)
{
  struct ak_result *r = ak_result_new (req->output_limit);
  if (!r)
    return ak_fail_memory (error);
  struct listener listener = { req };
  struct job job = {
    .operation = req->code ? OP_EXECUTE_CODE : OP_EXECUTE_COMMAND,
    .exec = {
      .struct_size = sizeof job.exec,
      .language = req->code ? (req->language ? req->language : "python") : NULL,
      .code = req->code,
      .code_size = req->code_size,
      .argv = req->code ? NULL : req->argv,
      .env = req->env,
      .cwd = req->cwd,
    },
    .timeout_ns = (uint64_t) (req->timeout * 1e9),
    .cancel = req->cancel,
    .has_stdin = req->has_stdin,
    .stdin_fd = req->stdin_fd,
    .data = &listener,
    .output = listen_output,
    .progress = req->progress,
    .progress_data = req->progress_data,
  };
  enum ak_status status = session->runtime->broker->submit (session, &job, r, error);
  if (status == AK_STATUS_OK)
    status = finish_text (r, error);
  if (status != AK_STATUS_OK)
    ak_result_free (r);
  else
    *result = r;
  return status;
}

enum ak_status
ak_execute (struct ak_session *session, const struct ak_request *request, struct ak_result **result,
            struct ak_error **error)
{
  struct ak_request req;
  enum ak_status status = ak_request_copy (request, &req, error);
  return status == AK_STATUS_OK ? ak_request_run (session, &req, result, error) : status;
}

/* The functions of a file operation. */
struct transfer {
  int64_t (*read) (void *data, void *buffer, size_t size);
  int (*write) (void *data, const void *bytes, size_t size);
  int (*entry) (void *data, const struct ak_entry *entry);
  void *data;
};

static int64_t
transfer_read (void *data, void *buffer, size_t size)
{
  struct transfer *t = data;
  return t->read (t->data, buffer, size);
}

static int
transfer_write (void *data, uint32_t stream, const void *bytes, size_t size)
{
  struct transfer *t = data;
  return stream == AK_CONTENT ? t->write (t->data, bytes, size) : 0;
}

static int
transfer_entry (void *data, const struct ak_file *file)
{
  struct transfer *t = data;
  struct ak_entry entry = {
    .struct_size = sizeof entry, .path = file->path, .mode = file->mode, .size = file->size, .mtime_ns = file->mtime_ns,
  };
  return t->entry ? t->entry (t->data, &entry) : 0;
}

static enum ak_status
file_operation (struct ak_session *session, struct job *job, struct transfer *t, struct ak_error **error)
{
  struct ak_result *r = ak_result_new (1);
  if (!r)
    return ak_fail_memory (error);
  job->data = t;
  job->read = t->read ? transfer_read : NULL;
  job->output = t->write ? transfer_write : NULL;
  job->entry = transfer_entry;
  enum ak_status status = session->runtime->broker->submit (session, job, r, error);
  ak_result_free (r);
  return status;
}

enum ak_status
ak_upload (struct ak_session *session, const char *path, unsigned mode,
           int64_t (*read) (void *data, void *buffer, size_t size), void *data, struct ak_cancel *cancel,
           struct ak_error **error)
{
  struct transfer t = { .read = read, .data = data };
  struct job job = { .operation = OP_UPLOAD, .path = path, .mode = mode ? mode : 0644, .cancel = cancel };
  return file_operation (session, &job, &t, error);
}

enum ak_status
ak_download (struct ak_session *session, const char *path, int (*write) (void *data, const void *bytes, size_t size),
             void *data, struct ak_cancel *cancel, struct ak_error **error)
{
  struct transfer t = { .write = write, .data = data };
  struct job job = { .operation = OP_DOWNLOAD, .path = path, .cancel = cancel };
  return file_operation (session, &job, &t, error);
}

enum ak_status
ak_list_files (struct ak_session *session, const char *path, int (*entry) (void *data, const struct ak_entry *entry),
               void *data, struct ak_cancel *cancel, struct ak_error **error)
{
  struct transfer t = { .entry = entry, .data = data };
  struct job job = { .operation = OP_LIST_FILES, .path = path ? path : ".", .cancel = cancel };
  return file_operation (session, &job, &t, error);
}
