/* SPDX-License-Identifier: Apache-2.0 */
/* JSON to a tree of values, and back. */
#include "config.h"
#include <inttypes.h>
#include <json-c/json.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cleanup.h"
#include "value-build.h"

static struct value *
scalar_from_json (struct json_object *json, struct value_source *source)
{
  struct value *value = NULL;

  switch (json_object_get_type (json)) {
  case json_type_boolean:
    if ((value = ak_value_new (VALUE_BOOL, source)))
      value->boolean = json_object_get_boolean (json);
    break;
  case json_type_int:
    if ((value = ak_value_new (VALUE_INT, source)))
      value->integer = json_object_get_int64 (json);
    break;
  case json_type_double:
    if ((value = ak_value_new (VALUE_FLOAT, source)))
      value->number = json_object_get_double (json);
    break;
  case json_type_string:
    return ak_value_new_text (source, json_object_get_string (json),
                              (size_t) json_object_get_string_len (json));
  default:
    value = ak_value_new (VALUE_NULL, source);
  }
  const char *text = json ? json_object_to_json_string_ext (json, JSON_C_TO_STRING_PLAIN) : "null";
  if (value && (!text || !(value->text = strdup (text)))) {
    ak_value_free (value);
    return NULL;
  }
  return value;
}

static struct value *from_json (struct json_object *json, struct value_source *source);

static int
items_from_json (struct json_object *json, struct value_source *source, struct value *list)
{
  size_t n = json_object_array_length (json);

  for (size_t i = 0; i < n; i++)
    if (ak_value_append (list, from_json (json_object_array_get_idx (json, i), source)))
      return -1;
  return 0;
}

static int
entries_from_json (struct json_object *json, struct value_source *source, struct value *map)
{
  json_object_object_foreach (json, key, item)
  {
    if (ak_value_put (map, ak_value_new_text (source, key, strlen (key)), from_json (item, source)))
      return -1;
  }
  return 0;
}

static struct value *
from_json (struct json_object *json, struct value_source *source)
{
  int is_map = json_object_is_type (json, json_type_object);

  if (!is_map && !json_object_is_type (json, json_type_array))
    return scalar_from_json (json, source);
  struct value *value = ak_value_new (is_map ? VALUE_MAP : VALUE_LIST, source);
  if (value && (is_map ? entries_from_json (json, source, value) : items_from_json (json, source, value))) {
    ak_value_free (value);
    return NULL;
  }
  return value;
}

