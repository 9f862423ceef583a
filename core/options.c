/* SPDX-License-Identifier: Apache-2.0 */
/* A provider's options: every one that its notes know, with a default or from a profile's block. */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cleanup.h"
#include "environ.h"
#include "options-internal.h"
#include "strv.h"
#include "suggest.h"
#include "value-build.h"

/* Of every provider that attaches to what others made, whether or not it has a note of its own for it. */
#define ATTACH_TO "attach_to"
static const struct manifest_option attach_to_note = { .key = (char[]) { ATTACH_TO }, .type = AK_T_STRING };

/* While the options are made. */
struct making {
  struct options *options;
  struct report report; /* faults of the block */
  struct report plugin; /* faults of the notes' own defaults */
  const struct manifest *manifest;
  const struct value *block; /* or NULL */
  struct value *at;          /* stands for the profile in messages */
};

static const struct manifest_option *
note_of (const struct manifest *manifest, const char *key)
{
  const struct manifest_option *note = ak_manifest_option (manifest, key);

  if (!note && manifest->caps & AK_CAP_EXTERNAL && strcmp (key, ATTACH_TO) == 0)
    return &attach_to_note;
  return note;
}

static char **
known_keys (const struct manifest *manifest)
{
  char **names = calloc (1, sizeof *names);
  int failed = !names;

  for (size_t i = 0; i < manifest->n_options && !failed; i++)
    failed = ak_strv_add (&names, manifest->options[i].key);
  if (!failed && manifest->caps & AK_CAP_EXTERNAL)
    failed = ak_strv_add (&names, ATTACH_TO);
  if (failed) {
    ak_strv_free (names);
    return NULL;
  }
  return names;
}

static void
report_unknown (struct making *m, const struct value *mark)
{
  char **names = known_keys (m->manifest);
  CLEANUP_FREE char *joined = names ? ak_strv_join ((const char *const *) names, ", ") : NULL;
  const char *near = names ? ak_suggest (mark->text, (const char *const *) names) : NULL;
  CLEANUP_FREE char *hint = NULL;

  if (!joined || asprintf (&hint, "Its options: %s.", *joined ? joined : "none") < 0) {
    hint = NULL;
    m->report.no_memory = 1;
  } else
    ak_report_fault (&m->report, mark, hint, "%s has no option '%s'%s%s%s", m->manifest->name,
                     ak_key_is_shown (mark->text) ? mark->text : "...", near ? " (did you mean '" : "",
                     near ? near : "", near ? "'?)" : "");
  ak_strv_free (names);
}

static int
is_set (const struct value *block, const char *key)
{
  const struct value *value = ak_value_get (block, key);

  return value && value->kind != VALUE_NULL;
}

static void
check_excluded (struct making *m, const struct manifest_option *note)
{
  char **others = note->excludes ? ak_strv_split (note->excludes) : NULL;

  if (note->excludes && !others)
    m->report.no_memory = 1;
  for (size_t i = 0; others && others[i]; i++)
    if (is_set (m->block, others[i]))
      ak_report_fault (&m->report, m->block->key_marks[ak_value_index (m->block, others[i])],
                       "Keep one of the two.", "%s and %s exclude each other", note->key, others[i]);
  ak_strv_free (others);
}

static struct value *
default_of (const struct making *m, const struct manifest_option *note, struct ak_error **error)
{
  CLEANUP_FREE char *source = NULL;
  struct value *value = NULL;

  /* A variable that is not set is the operator's affair, whoever named it. */
  if (note->type == AK_T_ENV)
    source = strdup (m->at->source);
  else if (asprintf (&source, "%s: the note of the option %s", m->manifest->name, note->key) < 0)
    source = NULL;
  if (source)
    ak_value_parse_override (source, note->fallback, &value, error);
  else
    ak_fail_memory (error);
  return value;
}

/* What only the operator's own word does. */
static void
apply_assertion (struct making *m, const struct manifest_option *note, const struct option *option)
{
  uint32_t tier = 0;

  if (!option->text)
    return;
  if (note->type == AK_T_BOOL && strcmp (option->text, "true") == 0)
    m->options->asserted |= note->asserts;
  if (note->type == AK_T_TIER && ak_tier_number (option->text, &tier) == 0 && tier > m->options->tier)
    m->options->tier = tier;
}

static void
remember_secrets (struct making *m, const struct manifest_option *note, const struct value *value,
                  const struct option *option)
{
  char ***secrets = &m->options->secrets;
  int failed = 0;

  if (note->type == AK_T_ENV)
    failed = option->text && ak_secrets_add (secrets, option->text);
  else if (note->flags & AK_SECRET)
    failed =
      ak_secrets_add_value (secrets, value) || (option->text && ak_secrets_add (secrets, option->text));
  m->report.no_memory |= failed;
}

static enum ak_status
add_option (struct making *m, const struct manifest_option *note, struct ak_error **error)
{
  const struct value *value = is_set (m->block, note->key) ? ak_value_get (m->block, note->key) : NULL;
  struct option *option = &m->options->list[m->options->n];
  struct value *fallback = NULL;

  if (!value && note->fallback && !(value = fallback = default_of (m, note, error)))
    return AK_STATUS_INTERNAL;
  if (!value) {
    if (note->flags & AK_REQUIRED)
      ak_report_fault (&m->report, m->at, "Set it in a profile: under `params:`, or under the type's name if that is bundled.",
                       "%s needs the option `%s`", m->manifest->name, note->key);
    return AK_STATUS_OK;
  }
  if (!(option->key = strdup (note->key))) {
    ak_value_free (fallback);
    return ak_fail_memory (error);
  }
  m->options->n++;
  ak_option_read (fallback && note->type != AK_T_ENV ? &m->plugin : &m->report, note, value, option);
  remember_secrets (m, note, value, option);
  if (!fallback) {
    apply_assertion (m, note, option);
    check_excluded (m, note);
  }
  ak_value_free (fallback);
  return AK_STATUS_OK;
}

