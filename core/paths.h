/* SPDX-License-Identifier: Apache-2.0 */
/* Where things of ours are: this code's own file, the installed providers, the runner. */
#ifndef AKSANDBOX_CORE_PATHS_H
#define AKSANDBOX_CORE_PATHS_H
#include <sys/types.h>
#include "error.h"

/* The file that this code is in, library or program; NULL if it cannot be told. */
const char *ak_paths_self (void);
/* Who owns that file and so could replace our own code anyway; -1: not known. */
int ak_paths_self_owner (uid_t *ret);
/* Whether that user owns a folder above it, and so could do the same: root often builds in somebody's checkout. */
int ak_paths_above_owned_by (uid_t uid);
/* The folder that built-in names are looked up in. In a build tree (known by a marker file, by nothing in
 * the environment) it is that tree's own. */
const char *ak_paths_plugins (void);
/* The runner for a machine as uname -m names it, opened and trusted. CONFIG: there is none for it. */
enum ak_status ak_paths_runner (const char *machine, int *ret_fd, struct ak_error **error);

#endif
