/* SPDX-License-Identifier: Apache-2.0 */
/* The configuration: Agent Kernel's schema with its defaults, the rules between keys, and what is refused. */
#include "config.h"
#include "config-tools.h"

/* --- the model --- */

static void
without_configuration_there_is_one_profile_that_denies (void **state)
{
  struct config *config = NULL;
  const struct profile_config *p;

  (void) state;
  assert_int_equal (ak_config_load ("", &config, NULL), AK_STATUS_OK);
  assert_null (config->file);
  assert_true (config->enabled);
  assert_int_equal (config->n_profiles, 1);
  p = profile (config, NULL);
  assert_string_equal (p->name, "default");
  assert_string_equal (p->type, "bubblewrap");
  assert_string_equal (p->where, "built-in");
  assert_int_equal (p->policy.network_egress, NETWORK_DENY);
  assert_true (p->policy.timeout_ns == 120 * SECOND);
  assert_true (p->policy.strict);
  assert_false (p->attached);
  assert_null (p->options);
  assert_null (*config->plugin_path);
  assert_null (*config->warnings);
  ak_config_free (config);
}

static void
defaults_are_agent_kernels (void **state)
{
  struct config *config =
    load ("sandbox:\n  enabled: true\n  profiles:\n    default:\n      type: docker\n      docker: {}\n");
  const struct profile_config *p = profile (config, "default");

  (void) state;
  assert_string_equal (config->default_profile, "default");
  assert_true (config->output_limit == 8000);
  assert_null (config->principal);
  assert_string_equal (p->where, "f.yaml:4");
  assert_int_equal (p->scope, SCOPE_PER_SESSION);
  assert_false (p->attached);
  assert_false (p->identity_user);
  assert_true (p->idle_timeout_ns == 1800 * SECOND);
  assert_true (p->create_timeout_ns == 120 * SECOND);
  assert_true (p->term_grace_ns == 0);
  assert_int_equal (p->policy.network_egress, NETWORK_ALLOW);
  assert_null (*p->policy.network_allow);
  assert_null (*p->policy.fs_allow_read);
  assert_null (*p->policy.fs_allow_write);
  assert_true (p->policy.cpu_milli == 0 && p->policy.memory_bytes == 0);
  assert_true (p->policy.timeout_ns == 120 * SECOND);
  assert_true (p->policy.strict);
  assert_non_null (p->options);
  assert_int_equal (p->options->n, 0);
  ak_config_free (config);
}

static void
a_whole_configuration_of_agent_kernel_is_read_unchanged (void **state)
{
  static const char *const names[] = { "workspace",   "scratch", "micro", "cloud",
                                       "interpreter", "pods",    "host",  "own" };
  char *text = read_text (data_file ("agent-kernel.yaml"));
  struct config *config = load (text);
  const struct profile_config *p = profile (config, NULL);

  (void) state;
  assert_null (*config->warnings);
  assert_int_equal (config->n_profiles, 8);
  for (size_t i = 0; i < 8; i++)
    assert_string_equal (config->profiles[i]->name, names[i]);
  assert_string_equal (p->name, "workspace");
  assert_true (p->idle_timeout_ns == 21600 * SECOND);
  assert_int_equal (p->policy.network_egress, NETWORK_ALLOWLIST);
  assert_string_equal (p->policy.network_allow[3], "2001:db8::/32");
  assert_null (p->policy.network_allow[4]);
  assert_string_equal (p->policy.fs_allow_read[0], "/usr");
  assert_string_equal (p->policy.fs_allow_write[0], "/workspace");
  assert_true (p->policy.cpu_milli == 1500);
  assert_true (p->policy.memory_bytes == 512 * MIB);
  assert_true (p->policy.timeout_ns == 30 * SECOND);
  assert_string_equal (ak_value_get (p->options, "image")->text, "python:3.12-slim");
  p = profile (config, "pods");
  assert_int_equal (p->scope, SCOPE_PER_RUNTIME);
  assert_true (p->identity_user);
  assert_int_equal (p->options->n, 13);
  p = profile (config, "host");
  assert_true (p->attached);
  p = profile (config, "own");
  assert_string_equal (p->type, "acme.cloud.fly");
  assert_string_equal (ak_value_get (p->options, "region")->text, "fra");
  ak_config_free (config);
}