static enum ak_status
add_options (struct making *m, struct ak_error **error)
{
  enum ak_status status = AK_STATUS_OK;

  m->options->list = calloc (m->manifest->n_options + 1, sizeof *m->options->list);
  if (!m->options->list)
    return ak_fail_memory (error);
  for (size_t i = 0; m->block && i < m->block->n; i++)
    if (!note_of (m->manifest, m->block->keys[i]))
      report_unknown (m, m->block->key_marks[i]);
  for (size_t i = 0; i < m->manifest->n_options && status == AK_STATUS_OK; i++)
    status = add_option (m, &m->manifest->options[i], error);
  if (status == AK_STATUS_OK && note_of (m->manifest, ATTACH_TO) == &attach_to_note)
    status = add_option (m, &attach_to_note, error);
  return status;
}

/* No secrets: every message that names a file below such a folder would lose the folder. */
static const char *const folder_variables[] = { "HOME", "PATH", "TMPDIR", NULL };

static enum ak_status
add_variables (struct making *m, struct ak_error **error)
{
  char *const *names = m->manifest->env;
  struct options *o = m->options;

  o->variables = calloc (ak_strv_length ((const char *const *) names) + 1, sizeof *o->variables);
  if (!o->variables)
    return ak_fail_memory (error);
  for (; *names; names++) {
    const char *value = ak_environ (*names);

    if (!value)
      continue;
    struct variable *v = &o->variables[o->n_variables++];
    v->name = strdup (*names);
    v->value = strdup (value);
    if (!v->name || !v->value
        || (!ak_strv_has (folder_variables, v->name) && ak_secrets_add (&o->secrets, value)))
      return ak_fail_memory (error);
  }
  ak_secrets_sort (o->secrets);
  return AK_STATUS_OK;
}

static enum ak_status
finish (struct making *m, struct ak_error **error)
{
  struct ak_error *fault = NULL;
  enum ak_status status = ak_report_end (&m->plugin, &fault);

  if (status == AK_STATUS_CONFIG)
    status = ak_fail (error, AK_STATUS_PLUGIN, NULL, "%s", ak_error_text (fault));
  else if (status != AK_STATUS_OK)
    status = ak_fail_memory (error);
  ak_error_free (fault);
  enum ak_status own = ak_report_end (&m->report, error);
  return status != AK_STATUS_OK ? status : own;
}

static struct value *
place (const char *where)
{
  struct value_source *source = ak_value_source_new (where);
  struct value *value = source ? ak_value_new (VALUE_NULL, source) : NULL;

  ak_value_source_unref (source);
  return value;
}

enum ak_status
ak_options_new (const struct manifest *manifest, const struct value *block, const char *where,
                struct options **ret, struct ak_error **error)
{
  struct making m = {
    .options = calloc (1, sizeof *m.options), .manifest = manifest, .block = block, .at = place (where)
  };
  enum ak_status status = m.options && m.at ? AK_STATUS_OK : ak_fail_memory (error);

  if (status == AK_STATUS_OK && block && block->kind != VALUE_MAP) {
    ak_report_fault (&m.report, block, NULL, "the options of %s must be a map of keys and values",
                     manifest->name);
    m.block = NULL;
  }
  if (status == AK_STATUS_OK)
    status = add_options (&m, error);
  if (status == AK_STATUS_OK)
    status = add_variables (&m, error);
  enum ak_status found = finish (&m, status == AK_STATUS_OK ? error : NULL);
  ak_value_free (m.at);
  if (status == AK_STATUS_OK)
    status = found;
  if (status != AK_STATUS_OK) {
    ak_options_free (m.options);
    return status;
  }
  *ret = m.options;
  return AK_STATUS_OK;
}

void
ak_options_free (struct options *options)
{
  if (!options)
    return;
  for (size_t i = 0; i < options->n; i++)
    ak_option_clear (&options->list[i]);
  for (size_t i = 0; i < options->n_variables; i++) {
    free (options->variables[i].name);
    free (options->variables[i].value);
  }
  free (options->list);
  free (options->variables);
  ak_strv_free (options->secrets);
  free (options);
}

static const struct option *
find (const struct options *options, const char *key)
{
  for (size_t i = 0; i < options->n; i++)
    if (strcmp (options->list[i].key, key) == 0)
      return &options->list[i];
  return NULL;
}

const char *
ak_options_get (const struct options *options, const char *key)
{
  const struct option *option = find (options, key);

  return option ? option->text : NULL;
}

const char *
ak_options_item (const struct options *options, const char *key, uint32_t i, const char **map_key)
{
  const struct option *option = find (options, key);

  if (!option || i >= option->n_items)
    return NULL;
  if (map_key)
    *map_key = option->item_keys ? option->item_keys[i] : NULL;
  return option->items[i];
}

const char *
ak_options_env (const struct options *options, const char *name)
{
  for (size_t i = 0; i < options->n_variables; i++)
    if (strcmp (options->variables[i].name, name) == 0)
      return options->variables[i].value;
  return NULL;
}

uint32_t
ak_options_asserted (const struct options *options, uint32_t *ret_tier)
{
  *ret_tier = options->tier;
  return options->asserted;
}
