/* SPDX-License-Identifier: Apache-2.0 */
/* The `sandbox:` section: its own keys, its profiles, and what is refused by name. */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cleanup.h"
#include "configuration-internal.h"
#include "environ.h"
#include "strv.h"

#define DAY 86400.0
#define GIBIBYTE 1073741824.0
#define PROFILE_NAME_MAX 128

static const struct field broker_fields[] = {
  { .name = "flavor", .kind = FIELD_TEXT, .offset = NOT_STORED },
  { .name = "wait_timeout", .kind = FIELD_SECONDS, .max = 30 * DAY, .offset = NOT_STORED },
  { .name = "wait_poll_interval",
    .kind = FIELD_SECONDS,
    .flags = FIELD_ABOVE,
    .max = DAY,
    .offset = NOT_STORED },
  { .name = "inline_payload_max_bytes",
    .kind = FIELD_COUNT,
    .min = 1,
    .max = GIBIBYTE,
    .offset = NOT_STORED },
  { .name = "response_ttl",
    .kind = FIELD_SECONDS,
    .flags = FIELD_ABOVE,
    .max = 365 * DAY,
    .offset = NOT_STORED },
  { .name = "sweep_interval",
    .kind = FIELD_SECONDS,
    .flags = FIELD_ABOVE,
    .max = 30 * DAY,
    .offset = NOT_STORED },
  { .name = "worker_timeout_ceiling",
    .kind = FIELD_SECONDS,
    .flags = FIELD_NULLABLE | FIELD_ABOVE,
    .max = 30 * DAY,
    .offset = NOT_STORED },
  { .name = "queue", .kind = FIELD_MAP, .flags = FIELD_IGNORED, .offset = NOT_STORED },
  { .name = "response_store", .kind = FIELD_MAP, .flags = FIELD_IGNORED, .offset = NOT_STORED },
  { .name = "request_queue_url", .kind = FIELD_TEXT, .flags = FIELD_IGNORED, .offset = NOT_STORED },
  { .name = "object_store_bucket", .kind = FIELD_TEXT, .flags = FIELD_IGNORED, .offset = NOT_STORED },
  { .name = NULL }
};

const struct field ak_sandbox_fields[] = {
  { .name = "enabled", .kind = FIELD_BOOL, .offset = offsetof (struct config, enabled) },
  { .name = "agents", .kind = FIELD_TEXTS, .flags = FIELD_NULLABLE, .offset = NOT_STORED },
  { .name = "default_profile", .kind = FIELD_TEXT, .offset = offsetof (struct config, default_profile) },
  { .name = "principal_resolver", .kind = FIELD_TEXT, .flags = FIELD_NULLABLE, .offset = NOT_STORED },
  { .name = "principal", .kind = FIELD_MAP, .flags = FIELD_NULLABLE, .offset = NOT_STORED },
  { .name = "tool_output_max_chars",
    .kind = FIELD_COUNT,
    .min = 1,
    .max = GIBIBYTE,
    .offset = offsetof (struct config, output_limit) },
  { .name = "broker", .kind = FIELD_SECTION, .section = broker_fields, .offset = NOT_STORED },
  { .name = "profiles", .kind = FIELD_MAP, .flags = FIELD_NULLABLE, .offset = NOT_STORED },
  { .name = "plugin_path",
    .kind = FIELD_TEXTS,
    .flags = FIELD_NULLABLE,
    .offset = offsetof (struct config, plugin_path) },
  { .name = "request_queue_url", .kind = FIELD_TEXT, .flags = FIELD_IGNORED, .offset = NOT_STORED },
  { .name = "object_store_bucket", .kind = FIELD_TEXT, .flags = FIELD_IGNORED, .offset = NOT_STORED },
  { .name = NULL }
};

static const char *const mode_words[] = { "agent", "user", NULL };
const struct field ak_principal_fields[] = {
  { .name = "mode",
    .kind = FIELD_WORD,
    .words = mode_words,
    .offset = offsetof (struct principal_config, user) },
  { .name = "subject", .kind = FIELD_TEXT, .offset = offsetof (struct principal_config, subject) },
  { .name = "groups",
    .kind = FIELD_TEXTS,
    .flags = FIELD_NULLABLE,
    .offset = offsetof (struct principal_config, groups) },
  { .name = "credentials", .kind = FIELD_MAP, .flags = FIELD_NULLABLE, .offset = NOT_STORED },
  { .name = NULL }
};

