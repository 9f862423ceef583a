/* SPDX-License-Identifier: Apache-2.0 */
/* A result as the JSON object of every output. */
#include "config.h"
#include "result.h"
#include <inttypes.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Length of the well-formed UTF-8 sequence at `s`, 0 if there is none. */
static size_t
sequence (const unsigned char *s, size_t n)
{
  if (s[0] < 0x80)
    return 1;
  size_t len = s[0] >= 0xf0 && s[0] < 0xf5 ? 4 : s[0] >= 0xe0 && s[0] < 0xf0 ? 3 : s[0] >= 0xc2 && s[0] < 0xe0 ? 2 : 0;
  if (!len || len > n)
    return 0;
  for (size_t i = 1; i < len; i++)
    if ((s[i] & 0xc0) != 0x80)
      return 0;
  /* Overlong forms, surrogates, and what lies beyond U+10FFFF. */
  if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf0 && s[1] < 0x90)
      || (s[0] == 0xf4 && s[1] > 0x8f))
    return 0;
  return len;
}

/* A JSON string; bytes that are not UTF-8 become U+FFFD, and *replaced is set. */
static struct json_object *
text_object (const char *bytes, size_t size, int *replaced)
{
  char *clean = malloc (size * 3 + 1), *at = clean;
  if (!clean)
    return NULL;
  for (size_t i = 0; i < size;) {
    size_t len = sequence ((const unsigned char *) bytes + i, size - i);
    if (len) {
      at = mempcpy (at, bytes + i, len);
      i += len;
    } else {
      at = mempcpy (at, "\xef\xbf\xbd", 3);
      *replaced = 1;
      i++;
    }
  }
  struct json_object *o = json_object_new_string_len (clean, (int) (at - clean));
  free (clean);
  return o;
}

static int
add_output (struct json_object *o, const struct ak_result *r)
{
  static const char *const names[] = { "stdout", "stderr" }, *const totals[] = { "stdout_total", "stderr_total" };
  int replaced = 0;
  for (int i = 0; i < 2; i++) {
    struct json_object *text = text_object (r->text[i] ? r->text[i] : "", r->text_size[i], &replaced);
    if (!text)
      return -1;
    json_object_object_add (o, names[i], text);
  }
  for (int i = 0; i < 2; i++)
    json_object_object_add (o, totals[i], json_object_new_uint64 (r->output[i].total));
  json_object_object_add (o, "truncated", json_object_new_boolean (ak_result_truncated (r)));
  if (replaced)
    json_object_object_add (o, "invalid_utf8_replaced", json_object_new_boolean (1));
  return 0;
}

static void
add_text (struct json_object *o, const char *key, const char *text)
{
  int replaced = 0;
  json_object_object_add (o, key, text ? text_object (text, strlen (text), &replaced) : NULL);
}

/* Milliseconds with three digits behind the point, whatever the locale and the nearest double. */
static struct json_object *
duration_object (uint64_t ns)
{
  char text[48];
  snprintf (text, sizeof text, "%" PRIu64 ".%03u", ns / 1000000, (unsigned) (ns / 1000 % 1000));
  return json_object_new_double_s ((double) ns / 1e6, text);
}

const char *
ak_result_json (struct ak_result *r)
{
  if (r->json)
    return r->json;
  struct json_object *o = json_object_new_object ();
  if (!o || add_output (o, r)) {
    json_object_put (o);
    return NULL;
  }
  add_text (o, "outcome", ak_how_name (ak_result_how (r)));
  json_object_object_add (o, "exit_code", json_object_new_int (ak_result_exit_code (r)));
  json_object_object_add (o, "signal", ak_result_signal (r) ? json_object_new_int (ak_result_signal (r)) : NULL);
  json_object_object_add (o, "duration_ms", duration_object (r->duration_ns));
  add_text (o, "provider", r->provider);
  add_text (o, "isolation", r->isolation);
  add_text (o, "sandbox_session_id", r->session_id);
  if (r->outcome.unconfirmed)
    json_object_object_add (o, "termination_confirmed", json_object_new_boolean (0));
  if (r->notice)
    add_text (o, "notice", r->notice);
  if (r->data)
    json_object_object_add (o, "provider_data", json_tokener_parse (r->data));
  const char *text = json_object_to_json_string_ext (o, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);
  r->json = text ? strdup (text) : NULL;
  json_object_put (o);
  return r->json;
}
