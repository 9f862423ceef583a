/* SPDX-License-Identifier: Apache-2.0 */
/* YAML and JSON become trees as Agent Kernel's own loader makes them, within bounds, or one clear error. */
#include "config.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "value-build.h"

static struct value *
parse (const char *text)
{
  struct value *value = NULL;
  struct ak_error *error = NULL;

  if (ak_value_parse_yaml ("f.yaml", text, strlen (text), &value, &error) != AK_STATUS_OK)
    fail_msg ("%s", ak_error_text (error));
  assert_null (error);
  return value;
}

static void
check_json (const char *text, const char *json)
{
  struct value *value = parse (text);
  char *made = ak_value_json (value);

  assert_string_equal (made, json);
  free (made);
  ak_value_free (value);
}

static void
check_refused_bytes (const char *data, size_t size, const char *expected)
{
  struct value *value = NULL;
  struct ak_error *error = NULL;
  struct timespec start, end;

  clock_gettime (CLOCK_MONOTONIC, &start);
  assert_int_equal (ak_value_parse_yaml ("f.yaml", data, size, &value, &error), AK_STATUS_CONFIG);
  clock_gettime (CLOCK_MONOTONIC, &end);
  assert_null (value);
  assert_string_equal (ak_error_text (error), expected);
  assert_true (end.tv_sec - start.tv_sec < 10);
  ak_error_free (error);
}

static void
check_refused (const char *text, const char *expected)
{
  check_refused_bytes (text, strlen (text), expected);
}

static void
plain_scalars_are_read_as_yaml_1_1_does (void **state)
{
  (void) state;
  check_json ("[yes, Yes, YES, true, on, On, no, False, off, y, n, oN]",
              "[true,true,true,true,true,true,false,false,false,\"y\",\"n\",\"oN\"]");
  check_json ("[null, Null, NULL, ~, nULL]", "[null,null,null,null,\"nULL\"]");
  check_json ("a:\nb: x\n", "{\"a\":null,\"b\":\"x\"}");
  check_json ("[0, 12, -3, +4, 012, 0x1F, 0b101, 1_000, 08, 0o17, 0x, -0x10]",
              "[0,12,-3,4,10,31,5,1000,\"08\",\"0o17\",\"0x\",-16]");
  check_json ("[1.5, -.5, .5, 1., 1.0e+3, 1e3, 1.0e3, 1.5E-2, 1_0.5, '1']",
              "[1.5,\"-.5\",0.5,1,1000,\"1e3\",\"1.0e3\",0.015,10.5,\"1\"]");
  check_json ("[.inf, -.Inf, .nan, inf, nan, NaN]", "[null,null,null,\"inf\",\"nan\",\"NaN\"]");
  check_json ("['yes', \"12\", !!str 012, ! on, 2024-01-01]",
              "[\"yes\",\"12\",\"012\",\"on\",\"2024-01-01\"]");
}

static void
integers_beyond_64_bits_do_not_wrap (void **state)
{
  struct value *value = parse ("[9223372036854775807, -9223372036854775808, 9223372036854775808]");

  (void) state;
  assert_int_equal (value->items[0]->kind, VALUE_INT);
  assert_true (value->items[0]->integer == INT64_MAX);
  assert_int_equal (value->items[1]->kind, VALUE_INT);
  assert_true (value->items[1]->integer == INT64_MIN);
  assert_int_equal (value->items[2]->kind, VALUE_FLOAT);
  assert_true (value->items[2]->number > 9.2e18);
  ak_value_free (value);
}

