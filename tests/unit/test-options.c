/* SPDX-License-Identifier: Apache-2.0 */
/* A provider's options are checked by its notes, kept in canonical text, and taken out of what is said. */
#include "config.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "options.h"
#include "value-build.h"

#define TEXT(s) ((char[]) { s })

/* Sorted by key, as every manifest's. */
static struct manifest_option notes[] = {
  { .key = TEXT ("api_key"), .type = AK_T_STRING, .flags = AK_SECRET },
  { .key = TEXT ("api_key_env"), .type = AK_T_ENV, .fallback = TEXT ("AK_TEST_KEY") },
  { .key = TEXT ("env"), .type = AK_T_MAP },
  { .key = TEXT ("image"),
    .type = AK_T_STRING,
    .fallback = TEXT ("python:3.12-slim"),
    .excludes = TEXT ("snapshot other") },
  { .key = TEXT ("isolation"), .type = AK_T_TIER },
  { .key = TEXT ("mode"), .type = AK_T_STRING, .choices = TEXT ("fast safe") },
  { .key = TEXT ("network_policy"),
    .type = AK_T_BOOL,
    .asserts = AK_CAP_NET_DENY | AK_CAP_NET_CIDR,
    .fallback = TEXT ("false") },
  { .key = TEXT ("nofile"),
    .type = AK_T_INT,
    .min = TEXT ("16"),
    .max = TEXT ("1024"),
    .fallback = TEXT ("256") },
  { .key = TEXT ("paths"), .type = AK_T_LIST, .fallback = TEXT ("[\"/a\", \"/b\"]") },
  { .key = TEXT ("raw"), .type = AK_T_JSON },
  { .key = TEXT ("snapshot"), .type = AK_T_STRING },
  { .key = TEXT ("wait"), .type = AK_T_FLOAT, .min = TEXT ("0"), .fallback = TEXT ("1.50") },
};
static char *no_texts[] = { NULL };
static char *variables[] = { TEXT ("AK_TEST_REGION"), TEXT ("AK_TEST_TOKEN"), TEXT ("TMPDIR"), NULL };
static const struct manifest acme = {
  .name = TEXT ("acme"),
  .caps = AK_CAP_PROVISIONS | AK_CAP_EXTERNAL,
  .languages = no_texts,
  .env = variables,
  .options = notes,
  .n_options = sizeof notes / sizeof *notes,
};

static int
enter (void **state)
{
  (void) state;
  unsetenv ("AK_TEST_KEY");
  unsetenv ("AK_TEST_REGION");
  return unsetenv ("AK_TEST_TOKEN");
}

static enum ak_status
make (const struct manifest *manifest, const char *yaml, struct options **ret, struct ak_error **error)
{
  struct value *block = NULL;

  if (yaml)
    assert_int_equal (ak_value_parse_yaml ("f.yaml", yaml, strlen (yaml), &block, NULL), AK_STATUS_OK);
  enum ak_status status = ak_options_new (manifest, block, "f.yaml:7", ret, error);
  ak_value_free (block);
  return status;
}

static struct options *
made (const char *yaml)
{
  struct options *o = NULL;
  struct ak_error *error = NULL;

  if (make (&acme, yaml, &o, &error) != AK_STATUS_OK)
    fail_msg ("%s", ak_error_text (error));
  assert_null (error);
  return o;
}

static void
refused_by (const struct manifest *manifest, const char *yaml, enum ak_status expected_status,
            const char *expected, const char *hint)
{
  struct options *o = NULL;
  struct ak_error *error = NULL;

  assert_int_equal (make (manifest, yaml, &o, &error), expected_status);
  assert_null (o);
  assert_string_equal (ak_error_text (error), expected);
  if (hint)
    assert_string_equal (ak_error_hint (error) ? ak_error_hint (error) : "", hint);
  ak_error_free (error);
}

static void
refused (const char *yaml, const char *expected)
{
  refused_by (&acme, yaml, AK_STATUS_CONFIG, expected, NULL);
}

/* A provider with one option. */
static struct manifest
one_option (struct manifest_option *option)
{
  struct manifest m = acme;

  m.options = option;
  m.n_options = 1;
  return m;
}

