/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What /proc/PID/stat tells. */
#ifndef AKSANDBOX_SDK_PROCESS_STAT_H
#define AKSANDBOX_SDK_PROCESS_STAT_H
#include <stdint.h>
#include <sys/types.h>

struct aks_stat {
  pid_t pid, parent;
  char state;
  uint64_t start;
};
/* -ESRCH: there is no such process. */
int aks_stat_of (pid_t pid, struct aks_stat *ret);

#endif
