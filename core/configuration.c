/* SPDX-License-Identifier: Apache-2.0 */
/* The configuration: from a file, the environment, a command line, or none at all. */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cleanup.h"
#include "configuration-internal.h"
#include "factory.h"
#include "strv.h"
#include "suggest.h"

#define SECTION "sandbox"
#define TOOL_OUTPUT_DEFAULT 8000u

static struct config *
config_new (void)
{
  struct config *config = calloc (1, sizeof *config);

  if (!config)
    return NULL;
  config->default_profile = strdup ("default");
  config->plugin_path = calloc (1, sizeof *config->plugin_path);
  config->output_limit = TOOL_OUTPUT_DEFAULT;
  if (!config->default_profile || !config->plugin_path) {
    ak_config_free (config);
    return NULL;
  }
  return config;
}

static void
principal_free (struct principal_config *principal)
{
  if (!principal)
    return;
  free (principal->subject);
  ak_strv_free (principal->groups);
  ak_strv_free (principal->credentials);
  free (principal);
}

void
ak_config_free (struct config *config)
{
  if (!config)
    return;
  free (config->file);
  free (config->enable_where);
  free (config->enable_hint);
  free (config->default_profile);
  ak_strv_free (config->plugin_path);
  for (size_t i = 0; i < config->n_profiles; i++)
    ak_profile_free (config->profiles[i]);
  free (config->profiles);
  principal_free (config->principal);
  ak_strv_free (config->warnings);
  ak_value_free (config->tree);
  free (config);
}

static const char *
builtin_default (void)
{
  for (const struct builtin *b = ak_builtins; b->name; b++)
    if (b->flags & BUILTIN_DEFAULT)
      return b->name;
  return NULL;
}

/* What there is without a configuration: one profile, that denies. */
static enum ak_status
add_builtin_profile (struct config *config, struct ak_error **error)
{
  const char *type = builtin_default ();
  struct profile_config *p = ak_profile_new (config->default_profile);

  config->profiles = p ? calloc (1, sizeof *config->profiles) : NULL;
  if (!config->profiles) {
    ak_profile_free (p);
    return ak_fail_memory (error);
  }
  config->profiles[config->n_profiles++] = p;
  config->enabled = 1;
  p->policy.network_egress = NETWORK_DENY;
  p->where = strdup ("built-in");
  p->type = type ? strdup (type) : NULL;
  if (!type)
    return ak_fail (error, AK_STATUS_CONFIG, "Write a configuration file.",
                    "configuration: there is none, and no provider to use without one");
  return p->where && p->type ? AK_STATUS_OK : ak_fail_memory (error);
}

/* A file in the right place that is not read at all deserves a word. */
static void
warn_without_section (struct report *report, const struct value *root)
{
  static const char *const names[] = { SECTION, NULL };

  for (size_t i = 0; root->kind == VALUE_MAP && i < root->n; i++)
    if (ak_suggest (root->keys[i], names)) {
      ak_report_warning (report, root->key_marks[i],
                         "is this meant to be `sandbox:`? The file has no such section");
      return;
    }
  ak_report_warning (report, root, "there is no section `sandbox:`, so nothing of this file is read");
}

/* Apart from the root: the section (a map or null), and its key. Both stay NULL where there is none. */
static void
find_section (struct report *report, struct value *root, struct value ***ret, struct value **ret_key)
{
  if (root->kind != VALUE_MAP && root->kind != VALUE_NULL) {
    ak_report_fault (report, root, NULL, "this is not a configuration: it must be a map of sections");
    return;
  }
  size_t i = ak_value_index (root, SECTION);
  if (i == root->n) {
    warn_without_section (report, root);
    return;
  }
  *ret = &root->items[i];
  *ret_key = root->key_marks[i];
  if ((**ret)->kind != VALUE_MAP && (**ret)->kind != VALUE_NULL)
    ak_report_fault (report, **ret, NULL, SECTION ": must be a map of keys and values");
}

/* `root`, taken: the whole file, or NULL. */
static enum ak_status
build (struct config *config, struct value *root, struct report *report, struct ak_error **error)
{
  struct value **section = NULL, *key = NULL;
  enum ak_status status;

  config->tree = root;
  if (root)
    find_section (report, root, &section, &key);
  if (report->n > 0)
    return ak_report_end (report, error);
  /* Without a section of the file, the overrides' own tree takes the place of the root. */
  struct value *own = NULL;
  if ((status = ak_config_apply_environment (section ? section : &own, error)) != AK_STATUS_OK) {
    ak_value_free (own);
    return status;
  }
  if (own) {
    ak_value_free (config->tree);
    config->tree = own;
    section = &config->tree;
    key = own;
    config->enabled = 1;        /* off is the default of a file's section, which nobody wrote here */
  }
  if (!section) {
    status = ak_report_end (report, error);
    return status == AK_STATUS_OK ? add_builtin_profile (config, error) : status;
  }
  config->section = *section;
  ak_sandbox_read (report, *section, key, config);
  return ak_report_end (report, error);
}

