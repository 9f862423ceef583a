/* SPDX-License-Identifier: Apache-2.0 */
/* Any YAML as the options of a provider that has one of each type: all of them checked, or an error; and no
 * secret is left in redacted text. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "options.h"
#include "replay.h"

#define TEXT(s) ((char[]) { s })

static struct manifest_option notes[] = {
  { .key = TEXT ("a"), .type = AK_T_STRING, .flags = AK_SECRET },
  { .key = TEXT ("b"), .type = AK_T_INT, .min = TEXT ("-5"), .max = TEXT ("100000") },
  { .key = TEXT ("c"), .type = AK_T_FLOAT, .min = TEXT ("0.5") },
  { .key = TEXT ("d"), .type = AK_T_BOOL, .asserts = AK_CAP_NET_DENY, .fallback = TEXT ("no") },
  { .key = TEXT ("e"), .type = AK_T_LIST, .choices = TEXT ("x y 1 2") },
  { .key = TEXT ("f"), .type = AK_T_MAP, .flags = AK_SECRET, .excludes = TEXT ("a b") },
  { .key = TEXT ("g"), .type = AK_T_JSON, .flags = AK_SECRET },
  { .key = TEXT ("h"), .type = AK_T_TIER },
  { .key = TEXT ("i"), .type = AK_T_ENV, .fallback = TEXT ("HOME") },
  { .key = TEXT ("j"), .type = AK_T_STRING, .choices = TEXT ("one two three"), .fallback = TEXT ("two") },
};
static char *names[] = { TEXT ("PATH"), NULL };
static char *none[] = { NULL };
static const struct manifest fly = {
  .name = TEXT ("fly"),
  .caps = AK_CAP_EXTERNAL,
  .languages = none,
  .env = names,
  .options = notes,
  .n_options = sizeof notes / sizeof *notes,
};

static void
check_options (const struct options *options)
{
  const char *secret = ak_options_get (options, "a");
  uint32_t tier;

  ak_options_asserted (options, &tier);
  for (size_t i = 0; i < fly.n_options; i++) {
    const char *key = fly.options[i].key, *map_key;

    for (uint32_t k = 0; ak_options_item (options, key, k, &map_key); k++)
      if ((fly.options[i].type == AK_T_MAP) != (map_key != NULL))
        abort ();
  }
  if (!ak_options_get (options, "d") || !ak_options_get (options, "j"))
    abort ();
  if (secret && strlen (secret) >= 4) {
    char *clean = ak_options_redact (options, secret);

    if (!clean || strcmp (clean, "***") != 0)
      abort ();
    free (clean);
  }
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  struct value *block = NULL;
  struct options *options = NULL;
  struct ak_error *error = NULL;

  if (ak_value_parse_yaml ("f", (const char *) data, size, &block, NULL) != AK_STATUS_OK)
    return 0;
  enum ak_status status = ak_options_new (&fly, block, "f:1", &options, &error);
  if ((status == AK_STATUS_OK) != (options != NULL) || (status == AK_STATUS_OK) == (error != NULL))
    abort ();
  if (options)
    check_options (options);
  ak_options_free (options);
  ak_error_free (error);
  ak_value_free (block);
  return 0;
}
