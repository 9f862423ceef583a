/* SPDX-License-Identifier: Apache-2.0 */
/* aksandbox doctor: what works on this machine, and what to do for the rest. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "cleanup.h"
#include "config-commands.h"
#include "doctor.h"
#include "error.h"
#include "factory.h"
#include "module-path.h"
#include "paths.h"
#include "plugins.h"
#include "trust.h"

#define PATIENCE_NS 10000000000u /* for a provider that nobody configured */

static void
check_runner (struct cli_checks *checks)
{
  CLEANUP_CLOSE int fd = -1;
  struct ak_error *error = NULL;
  if (ak_paths_runner (NULL, &fd, &error) == AK_STATUS_OK)
    cli_checks_add (checks, CHECK_OK, "runner", "there is one for this machine", NULL);
  else
    cli_checks_add_error (checks, CHECK_FAIL, "runner", error);
  ak_error_free (error);
}

static void
check_folder (struct cli_checks *checks, const char *folder)
{
  CLEANUP_CLOSE int fd = -1;
  struct ak_error *error = NULL;
  enum ak_status status = ak_trust_open_dir (folder, &fd, &error);
  if (status == AK_STATUS_OK)
    cli_checks_add (checks, CHECK_OK, "plugin path", folder, NULL);
  else
    cli_checks_add_error (checks, status == AK_STATUS_FILE_NOT_FOUND ? CHECK_WARN : CHECK_FAIL, "plugin path",
                          error);
  ak_error_free (error);
}

static void
add_findings (struct cli_checks *checks, const char *name, const struct instance *i)
{
  for (size_t n = 0; n < i->n_findings; n++) {
    const char *said = i->findings[n].verdict ? i->findings[n].verdict : "";
    const char *verdict = !strcmp (said, CHECK_FAIL)   ? CHECK_FAIL
                          : !strcmp (said, CHECK_WARN) ? CHECK_WARN
                                                       : CHECK_OK;
    cli_checks_add (checks, verdict, name, i->findings[n].text, NULL);
  }
}

static void
add_usable (struct cli_checks *checks, const char *name, const struct subject *s)
{
  CLEANUP_FREE char *text = NULL;
  const char *version = s->row.manifest->version, *tier = ak_tier_name (s->row.granted.tier);
  if (asprintf (&text, "version %s, isolation %s%s", version ? version : "unknown", tier,
                s->instance ? "" : "; it loads, and a profile says what it attaches to")
      < 0)
    text = NULL;
  cli_checks_add (checks, CHECK_OK, name, text, NULL);
}

/* What is not installed, or waits for options, need not be missed. */
static const char *
verdict_of (const struct subject *s, const struct ak_error *error)
{
  if (!s->row.file)
    return CHECK_WARN;
  return ak_error_status (error) == AK_STATUS_CONFIG || ak_error_status (error) == AK_STATUS_AUTH
           ? CHECK_WARN
           : CHECK_FAIL;
}

static void
check_provider (struct cli_checks *checks, struct module_path *path, const struct builtin *b)
{
  CLEANUP_FREE char *name = NULL;
  struct subject subject = { .path = path, .patience_ns = PATIENCE_NS, .row = { .name = b->name } };
  struct type_name type = { .module = (char *) (uintptr_t) b->module, .builtin = 1 };
  struct ak_error *error = NULL;
  if (asprintf (&name, "provider %s", b->name) < 0)
    name = NULL;
  enum ak_status status = cli_subject_ask (&subject, &error);
  if (status == AK_STATUS_OK)
    add_usable (checks, name, &subject);
  else if (!subject.row.instance)
    cli_checks_add_error (
      checks,
      !subject.row.file && ak_module_is_there (path, &type) ? CHECK_FAIL : verdict_of (&subject, error), name,
      error);
  if (subject.row.instance)
    add_findings (checks, name, subject.row.instance);
  ak_error_free (error);
  subject.path = NULL;
  cli_subject_clear (&subject);
}

