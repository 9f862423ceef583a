/* SPDX-License-Identifier: Apache-2.0 */
/* The rules between a profile's `environment`, its `attach_to`, and what its provider can do. */
#ifndef AKSANDBOX_CORE_LIFECYCLE_H
#define AKSANDBOX_CORE_LIFECYCLE_H
#include <stdint.h>
#include "configuration.h"

#define LIFECYCLE_ANY (~(uint32_t) 0) /* as capabilities: those of a provider that is not known yet */

/* What is wrong, to stand behind the profile's name, and what to do about it. */
struct lifecycle_fault {
  const char *reason, *hint;
};
/* NULL: nothing. `attach_to` may be NULL or empty: not set. */
const struct lifecycle_fault *ak_lifecycle_fault (int attached, uint32_t caps, const char *attach_to);
/* The same as an error, CONFIG, of a provider that is known. */
enum ak_status ak_lifecycle_check (const struct profile_config *profile, const char *provider, uint32_t caps,
                                   const char *attach_to, struct ak_error **error);

#endif
