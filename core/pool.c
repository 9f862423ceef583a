/* SPDX-License-Identifier: Apache-2.0 */
/* A bounded number of threads, and what waits for one of them. */
#include "config.h"
#include "pool.h"
#include "cleanup.h"
#include <limits.h>
#include <signal.h>
#include <string.h>

/* For a provider's libraries and the application's callbacks; what the C library needs comes on top. */
#define STACK_SIZE (256 * 1024)

struct pool {
  unsigned max;
  pid_t owner;                  /* a forked child has none of its threads */
  pthread_mutex_t lock;         /* of all below */
  pthread_cond_t changed;
  struct task *first, **last;
  unsigned waiting;             /* tasks */
  unsigned idle;                /* threads */
  unsigned n;
  int ends;
  pthread_t *threads;           /* n of them, joined at the end */
};

struct pool *
ak_pool_new (unsigned max_threads)
{
  long cpus = sysconf (_SC_NPROCESSORS_ONLN);
  struct pool *p = calloc (1, sizeof *p);
  if (!p)
    return NULL;
  p->max = max_threads ? max_threads : 2 * (unsigned) (cpus > 0 ? cpus : 1);
  p->owner = getpid ();
  p->last = &p->first;
  pthread_mutex_init (&p->lock, NULL);
  pthread_cond_init (&p->changed, NULL);
  return p;
}

void
ak_pool_free (struct pool *p)
{
  if (!p)
    return;
  pthread_mutex_lock (&p->lock);
  p->ends = 1;
  pthread_cond_broadcast (&p->changed);
  pthread_mutex_unlock (&p->lock);
  for (unsigned i = 0; i < p->n; i++)
    pthread_join (p->threads[i], NULL);
  free (p->threads);
  pthread_mutex_destroy (&p->lock);
  pthread_cond_destroy (&p->changed);
  free (p);
}

static struct task *
next_locked (struct pool *p)
{
  struct task *task = p->first;
  p->first = task->next;
  if (!p->first)
    p->last = &p->first;
  p->waiting--;
  return task;
}

static void *
work (void *data)
{
  struct pool *p = data;
  LOCK_FOR_SCOPE (&p->lock);
  for (;;) {
    p->idle++;
    while (!p->first && !p->ends)
      pthread_cond_wait (&p->changed, &p->lock);
    p->idle--;
    if (!p->first)
      return NULL;
    struct task *task = next_locked (p);
    pthread_mutex_unlock (&p->lock);
    task->run (task);
    pthread_mutex_lock (&p->lock);
  }
}

/* The application's signals are for the application's threads. */
static int
start_thread (pthread_t *thread, struct pool *p)
{
  sigset_t all, old;
  pthread_attr_t attr;
  long least = sysconf (_SC_THREAD_STACK_MIN);
  pthread_attr_init (&attr);
  pthread_attr_setstacksize (&attr, STACK_SIZE + (size_t) (least > 0 ? least : PTHREAD_STACK_MIN));
  sigfillset (&all);
  pthread_sigmask (SIG_SETMASK, &all, &old);
  int failed = pthread_create (thread, &attr, work, p);
  pthread_sigmask (SIG_SETMASK, &old, NULL);
  pthread_attr_destroy (&attr);
  return failed;
}

/* 0 unless nobody would ever run what waits. */
static int
grow_locked (struct pool *p)
{
  if (p->waiting <= p->idle || p->n == p->max)
    return 0;
  pthread_t *grown = realloc (p->threads, (p->n + 1) * sizeof *grown);
  if (grown)
    p->threads = grown;
  if (!grown || start_thread (&p->threads[p->n], p))
    return p->n ? 0 : -1;
  p->n++;
  return 0;
}

static void
unlink_locked (struct pool *p, struct task **at)
{
  *at = (*at)->next;
  if (!*at)
    p->last = at;
  p->waiting--;
}

static struct task **
find_locked (struct pool *p, const struct task *task)
{
  struct task **at = &p->first;
  while (*at && *at != task)
    at = &(*at)->next;
  return at;
}

enum ak_status
ak_pool_submit (struct pool *p, struct task *task, struct ak_error **error)
{
  if (getpid () != p->owner)
    return ak_fail (error, AK_STATUS_INTERNAL, "Make a new runtime after fork().",
                    "runtime: made by process %ld, used in its forked child", (long) p->owner);
  LOCK_FOR_SCOPE (&p->lock);
  task->next = NULL;
  *p->last = task;
  p->last = &task->next;
  p->waiting++;
  if (grow_locked (p)) {
    unlink_locked (p, find_locked (p, task));
    return ak_fail (error, AK_STATUS_UNAVAILABLE, NULL, "runtime: no thread can be started");
  }
  pthread_cond_signal (&p->changed);
  return AK_STATUS_OK;
}

int
ak_pool_withdraw (struct pool *p, struct task *task)
{
  LOCK_FOR_SCOPE (&p->lock);
  struct task **at = find_locked (p, task);
  if (!*at)
    return 0;
  unlink_locked (p, at);
  return 1;
}