static void
defaults_come_from_the_notes (void **state)
{
  struct options *o = made (NULL);
  uint32_t tier = 9;

  (void) state;
  assert_string_equal (ak_options_get (o, "image"), "python:3.12-slim");
  assert_string_equal (ak_options_get (o, "nofile"), "256");
  assert_string_equal (ak_options_get (o, "wait"), "1.5");
  assert_string_equal (ak_options_get (o, "network_policy"), "false");
  assert_string_equal (ak_options_get (o, "paths"), "[\"/a\",\"/b\"]");
  assert_null (ak_options_get (o, "mode"));
  assert_null (ak_options_get (o, "attach_to"));
  assert_null (ak_options_get (o, "nothing"));
  assert_int_equal (ak_options_asserted (o, &tier), 0);
  assert_int_equal (tier, 0);
  ak_options_free (o);
}

static void
values_become_canonical_text (void **state)
{
  struct options *o =
    made ("{image: other, nofile: 0x20, wait: '2.50', network_policy: on, mode: safe, snapshot: null, "
          "raw: {b: [1, 2.5, yes, null, x]}, env: {A: x, B: 1, C: 3.10}, paths: []}");
  const char *key = "unset";

  (void) state;
  assert_string_equal (ak_options_get (o, "image"), "other");
  assert_string_equal (ak_options_get (o, "nofile"), "32");
  assert_string_equal (ak_options_get (o, "wait"), "2.5");
  assert_string_equal (ak_options_get (o, "network_policy"), "true");
  assert_string_equal (ak_options_get (o, "mode"), "safe");
  assert_null (ak_options_get (o, "snapshot"));
  assert_string_equal (ak_options_get (o, "raw"), "{\"b\":[1,2.5,true,null,\"x\"]}");
  assert_string_equal (ak_options_get (o, "paths"), "[]");
  assert_null (ak_options_item (o, "paths", 0, NULL));
  assert_string_equal (ak_options_item (o, "env", 0, &key), "x");
  assert_string_equal (key, "A");
  assert_string_equal (ak_options_item (o, "env", 1, NULL), "1");
  assert_string_equal (ak_options_item (o, "env", 2, &key), "3.10");
  assert_string_equal (key, "C");
  assert_null (ak_options_item (o, "env", 3, &key));
  assert_null (ak_options_item (o, "image", 0, &key));
  assert_null (ak_options_item (o, "nothing", 0, &key));
  ak_options_free (o);
}

static void
items_of_a_list_have_no_key (void **state)
{
  struct options *o = made ("paths: [/x, /y]");
  const char *key = "unset";

  (void) state;
  assert_string_equal (ak_options_item (o, "paths", 1, &key), "/y");
  assert_null (key);
  ak_options_free (o);
}

static void
overrides_are_taken_for_what_is_wanted (void **state)
{
  static const struct {
    const char *key, *text, *canonical;
  } cases[] = {
    { "image", "3.10", "3.10" },
    { "image", "true", "true" },
    { "nofile", "64", "64" },
    { "nofile", "\"64\"", "64" },
    { "wait", "1e1", "10" },
    { "network_policy", "yes", "true" },
    { "network_policy", "0", "false" },
    { "paths", "[\"/z\"]", "[\"/z\"]" },
    { "raw", "some words", "\"some words\"" },
    { "raw", "[1]", "[1]" },
  };

  (void) state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *const path[] = { cases[i].key, NULL };
    struct value *block = NULL, *value = NULL;
    struct options *o = NULL;

    assert_int_equal (ak_value_parse_override ("x", cases[i].text, &value, NULL), AK_STATUS_OK);
    assert_int_equal (ak_value_merge_at (&block, path, 0, value), 0);
    assert_int_equal (ak_options_new (&acme, block, "x", &o, NULL), AK_STATUS_OK);
    assert_string_equal (ak_options_get (o, cases[i].key), cases[i].canonical);
    ak_options_free (o);
    ak_value_free (block);
  }
}

static void
an_unknown_option_is_refused_with_its_place_and_the_nearest (void **state)
{
  (void) state;
  refused_by (&acme, "image: x\nimgae: y\n", AK_STATUS_CONFIG,
              "f.yaml:2:1: acme has no option 'imgae' (did you mean 'image'?)",
              "Its options: api_key, api_key_env, env, image, isolation, mode, network_policy, nofile, "
              "paths, raw, snapshot, "
              "wait, attach_to.");
  refused ("zzzzzzzzz: 1", "f.yaml:1:1: acme has no option 'zzzzzzzzz'");
}

