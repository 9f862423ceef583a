/* SPDX-License-Identifier: Apache-2.0 */
/* For whom sandboxes are made: what `principal_resolver: static` says, with its credentials. */
#include "config.h"
#include "principal.h"
#include "environ.h"
#include "strv.h"
#include <stdlib.h>
#include <string.h>

static enum ak_status
read_credentials (const struct principal_config *config, struct principal *p, struct ak_error **error)
{
  for (char **key = config->credentials; *key; key += 2) {
    const char *value = ak_environ (key[1]);
    if (!value)
      return ak_fail (error, AK_STATUS_CONFIG, "Set it, or remove the credential from the block `principal:`.",
                      "principal: the environment variable %s of the credential '%s' is not set", key[1], key[0]);
    if (ak_strv_add (&p->credentials, key[0]) || ak_strv_add (&p->credentials, value))
      return ak_fail_memory (error);
  }
  return AK_STATUS_OK;
}

enum ak_status
ak_principal_new (const struct principal_config *config, struct principal **ret, struct ak_error **error)
{
  struct principal *p = calloc (1, sizeof *p);
  if (!p || !(p->credentials = calloc (1, sizeof *p->credentials))) {
    free (p);
    return ak_fail_memory (error);
  }
  enum ak_status status = read_credentials (config, p, error);
  if (status != AK_STATUS_OK) {
    ak_principal_free (p);
    return status;
  }
  p->base = (struct ak_principal) {
    .struct_size = sizeof p->base,
    .user = (uint32_t) config->user,
    .subject = config->subject,
    .groups = (const char *const *) config->groups,
    .credentials = (const char *const *) p->credentials,
  };
  *ret = p;
  return AK_STATUS_OK;
}

void
ak_principal_free (struct principal *p)
{
  if (!p)
    return;
  for (char **text = p->credentials; *text; text++)
    explicit_bzero (*text, strlen (*text));
  ak_strv_free (p->credentials);
  free (p);
}