static void
presence_decides_and_not_truth (void **state)
{
  struct config *config = load (read_text (data_file ("agent-kernel.yaml")));
  const struct profile_config *p = profile (config, "host");

  (void) state;
  assert_true (p->idle_timeout_ns == 0);
  assert_false (p->policy.strict);
  ak_config_free (config);
}

static void
a_single_backend_needs_no_profiles (void **state)
{
  struct config *config = load (read_text (data_file ("sugar.yaml")));
  const struct profile_config *p = profile (config, NULL);

  (void) state;
  assert_int_equal (config->n_profiles, 1);
  assert_string_equal (p->name, "default");
  assert_string_equal (p->type, "docker");
  assert_string_equal (p->where, "f.yaml:4");
  assert_int_equal (p->scope, SCOPE_PER_CALL);
  assert_true (p->idle_timeout_ns == 1800 * SECOND);
  assert_string_equal (ak_value_get (p->options, "image")->text, "python:3.12-slim");
  assert_null (*config->warnings);
  ak_config_free (config);
}

static void
a_single_backend_is_called_as_default_profile_says (void **state)
{
  struct config *config = load ("sandbox: {enabled: yes, default_profile: mine, profiles: {}, type: ec2_ssm, "
                                "environment: attached, ec2_ssm: {attach_to: i-1}}");

  (void) state;
  assert_true (profile (config, "mine")->attached);
  ak_config_free (config);
}

static void
profiles_win_over_a_single_backend (void **state)
{
  struct config *config =
    load ("sandbox:\n  enabled: true\n  type: docker\n  profiles:\n    default:\n      type: a.b\n");

  (void) state;
  assert_int_equal (config->n_profiles, 1);
  assert_string_equal (profile (config, NULL)->type, "a.b");
  assert_string_equal (config->warnings[0], "f.yaml:3:3: type: has no effect beside `profiles:`");
  assert_null (config->warnings[1]);
  ak_config_free (config);
}

static void
a_policy_beside_profiles_is_refused_with_its_place (void **state)
{
  (void) state;
  refused_with ("sandbox:\n  enabled: true\n  type: docker\n  docker: {}\n  policy: {}\n",
                "f.yaml:5:3: the key 'policy' has no meaning here",
                "It belongs in a profile, below `profiles:` and the profile's name.");
}

static void
keys_of_our_own_are_read (void **state)
{
  struct config *config =
    load ("sandbox:\n  enabled: true\n  plugin_path: [/opt/a, /opt/b]\n  profiles:\n    default:\n"
          "      type: a.b\n      create_timeout: 2.5\n      term_grace: 0.2\n");
  const struct profile_config *p = profile (config, NULL);

  (void) state;
  assert_string_equal (config->plugin_path[1], "/opt/b");
  assert_null (config->plugin_path[2]);
  assert_true (p->create_timeout_ns == 2500000000u);
  assert_true (p->term_grace_ns == 200000000u);
  assert_null (p->options);
  ak_config_free (config);
}

static void
a_static_principal_is_read (void **state)
{
  struct config *config =
    load ("sandbox:\n  enabled: true\n  principal_resolver: static\n  principal:\n    mode: user\n"
          "    subject: alice\n    groups: [dev, ops]\n    credentials: {role_arn: ROLE_ARN}\n"
          "  type: docker\n  docker: {}\n");

  (void) state;
  assert_true (config->principal->user);
  assert_string_equal (config->principal->subject, "alice");
  assert_string_equal (config->principal->groups[1], "ops");
  assert_null (config->principal->groups[2]);
  assert_string_equal (config->principal->credentials[0], "role_arn");
  assert_string_equal (config->principal->credentials[1], "ROLE_ARN");
  assert_null (config->principal->credentials[2]);
  ak_config_free (config);
  refused ("sandbox: {principal_resolver: static}",
           "f.yaml:1:31: principal_resolver: static needs a block `principal:`");
  refused ("sandbox: {principal_resolver: static, principal: {mode: user}}",
           "f.yaml:1:50: principal: needs a subject");
  refused (
    "sandbox: {principal_resolver: static, principal: {subject: a, credentials: {token: s3cr3t-value}}}",
    "f.yaml:1:84: credentials: must be the name of an environment variable");
}

