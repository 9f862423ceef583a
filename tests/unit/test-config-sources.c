/* SPDX-License-Identifier: Apache-2.0 */
/* Where the configuration comes from: files, overrides of the environment, settings without a file. */
#include "config.h"
#include "config-tools.h"
#include <time.h>

/* --- overrides --- */

static void
an_override_replaces_what_the_file_says (void **state)
{
  struct config *config;
  const struct profile_config *p;

  (void) state;
  setenv ("AK_SANDBOX__ENABLED", "true", 1);
  setenv ("AK_SANDBOX__PROFILES__WEB__POLICY__TIMEOUT", "2", 1);
  setenv ("ak_sandbox__profiles__web__policy__strict", "no", 1);
  setenv ("AK_SANDBOX__PROFILES__WEB__DOCKER", "{\"image\": \"new\"}", 1);
  setenv ("AK_SANDBOX__DEFAULT_PROFILE", "Web", 1);
  setenv ("AK_SANDBOX__BROKER__FLAVOR", "embedded", 1);
  setenv ("AK_SANDBOXES", "not ours", 1);
  config =
    load ("sandbox:\n  profiles:\n    Web:\n      type: docker\n      docker: {image: old, runtime: runsc}\n"
          "      policy: {timeout: 9, memory_mb: 64}\n");
  p = profile (config, NULL);
  assert_string_equal (p->name, "Web");
  assert_true (p->policy.timeout_ns == 2 * SECOND);
  assert_true (p->policy.memory_bytes == 64 * MIB);
  assert_false (p->policy.strict);
  assert_string_equal (ak_value_get (p->options, "image")->text, "new");
  assert_string_equal (ak_value_get (p->options, "runtime")->text, "runsc");
  assert_int_equal (config->n_profiles, 1);
  ak_config_free (config);
  unsetenv ("AK_SANDBOXES");
}

static void
overrides_work_without_any_file (void **state)
{
  struct config *config = NULL;
  const struct profile_config *p;

  (void) state;
  setenv ("AK_SANDBOX__ENABLED", "true", 1);
  setenv ("AK_SANDBOX__TYPE", "local_subprocess", 1);
  setenv ("AK_SANDBOX__LOCAL_SUBPROCESS", "{}", 1);
  assert_int_equal (ak_config_load ("", &config, NULL), AK_STATUS_OK);
  p = profile (config, NULL);
  assert_string_equal (p->type, "local_subprocess");
  assert_string_equal (p->where, "environment variable AK_SANDBOX__TYPE");
  assert_null (config->file);
  ak_config_free (config);
}

static void
overrides_alone_are_enabled_unless_they_say_otherwise (void **state)
{
  struct config *config = NULL;
  const struct profile_config *p = NULL;
  struct ak_error *error = NULL;

  (void) state;
  setenv ("AK_SANDBOX__TYPE", "local_subprocess", 1);
  setenv ("AK_SANDBOX__LOCAL_SUBPROCESS", "{}", 1);
  assert_int_equal (ak_config_load ("", &config, NULL), AK_STATUS_OK);
  assert_string_equal (profile (config, NULL)->type, "local_subprocess");
  ak_config_free (config);
  setenv ("AK_SANDBOX__ENABLED", "false", 1);
  assert_int_equal (ak_config_load ("", &config, NULL), AK_STATUS_OK);
  assert_int_equal (ak_config_profile (config, NULL, &p, &error), AK_STATUS_CONFIG);
  assert_string_equal (ak_error_hint (error), "Set the environment variable AK_SANDBOX__ENABLED=true.");
  ak_error_free (error);
  ak_config_free (config);
}

static void
the_whole_section_and_its_parts_may_be_overridden (void **state)
{
  struct config *config = NULL;

  (void) state;
  /* In this order of the environment, and the part wins all the same. */
  setenv ("AK_SANDBOX__DOCKER__IMAGE", "3.10", 1);
  setenv ("AK_SANDBOX",
          "{\"enabled\": true, \"type\": \"docker\", \"docker\": {\"image\": \"x\", \"runtime\": \"r\"}}", 1);
  assert_int_equal (ak_config_load ("", &config, NULL), AK_STATUS_OK);
  assert_string_equal (ak_value_get (profile (config, NULL)->options, "image")->text, "3.10");
  assert_string_equal (ak_value_get (profile (config, NULL)->options, "runtime")->text, "r");
  ak_config_free (config);
}

