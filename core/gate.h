/* SPDX-License-Identifier: Apache-2.0 */
/* A mutex on which nobody waits longer than the operation's deadline, or after its cancel wish. */
#ifndef AKSANDBOX_CORE_GATE_H
#define AKSANDBOX_CORE_GATE_H
#include <pthread.h>
#include "stop.h"

struct gate {
  pthread_mutex_t lock;                 /* of `taken` */
  pthread_cond_t left;
  int taken;
};

void ak_gate_init (struct gate *gate);
void ak_gate_destroy (struct gate *gate);
/* AK_OK: the caller is inside, alone. Else the reason of `stop`; NULL: wait for as long as it takes. */
int ak_gate_enter (struct gate *gate, const struct stop *stop);
void ak_gate_leave (struct gate *gate);

#endif
