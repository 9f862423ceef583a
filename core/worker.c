/* SPDX-License-Identifier: Apache-2.0 */
/* The worker: fail-closed checks, attach or create, self-heal, run under the deadline. */
#include "config.h"
#include "worker.h"
#include "cleanup.h"
#include "strv.h"
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#define KILL_NS UINT64_C (2000000000)           /* a hard kill is done within */
#define DESTROY_NS UINT64_C (60000000000)

const char *
ak_operation_name (enum operation operation)
{
  static const char *const names[] = {
    [OP_EXECUTE_CODE] = "execute_code",
    [OP_EXECUTE_COMMAND] = "execute_command",
    [OP_INSTALL_PACKAGES] = "install_packages",
    [OP_UPLOAD] = "upload",
    [OP_DOWNLOAD] = "download",
    [OP_LIST_FILES] = "list_files",
    [OP_DESTROY] = "destroy",
  };
  return names[operation];
}

/* What an operation's bytes and reports go through. */
struct flow {
  const struct job *job;
  struct ak_result *result;
  struct sandbox *sandbox;
  int file_given;                       /* of an upload: it has one */
};

static int
flow_write (void *data, uint32_t stream, const void *bytes, size_t size)
{
  struct flow *f = data;
  if ((stream == AK_STDOUT || stream == AK_STDERR)
      && ak_collector_add (&f->result->output[stream == AK_STDERR], bytes, size)) {
    f->result->incomplete = 1;
    return -1;
  }
  return f->job->output ? f->job->output (f->job->data, stream, bytes, size) : 0;
}

static int64_t
flow_read (void *data, void *buffer, size_t size)
{
  struct flow *f = data;
  return f->job->read (f->job->data, buffer, size);
}

static int
flow_entry (void *data, const struct ak_file *file)
{
  struct flow *f = data;
  return f->job->entry ? f->job->entry (f->job->data, file) : 0;
}

static int
flow_next_file (void *data, struct ak_file *file)
{
  struct flow *f = data;
  if (f->file_given++)
    return 0;
  file->path = f->job->path;
  file->mode = f->job->mode;
  return 1;
}

static int
add_data (struct ak_result *result, const char *key, const char *json)
{
  struct json_object *all = result->data ? json_tokener_parse (result->data) : json_object_new_object ();
  struct json_object *value = json_tokener_parse (json);
  if (!value && strcmp (json, "null"))
    value = json_object_new_string (json);
  int added = all && (value || !strcmp (json, "null")) && !json_object_object_add (all, key, value);
  if (!added)
    json_object_put (value);
  const char *text = added ? json_object_to_json_string_ext (all, JSON_C_TO_STRING_PLAIN) : NULL;
  char *copy = text ? strdup (text) : NULL;
  json_object_put (all);
  if (!copy) {
    result->incomplete = 1;
    return -1;
  }
  free (result->data);
  result->data = copy;
  return 0;
}

static int
flow_report (void *data, uint32_t what, const char *key, const char *value)
{
  struct flow *f = data;
  if (what == AK_REPORT_NOTICE)
    ak_result_note (f->result, value);
  else if (what == AK_REPORT_DATA && key)
    return add_data (f->result, key, value);
  else if (what == AK_REPORT_PROGRESS && f->job->progress)
    f->job->progress (f->job->progress_data, value);
  return 0;
}

static int
hard_kill (void *data)
{
  struct sandbox *s = data;
  struct stop stop;
  ak_stop_init (&stop, ak_now_ns () + KILL_NS, NULL);
  struct ak_error *why = NULL;
  enum ak_status status = ak_sandbox_kill (s->instance, s->id, &stop, &why);
  if (status != AK_STATUS_OK)
    ak_log (&s->instance->log, LOG_ERR, "%s: kill of sandbox '%s' failed: %s", ak_instance_name (s->instance), s->id,
            ak_error_text (why));
  ak_error_free (why);
  ak_stop_done (&stop);
  return status == AK_STATUS_OK ? 0 : -1;
}