/* What `aksandbox run CODE` would use. NULL: it works. */
static struct ak_error *
default_error (struct cli *cli, struct module_path *path, const struct config *config)
{
  struct subject subject = { .path = path };
  struct cli_where nothing = { .profile = NULL };
  struct ak_error *error = NULL;
  enum ak_status status = ak_config_profile (config, NULL, &subject.profile, &error);
  if (status == AK_STATUS_OK) {
    subject.row.name = subject.profile->type;
    status = cli_subject_ask (&subject, &error);
    cli_where_ways_on (&nothing, cli, error);
  }
  subject.path = NULL;
  cli_subject_clear (&subject);
  return error;
}

static void
check_default (struct cli_checks *checks, const struct config *config, const struct ak_error *error)
{
  CLEANUP_FREE char *text = NULL;
  const struct profile_config *profile = NULL;
  if (error) {
    cli_checks_add_error (checks, CHECK_FAIL, "default", error);
    return;
  }
  if (ak_config_profile (config, NULL, &profile, NULL) != AK_STATUS_OK
      || asprintf (&text, "run works: profile '%s', type %s", profile->name, profile->type) < 0)
    text = NULL;
  cli_checks_add (checks, CHECK_OK, "default", text, NULL);
}

static void
check_path (struct cli_checks *checks, const struct module_path *path, const struct ak_error *error)
{
  const char *folder;
  if (!path)
    cli_checks_add_error (checks, CHECK_FAIL, "plugin path", error);
  for (size_t i = 0; path && (folder = ak_module_path_folder (path, i)); i++)
    check_folder (checks, folder);
}

/* Returns why the default way does not work, or NULL. */
static struct ak_error *
check_all (struct cli *cli, struct cli_checks *checks)
{
  struct config *config = NULL;
  struct module_path *path = NULL;
  struct ak_error *unread = NULL, *no_path = NULL, *why = NULL;
  (void) ak_config_load_faulty (cli->config_file, &config, &unread);
  (void) ak_module_path_new (config ? (const char *const *) config->plugin_path : NULL, &path, &no_path);
  if (!unread && !no_path)
    why = default_error (cli, path, config);
  check_default (checks, config, unread ? unread : no_path ? no_path : why);
  cli_checks_add_config (checks, config, unread);
  check_path (checks, path, no_path);
  check_runner (checks);
  cli_doctor_kernel (checks);
  for (const struct builtin *b = ak_builtins; path && b->name; b++)
    check_provider (checks, path, b);
  ak_module_path_free (path);
  ak_config_free (config);
  if (unread || no_path) {
    ak_error_free (unread ? no_path : NULL);
    return unread ? unread : no_path;
  }
  return why;
}

static int
run_doctor (struct cli *cli, struct cli_args *args)
{
  struct cli_checks checks = { NULL, 0 };
  for (int id; (id = cli_next (args)) != CLI_END;) {
    if (id == CLI_STOP)
      return cli->status;
    return cli_usage (cli, "'providers NAME' asks about one of them", "%s: doctor looks at everything",
                      args->value);
  }
  struct ak_error *why = check_all (cli, &checks);
  if (cli->json) {
    struct json_object *object = json_object_new_object ();
    json_object_object_add (object, "checks", cli_checks_json (&checks));
    cli_print_object (object);
  } else {
    if (why)
      cli_also (why);
    cli_checks_print (&checks, 1);
  }
  int ret = why ? CLI_ERROR : CLI_OK;
  ak_error_free (why);
  cli_checks_clear (&checks);
  return ret;
}

const struct cli_command cli_doctor = {
  .name = "doctor",
  .usage = "",
  .summary = "Look at this machine: what works, and what to install or set.",
  .details =
    "The configuration, the plugin path, the runner, what the kernel gives, and each bundled provider,"
    " which is loaded and asked. The status is 0 when the default profile works, else 125.",
  .run = run_doctor,
};
