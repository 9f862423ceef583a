/* SPDX-License-Identifier: Apache-2.0 */
/* The runtime: where its configuration comes from, callers of other versions, its cache, its log. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "runtime.h"

#define RECORDS 64

static struct record { int level; char text[256]; } records[RECORDS];
static unsigned n_records;
static pthread_mutex_t records_lock = PTHREAD_MUTEX_INITIALIZER;

static void
keep_log (void *data, int level, const char *text)
{
  assert_ptr_equal (data, records);
  pthread_mutex_lock (&records_lock);
  if (n_records < RECORDS) {
    records[n_records].level = level;
    snprintf (records[n_records++].text, sizeof records->text, "%s", text);
  }
  pthread_mutex_unlock (&records_lock);
}

static const struct record *
logged (const char *part)
{
  for (unsigned i = 0; i < n_records; i++)
    if (strstr (records[i].text, part))
      return &records[i];
  return NULL;
}

static struct ak_runtime *
runtime_of (const char *text, struct ak_error **error)
{
  struct ak_runtime *runtime = NULL;
  struct ak_runtime_options options = {
    .struct_size = sizeof options,
    .log = keep_log,
    .log_data = records,
    .config_text = text,
    .config_size = strlen (text),
    .config_name = "app.yaml",
  };
  n_records = 0;
  ak_runtime_new (&options, &runtime, error);
  return runtime;
}

static struct ak_runtime *
runtime_ok (const char *text)
{
  struct ak_error *e = NULL;
  struct ak_runtime *runtime = runtime_of (text, &e);
  if (!runtime)
    fail_msg ("%s", ak_error_text (e));
  return runtime;
}

static struct ak_session *
session_ok (struct ak_runtime *runtime, const char *profile)
{
  struct ak_session *session = NULL;
  struct ak_error *e = NULL;
  if (ak_session_new (runtime, profile, &session, &e) != AK_STATUS_OK)
    fail_msg ("%s", ak_error_text (e));
  return session;
}

/* Two profiles of the fake provider, which writes down what it is asked for. */
static char two_profiles[1024], record_file[] = "/tmp/aksandbox-runtime.XXXXXX";

static int
set_up (void **state)
{
  (void) state;
  int fd = mkstemp (record_file);
  if (fd < 0)
    return -1;
  close (fd);
  snprintf (two_profiles, sizeof two_profiles,
            "sandbox:\n  enabled: true\n  default_profile: a\n  profiles:\n"
            "    a: {type: '%s:fake', params: {record: '%s'}}\n"
            "    b: {type: '%s:fake', params: {record: '%s'}}\n",
            getenv ("FAKE_SO"), record_file, getenv ("FAKE_SO"), record_file);
  return 0;
}

static int
tear_down (void **state)
{
  (void) state;
  return unlink (record_file);
}

static unsigned
recorded (const char *line)
{
  char got[128];
  unsigned n = 0;
  FILE *f = fopen (record_file, "r");
  while (f && fgets (got, sizeof got, f))
    n += strncmp (got, line, strlen (line)) == 0;
  if (f)
    fclose (f);
  return n;
}

static void
a_configuration_can_come_from_memory (void **state)
{
  (void) state;
  char text[sizeof two_profiles];
  strcpy (text, two_profiles);
  struct ak_runtime *runtime = runtime_ok (text);
  memset (text, 'x', sizeof text);      /* the library has its own */
  struct ak_session *s = session_ok (runtime, "b");
  assert_string_equal (ak_session_provider (s), "fake");
  ak_session_free (s);
  ak_runtime_free (runtime);
}

static void
its_faults_are_reported_with_its_name (void **state)
{
  (void) state;
  struct ak_error *e = NULL;
  assert_null (runtime_of ("sandbox:\n  enabled: perhaps\n", &e));
  assert_int_equal (ak_error_status (e), AK_STATUS_CONFIG);
  assert_non_null (strstr (ak_error_text (e), "app.yaml:2:12: "));
  ak_error_free (e);
  e = NULL;
  struct ak_runtime *runtime = NULL;
  struct ak_runtime_options options = { .struct_size = sizeof options, .config_text = "[", .config_size = 1 };
  assert_int_equal (ak_runtime_new (&options, &runtime, &e), AK_STATUS_CONFIG);
  assert_int_equal (strncmp (ak_error_text (e), "configuration:", 14), 0);
  ak_error_free (e);
  assert_null (runtime);
}

static void
a_file_and_a_text_exclude_each_other (void **state)
{
  (void) state;
  struct ak_runtime *runtime = NULL;
  struct ak_error *e = NULL;
  struct ak_runtime_options options = { .struct_size = sizeof options, .config_file = "", .config_text = "" };
  assert_int_equal (ak_runtime_new (&options, &runtime, &e), AK_STATUS_CONFIG);
  assert_non_null (strstr (ak_error_text (e), "exclude each other"));
  ak_error_free (e);
}

