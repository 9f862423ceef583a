/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a loaded provider is what its note says. */
#ifndef AKSANDBOX_CORE_MODULE_CHECK_H
#define AKSANDBOX_CORE_MODULE_CHECK_H
#include "manifest.h"

/* Its constant, of which `size` bytes are there: the five numbers of the note, and the functions that the
 * capabilities promise. *ret is a copy in which what the plugin is too old to have is NULL. */
enum ak_status ak_module_check (const struct manifest *m, const char *file,
                                const struct ak_provider *provider, size_t size, struct ak_ops *ret,
                                struct ak_error **error);

#endif