/* --- disabled, unknown --- */

static void
check_disabled (const char *text, const char *expected, const char *hint)
{
  struct config *config = load (text);
  const struct profile_config *p = NULL;
  struct ak_error *error = NULL;

  assert_false (config->enabled);
  assert_int_equal (ak_config_profile (config, NULL, &p, &error), AK_STATUS_CONFIG);
  assert_null (p);
  assert_string_equal (ak_error_text (error), expected);
  assert_string_equal (ak_error_hint (error), hint);
  ak_error_free (error);
  ak_config_free (config);
}

static void
a_section_is_disabled_until_it_says_otherwise (void **state)
{
  (void) state;
  check_disabled ("other: 1\nsandbox:\n  type: docker\n  docker: {}\n",
                  "f.yaml:2: sandboxes are disabled (enabled: false)",
                  "f.yaml:2: add `enabled: true` below `sandbox:`");
  check_disabled ("sandbox:\n", "f.yaml:1: sandboxes are disabled (enabled: false)",
                  "f.yaml:1: add `enabled: true` below `sandbox:`");
  check_disabled ("sandbox:\n  type: docker\n  enabled: no\n",
                  "f.yaml:3: sandboxes are disabled (enabled: false)", "f.yaml:3: set `enabled: true`");
}

static void
a_disabled_section_is_still_read (void **state)
{
  (void) state;
  refused ("sandbox:\n  enabled: false\n  tipe: docker\n",
           "f.yaml:3:3: unknown key 'tipe' (did you mean 'type'?)");
}

static void
a_file_without_the_section_is_no_configuration (void **state)
{
  struct config *config = load (read_text (data_file ("no-sandbox.yaml")));

  (void) state;
  assert_true (config->enabled);
  assert_string_equal (config->file, "f.yaml");
  assert_string_equal (profile (config, NULL)->where, "built-in");
  assert_string_equal (config->warnings[0],
                       "f.yaml:2:1: there is no section `sandbox:`, so nothing of this file is read");
  ak_config_free (config);
  config = load ("sandboxes:\n  enabled: true\n");
  assert_string_equal (config->warnings[0],
                       "f.yaml:1:1: is this meant to be `sandbox:`? The file has no such section");
  ak_config_free (config);
  config = load ("");
  assert_string_equal (profile (config, NULL)->where, "built-in");
  ak_config_free (config);
}

static void
an_unknown_profile_is_answered_with_those_there_are (void **state)
{
  struct config *config =
    load ("sandbox: {enabled: true, default_profile: b, profiles: {b: {type: x.y}, a: {type: x.y}}}");
  const struct profile_config *p = NULL;
  struct ak_error *error = NULL;

  (void) state;
  assert_int_equal (ak_config_profile (config, "c", &p, &error), AK_STATUS_CONFIG);
  assert_string_equal (ak_error_text (error),
                       "profile 'c': there is none of that name in f.yaml; there are: a, b");
  ak_error_free (error);
  ak_config_free (config);
}

static void
what_is_no_configuration_is_refused_without_showing_it (void **state)
{
  (void) state;
  refused ("root:x:0:0:root:/root:/bin/bash\n",
           "f.yaml:1:1: this is not a configuration: it must be a map of sections");
  refused ("- a\n", "f.yaml:1:1: this is not a configuration: it must be a map of sections");
  refused ("sandbox: 5\n", "f.yaml:1:10: sandbox: must be a map of keys and values");
}

/* --- keys --- */

