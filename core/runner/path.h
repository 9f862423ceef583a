/* SPDX-License-Identifier: Apache-2.0 */
/* Paths that cannot leave the workspace, however the tree below it changes meanwhile. */
#ifndef AKSANDBOX_CORE_RUNNER_PATH_H
#define AKSANDBOX_CORE_RUNNER_PATH_H
#include <limits.h>
#include <stddef.h>
#include <stdint.h>

struct workspace {
  int fd;
  const char *path;             /* as the host named it */
  const char *real;             /* without links */
};

/* What the host sent becomes relative to the workspace, without "." and "..": "." itself for the
 * workspace. 0, or a negative errno: -EXDEV it leaves, -EINVAL it holds a NUL, -ENAMETOOLONG. */
int path_normal (const struct workspace *workspace, const uint8_t *bytes, size_t size, char ret[PATH_MAX]);

/* Opens a normal path, following links that stay inside. A descriptor or a negative errno, -EXDEV: it
   leaves. */
int path_open (const struct workspace *workspace, const char *path, int flags);

/* The folder of a normal path (made, with its parents, if `make`), and *name in `path` inside it. As
 * path_open; -EISDIR: the workspace itself has none. */
int path_parent (const struct workspace *workspace, const char *path, int make, const char **name);

#endif
