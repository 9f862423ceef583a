/* SPDX-License-Identifier: Apache-2.0 */
/* Structs of callers that were compiled with an older or a newer aksandbox.h. */
#ifndef AKSANDBOX_CORE_STRUCT_COPY_H
#define AKSANDBOX_CORE_STRUCT_COPY_H
#include "error.h"

/* Both begin with struct_size. What the caller's does not have is zero in `to`; what only it has must be zero,
 * since nobody here would heed it: CONFIG. `least` is what every caller has, `what` names it in messages. */
enum ak_status ak_struct_copy (void *to, size_t size, const void *from, size_t least, const char *what,
                               struct ak_error **error);

#endif
