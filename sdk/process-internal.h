/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What the two halves of a start tell each other. */
#ifndef AKSANDBOX_SDK_PROCESS_INTERNAL_H
#define AKSANDBOX_SDK_PROCESS_INTERNAL_H
#include <aksandbox/sdk-process.h>

/* From the child, by a sequenced socket. AKS_STEP_EXEC without an error: it executes its program now, and
 * either the end of the stream or another message follows. */
struct aks_word {
  enum aks_step step;
  int error;
  int over;                             /* a trial is over, and everything worked */
};

/* Runs in the child, between clone and exec: only system calls. Waits for one byte on `line` before it
 * goes on where the parent writes its maps. */
void aks_child_run (const struct aks_start *start, int line) __attribute__ ((noreturn));

/* To that process and no later one with its pid. */
int aks_signal (const struct aks_process *process, int number);

#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif

#endif