static void
an_unknown_key_is_an_error_with_its_place_and_the_nearest (void **state)
{
  (void) state;
  refused ("sandbox:\n  enabeld: true\n", "f.yaml:2:3: unknown key 'enabeld' (did you mean 'enabled'?)");
  refused ("sandbox:\n  dokcer: {}\n", "f.yaml:2:3: unknown key 'dokcer' (did you mean 'docker'?)");
  refused ("sandbox:\n  zzzzzzz: {}\n", "f.yaml:2:3: unknown key 'zzzzzzz'");
  refused ("sandbox:\n  broker:\n    flavour: thread\n",
           "f.yaml:3:5: unknown key 'flavour' (did you mean 'flavor'?)");
  refused ("sandbox:\n  profiles:\n    p:\n      type: a.b\n      idletimeout: 5\n",
           "f.yaml:5:7: unknown key 'idletimeout' (did you mean 'idle_timeout'?)");
  refused ("sandbox:\n  profiles:\n    p:\n      type: a.b\n      hosting: process\n",
           "f.yaml:5:7: unknown key 'hosting'");
  policy_refused ("memory_mv: 5", "9: unknown key 'memory_mv' (did you mean 'memory_mb'?)");
  policy_refused ("network: deny", "9: unknown key 'network' (did you mean 'network_egress'?)");
  refused ("sandbox:\n  profiles:\n    p:\n      type: a.b\n      identity: {modus: user}\n",
           "f.yaml:5:18: unknown key 'modus' (did you mean 'mode'?)");
  refused ("sandbox:\n  \"x\\ey\": 1\n", "f.yaml:2:3: unknown key");
}

static void
every_fault_is_reported_and_the_first_is_the_text (void **state)
{
  (void) state;
  refused_with ("sandbox:\n  enabled: maybe\n  tipe: x\n  broker:\n    wait_timeout: -1\n",
                "f.yaml:3:3: unknown key 'tipe' (did you mean 'type'?)",
                "also: f.yaml:2:12: enabled: must be true or false, not text\n"
                "also: f.yaml:5:19: wait_timeout: must be at least 0 and at most 2592000 seconds, not '-1'");
}

static void
not_more_than_twenty_further_faults_are_listed (void **state)
{
  char text[4096] = "sandbox:\n";
  struct config *config = NULL;
  struct ak_error *error = NULL;
  size_t lines = 0;

  (void) state;
  for (int i = 0; i < 50; i++)
    sprintf (text + strlen (text), "  qqqqq%d: 1\n", i);
  assert_int_equal (ak_config_load_memory ("f.yaml", text, strlen (text), &config, &error), AK_STATUS_CONFIG);
  for (const char *p = ak_error_hint (error); p; p = strchr (p + 1, '\n'))
    lines++;
  assert_int_equal (lines, 21);
  assert_non_null (strstr (ak_error_hint (error), "\nand 29 more"));
  ak_error_free (error);
}

static void
keys_that_have_no_effect_give_one_warning_each (void **state)
{
  struct config *config = load ("sandbox:\n  enabled: true\n  request_queue_url: x\n  type: docker\n  "
                                "docker: {}\n  broker:\n    queue: {type: sqs}\n"
                                "    response_store: {type: redis}\n    object_store_bucket: b\n");

  (void) state;
  assert_string_equal (config->warnings[0], "f.yaml:7:5: queue: is known and has no effect here");
  assert_string_equal (config->warnings[1], "f.yaml:8:5: response_store: is known and has no effect here");
  assert_string_equal (config->warnings[2],
                       "f.yaml:9:5: object_store_bucket: is known and has no effect here");
  assert_string_equal (config->warnings[3], "f.yaml:3:3: request_queue_url: is known and has no effect here");
  assert_null (config->warnings[4]);
  ak_config_free (config);
}

