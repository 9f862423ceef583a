/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Text that grows, names by chance, labels, and text of strangers made fit for a message. */
#define _GNU_SOURCE
#include <aksandbox/sdk-text.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

int
aks_text_add (struct aks_text *text, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  int n = vsnprintf (NULL, 0, format, args);
  va_end (args);
  if (n < 0)
    return -EINVAL;
  size_t need = text->size + (size_t) n + 1;
  if (need > text->room) {
    size_t room = need < 128 ? 256 : 2 * need;
    char *grown = realloc (text->bytes, room);
    if (!grown)
      return -ENOMEM;
    text->bytes = grown;
    text->room = room;
  }
  va_start (args, format);
  vsnprintf (text->bytes + text->size, (size_t) n + 1, format, args);
  va_end (args);
  text->size += (size_t) n;
  return 0;
}

void
aks_text_clear (struct aks_text *text)
{
  free (text->bytes);
  *text = (struct aks_text) { NULL, 0, 0 };
}

int
aks_random_hex (char *ret, size_t n)
{
  unsigned char bytes[32];
  if (n > sizeof bytes)
    return -EINVAL;
  for (size_t have = 0; have < n;) {
    ssize_t got = getrandom (bytes + have, n - have, 0);
    if (got < 0 && errno != EINTR)
      return -errno;
    if (got > 0)
      have += (size_t) got;
  }
  for (size_t i = 0; i < n; i++)
    snprintf (ret + 2 * i, 3, "%02x", bytes[i]);
  return 0;
}

int
aks_is_hex (const char *text, size_t count)
{
  return strspn (text, "0123456789abcdef") == count && !text[count];
}

const char *
aks_label (const char *const *labels, const char *key)
{
  size_t n = strlen (key);
  for (; labels && *labels; labels++)
    if (strncmp (*labels, key, n) == 0 && (*labels)[n] == '=')
      return *labels + n + 1;
  return NULL;
}

int
aks_labels_valid (const char *const *labels)
{
  for (; labels && *labels; labels++) {
    const char *equals = strchr (*labels, '=');
    if (!equals || equals == *labels)
      return 0;
    for (const unsigned char *c = (const unsigned char *) *labels; *c; c++)
      if (*c < 0x20 || *c == 0x7f)
        return 0;
  }
  return 1;
}

static int
is_plain (unsigned char c)
{
  return c >= 0x20 && c < 0x7f && c != '\\';
}

char *
aks_escape (char *ret, size_t room, const char *text)
{
  size_t at = 0, all = 0;
  const unsigned char *c;
  for (c = (const unsigned char *) text; *c && all < room; c++)
    all += is_plain (*c) ? 1 : 4;
  size_t limit = all < room ? all : room - 4;
  for (c = (const unsigned char *) text; *c && at + (is_plain (*c) ? 1 : 4) <= limit; c++)
    if (is_plain (*c))
      ret[at++] = (char) *c;
    else
      at += (size_t) snprintf (ret + at, 5, "\\x%02x", *c);
  strcpy (ret + at, all < room ? "" : "...");
  return ret;
}

int
aks_parse_u64 (const char *text, uint64_t *ret)
{
  if (!*text || text[strspn (text, "0123456789")])
    return -EINVAL;
  errno = 0;
  unsigned long long n = strtoull (text, NULL, 10);
  if (errno)
    return -errno;
  *ret = n;
  return 0;
}
