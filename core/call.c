/* SPDX-License-Identifier: Apache-2.0 */
/* One operation of a plugin: what it sees as struct ak_call, and the host's functions behind it. */
#include "config.h"
#include "call.h"
#include "cleanup.h"
#include "paths.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TEXT_MAX 4096                   /* of what a plugin says at once */

static struct call *
of (struct ak_call *base)
{
  return (struct call *) (void *) base;
}

static const struct instance *
instance_of (const struct ak_config *config)
{
  return &config->instance;
}

static void
host_log (const struct ak_config *config, uint32_t level, const char *text)
{
  const struct instance *i = instance_of (config);
  CLEANUP_FREE char *clean = text ? ak_options_redact (i->options, text) : NULL;
  if (clean)
    ak_log (&i->log, level > LOG_DEBUG ? LOG_DEBUG : (int) level, "%s: %.*s", i->module->manifest.name, TEXT_MAX, clean);
}

static const char *
host_option (const struct ak_config *config, const char *key)
{
  return ak_options_get (instance_of (config)->options, key);
}

static const char *
host_option_item (const struct ak_config *config, const char *key, uint32_t i, const char **map_key)
{
  return ak_options_item (instance_of (config)->options, key, i, map_key);
}

static const char *
host_env (const struct ak_config *config, const char *name)
{
  return ak_options_env (instance_of (config)->options, name);
}

static int32_t
host_runner (const struct ak_config *config, const char *machine)
{
  (void) config;
  int fd = -1;
  return ak_paths_runner (machine, &fd, NULL) == AK_STATUS_OK ? fd : -1;
}

static const char *
host_profile (const struct ak_config *config, uint32_t what)
{
  const struct profile_config *p = instance_of (config)->profile;
  switch (what) {
  case AK_PROFILE_NAME:
    return p->name;
  case AK_PROFILE_ENVIRONMENT:
    return p->attached ? "attached" : "managed";
  default:
    return NULL;
  }
}

static enum ak_status
status_of (int32_t code)
{
  static const enum ak_status map[] = {
    [AK_OK] = AK_STATUS_OK,
    [AK_E_CONFIG] = AK_STATUS_CONFIG,
    [AK_E_CAPABILITY] = AK_STATUS_CAPABILITY,
    [AK_E_POLICY] = AK_STATUS_POLICY,
    [AK_E_TIMEOUT] = AK_STATUS_TIMEOUT,
    [AK_E_PROVISION] = AK_STATUS_PROVISION,
    [AK_E_GONE] = AK_STATUS_GONE,
    [AK_E_NO_FILE] = AK_STATUS_FILE_NOT_FOUND,
    [AK_E_UNAVAILABLE] = AK_STATUS_UNAVAILABLE,
    [AK_E_AUTH] = AK_STATUS_AUTH,
    [AK_E_CANCELLED] = AK_STATUS_CANCELLED,
    [AK_E_INTERNAL] = AK_STATUS_INTERNAL,
  };
  return code >= 0 && (size_t) code < sizeof map / sizeof *map ? map[code] : AK_STATUS_INTERNAL;
}

static int32_t
host_fail (struct ak_call *base, int32_t code, const char *text, const char *hint)
{
  struct call *c = of (base);
  const struct options *o = c->instance->options;
  CLEANUP_FREE char *clean = ak_options_redact (o, text && *text ? text : "failed without a reason");
  CLEANUP_FREE char *clean_hint = hint ? ak_options_redact (o, hint) : NULL;
  LOCK_FOR_SCOPE (&c->lock);
  ak_fail (&c->error, status_of (code), clean_hint, "%s: %.*s", c->instance->module->manifest.name, TEXT_MAX,
           clean ? clean : "out of memory");
  return code;
}

static int32_t
host_stopped (struct ak_call *base)
{
  return ak_stop_reason (of (base)->stop);
}

static int32_t
host_stop_fd (struct ak_call *base)
{
  return ak_stop_fd (of (base)->stop);
}

static int32_t
host_stdin_fd (struct ak_call *base)
{
  const struct call_io *io = of (base)->io;
  return io->has_stdin ? io->stdin_fd : -1;
}

static int32_t
host_write (struct ak_call *base, uint32_t stream, const void *data, uint64_t size)
{
  const struct call_io *io = of (base)->io;
  int32_t stopped = ak_stop_reason (of (base)->stop);
  if (stopped == AK_E_CANCELLED)
    return stopped;
  if (io->write && io->write (io->data, stream, data, size))
    return AK_E_CANCELLED;
  return AK_OK;
}

static int32_t
host_next_file (struct ak_call *base, struct ak_file *file)
{
  const struct call_io *io = of (base)->io;
  return io->next_file ? io->next_file (io->data, file) : 0;
}

static int64_t
host_read (struct ak_call *base, void *buffer, uint64_t size)
{
  const struct call_io *io = of (base)->io;
  if (ak_stop_reason (of (base)->stop))
    return -1;
  return io->read ? io->read (io->data, buffer, size) : 0;
}

