/* SPDX-License-Identifier: Apache-2.0 */
/* One option: its value checked against the provider's note, and made canonical. */
#include "config.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cleanup.h"
#include "environ.h"
#include "options-internal.h"
#include "strv.h"
#include "suggest.h"

static int
is_secret (const struct manifest_option *note)
{
  return note->flags & AK_SECRET || note->type == AK_T_ENV || ak_key_is_secret (note->key);
}

void
ak_option_clear (struct option *option)
{
  free (option->key);
  free (option->text);
  ak_strv_free (option->items);
  ak_strv_free (option->item_keys);
}

static const char *
echo_of (struct echo *echo, const struct manifest_option *note, const struct value *value)
{
  return ak_echo (echo, is_secret (note) ? "secret" : note->key, value);
}

static void
keep (struct report *report, struct option *option, const char *text)
{
  option->text = strdup (text);
  report->no_memory |= !option->text;
}

/* Of the whole value, or of an item of it. */
static int
check_choices (struct report *report, const struct manifest_option *note, const struct value *value,
               const char *text)
{
  char **choices = note->choices ? ak_strv_split (note->choices) : NULL;
  struct echo echo;
  int known = !note->choices || ak_strv_has ((const char *const *) choices, text);

  if (note->choices && !choices)
    report->no_memory = 1;
  else if (!known) {
    CLEANUP_FREE char *words = ak_strv_join ((const char *const *) choices, ", ");
    const char *near = is_secret (note) ? NULL : ak_suggest (text, (const char *const *) choices);

    ak_report_fault (report, value, NULL, "%s: must be one of %s%s%s%s%s", note->key, words ? words : "",
                     echo_of (&echo, note, value), near ? " (did you mean '" : "", near ? near : "",
                     near ? "'?)" : "");
  }
  ak_strv_free (choices);
  return known ? 0 : -1;
}

static int
text_of (struct report *report, const struct manifest_option *note, const struct value *value,
         const char **ret)
{
  struct reason reason;

  if (ak_value_as_text (value, ret, &reason) == 0)
    return 0;
  ak_report_fault (report, value, NULL, "%s: %s", note->key, reason.text);
  return -1;
}

static void
read_string (struct report *report, const struct manifest_option *note, const struct value *value,
             struct option *ret)
{
  const char *text;

  if (text_of (report, note, value, &text) || check_choices (report, note, value, text))
    return;
  if (!*text && note->flags & AK_REQUIRED)
    ak_report_fault (report, value, NULL, "%s: must not be empty", note->key);
  else
    keep (report, ret, text);
}

/* The bounds are the note's own text, checked like everything from a file: 0, or -1 with a fault. */
static int
check_bounds (struct report *report, const struct manifest_option *note, const struct value *value,
              double number)
{
  double min = -INFINITY, max = INFINITY;
  struct echo echo;

  if ((note->min && ak_number_parse (note->min, &min)) || (note->max && ak_number_parse (note->max, &max))) {
    ak_report_fault (report, value, NULL, "%s: the bounds in the provider's note are no numbers", note->key);
    return -1;
  }
  if (number >= min && number <= max)
    return 0;
  ak_report_fault (report, value, NULL, "%s: must be %s%s%s%s%s%s", note->key, note->min ? "at least " : "",
                   note->min ? note->min : "", note->min && note->max ? " and " : "",
                   note->max ? "at most " : "", note->max ? note->max : "", echo_of (&echo, note, value));
  return -1;
}

static void
read_integer (struct report *report, const struct manifest_option *note, const struct value *value,
              struct option *ret)
{
  struct reason reason;
  int64_t number;
  char text[32];

  if (ak_value_as_integer (value, &number, &reason)) {
    ak_report_fault (report, value, NULL, "%s: %s", note->key, reason.text);
    return;
  }
  snprintf (text, sizeof text, "%" PRId64, number);
  if (check_bounds (report, note, value, (double) number) == 0
      && check_choices (report, note, value, text) == 0)
    keep (report, ret, text);
}

static void
read_float (struct report *report, const struct manifest_option *note, const struct value *value,
            struct option *ret)
{
  struct reason reason;
  double number;
  char text[NUMBER_TEXT_SIZE];

  if (ak_value_as_number (value, &number, &reason)) {
    ak_report_fault (report, value, NULL, "%s: %s", note->key, reason.text);
    return;
  }
  ak_number_text (number, text);
  if (check_bounds (report, note, value, number) == 0 && check_choices (report, note, value, text) == 0)
    keep (report, ret, text);
}

static void
read_bool (struct report *report, const struct manifest_option *note, const struct value *value,
           struct option *ret)
{
  struct reason reason;
  int truth;

