/* SPDX-License-Identifier: Apache-2.0 */
/* principal_resolver: static, from the configuration to what a provider is told, and what stays secret. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fake-module.h"

#define MANAGED (AK_CAP_PROVISIONS | AK_CAP_ATTACH | AK_CAP_PRINCIPAL_USER)
#define VALUE "s3cr3t-of-alice"

static const char user_text[] =
  "  principal_resolver: static\n  principal:\n    mode: user\n    subject: alice\n    groups: [dev, ops]\n"
  "    credentials: {token: PRINCIPAL_TOKEN, role: PRINCIPAL_ROLE}\n";
static const char bot_text[] = "  principal_resolver: static\n  principal: {mode: agent, subject: bot}\n";
static char fake_type[4096];            /* of the file that has the provider `fake` */

static void
keep_log (void *data, int level, const char *text)
{
  char *log = data;
  size_t n = strlen (log);
  snprintf (log + n, 4096 - n, "%d %s\n", level, text);
}

/* `more`: what the section has more than one profile. */
static struct ak_runtime *
runtime_of (const char *more, char log[4096])
{
  char text[8192];
  snprintf (text, sizeof text, "sandbox:\n  enabled: true\n  default_profile: p\n  profiles: {p: {type: '%s'}}\n%s",
            fake_type, more);
  struct ak_runtime *runtime = NULL;
  struct ak_error *e = NULL;
  struct ak_runtime_options options = {
    .struct_size = sizeof options, .config_text = text, .config_size = strlen (text), .log = keep_log, .log_data = log,
  };
  if (ak_runtime_new (&options, &runtime, &e) != AK_STATUS_OK)
    fail_msg ("%s", ak_error_text (e));
  return runtime;
}

/* A session of the fake provider that acts for the principal of `text`. */
static struct fake_session *
session_of (const char *text, int identity_user, struct ak_runtime **ret, char log[4096])
{
  struct ak_error *e = NULL;
  struct instance *instance;
  struct fake_session *fs = fake_session_new (MANAGED, AK_PARALLEL);
  fs->profile.identity_user = identity_user;
  *ret = runtime_of (text, log);
  if (ak_runtime_open (*ret, &fs->module, &fs->profile, &instance, &e) != AK_STATUS_OK)
    fail_msg ("%s", ak_error_text (e));
  assert_int_equal (ak_session_init (&fs->session, *ret, instance, &e), AK_STATUS_OK);
  fs->runtime.broker = &ak_broker_embedded;
  return fs;
}

static void
run_ok (struct fake_session *fs)
{
  struct ak_result *r;
  struct ak_error *e = NULL;
  if (fake_run (fs, "x", &r, &e) != AK_STATUS_OK)
    fail_msg ("%s", ak_error_text (e));
  ak_result_free (r);
}

static void
a_provider_is_told_the_static_principal (void **state)
{
  (void) state;
  char log[4096] = "";
  struct ak_runtime *runtime;
  setenv ("PRINCIPAL_TOKEN", VALUE, 1);
  setenv ("PRINCIPAL_ROLE", "r", 1);
  struct fake_session *fs = session_of (user_text, 1, &runtime, log);
  run_ok (fs);
  assert_string_equal (fake.seen_principal, "1 alice [dev,ops,] {token=" VALUE ",role=r,}");
  fake_session_free (fs);
  ak_runtime_free (runtime);
}

static void
without_a_resolver_it_is_the_agent (void **state)
{
  (void) state;
  char log[4096] = "";
  struct ak_runtime *runtime;
  struct fake_session *fs = session_of ("", 0, &runtime, log);
  run_ok (fs);
  assert_string_equal (fake.seen_principal, "0 agent [] {}");
  fake_session_free (fs);
  ak_runtime_free (runtime);
}

static void
an_agents_principal_does_not_do_for_a_profile_of_users (void **state)
{
  (void) state;
  char log[4096] = "";
  struct ak_runtime *runtime;
  struct ak_result *r;
  struct ak_error *e = NULL;
  struct fake_session *fs = session_of (bot_text, 1, &runtime, log);
  assert_int_equal (fake_run (fs, "x", &r, &e), AK_STATUS_POLICY);
  assert_non_null (strstr (ak_error_text (e), "demands a user's identity"));
  assert_int_equal (fake.creates, 0);
  ak_result_free (r);
  ak_error_free (e);
  fake_session_free (fs);
  ak_runtime_free (runtime);
}

