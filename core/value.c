/* SPDX-License-Identifier: Apache-2.0 */
/* Trees of values: making, changing, looking up and freeing them. */
#include "config.h"
#include "value.h"
#include "cleanup.h"
#include "value-build.h"
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Values point to `name`; the count stands before it. One thread at a time makes or frees a tree. */
struct value_source {
  unsigned references;
  char name[];
};

struct value_source *
ak_value_source_new (const char *name)
{
  size_t size = strlen (name) + 1;
  struct value_source *source = malloc (sizeof *source + size);

  if (!source)
    return NULL;
  source->references = 1;
  memcpy (source->name, name, size);
  return source;
}

void
ak_value_source_unref (struct value_source *source)
{
  if (source && --source->references == 0)
    free (source);
}

static struct value_source *
source_of (const struct value *value)
{
  return (struct value_source *) (void *) ((uintptr_t) value->source - offsetof (struct value_source, name));
}

struct value *
ak_value_new (enum value_kind kind, struct value_source *source)
{
  struct value *value = calloc (1, sizeof *value);

  if (!value)
    return NULL;
  value->kind = kind;
  source->references++;
  value->source = source->name;
  return value;
}

struct value *
ak_value_new_like (enum value_kind kind, const struct value *like)
{
  struct value *value = ak_value_new (kind, source_of (like));

  if (value) {
    value->line = like->line;
    value->column = like->column;
  }
  return value;
}

struct value *
ak_value_new_text (struct value_source *source, const char *text, size_t size)
{
  struct value *value = ak_value_new (VALUE_TEXT, source);

  if (!value)
    return NULL;
  value->text = strndup (text, size);
  if (!value->text) {
    ak_value_free (value);
    return NULL;
  }
  return value;
}

void
ak_value_free (struct value *value)
{
  if (!value)
    return;
  for (size_t i = 0; i < value->n; i++) {
    ak_value_free (value->items[i]);
    if (value->key_marks)
      ak_value_free (value->key_marks[i]);
  }
  free (value->items);
  free (value->keys);
  free (value->key_marks);
  free (value->text);
  ak_value_source_unref (source_of (value));
  free (value);
}

struct value *
ak_value_copy (const struct value *value)
{
  struct value *copy = ak_value_new_like (value->kind, value);

  if (!copy)
    return NULL;
  copy->plain = value->plain;
  copy->loose = value->loose;
  if (value->kind == VALUE_BOOL)
    copy->boolean = value->boolean;
  else if (value->kind == VALUE_INT)
    copy->integer = value->integer;
  else if (value->kind == VALUE_FLOAT)
    copy->number = value->number;
  int failed = value->text && !(copy->text = strdup (value->text));
  for (size_t i = 0; i < value->n && !failed; i++) {
    struct value *item = ak_value_copy (value->items[i]);

    if (value->kind == VALUE_MAP)
      failed = ak_value_put (copy, ak_value_copy (value->key_marks[i]), item);
    else
      failed = ak_value_append (copy, item);
  }
  if (failed) {
    ak_value_free (copy);
    return NULL;
  }
  return copy;
}

/* Room for one more element, doubled as their number passes powers of two. */
static int
make_room (struct value *value)
{
  size_t n = value->n, room = n ? 2 * n : 1;
  void *items, *keys, *marks;

  if (n & (n - 1))
    return 0;
  if (!(items = realloc (value->items, room * sizeof *value->items)))
    return -1;
  value->items = items;
  if (value->kind != VALUE_MAP)
    return 0;
  if (!(keys = realloc (value->keys, room * sizeof *value->keys)))
    return -1;
  value->keys = keys;
  if (!(marks = realloc (value->key_marks, room * sizeof *value->key_marks)))
    return -1;
  value->key_marks = marks;
  return 0;
}

int
ak_value_append (struct value *list, struct value *item)
{
  if (!item || make_room (list)) {
    ak_value_free (item);
    return -1;
  }
  list->items[list->n++] = item;
  return 0;
}

int
ak_value_put (struct value *map, struct value *key, struct value *item)
{
  if (!key || !item || make_room (map)) {
    ak_value_free (key);
    ak_value_free (item);
    return -1;
  }
  map->items[map->n] = item;
  map->key_marks[map->n] = key;
  map->keys[map->n++] = key->text;
  return 0;
}

size_t
ak_value_index (const struct value *map, const char *key)
{
  size_t i = 0;

  while (i < map->n && strcmp (map->keys[i], key) != 0)
    i++;
  return i;
}

const struct value *
ak_value_get (const struct value *map, const char *key)
{
  size_t i;

  if (!map || map->kind != VALUE_MAP)
    return NULL;
  i = ak_value_index (map, key);
  return i < map->n ? map->items[i] : NULL;
}

static void
replace (struct value **into, struct value *by)
{
  ak_value_free (*into);
  *into = by;
}

int
ak_value_merge (struct value **into, struct value *from)
{
  if (!from)
    return -1;
  if (!*into || (*into)->kind != VALUE_MAP || from->kind != VALUE_MAP) {
    replace (into, from);
    return 0;
  }
  int failed = 0;
  for (size_t i = 0; i < from->n && !failed; i++) {
    struct value *key = TAKE_PTR (from->key_marks[i]), *item = TAKE_PTR (from->items[i]);
    size_t at = ak_value_index (*into, key->text);

    if (at == (*into)->n) {
      failed = ak_value_put (*into, key, item);
      continue;
    }
    failed = ak_value_merge (&(*into)->items[at], item);
    replace (&(*into)->key_marks[at], key);
    (*into)->keys[at] = key->text;
  }
  ak_value_free (from);
  return failed;
}

static size_t
index_folded (const struct value *map, const char *key)
{
  size_t found = ak_value_index (map, key);

  if (found < map->n)
    return found;
  for (size_t i = 0; i < map->n; i++)
    if (strcasecmp (map->keys[i], key) == 0)
      return i;
  return map->n;
}

int
ak_value_merge_at (struct value **into, const char *const *path, int fold, struct value *from)
{
  for (; from && *path; path++) {
    if (!*into || (*into)->kind != VALUE_MAP) {
      struct value *map = ak_value_new_like (VALUE_MAP, from);

      if (!map)
        break;
      replace (into, map);
    }
    size_t at = fold ? index_folded (*into, *path) : ak_value_index (*into, *path);
    if (at == (*into)->n) {
      struct value *key = ak_value_new_text (source_of (from), *path, strlen (*path));

      if (ak_value_put (*into, key, ak_value_new_like (VALUE_NULL, from)))
        break;
    }
    into = &(*into)->items[at];
  }
  if (!from || *path) {
    ak_value_free (from);
    return -1;
  }
  return ak_value_merge (into, from);
}

char *
ak_value_line (const struct value *value)
{
  char *text = NULL;

  if (value->line == 0)
    return strdup (value->source);
  return asprintf (&text, "%s:%u", value->source, value->line) < 0 ? NULL : text;
}

char *
ak_value_where (const struct value *value)
{
  char *text = NULL;

  if (value->line == 0)
    return strdup (value->source);
  return asprintf (&text, "%s:%u:%u", value->source, value->line, value->column) < 0 ? NULL : text;
}