static void
every_fault_is_reported (void **state)
{
  (void) state;
  refused_by (&acme, "nofile: x\nmode: y\nbogus: 1\n", AK_STATUS_CONFIG,
              "f.yaml:3:1: acme has no option 'bogus'",
              "Its options: api_key, api_key_env, env, image, isolation, mode, network_policy, nofile, "
              "paths, raw, snapshot, "
              "wait, attach_to.\n"
              "also: f.yaml:2:7: mode: must be one of fast, safe, not 'y'\n"
              "also: f.yaml:1:9: nofile: must be a whole number, not text");
}

static void
types_bounds_and_choices_are_checked (void **state)
{
  (void) state;
  refused ("nofile: 15", "f.yaml:1:9: nofile: must be at least 16 and at most 1024, not '15'");
  refused ("nofile: 1025", "f.yaml:1:9: nofile: must be at least 16 and at most 1024, not '1025'");
  refused ("nofile: 20.5", "f.yaml:1:9: nofile: must be a whole number, without a fraction");
  refused ("nofile: yes", "f.yaml:1:9: nofile: must be a whole number, not a truth value");
  refused ("wait: -0.5", "f.yaml:1:7: wait: must be at least 0, not '-0.5'");
  refused ("wait: .inf", "f.yaml:1:7: wait: must be a finite number");
  refused ("mode: saef", "f.yaml:1:7: mode: must be one of fast, safe, not 'saef' (did you mean 'safe'?)");
  refused ("image: 3.10", "f.yaml:1:8: image: must be text, not a number: write it in quotes");
  refused ("network_policy: 2", "f.yaml:1:17: network_policy: must be true or false, not a number");
  refused ("paths: /a", "f.yaml:1:8: paths: must be a list");
  refused ("paths: [/a, yes]", "f.yaml:1:13: paths: must be text, not a truth value: write it in quotes");
  refused ("env: [a]", "f.yaml:1:6: env: must be a map of keys and values");
  refused ("env: {A: on}", "f.yaml:1:10: env: must be text, not a truth value: write it in quotes");
  refused ("env: {A: {b: c}}", "f.yaml:1:10: env: must be text, not a map");
  refused ("env: {PORTS: 22:22}", "f.yaml:1:14: env: must be text in quotes, not text: YAML 1.1 reads digits "
                                  "with colons as a number of base 60");
  refused ("raw: [.nan]", "f.yaml:1:6: raw: JSON has no numbers such as .inf and .nan");
  refused ("[a, b]", "f.yaml:1:1: the options of acme must be a map of keys and values");
}

static void
a_required_option_must_be_there (void **state)
{
  struct manifest_option region = { .key = TEXT ("region"), .type = AK_T_STRING, .flags = AK_REQUIRED };
  struct manifest m = one_option (&region);

  (void) state;
  refused_by (&m, NULL, AK_STATUS_CONFIG, "f.yaml:7: acme needs the option `region`",
              "Set it in a profile: under `params:`, or under the type's name if that is bundled.");
  refused_by (&m, "region: null", AK_STATUS_CONFIG, "f.yaml:7: acme needs the option `region`", NULL);
  refused_by (&m, "region: ''", AK_STATUS_CONFIG, "f.yaml:1:9: region: must not be empty", NULL);
}

static void
attach_to_is_known_where_things_of_others_are_attached (void **state)
{
  struct manifest m = acme;
  struct options *o = made ("attach_to: ns/pod");

  (void) state;
  assert_string_equal (ak_options_get (o, "attach_to"), "ns/pod");
  ak_options_free (o);
  m.caps = AK_CAP_PROVISIONS;
  refused_by (&m, "attach_to: x", AK_STATUS_CONFIG, "f.yaml:1:1: acme has no option 'attach_to'", NULL);
}

static void
options_that_exclude_each_other_are_refused_together (void **state)
{
  struct options *o = made ("snapshot: x");

  (void) state;
  assert_string_equal (ak_options_get (o, "image"), "python:3.12-slim");
  ak_options_free (o);
  o = made ("image: x\nsnapshot: null\n");
  ak_options_free (o);
  refused ("image: x\nsnapshot: y\n", "f.yaml:2:1: image and snapshot exclude each other");
}

