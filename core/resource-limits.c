/* SPDX-License-Identifier: Apache-2.0 */
/* Names of resource limits, as in prlimit(1). */
#include "config.h"
#include "resource-limits.h"
#include <string.h>
#include <sys/resource.h>

static const struct { const char *name; int number; } limits[] = {
  { "as", RLIMIT_AS },           { "core", RLIMIT_CORE },     { "cpu", RLIMIT_CPU },       { "data", RLIMIT_DATA },
  { "fsize", RLIMIT_FSIZE },     { "locks", RLIMIT_LOCKS },   { "memlock", RLIMIT_MEMLOCK },
  { "msgqueue", RLIMIT_MSGQUEUE }, { "nice", RLIMIT_NICE },   { "nofile", RLIMIT_NOFILE }, { "nproc", RLIMIT_NPROC },
  { "rss", RLIMIT_RSS },         { "rtprio", RLIMIT_RTPRIO }, { "rttime", RLIMIT_RTTIME },
  { "sigpending", RLIMIT_SIGPENDING }, { "stack", RLIMIT_STACK },
};

int
ak_limit_number (const char *name)
{
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
    if (!strcmp (limits[i].name, name))
      return limits[i].number;
  return -1;
}