static void
callers_of_an_older_header_are_served (void **state)
{
  (void) state;
  struct ak_runtime *runtime = NULL;
  struct ak_runtime_options options = { .struct_size = offsetof (struct ak_runtime_options, config_text),
                                        .config_file = "" };
  options.config_text = (const char *) 1;       /* memory that is not the struct's */
  options.max_executions = 77;
  assert_int_equal (ak_runtime_new (&options, &runtime, NULL), AK_STATUS_OK);
  ak_runtime_free (runtime);
  options.struct_size = 0;
  struct ak_error *e = NULL;
  assert_int_equal (ak_runtime_new (&options, &runtime, &e), AK_STATUS_CONFIG);
  assert_string_equal (ak_error_text (e), "options: struct_size is 0");
  ak_error_free (e);
}

static void
what_a_newer_header_adds_is_refused_unless_it_is_zero (void **state)
{
  (void) state;
  struct { struct ak_runtime_options known; char more[16]; } options = { .known = { .config_file = "" } };
  struct ak_runtime *runtime = NULL;
  struct ak_error *e = NULL;
  options.known.struct_size = sizeof options;
  assert_int_equal (ak_runtime_new (&options.known, &runtime, NULL), AK_STATUS_OK);
  ak_runtime_free (runtime);
  options.more[3] = 1;
  assert_int_equal (ak_runtime_new (&options.known, &runtime, &e), AK_STATUS_CONFIG);
  assert_non_null (strstr (ak_error_text (e), "does not know"));
  ak_error_free (e);
}

static void
sessions_of_a_profile_share_an_instance_and_profiles_do_not (void **state)
{
  (void) state;
  struct ak_runtime *runtime = runtime_ok (two_profiles);
  struct ak_session *a1 = session_ok (runtime, "a"), *a2 = session_ok (runtime, NULL), *b = session_ok (runtime, "b");
  struct ak_request request = { .struct_size = sizeof request, .code = "x", .code_size = 1 };
  struct ak_session *all[] = { a1, a2, b };
  assert_ptr_equal (a1->instance, a2->instance);
  assert_ptr_not_equal (a1->instance, b->instance);
  for (int i = 0; i < 3; i++) {
    struct ak_result *r;
    assert_int_equal (ak_execute (all[i], &request, &r, NULL), AK_STATUS_OK);
    ak_result_free (r);
    assert_int_equal (ak_session_destroy (all[i], NULL), AK_STATUS_OK);
    ak_session_free (all[i]);
  }
  assert_int_equal (recorded ("open "), 2);
  assert_int_equal (recorded ("create "), 3);
  assert_int_equal (recorded ("close "), 0);
  ak_runtime_free (runtime);
  assert_int_equal (recorded ("close "), 2);
}

static void
a_failure_is_not_cached (void **state)
{
  (void) state;
  char text[1024], file[] = "/tmp/aksandbox-runtime.XXXXXX/fly.so";
  *strrchr (file, '/') = 0;
  assert_non_null (mkdtemp (file));
  file[strlen (file)] = '/';
  snprintf (text, sizeof text, "sandbox: {enabled: true, default_profile: p, profiles: {p: {type: '%s:fly'}}}", file);
  struct ak_runtime *runtime = runtime_ok (text);
  assert_int_equal (logged ("profile 'p'")->level, LOG_WARNING);
  struct ak_session *session = NULL;
  struct ak_error *e = NULL;
  for (int i = 0; i < 2; i++, e = NULL) {
    assert_int_equal (ak_session_new (runtime, "p", &session, &e), AK_STATUS_CONFIG);
    ak_error_free (e);
  }
  char command[1024];
  snprintf (command, sizeof command, "cp \"$FLY_SO\" %s", file);
  assert_int_equal (system (command), 0);
  ak_session_free (session_ok (runtime, "p"));
  ak_runtime_free (runtime);
  unlink (file);
  *strrchr (file, '/') = 0;
  assert_int_equal (rmdir (file), 0);
}

static void
the_log_has_every_warning_with_its_level (void **state)
{
  (void) state;
  char text[1400];
  snprintf (text, sizeof text, "%s  request_queue_url: somewhere\n", two_profiles);
  struct ak_runtime *runtime = runtime_ok (text);
  const struct record *r = logged ("request_queue_url");
  assert_non_null (r);
  assert_int_equal (r->level, LOG_WARNING);
  assert_non_null (strstr (r->text, "app.yaml:"));
  assert_null (strchr (r->text, '\n'));
  ak_runtime_free (runtime);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (a_configuration_can_come_from_memory),
    cmocka_unit_test (its_faults_are_reported_with_its_name),
    cmocka_unit_test (a_file_and_a_text_exclude_each_other),
    cmocka_unit_test (callers_of_an_older_header_are_served),
    cmocka_unit_test (what_a_newer_header_adds_is_refused_unless_it_is_zero),
    cmocka_unit_test (sessions_of_a_profile_share_an_instance_and_profiles_do_not),
    cmocka_unit_test (a_failure_is_not_cached),
    cmocka_unit_test (the_log_has_every_warning_with_its_level),
  };
  char path[4096];
  const char *builddir = getenv ("top_builddir");
  if (!builddir)
    builddir = ".";
  snprintf (path, sizeof path, "%s/tests/plugins/.libs/fake.so", builddir);
  setenv ("FAKE_SO", path, 1);
  snprintf (path, sizeof path, "%s/tests/plugins/.libs/fly.so", builddir);
  setenv ("FLY_SO", path, 1);
  return cmocka_run_group_tests_name ("runtime", tests, set_up, tear_down);
}