static void
read_credentials (struct report *report, const struct value *map, struct principal_config *principal)
{
  for (size_t i = 0; map && map->kind == VALUE_MAP && i < map->n; i++) {
    const char *name;
    struct reason reason;

    if (ak_value_as_text (map->items[i], &name, &reason) || !ak_environ_is_name (name))
      ak_report_fault (report, map->items[i], "The value itself stays out of the configuration.",
                       "credentials: must be the name of an environment variable");
    else if (ak_strv_add (&principal->credentials, map->keys[i])
             || ak_strv_add (&principal->credentials, name))
      report->no_memory = 1;
  }
}

static void
read_principal (struct report *report, const struct value *map, struct config *config)
{
  struct principal_config *p = calloc (1, sizeof *p);
  struct known_keys known = { .fields = ak_principal_fields };

  if (!p || !(p->groups = calloc (1, sizeof *p->groups))
      || !(p->credentials = calloc (1, sizeof *p->credentials)))
    report->no_memory = 1;
  config->principal = p;
  if (report->no_memory)
    return;
  ak_fields_check_keys (report, map, &known);
  ak_fields_read (report, map, ak_principal_fields, p);
  read_credentials (report, ak_value_get (map, "credentials"), p);
  if (!ak_value_get (map, "subject"))
    ak_report_fault (report, map, NULL, "principal: needs a subject");
}

/* A name of Python's for what is a provider, a resolver or a broker here: module.Class */
static int
is_python_name (const char *text)
{
  return strchr (text, '.') && !strchr (text, ':') && !strchr (text, '/');
}

static void
read_resolver (struct report *report, const struct value *sandbox, struct config *config)
{
  const struct value *value = ak_value_get (sandbox, "principal_resolver"),
                     *block = ak_value_get (sandbox, "principal");
  const char *name = value && value->kind == VALUE_TEXT ? value->text : "agent";
  struct echo echo;

  if (strcmp (name, "static") == 0 && block && block->kind == VALUE_MAP)
    read_principal (report, block, config);
  else if (strcmp (name, "static") == 0)
    ak_report_fault (report, value, "Add it with mode, subject, groups and credentials.",
                     "principal_resolver: static needs a block `principal:`");
  else if (strcmp (name, "agent") == 0) {
    if (block && block->kind != VALUE_NULL)
      ak_report_warning (report, block, "principal: has no effect without principal_resolver: static");
  } else if (is_python_name (name))
    ak_report_fault (
      report, value, "Remove the line, or set `principal_resolver: static` and a block `principal:`.",
      "principal_resolver: must not be a Python class%s", ak_echo (&echo, "principal_resolver", value));
  else
    ak_report_fault (report, value, NULL, "principal_resolver: must be agent or static%s",
                     ak_echo (&echo, "principal_resolver", value));
}

static void
check_flavor (struct report *report, const struct value *sandbox)
{
  const struct value *value = ak_value_get (ak_value_get (sandbox, "broker"), "flavor");
  const char *name = value && value->kind == VALUE_TEXT ? value->text : "thread";
  struct echo echo;

  if (strcmp (name, "thread") == 0 || strcmp (name, "embedded") == 0 || !*name)
    return;
  if (strcmp (name, "queue") == 0)
    ak_report_fault (report, value, "Set `flavor: thread`, or `embedded`.",
                     "broker.flavor: queue is Agent Kernel's alone; sandboxes are served in this process");
  else if (is_python_name (name))
    ak_report_fault (report, value, "Set `flavor: thread`, or `embedded`.",
                     "broker.flavor: must not be a Python class%s", ak_echo (&echo, "flavor", value));
  else
    ak_report_fault (report, value, NULL, "broker.flavor: must be thread or embedded%s",
                     ak_echo (&echo, "flavor", value));
}

static void
check_plugin_path (struct report *report, const struct value *list)
{
  struct echo echo;

  for (size_t i = 0; list && list->kind == VALUE_LIST && i < list->n; i++)
    if (list->items[i]->kind == VALUE_TEXT && *list->items[i]->text && *list->items[i]->text != '/')
      ak_report_fault (report, list->items[i], NULL, "plugin_path: must be absolute%s",
                       ak_echo (&echo, "plugin_path", list->items[i]));
}

/* It becomes part of session ids and of labels. */
static int
is_profile_name (const char *name)
{
  size_t n = 0;

  for (; name[n]; n++)
    if ((unsigned char) name[n] < 0x20 || name[n] == 0x7f)
      return 0;
  return n <= PROFILE_NAME_MAX;
}

