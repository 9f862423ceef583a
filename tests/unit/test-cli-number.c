/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of the command line: what is one, and where its range ends. */
#include "config.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "cli/cli.h"

static const char *const no_numbers[] = { "",   " ",     "0",   "0.0", "-0",       "-1",   "+1",   "1 ",
                                          " 1", "1s",    "nan", "inf", "infinity", "0x10", "1e18", "1e999",
                                          "1e", "1.2.3", "1-1", "e5",  "--",       "1,5",  NULL };

static void
a_timeout_is_above_zero_and_at_most_30_days (void **state)
{
  (void) state;
  double seconds = 7;
  for (const char *const *text = no_numbers; *text; text++)
    assert_int_equal (cli_parse_timeout (*text, &seconds), -1);
  assert_int_equal (cli_parse_timeout ("0.0009", &seconds), -1);
  assert_int_equal (cli_parse_timeout ("2592000.1", &seconds), -1);
  assert_true (seconds == 7);           /* untouched by what is none */
  assert_int_equal (cli_parse_timeout ("0.001", &seconds), 0);
  assert_true (seconds == 0.001);
  assert_int_equal (cli_parse_timeout ("2592000", &seconds), 0);
  assert_true (seconds == 2592000);
  assert_int_equal (cli_parse_timeout ("1e3", &seconds), 0);
  assert_true (seconds == 1000);
  assert_int_equal (cli_parse_timeout (".5", &seconds), 0);
  assert_true (seconds == 0.5);
}

static void
processors_can_be_fractions (void **state)
{
  (void) state;
  double cpus = 7;
  for (const char *const *text = no_numbers; *text; text++)
    assert_int_equal (cli_parse_cpu (*text, &cpus), -1);
  assert_int_equal (cli_parse_cpu ("4096.5", &cpus), -1);
  assert_true (cpus == 7);
  assert_int_equal (cli_parse_cpu ("1.5", &cpus), 0);
  assert_true (cpus == 1.5);
}

static void
memory_is_in_mebibytes_or_has_a_unit (void **state)
{
  (void) state;
  uint64_t mib = 7;
  for (const char *const *text = no_numbers; *text; text++)
    assert_int_equal (cli_parse_memory (*text, &mib), -1);
  static const char *const wrong[] = {
    "1.5g", "1k", "1t", "1mb", "1gm", "16777217", "16385g", "18446744073709551616", "18014398509481984g",
    "0g",   "3",  NULL
  };
  for (const char *const *text = wrong; *text; text++)
    assert_int_equal (cli_parse_memory (*text, &mib), -1);
  assert_int_equal (mib, 7);
  assert_int_equal (cli_parse_memory ("512", &mib), 0);
  assert_int_equal (mib, 512);
  assert_int_equal (cli_parse_memory ("512m", &mib), 0);
  assert_int_equal (mib, 512);
  assert_int_equal (cli_parse_memory ("64M", &mib), 0);
  assert_int_equal (mib, 64);
  assert_int_equal (cli_parse_memory ("2g", &mib), 0);
  assert_int_equal (mib, 2048);
  assert_int_equal (cli_parse_memory ("16384G", &mib), 0);
  assert_int_equal (mib, 16777216);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (a_timeout_is_above_zero_and_at_most_30_days),
    cmocka_unit_test (processors_can_be_fractions),
    cmocka_unit_test (memory_is_in_mebibytes_or_has_a_unit),
  };
  return cmocka_run_group_tests_name ("numbers", tests, NULL, NULL);
}