static void
override_refused (const char *name, const char *value, const char *expected)
{
  struct config *config = NULL;
  struct ak_error *error = NULL;

  forget_overrides ();
  setenv (name, value, 1);
  enum ak_status status = ak_config_load ("", &config, &error);
  check_error (status, config, error, expected, NULL);
}

static void
faults_of_an_override_name_its_variable (void **state)
{
  (void) state;
  override_refused ("AK_SANDBOX__TIPE", "x",
                    "environment variable AK_SANDBOX__TIPE: unknown key 'tipe' (did you mean 'type'?)");
  override_refused ("AK_SANDBOX__ENABLED", "maybe",
                    "environment variable AK_SANDBOX__ENABLED: enabled: must be true or false, not text");
  override_refused (
    "AK_SANDBOX__PROFILES", "{\"p\": {\"type\": \"a.b\", \"policy\": {\"timeout\": -1}}}",
    "environment variable AK_SANDBOX__PROFILES: timeout: must be more than 0 and at most 2592000 seconds, "
    "not '-1'");
  override_refused ("AK_SANDBOX__", "x", "environment variable AK_SANDBOX__: a key is empty");
  override_refused ("AK_SANDBOX____TYPE", "x", "environment variable AK_SANDBOX____TYPE: a key is empty");
  override_refused ("AK_SANDBOX", "docker", "environment variable AK_SANDBOX: must be a JSON object");
  override_refused ("AK_SANDBOX__DOCKER", "{\"a\":1,\"a\":2}",
                    "environment variable AK_SANDBOX__DOCKER: a map has the same key twice");
  override_refused ("AK_SANDBOX__API_KEY", "abc123",
                    "environment variable AK_SANDBOX__API_KEY: unknown key 'api_key'");
}

/* --- files --- */

#define GOOD "sandbox: {enabled: true, type: docker, docker: {}}\n"

static const char *
file_that_is_read (const char *named)
{
  static char path[256];
  struct config *config = NULL;
  struct ak_error *error = NULL;

  if (ak_config_load (named, &config, &error) != AK_STATUS_OK)
    fail_msg ("%s", ak_error_text (error));
  snprintf (path, sizeof path, "%s", config->file ? config->file : "none");
  ak_config_free (config);
  return path;
}

static void
files_are_looked_for_in_order (void **state)
{
  char *home, *xdg, *variable, *named;

  (void) state;
  home = write_file (".config/aksandbox/config.yaml", GOOD);
  assert_string_equal (file_that_is_read (NULL), home);
  setenv ("XDG_CONFIG_HOME", in_folder ("xdg"), 1);
  xdg = write_file ("xdg/aksandbox/config.yaml", GOOD);
  assert_string_equal (file_that_is_read (NULL), xdg);
  variable = write_file ("variable.yaml", GOOD);
  setenv ("AKSANDBOX_CONFIG", variable, 1);
  assert_string_equal (file_that_is_read (NULL), variable);
  named = write_file ("named.yaml", GOOD);
  assert_string_equal (file_that_is_read (named), named);
  assert_string_equal (file_that_is_read (""), "none");
  setenv ("AKSANDBOX_CONFIG", "", 1);
  assert_string_equal (file_that_is_read (NULL), xdg);
}

static void
a_relative_xdg_config_home_is_ignored (void **state)
{
  char *home = write_file (".config/aksandbox/config.yaml", GOOD);

  (void) state;
  write_file ("xdg/aksandbox/config.yaml", GOOD);
  assert_int_equal (chdir (folder), 0);
  setenv ("XDG_CONFIG_HOME", "xdg", 1);
  assert_string_equal (file_that_is_read (NULL), home);
}

static void
the_current_directory_is_never_searched (void **state)
{
  static const char *const names[] = {
    "config.yaml",  "aksandbox.yaml", "aksandbox/config.yaml",     ".aksandbox.yaml",
    ".config.yaml", "config.yml",     "etc/aksandbox/config.yaml", ".aksandbox/config.yaml"
  };

  (void) state;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char name[128];

    snprintf (name, sizeof name, "hostile/%s", names[i]);
    write_file (name, "sandbox: {enabled: true, type: /tmp/evil.so:evil}\n");
  }
  if (access (AK_SYSCONFDIR "/aksandbox/config.yaml", F_OK) == 0)
    skip ();
  assert_int_equal (chdir (in_folder ("hostile")), 0);
  assert_string_equal (file_that_is_read (NULL), "none");
}