static int32_t
host_put_file (struct ak_call *base, const struct ak_file *file)
{
  const struct call_io *io = of (base)->io;
  if (io->put_file && file && file->path && io->put_file (io->data, file))
    return AK_E_CANCELLED;
  return AK_OK;
}

static int32_t
host_report (struct ak_call *base, uint32_t what, const char *key, const char *value)
{
  struct call *c = of (base);
  if (what == AK_REPORT_RETRY_AFTER && value)
    snprintf (c->retry_after, sizeof c->retry_after, "%s", value);
  else if (c->io->report && value && c->io->report (c->io->data, what, key, value))
    return AK_E_CANCELLED;
  return AK_OK;
}

static const struct ak_host host = {
  .struct_size = sizeof host,
  .minor = AK_PROVIDER_MINOR,
  .log = host_log,
  .option = host_option,
  .option_item = host_option_item,
  .env = host_env,
  .runner = host_runner,
  .fail = host_fail,
  .stopped = host_stopped,
  .stop_fd = host_stop_fd,
  .stdin_fd = host_stdin_fd,
  .write = host_write,
  .next_file = host_next_file,
  .read = host_read,
  .put_file = host_put_file,
  .report = host_report,
  .profile = host_profile,
};

int
ak_plugin_enter (struct instance *instance, const struct stop *stop, sigset_t *old)
{
  int reason = AK_OK;
  sigset_t block;
  /* All but the faults: one in the plugin must still reach the application as what it is. */
  sigfillset (&block);
  sigdelset (&block, SIGSEGV);
  sigdelset (&block, SIGBUS);
  sigdelset (&block, SIGILL);
  sigdelset (&block, SIGFPE);
  sigdelset (&block, SIGABRT);
  sigdelset (&block, SIGTRAP);
  pthread_sigmask (SIG_SETMASK, &block, old);
  if (instance->module->manifest.threads == AK_SERIAL)
    reason = ak_gate_enter (&instance->serial, stop);
  if (reason != AK_OK)
    pthread_sigmask (SIG_SETMASK, old, NULL);
  return reason;
}

void
ak_plugin_leave (struct instance *instance, const sigset_t *old)
{
  if (instance->module->manifest.threads == AK_SERIAL)
    ak_gate_leave (&instance->serial);
  pthread_sigmask (SIG_SETMASK, old, NULL);
}

enum ak_status
ak_instance_here (const struct instance *instance, struct ak_error **error)
{
  if (getpid () == instance->owner)
    return AK_STATUS_OK;
  return ak_fail (error, AK_STATUS_INTERNAL, "Make a new runtime after fork().",
                  "%s: opened by process %ld, used in its forked child", ak_instance_name (instance),
                  (long) instance->owner);
}

enum ak_status
ak_call_no_turn (const struct instance *instance, int reason, struct ak_error **error)
{
  return ak_fail (error, status_of (reason), NULL, "%s: %s while another operation of it was under way",
                  ak_instance_name (instance), reason == AK_E_TIMEOUT ? "timed out" : "cancelled");
}

enum ak_status
ak_call_begin (struct call *call, struct instance *instance, const char *operation, struct stop *stop,
               const struct call_io *io, struct ak_error **error)
{
  enum ak_status status = ak_instance_here (instance, error);
  if (status != AK_STATUS_OK)
    return status;
  *call = (struct call) {
    .base = { .struct_size = sizeof call->base, .deadline_ns = stop->deadline_ns, .host = &host },
    .instance = instance,
    .stop = stop,
    .operation = operation,
    .io = io,
    .lock = PTHREAD_MUTEX_INITIALIZER,
  };
  int reason = ak_plugin_enter (instance, stop, &call->signals);
  if (reason != AK_OK)
    pthread_mutex_destroy (&call->lock);
  return reason == AK_OK ? AK_STATUS_OK : ak_call_no_turn (instance, reason, error);
}

/* What fail() said and what was returned may differ: the return value is the promise. */
static enum ak_status
failure (struct call *c, int32_t code)
{
  enum ak_status status = status_of (code);
  CLEANUP_FREE char *later = NULL;
  if (!c->error)
    ak_fail (&c->error, status, "Report this to whoever made the provider.", "%s: %s failed without a reason (code %d)",
             ak_instance_name (c->instance), c->operation, (int) code);
  if (*c->retry_after && asprintf (&later, "Try again in %s s.", c->retry_after) < 0)
    later = NULL;
  ak_error_restate (c->error, status, later);
  return ak_error_status (c->error);
}

enum ak_status
ak_call_end (struct call *call, int32_t code, struct ak_error **error)
{
  ak_plugin_leave (call->instance, &call->signals);
  pthread_mutex_destroy (&call->lock);
  enum ak_status status = code == AK_OK ? AK_STATUS_OK : failure (call, code);
  if (code == AK_OK) {
    ak_error_free (call->error);
    return AK_STATUS_OK;
  }
  ak_error_stamp (call->error, ak_instance_name (call->instance), call->operation);
  if (error && !*error)
    *error = call->error;
  else
    ak_error_free (call->error);
  return status;
}
