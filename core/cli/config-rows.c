/* SPDX-License-Identifier: Apache-2.0 */
/* The settings that are in force, each with where it came from. */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cleanup.h"
#include "config-commands.h"
#include "configuration-internal.h"
#include "describe.h"
#include "environ.h"

#define HIDDEN "***"

/* Where rows go, and what holds where nothing is written. */
struct rows {
  struct json_object *array;
  const char *unwritten; /* "default", "built-in" */
};

/* Takes `json`. `at`: where it is written, or NULL. */
static void
add_row (const struct rows *rows, const char *key, struct json_object *json, const struct value *at)
{
  struct json_object *row = json_object_new_object ();
  CLEANUP_FREE char *place = at ? ak_value_line (at) : NULL;
  cli_add_text (row, "key", key);
  json_object_object_add (row, "value", json);
  cli_add_text (row, "origin", at ? place : rows->unwritten);
  json_object_array_add (rows->array, row);
}

static struct json_object *
json_string (const char *text)
{
  CLEANUP_FREE char *clean = text ? cli_utf8 (text) : NULL;
  return clean ? json_object_new_string (clean) : NULL;
}

/* The keys of the map that stand in a table are checked, and name no secret. */
static struct json_object *
json_written (const struct value *value)
{
  CLEANUP_FREE char *text = ak_value_json (value);
  return text ? json_tokener_parse (text) : NULL;
}

static const void *
member (const struct field *field, const void *base)
{
  return (const char *) base + field->offset;
}

static struct json_object *
json_number (const struct field *field, const void *base)
{
  uint64_t number;
  memcpy (&number, member (field, base), sizeof number);
  if (number == 0 && field->flags & FIELD_NULLABLE)
    return NULL;
  if (field->kind == FIELD_COUNT)
    return json_object_new_int64 ((int64_t) number);
  if (field->kind == FIELD_MEBIBYTES)
    return json_object_new_int64 ((int64_t) (number >> 20));
  char text[NUMBER_TEXT_SIZE];
  double scaled = (double) number / (field->kind == FIELD_CORES ? 1e3 : 1e9);
  ak_number_text (scaled, text);
  return json_object_new_double_s (scaled, text);
}

static struct json_object *
json_stored (const struct field *field, const void *base)
{
  int number;
  switch (field->kind) {
  case FIELD_TEXT:
    return json_string (*(char *const *) member (field, base));
  case FIELD_TEXTS:
    return cli_json_list (*(char *const *const *) member (field, base));
  case FIELD_BOOL:
  case FIELD_WORD:
    memcpy (&number, member (field, base), sizeof number);
    return field->kind == FIELD_BOOL ? json_object_new_boolean (number)
                                     : json_object_new_string (field->words[number]);
  default:
    return json_number (field, base);
  }
}

static void
add_fields (const struct rows *rows, const char *prefix, const struct field *fields, const void *base,
            const struct value *map)
{
  for (; fields->name; fields++) {
    CLEANUP_FREE char *key = NULL;
    const struct value *value = ak_value_get (map, fields->name);
    int written = value && value->kind != VALUE_NULL;
    if (fields->flags & FIELD_IGNORED || fields->kind == FIELD_MAP
        || asprintf (&key, "%s%s", prefix, fields->name) < 0)
      continue;
    if (fields->kind == FIELD_SECTION) {
      CLEANUP_FREE char *deeper = NULL;
      if (asprintf (&deeper, "%s.", key) >= 0)
        add_fields (rows, deeper, fields->section, base, value);
    } else if (fields->offset != NOT_STORED)
      add_row (rows, key, json_stored (fields, base), written ? value : NULL);
    else if (written)
      add_row (rows, key, json_written (value), value);
  }
}

static struct rows
rows_new (int is_written)
{
  return (struct rows) { json_object_new_array (), is_written ? "default" : "built-in" };
}

