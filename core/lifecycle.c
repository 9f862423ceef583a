/* SPDX-License-Identifier: Apache-2.0 */
/* The rules between a profile's `environment`, its `attach_to`, and what its provider can do. */
#include "config.h"
#include "lifecycle.h"
#include <aksandbox/provider.h>

static const struct lifecycle_fault not_external = {
  "environment: attached, but it does not attach to what others made",
  "Set `environment: managed`, or choose another provider."
};
static const struct lifecycle_fault no_target = { "environment: attached needs the option attach_to",
                                                  "Name the environment in the option `attach_to`." };
static const struct lifecycle_fault attach_only = {
  "environment: managed, but it is attach-only and provisions nothing",
  "Set `environment: attached` and the option `attach_to`."
};
static const struct lifecycle_fault needless_target = {
  "attach_to is set, but the environment is managed", "Remove `attach_to`, or set `environment: attached`."
};

const struct lifecycle_fault *
ak_lifecycle_fault (int attached, uint32_t caps, const char *attach_to)
{
  int has_target = attach_to && *attach_to;

  if (attached && !(caps & AK_CAP_EXTERNAL))
    return &not_external;
  if (attached)
    return has_target ? NULL : &no_target;
  if (!(caps & AK_CAP_PROVISIONS))
    return &attach_only;
  return has_target ? &needless_target : NULL;
}

enum ak_status
ak_lifecycle_check (const struct profile_config *profile, const char *provider, uint32_t caps,
                    const char *attach_to, struct ak_error **error)
{
  const struct lifecycle_fault *fault = ak_lifecycle_fault (profile->attached, caps, attach_to);

  if (!fault)
    return AK_STATUS_OK;
  return ak_fail (error, AK_STATUS_CONFIG, fault->hint, "%s: profile '%s': %s: %s", profile->where,
                  profile->name, provider, fault->reason);
}