static void
numbers_with_colons_stay_text_and_are_refused_as_any_type (void **state)
{
  struct value *value = parse ("[22:22, 1:30.5, 0:30, '22:22', 1:99]");
  struct reason reason;
  const char *text;
  double number;

  (void) state;
  assert_int_equal (ak_value_as_text (value->items[0], &text, &reason), -1);
  assert_string_equal (
    reason.text,
    "must be text in quotes, not text: YAML 1.1 reads digits with colons as a number of base 60");
  assert_int_equal (ak_value_as_number (value->items[0], &number, &reason), -1);
  assert_string_equal (reason.text, "must be a number, not text: write it without colons");
  assert_int_equal (ak_value_as_text (value->items[1], &text, &reason), -1);
  assert_int_equal (ak_value_as_text (value->items[2], &text, &reason), 0);
  assert_int_equal (ak_value_as_text (value->items[3], &text, &reason), 0);
  assert_string_equal (text, "22:22");
  assert_int_equal (ak_value_as_text (value->items[4], &text, &reason), 0);
  ak_value_free (value);
}

static void
a_value_knows_its_place_and_how_it_was_written (void **state)
{
  struct value *value = parse ("a:\n  b: 0x10\n  'c': [1,\n    two]\n");
  const struct value *b = ak_value_get (ak_value_get (value, "a"), "b");
  const struct value *c = ak_value_get (ak_value_get (value, "a"), "c");
  char *where = ak_value_where (b), *line = ak_value_line (c->items[1]);

  (void) state;
  assert_string_equal (where, "f.yaml:2:6");
  assert_string_equal (b->text, "0x10");
  assert_int_equal (b->integer, 16);
  assert_string_equal (line, "f.yaml:4");
  assert_int_equal (ak_value_get (value, "a")->key_marks[1]->line, 3);
  assert_int_equal (ak_value_get (value, "a")->key_marks[1]->column, 3);
  assert_null (ak_value_get (value, "b"));
  assert_null (ak_value_get (b, "b"));
  assert_null (ak_value_get (NULL, "b"));
  free (where);
  free (line);
  ak_value_free (value);
}

static void
an_empty_document_is_null (void **state)
{
  (void) state;
  check_json ("", "null");
  check_json ("# nothing\n", "null");
  check_json ("---\n", "null");
  check_json ("--- \n...\n", "null");
}

static void
a_byte_order_mark_and_carriage_returns_are_no_fault (void **state)
{
  struct value *value;

  (void) state;
  check_json ("\xef\xbb\xbf"
              "a: 1\r\nb: yes\r\n",
              "{\"a\":1,\"b\":true}");
  value = parse ("\xef\xbb\xbf"
                 "a: 1\r\nb: yes\r\n");
  assert_int_equal (value->key_marks[0]->column, 1);
  assert_int_equal (value->key_marks[1]->line, 2);
  ak_value_free (value);
}

static void
aliases_and_merge_keys_work (void **state)
{
  (void) state;
  check_json ("a: &x {b: 1}\nc: *x\nd: &s yes\ne: *s\n",
              "{\"a\":{\"b\":1},\"c\":{\"b\":1},\"d\":true,\"e\":true}");
  check_json ("base: &b {x: 1, y: 2}\nuse:\n  <<: *b\n  y: 3\n",
              "{\"base\":{\"x\":1,\"y\":2},\"use\":{\"y\":3,\"x\":1}}");
  check_json ("- &a {x: 1}\n- &b {x: 2, z: 3}\n- {<<: [*a, *b], w: 0}\n",
              "[{\"x\":1},{\"x\":2,\"z\":3},{\"w\":0,\"x\":1,\"z\":3}]");
  check_json ("- {<<: &in {k: &v [1]}}\n- *in\n- *v\n", "[{\"k\":[1]},{\"k\":[1]},[1]]");
  check_json ("&k key: 1\nother: *k\n", "{\"key\":1,\"other\":\"key\"}");
  check_json ("- {&m <<: {a: 1}}\n- *m\n", "[{\"a\":1},\"<<\"]");
  check_json ("'<<': 1\n", "{\"<<\":1}");
}

static void
faulty_aliases_and_merges_are_refused (void **state)
{
  (void) state;
  check_refused ("a: *x\n", "f.yaml:1:4: an alias of an anchor that is not defined above");
  check_refused ("a: &x [1, *x]\n", "f.yaml:1:11: an alias inside of what it stands for");
  check_refused ("a: &x 1\nb: &x 2\n", "f.yaml:2:4: this anchor is already defined above");
  check_refused ("a: &x 1\nb: {<<: *x}\n", "f.yaml:2:5: << needs a map, or a list of maps");
  check_refused ("a: {<<: {b: 1}, <<: {c: 1}}\n", "f.yaml:1:17: the key '<<' is already at 1:5");
}

