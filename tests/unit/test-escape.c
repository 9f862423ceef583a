/* SPDX-License-Identifier: Apache-2.0 */
/* What others wrote cannot command a terminal, and is still legible. */
#include "config.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "cli/cli.h"

static void
assert_escaped (const char *text, const char *expected)
{
  char *data = NULL;
  size_t size;
  FILE *out = open_memstream (&data, &size);
  assert_non_null (out);
  cli_put (out, text);
  fclose (out);
  assert_string_equal (data, expected);
  free (data);
}

static void
ordinary_text_stays_as_it_is (void **state)
{
  (void) state;
  assert_escaped ("", "");
  assert_escaped ("/tmp/a b'c\"d\\e~", "/tmp/a b'c\"d\\e~");
  assert_escaped ("gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80",
                  "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80");
  assert_escaped ("\xc2\xa0\xe2\x80\xa7\xe2\x80\xaf",
                  "\xc2\xa0\xe2\x80\xa7\xe2\x80\xaf"); /* beside the ranges */
}

static void
control_characters_become_visible (void **state)
{
  (void) state;
  assert_escaped ("a\nb\tc\rd", "a\\nb\\tc\\rd");
  assert_escaped ("\x1b]52;c;aGk=\x07", "\\x1b]52;c;aGk=\\x07");
  assert_escaped ("\x01\x1f\x7f", "\\x01\\x1f\\x7f");
  assert_escaped ("\xc2\x80\xc2\x9b" "31m\xc2\x9f", "\\u0080\\u009b31m\\u009f");
}

static void
what_is_not_utf8_becomes_its_bytes (void **state)
{
  (void) state;
  assert_escaped ("\x9b" "31m\xff", "\\x9b31m\\xff");
  assert_escaped ("\xc3", "\\xc3");                             /* cut short */
  assert_escaped ("\xe2\x82" "a", "\\xe2\\x82a");
  assert_escaped ("\xc0\x9b", "\\xc0\\x9b");                    /* overlong */
  assert_escaped ("\xe0\x82\x9b", "\\xe0\\x82\\x9b");
  assert_escaped ("\xf0\x80\x82\x9b", "\\xf0\\x80\\x82\\x9b");
  assert_escaped ("\xed\xa0\x80", "\\xed\\xa0\\x80");           /* a surrogate */
  assert_escaped ("\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80");  /* beyond the last */
  assert_escaped ("\xf8\x88\x80\x80\x80", "\\xf8\\x88\\x80\\x80\\x80");
}

static void
text_cannot_change_its_direction (void **state)
{
  (void) state;
  assert_escaped ("\xd8\x9c", "\\u061c");
  assert_escaped ("\xe2\x80\x8e\xe2\x80\x8f", "\\u200e\\u200f");
  assert_escaped ("a\xe2\x80\xae" "b", "a\\u202eb");
  assert_escaped ("\xe2\x80\xa8\xe2\x80\xa9", "\\u2028\\u2029");
  assert_escaped ("\xe2\x81\xa6\xe2\x81\xa9", "\\u2066\\u2069");
}

static void
bytes_behind_a_nul_are_shown (void **state)
{
  (void) state;
  char *data = NULL;
  size_t size;
  FILE *out = open_memstream (&data, &size);
  assert_non_null (out);
  cli_put_bytes (out, "a\0b\xc3", 4);                           /* and nothing is read behind the end */
  fclose (out);
  assert_string_equal (data, "a\\x00b\\xc3");
  free (data);
}

static void
a_json_string_gets_valid_utf8 (void **state)
{
  (void) state;
  char *clean = cli_utf8 ("a\xff\xc3\xbc\x1b");
  assert_string_equal (clean, "a\xef\xbf\xbd\xc3\xbc\x1b");
  free (clean);
}

/* What cli_print_json writes for `json`. */
static void
assert_json (const char *json, const char *expected)
{
  char got[200];
  FILE *out = tmpfile ();
  int saved = dup (STDOUT_FILENO);
  assert_non_null (out);
  fflush (stdout);
  dup2 (fileno (out), STDOUT_FILENO);
  cli_print_json (json);
  fflush (stdout);
  dup2 (saved, STDOUT_FILENO);
  close (saved);
  rewind (out);
  got[fread (got, 1, sizeof got - 1, out)] = '\0';
  fclose (out);
  assert_string_equal (got, expected);
}

static void
json_stays_json_without_commands (void **state)
{
  (void) state;
  assert_json ("{\"a\":\"\\u001b gr\xc3\xbcn\"}", "{\"a\":\"\\u001b gr\xc3\xbcn\"}\n");
  assert_json ("\"\x7f\xc2\x9b\xe2\x80\xae\"", "\"\\u007f\\u009b\\u202e\"\n");
  assert_json ("\"\xff\"", "\"\\ufffd\"\n");
  assert_json ("[\n  1\n]", "[\n  1\n]\n");
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (ordinary_text_stays_as_it_is),
    cmocka_unit_test (control_characters_become_visible),
    cmocka_unit_test (what_is_not_utf8_becomes_its_bytes),
    cmocka_unit_test (text_cannot_change_its_direction),
    cmocka_unit_test (bytes_behind_a_nul_are_shown),
    cmocka_unit_test (a_json_string_gets_valid_utf8),
    cmocka_unit_test (json_stays_json_without_commands),
  };
  return cmocka_run_group_tests_name ("escape", tests, NULL, NULL);
}
