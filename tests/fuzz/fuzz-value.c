/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a configuration file, and as an override: a tree that can be written as JSON, or an error. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "replay.h"
#include "value.h"

static void
judge (enum ak_status status, struct value *value, struct ak_error *error)
{
  if ((status == AK_STATUS_OK) != (value != NULL) || (status == AK_STATUS_OK) == (error != NULL))
    abort ();
  if (value) {
    char *json = ak_value_json (value);
    if (!json)
      abort ();
    free (json);
  }
  ak_value_free (value);
  ak_error_free (error);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  struct value *value = NULL;
  struct ak_error *error = NULL;
  enum ak_status status = ak_value_parse_yaml ("config.yaml", (const char *) data, size, &value, &error);
  judge (status, value, error);

  char *text = malloc (size + 1);
  if (!text)
    return 0;
  memcpy (text, data, size);
  text[size] = '\0';
  value = NULL;
  error = NULL;
  status = ak_value_parse_override ("environment variable AK_X", text, &value, &error);
  judge (status, value, error);
  free (text);
  return 0;
}