static void
a_live_handle_serves_one_principal_only (void **state)
{
  (void) state;
  char log[4096] = "";
  struct ak_runtime *runtime;
  setenv ("PRINCIPAL_TOKEN", VALUE, 1);
  setenv ("PRINCIPAL_ROLE", "r", 1);
  struct fake_session *fs = session_of (user_text, 1, &runtime, log);
  run_ok (fs);
  setenv ("PRINCIPAL_TOKEN", "another-one", 1);
  run_ok (fs);
  assert_int_equal (fake.creates, 1);
  fs->session.stale = 1;                /* also when it is healed */
  fake.gone_once = 1;
  run_ok (fs);
  assert_int_equal (fake.creates, 2);
  assert_string_equal (fake.seen_principal, "1 alice [dev,ops,] {token=" VALUE ",role=r,}");
  fake_session_free (fs);
  ak_runtime_free (runtime);
}

static void
a_variable_that_is_not_set_is_named_until_it_is_set (void **state)
{
  (void) state;
  char log[4096] = "";
  struct ak_session *session = NULL;
  struct ak_error *e = NULL;
  setenv ("PRINCIPAL_TOKEN", VALUE, 1);
  unsetenv ("PRINCIPAL_ROLE");
  struct ak_runtime *runtime = runtime_of (user_text, log);
  assert_int_equal (ak_session_new (runtime, NULL, &session, &e), AK_STATUS_CONFIG);
  assert_string_equal (ak_error_text (e),
                       "principal: the environment variable PRINCIPAL_ROLE of the credential 'role' is not set");
  assert_null (strstr (log, VALUE));
  ak_error_free (e);
  e = NULL;
  assert_int_equal (ak_session_new_type (runtime, fake_type, NULL, &session, &e), AK_STATUS_CONFIG);
  ak_error_free (e);
  setenv ("PRINCIPAL_ROLE", "r", 1);
  assert_int_equal (ak_session_new (runtime, NULL, &session, NULL), AK_STATUS_OK);
  ak_session_free (session);
  ak_runtime_free (runtime);
}

static void
credentials_are_in_no_error_and_no_log (void **state)
{
  (void) state;
  char log[4096] = "";
  struct ak_runtime *runtime;
  struct ak_result *r;
  struct ak_error *e = NULL;
  setenv ("PRINCIPAL_TOKEN", VALUE, 1);
  setenv ("PRINCIPAL_ROLE", VALUE "-and-more", 1);
  struct fake_session *fs = session_of (user_text, 1, &runtime, log);
  fake.says = "denied to " VALUE "-and-more, and to " VALUE ".";
  fake.create_code = AK_E_AUTH;
  assert_int_equal (fake_run (fs, "x", &r, &e), AK_STATUS_AUTH);
  assert_non_null (strstr (ak_error_text (e), "denied to ***, and to ***."));
  assert_non_null (strstr (log, "denied to ***, and to ***."));
  assert_null (strstr (log, VALUE));
  ak_result_free (r);
  ak_error_free (e);
  fake_session_free (fs);
  ak_runtime_free (runtime);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (a_provider_is_told_the_static_principal),
    cmocka_unit_test (without_a_resolver_it_is_the_agent),
    cmocka_unit_test (an_agents_principal_does_not_do_for_a_profile_of_users),
    cmocka_unit_test (a_live_handle_serves_one_principal_only),
    cmocka_unit_test (a_variable_that_is_not_set_is_named_until_it_is_set),
    cmocka_unit_test (credentials_are_in_no_error_and_no_log),
  };
  const char *builddir = getenv ("top_builddir");
  snprintf (fake_type, sizeof fake_type, "%s/tests/plugins/.libs/fake.so:fake", builddir ? builddir : ".");
  return cmocka_run_group_tests_name ("principal", tests, NULL, NULL);
}