static void
what_only_agent_kernel_has_is_refused_by_name (void **state)
{
  (void) state;
  refused_with (
    "sandbox:\n  broker: {flavor: queue}\n",
    "f.yaml:2:20: broker.flavor: queue is Agent Kernel's alone; sandboxes are served in this process",
    "Set `flavor: thread`, or `embedded`.");
  refused ("sandbox:\n  broker: {flavor: myapp.brokers.Kafka}\n",
           "f.yaml:2:20: broker.flavor: must not be a Python class, not 'myapp.brokers.Kafka'");
  refused ("sandbox:\n  broker: {flavor: thraed}\n",
           "f.yaml:2:20: broker.flavor: must be thread or embedded, not 'thraed'");
  refused_with ("sandbox:\n  principal_resolver: identity.UserResolver\n",
                "f.yaml:2:23: principal_resolver: must not be a Python class, not 'identity.UserResolver'",
                "Remove the line, or set `principal_resolver: static` and a block `principal:`.");
  refused ("sandbox:\n  principal_resolver: a:b\n",
           "f.yaml:2:23: principal_resolver: must be agent or static, not 'a:b'");
}

static void
duplicate_keys_name_both_places (void **state)
{
  (void) state;
  refused ("sandbox:\n  profiles:\n    p:\n      policy: {strict: true}\n      type: a.b\n      policy: {}\n",
           "f.yaml:6:7: the key 'policy' is already at 4:7");
}

/* --- values --- */

static void
words_must_be_among_those_there_are (void **state)
{
  (void) state;
  refused (
    "sandbox: {type: a.b, scope: per_sesion}",
    "f.yaml:1:29: scope: must be one of per_session, per_call, per_runtime, not 'per_sesion' (did you mean "
    "'per_session'?)");
  refused (
    "sandbox: {type: a.b, environment: attach}",
    "f.yaml:1:35: environment: must be one of managed, attached, not 'attach' (did you mean 'attached'?)");
  policy_refused ("network_egress: none",
                  "25: network_egress: must be one of allow, deny, allowlist, not 'none'");
  policy_refused ("network_egress: no",
                  "25: network_egress: must be text, not a truth value: write it in quotes");
}

static void
numbers_out_of_range_name_the_range (void **state)
{
  (void) state;
  policy_refused ("timeout: 0", "18: timeout: must be more than 0 and at most 2592000 seconds, not '0'");
  policy_refused ("timeout: -5", "18: timeout: must be more than 0 and at most 2592000 seconds, not '-5'");
  policy_refused ("timeout: 1.0e+18",
                  "18: timeout: must be more than 0 and at most 2592000 seconds, not '1.0e+18'");
  policy_refused ("timeout: .nan", "18: timeout: must be a finite number, not '.nan'");
  policy_refused ("timeout: .inf", "18: timeout: must be a finite number, not '.inf'");
  policy_refused ("timeout: 99999999999999999999",
                  "18: timeout: must be more than 0 and at most 2592000 seconds, "
                  "not '99999999999999999999'");
  policy_refused ("cpu: 0", "14: cpu: must be more than 0 and at most 4096, not '0'");
  policy_refused ("memory_mb: 3", "20: memory_mb: must be at least 4 and at most 16777216 MiB, not '3'");
  policy_refused ("memory_mb: -1", "20: memory_mb: must be at least 4 and at most 16777216 MiB, not '-1'");
  policy_refused ("memory_mb: 1000000000000000000",
                  "20: memory_mb: must be at least 4 and at most 16777216 MiB, not '1000000000000000000'");
  policy_refused ("memory_mb: 512.5",
                  "20: memory_mb: must be a whole number, without a fraction, not '512.5'");
  refused ("sandbox:\n  profiles:\n    p: {type: a.b, idle_timeout: -1}\n",
           "f.yaml:3:34: idle_timeout: must be at least 0 and at most 31536000 seconds, not '-1'");
  refused ("sandbox: {tool_output_max_chars: 0}",
           "f.yaml:1:34: tool_output_max_chars: must be at least 1 and at most 1073741824, not '0'");
}

