/* SPDX-License-Identifier: Apache-2.0 */
/* Maps of YAML: keys that stand once, and merge keys. */
#include "config.h"
#include "value-yaml.h"
#include <stdlib.h>
#include <string.h>
#include "cleanup.h"

/* A key is its text, whatever type the text looks like. */
static enum ak_status
read_key (struct yaml_reader *r, struct value **ret, int *ret_merge)
{
  yaml_mark_t mark = r->event.start_mark;
  struct value *key;
  enum ak_status status;

  if (r->event.type != YAML_SCALAR_EVENT && r->event.type != YAML_ALIAS_EVENT)
    return ak_yaml_fault (r, mark, NULL, "a key must be text");
  if ((status = ak_yaml_read_node (r, &key)) != AK_STATUS_OK)
    return status;
  if (!key->text || !*key->text) {
    const char *reason = key->text ? "a key is empty" : "a key must be text";

    ak_value_free (key);
    return ak_yaml_fault (r, mark, NULL, "%s", reason);
  }
  *ret_merge = key->plain && strcmp (key->text, "<<") == 0;
  key->kind = VALUE_TEXT;
  *ret = key;
  return AK_STATUS_OK;
}

struct place {
  const char *key;
  size_t at;
};

static int
compare_places (const void *a, const void *b)
{
  const struct place *x = a, *y = b;
  int order = strcmp (x->key, y->key);

  return order != 0 ? order : (x->at > y->at) - (x->at < y->at);
}

static int
is_plain_word (const char *text)
{
  size_t n = strspn (text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.");

  return text[n] == 0 && n <= 64;
}

/* By sorting: a map may have as many keys as a file has lines. Names that no key of ours has are not
 * repeated, since the file may be one that was never meant to be read. */
static enum ak_status
check_duplicates (struct yaml_reader *r, const struct value *map)
{
  CLEANUP_FREE struct place *places = calloc (map->n + 1, sizeof *places);
  const struct value *first = NULL, *second = NULL;

  if (!places)
    return ak_fail_memory (r->error);
  for (size_t i = 0; i < map->n; i++)
    places[i] = (struct place) { map->keys[i], i };
  qsort (places, map->n, sizeof *places, compare_places);
  for (size_t i = 1; i < map->n; i++)
    if (strcmp (places[i - 1].key, places[i].key) == 0
        && (!second || map->key_marks[places[i].at]->line < second->line)) {
      first = map->key_marks[places[i - 1].at];
      second = map->key_marks[places[i].at];
    }
  if (!second)
    return AK_STATUS_OK;
  int show = is_plain_word (second->text);
  return ak_fail (r->error, AK_STATUS_CONFIG, "Keep one of the two.",
                  "%s:%u:%u: the key%s%s%s is already at %u:%u", r->name, second->line, second->column,
                  show ? " '" : "", show ? second->text : "", show ? "'" : "", first->line, first->column);
}

/* What stands behind a key <<: a map, or a list of maps of which the first counts most. */
struct merge {
  struct value *value;
  yaml_mark_t mark;
};

static int
compare_names (const void *a, const void *b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* Adds what `from` has and `map` has not. */
static enum ak_status
merge_map (struct yaml_reader *r, struct value *map, const struct value *from, yaml_mark_t mark)
{
  size_t n = map->n;
  CLEANUP_FREE const char **names = calloc (n + 1, sizeof *names);

  if (from->kind != VALUE_MAP)
    return ak_yaml_fault (r, mark, NULL, "<< needs a map, or a list of maps");
  if (!names)
    return ak_fail_memory (r->error);
  memcpy (names, map->keys ? map->keys : names, n * sizeof *names);
  qsort (names, n, sizeof *names, compare_names);
  for (size_t i = 0; i < from->n; i++) {
    struct value *key = NULL, *item = NULL;
    enum ak_status status;

    if (bsearch (&from->keys[i], names, n, sizeof *names, compare_names))
      continue;
    if ((status = ak_yaml_copy (r, mark, from->key_marks[i], &key)) != AK_STATUS_OK)
      return status;
    if ((status = ak_yaml_copy (r, mark, from->items[i], &item)) != AK_STATUS_OK) {
      ak_value_free (key);
      return status;
    }
    if (ak_value_put (map, key, item))
      return ak_fail_memory (r->error);
  }
  return AK_STATUS_OK;
}

static enum ak_status
apply_merge (struct yaml_reader *r, struct value *map, struct merge *merge)
{
  const struct value *from = merge->value;
  enum ak_status status = AK_STATUS_OK;

  if (ak_value_append (r->merged, TAKE_PTR (merge->value)))
    return ak_fail_memory (r->error);
  if (from->kind != VALUE_LIST)
    return merge_map (r, map, from, merge->mark);
  for (size_t i = 0; i < from->n && status == AK_STATUS_OK; i++)
    status = merge_map (r, map, from->items[i], merge->mark);
  return status;
}

static enum ak_status
read_entry (struct yaml_reader *r, struct value *map, struct merge *merge)
{
  struct value *key = NULL, *item = NULL;
  int is_merge = 0;
  yaml_mark_t mark = r->event.start_mark;
  enum ak_status status = read_key (r, &key, &is_merge);

  if (status != AK_STATUS_OK)
    return status;
  if ((status = ak_yaml_next (r)) != AK_STATUS_OK
      || (status = ak_yaml_read_node (r, &item)) != AK_STATUS_OK) {
    ak_value_free (key);
    return status;
  }
  if (!is_merge)
    return ak_value_put (map, key, item) ? ak_fail_memory (r->error) : AK_STATUS_OK;
  /* Kept, as the value will be: either may have an anchor. */
  if (ak_value_append (r->merged, key)) {
    ak_value_free (item);
    return ak_fail_memory (r->error);
  }
  if (merge->value) {
    ak_value_free (item);
    return ak_yaml_fault (r, mark, "Write one <<, with a list of maps.", "the key '<<' is already at %zu:%zu",
                          merge->mark.line + 1, merge->mark.column + 1);
  }
  *merge = (struct merge) { item, mark };
  return AK_STATUS_OK;
}

enum ak_status
ak_yaml_read_entries (struct yaml_reader *r, struct value *map)
{
  struct merge merge = { 0 };
  enum ak_status status;

  while ((status = ak_yaml_next (r)) == AK_STATUS_OK && r->event.type != YAML_MAPPING_END_EVENT)
    if ((status = read_entry (r, map, &merge)) != AK_STATUS_OK)
      break;
  if (status == AK_STATUS_OK)
    status = check_duplicates (r, map);
  if (status == AK_STATUS_OK && merge.value)
    status = apply_merge (r, map, &merge);
  ak_value_free (merge.value);
  return status;
}
