/* SPDX-License-Identifier: Apache-2.0 */
/* A mutex on which nobody waits longer than the operation's deadline, or after its cancel wish. */
#include "config.h"
#include "gate.h"
#include <aksandbox/provider.h>
#include <time.h>
#include "cleanup.h"

#define SLICE_NS (50 * 1000 * 1000)             /* how long a cancelled waiter may go unnoticed */

void
ak_gate_init (struct gate *gate)
{
  pthread_condattr_t attr;
  pthread_condattr_init (&attr);
  pthread_condattr_setclock (&attr, CLOCK_MONOTONIC);
  pthread_mutex_init (&gate->lock, NULL);
  pthread_cond_init (&gate->left, &attr);
  pthread_condattr_destroy (&attr);
  gate->taken = 0;
}

void
ak_gate_destroy (struct gate *gate)
{
  pthread_mutex_destroy (&gate->lock);
  pthread_cond_destroy (&gate->left);
}

int
ak_gate_enter (struct gate *gate, const struct stop *stop)
{
  int reason;
  LOCK_FOR_SCOPE (&gate->lock);
  while (gate->taken) {
    uint64_t until = ak_now_ns () + SLICE_NS;
    struct timespec t = { (time_t) (until / 1000000000), (long) (until % 1000000000) };
    if (stop && (reason = ak_stop_reason (stop)) != AK_OK)
      return reason;
    pthread_cond_timedwait (&gate->left, &gate->lock, &t);
  }
  gate->taken = 1;
  return AK_OK;
}

void
ak_gate_leave (struct gate *gate)
{
  LOCK_FOR_SCOPE (&gate->lock);
  gate->taken = 0;
  pthread_cond_signal (&gate->left);
}
