/* SPDX-License-Identifier: Apache-2.0 */
/* aksandbox inspect: what a file says of its providers, without loading it. */
#include "config.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "cleanup.h"
#include "cli.h"
#include "elf-file.h"
#include "error.h"
#include "plugins.h"
#include "strv.h"

/* What is shown of one file. */
struct inspected {
  struct manifest_file file;
  struct elf_needs needs;
  struct stat st;
  const char *provider;         /* only this one, or NULL */
};

/* "fly.so", "./fly.so:fly": here a file may be named as everywhere, and a module is never called so. */
static int
names_file (const char *what)
{
  const char *end = strrchr (what, ':');
  size_t length = end ? (size_t) (end - what) : strlen (what);
  return strchr (what, '/') || (length > 3 && !strncmp (what + length - 3, ".so", 3));
}

static char *
absolute (const char *what)
{
  char *path = NULL;
  CLEANUP_FREE char *here = *what == '/' || !names_file (what) ? NULL : realpath (".", NULL);
  if (!here)
    return strdup (what);
  return asprintf (&path, "%s/%s", here, what) < 0 ? NULL : path;
}

static enum ak_status
parse (const struct cli *cli, const char *what, struct module_path **path, struct type_name *type,
       struct ak_error **error)
{
  CLEANUP_FREE char *name = absolute (what);
  if (!name)
    return ak_fail_memory (error);
  if (*name != '/') {
    enum ak_status status = cli_plugin_path (cli, NULL, path, error);
    if (status != AK_STATUS_OK)
      return status;
  }
  return ak_type_parse (*path, name, 1, type, error);
}

static enum ak_status
read_file (const struct module_path *path, const struct type_name *type, struct inspected *ret,
           struct ak_error **error)
{
  CLEANUP_CLOSE int fd = -1;
  struct elf_file elf;
  enum ak_status status = ak_module_find (path, type, &ret->file, &fd, error);
  if (status != AK_STATUS_OK)
    return status;
  ret->provider = type->provider;
  if (fstat (fd, &ret->st))
    return ak_fail (error, AK_STATUS_PLUGIN, NULL, "%s: cannot be read: %s", ret->file.path,
                    strerror (errno));
  status = ak_elf_open (fd, ret->file.path, &elf, error);
  if (status != AK_STATUS_OK)
    return status;
  status = ak_elf_needs (&elf, &ret->needs, error);
  ak_elf_close (&elf);
  return status;
}

static struct json_object *
json_provider (const struct manifest *m)
{
  struct json_object *object = json_object_new_object ();
  struct cli_granted declared = cli_declared (m);
  cli_add_text (object, "name", m->name);
  cli_add_text (object, "version", m->version);
  json_object_object_add (object, "abi", cli_json_abi (m));
  cli_add_text (object, "summary", m->summary);
  cli_add_text (object, "license", m->license);
  cli_add_text (object, "origin", m->origin);
  json_object_object_add (object, "languages", cli_json_list (m->languages));
  json_object_object_add (object, "env", cli_json_list (m->env));
  cli_add_text (object, "package", m->package);
  cli_add_text (object, "isolation", ak_tier_name (m->tier));
  json_object_object_add (object, "capabilities", cli_json_capabilities (&declared));
  cli_add_text (object, "threads", cli_threads_name (m->threads));
  json_object_object_add (object, "options", cli_json_options (m));
  return object;
}

static int
is_shown (const struct inspected *i, const struct manifest *m)
{
  return !i->provider || !strcmp (i->provider, m->name);
}

static void
print_json (const struct inspected *i)
{
  struct json_object *object = json_object_new_object (), *providers = json_object_new_array ();
  char mode[16];
  snprintf (mode, sizeof mode, "%04o", i->st.st_mode & 07777u);
  cli_add_text (object, "file", i->file.path);
  for (size_t n = 0; n < i->file.n_providers; n++)
    if (is_shown (i, &i->file.providers[n]))
      json_object_array_add (providers, json_provider (&i->file.providers[n]));
  json_object_object_add (object, "providers", providers);
  json_object_object_add (object, "needed", cli_json_list (i->needs.libraries));
  json_object_object_add (object, "runpath", cli_json_list (i->needs.search));
  json_object_object_add (object, "owner", json_object_new_int64 (i->st.st_uid));
  json_object_object_add (object, "mode", json_object_new_string (mode));
  cli_print_object (object);
}

static void
print_text (const struct inspected *i)
{
  CLEANUP_FREE char *needed = ak_strv_join ((const char *const *) i->needs.libraries, ", ");
  CLEANUP_FREE char *search = ak_strv_join ((const char *const *) i->needs.search, ":");
  cli_put (stdout, i->file.path);
  printf ("\n  %-13s user %u, mode %04o\n", "owner", (unsigned) i->st.st_uid, i->st.st_mode & 07777u);
  cli_put_field ("needs", needed);
  cli_put_field ("runpath", search);
  for (size_t n = 0; n < i->file.n_providers; n++) {
    const struct manifest *m = &i->file.providers[n];
    struct cli_granted declared = cli_declared (m);
    if (!is_shown (i, m))
      continue;
    printf ("\n%s ", m->name);
    cli_put (stdout, m->version ? m->version : "(no version)");
    putchar ('\n');
    cli_put_manifest (m, &declared);
  }
}

static int
inspect (struct cli *cli, const char *what)
{
  struct inspected inspected = { 0 };
  struct module_path *path = NULL;
  struct type_name type = { 0 };
  struct ak_error *error = NULL;
  int ret = CLI_OK;
  if (parse (cli, what, &path, &type, &error) != AK_STATUS_OK
      || read_file (path, &type, &inspected, &error) != AK_STATUS_OK)
    ret = cli_fail (cli, error);
  else if (cli->json)
    print_json (&inspected);
  else
    print_text (&inspected);
  ak_manifest_file_clear (&inspected.file);
  ak_elf_needs_clear (&inspected.needs);
  ak_type_clear (&type);
  ak_module_path_free (path);
  return ret;
}

static int
run_inspect (struct cli *cli, struct cli_args *args)
{
  const char *what = NULL;
  for (int id; (id = cli_next (args)) != CLI_END;) {
    if (id == CLI_STOP)
      return cli->status;
    if (what)
      return cli_usage (cli, NULL, "%s: only one file or type can be inspected", args->value);
    what = args->value;
  }
  if (!what)
    return cli_usage (cli, "give a file, FILE:SYMBOL, or a type as in a profile",
                      "inspect: nothing to inspect");
  return inspect (cli, what);
}

const struct cli_command cli_inspect = {
  .name = "inspect",
  .usage = "FILE[:SYMBOL]\nTYPE",
  .summary = "Show what a provider's file says of itself, without loading it.",
  .details = "Without a symbol all providers of the file are shown.",
  .run = run_inspect,
};
