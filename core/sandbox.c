/* SPDX-License-Identifier: Apache-2.0 */
/* A sandbox that is at hand: the plugin's handle, and the runner in it when it has one. */
#include "config.h"
#include "sandbox.h"
#include "cleanup.h"
#include "resource-limits.h"
#include "strv.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define ID_MAX 255

struct birth {                          /* what reports of create and attach go to */
  struct sandbox *sandbox;
  const struct sandbox_spec *spec;
  int bad_id;
  int no_memory;                        /* for something that was reported */
};

static int
valid_id (const char *id)
{
  size_t n = 0;
  for (; id[n]; n++)
    if (id[n] < 0x21 || id[n] > 0x7e)
      return 0;
  return n && n <= ID_MAX;
}

static int
replace (char **text, const char *value)
{
  char *copy = strdup (value);
  if (!copy)
    return -1;
  free (*text);
  *text = copy;
  return 0;
}

static int
add_limit (struct sandbox *s, const char *key, const char *value)
{
  char *end;
  int resource = key ? ak_limit_number (key) : -1;
  unsigned long long n = strtoull (value, &end, 10);
  if (resource < 0 || *end || end == value || *value == '-') {
    ak_log (&s->instance->log, LOG_WARNING, "%s: limit %s=%s is not one of prlimit(1), ignored",
            ak_instance_name (s->instance), key ? key : "?", value);
    return 0;
  }
  struct runner_limit *grown = realloc (s->limits, (s->n_limits + 1) * sizeof *grown);
  if (!grown)
    return -1;
  s->limits = grown;
  s->limits[s->n_limits++] = (struct runner_limit) { resource, n };
  return 0;
}

static int
add_env (struct sandbox *s, const char *key, const char *value)
{
  char *entry = NULL;
  if (!key || !*key || strchr (key, '='))
    return 0;
  return asprintf (&entry, "%s=%s", key, value) < 0 ? -1 : ak_strv_take (&s->env, entry);
}

static int
set_languages (struct sandbox *s, const char *value)
{
  char **languages = ak_strv_split (value);
  if (!languages)
    return -1;
  ak_strv_free (s->languages);
  s->languages = languages;
  return 0;
}

static int
set_id (struct birth *b, const char *value)
{
  struct sandbox *s = b->sandbox;
  if (!valid_id (value)) {
    b->bad_id = 1;
    return -1;
  }
  if (s->id) {
    b->no_memory = replace (&s->id, value) != 0;
    return b->no_memory ? -1 : 0;
  }
  /* Its room is there since before the backend was asked: an id that is not kept is a sandbox that leaks. */
  s->id = strcpy (TAKE_PTR (s->id_room), value);
  return 0;
}

static int
keep_report (struct birth *b, uint32_t what, const char *key, const char *value)
{
  struct sandbox *s = b->sandbox;
  switch (what) {
  case AK_REPORT_WORKSPACE:
    return replace (&s->workspace, value);
  case AK_REPORT_ENV:
    return add_env (s, key, value);
  case AK_REPORT_LIMIT:
    return add_limit (s, key, value);
  case AK_REPORT_LANGUAGES:
    return set_languages (s, value);
  case AK_REPORT_NOTICE:
    return replace (&s->notice, value);
  case AK_REPORT_DATA:
    return key && (ak_strv_add (&s->data, key) || ak_strv_add (&s->data, value));
  default:
    return 0;
  }
}

static int
birth_report (void *data, uint32_t what, const char *key, const char *value)
{
  struct birth *b = data;
  if (what == AK_REPORT_ID)
    return set_id (b, value);
  if (what == AK_REPORT_PROGRESS && b->spec->progress)
    b->spec->progress (b->spec->progress_data, value);
  if (!keep_report (b, what, key, value))
    return 0;
  b->no_memory = 1;
  return -1;
}

static void
sandbox_free (struct sandbox *s)
{
  if (!s)
    return;
  free (s->id);
  free (s->id_room);
  free (s->workspace);
  free (s->notice);
  free (s->limits);
  ak_strv_free (s->env);
  ak_strv_free (s->languages);
  ak_strv_free (s->data);
  ak_gate_destroy (&s->serial);
  free (s);
}