static void
a_key_that_stands_twice_is_refused_with_both_places (void **state)
{
  (void) state;
  check_refused ("policy:\n  strict: yes\nother: 1\npolicy: {}\n",
                 "f.yaml:4:1: the key 'policy' is already at 1:1");
  check_refused ("{a: 1, b: 2, c: 3, 'a': 4, b: 5}", "f.yaml:1:20: the key 'a' is already at 1:2");
  check_refused ("a b$: 1\na b$: 2\n", "f.yaml:2:1: the key is already at 1:1");
}

static void
keys_must_be_text (void **state)
{
  (void) state;
  check_json ("yes: 1\n12: 2\nnull: 3\n", "{\"yes\":1,\"12\":2,\"null\":3}");
  check_refused ("? [a]\n: 1\n", "f.yaml:1:3: a key must be text");
  check_refused ("'': 1\n", "f.yaml:1:1: a key is empty");
  check_refused ("x: &m {a: 1}\n*m : 2\n", "f.yaml:2:1: a key must be text");
}

static void
a_second_document_is_refused (void **state)
{
  (void) state;
  check_refused ("a: 1\n---\nb: 2\n", "f.yaml:2:1: a second document starts here");
  check_refused ("--- 1\n---\n", "f.yaml:2:1: a second document starts here");
}

static void
tags_of_its_own_are_refused (void **state)
{
  (void) state;
  check_refused ("a: !!python/object:os.system x\n", "f.yaml:1:4: a tag that is not known here");
  check_refused ("a: !mine {b: 1}\n", "f.yaml:1:4: a tag that is not known here");
  check_refused ("a: !!binary aGk=\n", "f.yaml:1:4: a tag that is not known here");
  check_refused ("a: !!set [b]\n", "f.yaml:1:4: a tag that is not known here");
  check_refused ("a: !!int x\n", "f.yaml:1:4: the text is not of the type that its tag says");
  check_json ("a: !!int '5'\nb: !!map {}\nc: !!seq []\nd: !!float 1.5\n",
              "{\"a\":5,\"b\":{},\"c\":[],\"d\":1.5}");
}

static void
bytes_that_are_no_text_are_refused_with_their_place (void **state)
{
  (void) state;
  check_refused_bytes ("a: 1\nb: \0\n", 10, "f.yaml:2:4: a NUL byte");
  check_refused ("a: \"x\\0y\"\n", "f.yaml:1:4: text with a NUL character");
  check_refused ("a: 1\nbb: \x01\n", "f.yaml:2:5: control characters are not allowed");
  check_refused ("a: \xff\n", "f.yaml:1:4: invalid leading UTF-8 octet");
  check_refused_bytes ("\xff\xfe"
                       "a\0",
                       4, "f.yaml:1:1: UTF-16 text");
}

static void
a_tab_is_refused_with_its_place_and_what_to_do (void **state)
{
  struct value *value = NULL;
  struct ak_error *error = NULL;
  const char *text = "a:\n\tb: 1\n";

  (void) state;
  assert_int_equal (ak_value_parse_yaml ("f.yaml", text, strlen (text), &value, &error), AK_STATUS_CONFIG);
  assert_string_equal (ak_error_text (error), "f.yaml:2:1: found character that cannot start any token, "
                                              "while scanning for the next token that starts at line 2");
  assert_string_equal (
    ak_error_hint (error),
    "Indent with spaces, never tabs, and quote text that starts with a special character.");
  ak_error_free (error);
}

static void
what_is_no_yaml_is_refused_with_its_place (void **state)
{
  (void) state;
  check_refused ("a: [1, 2\nb: 3\n", "f.yaml:2:2: did not find expected ',' or ']', "
                                     "while parsing a flow sequence that starts at line 1");
  check_refused ("a: 'x\n", "f.yaml:2:1: found unexpected end of stream, "
                            "while scanning a quoted scalar that starts at line 1");
}

