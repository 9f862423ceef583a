/* SPDX-License-Identifier: Apache-2.0 */
/* aksandbox config show: the settings in force, and where each came from. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "cleanup.h"
#include "config-commands.h"
#include "describe.h"
#include "error.h"
#include "module-path.h"

static struct json_object *
json_profile (const struct module_path *path, const struct profile_config *p)
{
  struct json_object *object = json_object_new_object ();
  struct profile_view view;
  struct ak_error *error = NULL;
  (void) ak_profile_view (path, p, &view, &error);
  cli_add_text (object, "name", p->name);
  cli_add_text (object, "where", p->where);
  json_object_object_add (object, "settings", cli_profile_rows (p));
  json_object_object_add (object, "options", cli_option_rows (p, &view));
  cli_add_text (object, "problem", error ? ak_error_text (error) : NULL);
  ak_error_free (error);
  ak_profile_view_clear (&view);
  return object;
}

static struct json_object *
json_config (const struct config *config, const struct module_path *path)
{
  struct json_object *object = json_object_new_object (), *profiles = json_object_new_array ();
  cli_add_text (object, "file", config->file);
  json_object_object_add (object, "settings", cli_config_rows (config));
  for (size_t i = 0; i < config->n_profiles; i++)
    if (config->profiles[i]->type)
      json_object_array_add (profiles, json_profile (path, config->profiles[i]));
  json_object_object_add (object, "profiles", profiles);
  return object;
}

static const char *
text_of (struct json_object *object, const char *key)
{
  return json_object_get_string (json_object_object_get (object, key));
}

/* "VALUE", with its quotes only where it is part of a list or map; `unknown` for null. */
static void
put_value (struct json_object *value, const char *unknown)
{
  const char *text = value ? json_object_get_string (value) : unknown;
  if (value && !json_object_is_type (value, json_type_string))
    text = json_object_to_json_string_ext (value, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);
  cli_put (stdout, text);
  printf ("%*s", strlen (text) < 28 ? 28 - (int) strlen (text) : 0, "");
}

static void
print_rows (struct json_object *rows, const char *prefix, const char *unknown)
{
  for (size_t i = 0; i < json_object_array_length (rows); i++) {
    struct json_object *row = json_object_array_get_idx (rows, i);
    const char *key = text_of (row, "key");
    size_t width = strlen (prefix) + strlen (key);
    printf ("  %s", prefix);
    cli_put (stdout, key);
    printf ("%*s ", width < 28 ? 28 - (int) width : 0, "");
    put_value (json_object_object_get (row, "value"), unknown);
    putchar (' ');
    cli_put (stdout, text_of (row, "origin"));
    putchar ('\n');
  }
}

static void
print_profile (struct json_object *profile)
{
  const char *problem = text_of (profile, "problem");
  fputs ("\nprofile ", stdout);
  cli_put (stdout, text_of (profile, "name"));
  putchar ('\n');
  print_rows (json_object_object_get (profile, "settings"), "", "-");
  print_rows (json_object_object_get (profile, "options"), "options.", problem ? "(not known)" : "-");
  cli_put_field ("problem", problem);
}

static void
print_text (struct json_object *object)
{
  struct json_object *profiles = json_object_object_get (object, "profiles");
  const char *file = text_of (object, "file");
  cli_put (stdout, file ? file : "no file");
  putchar ('\n');
  print_rows (json_object_object_get (object, "settings"), "", "-");
  for (size_t i = 0; i < json_object_array_length (profiles); i++)
    print_profile (json_object_array_get_idx (profiles, i));
}

int
cli_config_show (struct cli *cli)
{
  struct config *config = NULL;
  struct module_path *path = NULL;
  struct ak_error *error = NULL;
  enum ak_status status = ak_config_load (cli->config_file, &config, &error);
  if (status == AK_STATUS_OK)
    status = ak_module_path_new ((const char *const *) config->plugin_path, &path, &error);
  if (status != AK_STATUS_OK) {
    ak_config_free (config);
    return cli_fail (cli, error);
  }
  struct json_object *object = json_config (config, path);
  if (cli->json)
    cli_print_object (object);
  else {
    print_text (object);
    json_object_put (object);
  }
  ak_module_path_free (path);
  ak_config_free (config);
  return CLI_OK;
}
