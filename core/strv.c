/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of strings that end with NULL. */
#include "config.h"
#include "strv.h"
#include <stdlib.h>
#include <string.h>

size_t
ak_strv_length (const char *const *list)
{
  size_t n = 0;
  while (list && list[n])
    n++;
  return n;
}

int
ak_strv_take (char ***list, char *text)
{
  size_t n = ak_strv_length ((const char *const *) *list);
  char **grown = text ? realloc (*list, (n + 2) * sizeof *grown) : NULL;
  if (!grown) {
    free (text);
    return -1;
  }
  grown[n] = text;
  grown[n + 1] = NULL;
  *list = grown;
  return 0;
}

int
ak_strv_add (char ***list, const char *text)
{
  return ak_strv_take (list, strdup (text));
}

char **
ak_strv_split (const char *text)
{
  char **list = calloc (1, sizeof *list);
  while (list && *text) {
    size_t n = strcspn (text, " ");
    if (n && ak_strv_take (&list, strndup (text, n))) {
      ak_strv_free (list);
      return NULL;
    }
    text += n + (text[n] == ' ');
  }
  return list;
}

int
ak_strv_has (const char *const *list, const char *text)
{
  for (; list && *list; list++)
    if (!strcmp (*list, text))
      return 1;
  return 0;
}

char *
ak_strv_join (const char *const *list, const char *between)
{
  size_t size = 1;
  for (size_t i = 0; list && list[i]; i++)
    size += strlen (list[i]) + strlen (between);
  char *text = malloc (size), *at = text;
  if (!text)
    return NULL;
  for (size_t i = 0; list && list[i]; i++) {
    if (i)
      at = stpcpy (at, between);
    at = stpcpy (at, list[i]);
  }
  *at = 0;
  return text;
}

void
ak_strv_free (char **list)
{
  for (size_t i = 0; list && list[i]; i++)
    free (list[i]);
  free (list);
}