static void
nesting_is_bounded (void **state)
{
  enum { DEEP = 10000 };
  char *text = malloc (2 * DEEP + 1);

  (void) state;
  memset (text, '[', DEEP);
  memset (text + DEEP, ']', DEEP);
  check_refused_bytes (text, 2 * DEEP, "f.yaml:1:65: nested more than 64 levels deep");
  memset (text, '[', 64);
  memset (text + 64, ']', 64);
  text[128] = 0;
  ak_value_free (parse (text));
  free (text);
}

static void
an_alias_bomb_is_refused (void **state)
{
  char text[1024] = "a0: &a0 [x,x,x,x,x,x,x,x,x]\n";
  size_t at = strlen (text);

  (void) state;
  for (int i = 1; i < 10; i++) {
    at += (size_t) snprintf (text + at, sizeof text - at, "a%d: &a%d [", i, i);
    for (int j = 0; j < 9; j++)
      at += (size_t) snprintf (text + at, sizeof text - at, "*a%d%s", i - 1, j < 8 ? "," : "]\n");
  }
  check_refused (text, "f.yaml:6:10: more than 100000 values, those that aliases stand for among them");
}

static void
aliases_of_long_text_are_bounded_too (void **state)
{
  enum { LONG = 1000000 };
  char *text = malloc (LONG + 200), *at = text;

  (void) state;
  at = stpcpy (at, "- &a ");
  memset (at, 'x', LONG);
  at += LONG;
  for (int i = 0; i < 10; i++)
    at = stpcpy (at, "\n- *a");
  check_refused (text, "f.yaml:9:3: more than 8388608 bytes of text, what aliases stand for included");
  free (text);
}

static void
many_anchors_and_many_values_are_refused (void **state)
{
  char *text = malloc (1000000), *at = text;

  (void) state;
  for (int i = 0; i < 257; i++)
    at += sprintf (at, "- &a%d 1\n", i);
  check_refused (text, "f.yaml:257:3: more than 256 anchors");
  at = text;
  for (int i = 0; i < 100000; i++)
    at = stpcpy (at, "- 1\n");
  check_refused (text, "f.yaml:100000:3: more than 100000 values, those that aliases stand for among them");
  free (text);
}

/* Processor time for a map of so many keys, the best of three. */
static clock_t
time_of_keys (int n)
{
  char *text = malloc (2000000), *at = text;
  clock_t best = 0;

  for (int i = 0; i < n; i++)
    at += sprintf (at, "key%d: 1\n", i);
  for (int i = 0; i < 3; i++) {
    clock_t start = clock (), used;
    struct value *value = parse (text);

    used = clock () - start;
    assert_int_equal (value->n, n);
    ak_value_free (value);
    best = i == 0 || used < best ? used : best;
  }
  free (text);
  return best;
}

static void
a_map_of_many_keys_takes_no_quadratic_time (void **state)
{
  (void) state;
  /* Ten times the keys: a hundred times the time if it were quadratic. */
  assert_true (time_of_keys (49999) < 40 * (time_of_keys (5000) + 1));
}

static void
text_over_the_limit_is_refused_unread (void **state)
{
  size_t size = VALUE_MAX_SIZE + 1;
  char *text = calloc (1, size);

  (void) state;
  check_refused_bytes (text, size, "f.yaml: larger than 4194304 bytes");
  memset (text, 'x', size);
  struct value *value = NULL;
  assert_int_equal (ak_value_parse_yaml ("f.yaml", text, size - 1, &value, NULL), AK_STATUS_OK);
  assert_int_equal (strlen (value->text), size - 1);
  ak_value_free (value);
  free (text);
}

static struct value *
override (const char *text)
{
  struct value *value = NULL;

  assert_int_equal (ak_value_parse_override ("environment variable X", text, &value, NULL), AK_STATUS_OK);
  return value;
}

