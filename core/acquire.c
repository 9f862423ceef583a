/* SPDX-License-Identifier: Apache-2.0 */
/* From a session to a living sandbox: attach, create, heal; before the program starts, never after. */
#include "config.h"
#include "cleanup.h"
#include "strv.h"
#include "worker.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char recreated[] = "the sandbox behind this session had vanished and was recreated empty: earlier workspace"
                                " state is gone";
static const char restarted[] = "the processes of this session's sandbox had ended; its files are as they were";

/* What a spec points to, on the stack of one acquisition. */
struct wish {
  struct ak_principal agent;
  struct ak_policy policy;
  char **labels;
  struct sandbox_spec spec;
};

static int
add_label (struct wish *w, const char *key, const char *value)
{
  char *label = NULL;
  return asprintf (&label, "io.aksandbox.%s=%s", key, value) < 0 ? -1 : ak_strv_take (&w->labels, label);
}

static int
wish_init (struct wish *w, const struct ak_session *session, const struct job *job)
{
  const struct instance *i = session->instance;
  const struct policy_config *p = &i->profile->policy;
  char created[24];
  snprintf (created, sizeof created, "%" PRId64, (int64_t) time (NULL));
  *w = (struct wish) {
    .agent = { .struct_size = sizeof w->agent, .subject = "agent" },
    .policy = {
      .struct_size = sizeof w->policy,
      .network = (uint32_t) p->network_egress,
      .network_allow = (const char *const *) p->network_allow,
      .fs_read = (const char *const *) p->fs_allow_read,
      .fs_write = (const char *const *) p->fs_allow_write,
      .cpu_milli = p->cpu_milli,
      .memory_bytes = p->memory_bytes,
      .strict = (uint32_t) p->strict,
    },
  };
  if (add_label (w, "registry", i->registry) || add_label (w, "profile", i->profile->name)
      || add_label (w, "session", session->id) || add_label (w, "created", created))
    return -1;
  w->spec = (struct sandbox_spec) {
    .labels = (const char *const *) w->labels,
    .principal = i->principal ? i->principal : &w->agent,
    .policy = &w->policy,
    .progress = job->progress,
    .progress_data = job->progress_data,
  };
  return 0;
}

static enum ak_status
adopt (struct ak_session *session, struct sandbox *sandbox, struct ak_error **error)
{
  char *id = strdup (sandbox->id);
  if (!id) {
    /* Not at hand, but known: the next operation attaches to it, or destroys it. */
    free (session->sandbox_id);
    session->sandbox_id = TAKE_PTR (sandbox->id);
    ak_sandbox_release (sandbox);
    return ak_fail_memory (error);
  }
  LOCK_FOR_SCOPE (&session->lock);
  free (session->sandbox_id);
  session->sandbox_id = id;
  session->live = sandbox;
  session->stale = 0;
  return AK_STATUS_OK;
}

static enum ak_status
create (struct ak_session *session, const struct wish *w, struct stop *stop, struct ak_error **error)
{
  struct sandbox *sandbox;
  char *left_over = NULL;
  enum ak_status status = ak_sandbox_create (session->instance, &w->spec, stop, &sandbox, &left_over, error);
  if (status == AK_STATUS_OK)
    return adopt (session, sandbox, error);
  ak_session_set_id (session, left_over);
  return status;
}

static enum ak_status
attach_external (struct ak_session *session, const struct wish *w, struct stop *stop, struct ak_error **error)
{
  struct sandbox *sandbox;
  struct ak_error *why = NULL;
  const char *id = ak_options_get (session->instance->options, "attach_to");
  enum ak_status status = ak_sandbox_attach (session->instance, id, 1, &w->spec, stop, &sandbox, &why);
  if (status == AK_STATUS_OK)
    return adopt (session, sandbox, error);
  if (status == AK_STATUS_GONE)
    status = ak_fail (error, status, "It is the operator's: start it, or correct `attach_to`.",
                      "%s: the environment '%s' no longer exists and is not being recreated: %s",
                      ak_instance_name (session->instance), id, ak_error_text (why));
  else if (error && !*error)
    *error = TAKE_PTR (why);
  ak_error_free (why);
  return status;
}

/* Reach the sandbox that the session has; make a new one only when it does not exist any more. */
static enum ak_status
heal (struct ak_session *session, const struct wish *w, int was_live, struct stop *stop, struct ak_result *result,
      struct ak_error **error)
{
  struct instance *i = session->instance;
  struct sandbox *sandbox;
  struct ak_error *why = NULL;
  enum ak_status status = AK_STATUS_GONE;
  if (i->caps & AK_CAP_ATTACH)
    status = ak_sandbox_attach (i, session->sandbox_id, 0, &w->spec, stop, &sandbox, &why);
  else if ((status = ak_sandbox_destroy (i, session->sandbox_id, stop, &why)) == AK_STATUS_OK)
    status = AK_STATUS_GONE;
  if (status == AK_STATUS_OK) {
    if (was_live)
      ak_result_note (result, restarted);
    return adopt (session, sandbox, error);
  }
  if (status == AK_STATUS_GONE) {
    ak_error_free (why);
    status = create (session, w, stop, error);
    if (status == AK_STATUS_OK)
      ak_result_note (result, recreated);
    return status;
  }
  if (error && !*error)
    *error = why;
  else
    ak_error_free (why);
  return status;
}

static enum ak_status
make_locked_out (struct ak_session *session, const struct job *job, struct stop *stop, struct ak_result *result,
                 struct ak_error **error)
{
  struct wish w;
  int was_live = session->live != NULL;
  enum ak_status status = ak_instance_here (session->instance, error);
  if (status != AK_STATUS_OK)
    return status;
  if (wish_init (&w, session, job)) {
    ak_strv_free (w.labels);
    return ak_fail_memory (error);
  }
  ak_sandbox_release (TAKE_PTR (session->live));
  if (session->instance->profile->attached)
    status = attach_external (session, &w, stop, error);
  else if (session->sandbox_id)
    status = heal (session, &w, was_live, stop, result, error);
  else
    status = create (session, &w, stop, error);
  ak_strv_free (w.labels);
  return status;
}

static enum ak_status
acquire_slowly (struct ak_session *session, const struct job *job, struct stop *stop, struct ak_result *result,
                struct ak_error **error)
{
  int alone = 0;
  enum ak_status status = ak_session_enter (session, stop, &alone, error);
  if (status != AK_STATUS_OK || !alone)
    return status;
  status = make_locked_out (session, job, stop, result, error);
  if (status == AK_STATUS_OK)
    ak_session_share (session);
  else
    ak_session_leave_alone (session);
  return status;
}

enum ak_status
ak_acquire (struct ak_session *session, const struct job *job, struct ak_result *result, struct ak_error **error)
{
  struct stop stop;
  if (ak_session_try_enter (session))
    return AK_STATUS_OK;
  ak_stop_init (&stop, ak_now_ns () + session->instance->profile->create_timeout_ns, job->cancel);
  enum ak_status status = acquire_slowly (session, job, &stop, result, error);
  ak_stop_done (&stop);
  return status;
}
