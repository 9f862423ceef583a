/* SPDX-License-Identifier: Apache-2.0 */
/* A configuration with the instances of its profiles. */
#include "config.h"
#include "runtime.h"
#include "cleanup.h"
#include "struct-copy.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

const char *
ak_version (void)
{
  return PACKAGE_VERSION;
}

const char *
ak_version_extra (void)
{
  return AK_EXTRA;
}

static int
make_uuid (char text[37])
{
  unsigned char b[16];
  if (getrandom (b, sizeof b, 0) != sizeof b)
    return -1;
  b[6] = (unsigned char) ((b[6] & 0x0f) | 0x40);
  b[8] = (unsigned char) ((b[8] & 0x3f) | 0x80);
  snprintf (text, 37, "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0], b[1], b[2], b[3],
            b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]);
  return 0;
}

enum ak_status
ak_runtime_module (struct ak_runtime *runtime, const char *type, const struct module **ret, struct ak_error **error)
{
  struct type_name name;
  enum ak_status status = ak_type_parse (runtime->path, type, 0, &name, error);
  if (status != AK_STATUS_OK)
    return status;
  status = ak_module_load (runtime->path, &name, ret, error);
  if (error)
    ak_error_stamp (*error, name.provider, "load");
  ak_type_clear (&name);
  return status;
}

/* Libraries are loaded here and not from an operation's thread. A provider that is not installed is an error
 * where it is used and a warning here, unless nobody wrote the profile. */
static void
load_profiles (struct ak_runtime *r)
{
  int level = r->config->file ? LOG_WARNING : LOG_INFO;
  for (size_t i = 0; r->config->enabled && i < r->config->n_profiles; i++) {
    const struct module *module;
    struct ak_error *why = NULL;
    if (ak_runtime_module (r, r->config->profiles[i]->type, &module, &why) != AK_STATUS_OK)
      ak_log (&r->log, level, "profile '%s': %s", r->config->profiles[i]->name, ak_error_text (why));
    ak_error_free (why);
  }
}

static enum ak_status
load_config (const struct ak_runtime_options *o, struct config **ret, struct ak_error **error)
{
  if (!o->config_text)
    return ak_config_load (o->config_file, ret, error);
  if (o->config_file)
    return ak_fail (error, AK_STATUS_CONFIG, NULL, "options: config_file and config_text exclude each other");
  return ak_config_load_memory (o->config_name ? o->config_name : "configuration", o->config_text, o->config_size, ret,
                                error);
}

static enum ak_status
runtime_init (struct ak_runtime *r, const struct ak_runtime_options *options, struct ak_error **error)
{
  enum ak_status status = load_config (options, &r->config, error);
  if (status != AK_STATUS_OK)
    return status;
  for (char **w = r->config->warnings; w && *w; w++)
    ak_log (&r->log, LOG_WARNING, "%s", *w);
  status = ak_module_path_new ((const char *const *) r->config->plugin_path, &r->path, error);
  if (status != AK_STATUS_OK)
    return status;
  r->instances = calloc (r->config->n_profiles + 1, sizeof *r->instances);
  r->pool = ak_pool_new (options->max_executions);
  if (!r->instances || !r->pool)
    return ak_fail_memory (error);
  if (make_uuid (r->registry))
    return ak_fail (error, AK_STATUS_INTERNAL, NULL, "runtime: no random bytes: %s", strerror (errno));
  load_profiles (r);
  return AK_STATUS_OK;
}

enum ak_status
ak_runtime_new (const struct ak_runtime_options *options, struct ak_runtime **runtime, struct ak_error **error)
{
  struct ak_runtime_options o = { .struct_size = sizeof o };
  enum ak_status status = AK_STATUS_OK;
  if (options)
    status = ak_struct_copy (&o, sizeof o, options, offsetof (struct ak_runtime_options, config_text), "options", error);
  if (status != AK_STATUS_OK)
    return status;
  struct ak_runtime *r = calloc (1, sizeof *r);
  if (!r)
    return ak_fail_memory (error);
  pthread_mutex_init (&r->lock, NULL);
  r->broker = &ak_broker_embedded;
  r->log = (struct log_sink) { o.log, o.log_data };
  status = runtime_init (r, &o, error);
  if (status != AK_STATUS_OK) {
    ak_runtime_free (r);
    return status;
  }
  *runtime = r;
  return AK_STATUS_OK;
}

void
ak_runtime_free (struct ak_runtime *r)
{
  if (!r)
    return;
  ak_pool_free (r->pool);
  for (size_t i = 0; r->instances && i < r->config->n_profiles; i++)
    ak_instance_free (r->instances[i]);
  free (r->instances);
  ak_principal_free (r->principal);
  ak_module_path_free (r->path);
  ak_config_free (r->config);
  pthread_mutex_destroy (&r->lock);
  free (r);
}

/* The credentials are read when the first instance needs them, so that a failure can be mended. */
static enum ak_status
open_locked (struct ak_runtime *r, const struct module *module, const struct profile_config *profile,
             struct instance **ret, struct ak_error **error)
{
  struct instance *instance;
  enum ak_status status = AK_STATUS_OK;
  if (r->config->principal && !r->principal)
    status = ak_principal_new (r->config->principal, &r->principal, error);
  if (status == AK_STATUS_OK)
    status = ak_instance_new (module, profile, &r->log, r->registry, &instance, error);
  if (status != AK_STATUS_OK)
    return status;
  if (r->principal)
    status = ak_instance_serve (instance, &r->principal->base, error);
  if (status == AK_STATUS_OK)
    *ret = instance;
  else
    ak_instance_free (instance);
  return status;
}

enum ak_status
ak_runtime_open (struct ak_runtime *r, const struct module *module, const struct profile_config *profile,
                 struct instance **ret, struct ak_error **error)
{
  LOCK_FOR_SCOPE (&r->lock);
  return open_locked (r, module, profile, ret, error);
}

static size_t
place_of (const struct config *config, const struct profile_config *profile)
{
  size_t i = 0;
  while (i < config->n_profiles && config->profiles[i] != profile)
    i++;
  return i;
}

enum ak_status
ak_runtime_instance (struct ak_runtime *r, const char *name, struct instance **ret, struct ak_error **error)
{
  const struct profile_config *profile;
  const struct module *module;
  enum ak_status status = ak_config_profile (r->config, name, &profile, error);
  if (status != AK_STATUS_OK)
    return status;
  LOCK_FOR_SCOPE (&r->lock);
  struct instance **slot = &r->instances[place_of (r->config, profile)];
  if (!*slot) {
    status = ak_runtime_module (r, profile->type, &module, error);
    if (status == AK_STATUS_OK)
      status = open_locked (r, module, profile, slot, error);
  }
  if (status == AK_STATUS_OK)
    *ret = *slot;
  return status;
}
