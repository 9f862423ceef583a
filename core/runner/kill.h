/* SPDX-License-Identifier: Apache-2.0 */
/* Killing whole trees of processes that do not want to die. */
#ifndef AKSANDBOX_CORE_RUNNER_KILL_H
#define AKSANDBOX_CORE_RUNNER_KILL_H
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The processes below `pid` shall die, itself not. It is this process, or a child that it has not reaped:
 * so the number means nobody else. */
struct kill_root {
  pid_t pid;
  size_t alive;                 /* after a pass: so many were still alive at its start */
};

struct killer {
  int proc;                     /* descriptor of /proc */
  struct kill_entry *entries;   /* NULL before the first pass */
  size_t n_entries;
  struct kill_victim *victims;
  size_t n_victims, max_victims;
};

/* One pass: stops what it finds below the roots; when nothing is left to stop, kills what it stopped. To
 * be repeated until `alive` of a root is 0. Children of this process in `spared` (and what is below them)
 * are left alone, unless they are below a root of their own. -1: there is no memory, or no /proc. */
int kill_pass (struct killer *killer, struct kill_root *roots, size_t n_roots, const pid_t *spared,
               size_t n_spared);

#endif