static void
the_greatest_and_least_numbers_are_exact (void **state)
{
  struct config *config = load (
    "sandbox:\n  enabled: true\n  profiles:\n    default:\n      type: a.b\n      idle_timeout: 31536000\n"
    "      policy: {timeout: 2592000, memory_mb: 16777216, cpu: 4096}\n"
    "    small: {type: a.b, policy: {timeout: 1.0e-12, memory_mb: 4, cpu: 0.0001}}\n"
    "    forms: {type: a.b, policy: {timeout: '2.5', memory_mb: 0x10, cpu: 012}}\n");
  const struct profile_config *p = profile (config, NULL);

  (void) state;
  assert_true (p->idle_timeout_ns == 31536000 * SECOND);
  assert_true (p->policy.timeout_ns == 2592000 * SECOND);
  assert_true (p->policy.memory_bytes == 16777216 * MIB);
  assert_true (p->policy.cpu_milli == 4096000);
  p = profile (config, "small");
  assert_true (p->policy.timeout_ns == 1);
  assert_true (p->policy.memory_bytes == 4 * MIB);
  assert_true (p->policy.cpu_milli == 1);
  p = profile (config, "forms");
  assert_true (p->policy.timeout_ns == 2500000000u);
  assert_true (p->policy.memory_bytes == 16 * MIB);
  assert_true (p->policy.cpu_milli == 10000);
  ak_config_free (config);
}

static void
values_of_the_wrong_type_say_what_yaml_made_of_them (void **state)
{
  (void) state;
  policy_refused (
    "timeout: 1e3",
    "18: timeout: must be a number, not text: YAML 1.1 reads an exponent only after a point and "
    "with a sign, as in 1.0e+3, not '1e3'");
  policy_refused ("timeout: 1:30",
                  "18: timeout: must be a number, not text: write it without colons, not '1:30'");
  policy_refused ("timeout: yes", "18: timeout: must be a number, not a truth value");
  policy_refused ("timeout:", "17: timeout: must be a number, and is empty");
  policy_refused ("strict: 2", "17: strict: must be true or false, not a number");
  policy_refused ("strict: []", "17: strict: must be true or false, not a list");
  policy_refused ("network_allow: pypi.org", "24: network_allow: must be a list");
  policy_refused ("fs_allow_read: [1]", "25: fs_allow_read: must be text, not a number: write it in quotes");
  policy_refused ("fs_allow_read: ['']", "25: fs_allow_read: an entry is empty");
  refused ("sandbox: {profiles: []}", "f.yaml:1:21: profiles: must be a map of keys and values");
  refused ("sandbox: {profiles: {p: 5}}", "f.yaml:1:25: profile 'p': must be a map of keys and values");
  refused ("sandbox: {docker: 5}", "f.yaml:1:19: docker: must be a map of options");
  refused ("sandbox: {default_profile: ''}", "f.yaml:1:28: default_profile: must not be empty");
  refused ("sandbox: {agents: all}", "f.yaml:1:19: agents: must be a list");
  refused ("sandbox: {plugin_path: [plugins]}", "f.yaml:1:25: plugin_path: must be absolute, not 'plugins'");
}

static void
null_means_the_default_where_there_is_one_to_mean (void **state)
{
  struct config *config = load ("sandbox:\n  enabled: true\n  agents: null\n  principal_resolver: ~\n  "
                                "type:\n  profiles:\n    default:\n      type: a.b\n"
                                "      params:\n      identity:\n      policy: {cpu: null, memory_mb: ~}\n");
  const struct profile_config *p = profile (config, NULL);

  (void) state;
  assert_true (p->policy.cpu_milli == 0 && p->policy.memory_bytes == 0);
  assert_null (p->options);
  assert_null (*config->warnings);
  ak_config_free (config);
}

