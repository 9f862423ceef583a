/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What is freed, closed or unlocked when its scope ends. */
#ifndef AKSANDBOX_SDK_CLEANUP_H
#define AKSANDBOX_SDK_CLEANUP_H
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static inline void
aks_cleanup_free (void *p)
{
  free (*(void **) p);
}

static inline void
aks_cleanup_close (int *fd)
{
  if (*fd >= 0)
    close (*fd);
}

static inline void
aks_cleanup_unlock (pthread_mutex_t **m)
{
  if (*m)
    pthread_mutex_unlock (*m);
}

#define AKS_FREE __attribute__ ((cleanup (aks_cleanup_free)))
#define AKS_CLOSE __attribute__ ((cleanup (aks_cleanup_close)))
/* Hold a mutex until the scope ends. One of them a scope. */
#define AKS_LOCK_FOR_SCOPE(mutex) \
  __attribute__ ((cleanup (aks_cleanup_unlock))) pthread_mutex_t *aks_scope_lock_ = (mutex); \
  pthread_mutex_lock (aks_scope_lock_)

/* The value of a pointer or descriptor, which is then no longer cleaned up. */
#define AKS_TAKE_PTR(p) ({ __typeof__ (p) aks_take_ = (p); (p) = NULL; aks_take_; })
#define AKS_TAKE_FD(fd) ({ int aks_take_ = (fd); (fd) = -1; aks_take_; })

#endif
