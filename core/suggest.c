/* SPDX-License-Identifier: Apache-2.0 */
/* The nearest known word to one that is not known. */
#include "config.h"
#include "suggest.h"
#include <stddef.h>
#include <string.h>

#define LONGEST 64
#define SHORTEST 3              /* that counts as the beginning of a word */

static unsigned char
folded (char c)
{
  if (c >= 'A' && c <= 'Z')
    return (unsigned char) (c - 'A' + 'a');
  return c == '-' ? '_' : (unsigned char) c;
}

static unsigned
least (unsigned a, unsigned b)
{
  return a < b ? a : b;
}

/* Insertions, deletions, replacements and swaps of neighbours that turn one word into the other. */
static unsigned
distance (const char *a, size_t a_length, const char *b, size_t b_length)
{
  unsigned rows[3][LONGEST + 1];
  unsigned *before = rows[0], *above = rows[1], *row = rows[2];

  for (size_t j = 0; j <= b_length; j++)
    above[j] = (unsigned) j;
  for (size_t i = 1; i <= a_length; i++) {
    row[0] = (unsigned) i;
    for (size_t j = 1; j <= b_length; j++) {
      unsigned char x = folded (a[i - 1]), y = folded (b[j - 1]);

      row[j] = least (least (above[j], row[j - 1]) + 1, above[j - 1] + (x != y));
      if (i > 1 && j > 1 && x == folded (b[j - 2]) && y == folded (a[i - 2]))
        row[j] = least (row[j], before[j - 2] + 1);
    }
    unsigned *spare = before;
    before = above;
    above = row;
    row = spare;
  }
  return above[b_length];
}

static int
begins_with (const char *word, size_t length, const char *known)
{
  for (size_t i = 0; i < length; i++)
    if (folded (word[i]) != folded (known[i]))
      return 0;
  return length >= SHORTEST;
}

const char *
ak_suggest (const char *word, const char *const *known)
{
  size_t length = strlen (word);
  const char *best = NULL;
  unsigned best_distance = 0;

  if (length > LONGEST)
    return NULL;
  for (; *known; known++) {
    size_t known_length = strlen (*known);
    /* A third of a word may be wrong: more of them would suggest words that have nothing in common. */
    unsigned limit = (unsigned) ((known_length > length ? known_length : length) + 2) / 3;
    unsigned d;

    if (known_length > LONGEST)
      continue;
    d = distance (word, length, *known, known_length);
    if (d > 1 && begins_with (word, length, *known))
      d = 1;
    if (d <= least (limit, 3) && (!best || d < best_distance)) {
      best = *known;
      best_distance = d;
    }
  }
  return best;
}