struct json_object *
cli_config_rows (const struct config *config)
{
  struct rows rows = rows_new (config->section != NULL);
  add_fields (&rows, "", ak_sandbox_fields, config, config->section);
  if (config->principal)
    add_fields (&rows, "principal.", ak_principal_fields, config->principal,
                ak_value_get (config->section, "principal"));
  return rows.array;
}

struct json_object *
cli_profile_rows (const struct profile_config *profile)
{
  struct rows rows = rows_new (profile->map != NULL);
  add_fields (&rows, "", ak_profile_fields, profile, profile->map);
  return rows.array;
}

/* Inside a map stands what an operator hands to programs: everything but truth values may be a secret. */
static struct json_object *
hide_within (struct json_object *json)
{
  if (json_object_is_type (json, json_type_array)) {
    for (size_t i = 0; i < json_object_array_length (json); i++) {
      struct json_object *item = json_object_array_get_idx (json, i);
      json_object_array_put_idx (json, i, hide_within (json_object_get (item)));
    }
    return json;
  }
  if (json_object_is_type (json, json_type_object)) {
    json_object_object_foreach (json, key, item)
      json_object_object_add (json, key, hide_within (json_object_get (item)));
    return json;
  }
  if (!json || json_object_is_type (json, json_type_boolean))
    return json;
  json_object_put (json);
  return json_object_new_string (HIDDEN);
}

/* scheme://user:password@host */
static int
has_userinfo (const char *text)
{
  const char *host = strstr (text, "://");
  return host && strchr (host, '@');
}

/* A name is shown only if it cannot be the secret itself, pasted in the wrong place. */
static struct json_object *
json_variable (const struct manifest_option *note, const struct value *written)
{
  const char *name = written ? written->text : note->fallback;
  CLEANUP_FREE char *text = NULL;
  if (!name)
    return NULL;
  if (ak_environ (name))
    return asprintf (&text, "$%s", name) < 0 ? NULL : json_string (text);
  if (!note->fallback || strcmp (name, note->fallback))
    return json_string ("a variable that is not set");
  return asprintf (&text, "$%s, which is not set", name) < 0 ? NULL : json_string (text);
}

static struct json_object *
json_option (const struct options *options, const struct manifest_option *note, const struct value *written)
{
  const char *text = ak_options_get (options, note->key);
  if (note->type == AK_T_ENV)
    return json_variable (note, written);
  if (!text)
    return NULL;
  if (note->flags & AK_SECRET || ak_key_is_secret (note->key))
    return json_object_new_string (HIDDEN);
  if (note->type == AK_T_STRING && has_userinfo (text))
    return json_object_new_string (HIDDEN);
  if (note->type == AK_T_MAP || note->type == AK_T_JSON)
    return hide_within (json_tokener_parse (text));
  CLEANUP_FREE char *clean = ak_options_redact (options, text);
  if (note->type == AK_T_STRING || note->type == AK_T_TIER)
    return json_string (clean);
  return clean ? json_tokener_parse (clean) : NULL;
}

/* Of a provider that has no note for it. */
static const struct manifest_option attach_to = { .key = (char[]) { "attach_to" }, .type = AK_T_STRING };

struct json_object *
cli_option_rows (const struct profile_config *profile, const struct profile_view *view)
{
  struct rows rows = rows_new (1);
  const struct value *block = profile->options;
  const struct manifest *m = view->options ? view->manifest : NULL;
  for (size_t i = 0; m && i < m->n_options; i++) {
    const struct manifest_option *note = &m->options[i];
    const struct value *written = ak_value_get (block, note->key);
    add_row (&rows, note->key, json_option (view->options, note, written), written);
  }
  if (m && m->caps & AK_CAP_EXTERNAL && !ak_manifest_option (m, attach_to.key)) {
    const struct value *written = ak_value_get (block, attach_to.key);
    add_row (&rows, attach_to.key, json_option (view->options, &attach_to, written), written);
  }
  for (size_t i = 0; !m && block && i < block->n; i++)
    add_row (&rows, block->keys[i], NULL, block->key_marks[i]);
  return rows.array;
}