static enum ak_status
run_in_runner (struct flow *f, struct stop *stop, struct ak_error **error)
{
  const struct job *job = f->job;
  struct sandbox *s = f->sandbox;
  struct runner_io io = {
    .data = f,
    .write = flow_write,
    .stdin_fd = job->has_stdin ? job->stdin_fd : -1,
    .read = flow_read,
    .entry = flow_entry,
  };
  int may_kill = !s->attached && (s->instance->caps & AK_CAP_PROVISIONS);
  enum ak_status status = ak_instance_here (s->instance, error);
  if (status != AK_STATUS_OK)
    return status;
  switch (job->operation) {
  case OP_EXECUTE_CODE:
  case OP_EXECUTE_COMMAND:
    return ak_runner_execute (s->runner, &job->exec, stop, &io, may_kill ? hard_kill : NULL, s, &f->result->outcome,
                              error);
  case OP_UPLOAD:
    return ak_runner_write_file (s->runner, job->path, job->mode, stop, &io, error);
  case OP_DOWNLOAD:
    return ak_runner_read_file (s->runner, job->path, stop, &io, error);
  case OP_LIST_FILES:
    return ak_runner_list_files (s->runner, job->path, stop, &io, error);
  case OP_INSTALL_PACKAGES:
  case OP_DESTROY:
    break;
  }
  return AK_STATUS_INTERNAL;
}

static int32_t
dispatch (const struct ak_ops *ops, void *self, struct ak_call *call, const struct flow *f)
{
  switch (f->job->operation) {
  case OP_EXECUTE_CODE:
    return ops->execute_code (self, call, &f->job->exec, &f->result->outcome);
  case OP_EXECUTE_COMMAND:
    return ops->execute_command (self, call, &f->job->exec, &f->result->outcome);
  case OP_INSTALL_PACKAGES:
    return ops->install_packages (self, call, f->job->packages, &f->result->outcome);
  case OP_UPLOAD:
    return ops->upload (self, call);
  case OP_DOWNLOAD:
    return ops->download (self, call, f->job->path);
  case OP_LIST_FILES:
    return ops->list_files (self, call, f->job->path);
  case OP_DESTROY:
    break;
  }
  return AK_E_INTERNAL;
}

static int
is_execution (const struct job *job)
{
  return job->operation <= OP_INSTALL_PACKAGES;
}

static enum ak_status
check_outcome (const struct instance *i, const struct job *job, enum ak_status status, struct ak_outcome *o,
               struct ak_error **error)
{
  if (status != AK_STATUS_OK || !is_execution (job))
    return status;
  int valid = o->how >= AK_EXITED && o->how <= AK_LOST;
  if (o->how == AK_EXITED)
    valid = o->code >= 0 && o->code <= 255;
  else if (o->how == AK_SIGNALLED)
    valid = o->code > 0 && o->code <= 64;
  if (valid)
    return AK_STATUS_OK;
  unsigned how = o->how;
  int code = o->code;
  o->how = 0;
  return ak_fail (error, AK_STATUS_PLUGIN, "Report this to whoever made the provider.",
                  "%s: did not say how the program ended (outcome %u, code %d)", ak_instance_name (i), how, code);
}

static enum ak_status
run_in_plugin (struct flow *f, struct stop *stop, struct ak_error **error)
{
  const struct job *job = f->job;
  struct sandbox *s = f->sandbox;
  const struct module *m = s->instance->module;
  struct call_io io = {
    .data = f,
    .has_stdin = job->has_stdin,
    .stdin_fd = job->stdin_fd,
    .write = flow_write,
    .next_file = flow_next_file,
    .read = job->read ? flow_read : NULL,
    .put_file = flow_entry,
    .report = flow_report,
  };
  struct call call;
  int takes_turns = m->manifest.threads == AK_PER_SANDBOX;
  int reason = takes_turns ? ak_gate_enter (&s->serial, stop) : AK_OK;
  if (reason != AK_OK)
    return ak_call_no_turn (s->instance, reason, error);
  enum ak_status status = ak_call_begin (&call, s->instance, ak_operation_name (job->operation), stop, &io, error);
  if (status == AK_STATUS_OK)
    status = ak_call_end (&call, dispatch (&m->ops, s->self, &call.base, f), error);
  if (takes_turns)
    ak_gate_leave (&s->serial);
  /* What the plugin did about a write that failed is of no interest then. */
  if (f->result->incomplete && status == AK_STATUS_OK)
    return ak_fail_memory (error);
  return check_outcome (s->instance, job, status, &f->result->outcome, error);
}

static uint64_t
deadline_of (const struct instance *i, const struct job *job)
{
  uint64_t limit = i->profile->policy.timeout_ns;
  if (job->timeout_ns && job->timeout_ns < limit)
    limit = job->timeout_ns;
  return ak_now_ns () + limit;
}

/* After these nobody knows what the sandbox is like; the next operation heals before it starts. */
static int
spoils (const struct ak_outcome *o)
{
  return o->how == AK_LOST || o->unconfirmed;
}

/* Packages are the provider's own business, also beside a runner. */
static int
runs_in_runner (const struct sandbox *s, const struct job *job)
{
  return s->runner && job->operation != OP_INSTALL_PACKAGES;
}