static void
destinations_are_names_and_ranges (void **state)
{
  struct config *config;

  (void) state;
  policy_refused (
    "network_allow: ['https://pypi.org']",
    "25: network_allow: must be a domain, an address or a range such as 10.0.0.0/8, not 'https://pypi.org'");
  policy_refused (
    "network_allow: [10.0.0.0/33]",
    "25: network_allow: must be a domain, an address or a range such as 10.0.0.0/8, not '10.0.0.0/33'");
  policy_refused (
    "network_allow: ['pypi.org:443']",
    "25: network_allow: must be a domain, an address or a range such as 10.0.0.0/8, not 'pypi.org:443'");
  config = load ("sandbox:\n  enabled: true\n  profiles:\n    default:\n      type: a.b\n"
                 "      policy: {network_allow: [pypi.org, '::1', 1.2.3.4, 'fe80::/10']}\n");
  assert_string_equal (config->warnings[0],
                       "f.yaml:6:31: network_allow: has no effect without network_egress: allowlist");
  ak_config_free (config);
}

static void
secrets_appear_in_no_error (void **state)
{
  static const char *const texts[] = {
    "sandbox:\n  profiles:\n    p: {type: e2b, e2b: {api_key: abc123}, policy: {timeout: nope}}\n",
    "sandbox:\n  api_key: abc123\n",
    "sandbox:\n  docker: {}\n  password: [abc123\n",
    "sandbox:\n  principal_resolver: static\n  principal: {subject: x, credentials: {token: abc123-}}\n",
    "api_key: abc123\napi_key: abc123\n",
    "sandbox: abc123\n",
  };

  (void) state;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    struct config *config = NULL;
    struct ak_error *error = NULL;

    assert_int_equal (ak_config_load_memory ("f.yaml", texts[i], strlen (texts[i]), &config, &error),
                      AK_STATUS_CONFIG);
    assert_null (strstr (ak_error_text (error), "abc123"));
    assert_null (ak_error_hint (error) ? strstr (ak_error_hint (error), "abc123") : NULL);
    ak_error_free (error);
  }
}

/* --- rules between keys --- */

static void
a_default_profile_must_exist (void **state)
{
  (void) state;
  refused ("sandbox:\n  enabled: true\n  default_profile: work\n  profiles:\n    b: {type: x.y}\n    a: "
           "{type: x.y}\n",
           "f.yaml:3:3: default_profile: there is no profile 'work'; there are: b, a");
  refused ("sandbox:\n  enabled: true\n",
           "f.yaml:2:3: default_profile: there is no profile 'default'; there is none");
}

static void
a_bundled_provider_needs_its_block (void **state)
{
  (void) state;
  refused_with ("sandbox:\n  enabled: true\n  profiles:\n    default:\n      type: docker\n",
                "f.yaml:4:5: profile 'default' of type docker has no block `docker:`",
                "Add `docker: {}` to it, with options where they are needed.");
  refused ("sandbox:\n  enabled: true\n  type: docker\n  docker:\n",
           "f.yaml:3:3: profile 'default' of type docker has no block `docker:`");
}

static void
every_profile_is_checked (void **state)
{
  (void) state;
  refused_with ("sandbox:\n  enabled: true\n  profiles:\n    default: {type: a.b}\n    one: {type: docker}\n "
                "   two: {scope: per_call}\n",
                "f.yaml:5:5: profile 'one' of type docker has no block `docker:`",
                "Add `docker: {}` to it, with options where they are needed.\n"
                "also: f.yaml:6:5: profile 'two' has no type");
}

static void
attach_to_and_environment_belong_together (void **state)
{
  (void) state;
  refused ("sandbox:\n  enabled: true\n  type: docker\n  docker: {attach_to: abc}\n",
           "f.yaml:3:3: profile 'default': attach_to is set, but the environment is managed");
  refused ("sandbox:\n  enabled: true\n  type: docker\n  environment: attached\n  docker: {}\n",
           "f.yaml:3:3: profile 'default': environment: attached needs the option attach_to");
  refused ("sandbox:\n  enabled: true\n  type: docker\n  environment: attached\n  docker: {attach_to: ''}\n",
           "f.yaml:3:3: profile 'default': environment: attached needs the option attach_to");
  refused ("sandbox:\n  enabled: true\n  profiles: {default: {type: a.b, params: {attach_to: x}}}\n",
           "f.yaml:3:14: profile 'default': attach_to is set, but the environment is managed");
}

