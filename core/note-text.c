/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a note: "key=value" entries, each with its NUL. */
#include "config.h"
#include "note-text.h"
#include <stdint.h>
#include <string.h>

#define VALUE_MAX 4096

/* The next character of UTF-8 text and its length; 0 if it is none. */
static size_t
decode (const unsigned char *at, uint32_t *ret)
{
  static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
  size_t n = *at < 0x80 ? 1 : *at >= 0xf0 && *at < 0xf8 ? 4 : *at >= 0xe0 ? 3 : *at >= 0xc0 ? 2 : 0;
  if (!n || *at >= 0xf8)
    return 0;
  uint32_t c = n == 1 ? *at : *at & (0x7fu >> n);
  for (size_t i = 1; i < n; i++) {
    if ((at[i] & 0xc0) != 0x80)
      return 0;
    c = c << 6 | (at[i] & 0x3fu);
  }
  if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
    return 0;
  *ret = c;
  return n;
}

static const char *
check_value (const char *value)
{
  const unsigned char *at = (const unsigned char *) value;
  if (strnlen (value, VALUE_MAX + 1) > VALUE_MAX)
    return "a value is longer than 4 KiB";
  while (*at) {
    uint32_t c = 0;
    size_t n = decode (at, &c);
    if (!n)
      return "a value is not UTF-8";
    if (c < 0x20 || (c >= 0x7f && c < 0xa0))
      return "a value has control characters";
    if ((c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069))
      return "a value changes the direction of text";
    at += n;
  }
  return NULL;
}

static int
key_index (const char *entry, size_t length, const char *const *keys)
{
  for (int i = 0; keys[i]; i++)
    if (strlen (keys[i]) == length && !memcmp (keys[i], entry, length))
      return i;
  return -1;
}

const char *
ak_note_text (const char *text, size_t size, const char *const *keys, const char **values)
{
  const char *end = text + size;
  if (size && end[-1])
    return "its text does not end";
  for (; text < end && *text; text += strlen (text) + 1) {
    size_t length = strcspn (text, "=");
    if (!length || !text[length])
      return "a text without key=";
    int i = key_index (text, length, keys);
    if (i < 0)
      continue;
    if (values[i])
      return "a key twice";
    const char *wrong = check_value (text + length + 1);
    if (wrong)
      return wrong;
    values[i] = text + length + 1;
  }
  for (; text < end; text++)
    if (*text)
      return "text behind its end";
  return NULL;
}
