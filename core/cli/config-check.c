/* SPDX-License-Identifier: Apache-2.0 */
/* aksandbox config check: every fault of every profile, with nothing loaded. */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include "checks.h"
#include "cleanup.h"
#include "config-commands.h"
#include "describe.h"
#include "error.h"
#include "module-path.h"

/* The reader of the configuration has said it already. */
static int
was_told (const struct profile_config *p, const struct profile_view *view)
{
  return view->options && view->fault
         && view->fault
              == ak_lifecycle_fault (p->attached, LIFECYCLE_ANY, ak_options_get (view->options, "attach_to"));
}

static void
add_good (struct cli_checks *checks, const char *name, const struct profile_config *p,
          const struct profile_view *view)
{
  CLEANUP_FREE char *text = NULL;
  const char *version = view->manifest->version;
  if (asprintf (&text, "%s: type %s%s%s", p->where, p->type, version ? ", version " : "",
                version ? version : "")
      < 0)
    text = NULL;
  cli_checks_add (checks, CHECK_OK, name, text, NULL);
}

/* When reading it found faults, nobody knows which profile is without. */
static void
check_profile (struct cli_checks *checks, const struct module_path *path, const struct profile_config *p,
               int faulty)
{
  CLEANUP_FREE char *name = NULL;
  struct profile_view view;
  struct ak_error *error = NULL;
  enum profile_verdict verdict = ak_profile_view (path, p, &view, &error);
  if (asprintf (&name, "profile %s", p->name) < 0)
    name = NULL;
  if (verdict == PROFILE_GOOD && !faulty)
    add_good (checks, name, p, &view);
  else if (verdict != PROFILE_GOOD && (!faulty || !was_told (p, &view)))
    cli_checks_add_error (checks, verdict == PROFILE_ABSENT ? CHECK_WARN : CHECK_FAIL, name, error);
  ak_error_free (error);
  ak_profile_view_clear (&view);
}

static void
check_section (struct cli_checks *checks, const struct config *config)
{
  CLEANUP_FREE char *text = NULL;
  if (!config->enabled
      && asprintf (&text, "%s: sandboxes are disabled (enabled: false), and so are the profiles",
                   config->enable_where ? config->enable_where : "configuration")
           >= 0)
    cli_checks_add (checks, CHECK_WARN, "configuration", text, config->enable_hint);
  else if (!config->file && !config->section)
    cli_checks_add (checks, CHECK_OK, "configuration", "there is none, and the built-in profile is in force",
                    NULL);
  else
    cli_checks_add (checks, CHECK_OK, "configuration", config->file ? config->file : "of the environment",
                    NULL);
  for (char **w = config->warnings; w && *w; w++)
    cli_checks_add (checks, CHECK_WARN, "configuration", *w, NULL);
}

void
cli_checks_add_config (struct cli_checks *checks, const struct config *config, const struct ak_error *error)
{
  struct module_path *path = NULL;
  struct ak_error *wrong = NULL;
  if (error)
    cli_checks_add_error (checks, CHECK_FAIL, "configuration", error);
  else
    check_section (checks, config);
  if (!config || !config->enabled)
    return;
  if (ak_module_path_new ((const char *const *) config->plugin_path, &path, &wrong) != AK_STATUS_OK)
    cli_checks_add_error (checks, CHECK_FAIL, "plugin path", wrong);
  for (size_t i = 0; path && i < config->n_profiles; i++)
    if (config->profiles[i]->type)
      check_profile (checks, path, config->profiles[i], error != NULL);
  ak_error_free (wrong);
  ak_module_path_free (path);
}

static void
print_json (const struct config *config, const struct cli_checks *checks)
{
  struct json_object *object = json_object_new_object ();
  cli_add_text (object, "file", config ? config->file : NULL);
  json_object_object_add (object, "enabled", json_object_new_boolean (config && config->enabled));
  json_object_object_add (object, "checks", cli_checks_json (checks));
  cli_print_object (object);
}

int
cli_config_check (struct cli *cli)
{
  struct cli_checks checks = { NULL, 0 };
  struct config *config = NULL;
  struct ak_error *error = NULL;
  (void) ak_config_load_faulty (cli->config_file, &config, &error);
  cli_checks_add_config (&checks, config, error);
  int failed = cli_checks_failed (&checks);
  if (cli->json)
    print_json (config, &checks);
  else {
    cli_checks_say_failed (&checks);
    cli_checks_print (&checks, 0);
  }
  cli_checks_clear (&checks);
  ak_error_free (error);
  ak_config_free (config);
  return failed ? CLI_ERROR : CLI_OK;
}