/* NULL also for the JSON null: *ret_valid tells, and is -1 when there was no memory to know. */
static struct json_object *
parse_json (const char *text, size_t size, int *ret_valid)
{
  struct json_tokener *tokener = json_tokener_new_ex ((int) VALUE_MAX_DEPTH);
  struct json_object *json;

  if (!tokener) {
    *ret_valid = -1;
    return NULL;
  }
  json_tokener_set_flags (tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
  /* With the NUL, which ends a number at the end of the text. */
  json = json_tokener_parse_ex (tokener, text, (int) size + 1);
  *ret_valid = json_tokener_get_error (tokener) == json_tokener_success;
  json_tokener_free (tokener);
  return json;
}

/* Of a text that is JSON: its members are its colons outside of strings. */
static size_t
members_written (const char *text)
{
  size_t n = 0;
  int quoted = 0;

  for (; *text; text++) {
    if (quoted && *text == '\\')
      text++;
    else if (*text == '"')
      quoted = !quoted;
    else if (!quoted && *text == ':')
      n++;
  }
  return n;
}

static size_t
members_read (const struct value *value)
{
  size_t n = value->kind == VALUE_MAP ? value->n : 0;

  for (size_t i = 0; i < value->n; i++)
    n += members_read (value->items[i]);
  return n;
}

/* json-c keeps the last of two equal keys, and we would keep text up to a NUL. */
static enum ak_status
check_faithful (const char *source, const char *text, const struct value *value, struct ak_error **error)
{
  if (strstr (text, "\\u0000"))
    return ak_fail (error, AK_STATUS_CONFIG, NULL, "%s: text with a NUL character", source);
  if (members_read (value) != members_written (text))
    return ak_fail (error, AK_STATUS_CONFIG, "Keep one of the two.", "%s: a map has the same key twice",
                    source);
  return AK_STATUS_OK;
}

enum ak_status
ak_value_parse_override (const char *source, const char *text, struct value **ret, struct ak_error **error)
{
  size_t size = strlen (text);
  int valid = 0;

  if (size > VALUE_MAX_SIZE)
    return ak_fail (error, AK_STATUS_CONFIG, NULL, "%s: larger than %u bytes", source, VALUE_MAX_SIZE);
  if (!ak_utf8_valid (text, size))
    return ak_fail (error, AK_STATUS_CONFIG, NULL, "%s: not UTF-8", source);
  struct value_source *name = ak_value_source_new (source);
  struct json_object *json = name ? parse_json (text, size, &valid) : NULL;
  struct value *value = NULL;
  if (name && valid >= 0)
    value = valid ? from_json (json, name) : ak_value_new_text (name, text, size);
  json_object_put (json);
  ak_value_source_unref (name);
  /* A scalar may be wanted as text after all, and then as it was written. */
  if (value && value->kind < VALUE_LIST && valid && value->kind != VALUE_TEXT) {
    free (value->text);
    value->text = strdup (text);
  }
  if (!value || (value->kind < VALUE_LIST && !value->text)) {
    ak_value_free (value);
    return ak_fail_memory (error);
  }
  enum ak_status status = valid ? check_faithful (source, text, value, error) : AK_STATUS_OK;
  if (status != AK_STATUS_OK) {
    ak_value_free (value);
    return status;
  }
  value->loose = 1;
  *ret = value;
  return AK_STATUS_OK;
}

static void
write_text (FILE *out, const char *text)
{
  fputc ('"', out);
  for (; *text; text++) {
    unsigned char c = (unsigned char) *text;

    if (c == '"' || c == '\\')
      fprintf (out, "\\%c", c);
    else if (c < 0x20 || c == 0x7f)
      fprintf (out, "\\u%04x", c);
    else
      fputc (c, out);
  }
  fputc ('"', out);
}

static void
write_number (FILE *out, double number)
{
  char text[NUMBER_TEXT_SIZE];

  ak_number_text (number, text);
  fputs (isfinite (number) ? text : "null", out);
}

static void write_value (FILE *out, const struct value *value);

static void
write_container (FILE *out, const struct value *value)
{
  fputc (value->kind == VALUE_MAP ? '{' : '[', out);
  for (size_t i = 0; i < value->n; i++) {
    if (i > 0)
      fputc (',', out);
    if (value->kind == VALUE_MAP) {
      write_text (out, value->keys[i]);
      fputc (':', out);
    }
    write_value (out, value->items[i]);
  }
  fputc (value->kind == VALUE_MAP ? '}' : ']', out);
}

static void
write_value (FILE *out, const struct value *value)
{
  switch (value->kind) {
  case VALUE_NULL:
    fputs ("null", out);
    break;
  case VALUE_BOOL:
    fputs (value->boolean ? "true" : "false", out);
    break;
  case VALUE_INT:
    fprintf (out, "%" PRId64, value->integer);
    break;
  case VALUE_FLOAT:
    write_number (out, value->number);
    break;
  case VALUE_TEXT:
    write_text (out, value->text);
    break;
  default:
    write_container (out, value);
  }
}

char *
ak_value_json (const struct value *value)
{
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream (&text, &size);

  if (!out)
    return NULL;
  write_value (out, value);
  int failed = ferror (out);
  if (fclose (out) != 0 || failed) {
    free (text);
    return NULL;
  }
  return text;
}
