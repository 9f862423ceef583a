/* SPDX-License-Identifier: Apache-2.0 */
/* Deadlines and cancel wishes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <aksandbox.h>
#include <aksandbox/provider.h>
#include "stop.h"

#define MS 1000000u

static int
is_readable (int fd, int wait_ms)
{
  struct pollfd p = { .fd = fd, .events = POLLIN };
  return poll (&p, 1, wait_ms);
}

static void
without_deadline_and_cancel_it_never_ends (void **state)
{
  struct stop stop;
  (void) state;
  ak_stop_init (&stop, 0, NULL);
  assert_int_equal (ak_stop_reason (&stop), AK_OK);
  assert_int_equal (is_readable (ak_stop_fd (&stop), 20), 0);
  ak_stop_done (&stop);
}

static void
a_deadline_is_a_timeout_when_it_has_passed (void **state)
{
  struct stop stop;
  (void) state;
  uint64_t start = ak_now_ns ();
  ak_stop_init (&stop, start + 50 * MS, NULL);
  assert_int_equal (ak_stop_reason (&stop), AK_OK);
  int fd = ak_stop_fd (&stop);
  assert_int_equal (is_readable (fd, 0), 0);
  assert_int_equal (is_readable (fd, 5000), 1);
  uint64_t took = ak_now_ns () - start;
  assert_in_range (took, 50 * MS, 2000 * MS);
  assert_int_equal (ak_stop_reason (&stop), AK_E_TIMEOUT);
  assert_int_equal (is_readable (fd, 0), 1);
  ak_stop_done (&stop);
}

static void
a_deadline_of_long_ago_is_readable_at_once (void **state)
{
  struct stop stop;
  (void) state;
  ak_stop_init (&stop, 1, NULL);
  assert_int_equal (ak_stop_reason (&stop), AK_E_TIMEOUT);
  assert_int_equal (is_readable (ak_stop_fd (&stop), 1000), 1);
  ak_stop_done (&stop);
}

static void
the_descriptor_is_made_once (void **state)
{
  struct stop stop;
  (void) state;
  ak_stop_init (&stop, ak_now_ns () + 1000000 * (uint64_t) MS, NULL);
  int fd = ak_stop_fd (&stop);
  assert_true (fd >= 0);
  assert_int_equal (ak_stop_fd (&stop), fd);
  ak_stop_done (&stop);
  assert_int_equal (is_readable (fd, 0), 1);    /* POLLNVAL: it was closed */
}

static void
a_cancel_ends_every_operation_that_shares_it (void **state)
{
  struct stop one, other;
  (void) state;
  struct ak_cancel *cancel = ak_cancel_new ();
  ak_stop_init (&one, 0, cancel);
  ak_stop_init (&other, ak_now_ns () + 1000000 * (uint64_t) MS, cancel);
  assert_int_equal (is_readable (ak_stop_fd (&one), 0), 0);
  ak_cancel_fire (cancel);
  assert_int_equal (ak_stop_reason (&one), AK_E_CANCELLED);
  assert_int_equal (ak_stop_reason (&other), AK_E_CANCELLED);
  assert_int_equal (is_readable (ak_stop_fd (&one), 0), 1);
  assert_int_equal (is_readable (ak_stop_fd (&other), 0), 1);
  ak_stop_done (&one);
  ak_stop_done (&other);
  ak_cancel_free (cancel);
}

static void
a_wish_comes_before_a_deadline (void **state)
{
  struct stop stop;
  (void) state;
  struct ak_cancel *cancel = ak_cancel_new ();
  ak_stop_init (&stop, 1, cancel);
  ak_cancel_fire (cancel);
  assert_int_equal (ak_stop_reason (&stop), AK_E_CANCELLED);
  ak_stop_done (&stop);
  ak_cancel_free (cancel);
}

static void
who_was_given_up_is_cancelled (void **state)
{
  struct stop stop;
  (void) state;
  ak_stop_init (&stop, 0, NULL);
  atomic_store (&stop.abandoned, 1);
  assert_int_equal (ak_stop_reason (&stop), AK_E_CANCELLED);
  ak_stop_done (&stop);
}

static struct ak_cancel *fired_by_signal;

static void
on_signal (int number)
{
  (void) number;
  ak_cancel_fire (fired_by_signal);
}

static void
firing_works_in_a_signal_handler_and_keeps_errno (void **state)
{
  struct sigaction action = { .sa_handler = on_signal }, old;
  (void) state;
  fired_by_signal = ak_cancel_new ();
  sigaction (SIGUSR1, &action, &old);
  errno = EXDEV;
  raise (SIGUSR1);
  raise (SIGUSR1);
  assert_int_equal (errno, EXDEV);
  assert_int_equal (is_readable (fired_by_signal->fd, 0), 1);
  sigaction (SIGUSR1, &old, NULL);
  ak_cancel_free (fired_by_signal);
  ak_cancel_free (NULL);
}

static void
without_descriptors_there_is_none_and_the_reason_still_holds (void **state)
{
  struct rlimit old, none;
  struct stop stop;
  (void) state;
  getrlimit (RLIMIT_NOFILE, &old);
  none = old;
  none.rlim_cur = 0;
  ak_stop_init (&stop, 1, NULL);
  setrlimit (RLIMIT_NOFILE, &none);
  int fd = ak_stop_fd (&stop);
  struct ak_cancel *cancel = ak_cancel_new ();
  setrlimit (RLIMIT_NOFILE, &old);
  assert_int_equal (fd, -1);
  assert_null (cancel);
  assert_int_equal (ak_stop_reason (&stop), AK_E_TIMEOUT);
  assert_true (ak_stop_fd (&stop) >= 0);
  ak_stop_done (&stop);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (without_deadline_and_cancel_it_never_ends),
    cmocka_unit_test (a_deadline_is_a_timeout_when_it_has_passed),
    cmocka_unit_test (a_deadline_of_long_ago_is_readable_at_once),
    cmocka_unit_test (the_descriptor_is_made_once),
    cmocka_unit_test (a_cancel_ends_every_operation_that_shares_it),
    cmocka_unit_test (a_wish_comes_before_a_deadline),
    cmocka_unit_test (who_was_given_up_is_cancelled),
    cmocka_unit_test (firing_works_in_a_signal_handler_and_keeps_errno),
    cmocka_unit_test (without_descriptors_there_is_none_and_the_reason_still_holds),
  };
  return cmocka_run_group_tests_name ("stop", tests, NULL, NULL);
}
