/* SPDX-License-Identifier: Apache-2.0 */
/* What keeps the programs off the runner, and privileges off the programs. */
#ifndef AKSANDBOX_CORE_RUNNER_PROTECT_H
#define AKSANDBOX_CORE_RUNNER_PROTECT_H
#include <signal.h>
#include <stdint.h>

/* The runner's own descriptors begin here. */
#define OWN_DESCRIPTORS 100

/* All signals blocked, all dispositions but SIGPIPE's and SIGCHLD's the default; `child` catches SIGCHLD. */
void protect_signals (void (*child) (int));
/* To wait with: all signals but SIGCHLD. */
void protect_signal_set (sigset_t *set);
/* Closes all descriptors from `first` on, up to `last`. */
void protect_close (unsigned first, unsigned last);
/* In a child: gives fds[i] the number i, or closes that number where it is -1, and closes all other
 * descriptors. Those below `n_inherited` are left to a program, the others are CLOEXEC. -1 with errno. */
int protect_place (int *fds, int n, int n_inherited);
/* As much of a limit as may be set; what is not allowed here is not allowed anyway. -1 with errno. */
int protect_limit (int resource, uint64_t soft, uint64_t hard);
/* A descriptor of a /proc that shows this pid namespace, or -1. */
int protect_open_proc (void);
/* No capability, no new privileges, no core, not dumpable, subreaper. -1: it still has privileges. */
int protect_self (void);
/* -1: there is no seccomp here. */
int protect_filter (void);

#endif
