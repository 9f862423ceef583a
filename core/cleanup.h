/* SPDX-License-Identifier: Apache-2.0 */
/* What is freed, closed or unlocked when its scope ends. */
#ifndef AKSANDBOX_CORE_CLEANUP_H
#define AKSANDBOX_CORE_CLEANUP_H
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static inline void
cleanup_free (void *p)
{
  free (*(void **) p);
}

static inline void
cleanup_close (int *fd)
{
  if (*fd >= 0)
    close (*fd);
}

static inline void
cleanup_fclose (FILE **f)
{
  if (*f)
    fclose (*f);
}

static inline void
cleanup_unlock (pthread_mutex_t **m)
{
  if (*m)
    pthread_mutex_unlock (*m);
}

#define CLEANUP_FREE __attribute__ ((cleanup (cleanup_free)))
#define CLEANUP_CLOSE __attribute__ ((cleanup (cleanup_close)))
#define CLEANUP_FCLOSE __attribute__ ((cleanup (cleanup_fclose)))
/* Hold a mutex until the scope ends. One of them a scope. */
#define LOCK_FOR_SCOPE(mutex) \
  __attribute__ ((cleanup (cleanup_unlock))) pthread_mutex_t *scope_lock_ = (mutex); \
  pthread_mutex_lock (scope_lock_)

/* The value of a pointer or descriptor, which is then no longer cleaned up. */
#define TAKE_PTR(p) ({ __typeof__ (p) take_ = (p); (p) = NULL; take_; })
#define TAKE_FD(fd) ({ int take_ = (fd); (fd) = -1; take_; })

#endif
