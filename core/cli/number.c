/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of the command line, within their ranges. */
#include "config.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "cli.h"

/* Decimal, as a person writes it: no sign, no blanks, no hexadecimal, no "inf". */
static int
parse_decimal (const char *text, double least, double most, double *ret)
{
  char *end;
  double value;
  if (!text[strspn (text, "0")] || text[strspn (text, "0123456789.eE+-")] || strchr ("eE+-", *text))
    return -1;
  value = strtod (text, &end);
  if (*end || !isfinite (value) || value < least || value > most)
    return -1;
  *ret = value;
  return 0;
}

int
cli_parse_timeout (const char *text, double *ret_seconds)
{
  return parse_decimal (text, 0.001, 30 * 86400.0, ret_seconds);
}

int
cli_parse_cpu (const char *text, double *ret_cpus)
{
  return parse_decimal (text, 0.001, 4096, ret_cpus);
}

int
cli_parse_memory (const char *text, uint64_t *ret_mib)
{
  unsigned long long value;
  char *end;
  if (*text < '0' || *text > '9')
    return -1;
  errno = 0;
  value = strtoull (text, &end, 10);
  if (errno)
    return -1;
  if ((*end == 'g' || *end == 'G') && !end[1]) {
    if (value > UINT64_MAX / 1024)
      return -1;
    value *= 1024;
  } else if (*end && ((*end != 'm' && *end != 'M') || end[1]))
    return -1;
  if (value < 4 || value > UINT64_C (16) * 1024 * 1024)
    return -1;
  *ret_mib = value;
  return 0;
}
