/* SPDX-License-Identifier: Apache-2.0 */
/* A provider opened for one profile: its options, its capabilities here, and the calls into it. */
#include "config.h"
#include "instance.h"
#include "call.h"
#include "cleanup.h"
#include "lifecycle.h"
#include "strv.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *
ak_instance_name (const struct instance *instance)
{
  return instance->module->manifest.name;
}

static void
instance_init (struct instance *i, const struct module *module, const struct profile_config *profile,
               const struct log_sink *log, const char *registry)
{
  i->module = module;
  i->profile = profile;
  i->log = *log;
  i->owner = getpid ();
  strncpy (i->registry, registry, sizeof i->registry - 1);
  pthread_mutex_init (&i->lock, NULL);
  ak_gate_init (&i->serial);
}

enum ak_status
ak_instance_new (const struct module *module, const struct profile_config *profile, const struct log_sink *log,
                 const char *registry, struct instance **ret, struct ak_error **error)
{
  struct ak_config *config = calloc (1, sizeof *config);
  struct instance *i = config ? &config->instance : NULL;
  uint32_t tier = 0;
  if (!i)
    return ak_fail_memory (error);
  instance_init (i, module, profile, log, registry);
  enum ak_status status = ak_options_new (&module->manifest, profile->options, profile->where, &i->options, error);
  if (status == AK_STATUS_OK) {
    i->asserted = ak_options_asserted (i->options, &tier);
    i->tier_asserted = tier != 0;
    i->caps = module->manifest.caps | i->asserted;
    i->tier = tier ? tier : module->manifest.tier;
    status = ak_lifecycle_check (profile, ak_instance_name (i), i->caps, ak_options_get (i->options, "attach_to"),
                                 error);
  }
  if (status != AK_STATUS_OK) {
    ak_error_stamp (error ? *error : NULL, module->manifest.name, "open");
    ak_instance_free (i);
    return status;
  }
  if (i->asserted || i->tier_asserted)
    ak_log (log, LOG_NOTICE, "%s: profile '%s': capabilities %#" PRIx32 " and isolation %s are in force by the operator's word",
            module->manifest.name, profile->name, i->asserted, ak_tier_name (i->tier));
  *ret = i;
  return AK_STATUS_OK;
}

enum ak_status
ak_instance_serve (struct instance *i, const struct ak_principal *principal, struct ak_error **error)
{
  for (const char *const *c = principal->credentials; c[0]; c += 2)
    if (ak_options_protect (i->options, c[1]))
      return ak_fail_memory (error);
  i->principal = principal;
  return AK_STATUS_OK;
}

static void
clear_findings (struct instance *i)
{
  for (size_t n = 0; n < i->n_findings; n++) {
    free (i->findings[n].verdict);
    free (i->findings[n].text);
  }
  free (i->findings);
  i->findings = NULL;
  i->n_findings = 0;
}

static int
add_finding (struct instance *i, const char *verdict, const char *text)
{
  struct finding *grown = realloc (i->findings, (i->n_findings + 1) * sizeof *grown);
  if (!grown)
    return -1;
  i->findings = grown;
  struct finding f = { strdup (verdict ? verdict : "ok"), ak_options_redact (i->options, text) };
  if (!f.verdict || !f.text) {
    free (f.verdict);
    free (f.text);
    return -1;
  }
  i->findings[i->n_findings++] = f;
  return 0;
}

/* What a probe reports goes to. */
struct probing {
  struct instance *instance;
  int no_memory;                        /* for something that was reported */
};

static int
set_languages (struct instance *i, const char *value)
{
  char **languages = ak_strv_split (value);
  if (!languages)
    return -1;
  ak_strv_free (i->languages);
  i->languages = languages;
  return 0;
}

static int
probe_report (void *data, uint32_t what, const char *key, const char *value)
{
  struct probing *p = data;
  int failed = 0;
  if (what == AK_REPORT_FINDING)
    failed = add_finding (p->instance, key, value);
  else if (what == AK_REPORT_LANGUAGES)
    failed = set_languages (p->instance, value);
  p->no_memory |= failed != 0;
  return failed;
}

static enum ak_status
open_locked (struct instance *i, struct stop *stop, struct ak_error **error)
{
  const struct ak_ops *ops = &i->module->ops;
  struct probing probing = { .instance = i };
  struct call_io io = { .data = &probing, .report = probe_report };
  struct call call;
  void *self = NULL;
  enum ak_status status = ak_call_begin (&call, i, "open", stop, &io, error);
  if (status != AK_STATUS_OK)
    return status;
  struct ak_config *config = (struct ak_config *) (void *) i;
  status = ak_call_end (&call, ops->open (&call.base, config, &self), error);
  if (status != AK_STATUS_OK)
    return status;
  i->self = self;
  i->alive = 1;
  return probing.no_memory ? ak_fail_memory (error) : AK_STATUS_OK;
}

/* Probe may take away and never give. */
static enum ak_status
probe_locked (struct instance *i, struct stop *stop, struct ak_error **error)
{
  const struct ak_ops *ops = &i->module->ops;
  struct ak_granted g = { .struct_size = sizeof g, .tier = i->tier, .caps = i->caps };
  struct probing probing = { .instance = i };
  struct call_io io = { .data = &probing, .report = probe_report };
  struct call call;
  if (!ops->probe)
    return AK_STATUS_OK;
  enum ak_status status = ak_call_begin (&call, i, "probe", stop, &io, error);
  if (status != AK_STATUS_OK)
    return status;
  status = ak_call_end (&call, ops->probe (i->self, &call.base, &g), error);
  if (status == AK_STATUS_OK && probing.no_memory)
    return ak_fail_memory (error);
  if (status == AK_STATUS_OK) {
    i->caps &= g.caps;
    i->tier = g.tier < i->tier ? g.tier : i->tier;
  }
  return status;
}

static void
close_locked (struct instance *i)
{
  if (i->alive)
    i->module->ops.close (i->self);
  i->alive = 0;
}

enum ak_status
ak_instance_open (struct instance *i, struct ak_cancel *cancel, struct ak_error **error)
{
  struct stop stop;
  if (__atomic_load_n (&i->opened, __ATOMIC_ACQUIRE))
    return AK_STATUS_OK;
  LOCK_FOR_SCOPE (&i->lock);
  if (i->opened)
    return AK_STATUS_OK;
  if (!i->languages) {
    CLEANUP_FREE char *all = ak_strv_join ((const char *const *) i->module->manifest.languages, " ");
    i->languages = all ? ak_strv_split (all) : NULL;
    if (!i->languages)
      return ak_fail_memory (error);
  }
  clear_findings (i);
  ak_stop_init (&stop, ak_now_ns () + i->profile->create_timeout_ns, cancel);
  enum ak_status status = open_locked (i, &stop, error);
  if (status == AK_STATUS_OK)
    status = probe_locked (i, &stop, error);
  ak_stop_done (&stop);
  if (status != AK_STATUS_OK) {
    close_locked (i);
    return status;
  }
  __atomic_store_n (&i->opened, 1, __ATOMIC_RELEASE);
  return AK_STATUS_OK;
}

void
ak_instance_free (struct instance *i)
{
  if (!i)
    return;
  if (getpid () == i->owner)
    close_locked (i);
  clear_findings (i);
  ak_strv_free (i->languages);
  ak_options_free (i->options);
  pthread_mutex_destroy (&i->lock);
  ak_gate_destroy (&i->serial);
  free (i);
}