static int
hello_of (const struct sandbox *s, struct runner_setup *setup)
{
  *setup = (struct runner_setup) {
    .workspace = s->workspace,
    .env = (const char *const *) s->env,
    .limits = s->limits,
    .n_limits = s->n_limits,
  };
  return s->workspace ? 0 : -1;
}

/* Start the runner where the provider can place one. */
static enum ak_status
open_runner (struct sandbox *s, const struct sandbox_spec *spec, struct stop *stop, struct ak_error **error)
{
  const struct ak_ops *ops = &s->instance->module->ops;
  struct birth birth = { .sandbox = s, .spec = spec };
  struct call_io io = { .data = &birth, .report = birth_report };
  struct runner_setup setup;
  struct call call;
  int32_t fds[2] = { -1, -1 };
  if (!ops->open_stream)
    return AK_STATUS_OK;
  enum ak_status status = ak_call_begin (&call, s->instance, "open_stream", stop, &io, error);
  if (status != AK_STATUS_OK)
    return status;
  struct ak_error *why = NULL;
  status = ak_call_end (&call, ops->open_stream (s->self, &call.base, fds), &why);
  if (status == AK_STATUS_CAPABILITY && ops->execute_code) {
    ak_log (&s->instance->log, LOG_NOTICE, "%s: no runner in this sandbox: %s", ak_instance_name (s->instance),
            ak_error_text (why));
    ak_error_free (why);
    return AK_STATUS_OK;
  }
  if (status != AK_STATUS_OK) {
    if (error && !*error)
      *error = why;
    else
      ak_error_free (why);
    return status;
  }
  if (birth.no_memory || hello_of (s, &setup)) {
    close (fds[0]);
    if (fds[1] != fds[0])
      close (fds[1]);
    if (birth.no_memory)
      return ak_fail_memory (error);
    return ak_fail (error, AK_STATUS_PLUGIN, "Report this to whoever made the provider.",
                    "%s: opened a stream without reporting the workspace", ak_instance_name (s->instance));
  }
  status = ak_runner_open (fds[0], fds[1], &setup, stop, &s->runner, error);
  if (status != AK_STATUS_OK && error)
    ak_error_stamp (*error, ak_instance_name (s->instance), "open_stream");
  return status;
}

static struct sandbox *
sandbox_new (struct instance *instance)
{
  struct sandbox *s = calloc (1, sizeof *s);
  if (!s)
    return NULL;
  s->id_room = malloc (ID_MAX + 1);
  if (!s->id_room) {
    free (s);
    return NULL;
  }
  s->instance = instance;
  ak_gate_init (&s->serial);
  return s;
}

static void
fill_spec (struct ak_spec *spec, const struct instance *i, const struct sandbox_spec *from)
{
  *spec = (struct ak_spec) {
    .struct_size = sizeof *spec,
    .profile = i->profile->name,
    .labels = from->labels,
    .idle_ns = i->profile->idle_timeout_ns,
    .policy = from->policy,
    .principal = from->principal,
  };
}

static void
release_handle (struct sandbox *s)
{
  sigset_t signals;
  ak_plugin_enter (s->instance, NULL, &signals);
  s->instance->module->ops.release (s->self);
  ak_plugin_leave (s->instance, &signals);
}

/* What create left behind must not outlive its failure; when it cannot be destroyed now, *known_id remembers it. */
static void
undo_create (struct sandbox *s, char **known_id, int has_handle)
{
  struct instance *i = s->instance;
  struct stop stop;
  if (has_handle)
    release_handle (s);
  ak_stop_init (&stop, ak_now_ns () + 30 * UINT64_C (1000000000), NULL);
  struct ak_error *why = NULL;
  if (s->id && ak_sandbox_destroy (i, s->id, &stop, &why) != AK_STATUS_OK) {
    ak_log (&i->log, LOG_WARNING, "%s: sandbox '%s' of a failed create is left over: %s", ak_instance_name (i), s->id,
            ak_error_text (why));
    if (known_id && !*known_id)
      *known_id = TAKE_PTR (s->id);
  }
  ak_error_free (why);
  ak_stop_done (&stop);
}

