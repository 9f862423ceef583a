/* SPDX-License-Identifier: Apache-2.0 */
/* Structs of callers that were compiled with an older or a newer aksandbox.h. */
#include "config.h"
#include "struct-copy.h"
#include <string.h>

static int
is_zero (const char *bytes, size_t size)
{
  while (size && !bytes[size - 1])
    size--;
  return !size;
}

enum ak_status
ak_struct_copy (void *to, size_t size, const void *from, size_t least, const char *what, struct ak_error **error)
{
  size_t theirs = *(const size_t *) from;
  if (theirs < least)
    return ak_fail (error, AK_STATUS_CONFIG, "Set struct_size to the sizeof of the struct.", "%s: struct_size is %zu",
                    what, theirs);
  if (theirs > size && !is_zero ((const char *) from + size, theirs - size))
    return ak_fail (error, AK_STATUS_CONFIG, "Use a newer libaksandbox, or leave at zero what is new.",
                    "%s: sets what this version of the library does not know (%zu bytes, here %zu)", what, theirs, size);
  memset (to, 0, size);
  memcpy (to, from, theirs < size ? theirs : size);
  return AK_STATUS_OK;
}
