/* SPDX-License-Identifier: Apache-2.0 */
/* Overrides: AK_SANDBOX__A__B=value sets the key b of a. */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cleanup.h"
#include "configuration-internal.h"
#include "environ.h"
#include "strv.h"
#include "value-build.h"

#define PREFIX "AK_SANDBOX"
#define SEPARATOR "__"
#define NAME_SHOWN 128

struct override {
  char *source; /* "environment variable NAME" */
  char *value;
  char **path; /* in lower case; ended by NULL */
  size_t depth, order;
};

struct overrides {
  struct override *items;
  size_t n;
  enum ak_status status;
  struct ak_error **error;
};

static void
lower (char *text)
{
  for (; *text; text++)
    if (*text >= 'A' && *text <= 'Z')
      *text = (char) (*text - 'A' + 'a');
}

/* `rest`: what follows the prefix, "__A__B" or nothing. Nothing of it is empty, or -1. -2: no memory. */
static int
split_path (const char *rest, size_t size, char ***ret)
{
  size_t step = strlen (SEPARATOR);
  char **path = calloc (1, sizeof *path);
  int failed = path ? 0 : -2;

  while (size > 0 && !failed) {
    rest += step;
    size -= step;
    const char *next = memmem (rest, size, SEPARATOR, step);
    size_t length = next ? (size_t) (next - rest) : size;
    if (length == 0)
      failed = -1;
    else if (ak_strv_take (&path, strndup (rest, length)))
      failed = -2;
    rest += length;
    size -= length;
  }
  for (size_t i = 0; path && path[i]; i++)
    lower (path[i]);
  if (failed) {
    ak_strv_free (path);
    return failed;
  }
  *ret = path;
  return 0;
}

static void
override_clear (struct override *o)
{
  free (o->source);
  free (o->value);
  ak_strv_free (o->path);
}

static enum ak_status
add_override (struct overrides *all, const char *entry, const char *equals)
{
  size_t length = (size_t) (equals - entry), prefix = strlen (PREFIX);
  struct override o = { .order = all->n, .value = strdup (equals + 1) };
  struct override *grown = realloc (all->items, (all->n + 1) * sizeof *grown);
  int shown = length > NAME_SHOWN ? NAME_SHOWN : (int) length;

  if (grown)
    all->items = grown;
  if (asprintf (&o.source, "environment variable %.*s", shown, entry) < 0)
    o.source = NULL;
  int failed = grown && o.source && o.value ? split_path (entry + prefix, length - prefix, &o.path) : -2;
  o.depth = ak_strv_length ((const char *const *) o.path);
  enum ak_status status = AK_STATUS_OK;
  if (failed == -2)
    status = ak_fail_memory (all->error);
  else if (failed || o.depth > VALUE_MAX_DEPTH)
    status = ak_fail (all->error, AK_STATUS_CONFIG,
                      "Keys are separated by two underscores, as in AK_SANDBOX__ENABLED.", "%s: %s", o.source,
                      failed ? "a key is empty" : "too many keys");
  if (status != AK_STATUS_OK) {
    override_clear (&o);
    return status;
  }
  all->items[all->n++] = o;
  return AK_STATUS_OK;
}

static void
collect (void *data, const char *entry)
{
  struct overrides *all = data;
  const char *equals = strchr (entry, '='), *rest = entry + strlen (PREFIX);

  /* Other variables may start alike: AK_SANDBOXES=... */
  if (!equals || (rest != equals && strncmp (rest, SEPARATOR, strlen (SEPARATOR)) != 0))
    return;
  if (all->status == AK_STATUS_OK)
    all->status = add_override (all, entry, equals);
}

/* The whole before its parts, so that a variable for one key wins over the JSON of its map. */
static int
compare_overrides (const void *a, const void *b)
{
  const struct override *x = a, *y = b;

  if (x->depth != y->depth)
    return x->depth < y->depth ? -1 : 1;
  return (x->order > y->order) - (x->order < y->order);
}

static enum ak_status
apply (struct value **sandbox, const struct override *o, struct ak_error **error)
{
  struct value *value = NULL;
  enum ak_status status = ak_value_parse_override (o->source, o->value, &value, error);

  if (status != AK_STATUS_OK)
    return status;
  if (o->depth == 0 && value->kind != VALUE_MAP) {
    ak_value_free (value);
    return ak_fail (error, AK_STATUS_CONFIG, NULL, "%s: must be a JSON object", o->source);
  }
  return ak_value_merge_at (sandbox, (const char *const *) o->path, 1, value) ? ak_fail_memory (error)
                                                                             : AK_STATUS_OK;
}

enum ak_status
ak_config_apply_environment (struct value **sandbox, struct ak_error **error)
{
  struct overrides all = { .status = AK_STATUS_OK, .error = error };

  ak_environ_each (PREFIX, collect, &all);
  if (all.n > 1)
    qsort (all.items, all.n, sizeof *all.items, compare_overrides);
  for (size_t i = 0; i < all.n; i++) {
    if (all.status == AK_STATUS_OK)
      all.status = apply (sandbox, &all.items[i], error);
    override_clear (&all.items[i]);
  }
  free (all.items);
  return all.status;
}
