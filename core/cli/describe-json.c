/* SPDX-License-Identifier: Apache-2.0 */
/* What a provider says of itself, as JSON. */
#include "config.h"
#include <string.h>
#include "cleanup.h"
#include "cli.h"
#include "describe.h"
#include "strv.h"

const char *
cli_type_name (uint32_t type)
{
  static const char *const names[] = {
    [AK_T_STRING] = "string", [AK_T_INT] = "int",   [AK_T_FLOAT] = "float",
    [AK_T_BOOL] = "bool",     [AK_T_LIST] = "list", [AK_T_MAP] = "map",
    [AK_T_JSON] = "json",     [AK_T_TIER] = "tier", [AK_T_ENV] = "env",
  };
  return type && type < sizeof names / sizeof *names ? names[type] : "unknown";
}

static struct json_object *
json_text (const char *text)
{
  CLEANUP_FREE char *clean = text ? cli_utf8 (text) : NULL;
  return clean ? json_object_new_string (clean) : NULL;
}

void
cli_add_text (struct json_object *object, const char *key, const char *text)
{
  json_object_object_add (object, key, json_text (text));
}

struct json_object *
cli_json_list (char *const *list)
{
  struct json_object *array = json_object_new_array ();
  for (; list && *list; list++)
    json_object_array_add (array, json_text (*list));
  return array;
}

struct json_object *
cli_json_capabilities (const struct cli_granted *granted)
{
  struct json_object *object = json_object_new_object ();
  cli_add_text (object, "isolation", ak_tier_name (granted->tier));
  for (const struct capability_name *c = ak_capability_names; c->name; c++) {
    json_object_object_add (object, c->name, json_object_new_boolean ((granted->caps & c->any_of) != 0));
    if (c->any_of == AK_CAP_SHELL)
      json_object_object_add (object, "languages", cli_json_list (granted->languages));
  }
  return object;
}

static struct json_object *
names_of (uint32_t caps, int isolation)
{
  struct json_object *array = json_object_new_array ();
  if (isolation)
    json_object_array_add (array, json_object_new_string ("isolation"));
  for (const struct capability_name *c = ak_capability_names; c->name; c++)
    if (caps & c->any_of)
      json_object_array_add (array, json_object_new_string (c->name));
  return array;
}

struct json_object *
cli_json_asserted (const struct cli_granted *granted)
{
  return names_of (granted->asserted & granted->caps, granted->tier_asserted);
}

struct json_object *
cli_json_abi (const struct manifest *manifest)
{
  struct json_object *object = json_object_new_object ();
  json_object_object_add (object, "major", json_object_new_int64 (manifest->major));
  json_object_object_add (object, "minor", json_object_new_int64 (manifest->minor));
  return object;
}

static struct json_object *
json_option (const struct manifest_option *o)
{
  struct json_object *object = json_object_new_object ();
  char **choices = o->choices ? ak_strv_split (o->choices) : NULL;
  char **excludes = o->excludes ? ak_strv_split (o->excludes) : NULL;
  cli_add_text (object, "key", o->key);
  cli_add_text (object, "type", cli_type_name (o->type));
  json_object_object_add (object, "required", json_object_new_boolean ((o->flags & AK_REQUIRED) != 0));
  json_object_object_add (object, "secret",
                          json_object_new_boolean ((o->flags & AK_SECRET) || o->type == AK_T_ENV));
  cli_add_text (object, "default", o->fallback);
  cli_add_text (object, "min", o->min);
  cli_add_text (object, "max", o->max);
  json_object_object_add (object, "choices", choices ? cli_json_list (choices) : NULL);
  json_object_object_add (object, "asserts", names_of (o->asserts, o->type == AK_T_TIER));
  cli_add_text (object, "help", o->help);
  json_object_object_add (object, "excludes", excludes ? cli_json_list (excludes) : NULL);
  ak_strv_free (choices);
  ak_strv_free (excludes);
  return object;
}

struct json_object *
cli_json_options (const struct manifest *manifest)
{
  struct json_object *array = json_object_new_array ();
  for (size_t i = 0; i < manifest->n_options; i++)
    json_object_array_add (array, json_option (&manifest->options[i]));
  return array;
}

void
cli_print_object (struct json_object *object)
{
  cli_print_json (
    json_object_to_json_string_ext (object, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE));
  json_object_put (object);
}