static void
the_block_of_a_provider_that_is_not_bundled_is_named (void **state)
{
  (void) state;
  refused_with ("sandbox:\n  profiles:\n    default:\n      type: acme.cloud:fly\n      fly: {size: 1}\n",
                "f.yaml:5:7: unknown key 'fly'",
                "The options of a provider that is not bundled stand under `params:`.");
  refused_with ("sandbox:\n  profiles:\n    default:\n      type: docker\n      fly: {size: 1}\n",
                "f.yaml:5:7: unknown key 'fly'", "");
}

static void
params_of_a_bundled_provider_are_warned_about (void **state)
{
  struct config *config =
    load ("sandbox:\n  enabled: true\n  profiles:\n    default:\n      type: docker\n      docker: {}\n"
          "      params: {x: 1}\n");

  (void) state;
  assert_string_equal (config->warnings[0],
                       "f.yaml:7:7: params: has no effect with type: docker, whose options stand under "
                       "`docker:`");
  assert_int_equal (profile (config, NULL)->options->n, 0);
  ak_config_free (config);
}

static void
a_name_that_cannot_be_part_of_an_id_is_refused (void **state)
{
  char text[512] = "sandbox: {profiles: {", *at = text + strlen (text);

  (void) state;
  memset (at, 'x', 129);
  strcpy (at + 129, ": {type: a.b}}}");
  refused (text,
           "f.yaml:1:22: a profile's name must have at most 128 bytes, none of them a control character");
  refused ("sandbox: {profiles: {\"a\\nb\": {type: a.b}}}",
           "f.yaml:1:22: a profile's name must have at most 128 bytes, none of them a control character");
}

int
main (void)
{
  static const struct CMUnitTest tests[] = {
    TEST (without_configuration_there_is_one_profile_that_denies),
    TEST (defaults_are_agent_kernels),
    TEST (a_whole_configuration_of_agent_kernel_is_read_unchanged),
    TEST (presence_decides_and_not_truth),
    TEST (a_single_backend_needs_no_profiles),
    TEST (a_single_backend_is_called_as_default_profile_says),
    TEST (profiles_win_over_a_single_backend),
    TEST (a_policy_beside_profiles_is_refused_with_its_place),
    TEST (keys_of_our_own_are_read),
    TEST (a_static_principal_is_read),
    TEST (a_section_is_disabled_until_it_says_otherwise),
    TEST (a_disabled_section_is_still_read),
    TEST (a_file_without_the_section_is_no_configuration),
    TEST (an_unknown_profile_is_answered_with_those_there_are),
    TEST (what_is_no_configuration_is_refused_without_showing_it),
    TEST (an_unknown_key_is_an_error_with_its_place_and_the_nearest),
    TEST (every_fault_is_reported_and_the_first_is_the_text),
    TEST (not_more_than_twenty_further_faults_are_listed),
    TEST (keys_that_have_no_effect_give_one_warning_each),
    TEST (what_only_agent_kernel_has_is_refused_by_name),
    TEST (duplicate_keys_name_both_places),
    TEST (words_must_be_among_those_there_are),
    TEST (numbers_out_of_range_name_the_range),
    TEST (the_greatest_and_least_numbers_are_exact),
    TEST (values_of_the_wrong_type_say_what_yaml_made_of_them),
    TEST (null_means_the_default_where_there_is_one_to_mean),
    TEST (destinations_are_names_and_ranges),
    TEST (secrets_appear_in_no_error),
    TEST (a_default_profile_must_exist),
    TEST (a_bundled_provider_needs_its_block),
    TEST (every_profile_is_checked),
    TEST (attach_to_and_environment_belong_together),
    TEST (the_block_of_a_provider_that_is_not_bundled_is_named),
    TEST (params_of_a_bundled_provider_are_warned_about),
    TEST (a_name_that_cannot_be_part_of_an_id_is_refused),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
