/* SPDX-License-Identifier: Apache-2.0 */
/* A misspelt word is answered with the one that was meant, and another word with none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include "suggest.h"

static const char *const known[] = { "timeout", "memory_mb", "network_egress", "network_allow", "cpu",
                                     "strict",  NULL };

static void
a_slip_of_the_hand_finds_its_word (void **state)
{
  (void)state;
  assert_string_equal (ak_suggest ("timout", known), "timeout");
  assert_string_equal (ak_suggest ("tiemout", known), "timeout");
  assert_string_equal (ak_suggest ("timeouts", known), "timeout");
  assert_string_equal (ak_suggest ("memory_mv", known), "memory_mb");
  assert_string_equal (ak_suggest ("cup", known), "cpu");
}

static void
case_and_hyphens_do_not_count (void **state)
{
  (void)state;
  assert_string_equal (ak_suggest ("MEMORY-MB", known), "memory_mb");
  assert_string_equal (ak_suggest ("network-Egres", known), "network_egress");
}

static void
the_beginning_of_a_word_finds_it (void **state)
{
  static const char *const options[] = { "file", "timeout", NULL };

  (void)state;
  assert_string_equal (ak_suggest ("time", options), "timeout");
  assert_string_equal (ak_suggest ("network_", known), "network_egress");
  assert_null (ak_suggest ("n", known));
}

static void
the_nearest_of_several_wins (void **state)
{
  static const char *const alike[] = { "aaaa", "aaab", "aabb", NULL };

  (void)state;
  assert_string_equal (ak_suggest ("aaab", alike), "aaab");
  assert_string_equal (ak_suggest ("xabb", alike), "aabb");
}

static void
what_has_nothing_in_common_finds_nothing (void **state)
{
  char many[201];

  (void)state;
  memset (many, 'a', 200);
  many[200] = 0;
  assert_null (ak_suggest ("kubernetes", known));
  assert_null (ak_suggest ("xyz", known));
  assert_null (ak_suggest (many, known));
  assert_null (ak_suggest ("timeout", (const char *const[]) { NULL }));
}

int
main (void)
{
  static const struct CMUnitTest tests[] = {
    cmocka_unit_test (a_slip_of_the_hand_finds_its_word),
    cmocka_unit_test (case_and_hyphens_do_not_count),
    cmocka_unit_test (the_beginning_of_a_word_finds_it),
    cmocka_unit_test (the_nearest_of_several_wins),
    cmocka_unit_test (what_has_nothing_in_common_finds_nothing),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