static void
a_path_that_the_user_named_may_be_relative (void **state)
{
  char *named = write_file ("sub/named.yaml", GOOD);

  (void) state;
  assert_int_equal (chdir (folder), 0);
  assert_string_equal (file_that_is_read ("sub/named.yaml"), named);
}

static void
file_refused (const char *path, const char *expected)
{
  struct config *config = NULL;
  struct ak_error *error = NULL;
  char full[512];
  enum ak_status status = ak_config_load (path, &config, &error);

  snprintf (full, sizeof full, "%s: %s", path, expected);
  check_error (status, config, error, full, NULL);
}

static void
what_is_no_file_is_refused_at_once (void **state)
{
  char *fifo = in_folder ("fifo");

  (void) state;
  file_refused (in_folder ("absent"), "No such file or directory");
  mkdir (in_folder ("dir"), 0755);
  file_refused (in_folder ("dir"), "a folder, not a file");
  assert_int_equal (mkfifo (fifo, 0600), 0);
  file_refused (fifo, "a FIFO, not a file");
  file_refused ("/dev/zero", "a device, not a file");
}

static void
a_file_that_others_can_write_is_refused (void **state)
{
  char *path = write_file ("open.yaml", GOOD);
  struct config *config = NULL;
  struct ak_error *error = NULL;

  (void) state;
  assert_int_equal (chmod (path, 0666), 0);
  assert_int_equal (ak_config_load (path, &config, &error), AK_STATUS_CONFIG);
  assert_int_equal (ak_error_status (error), AK_STATUS_CONFIG);
  assert_non_null (strstr (ak_error_text (error), path));
  ak_error_free (error);
}

static void
a_file_over_the_limit_is_refused_unread (void **state)
{
  char *path = write_file ("large.yaml", "sandbox: {}\n");

  (void) state;
  assert_int_equal (truncate (path, 100 << 20), 0);
  file_refused (path, "larger than 4194304 bytes");
}

static void
a_variable_that_names_no_file_is_an_error (void **state)
{
  struct config *config = NULL;
  struct ak_error *error = NULL;
  char expected[256];

  (void) state;
  write_file (".config/aksandbox/config.yaml", GOOD);
  setenv ("AKSANDBOX_CONFIG", in_folder ("absent"), 1);
  snprintf (expected, sizeof expected, "%s: No such file or directory", getenv ("AKSANDBOX_CONFIG"));
  enum ak_status status = ak_config_load (NULL, &config, &error);
  check_error (status, config, error, expected, NULL);
  error = NULL;
  setenv ("AKSANDBOX_CONFIG", "config.yaml", 1);
  status = ak_config_load (NULL, &config, &error);
  check_error (status, config, error, "environment variable AKSANDBOX_CONFIG: must be an absolute path",
               NULL);
}

/* --- without a file --- */

static void
a_type_alone_is_a_profile_with_the_default_policy (void **state)
{
  struct profile_config *p = NULL;

  (void) state;
  setenv ("AK_SANDBOX__TYPE", "docker", 1);
  assert_int_equal (ak_config_adhoc ("local_subprocess", NULL, &p, NULL), AK_STATUS_OK);
  assert_string_equal (p->type, "local_subprocess");
  assert_string_equal (p->where, "command line");
  assert_int_equal (p->policy.network_egress, NETWORK_ALLOW);
  assert_true (p->policy.timeout_ns == 120 * SECOND);
  assert_true (p->policy.strict);
  assert_false (p->attached);
  assert_null (p->options);
  ak_profile_free (p);
}

static void
settings_have_the_keys_of_a_profile (void **state)
{
  static const char *const settings[] = { "policy.network_egress=deny",
                                          "policy.memory_mb=512",
                                          "policy.timeout=5",
                                          "policy.strict=no",
                                          "term_grace=0.2",
                                          "environment=attached",
                                          "options.attach_to=7",
                                          "options.env={\"A\": \"b=c\"}",
                                          "options.path=/a:/b",
                                          "policy.cpu=0.5",
                                          "options.env.X=1",
                                          "scope=per_call",
                                          NULL };
  struct profile_config *p = NULL;
  struct ak_error *error = NULL;
  char *json;

  (void) state;
  if (ak_config_adhoc ("acme:fly", settings, &p, &error) != AK_STATUS_OK)
    fail_msg ("%s", ak_error_text (error));
  assert_int_equal (p->policy.network_egress, NETWORK_DENY);
  assert_true (p->policy.memory_bytes == 512 * MIB);
  assert_true (p->policy.timeout_ns == 5 * SECOND);
  assert_true (p->policy.cpu_milli == 500);
  assert_false (p->policy.strict);
  assert_true (p->term_grace_ns == 200000000u);
  assert_true (p->attached);
  assert_int_equal (p->scope, SCOPE_PER_CALL);
  json = ak_value_json (p->options);
  assert_string_equal (json, "{\"attach_to\":7,\"env\":{\"A\":\"b=c\",\"X\":1},\"path\":\"/a:/b\"}");
  free (json);
  ak_profile_free (p);
}

