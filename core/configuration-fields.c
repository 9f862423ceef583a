/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of the configuration read by tables: type, range, words, and what is not known. */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cleanup.h"
#include "configuration-internal.h"
#include "factory.h"
#include "strv.h"
#include "suggest.h"

static void
store (void *base, const struct field *field, const void *data, size_t size)
{
  if (field->offset != NOT_STORED)
    memcpy ((char *) base + field->offset, data, size);
}

static void
read_text (struct report *report, const struct value *value, const struct field *field, void *base)
{
  const char *text;
  struct reason reason;

  if (ak_value_as_text (value, &text, &reason))
    ak_report_fault (report, value, NULL, "%s: %s", field->name, reason.text);
  else if (!*text)
    ak_report_fault (report, value, NULL, "%s: must not be empty", field->name);
  else if (field->offset != NOT_STORED) {
    char **at = (char **) (void *) ((char *) base + field->offset);
    char *copy = strdup (text);

    if (!copy) {
      report->no_memory = 1;
      return;
    }
    free (*at);
    *at = copy;
  }
}

static void
read_texts (struct report *report, const struct value *value, const struct field *field, void *base)
{
  char **list = calloc (1, sizeof *list);
  struct reason reason;

  if (value->kind != VALUE_LIST)
    ak_report_fault (report, value, "A list is written [a, b], or with a line \"- a\" for each.",
                     "%s: must be a list", field->name);
  report->no_memory |= !list;
  for (size_t i = 0; value->kind == VALUE_LIST && i < value->n; i++) {
    const char *text;

    if (ak_value_as_text (value->items[i], &text, &reason))
      ak_report_fault (report, value->items[i], NULL, "%s: %s", field->name, reason.text);
    else if (!*text)
      ak_report_fault (report, value->items[i], NULL, "%s: an entry is empty", field->name);
    else
      report->no_memory |= ak_strv_add (&list, text) != 0;
  }
  if (field->offset == NOT_STORED || !list) {
    ak_strv_free (list);
    return;
  }
  char ***at = (char ***) (void *) ((char *) base + field->offset);
  ak_strv_free (*at);
  *at = list;
}

static void
read_bool (struct report *report, const struct value *value, const struct field *field, void *base)
{
  struct reason reason;
  int truth;

  if (ak_value_as_bool (value, &truth, &reason))
    ak_report_fault (report, value, NULL, "%s: %s", field->name, reason.text);
  else
    store (base, field, &truth, sizeof truth);
}

static void
read_word (struct report *report, const struct value *value, const struct field *field, void *base)
{
  const char *text, *near;
  struct reason reason;
  struct echo echo;
  CLEANUP_FREE char *words = ak_strv_join (field->words, ", ");

  if (ak_value_as_text (value, &text, &reason)) {
    ak_report_fault (report, value, NULL, "%s: %s", field->name, reason.text);
    return;
  }
  for (int i = 0; field->words[i]; i++)
    if (strcmp (field->words[i], text) == 0) {
      store (base, field, &i, sizeof i);
      return;
    }
  near = ak_suggest (text, field->words);
  ak_report_fault (report, value, NULL, "%s: must be one of %s%s%s%s%s", field->name, words ? words : "",
                   ak_echo (&echo, field->name, value), near ? " (did you mean '" : "", near ? near : "",
                   near ? "'?)" : "");
}

static const char *
unit_of (const struct field *field)
{
  return field->kind == FIELD_SECONDS ? " seconds" : field->kind == FIELD_MEBIBYTES ? " MiB" : "";
}

static int
in_range (const struct field *field, double number)
{
  return number <= field->max && (field->flags & FIELD_ABOVE ? number > field->min : number >= field->min);
}

static uint64_t
scaled (const struct field *field, double number)
{
  static const double factors[] = { [FIELD_SECONDS] = 1e9, [FIELD_CORES] = 1e3, [FIELD_MEBIBYTES] = 1048576 };
  double factor = field->kind == FIELD_COUNT ? 1 : factors[field->kind];
  uint64_t whole = (uint64_t) (number * factor + 0.5);

  return whole == 0 && field->flags & FIELD_ABOVE ? 1 : whole;
}

