/* SPDX-License-Identifier: Apache-2.0 */
/* The only reader of the environment. */
#include "config.h"
#include "environ.h"
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/auxv.h>
#include <unistd.h>

const char *
ak_environ (const char *name)
{
  return secure_getenv (name);
}

int
ak_environ_is_name (const char *name)
{
  size_t n = strspn (name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_");

  return n > 0 && name[n] == 0 && (*name < '0' || *name > '9');
}

void
ak_environ_each (const char *prefix, void (*each) (void *data, const char *entry), void *data)
{
  size_t length = strlen (prefix);

  /* secure_getenv cannot be asked for names that are not known, so its condition is asked itself. */
  if (getauxval (AT_SECURE) != 0 || !environ)
    return;
  for (char **entry = environ; *entry; entry++)
    if (strncasecmp (*entry, prefix, length) == 0)
      each (data, *entry);
}
