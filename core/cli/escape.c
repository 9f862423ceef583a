/* SPDX-License-Identifier: Apache-2.0 */
/* Text of others on its way to a terminal or into JSON. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "cli.h"

#define INVALID 0xffffffffu

/* One character of UTF-8 at `p`; how many bytes it has. A byte that begins none is INVALID, one long. */
static size_t
decode (const unsigned char *p, size_t size, uint32_t *ret)
{
  static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
  size_t n = p[0] < 0x80             ? 1
             : (p[0] & 0xe0) == 0xc0 ? 2
             : (p[0] & 0xf0) == 0xe0 ? 3
             : (p[0] & 0xf8) == 0xf0 ? 4
                                     : 0;
  uint32_t c = n == 1 ? p[0] : n ? p[0] & (0x7fu >> n) : 0;
  *ret = INVALID;
  if (!n || n > size)
    return 1;
  for (size_t i = 1; i < n; i++) {
    if ((p[i] & 0xc0) != 0x80)
      return 1;
    c = c << 6 | (p[i] & 0x3f);
  }
  if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
    return 1;
  *ret = c;
  return n;
}

/* Does a terminal obey it, or show what follows in another order or on another line? */
static int
commands (uint32_t c)
{
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x061c || c == 0x200e || c == 0x200f
         || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

void
cli_put_bytes (FILE *out, const char *bytes, size_t size)
{
  const unsigned char *p = (const unsigned char *) bytes;
  for (size_t at = 0, n; at < size; at += n) {
    uint32_t c;
    n = decode (p + at, size - at, &c);
    if (c == INVALID)
      fprintf (out, "\\x%02x", p[at]);
    else if (!commands (c))
      fwrite (p + at, 1, n, out);
    else if (c == '\n' || c == '\t' || c == '\r')
      fprintf (out, "\\%c", c == '\n' ? 'n' : c == '\t' ? 't' : 'r');
    else
      fprintf (out, c < 0x80 ? "\\x%02x" : "\\u%04x", (unsigned) c);
  }
}

void
cli_put (FILE *out, const char *text)
{
  cli_put_bytes (out, text, strlen (text));
}

static void
put_utf8 (FILE *out, const char *text)
{
  const unsigned char *p = (const unsigned char *) text;
  size_t size = strlen (text);
  for (size_t at = 0, n; at < size; at += n) {
    uint32_t c;
    n = decode (p + at, size - at, &c);
    if (c == INVALID)
      fputs ("\xef\xbf\xbd", out);
    else
      fwrite (p + at, 1, n, out);
  }
}

char *
cli_utf8 (const char *text)
{
  char *data = NULL;
  size_t size;
  FILE *out = open_memstream (&data, &size);
  int bad;
  if (!out)
    return NULL;
  put_utf8 (out, text);
  bad = ferror (out);
  if (fclose (out) != 0 || bad) {
    free (data);
    return NULL;
  }
  return data;
}

void
cli_print_json (const char *json)
{
  const unsigned char *p = (const unsigned char *) json;
  size_t size = strlen (json), start = 0;
  /* Such characters stand in strings only, so that an escape means the same. */
  for (size_t at = 0, n; at < size; at += n) {
    uint32_t c;
    n = decode (p + at, size - at, &c);
    if (c != INVALID && (c < 0x20 || !commands (c)))
      continue;
    fwrite (p + start, 1, at - start, stdout);
    printf ("\\u%04x", c == INVALID ? 0xfffdu : (unsigned) c);
    start = at + n;
  }
  fwrite (p + start, 1, size - start, stdout);
  putchar ('\n');
}