static enum ak_status
run_held (struct ak_session *session, const struct job *job, struct ak_result *result, struct ak_error **error)
{
  struct sandbox *s = session->live;
  struct instance *i = session->instance;
  struct job mine = *job;
  struct flow f = { .job = &mine, .result = result, .sandbox = s };
  struct stop stop;
  if (s->languages && job->operation == OP_EXECUTE_CODE) {
    enum ak_status status = ak_admit_language (i, s->languages, job->exec.language, error);
    if (status != AK_STATUS_OK)
      return status;
  }
  mine.exec.term_grace_ns = i->profile->term_grace_ns;
  uint64_t start = ak_now_ns ();
  ak_stop_init (&stop, deadline_of (i, job), job->cancel);
  enum ak_status status = runs_in_runner (s, job) ? run_in_runner (&f, &stop, error) : run_in_plugin (&f, &stop, error);
  ak_stop_done (&stop);
  result->duration_ns = ak_now_ns () - start;
  if (spoils (&result->outcome) || (s->runner && ak_runner_is_lost (s->runner))) {
    LOCK_FOR_SCOPE (&session->lock);
    session->stale = 1;
  }
  return status;
}

static void
stamp (const struct ak_session *session, struct ak_result *result)
{
  const struct instance *i = session->instance;
  result->provider = ak_instance_name (i);
  result->isolation = ak_tier_name (i->tier);
  memcpy (result->session_id, session->id, sizeof result->session_id);
}

static void
stamp_birth (struct ak_session *session, struct ak_result *result)
{
  LOCK_FOR_SCOPE (&session->lock);
  struct sandbox *s = session->live;
  CLEANUP_FREE char *notice = TAKE_PTR (s->notice);
  if (notice)
    ak_result_note (result, notice);
  for (size_t n = 0; s->data && s->data[n] && s->data[n + 1]; n += 2)
    add_data (result, s->data[n], s->data[n + 1]);
}

/* A provider that could not be opened has made nothing, and is not asked. */
static enum ak_status
destroy (struct ak_session *session, const struct job *job, struct ak_error **error)
{
  struct instance *i = session->instance;
  struct stop stop;
  enum ak_status status = ak_instance_here (i, error);
  if (status != AK_STATUS_OK)
    return status;
  ak_stop_init (&stop, ak_now_ns () + DESTROY_NS, job->cancel);
  status = ak_session_enter_alone (session, &stop, error);
  if (status == AK_STATUS_OK) {
    ak_sandbox_release (TAKE_PTR (session->live));
    if (session->sandbox_id && !i->profile->attached) {
      status = ak_instance_open (i, job->cancel, error);
      if (status == AK_STATUS_OK)
        status = ak_sandbox_destroy (i, session->sandbox_id, &stop, error);
    }
    if (status == AK_STATUS_OK)
      ak_session_set_id (session, NULL);
    ak_session_leave_alone (session);
  }
  ak_stop_done (&stop);
  return status;
}

/* A runner that is found dead before the program has started costs one more attempt; nothing runs twice. */
static enum ak_status
run_healed (struct ak_session *session, const struct job *job, struct ak_result *result, struct ak_error **error)
{
  for (int attempt = 0;; attempt++) {
    struct ak_error *why = NULL;
    enum ak_status status = ak_acquire (session, job, result, &why);
    if (status == AK_STATUS_OK) {
      stamp_birth (session, result);
      status = result->incomplete ? ak_fail_memory (&why) : run_held (session, job, result, &why);
      ak_session_leave (session);
      if (status == AK_STATUS_GONE && is_execution (job) && !attempt) {
        ak_error_free (why);
        continue;
      }
    }
    if (error && !*error)
      *error = why;
    else
      ak_error_free (why);
    return status;
  }
}

static enum ak_status
run (struct ak_session *session, const struct job *job, struct ak_result *result, struct ak_error **error)
{
  enum ak_status status = ak_instance_open (session->instance, job->cancel, error);
  if (status == AK_STATUS_OK)
    status = ak_admit (session->instance, job, error);
  return status == AK_STATUS_OK ? run_healed (session, job, result, error) : status;
}

enum ak_status
ak_worker_run (struct ak_session *session, const struct job *job, struct ak_result *result, struct ak_error **error)
{
  struct instance *i = session->instance;
  enum ak_status status;
  if (job->operation == OP_DESTROY)
    status = destroy (session, job, error);
  else {
    status = run (session, job, result, error);
    stamp (session, result);
  }
  if (status != AK_STATUS_OK && error)
    ak_error_stamp (*error, ak_instance_name (i), ak_operation_name (job->operation));
  return status;
}