  if (ak_value_as_bool (value, &truth, &reason))
    ak_report_fault (report, value, NULL, "%s: %s", note->key, reason.text);
  else
    keep (report, ret, truth ? "true" : "false");
}

static void
keep_json (struct report *report, struct option *option, const struct value *value)
{
  option->text = ak_value_json (value);
  report->no_memory |= !option->text;
}

/* Numbers may stand in a list of texts, as they were written; truth values are too often a word misread. */
static int
item_text (struct report *report, const struct manifest_option *note, const struct value *item,
           const char **ret)
{
  if (item->kind == VALUE_INT || item->kind == VALUE_FLOAT) {
    *ret = item->text;
    return 0;
  }
  return text_of (report, note, item, ret);
}

static void
read_items (struct report *report, const struct manifest_option *note, const struct value *value,
            struct option *ret)
{
  int is_map = note->type == AK_T_MAP;
  unsigned before = report->n;

  if (value->kind != (is_map ? VALUE_MAP : VALUE_LIST)) {
    ak_report_fault (report, value,
                     is_map ? NULL : "A list is written [a, b], or with a line \"- a\" for each.",
                     "%s: must be a %s", note->key, is_map ? "map of keys and values" : "list");
    return;
  }
  for (size_t i = 0; i < value->n; i++) {
    const char *text;

    if (item_text (report, note, value->items[i], &text)
        || check_choices (report, note, value->items[i], text))
      continue;
    if (ak_strv_add (&ret->items, text) || (is_map && ak_strv_add (&ret->item_keys, value->keys[i])))
      report->no_memory = 1;
  }
  if (report->n > before || report->no_memory)
    return;
  if (value->n == 0 && note->flags & AK_REQUIRED) {
    ak_report_fault (report, value, NULL, "%s: must not be empty", note->key);
    return;
  }
  ret->n_items = value->n;
  keep_json (report, ret, value);
}

static int
is_finite (const struct value *value)
{
  int finite = value->kind != VALUE_FLOAT || isfinite (value->number);

  for (size_t i = 0; i < value->n && finite; i++)
    finite = is_finite (value->items[i]);
  return finite;
}

static void
read_json (struct report *report, const struct manifest_option *note, const struct value *value,
           struct option *ret)
{
  if (is_finite (value))
    keep_json (report, ret, value);
  else
    ak_report_fault (report, value, NULL, "%s: JSON has no numbers such as .inf and .nan", note->key);
}

static void
read_tier (struct report *report, const struct manifest_option *note, const struct value *value,
           struct option *ret)
{
  const char *text;
  uint32_t number;
  struct echo echo;

  if (text_of (report, note, value, &text))
    return;
  if (ak_tier_number (text, &number) == 0)
    keep (report, ret, text);
  else
    ak_report_fault (report, value, NULL,
                     "%s: must be one of none, os_policy, container, syscall_filter, wasm, micro_vm%s",
                     note->key, echo_of (&echo, note, value));
}

/* A name in capitals is no secret pasted in the wrong place. */
static int
is_shown_name (const char *name)
{
  return name[strspn (name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")] == 0;
}

static void
read_variable (struct report *report, const struct manifest_option *note, const struct value *value,
               struct option *ret)
{
  const char *name, *found;

  if (text_of (report, note, value, &name))
    return;
  if (!ak_environ_is_name (name)) {
    ak_report_fault (report, value, "The secret itself stays out of the configuration.",
                     "%s: must be the name of an environment variable", note->key);
    return;
  }
  found = ak_environ (name);
  if (found)
    keep (report, ret, found);
  else if (note->flags & AK_REQUIRED && is_shown_name (name))
    ak_report_fault (report, value, NULL, "%s: the environment variable %s is not set", note->key, name);
  else if (note->flags & AK_REQUIRED)
    ak_report_fault (report, value, NULL, "%s: the environment variable that it names is not set", note->key);
}

void
ak_option_read (struct report *report, const struct manifest_option *note, const struct value *value,
                struct option *ret)
{
  switch (note->type) {
  case AK_T_INT:
    read_integer (report, note, value, ret);
    break;
  case AK_T_FLOAT:
    read_float (report, note, value, ret);
    break;
  case AK_T_BOOL:
    read_bool (report, note, value, ret);
    break;
  case AK_T_LIST:
  case AK_T_MAP:
    read_items (report, note, value, ret);
    break;
  case AK_T_JSON:
    read_json (report, note, value, ret);
    break;
  case AK_T_TIER:
    read_tier (report, note, value, ret);
    break;
  case AK_T_ENV:
    read_variable (report, note, value, ret);
    break;
  default:
    read_string (report, note, value, ret);
  }
}
