/* SPDX-License-Identifier: Apache-2.0 */
/* Why an operation must end: its deadline, or somebody's wish. */
#ifndef AKSANDBOX_CORE_STOP_H
#define AKSANDBOX_CORE_STOP_H
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

/* One cancel wish, shared by any number of operations. The descriptor is an eventfd that stays readable
 * once it has fired. */
struct ak_cancel {
  atomic_int fired;
  int fd;
};

/* Of one call. Free of descriptors until somebody asks for one. */
struct stop {
  uint64_t deadline_ns;         /* CLOCK_MONOTONIC, 0: none */
  struct ak_cancel *cancel;     /* or NULL */
  atomic_int abandoned;         /* the host gave up waiting */
  pthread_mutex_t lock;
  int fd;                       /* made on demand: an epoll of a timer and the cancel's descriptor; -1 */
  int timer;
};

uint64_t ak_now_ns (void);      /* CLOCK_MONOTONIC */
void ak_stop_init (struct stop *stop, uint64_t deadline_ns, struct ak_cancel *cancel);
void ak_stop_done (struct stop *stop);
int ak_stop_reason (const struct stop *stop);   /* AK_OK, AK_E_TIMEOUT, AK_E_CANCELLED */
int ak_stop_fd (struct stop *stop);             /* readable from then on; -1: no descriptor to be had */

#endif
