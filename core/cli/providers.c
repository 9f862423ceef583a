/* SPDX-License-Identifier: Apache-2.0 */
/* aksandbox providers: which there are, and whether one works here. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "cleanup.h"
#include "cli.h"
#include "error.h"
#include "factory.h"
#include "plugins.h"

static const struct cli_option providers_options[] = {
  { 'p', "profile", "PROFILE", "the provider of a profile, as its options make it" },
  { 0, NULL, NULL, NULL }
};
static const struct cli_option *const providers_tables[] = { providers_options, NULL };

/* Where the rows go. */
struct table {
  const struct cli *cli;
  struct json_object *array;    /* with --json */
};

enum ak_status
cli_plugin_path (const struct cli *cli, struct config **ret_config, struct module_path **ret,
                 struct ak_error **error)
{
  struct config *config = NULL;
  enum ak_status status = ak_config_load (cli->config_file, &config, error);
  if (status == AK_STATUS_OK)
    status = ak_module_path_new ((const char *const *) config->plugin_path, ret, error);
  if (status == AK_STATUS_OK && ret_config)
    *ret_config = TAKE_PTR (config);
  ak_config_free (config);
  return status;
}

static void
put_row (const struct row *r)
{
  printf ("%-20s %-14s %-10s ", r->name, r->file ? "installed" : "not installed",
          r->manifest && r->manifest->version ? r->manifest->version : "-");
  if (r->error && r->file)
    cli_put (stdout, ak_error_text (r->error));
  else if (r->error)
    cli_put (stdout, r->package ? r->package : "-");
  else {
    printf ("%-14s ", ak_tier_name (r->granted.tier));
    cli_put_capabilities (&r->granted);
  }
  putchar ('\n');
}

static void
add_row (const struct table *table, const struct row *r)
{
  if (table->cli->json)
    json_object_array_add (table->array, cli_json_row (r));
  else
    put_row (r);
}

static void
add_type (const struct table *table, const struct module_path *path, const char *text,
          const struct builtin *b)
{
  CLEANUP_CLOSE int fd = -1;
  CLEANUP_FREE char *refused = NULL;
  struct type_name type = { 0 };
  struct manifest_file file = { 0 };
  struct ak_error *error = NULL;
  struct stat st;
  struct row row = { .name = text, .package = b ? b->package : NULL };
  if (ak_type_parse (path, text, 0, &type, &error) == AK_STATUS_OK
      && ak_module_find (path, &type, &file, &fd, &error) == AK_STATUS_OK) {
    row.manifest = ak_manifest_find (&file, type.provider);
    row.granted = cli_declared (row.manifest);
    row.file = file.path;
    row.package = b ? b->package : row.manifest->package;
    (void) ak_module_admit (row.manifest, file.path, fd, &error);
  } else if (b && asprintf (&refused, "%s/%s.so", ak_module_path_installed (path), b->module) < 0)
    refused = NULL;
  else if (b && !lstat (refused, &st))
    row.file = refused;
  row.error = error;
  add_row (table, &row);
  ak_error_free (error);
  ak_manifest_file_clear (&file);
  ak_type_clear (&type);
}

/* The modules that are no built-in ones. */
struct others {
  const struct table *table;
  const struct module_path *path;
};

static void
add_module (void *data, const char *module, const char *file, const struct manifest_file *manifests,
            const struct ak_error *error)
{
  const struct others *others = data;
  const char *installed = ak_module_path_installed (others->path);
  size_t n = strlen (installed);
  int is_installed = !strncmp (file, installed, n) && file[n] == '/' && !strchr (file + n + 1, '/');
  const struct builtin *b = is_installed ? ak_builtin_find (module) : NULL;
  if (!manifests && !b) {
    struct row row = { .name = module, .file = file, .error = error };
    add_row (others->table, &row);
  }
  for (size_t i = 0; manifests && i < manifests->n_providers; i++) {
    CLEANUP_FREE char *text = NULL;
    const char *name = manifests->providers[i].name;
    if (b && !strcmp (b->symbol, name))
      continue;
    if (asprintf (&text, "%s:%s", module, name) < 0)
      text = NULL;
    else
      add_type (others->table, others->path, text, NULL);
  }
}

static int
list (struct cli *cli)
{
  struct module_path *path = NULL;
  struct ak_error *error = NULL;
  struct table table = { .cli = cli, .array = cli->json ? json_object_new_array () : NULL };
  if (cli_plugin_path (cli, NULL, &path, &error) != AK_STATUS_OK) {
    json_object_put (table.array);
    return cli_fail (cli, error);
  }
  if (!cli->json)
    printf ("%-20s %-14s %-10s %-14s %s\n", "NAME", "", "VERSION", "ISOLATION", "CAPABILITIES");
  for (const struct builtin *b = ak_builtins; b->name; b++)
    add_type (&table, path, b->name, b);
  struct others others = { &table, path };
  if (ak_module_each (path, add_module, &others) != AK_STATUS_OK) {
    ak_module_path_free (path);
    json_object_put (table.array);
    return cli_fail (cli, NULL);
  }
  if (cli->json)
    cli_print_rows (table.array);
  ak_module_path_free (path);
  return CLI_OK;
}

static int
run_providers (struct cli *cli, struct cli_args *args)
{
  const char *name = NULL, *profile = NULL;
  for (int id; (id = cli_next (args)) != CLI_END;) {
    if (id == CLI_STOP)
      return cli->status;
    if (id == 'p')
      profile = args->value;
    else if (name)
      return cli_usage (cli, NULL, "%s: only one provider can be shown in full", args->value);
    else
      name = args->value;
  }
  return name || profile ? cli_show_provider (cli, name, profile) : list (cli);
}

const struct cli_command cli_providers = {
  .name = "providers",
  .usage = "\nNAME\n-p PROFILE",
  .summary = "Show which providers there are and what they can do.",
  .details =
    "The table loads nothing. A provider that is named is shown in full with its options, loaded and asked"
    " whether it can work on this machine; the status is 0 only if it can. With a profile it has that"
    " profile's options, and what holds by the operator's word is marked as asserted.",
  .options = providers_tables,
  .run = run_providers,
};