static void
add_profile (struct report *report, const struct value *map, const struct value *key, const char *name,
             const struct field *fields, struct config *config)
{
  struct profile_config *p, **grown;

  if (!is_profile_name (name)) {
    ak_report_fault (report, key, NULL,
                     "a profile's name must have at most %d bytes, none of them a control character",
                     PROFILE_NAME_MAX);
    return;
  }
  grown = realloc (config->profiles, (config->n_profiles + 1) * sizeof *grown);
  p = grown ? ak_profile_new (name) : NULL;
  if (grown)
    config->profiles = grown;
  if (!p) {
    report->no_memory = 1;
    return;
  }
  config->profiles[config->n_profiles++] = p;
  ak_profile_read (report, map, key, 0, fields, p);
  if (config->enabled && (map->kind == VALUE_MAP || map->kind == VALUE_NULL))
    ak_profile_check (report, key, p);
}

static const struct value *
mark_of (const struct value *map, const char *key)
{
  size_t i = ak_value_index (map, key);

  return i < map->n ? map->key_marks[i] : map;
}

static void
read_profiles (struct report *report, const struct value *sandbox, struct config *config)
{
  const struct value *profiles = ak_value_get (sandbox, "profiles"), *type = ak_value_get (sandbox, "type");
  int sugar = type && type->kind != VALUE_NULL;

  if (profiles && profiles->kind == VALUE_MAP && profiles->n > 0) {
    for (size_t i = 0; i < profiles->n; i++)
      add_profile (report, profiles->items[i], profiles->key_marks[i], profiles->keys[i], ak_profile_fields,
                   config);
    if (sugar)
      ak_report_warning (report, mark_of (sandbox, "type"), "type: has no effect beside `profiles:`");
  } else if (sugar)
    add_profile (report, sandbox, mark_of (sandbox, "type"), config->default_profile, ak_profile_sugar_fields,
                 config);
}

static void
check_default_profile (struct report *report, const struct value *sandbox, const struct config *config)
{
  char **names = NULL;
  CLEANUP_FREE char *joined = NULL;

  for (size_t i = 0; i < config->n_profiles; i++) {
    if (strcmp (config->profiles[i]->name, config->default_profile) == 0) {
      ak_strv_free (names);
      return;
    }
    if (ak_key_is_shown (config->profiles[i]->name))
      report->no_memory |= ak_strv_add (&names, config->profiles[i]->name) != 0;
  }
  joined = ak_strv_join ((const char *const *) names, ", ");
  ak_report_fault (report, mark_of (sandbox, "default_profile"),
                   "Add that profile below `profiles:`, or name another as `default_profile:`.",
                   "default_profile: there is no profile '%.64s'; there %s%s", config->default_profile,
                   names ? "are: " : "is none", names && joined ? joined : "");
  ak_strv_free (names);
}

static void
say_how_to_enable (struct report *report, const struct value *sandbox, const struct value *key,
                   struct config *config)
{
  const struct value *enabled = ak_value_get (sandbox, "enabled");
  const struct value *at = enabled ? mark_of (sandbox, "enabled") : key;
  const char *what = enabled ? "set `enabled: true`" : "add `enabled: true` below `sandbox:`";
  char *hint = NULL;

  config->enable_where = ak_value_line (at);
  if (!config->enable_where)
    report->no_memory = 1;
  else if (at->line == 0)
    hint = strdup ("Set the environment variable AK_SANDBOX__ENABLED=true.");
  else if (asprintf (&hint, "%s: %s", config->enable_where, what) < 0)
    hint = NULL;
  config->enable_hint = hint;
  report->no_memory |= !hint;
}

void
ak_sandbox_read (struct report *report, const struct value *sandbox, const struct value *key,
                 struct config *config)
{
  struct known_keys known = {
    .fields = ak_sandbox_fields,
    .more = ak_profile_sugar_fields,
    .blocks = 1,
    .elsewhere = ak_profile_fields,
    .elsewhere_hint = "It belongs in a profile, below `profiles:` and the profile's name.",
  };

  ak_fields_check_keys (report, sandbox, &known);
  ak_fields_read (report, sandbox, ak_sandbox_fields, config);
  check_plugin_path (report, ak_value_get (sandbox, "plugin_path"));
  check_flavor (report, sandbox);
  read_resolver (report, sandbox, config);
  read_profiles (report, sandbox, config);
  if (!config->enabled)
    say_how_to_enable (report, sandbox, key, config);
  else
    check_default_profile (report, sandbox, config);
}