/* The greatest maximum of a table times its factor is far below 2^63. */
static void
read_number (struct report *report, const struct value *value, const struct field *field, void *base)
{
  int must_be_whole = field->kind == FIELD_COUNT || field->kind == FIELD_MEBIBYTES, failed;
  struct reason reason;
  struct echo echo;
  double number = 0;
  int64_t whole = 0;
  char min[NUMBER_TEXT_SIZE], max[NUMBER_TEXT_SIZE];

  failed = must_be_whole ? ak_value_as_integer (value, &whole, &reason)
                         : ak_value_as_number (value, &number, &reason);
  if (failed) {
    ak_report_fault (
      report, value, NULL, "%s: %s%s", field->name, reason.text,
      value->kind == VALUE_TEXT || value->kind == VALUE_FLOAT ? ak_echo (&echo, field->name, value) : "");
    return;
  }
  if (must_be_whole)
    number = (double) whole;
  if (in_range (field, number)) {
    uint64_t stored = scaled (field, number);
    store (base, field, &stored, sizeof stored);
    return;
  }
  ak_number_text (field->min, min);
  ak_number_text (field->max, max);
  ak_report_fault (report, value, NULL, "%s: must be %s %s and at most %s%s%s", field->name,
                   field->flags & FIELD_ABOVE ? "more than" : "at least", min, max, unit_of (field),
                   ak_echo (&echo, field->name, value));
}

static void
read_section (struct report *report, const struct value *value, const struct field *field, void *base)
{
  struct known_keys known = { .fields = field->section };

  if (value->kind != VALUE_MAP && value->kind != VALUE_NULL) {
    ak_report_fault (report, value, NULL, "%s: must be a map of keys and values", field->name);
    return;
  }
  if (!field->section)
    return;
  ak_fields_check_keys (report, value, &known);
  ak_fields_read (report, value, field->section, base);
}

static void
read_field (struct report *report, const struct value *value, const struct field *field, void *base)
{
  if (value->kind == VALUE_NULL && field->flags & FIELD_NULLABLE)
    return;
  switch (field->kind) {
  case FIELD_TEXT:
    read_text (report, value, field, base);
    break;
  case FIELD_TEXTS:
    read_texts (report, value, field, base);
    break;
  case FIELD_BOOL:
    read_bool (report, value, field, base);
    break;
  case FIELD_WORD:
    read_word (report, value, field, base);
    break;
  case FIELD_SECTION:
  case FIELD_MAP:
    read_section (report, value, field, base);
    break;
  default:
    read_number (report, value, field, base);
  }
}

void
ak_fields_read (struct report *report, const struct value *map, const struct field *fields, void *base)
{
  for (; fields->name; fields++) {
    const struct value *value = ak_value_get (map, fields->name);

    if (!value)
      continue;
    if (fields->flags & FIELD_IGNORED)
      ak_report_warning (report, map->key_marks[ak_value_index (map, fields->name)],
                         "%s: is known and has no effect here", fields->name);
    else
      read_field (report, value, fields, base);
  }
}

static int
has_field (const struct field *fields, const char *name)
{
  for (; fields && fields->name; fields++)
    if (strcmp (fields->name, name) == 0)
      return 1;
  return 0;
}

static int
add_names (char ***list, const struct known_keys *known)
{
  const struct field *tables[] = { known->fields, known->more };
  int failed = 0;

  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
    for (const struct field *f = tables[i]; f && f->name; f++)
      failed |= f->flags & FIELD_IGNORED ? 0 : ak_strv_add (list, f->name);
  for (const struct builtin *b = ak_builtins; known->blocks && b->name; b++)
    failed |= ak_strv_add (list, b->name);
  return failed;
}

static void
report_unknown (struct report *report, const struct value *mark, const struct known_keys *known)
{
  char **names = NULL;
  const char *near = NULL;

  if (has_field (known->elsewhere, mark->text)) {
    ak_report_fault (report, mark, known->elsewhere_hint, "the key '%s' has no meaning here", mark->text);
    return;
  }
  if (add_names (&names, known) == 0 && names)
    near = ak_suggest (mark->text, (const char *const *) names);
  if (ak_key_is_shown (mark->text))
    ak_report_fault (report, mark, near ? NULL : known->unknown_hint, "unknown key '%s'%s%s%s", mark->text, near ? " (did you mean '" : "",
                     near ? near : "", near ? "'?)" : "");
  else
    ak_report_fault (report, mark, NULL, "unknown key");
  ak_strv_free (names);
}

static void
check_blocks (struct report *report, const struct value *map)
{
  for (const struct builtin *b = ak_builtins; b->name; b++) {
    const struct value *block = ak_value_get (map, b->name);

    if (block && block->kind != VALUE_MAP && block->kind != VALUE_NULL)
      ak_report_fault (report, block, NULL, "%s: must be a map of options", b->name);
  }
}

void
ak_fields_check_keys (struct report *report, const struct value *map, const struct known_keys *known)
{
  for (size_t i = 0; map && map->kind == VALUE_MAP && i < map->n; i++)
    if (!has_field (known->fields, map->keys[i]) && !has_field (known->more, map->keys[i])
        && !(known->blocks && ak_builtin_find (map->keys[i])))
      report_unknown (report, map->key_marks[i], known);
  if (known->blocks)
    check_blocks (report, map);
}