/* *ret is set whenever there was something to read. */
static enum ak_status
load_faulty (const char *name, const char *data, size_t size, struct config **ret, struct ak_error **error)
{
  struct config *config = config_new ();
  struct value *root = NULL;
  struct report report = { 0 };

  if (!config || (name && !(config->file = strdup (name)))) {
    ak_config_free (config);
    return ak_fail_memory (error);
  }
  enum ak_status status = name ? ak_value_parse_yaml (name, data, size, &root, error) : AK_STATUS_OK;
  if (status == AK_STATUS_OK)
    status = build (config, root, &report, error);
  config->warnings = report.warnings ? report.warnings : calloc (1, sizeof *config->warnings);
  if (status == AK_STATUS_OK && !config->warnings)
    status = ak_fail_memory (error);
  *ret = config;
  return status;
}

static enum ak_status
load (const char *name, const char *data, size_t size, struct config **ret, struct ak_error **error)
{
  struct config *config = NULL;
  enum ak_status status = load_faulty (name, data, size, &config, error);

  if (status == AK_STATUS_OK)
    *ret = config;
  else
    ak_config_free (config);
  return status;
}

enum ak_status
ak_config_load_memory (const char *name, const char *data, size_t size, struct config **ret,
                       struct ak_error **error)
{
  return load (name, data, size, ret, error);
}

typedef enum ak_status text_loader (const char *name, const char *data, size_t size, struct config **ret,
                                    struct ak_error **error);

static enum ak_status
load_file (const char *file, text_loader *load_text, struct config **ret, struct ak_error **error)
{
  CLEANUP_FREE char *path = NULL, *data = NULL;
  size_t size = 0;
  enum ak_status status = ak_config_find_file (file, &path, error);

  if (status == AK_STATUS_OK && path)
    status = ak_config_read_file (path, &data, &size, error);
  return status == AK_STATUS_OK ? load_text (path, data, size, ret, error) : status;
}

enum ak_status
ak_config_load (const char *file, struct config **ret, struct ak_error **error)
{
  return load_file (file, load, ret, error);
}

enum ak_status
ak_config_load_faulty (const char *file, struct config **ret, struct ak_error **error)
{
  *ret = NULL;
  return load_file (file, load_faulty, ret, error);
}

static int
compare_texts (const void *a, const void *b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

static enum ak_status
fail_unknown (const struct config *config, const char *name, struct ak_error **error)
{
  char **names = NULL;
  CLEANUP_FREE char *joined = NULL, *hint = NULL;
  const char *near;

  for (size_t i = 0; i < config->n_profiles; i++)
    if (ak_strv_add (&names, config->profiles[i]->name)) {
      ak_strv_free (names);
      return ak_fail_memory (error);
    }
  if (names)
    qsort (names, config->n_profiles, sizeof *names, compare_texts);
  joined = ak_strv_join ((const char *const *) names, ", ");
  near = names ? ak_suggest (name, (const char *const *) names) : NULL;
  int failed = !joined || (near && asprintf (&hint, "Did you mean '%s'?", near) < 0);
  ak_strv_free (names);
  if (failed) {
    hint = NULL;
    return ak_fail_memory (error);
  }
  return ak_fail (error, AK_STATUS_CONFIG, hint, "profile '%s': there is none of that name in %s; there %s%s",
                  name, config->file ? config->file : "the configuration",
                  *joined ? "are: " : "is none at all", joined);
}

enum ak_status
ak_config_profile (const struct config *config, const char *name, const struct profile_config **ret,
                   struct ak_error **error)
{
  if (!config->enabled)
    return ak_fail (error, AK_STATUS_CONFIG, config->enable_hint,
                    "%s: sandboxes are disabled (enabled: false)", config->enable_where);
  if (!name)
    name = config->default_profile;
  for (size_t i = 0; i < config->n_profiles; i++)
    if (strcmp (config->profiles[i]->name, name) == 0) {
      *ret = config->profiles[i];
      return AK_STATUS_OK;
    }
  return fail_unknown (config, name, error);
}
