/* SPDX-License-Identifier: Apache-2.0 */
/* Out of memory, at every allocation in turn, in the configuration and the options. */
#include "config.h"
#include "config-tools.h"
#include "cleanup.h"
#include "options.h"
#include "torture.h"

static const char *text;
static struct config *config;

static enum ak_status
act_load_memory (struct ak_error **error)
{
  return ak_config_load_memory ("f.yaml", text, strlen (text), &config, error);
}

static enum ak_status
act_load (struct ak_error **error)
{
  return ak_config_load (NULL, &config, error);
}

static void
undo_load (void)
{
  ak_config_free (TAKE_PTR (config));
}

static size_t n_profiles, n_warnings;

static int
check_load (void)
{
  size_t n = 0;
  while (config->warnings[n])
    n++;
  return config->n_profiles == n_profiles && n == n_warnings && config->profiles[0]->type;
}

/* What a load is to give, from one that nothing disturbs. */
static void
expect (void)
{
  n_profiles = config->n_profiles;
  for (n_warnings = 0; config->warnings[n_warnings];)
    n_warnings++;
  undo_load ();
}

static void
a_configuration_survives (void **state)
{
  const struct scene scene = { .act = act_load_memory, .check = check_load, .undo = undo_load };
  static const char *const files[] = { "agent-kernel.yaml", "no-sandbox.yaml", "sugar.yaml" };
  (void) state;
  for (size_t i = 0; i < 3; i++) {
    CLEANUP_FREE
    char *copy = strdup (read_text (data_file (files[i])));
    text = copy;
    config = load (text);
    expect ();
    torture (&scene);
  }
}

static void
a_faulty_configuration_survives (void **state)
{
  const struct scene scene = { .act = act_load_memory, .undo = undo_load, .expected = AK_STATUS_CONFIG };
  static const char *const texts[] = {
    "sandbox:\n  enabled: true\n  defualt_profile: x\n  profiles:\n    a:\n      type: acme.cloud:fly\n"
    "      policy: {timeout: -1, network_egress: maybe, network_allow: 7}\n      scope: never\n"
    "    b: {type: docker}\n    c: 7\n",
    "sandbox: {profiles: {a: &x {type: docker}, a: *x}}",
    "sandbox: [",
    "a: &a [*b]",
  };
  (void) state;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    text = texts[i];
    torture (&scene);
  }
}

static void
files_and_overrides_survive (void **state)
{
  const struct scene scene = { .act = act_load, .check = check_load, .undo = undo_load };
  (void) state;
  write_file (".config/aksandbox/config.yaml",
              "sandbox:\n  enabled: true\n  profiles:\n    default: {type: docker, docker: {image: x}}\n");
  setenv ("AK_SANDBOX__PROFILES__DEFAULT__POLICY__TIMEOUT", "7", 1);
  setenv ("AK_SANDBOX__PROFILES__DEFAULT__DOCKER", "{\"image\": \"y\", \"list\": [1, 2]}", 1);
  setenv ("AK_SANDBOX__PLUGIN_PATH", "[\"/a\", \"/b\"]", 1);
  assert_int_equal (act_load (NULL), AK_STATUS_OK);
  expect ();
  torture (&scene);
  unlink (in_folder (".config/aksandbox/config.yaml"));
  forget_overrides ();
  assert_int_equal (act_load (NULL), AK_STATUS_OK);
  expect ();
  torture (&scene);
}

static struct profile_config *adhoc;
static const char *const *settings;

static enum ak_status
act_adhoc (struct ak_error **error)
{
  return ak_config_adhoc ("acme.cloud:fly", settings, &adhoc, error);
}

static int
check_adhoc (void)
{
  return adhoc->policy.timeout_ns == 5 * SECOND && adhoc->options && adhoc->options->n == 2;
}

static void
undo_adhoc (void)
{
  ak_profile_free (TAKE_PTR (adhoc));
}

static void
settings_of_a_command_line_survive (void **state)
{
  struct scene scene = { .act = act_adhoc, .check = check_adhoc, .undo = undo_adhoc };
  static const char *const good[] = { "policy.timeout=5", "policy.network_allow=[\"a.test\"]",
                                      "options.image=x", "options.env={\"A\": \"b\"}", NULL };
  static const char *const bad[] = { "policy.timeout=-5", "policy.tiemout=7", "idle_timeout=x", NULL };
  (void) state;
  settings = good;
  torture (&scene);
  settings = bad;
  scene.expected = AK_STATUS_CONFIG;
  torture (&scene);
}

static enum ak_status
act_profile (struct ak_error **error)
{
  const struct profile_config *p;
  return ak_config_profile (config, "defualt", &p, error);
}

