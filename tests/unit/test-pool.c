/* SPDX-License-Identifier: Apache-2.0 */
/* The pool: every task once, never more threads than allowed, none before it is needed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "pool.h"

#define OWN 1                           /* a thread that a sanitizer may have */

struct counted {
  struct task task;
  int ms;
};

static atomic_int ran, now, most, with_signals;

static void
run_counted (struct task *task)
{
  struct counted *c = (struct counted *) (void *) task;
  struct timespec t = { 0, c->ms * 1000000L };
  sigset_t mask;
  int n = ++now;
  if (n > most)
    most = n;
  pthread_sigmask (SIG_SETMASK, NULL, &mask);
  with_signals += !sigismember (&mask, SIGTERM) || !sigismember (&mask, SIGCHLD);
  nanosleep (&t, NULL);
  now--;
  ran++;
  free (c);
}

static struct task *
counted_new (int ms)
{
  struct counted *c = calloc (1, sizeof *c);
  c->task.run = run_counted;
  c->ms = ms;
  return &c->task;
}

static int
forget (void **state)
{
  (void) state;
  ran = most = with_signals = 0;
  return 0;
}

static void
wait_for (int n)
{
  for (int i = 0; i < 10000 && ran < n; i++)
    nanosleep (&(struct timespec) { 0, 1000000 }, NULL);
  assert_int_equal (ran, n);
}

static unsigned
threads (void)
{
  unsigned n = 0;
  DIR *d = opendir ("/proc/self/task");
  while (readdir (d))
    n++;
  closedir (d);
  return n - 2;
}

static void
every_task_runs_once_within_the_bound (void **state)
{
  (void) state;
  unsigned before = threads ();
  struct pool *p = ak_pool_new (3);
  assert_int_equal (threads (), before);
  for (int i = 0; i < 40; i++)
    assert_int_equal (ak_pool_submit (p, counted_new (2), NULL), AK_STATUS_OK);
  assert_in_range (threads (), before + 1, before + 3 + OWN);
  ak_pool_free (p);             /* runs what waits still */
  assert_int_equal (ran, 40);
  assert_in_range (most, 1, 3);
  assert_in_range (threads (), before, before + OWN);
}

static void
one_after_the_other_needs_one_thread (void **state)
{
  (void) state;
  unsigned before = threads ();
  struct pool *p = ak_pool_new (8);
  for (int i = 0; i < 5; i++) {
    assert_int_equal (ak_pool_submit (p, counted_new (1), NULL), AK_STATUS_OK);
    wait_for (i + 1);
    nanosleep (&(struct timespec) { 0, 5000000 }, NULL);
  }
  assert_in_range (threads (), before + 1, before + 2 + OWN);
  ak_pool_free (p);
}

static void
its_threads_have_every_signal_blocked (void **state)
{
  (void) state;
  struct pool *p = ak_pool_new (1);
  assert_int_equal (ak_pool_submit (p, counted_new (0), NULL), AK_STATUS_OK);
  wait_for (1);
  assert_int_equal (with_signals, 0);
  ak_pool_free (p);
}

static void
what_is_withdrawn_does_not_run (void **state)
{
  (void) state;
  struct pool *p = ak_pool_new (1);
  struct task *first = counted_new (200), *second = counted_new (0), *third = counted_new (0);
  assert_int_equal (ak_pool_submit (p, first, NULL), AK_STATUS_OK);
  for (int i = 0; i < 10000 && !now; i++)
    nanosleep (&(struct timespec) { 0, 1000000 }, NULL);
  assert_int_equal (ak_pool_submit (p, second, NULL), AK_STATUS_OK);
  assert_int_equal (ak_pool_submit (p, third, NULL), AK_STATUS_OK);
  assert_int_equal (ak_pool_withdraw (p, first), 0);
  assert_int_equal (ak_pool_withdraw (p, third), 1);
  assert_int_equal (ak_pool_withdraw (p, third), 0);
  wait_for (2);
  ak_pool_free (p);
  assert_int_equal (ran, 2);
  free (third);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup (every_task_runs_once_within_the_bound, forget),
    cmocka_unit_test_setup (one_after_the_other_needs_one_thread, forget),
    cmocka_unit_test_setup (its_threads_have_every_signal_blocked, forget),
    cmocka_unit_test_setup (what_is_withdrawn_does_not_run, forget),
  };
  return cmocka_run_group_tests_name ("pool", tests, NULL, NULL);
}