static void
a_faulty_note_is_the_plugins_fault (void **state)
{
  struct manifest_option bad = { .key = TEXT ("size"), .type = AK_T_INT, .fallback = TEXT ("many") };
  struct manifest m = one_option (&bad);

  (void) state;
  refused_by (&m, NULL, AK_STATUS_PLUGIN,
              "acme: the note of the option size: size: must be a whole number, not text", NULL);
  bad.fallback = TEXT ("5");
  bad.min = TEXT ("few");
  refused_by (&m, NULL, AK_STATUS_PLUGIN,
              "acme: the note of the option size: size: the bounds in the provider's note are no numbers",
              NULL);
}

static void
an_env_option_gives_the_value_of_the_variable_it_names (void **state)
{
  struct options *o = made (NULL);

  (void) state;
  assert_null (ak_options_get (o, "api_key_env"));
  ak_options_free (o);
  setenv ("AK_TEST_KEY", "k-12345", 1);
  o = made (NULL);
  setenv ("AK_TEST_KEY", "later", 1);
  assert_string_equal (ak_options_get (o, "api_key_env"), "k-12345");
  ak_options_free (o);
  o = made ("api_key_env: AK_TEST_TOKEN");
  assert_null (ak_options_get (o, "api_key_env"));
  ak_options_free (o);
}

static void
a_required_variable_that_is_not_set_is_named (void **state)
{
  struct manifest_option key = {
    .key = TEXT ("key_env"), .type = AK_T_ENV, .flags = AK_REQUIRED, .fallback = TEXT ("AK_TEST_KEY")
  };
  struct manifest m = one_option (&key);

  (void) state;
  refused_by (&m, NULL, AK_STATUS_CONFIG,
              "f.yaml:7: key_env: the environment variable AK_TEST_KEY is not set", NULL);
  refused_by (&m, "key_env: AK_TEST_TOKEN", AK_STATUS_CONFIG,
              "f.yaml:1:10: key_env: the environment variable AK_TEST_TOKEN is not set", NULL);
}

static void
a_secret_in_the_place_of_a_variable_is_not_shown (void **state)
{
  struct manifest_option key = { .key = TEXT ("key_env"), .type = AK_T_ENV, .flags = AK_REQUIRED };
  struct manifest m = one_option (&key);

  (void) state;
  refused_by (&m, "key_env: sk-abc123", AK_STATUS_CONFIG,
              "f.yaml:1:10: key_env: must be the name of an environment variable",
              "The secret itself stays out of the configuration.");
  refused_by (&m, "key_env: e2b_abc123", AK_STATUS_CONFIG,
              "f.yaml:1:10: key_env: the environment variable that it names is not set", NULL);
}

static void
secret_values_are_in_no_error (void **state)
{
  struct manifest_option pin = {
    .key = TEXT ("pin"), .type = AK_T_INT, .flags = AK_SECRET, .max = TEXT ("99")
  };
  struct manifest m = one_option (&pin);

  (void) state;
  refused_by (&m, "pin: 123456", AK_STATUS_CONFIG, "f.yaml:1:6: pin: must be at most 99", NULL);
}

static void
declared_variables_and_no_others_are_served (void **state)
{
  struct options *o;

  (void) state;
  setenv ("AK_TEST_REGION", "fra", 1);
  setenv ("AK_TEST_KEY", "other", 1);
  o = made (NULL);
  assert_string_equal (ak_options_env (o, "AK_TEST_REGION"), "fra");
  assert_null (ak_options_env (o, "AK_TEST_TOKEN"));
  assert_null (ak_options_env (o, "AK_TEST_KEY"));
  assert_null (ak_options_env (o, "PATH"));
  ak_options_free (o);
}

static void
the_operators_word_asserts_and_a_default_does_not (void **state)
{
  struct manifest_option flag = {
    .key = TEXT ("net"), .type = AK_T_BOOL, .asserts = AK_CAP_NET_DENY, .fallback = TEXT ("true")
  };
  struct manifest m = one_option (&flag);
  struct options *o = made ("network_policy: true\nisolation: micro_vm\n");
  uint32_t tier = 0;

  (void) state;
  assert_int_equal (ak_options_asserted (o, &tier), AK_CAP_NET_DENY | AK_CAP_NET_CIDR);
  assert_int_equal (tier, AK_TIER_MICRO_VM);
  ak_options_free (o);
  o = made ("network_policy: no");
  assert_int_equal (ak_options_asserted (o, &tier), 0);
  assert_int_equal (tier, 0);
  ak_options_free (o);
  o = NULL;
  assert_int_equal (make (&m, NULL, &o, NULL), AK_STATUS_OK);
  assert_int_equal (ak_options_asserted (o, &tier), 0);
  ak_options_free (o);
  refused ("isolation: vm",
           "f.yaml:1:12: isolation: must be one of none, os_policy, container, syscall_filter, wasm, "
           "micro_vm, not 'vm'");
}

