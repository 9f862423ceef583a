/* SPDX-License-Identifier: Apache-2.0 */
/* Who could change a file: its owner, its group, everybody. */
#ifndef AKSANDBOX_CORE_OWNER_H
#define AKSANDBOX_CORE_OWNER_H
#include <limits.h>
#include <sys/stat.h>

struct owner_fault {
  char reason[160];             /* "writable by everybody" */
  char remedy[PATH_MAX + 160];  /* a command to run, or "" */
};

/* 0: only those who are trusted could. Else -1 and what is wrong. `fd` is an open descriptor of it (O_PATH
 * will do), `path` its name for the remedy. */
int ak_owner_judge (int fd, const struct stat *st, const char *path, struct owner_fault *fault);

#endif