enum ak_status
ak_sandbox_create (struct instance *instance, const struct sandbox_spec *from, struct stop *stop, struct sandbox **ret,
                   char **known_id, struct ak_error **error)
{
  struct sandbox *s = sandbox_new (instance);
  struct birth birth = { .sandbox = s, .spec = from };
  struct call_io io = { .data = &birth, .report = birth_report };
  struct ak_spec spec;
  struct call call;
  if (!s)
    return ak_fail_memory (error);
  fill_spec (&spec, instance, from);
  enum ak_status status = ak_call_begin (&call, instance, "create", stop, &io, error);
  if (status == AK_STATUS_OK) {
    status = ak_call_end (&call, instance->module->ops.create (instance->self, &call.base, &spec, &s->self), error);
    int has_handle = status == AK_STATUS_OK;
    if (has_handle && (!s->id || birth.bad_id))
      status = ak_fail (error, AK_STATUS_PLUGIN, "Report this to whoever made the provider.",
                        "%s: made a sandbox and reported %s", ak_instance_name (instance),
                        birth.bad_id ? "an id that is not 1 to 255 printable characters" : "no id");
    if (status == AK_STATUS_OK && birth.no_memory)
      status = ak_fail_memory (error);
    if (status == AK_STATUS_OK)
      status = open_runner (s, from, stop, error);
    if (status != AK_STATUS_OK)
      undo_create (s, known_id, has_handle);
  }
  if (status != AK_STATUS_OK) {
    ak_error_stamp (error ? *error : NULL, ak_instance_name (instance), "create");
    sandbox_free (s);
    return status;
  }
  *ret = s;
  return AK_STATUS_OK;
}

enum ak_status
ak_sandbox_attach (struct instance *instance, const char *id, int external, const struct sandbox_spec *from,
                   struct stop *stop, struct sandbox **ret, struct ak_error **error)
{
  struct sandbox *s = sandbox_new (instance);
  struct birth birth = { .sandbox = s, .spec = from };
  struct call_io io = { .data = &birth, .report = birth_report };
  struct ak_spec spec;
  struct call call;
  if (!(instance->caps & AK_CAP_ATTACH)) {
    sandbox_free (s);
    return ak_fail (error, AK_STATUS_CAPABILITY, NULL, "%s: does not have the capability 'attach'",
                    ak_instance_name (instance));
  }
  if (!s || replace (&s->id, id)) {
    sandbox_free (s);
    return ak_fail_memory (error);
  }
  s->attached = external;
  fill_spec (&spec, instance, from);
  spec.id = id;
  spec.external = (uint32_t) external;
  enum ak_status status = ak_call_begin (&call, instance, "attach", stop, &io, error);
  if (status == AK_STATUS_OK) {
    status = ak_call_end (&call, instance->module->ops.attach (instance->self, &call.base, &spec, &s->self), error);
    int has_handle = status == AK_STATUS_OK;
    if (status == AK_STATUS_OK && birth.no_memory)
      status = ak_fail_memory (error);
    if (status == AK_STATUS_OK)
      status = open_runner (s, from, stop, error);
    if (status != AK_STATUS_OK && has_handle)
      release_handle (s);
  }
  if (status != AK_STATUS_OK) {
    sandbox_free (s);
    return status;
  }
  *ret = s;
  return AK_STATUS_OK;
}

void
ak_sandbox_release (struct sandbox *s)
{
  if (!s)
    return;
  if (getpid () == s->instance->owner) {
    /* The stream first: its end is what tells the runner that this client is gone. */
    ak_runner_close (s->runner);
    release_handle (s);
  } else
    ak_runner_abandon (s->runner);
  sandbox_free (s);
}

static enum ak_status
by_id (struct instance *i, int32_t (*op) (void *, struct ak_call *, const char *), const char *name, const char *id,
       struct stop *stop, struct ak_error **error)
{
  static const struct call_io nothing;
  struct call call;
  enum ak_status status = ak_call_begin (&call, i, name, stop, &nothing, error);
  return status == AK_STATUS_OK ? ak_call_end (&call, op (i->self, &call.base, id), error) : status;
}

enum ak_status
ak_sandbox_destroy (struct instance *instance, const char *id, struct stop *stop, struct ak_error **error)
{
  return by_id (instance, instance->module->ops.destroy, "destroy", id, stop, error);
}

enum ak_status
ak_sandbox_kill (struct instance *instance, const char *id, struct stop *stop, struct ak_error **error)
{
  return by_id (instance, instance->module->ops.kill, "kill", id, stop, error);
}