static void
check_redacted (const struct options *o, const char *text, const char *expected)
{
  char *clean = ak_options_redact (o, text);

  assert_string_equal (clean, expected);
  free (clean);
}

static void
secrets_are_taken_out_of_text (void **state)
{
  struct options *o;

  (void) state;
  setenv ("AK_TEST_TOKEN", "tok-long", 1);
  setenv ("AK_TEST_KEY", "tok-long-and-longer", 1);
  setenv ("AK_TEST_REGION", "fra", 1);
  o = made ("api_key: s3cr3t\nimage: visible\n");
  check_redacted (o, "a s3cr3t b", "a *** b");
  check_redacted (o, "s3cr3ts3cr3t", "******");
  check_redacted (o, "tok-long-and-longer tok-long-and tok-lon", "*** ***-and tok-lon");
  check_redacted (o, "visible in fra", "visible in fra");
  check_redacted (o, "", "");
  check_redacted (NULL, "s3cr3t", "s3cr3t");
  ak_options_free (o);
}

static void
the_folder_for_temporary_files_is_no_secret (void **state)
{
  struct options *o;

  (void) state;
  setenv ("TMPDIR", "/var/tmp/of-a-test", 1);
  o = made ("api_key: s3cr3t\n");
  assert_string_equal (ak_options_env (o, "TMPDIR"), "/var/tmp/of-a-test");
  check_redacted (o, "/var/tmp/of-a-test/box: s3cr3t", "/var/tmp/of-a-test/box: ***");
  ak_options_free (o);
  unsetenv ("TMPDIR");
}

static void
secrets_in_lists_and_maps_are_taken_out_one_by_one (void **state)
{
  struct manifest_option headers = { .key = TEXT ("headers"), .type = AK_T_JSON, .flags = AK_SECRET };
  struct manifest m = one_option (&headers);
  struct options *o = NULL;

  (void) state;
  assert_int_equal (make (&m, "headers: {a: [first-one, 123456], b: {c: second-one}}", &o, NULL),
                    AK_STATUS_OK);
  check_redacted (o, "x first-one y second-one z 123456", "x *** y *** z ***");
  check_redacted (o, "{\"a\":[\"first-one\",123456],\"b\":{\"c\":\"second-one\"}}", "***");
  ak_options_free (o);
}

static void
numbers_do_not_depend_on_the_locale (void **state)
{
  struct options *o;

  (void) state;
  if (!setlocale (LC_ALL, "de_DE.UTF-8") && !setlocale (LC_ALL, "fr_FR.UTF-8"))
    skip ();
  o = made ("wait: 0.25");
  assert_string_equal (ak_options_get (o, "wait"), "0.25");
  ak_options_free (o);
  setlocale (LC_ALL, "C");
}

#define TEST(name) cmocka_unit_test_setup (name, enter)

int
main (void)
{
  static const struct CMUnitTest tests[] = {
    TEST (defaults_come_from_the_notes),
    TEST (values_become_canonical_text),
    TEST (items_of_a_list_have_no_key),
    TEST (overrides_are_taken_for_what_is_wanted),
    TEST (an_unknown_option_is_refused_with_its_place_and_the_nearest),
    TEST (every_fault_is_reported),
    TEST (types_bounds_and_choices_are_checked),
    TEST (a_required_option_must_be_there),
    TEST (attach_to_is_known_where_things_of_others_are_attached),
    TEST (options_that_exclude_each_other_are_refused_together),
    TEST (a_faulty_note_is_the_plugins_fault),
    TEST (an_env_option_gives_the_value_of_the_variable_it_names),
    TEST (a_required_variable_that_is_not_set_is_named),
    TEST (a_secret_in_the_place_of_a_variable_is_not_shown),
    TEST (secret_values_are_in_no_error),
    TEST (declared_variables_and_no_others_are_served),
    TEST (the_operators_word_asserts_and_a_default_does_not),
    TEST (secrets_are_taken_out_of_text),
    TEST (the_folder_for_temporary_files_is_no_secret),
    TEST (secrets_in_lists_and_maps_are_taken_out_one_by_one),
    TEST (numbers_do_not_depend_on_the_locale),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
