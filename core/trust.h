/* SPDX-License-Identifier: Apache-2.0 */
/* Which files may be loaded, executed or believed: who could have written them. */
#ifndef AKSANDBOX_CORE_TRUST_H
#define AKSANDBOX_CORE_TRUST_H
#include "error.h"

/* Open a regular file for reading (close-on-exec) after walking to it from / one component at a time,
 * links included. Owners that are trusted: root, the effective user, the owners of this library's own
 * file and of the folders above it. Refused: a component that anybody else could change. Status CONFIG for
 * a path that is not absolute, PLUGIN for what is refused, FILE_NOT_FOUND for what is not there. */
enum ak_status ak_trust_open (const char *path, int *ret_fd, struct ak_error **error);
/* The same for a folder. */
enum ak_status ak_trust_open_dir (const char *path, int *ret_fd, struct ak_error **error);

#endif