static void
check_override (const char *text, enum value_kind kind, const char *json)
{
  struct value *value = override (text);
  char *made = ak_value_json (value);

  assert_int_equal (value->kind, kind);
  assert_string_equal (made, json);
  free (made);
  ak_value_free (value);
}

static void
an_override_is_json_when_it_parses_as_such (void **state)
{
  (void) state;
  check_override ("{}", VALUE_MAP, "{}");
  check_override (" {\"a\": [1, 2.5, null, true, \"x\"]} ", VALUE_MAP, "{\"a\":[1,2.5,null,true,\"x\"]}");
  check_override ("5", VALUE_INT, "5");
  check_override ("1e3", VALUE_FLOAT, "1000");
  check_override ("true", VALUE_BOOL, "true");
  check_override ("null", VALUE_NULL, "null");
  check_override ("\"5\"", VALUE_TEXT, "\"5\"");
  check_override ("yes", VALUE_TEXT, "\"yes\"");
  check_override ("", VALUE_TEXT, "\"\"");
  check_override ("{a: b}", VALUE_TEXT, "\"{a: b}\"");
  check_override ("{} x", VALUE_TEXT, "\"{} x\"");
  check_override ("python:3.12", VALUE_TEXT, "\"python:3.12\"");
}

static void
an_override_keeps_how_it_was_written (void **state)
{
  struct value *value = override ("3.10");
  struct reason reason;
  const char *text;
  char *where = ak_value_where (value);

  (void) state;
  assert_int_equal (ak_value_as_text (value, &text, &reason), 0);
  assert_string_equal (text, "3.10");
  assert_string_equal (where, "environment variable X");
  free (where);
  ak_value_free (value);
}

static void
check_override_refused (const char *text, const char *expected)
{
  struct value *value = NULL;
  struct ak_error *error = NULL;

  assert_int_equal (ak_value_parse_override ("X", text, &value, &error), AK_STATUS_CONFIG);
  assert_string_equal (ak_error_text (error), expected);
  ak_error_free (error);
}

static void
an_override_that_json_would_lose_something_of_is_refused (void **state)
{
  (void) state;
  check_override_refused ("{\"a\":1,\"b\":{\"x\":\":\",\"x\":2}}", "X: a map has the same key twice");
  check_override_refused ("{\"a\":\"\\u0000b\"}", "X: text with a NUL character");
  check_override_refused ("caf\xe9", "X: not UTF-8");
  ak_value_free (override ("{\"a\\\"b:\": \"c\\\\\"}"));
}

static void
deep_json_is_text (void **state)
{
  enum { DEEP = 100000 };
  char *text = malloc (2 * DEEP + 1);
  struct value *value;

  (void) state;
  memset (text, '[', DEEP);
  memset (text + DEEP, ']', DEEP);
  text[2 * DEEP] = 0;
  value = override (text);
  assert_int_equal (value->kind, VALUE_TEXT);
  ak_value_free (value);
  free (text);
}

static void
json_is_written_so_that_it_reads_back (void **state)
{
  struct value *value =
    parse ("{\"a\": \"q\\\"b\\\\c\\n\\t\\x01\\x7f\\u00e9/\", b: 0.1, c: 1e22, d: 123456789012345678}");
  char *json = ak_value_json (value);

  (void) state;
  assert_string_equal (json,
                       "{\"a\":\"q\\\"b\\\\c\\u000a\\u0009\\u0001\\u007f\xc3\xa9/\",\"b\":0.1,\"c\":\"1e22\","
                       "\"d\":123456789012345678}");
  free (json);
  ak_value_free (value);
}

static void
check_number (double number, const char *expected)
{
  char text[NUMBER_TEXT_SIZE];
  double back;

  ak_number_text (number, text);
  assert_string_equal (text, expected);
  assert_int_equal (ak_number_parse (text, &back), 0);
  assert_true (back == number);
}

