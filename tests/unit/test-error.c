/* SPDX-License-Identifier: Apache-2.0 */
/* Errors are made once, keep their first cause, and never need memory to exist. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include "error.h"

static void
an_error_carries_status_text_and_hint (void **state)
{
  (void) state;
  struct ak_error *e = NULL;
  assert_int_equal (ak_fail (&e, AK_STATUS_POLICY, "do this", "%s: %d", "thing", 7), AK_STATUS_POLICY);
  assert_int_equal (ak_error_status (e), AK_STATUS_POLICY);
  assert_string_equal (ak_error_text (e), "thing: 7");
  assert_string_equal (ak_error_hint (e), "do this");
  assert_null (ak_error_provider (e));
  ak_error_free (e);
}

static void
the_first_error_stays (void **state)
{
  (void) state;
  struct ak_error *e = NULL;
  ak_fail (&e, AK_STATUS_GONE, NULL, "first");
  assert_int_equal (ak_fail (&e, AK_STATUS_CONFIG, NULL, "second"), AK_STATUS_CONFIG);
  assert_string_equal (ak_error_text (e), "first");
  assert_int_equal (ak_error_status (e), AK_STATUS_GONE);
  ak_error_free (e);
}

static void
nobody_has_to_want_the_error (void **state)
{
  (void) state;
  assert_int_equal (ak_fail (NULL, AK_STATUS_AUTH, NULL, "x"), AK_STATUS_AUTH);
  ak_error_stamp (NULL, "p", "o");
  ak_error_free (NULL);
}

static void
a_stamp_fills_in_and_never_overwrites (void **state)
{
  (void) state;
  struct ak_error *e = NULL;
  ak_fail (&e, AK_STATUS_GONE, NULL, "x");
  ak_error_stamp (e, "docker", NULL);
  ak_error_stamp (e, "other", "attach");
  assert_string_equal (ak_error_provider (e), "docker");
  assert_string_equal (ak_error_operation (e), "attach");
  ak_error_free (e);
}

static void
restating_changes_the_class_and_adds_a_hint (void **state)
{
  (void) state;
  struct ak_error *e = NULL;
  ak_fail (&e, AK_STATUS_INTERNAL, "one", "x");
  ak_error_restate (e, AK_STATUS_UNAVAILABLE, "two");
  assert_int_equal (ak_error_status (e), AK_STATUS_UNAVAILABLE);
  assert_true (ak_error_retryable (e));
  assert_string_equal (ak_error_hint (e), "one\ntwo");
  ak_error_free (e);
}

static void
out_of_memory_needs_no_memory (void **state)
{
  (void) state;
  struct ak_error *e = NULL;
  assert_int_equal (ak_fail_memory (&e), AK_STATUS_INTERNAL);
  assert_non_null (strstr (ak_error_text (e), "out of memory"));
  ak_error_stamp (e, "p", "o");
  ak_error_restate (e, AK_STATUS_OK, "x");
  assert_int_equal (ak_error_status (e), AK_STATUS_INTERNAL);
  ak_error_free (e);
}

static void
every_status_has_its_name (void **state)
{
  (void) state;
  assert_string_equal (ak_status_name (AK_STATUS_OK), "ok");
  assert_string_equal (ak_status_name (AK_STATUS_SESSION_NOT_FOUND), "session_not_found");
  for (int i = 0; i <= AK_STATUS_INTERNAL; i++)
    assert_non_null (ak_status_name ((enum ak_status) i));
  assert_string_equal (ak_status_name ((enum ak_status) 999), "internal");
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (an_error_carries_status_text_and_hint),
    cmocka_unit_test (the_first_error_stays),
    cmocka_unit_test (nobody_has_to_want_the_error),
    cmocka_unit_test (a_stamp_fills_in_and_never_overwrites),
    cmocka_unit_test (restating_changes_the_class_and_adds_a_hint),
    cmocka_unit_test (out_of_memory_needs_no_memory),
    cmocka_unit_test (every_status_has_its_name),
  };
  return cmocka_run_group_tests_name ("error", tests, NULL, NULL);
}
