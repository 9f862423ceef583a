/* SPDX-License-Identifier: Apache-2.0 */
/* A profile checked against what its provider's file says, without loading it. */
#ifndef AKSANDBOX_CORE_PROFILE_CHECK_H
#define AKSANDBOX_CORE_PROFILE_CHECK_H
#include "lifecycle.h"
#include "module.h"
#include "options.h"

enum profile_verdict {
  PROFILE_GOOD,
  PROFILE_ABSENT, /* its provider is not installed: what is left of it cannot be judged */
  PROFILE_BAD     /* it cannot be used as it stands */
};

/* What was read for it. */
struct profile_view {
  struct manifest_file file;
  const struct manifest *manifest; /* in `file`; or NULL */
  struct options *options;         /* NULL unless they are good */
  const struct lifecycle_fault *fault; /* which of those rules does not hold, or NULL */
};

/* `error` says why it is not good. The profile has a type. `ret` is set in any case. */
enum profile_verdict ak_profile_view (const struct module_path *path, const struct profile_config *profile,
                                      struct profile_view *ret, struct ak_error **error);
void ak_profile_view_clear (struct profile_view *view);

#endif