static void
numbers_do_not_depend_on_the_locale (void **state)
{
  static const char *const commas[] = { "de_DE.UTF-8", "fr_FR.UTF-8", "de_DE.utf8", "C" };
  double number;

  (void) state;
  for (size_t i = 0; i < sizeof commas / sizeof *commas; i++) {
    if (!setlocale (LC_ALL, commas[i]))
      continue;
    check_number (0.1, "0.1");
    check_number (1.5e-7, "1.5e-07");
    check_number (1.0 / 3, "0.3333333333333333");
    check_number (120, "120");
    check_number (1e300, "1e+300");
    check_number (-2.5, "-2.5");
    check_json ("[1.5]", "[1.5]");
    check_override ("2.5", VALUE_FLOAT, "2.5");
  }
  setlocale (LC_ALL, "C");
  assert_int_equal (ak_number_parse ("", &number), -1);
  assert_int_equal (ak_number_parse (".", &number), -1);
  assert_int_equal (ak_number_parse ("1,5", &number), -1);
  assert_int_equal (ak_number_parse ("0x10", &number), -1);
  assert_int_equal (ak_number_parse ("nan", &number), -1);
  assert_int_equal (ak_number_parse ("1e", &number), -1);
  assert_int_equal (ak_number_parse ("1 ", &number), -1);
}

static void
types_are_converted_where_nothing_can_be_meant_but_one (void **state)
{
  struct value *value = parse ("['5', 5, 5.0, 5.5, '5.5', yes, 'no', 1, .nan, .inf, 1e3, x, null, [], {}]");
  struct value **v = value->items;
  struct reason reason;
  int64_t whole;
  double number;
  int truth;
  const char *text;

  (void) state;
  for (int i = 0; i < 3; i++) {
    assert_int_equal (ak_value_as_integer (v[i], &whole, &reason), 0);
    assert_int_equal (whole, 5);
  }
  assert_int_equal (ak_value_as_integer (v[3], &whole, &reason), -1);
  assert_string_equal (reason.text, "must be a whole number, without a fraction");
  assert_int_equal (ak_value_as_number (v[4], &number, &reason), 0);
  assert_true (number == 5.5);
  assert_int_equal (ak_value_as_number (v[5], &number, &reason), -1);
  assert_string_equal (reason.text, "must be a number, not a truth value");
  assert_int_equal (ak_value_as_bool (v[5], &truth, &reason), 0);
  assert_int_equal (truth, 1);
  assert_int_equal (ak_value_as_bool (v[6], &truth, &reason), 0);
  assert_int_equal (truth, 0);
  assert_int_equal (ak_value_as_bool (v[7], &truth, &reason), 0);
  assert_int_equal (ak_value_as_bool (v[1], &truth, &reason), -1);
  assert_string_equal (reason.text, "must be true or false, not a number");
  assert_int_equal (ak_value_as_number (v[8], &number, &reason), -1);
  assert_string_equal (reason.text, "must be a finite number");
  assert_int_equal (ak_value_as_integer (v[9], &whole, &reason), -1);
  assert_int_equal (ak_value_as_number (v[10], &number, &reason), -1);
  assert_string_equal (reason.text,
                       "must be a number, not text: YAML 1.1 reads an exponent only after a point and with a "
                       "sign, as in 1.0e+3");
  assert_int_equal (ak_value_as_number (v[11], &number, &reason), -1);
  assert_string_equal (reason.text, "must be a number, not text");
  assert_int_equal (ak_value_as_text (v[1], &text, &reason), -1);
  assert_string_equal (reason.text, "must be text, not a number: write it in quotes");
  assert_int_equal (ak_value_as_text (v[5], &text, &reason), -1);
  assert_string_equal (reason.text, "must be text, not a truth value: write it in quotes");
  assert_int_equal (ak_value_as_text (v[12], &text, &reason), -1);
  assert_string_equal (reason.text, "must be text, and is empty");
  assert_int_equal (ak_value_as_text (v[13], &text, &reason), -1);
  assert_string_equal (reason.text, "must be text, not a list");
  ak_value_free (value);
}