static void
setting_refused (const char *setting, const char *expected)
{
  const char *const settings[] = { setting, NULL };
  struct profile_config *p = NULL;
  struct ak_error *error = NULL;

  assert_int_equal (ak_config_adhoc ("docker", settings, &p, &error), AK_STATUS_CONFIG);
  assert_null (p);
  assert_string_equal (ak_error_text (error), expected);
  ak_error_free (error);
}

static void
faults_of_a_setting_name_it (void **state)
{
  (void) state;
  setting_refused ("policy.timout=5",
                   "setting policy.timout: unknown key 'timout' (did you mean 'timeout'?)");
  setting_refused ("policy.timeout=soon",
                   "setting policy.timeout: timeout: must be a number, not text, not 'soon'");
  setting_refused ("policy.timeout", "a setting must be KEY=VALUE");
  setting_refused ("policy..timeout=5", "a setting has an empty key");
  setting_refused ("=5", "a setting has an empty key");
  setting_refused ("type=docker", "setting type: unknown key 'type'");
  setting_refused ("params.x=1", "setting params.x: unknown key 'params'");
  setting_refused ("docker.image=x", "setting docker.image: unknown key 'docker'");
  setting_refused ("options=5", "setting options: options: must be a map of keys and values");
  setting_refused ("environment=attached",
                   "command line: profile 'command-line': environment: attached needs the option "
                   "attach_to");
}

/* --- speed --- */

static void
two_hundred_profiles_are_read_in_no_time (void **state)
{
  char *text = malloc (200000), *at = text;
  struct timespec start, end;
  struct config *config;
  double best = 1;

  (void) state;
  at = stpcpy (at, "sandbox:\n  enabled: true\n  default_profile: p0\n  profiles:\n");
  for (int i = 0; i < 200; i++)
    at +=
      sprintf (at,
               "    p%d:\n      type: docker\n      scope: per_call\n      docker: {image: 'python:3.12'}\n"
               "      policy: {network_egress: deny, timeout: %d, memory_mb: 512, cpu: 1.5}\n",
               i, i + 1);
  for (int i = 0; i < 5; i++) {
    clock_gettime (CLOCK_MONOTONIC, &start);
    config = load (text);
    clock_gettime (CLOCK_MONOTONIC, &end);
    double seconds = (double) (end.tv_sec - start.tv_sec) + (double) (end.tv_nsec - start.tv_nsec) / 1e9;
    best = seconds < best ? seconds : best;
    assert_int_equal (config->n_profiles, 200);
    ak_config_free (config);
  }
  free (text);
  print_message ("# 200 profiles: %.2f ms\n", best * 1e3);
  /* The goal is 5 ms; sanitizers and loaded machines get room. */
  assert_true (best < 0.25);
}

int
main (void)
{
  static const struct CMUnitTest tests[] = {
    TEST (an_override_replaces_what_the_file_says),
    TEST (overrides_work_without_any_file),
    TEST (overrides_alone_are_enabled_unless_they_say_otherwise),
    TEST (the_whole_section_and_its_parts_may_be_overridden),
    TEST (faults_of_an_override_name_its_variable),
    TEST (files_are_looked_for_in_order),
    TEST (a_relative_xdg_config_home_is_ignored),
    TEST (the_current_directory_is_never_searched),
    TEST (a_path_that_the_user_named_may_be_relative),
    TEST (what_is_no_file_is_refused_at_once),
    TEST (a_file_that_others_can_write_is_refused),
    TEST (a_file_over_the_limit_is_refused_unread),
    TEST (a_variable_that_names_no_file_is_an_error),
    TEST (a_type_alone_is_a_profile_with_the_default_policy),
    TEST (settings_have_the_keys_of_a_profile),
    TEST (faults_of_a_setting_name_it),
    TEST (two_hundred_profiles_are_read_in_no_time),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