static void
an_unknown_profile_survives (void **state)
{
  const struct scene scene = { .act = act_profile, .expected = AK_STATUS_CONFIG };
  (void) state;
  config = load ("sandbox: {enabled: true, profiles: {default: {type: a.b}, other: {type: a.b}}}");
  torture (&scene);
  undo_load ();
}

static struct manifest_option notes[] = {
  { .key = (char[]) { "a" }, .type = AK_T_STRING, .flags = AK_SECRET },
  { .key = (char[]) { "b" }, .type = AK_T_INT, .min = (char[]) { "0" }, .fallback = (char[]) { "4" } },
  { .key = (char[]) { "c" }, .type = AK_T_FLOAT },
  { .key = (char[]) { "d" }, .type = AK_T_BOOL, .asserts = AK_CAP_NET_DENY, .excludes = (char[]) { "b x" } },
  { .key = (char[]) { "e" }, .type = AK_T_LIST },
  { .key = (char[]) { "f" }, .type = AK_T_MAP, .flags = AK_SECRET },
  { .key = (char[]) { "g" }, .type = AK_T_JSON },
  { .key = (char[]) { "h" }, .type = AK_T_TIER },
  { .key = (char[]) { "i" }, .type = AK_T_ENV, .fallback = (char[]) { "TORTURE" } },
  { .key = (char[]) { "j" }, .type = AK_T_STRING, .choices = (char[]) { "one two" } },
};
static char *variables[] = { (char[]) { "TORTURE" }, (char[]) { "HOME" }, NULL }, *no_texts[] = { NULL };
static const struct manifest acme = {
  .name = (char[]) { "acme" },
  .caps = AK_CAP_EXTERNAL,
  .languages = no_texts,
  .env = variables,
  .options = notes,
  .n_options = sizeof notes / sizeof *notes,
};
static struct value *block;
static struct options *options;

static enum ak_status
act_options (struct ak_error **error)
{
  return ak_options_new (&acme, block, "f.yaml:7", &options, error);
}

static int
check_options (void)
{
  CLEANUP_FREE
  char *clean = ak_options_redact (options, "secret value, kept thing, of the environment");
  return clean && !strcmp (clean, "***, ***, ***") && !strcmp (ak_options_get (options, "g"), "{\"k\":[1,2]}")
         && !strcmp (ak_options_item (options, "e", 1, NULL), "two") && ak_options_get (options, "c");
}

static void
undo_options (void)
{
  ak_options_free (TAKE_PTR (options));
}

static void
with_options (const struct scene *scene, const char *yaml)
{
  assert_int_equal (ak_value_parse_yaml ("f.yaml", yaml, strlen (yaml), &block, NULL), AK_STATUS_OK);
  torture (scene);
  ak_value_free (TAKE_PTR (block));
}

static void
options_of_a_provider_survive (void **state)
{
  struct scene scene = { .act = act_options, .check = check_options, .undo = undo_options };
  (void) state;
  setenv ("TORTURE", "of the environment", 1);
  with_options (&scene,
                "{a: secret value, c: 1.5, d: true, e: [one, two], f: {k: kept thing}, g: {k: [1, 2]}, "
                "h: micro_vm, j: one, attach_to: x}");
  scene.expected = AK_STATUS_CONFIG;
  with_options (&scene, "{b: -1, d: 7, j: three, k: 1, h: nothing, e: {a: b}, f: [1], i: NOT_SET_AT_ALL}");
  with_options (&scene, "[1]");
  unsetenv ("TORTURE");
}

static char *redacted;

static enum ak_status
act_redact (struct ak_error **error)
{
  redacted = ak_options_redact (options, "a secret value.");
  return redacted ? AK_STATUS_OK : ak_fail_memory (error);
}

static int
check_redact (void)
{
  return !strcmp (redacted, "a ***.");
}

static void
undo_redact (void)
{
  free (TAKE_PTR (redacted));
}

static void
no_secret_comes_out_for_want_of_memory (void **state)
{
  const struct scene scene = { .act = act_redact, .check = check_redact, .undo = undo_redact };
  (void) state;
  assert_int_equal (ak_value_parse_yaml ("f", "{a: secret value}", 17, &block, NULL), AK_STATUS_OK);
  assert_int_equal (act_options (NULL), AK_STATUS_OK);
  torture (&scene);
  undo_options ();
  ak_value_free (TAKE_PTR (block));
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    TEST (a_configuration_survives),
    TEST (a_faulty_configuration_survives),
    TEST (files_and_overrides_survive),
    TEST (settings_of_a_command_line_survive),
    TEST (an_unknown_profile_survives),
    TEST (options_of_a_provider_survive),
    TEST (no_secret_comes_out_for_want_of_memory),
  };
  return cmocka_run_group_tests_name ("torture-config", tests, NULL, NULL);
}
