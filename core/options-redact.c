/* SPDX-License-Identifier: Apache-2.0 */
/* Secrets taken out of text by their values. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "options-internal.h"
#include "strv.h"

#define MARK "***"
/* Shorter ones would take words apart, and protect nothing. */
#define SHORTEST 4

int
ak_secrets_add (char ***secrets, const char *text)
{
  if (strlen (text) < SHORTEST || ak_strv_has ((const char *const *) *secrets, text))
    return 0;
  return ak_strv_add (secrets, text);
}

int
ak_secrets_add_value (char ***secrets, const struct value *value)
{
  int failed = value->text ? ak_secrets_add (secrets, value->text) : 0;

  for (size_t i = 0; i < value->n && !failed; i++)
    failed = ak_secrets_add_value (secrets, value->items[i]);
  return failed;
}

static int
compare_lengths (const void *a, const void *b)
{
  size_t x = strlen (*(const char *const *) a), y = strlen (*(const char *const *) b);

  return (x < y) - (x > y);
}

/* One that contains another must go before it. */
void
ak_secrets_sort (char **secrets)
{
  size_t n = ak_strv_length ((const char *const *) secrets);

  if (n > 1)
    qsort (secrets, n, sizeof *secrets, compare_lengths);
}

int
ak_options_protect (struct options *options, const char *secret)
{
  if (ak_secrets_add (&options->secrets, secret))
    return -1;
  ak_secrets_sort (options->secrets);
  return 0;
}

static size_t
secret_at (char *const *secrets, const char *text)
{
  for (; *secrets; secrets++) {
    size_t length = strlen (*secrets);

    if (**secrets == *text && strncmp (*secrets, text, length) == 0)
      return length;
  }
  return 0;
}

char *
ak_options_redact (const struct options *options, const char *text)
{
  char *copy = strdup (text), *out = copy;

  if (!copy || !options || !options->secrets)
    return copy;
  while (*text) {
    size_t length = secret_at (options->secrets, text);

    if (length > 0) {
      out = stpcpy (out, MARK);
      text += length;
    } else
      *out++ = *text++;
  }
  *out = 0;
  return copy;
}
