/* SPDX-License-Identifier: Apache-2.0 */
/* For whom sandboxes are made: what `principal_resolver: static` says, with its credentials. */
#ifndef AKSANDBOX_CORE_PRINCIPAL_H
#define AKSANDBOX_CORE_PRINCIPAL_H
#include <aksandbox/provider.h>
#include "configuration.h"

struct principal {
  struct ak_principal base;     /* for a provider; subject and groups are the configuration's */
  char **credentials;           /* key, value, key...; ended by NULL, never NULL */
};

/* Read the credentials from the variables that `config` names; it is borrowed. One that is not set: CONFIG. */
enum ak_status ak_principal_new (const struct principal_config *config, struct principal **ret, struct ak_error **error);
void ak_principal_free (struct principal *principal);

#endif
