/* SPDX-License-Identifier: Apache-2.0 */
/* Results: head and tail of output within a limit, outcome, JSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>
#include "cleanup.h"
#include "result.h"

static char *
collect (size_t limit, const char *text, size_t piece, size_t *size, uint64_t *total)
{
  struct collector c;
  ak_collector_init (&c, limit);
  for (size_t i = 0, n = strlen (text); i < n; i += piece)
    assert_int_equal (ak_collector_add (&c, text + i, n - i < piece ? n - i : piece), 0);
  char *all = ak_collector_text (&c, size);
  *total = c.total;
  ak_collector_clear (&c);
  return all;
}

static void
what_fits_is_kept_as_it_came (void **state)
{
  (void) state;
  for (size_t piece = 1; piece < 12; piece++) {
    size_t size;
    uint64_t total;
    CLEANUP_FREE char *all = collect (10, "0123456789", piece, &size, &total);
    assert_string_equal (all, "0123456789");
    assert_int_equal (total, 10);
  }
}

static void
a_cut_keeps_head_and_tail_and_says_how_much (void **state)
{
  (void) state;
  for (size_t piece = 1; piece < 40; piece++) {
    size_t size;
    uint64_t total;
    CLEANUP_FREE char *all = collect (8, "abcdefghijklmnopqrstuvwxyz", piece, &size, &total);
    assert_string_equal (all, "abcd\n[... 18 bytes cut of 26 ...]\nwxyz");
    assert_int_equal (size, strlen (all));
    assert_int_equal (total, 26);
  }
}

static void
a_gigabyte_stays_within_the_limit (void **state)
{
  (void) state;
  static char block[1 << 20];
  struct collector c;
  ak_collector_init (&c, 4096);
  for (int i = 0; i < 1024; i++)
    assert_int_equal (ak_collector_add (&c, block, sizeof block), 0);
  assert_int_equal (c.total, UINT64_C (1) << 30);
  assert_in_range (c.head_room + c.tail_room, 4096, 4096);
  ak_collector_clear (&c);
}

static void
nothing_printed_is_an_empty_text (void **state)
{
  (void) state;
  size_t size;
  uint64_t total;
  CLEANUP_FREE char *all = collect (10, "", 1, &size, &total);
  assert_string_equal (all, "");
  assert_int_equal (size, 0);
}

static struct ak_result *
result_of (uint32_t how, int code, const char *out, size_t size)
{
  struct ak_result *r = ak_result_new (0);
  assert_non_null (r);
  r->outcome.how = how;
  r->outcome.code = code;
  assert_int_equal (ak_collector_add (&r->output[0], out, size), 0);
  for (int i = 0; i < 2; i++)
    r->text[i] = ak_collector_text (&r->output[i], &r->text_size[i]);
  r->provider = "fake";
  r->isolation = "none";
  strcpy (r->session_id, "s1");
  return r;
}

static void
the_exit_code_is_derived_from_the_outcome (void **state)
{
  (void) state;
  static const struct { uint32_t how; int code, exit_code, signal; } cases[] = {
    { AK_EXITED, 7, 7, 0 },      { AK_EXITED, 137, 137, 0 },     { AK_SIGNALLED, 9, 137, 9 }, { AK_TIMED_OUT, 0, 124, 0 },
    { AK_CANCELLED, 0, 130, 0 }, { AK_OUT_OF_MEMORY, 0, 137, 0 }, { AK_LOST, 0, 125, 0 },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct ak_result *r = result_of (cases[i].how, cases[i].code, "", 0);
    assert_int_equal (ak_result_exit_code (r), cases[i].exit_code);
    assert_int_equal (ak_result_signal (r), cases[i].signal);
    ak_result_free (r);
  }
}

static const char *
text_of (struct json_object *o, const char *key)
{
  struct json_object *value = NULL;
  assert_true (json_object_object_get_ex (o, key, &value));
  return json_object_get_string (value);
}

static void
json_has_the_fixed_names (void **state)
{
  (void) state;
  struct ak_result *r = result_of (AK_SIGNALLED, 9, "hi\n", 3);
  r->duration_ns = 1500000;
  struct json_object *o = json_tokener_parse (ak_result_json (r));
  assert_non_null (o);
  assert_string_equal (text_of (o, "stdout"), "hi\n");
  assert_string_equal (text_of (o, "stderr"), "");
  assert_string_equal (text_of (o, "stdout_total"), "3");
  assert_string_equal (text_of (o, "truncated"), "false");
  assert_string_equal (text_of (o, "outcome"), "signalled");
  assert_string_equal (text_of (o, "exit_code"), "137");
  assert_string_equal (text_of (o, "signal"), "9");
  assert_string_equal (text_of (o, "duration_ms"), "1.500");
  assert_string_equal (text_of (o, "provider"), "fake");
  assert_string_equal (text_of (o, "isolation"), "none");
  assert_string_equal (text_of (o, "sandbox_session_id"), "s1");
  assert_false (json_object_object_get_ex (o, "notice", NULL));
  json_object_put (o);
  ak_result_free (r);
}

static void
bytes_that_are_not_utf8_are_replaced_and_flagged (void **state)
{
  (void) state;
  struct ak_result *r = result_of (AK_EXITED, 0, "a\xff\xc0\xaf\xed\xa0\x80\xf0\x9f\x98\x80\0z", 13);
  struct json_object *o = json_tokener_parse (ak_result_json (r));
  assert_non_null (o);
  struct json_object *out = NULL;
  assert_true (json_object_object_get_ex (o, "stdout", &out));
  static const char expected[] = "a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xf0\x9f\x98\x80\0z";
  assert_int_equal (json_object_get_string_len (out), sizeof expected - 1);
  assert_memory_equal (json_object_get_string (out), expected, sizeof expected - 1);
  assert_string_equal (text_of (o, "invalid_utf8_replaced"), "true");
  json_object_put (o);
  ak_result_free (r);
}

static void
notices_are_joined_in_order (void **state)
{
  (void) state;
  struct ak_result *r = ak_result_new (0);
  ak_result_note (r, "first");
  ak_result_note (r, "second");
  assert_string_equal (ak_result_notice (r), "first; second");
  ak_result_free (r);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (what_fits_is_kept_as_it_came),
    cmocka_unit_test (a_cut_keeps_head_and_tail_and_says_how_much),
    cmocka_unit_test (a_gigabyte_stays_within_the_limit),
    cmocka_unit_test (nothing_printed_is_an_empty_text),
    cmocka_unit_test (the_exit_code_is_derived_from_the_outcome),
    cmocka_unit_test (json_has_the_fixed_names),
    cmocka_unit_test (bytes_that_are_not_utf8_are_replaced_and_flagged),
    cmocka_unit_test (notices_are_joined_in_order),
  };
  return cmocka_run_group_tests_name ("result", tests, NULL, NULL);
}
