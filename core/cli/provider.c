/* SPDX-License-Identifier: Apache-2.0 */
/* aksandbox providers NAME: one provider in full, loaded and asked whether it works here. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "cleanup.h"
#include "cli.h"
#include "error.h"
#include "factory.h"
#include "plugins.h"

#define NO_REGISTRY "00000000-0000-0000-0000-000000000000"      /* nothing is made that would carry it */

static struct json_object *
json_findings (const struct instance *i)
{
  struct json_object *array = json_object_new_array ();
  for (size_t n = 0; n < i->n_findings; n++) {
    struct json_object *object = json_object_new_object ();
    cli_add_text (object, "verdict", i->findings[n].verdict);
    cli_add_text (object, "text", i->findings[n].text);
    json_object_array_add (array, object);
  }
  return array;
}

/* Lines. NULL: no memory. */
static char *
reason_and_remedy (const struct ak_error *error)
{
  const char *hint = ak_error_hint (error);
  char *text = NULL;
  if (!hint)
    return strdup (ak_error_text (error));
  return asprintf (&text, "%s\n%s", ak_error_text (error), hint) < 0 ? NULL : text;
}

struct json_object *
cli_json_row (const struct row *r)
{
  struct json_object *object = json_object_new_object ();
  const struct manifest *m = r->manifest;
  CLEANUP_FREE char *why = r->error ? reason_and_remedy (r->error) : NULL;
  cli_add_text (object, "name", r->name);
  json_object_object_add (object, "installed", json_object_new_boolean (r->file != NULL));
  cli_add_text (object, "file", r->file);
  cli_add_text (object, "package", r->package);
  cli_add_text (object, "version", m ? m->version : NULL);
  json_object_object_add (object, "abi", m ? cli_json_abi (m) : NULL);
  cli_add_text (object, "isolation", m ? ak_tier_name (r->granted.tier) : NULL);
  json_object_object_add (object, "capabilities",
                          m ? cli_json_capabilities (&r->granted) : json_object_new_object ());
  if (r->instance) {
    json_object_object_add (object, "asserted", cli_json_asserted (&r->granted));
    json_object_object_add (object, "findings", json_findings (r->instance));
  }
  json_object_object_add (object, "options", m ? cli_json_options (m) : json_object_new_array ());
  json_object_object_add (object, "usable", json_object_new_boolean (!r->error));
  cli_add_text (object, "why", why);
  return object;
}

void
cli_print_rows (struct json_object *rows)
{
  struct json_object *object = json_object_new_object ();
  json_object_object_add (object, "providers", rows);
  cli_print_object (object);
}

void
cli_subject_clear (struct subject *s)
{
  ak_instance_free (s->instance);
  ak_manifest_file_clear (&s->file);
  ak_type_clear (&s->type);
  ak_profile_free (s->made);
  ak_module_path_free (s->path);
  ak_config_free (s->config);
}

/* Whose name it is: errors from here on are of a provider, and with --json its row tells them. */
static enum ak_status
name_subject (struct cli *cli, const char *name, const char *profile, struct subject *s,
              struct ak_error **error)
{
  enum ak_status status = cli_plugin_path (cli, &s->config, &s->path, error);
  if (status == AK_STATUS_OK && profile)
    status = ak_config_profile (s->config, profile, &s->profile, error);
  if (status != AK_STATUS_OK)
    return status;
  if (name && profile && strcmp (name, s->profile->type))
    return ak_fail (error, AK_STATUS_CONFIG, NULL, "profile '%s': its type is '%s', not '%s'", profile,
                    s->profile->type, name);
  s->row.name = name ? name : s->profile->type;
  return ak_type_parse (s->path, s->row.name, 0, &s->type, error);
}

static enum ak_status
find_subject (struct subject *s, struct ak_error **error)
{
  const struct builtin *b = s->type.builtin ? ak_builtin_find (s->type.provider) : NULL;
  s->row.package = b ? b->package : NULL;
  enum ak_status status = ak_module_find (s->path, &s->type, &s->file, NULL, error);
  if (status != AK_STATUS_OK)
    return status;
  s->row.manifest = ak_manifest_find (&s->file, s->type.provider);
  s->row.file = s->file.path;
  if (!b)
    s->row.package = s->row.manifest->package;
  s->row.granted = cli_declared (s->row.manifest);
  return AK_STATUS_OK;
}

