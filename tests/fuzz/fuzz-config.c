/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a configuration, and their lines as settings of a profile without a file: one that holds what
 * its header promises, or an error. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "configuration.h"
#include "replay.h"

#define SETTINGS 16

static void
check_error (enum ak_status status, struct ak_error *error)
{
  if (status != AK_STATUS_CONFIG || !error || !*ak_error_text (error))
    abort ();
  ak_error_free (error);
}

static void
check_profile (const struct profile_config *p)
{
  if (!p->name || !p->where || !p->policy.timeout_ns || !p->create_timeout_ns)
    abort ();
  if (!p->policy.network_allow || !p->policy.fs_allow_read || !p->policy.fs_allow_write)
    abort ();
}

static void
try_config (const uint8_t *data, size_t size)
{
  struct config *config = NULL;
  struct ak_error *error = NULL;
  const struct profile_config *profile = NULL;
  enum ak_status status = ak_config_load_memory ("config.yaml", (const char *) data, size, &config, &error);

  if (status != AK_STATUS_OK) {
    if (config)
      abort ();
    check_error (status, error);
    return;
  }
  for (size_t i = 0; i < config->n_profiles; i++)
    check_profile (config->profiles[i]);
  status = ak_config_profile (config, NULL, &profile, &error);
  if (status != AK_STATUS_OK)
    check_error (status, error);
  else if (!profile->type)
    abort ();
  ak_config_free (config);
}

static void
try_settings (const uint8_t *data, size_t size)
{
  char *text = malloc (size + 1), *save = NULL;
  const char *settings[SETTINGS + 1] = { NULL };
  struct profile_config *profile = NULL;
  struct ak_error *error = NULL;

  if (!text)
    return;
  memcpy (text, data, size);
  text[size] = '\0';
  char *line = strtok_r (text, "\n", &save);
  for (size_t i = 0; i < SETTINGS && line; i++, line = strtok_r (NULL, "\n", &save))
    settings[i] = line;
  enum ak_status status = ak_config_adhoc ("acme:fly", settings, &profile, &error);
  if (status != AK_STATUS_OK)
    check_error (status, error);
  else
    check_profile (profile);
  ak_profile_free (profile);
  free (text);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  try_config (data, size);
  try_settings (data, size);
  return 0;
}
