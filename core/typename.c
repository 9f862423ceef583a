/* SPDX-License-Identifier: Apache-2.0 */
/* What a profile's `type` means: names of providers, their modules and files. */
#include "config.h"
#include "cleanup.h"
#include "factory.h"
#include "module-path.h"
#include "strv.h"
#include "suggest.h"
#include <string.h>

#define SHOWN 100               /* bytes of a name in a message */

int
ak_module_is_name (const char *text, size_t length)
{
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  size_t at = 0;
  if (!length || length > 200)
    return 0;
  for (;;) {
    size_t n = 0;
    while (at + n < length && strchr (letters, text[at + n]))
      n++;
    if (!n || text[at] == '-')
      return 0;
    at += n;
    if (at == length)
      return 1;
    if (text[at++] != '.')
      return 0;
  }
}

int
ak_provider_is_name (const char *text)
{
  size_t n = strspn (text, "abcdefghijklmnopqrstuvwxyz0123456789_");
  return *text >= 'a' && *text <= 'z' && !text[n] && n <= 64;
}

void
ak_type_clear (struct type_name *name)
{
  free (name->module);
  free (name->provider);
  free (name->file);
  *name = (struct type_name) { 0 };
}

static enum ak_status
bad_provider (const char *type, const char *provider, struct ak_error **error)
{
  return ak_fail (error, AK_STATUS_CONFIG,
                  "It is the name in the provider's file, [a-z][a-z0-9_]*; a Python class path names none.",
                  "type '%.*s': '%.*s' is not the name of a provider", SHOWN, type, SHOWN, provider);
}

/* Copies of the parts, each of which may be NULL. */
static enum ak_status
fill (struct type_name *ret, const char *file, const char *module, size_t module_length, const char *provider,
      struct ak_error **error)
{
  struct type_name name = { 0 };
  name.file = file ? strndup (file, module_length) : NULL;
  name.module = module ? strndup (module, module_length) : NULL;
  name.provider = provider ? strdup (provider) : NULL;
  if ((file && !name.file) || (module && !name.module) || (provider && !name.provider)) {
    ak_type_clear (&name);
    return ak_fail_memory (error);
  }
  *ret = name;
  return AK_STATUS_OK;
}

/* "/opt/acme/fly.so:fly". A colon of a folder's name separates nothing. */
static enum ak_status
parse_file (const char *type, int provider_optional, struct type_name *ret, struct ak_error **error)
{
  const char *colon = strrchr (type, ':');
  if (*type != '/')
    return ak_fail (error, AK_STATUS_CONFIG, "Write the whole path, from / on.",
                    "type '%.*s': a name with a slash must be an absolute path", SHOWN, type);
  if (!colon || strchr (colon, '/')) {
    if (!provider_optional)
      return ak_fail (error, AK_STATUS_CONFIG, "`aksandbox inspect FILE` shows what is in it.",
                      "type '%.*s': names a file and no provider in it: write FILE:PROVIDER", SHOWN, type);
    return fill (ret, type, NULL, strlen (type), NULL, error);
  }
  if (!ak_provider_is_name (colon + 1))
    return bad_provider (type, colon + 1, error);
  return fill (ret, type, NULL, (size_t) (colon - type), colon + 1, error);
}

/* "acme.cloud:fly" and, with a dot for the colon, "acme.cloud.fly". */
static enum ak_status
parse_module (const char *type, const char *separator, struct type_name *ret, struct ak_error **error)
{
  size_t length = (size_t) (separator - type);
  if (!ak_module_is_name (type, length))
    return ak_fail (error, AK_STATUS_CONFIG,
                    "A module is letters, digits, '_' and '-', with single dots between: acme.cloud:fly.",
                    "type '%.*s': '%.*s' is not the name of a module", SHOWN, type,
                    (int) (length < SHOWN ? length : SHOWN), type);
  if (!ak_provider_is_name (separator + 1))
    return bad_provider (type, separator + 1, error);
  return fill (ret, NULL, type, length, separator + 1, error);
}

struct listing {
  FILE *out;
  const char *wanted;
  int n;
  char nearest[280];            /* MODULE:NAME of an installed provider with the wanted name */
};

static void
list_module (void *data, const char *module, const char *file, const struct manifest_file *manifests,
             const struct ak_error *error)
{
  struct listing *l = data;
  (void) file;
  (void) error;
  for (size_t i = 0; manifests && i < manifests->n_providers && l->n < 100; i++) {
    const char *name = manifests->providers[i].name;
    if (!strcmp (module, name) && ak_builtin_find (name))
      continue;
    fprintf (l->out, "%s%s:%s", l->n++ ? ", " : "; installed modules: ", module, name);
    if (!strcmp (name, l->wanted) && !*l->nearest)
      snprintf (l->nearest, sizeof l->nearest, "%s:%s", module, name);
  }
}

/* What to write instead; NULL when nothing is near. */
static char *
way_on (const char *type, const struct listing *listing)
{
  const char *names[16], *near;
  size_t n = 0;
  char *hint = NULL;
  for (const struct builtin *b = ak_builtins; b->name && n < 15; b++)
    names[n++] = b->name;
  names[n] = NULL;
  near = *listing->nearest ? NULL : ak_suggest (type, names);
  if (*listing->nearest ? asprintf (&hint, "Write '%s'.", listing->nearest) < 0
                        : near && asprintf (&hint, "Did you mean '%s'?", near) < 0)
    return NULL;
  return hint;
}

static enum ak_status
unknown (const struct module_path *path, const char *type, struct ak_error **error)
{
  CLEANUP_FREE char *text = NULL, *hint = NULL;
  size_t size;
  struct listing listing = { .wanted = type };
  listing.out = open_memstream (&text, &size);
  if (!listing.out)
    return ak_fail_memory (error);
  for (const struct builtin *b = ak_builtins; b->name; b++)
    fprintf (listing.out, "%s%s", b == ak_builtins ? "" : ", ", b->name);
  enum ak_status listed = ak_module_each (path, list_module, &listing);
  if (fclose (listing.out) || listed != AK_STATUS_OK)
    return ak_fail_memory (error);
  hint = way_on (type, &listing);
  return ak_fail (error, AK_STATUS_CONFIG, hint ? hint : "A provider of another package is named MODULE:NAME.",
                  "type '%.*s': no such provider; built in: %s", SHOWN, type, text);
}

enum ak_status
ak_type_parse (const struct module_path *path, const char *type, int provider_optional, struct type_name *ret,
               struct ak_error **error)
{
  const char *separator = strrchr (type, ':');
  if (!*type)
    return ak_fail (error, AK_STATUS_CONFIG, "`aksandbox providers` lists what there is.",
                    "type '': names no provider");
  if (strchr (type, '/'))
    return parse_file (type, provider_optional, ret, error);
  if (!separator)
    separator = strrchr (type, '.');
  if (separator)
    return parse_module (type, separator, ret, error);
  const struct builtin *b = ak_builtin_find (type);
  if (!b)
    return unknown (path, type, error);
  enum ak_status status = fill (ret, NULL, b->module, strlen (b->module), b->symbol, error);
  if (status == AK_STATUS_OK)
    ret->builtin = 1;
  return status;
}
