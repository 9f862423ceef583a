/* SPDX-License-Identifier: Apache-2.0 */
/* One runtime, 64 threads: every function at once, on shared sessions and on their own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <aksandbox.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 64
#define SHARED 4

static struct ak_runtime *runtime;
static struct ak_session *shared[2 * SHARED];
static atomic_int records;
static pthread_barrier_t start;

static void
count_record (void *data, int level, const char *text)
{
  (void) data, (void) level, (void) text;
  records++;
}

/* In a thread no assertion of cmocka may fail: what went wrong is its return value. */
static const char *
say (struct ak_error *e, const char *where)
{
  static char text[512];
  snprintf (text, sizeof text, "%s: %s", where, ak_error_text (e));
  ak_error_free (e);
  return text;
}

static const char *
check_result (struct ak_result *r, const char *expected)
{
  size_t n;
  int same = strcmp (ak_result_output (r, AK_STREAM_STDOUT, &n), expected) == 0;
  const char *json = ak_result_json (r);
  same &= json && strstr (json, "\"outcome\":\"exited\"") != NULL;
  ak_result_free (r);
  return same ? NULL : "another output or outcome than expected";
}

/* Its own word comes back: the code itself from the fake, its output from the other. */
static const char *
execute (struct ak_session *s, int is_fake, int number)
{
  char code[64], expected[64];
  struct ak_result *r = NULL;
  struct ak_error *e = NULL;
  snprintf (code, sizeof code, "echo %d", number);
  snprintf (expected, sizeof expected, is_fake ? "echo %d" : "%d\n", number);
  struct ak_request request = { .struct_size = sizeof request, .language = "bash", .code = code,
                                .code_size = strlen (code) };
  return ak_execute (s, &request, &r, &e) ? say (e, "execute") : check_result (r, expected);
}

static const char *
operate (struct ak_session *s, int is_fake, int number)
{
  static const struct ak_start how = { .struct_size = sizeof how, .buffer = 16 };
  char code[64], expected[64];
  struct ak_operation *o = NULL;
  struct ak_result *r = NULL;
  struct ak_error *e = NULL;
  snprintf (code, sizeof code, "echo %d", number);
  snprintf (expected, sizeof expected, is_fake ? "echo %d" : "%d\n", number);
  struct ak_request request = { .struct_size = sizeof request, .language = "bash", .code = code,
                                .code_size = strlen (code) };
  if (ak_operation_start (s, &request, &how, &o, &e))
    return say (e, "start");
  return ak_operation_finish (o, &r, &e) ? say (e, "finish") : check_result (r, expected);
}

static const char *
cancel (struct ak_session *s)
{
  static const char *const argv[] = { "sleep", "60", NULL };
  struct ak_request request = { .struct_size = sizeof request, .argv = argv };
  struct ak_operation *o = NULL;
  struct ak_result *r = NULL;
  struct ak_error *e = NULL;
  if (ak_operation_start (s, &request, NULL, &o, &e))
    return say (e, "start");
  ak_operation_cancel (o);
  enum ak_status status = ak_operation_finish (o, &r, &e);
  int cancelled = status ? status == AK_STATUS_CANCELLED : ak_result_how (r) == AK_HOW_CANCELLED;
  ak_result_free (r);
  ak_error_free (e);
  return cancelled ? NULL : "cancelled, and it was not";
}

static int64_t
read_number (void *data, void *buffer, size_t size)
{
  int *left = data;
  (void) size;
  memset (buffer, 'x', 1);
  return (*left)-- > 0;
}

static int
write_number (void *data, const void *bytes, size_t size)
{
  (void) bytes;
  *(size_t *) data += size;
  return 0;
}

static const char *
transfer (struct ak_session *s, int number)
{
  char name[32];
  int left = 10;
  size_t got = 0;
  struct ak_error *e = NULL;
  snprintf (name, sizeof name, "file-%d", number);
  if (ak_upload (s, name, 0, read_number, &left, NULL, &e))
    return say (e, "upload");
  if (ak_download (s, name, write_number, &got, NULL, &e))
    return say (e, "download");
  return got == 10 ? NULL : "a file of another size than it had";
}

static const char *
all_alone (const char *profile, int is_fake, int number)
{
  struct ak_session *s = NULL;
  struct ak_error *e = NULL;
  if (ak_session_new (runtime, profile, &s, &e))
    return say (e, "session");
  const char *fault = execute (s, is_fake, number);
  if (!fault)
    fault = operate (s, is_fake, number);
  if (ak_session_destroy (s, &e) && !fault)
    fault = say (e, "destroy");
  ak_session_free (s);
  return fault;
}

static void *
work (void *data)
{
  int number = (int) (intptr_t) data, is_fake = number % 2;
  struct ak_session *mine = shared[number % (2 * SHARED)];
  const char *fault = NULL;
  pthread_barrier_wait (&start);
  for (int i = 0; i < 4 && !fault; i++)
    fault = execute (mine, is_fake, 100 * number + i);
  if (!fault)
    fault = operate (mine, is_fake, number);
  if (!fault && !is_fake)
    fault = cancel (mine);
  if (!fault)
    fault = transfer (mine, number);
  if (!fault && number % 8 < 2)
    fault = all_alone (is_fake ? "fake" : "local", is_fake, number);
  struct ak_session *none = NULL;
  struct ak_error *e = NULL;
  if (!fault && ak_session_new (runtime, "nothing", &none, &e) != AK_STATUS_CONFIG)
    fault = "a session on a profile that is not there";
  ak_error_free (e);
  return (void *) (uintptr_t) fault;
}

static void
sixty_four_threads_use_one_runtime (void **state)
{
  (void) state;
  char text[4096];
  const char *builddir = getenv ("top_builddir");
  pthread_t threads[THREADS];
  struct ak_error *e = NULL;
  snprintf (text, sizeof text,
            "sandbox:\n  enabled: true\n  default_profile: local\n  profiles:\n"
            "    local: {type: local_subprocess, local_subprocess: {}}\n    fake: {type: '%s/tests/plugins/.libs/fake.so:fake'}\n",
            builddir ? builddir : ".");
  struct ak_runtime_options options = { .struct_size = sizeof options, .log = count_record, .config_text = text,
                                        .config_size = strlen (text) };
  if (ak_runtime_new (&options, &runtime, &e))
    fail_msg ("%s", ak_error_text (e));
  for (int i = 0; i < 2 * SHARED; i++)
    if (ak_session_new (runtime, i % 2 ? "fake" : "local", &shared[i], &e))
      fail_msg ("%s", ak_error_text (e));
  pthread_barrier_init (&start, NULL, THREADS);
  for (int i = 0; i < THREADS; i++)
    assert_int_equal (pthread_create (&threads[i], NULL, work, (void *) (intptr_t) i), 0);
  const char *fault = NULL;
  for (int i = 0; i < THREADS; i++) {
    void *one;
    pthread_join (threads[i], &one);
    fault = one ? one : fault;
  }
  for (int i = 0; i < 2 * SHARED; i++) {
    assert_int_equal (ak_session_destroy (shared[i], NULL), AK_STATUS_OK);
    ak_session_free (shared[i]);
  }
  ak_runtime_free (runtime);
  pthread_barrier_destroy (&start);
  if (fault)
    fail_msg ("%s", fault);
}

int
main (void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test (sixty_four_threads_use_one_runtime) };
  return cmocka_run_group_tests_name ("threads", tests, NULL, NULL);
}