/* The worst that the provider found, if that means that it does not work. */
static enum ak_status
check_findings (const struct instance *i, struct ak_error **error)
{
  for (size_t n = 0; n < i->n_findings; n++)
    if (i->findings[n].text && !strcmp (i->findings[n].verdict, "fail"))
      return ak_fail (error, AK_STATUS_PROVISION, NULL, "%s: %s", ak_instance_name (i), i->findings[n].text);
  return AK_STATUS_OK;
}

static enum ak_status
ask_instance (struct subject *s, struct ak_error **error)
{
  enum ak_status status = ak_instance_open (s->instance, NULL, error);
  if (status != AK_STATUS_OK)
    return status;
  s->row.instance = s->instance;
  s->row.granted = (struct cli_granted) {
    .caps = s->instance->caps,
    .tier = s->instance->tier,
    .languages = s->instance->languages,
    .asserted = s->instance->asserted,
    .tier_asserted = s->instance->tier_asserted,
  };
  return check_findings (s->instance, error);
}

static enum ak_status
try_subject (struct subject *s, struct ak_error **error)
{
  const struct module *module;
  struct log_sink silent = { NULL, NULL };
  enum ak_status status = ak_module_load (s->path, &s->type, &module, error);
  /* What provisions nothing can only be asked about an environment that somebody names. */
  if (status != AK_STATUS_OK || (!s->profile && !(s->row.manifest->caps & AK_CAP_PROVISIONS)))
    return status;
  if (!s->profile) {
    status = ak_config_adhoc (s->row.name, NULL, &s->made, error);
    s->profile = s->made;
    if (s->made && s->patience_ns)
      s->made->create_timeout_ns = s->patience_ns;
  }
  if (status == AK_STATUS_OK)
    status = ak_instance_new (module, s->profile, &silent, NO_REGISTRY, &s->instance, error);
  return status == AK_STATUS_OK ? ask_instance (s, error) : status;
}

enum ak_status
cli_subject_ask (struct subject *s, struct ak_error **error)
{
  enum ak_status status = ak_type_parse (s->path, s->row.name, 0, &s->type, error);
  if (status == AK_STATUS_OK)
    status = find_subject (s, error);
  return status == AK_STATUS_OK ? try_subject (s, error) : status;
}

static void
print_text (const struct subject *s)
{
  printf ("%s %s\n", s->row.manifest->name,
          s->row.manifest->version ? s->row.manifest->version : "(no version)");
  cli_put_field ("file", s->row.file);
  cli_put_field ("usable", s->instance ? "yes" : "it loads; `-p PROFILE` asks it about what it attaches to");
  for (size_t n = 0; s->instance && n < s->instance->n_findings; n++)
    cli_put_field (s->instance->findings[n].verdict, s->instance->findings[n].text);
  cli_put_manifest (s->row.manifest, &s->row.granted);
}

int
cli_show_provider (struct cli *cli, const char *name, const char *profile)
{
  struct subject subject = { 0 };
  struct ak_error *error = NULL;
  int ret = CLI_OK;
  if (name_subject (cli, name, profile, &subject, &error) != AK_STATUS_OK) {
    cli_subject_clear (&subject);
    return cli_fail (cli, error);
  }
  if (find_subject (&subject, &error) != AK_STATUS_OK || try_subject (&subject, &error) != AK_STATUS_OK)
    ret = CLI_ERROR;
  subject.row.error = error;
  if (cli->json) {
    struct json_object *rows = json_object_new_array ();
    json_object_array_add (rows, cli_json_row (&subject.row));
    cli_print_rows (rows);
    ak_error_free (error);
  } else if (error)
    cli_fail (cli, error);
  else
    print_text (&subject);
  cli_subject_clear (&subject);
  return ret;
}
