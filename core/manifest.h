/* SPDX-License-Identifier: Apache-2.0 */
/* What a provider says of itself in its file's notes, read without loading it. */
#ifndef AKSANDBOX_CORE_MANIFEST_H
#define AKSANDBOX_CORE_MANIFEST_H
#include <stddef.h>
#include <stdint.h>
#include <aksandbox/provider.h>
#include "error.h"

struct manifest_option {
  char *key;
  uint32_t type, flags, asserts;        /* AK_T_*, AK_REQUIRED and AK_SECRET, AK_CAP_* */
  char *fallback;                       /* its "default", or NULL */
  char *min, *max, *choices, *help;     /* or NULL */
  char *excludes;                       /* keys that may not be set beside it, with spaces between; or NULL */
};

struct manifest {
  char *name;                           /* [a-z][a-z0-9_]*; checked */
  uint32_t major, minor, caps, tier, threads;
  char *version, *summary, *license, *origin, *package;   /* or NULL */
  char **languages, **env;              /* ended by NULL, never NULL */
  struct manifest_option *options;      /* sorted by key */
  size_t n_options;
};

struct manifest_file {                  /* every provider of a file, sorted by name */
  char *path;
  struct manifest *providers;
  size_t n_providers;
};

/* Read the notes of an open ELF file; `path` is for messages. Everything in the file is hostile input.
 * Status PLUGIN: not a shared object of this machine, truncated, no note ("not a provider"), malformed. */
enum ak_status ak_manifest_read (int fd, const char *path, struct manifest_file *ret,
                                 struct ak_error **error);
/* The same, but a shared object without our note is no error: it has no providers. */
enum ak_status ak_manifest_scan (int fd, const char *path, struct manifest_file *ret,
                                 struct ak_error **error);
void ak_manifest_file_clear (struct manifest_file *file);
/* NULL if the file has no such provider. */
const struct manifest *ak_manifest_find (const struct manifest_file *file, const char *name);
const struct manifest_option *ak_manifest_option (const struct manifest *m, const char *key);

/* "os_policy" and its number; an unknown number rounds down to a known tier. -1: no such name. */
const char *ak_tier_name (uint32_t tier);
int ak_tier_number (const char *name, uint32_t *ret);

/* The 13 capabilities of every output, in Agent Kernel's order without isolation and languages; NULL past
 * the last (11). */
struct capability_name { const char *name; uint32_t any_of; };
extern const struct capability_name ak_capability_names[];

#endif