static void
a_merge_goes_key_by_key_and_the_newer_wins (void **state)
{
  static const char *const path[] = { "a", "x", NULL }, *const folded[] = { "new", "key", NULL };
  struct value *into = parse ("{a: {X: 1, y: 2}, b: [1]}");
  char *json;

  (void) state;
  assert_int_equal (ak_value_merge (&into, parse ("{a: {y: 3, z: 4}, b: [2], c: 5}")), 0);
  assert_int_equal (ak_value_merge_at (&into, path, 1, override ("{\"deep\": 1}")), 0);
  assert_int_equal (ak_value_merge_at (&into, path, 0, override ("7")), 0);
  assert_int_equal (ak_value_merge_at (&into, folded, 1, override ("8")), 0);
  json = ak_value_json (into);
  assert_string_equal (
    json, "{\"a\":{\"X\":{\"deep\":1},\"y\":3,\"z\":4,\"x\":7},\"b\":[2],\"c\":5,\"new\":{\"key\":8}}");
  assert_string_equal (ak_value_get (ak_value_get (into, "new"), "key")->source, "environment variable X");
  assert_string_equal (ak_value_get (into, "b")->source, "f.yaml");
  free (json);
  ak_value_free (into);
}

static void
only_well_formed_utf8_is_valid (void **state)
{
  (void) state;
  assert_true (ak_utf8_valid ("a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", 10));
  assert_false (ak_utf8_valid ("\xc0\x80", 2));
  assert_false (ak_utf8_valid ("\xed\xa0\x80", 3));
  assert_false (ak_utf8_valid ("\xf4\x90\x80\x80", 4));
  assert_false (ak_utf8_valid ("\xe2\x82", 2));
  assert_false (ak_utf8_valid ("\x80", 1));
}

int
main (void)
{
  static const struct CMUnitTest tests[] = {
    cmocka_unit_test (plain_scalars_are_read_as_yaml_1_1_does),
    cmocka_unit_test (integers_beyond_64_bits_do_not_wrap),
    cmocka_unit_test (numbers_with_colons_stay_text_and_are_refused_as_any_type),
    cmocka_unit_test (a_value_knows_its_place_and_how_it_was_written),
    cmocka_unit_test (an_empty_document_is_null),
    cmocka_unit_test (a_byte_order_mark_and_carriage_returns_are_no_fault),
    cmocka_unit_test (aliases_and_merge_keys_work),
    cmocka_unit_test (faulty_aliases_and_merges_are_refused),
    cmocka_unit_test (a_key_that_stands_twice_is_refused_with_both_places),
    cmocka_unit_test (keys_must_be_text),
    cmocka_unit_test (a_second_document_is_refused),
    cmocka_unit_test (tags_of_its_own_are_refused),
    cmocka_unit_test (bytes_that_are_no_text_are_refused_with_their_place),
    cmocka_unit_test (a_tab_is_refused_with_its_place_and_what_to_do),
    cmocka_unit_test (what_is_no_yaml_is_refused_with_its_place),
    cmocka_unit_test (nesting_is_bounded),
    cmocka_unit_test (an_alias_bomb_is_refused),
    cmocka_unit_test (aliases_of_long_text_are_bounded_too),
    cmocka_unit_test (many_anchors_and_many_values_are_refused),
    cmocka_unit_test (a_map_of_many_keys_takes_no_quadratic_time),
    cmocka_unit_test (text_over_the_limit_is_refused_unread),
    cmocka_unit_test (an_override_is_json_when_it_parses_as_such),
    cmocka_unit_test (an_override_keeps_how_it_was_written),
    cmocka_unit_test (an_override_that_json_would_lose_something_of_is_refused),
    cmocka_unit_test (deep_json_is_text),
    cmocka_unit_test (json_is_written_so_that_it_reads_back),
    cmocka_unit_test (numbers_do_not_depend_on_the_locale),
    cmocka_unit_test (types_are_converted_where_nothing_can_be_meant_but_one),
    cmocka_unit_test (a_merge_goes_key_by_key_and_the_newer_wins),
    cmocka_unit_test (only_well_formed_utf8_is_valid),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
