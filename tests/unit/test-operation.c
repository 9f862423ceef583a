/* SPDX-License-Identifier: Apache-2.0 */
/* Operations: executions on a thread of the runtime, read from a descriptor, cancelled, told of. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <aksandbox.h>
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MOST 2

static struct ak_runtime *runtime;
static struct ak_session *session;

static void
must (enum ak_status status, struct ak_error *e)
{
  if (status != AK_STATUS_OK)
    fail_msg ("%s", ak_error_text (e));
}

static int
set_up (void **state)
{
  (void) state;
  struct ak_error *e = NULL;
  struct ak_runtime_options options = { .struct_size = sizeof options, .config_file = "", .max_executions = MOST };
  must (ak_runtime_new (&options, &runtime, &e), e);
  must (ak_session_new_type (runtime, "local_subprocess", NULL, &session, &e), e);
  return 0;
}

static int
tear_down (void **state)
{
  (void) state;
  enum ak_status status = ak_session_destroy (session, NULL);
  ak_session_free (session);
  ak_runtime_free (runtime);
  return status != AK_STATUS_OK;
}

static struct ak_operation *
start_shell (const char *line, const struct ak_start *start)
{
  const char *argv[] = { "sh", "-c", line, NULL };
  struct ak_request request = { .struct_size = sizeof request, .argv = argv };
  struct ak_operation *operation = NULL;
  struct ak_error *e = NULL;
  must (ak_operation_start (session, &request, start, &operation, &e), e);
  return operation;
}

static struct ak_result *
finish (struct ak_operation *operation)
{
  struct ak_result *r = NULL;
  struct ak_error *e = NULL;
  must (ak_operation_finish (operation, &r, &e), e);
  return r;
}

static int
readable (const struct ak_operation *operation, int ms)
{
  struct pollfd p = { .fd = ak_operation_fd (operation), .events = POLLIN };
  return poll (&p, 1, ms) == 1;
}

/* As an event loop does it: all output, "o" or "e" before each piece when `tags`. */
static size_t
read_all (struct ak_operation *operation, char *text, size_t room, int tags)
{
  size_t total = 0;
  while (!ak_operation_ended (operation)) {
    char buffer[4096];
    enum ak_stream stream;
    size_t n;
    assert_true (readable (operation, 30000));
    while ((n = ak_operation_read (operation, &stream, buffer, sizeof buffer)) > 0) {
      if (tags && total < room)
        text[total++] = stream == AK_STREAM_STDERR ? 'e' : 'o';
      for (size_t i = 0; i < n; i++, total++)
        if (total < room)
          text[total] = buffer[i];
    }
  }
  return total;
}

static void
output_is_read_from_a_descriptor_in_its_order (void **state)
{
  (void) state;
  static const struct ak_start start = { .struct_size = sizeof start, .buffer = 65536 };
  char text[256] = "";
  struct ak_operation *o = start_shell ("echo a; sleep 0.1; echo b >&2; sleep 0.1; echo c; exit 5", &start);
  size_t n = read_all (o, text, sizeof text, 1);
  assert_int_equal (n, 9);
  assert_memory_equal (text, "oa\neb\noc\n", 9);
  assert_true (readable (o, 0));        /* it has ended */
  struct ak_result *r = finish (o);
  assert_int_equal (ak_result_exit_code (r), 5);
  assert_string_equal (ak_result_output (r, AK_STREAM_STDOUT, &n), "a\nc\n");
  ak_result_free (r);
}

static void
the_descriptor_is_readable_only_when_there_is_something (void **state)
{
  (void) state;
  static const struct ak_start start = { .struct_size = sizeof start, .buffer = 65536 };
  enum ak_stream stream;
  char buffer[64];
  struct ak_operation *o = start_shell ("sleep 0.4; echo x; sleep 60", &start);
  assert_false (readable (o, 100));
  assert_int_equal (ak_operation_read (o, &stream, buffer, sizeof buffer), 0);
  assert_true (readable (o, 30000));
  assert_int_equal (ak_operation_read (o, &stream, buffer, sizeof buffer), 2);
  assert_false (readable (o, 100));
  assert_false (ak_operation_ended (o));
  ak_operation_cancel (o);
  assert_true (readable (o, 30000));
  struct ak_result *r = finish (o);
  assert_int_equal (ak_result_how (r), AK_HOW_CANCELLED);
  ak_result_free (r);
}

static void
who_does_not_read_makes_the_program_wait (void **state)
{
  (void) state;
  static const struct ak_start start = { .struct_size = sizeof start, .buffer = 4096 };
  char first[8];
  struct ak_operation *o = start_shell ("yes 1234567 | head -c 8000000", &start);
  assert_true (readable (o, 30000));
  usleep (300000);
  assert_false (ak_operation_ended (o));
  assert_int_equal (read_all (o, first, sizeof first, 0), 8000000);
  assert_memory_equal (first, "1234567\n", 8);
  struct ak_result *r = finish (o);
  assert_int_equal (ak_result_total (r, AK_STREAM_STDOUT), 8000000);
  ak_result_free (r);
}

static void
what_is_not_read_is_dropped_by_finish_and_kept_in_the_result (void **state)
{
  (void) state;
  static const struct ak_start start = { .struct_size = sizeof start, .buffer = 4096 };
  struct ak_operation *o = start_shell ("head -c 3000000 /dev/zero", &start);
  struct ak_result *r = finish (o);
  assert_int_equal (ak_result_total (r, AK_STREAM_STDOUT), 3000000);
  assert_true (ak_result_truncated (r));
  ak_result_free (r);
}

static void
a_deadline_does_not_wait_for_a_reader (void **state)
{
  (void) state;
  static const struct ak_start start = { .struct_size = sizeof start, .buffer = 4096 };
  static const char *const argv[] = { "sh", "-c", "yes & yes; sleep 60", NULL };
  struct ak_request request = { .struct_size = sizeof request, .argv = argv, .timeout = 0.3 };
  struct ak_operation *o = NULL;
  struct ak_error *e = NULL;
  char text[1];
  must (ak_operation_start (session, &request, &start, &o, &e), e);
  usleep (600000);
  read_all (o, text, sizeof text, 0);
  struct ak_result *r = finish (o);
  assert_int_equal (ak_result_how (r), AK_HOW_TIMED_OUT);
  ak_result_free (r);
}

static void *
cancel_later (void *data)
{
  usleep (100000);
  ak_operation_cancel (data);
  return NULL;
}

static void
another_thread_cancels (void **state)
{
  (void) state;
  pthread_t thread;
  struct ak_operation *o = start_shell ("echo first; exec sleep 60", NULL);
  assert_int_equal (pthread_create (&thread, NULL, cancel_later, o), 0);
  assert_true (readable (o, 30000));
  pthread_join (thread, NULL);
  struct ak_result *r = finish (o);
  size_t n;
  assert_int_equal (ak_result_how (r), AK_HOW_CANCELLED);
  assert_string_equal (ak_result_output (r, AK_STREAM_STDOUT, &n), "first\n");
  ak_result_free (r);
}

static void
a_cancel_of_the_application_serves_many (void **state)
{
  (void) state;
  static const char *const argv[] = { "sleep", "60", NULL };
  struct ak_cancel *cancel = ak_cancel_new ();
  struct ak_request request = { .struct_size = sizeof request, .argv = argv, .cancel = cancel };
  struct ak_operation *o[MOST];
  for (int i = 0; i < MOST; i++)
    must (ak_operation_start (session, &request, NULL, &o[i], NULL), NULL);
  ak_cancel_fire (cancel);
  for (int i = 0; i < MOST; i++) {
    struct ak_result *r = NULL;
    enum ak_status status = ak_operation_finish (o[i], &r, NULL);
    assert_true (status == AK_STATUS_CANCELLED || ak_result_how (r) == AK_HOW_CANCELLED);
    ak_result_free (r);
  }
  ak_cancel_free (cancel);
}

static unsigned
threads (void)
{
  unsigned n = 0;
  DIR *d = opendir ("/proc/self/task");
  while (readdir (d))
    n++;
  closedir (d);
  return n - 2;
}

static void
no_more_run_at_once_than_the_runtime_allows (void **state)
{
  (void) state;
  struct ak_operation *o[12];
  size_t n;
  unsigned most = 0;
  ak_result_free (finish (start_shell ("rm -f busy.*", NULL)));
  for (int i = 0; i < 12; i++)
    o[i] = start_shell ("touch busy.$$; ls busy.* | wc -l; sleep 0.05; rm busy.$$", NULL);
  assert_in_range (threads (), 2, 1 + MOST + 1);        /* a sanitizer may have one of its own */
  for (int i = 0; i < 12; i++) {
    struct ak_result *r = finish (o[i]);
    unsigned at_once = (unsigned) atoi (ak_result_output (r, AK_STREAM_STDOUT, &n));
    most = at_once > most ? at_once : most;
    ak_result_free (r);
  }
  assert_in_range (most, 1, MOST);
}

static void
tell (void *data, struct ak_operation *operation)
{
  (void) operation;
  sem_post (data);
}

static void
what_waits_ends_at_once_when_it_is_cancelled (void **state)
{
  (void) state;
  struct ak_operation *busy[MOST];
  struct ak_error *e = NULL;
  sem_t told;
  struct ak_start start = { .struct_size = sizeof start, .done = tell, .done_data = &told };
  sem_init (&told, 0, 0);
  for (int i = 0; i < MOST; i++)
    busy[i] = start_shell ("sleep 60", NULL);
  struct ak_operation *o = start_shell ("echo never >ran", &start);
  assert_false (readable (o, 50));
  ak_operation_cancel (o);
  assert_int_equal (sem_trywait (&told), 0);
  assert_true (readable (o, 0));
  struct ak_result *r = NULL;
  assert_int_equal (ak_operation_finish (o, &r, &e), AK_STATUS_CANCELLED);
  assert_null (r);
  assert_string_equal (ak_error_text (e), "operation: cancelled before it began");
  ak_error_free (e);
  for (int i = 0; i < MOST; i++) {
    ak_operation_cancel (busy[i]);
    ak_result_free (finish (busy[i]));
  }
  r = finish (start_shell ("test ! -e ran", NULL));
  assert_int_equal (ak_result_exit_code (r), 0);
  ak_result_free (r);
  sem_destroy (&told);
}

struct finished { sem_t told; struct ak_result *result; };

static void
finish_inside (void *data, struct ak_operation *operation)
{
  struct finished *f = data;
  f->result = finish (operation);
  sem_post (&f->told);
}

static void
done_may_finish_the_operation (void **state)
{
  (void) state;
  static const char *const argv[] = { "sh", "-c", "exit 9", NULL };
  struct finished f = { .result = NULL };
  struct ak_request request = { .struct_size = sizeof request, .argv = argv };
  struct ak_start start = { .struct_size = sizeof start, .done = finish_inside, .done_data = &f };
  sem_init (&f.told, 0, 0);
  must (ak_operation_start (session, &request, &start, NULL, NULL), NULL);
  while (sem_wait (&f.told) < 0)
    assert_int_equal (errno, EINTR);
  assert_int_equal (ak_result_exit_code (f.result), 9);
  ak_result_free (f.result);
  sem_destroy (&f.told);
}

static void
slowly (void *data, struct ak_operation *operation)
{
  (void) operation;
  usleep (200000);
  *(int *) data = 1;
}

static void
finish_waits_for_done_to_return (void **state)
{
  (void) state;
  int told = 0;
  struct ak_start start = { .struct_size = sizeof start, .done = slowly, .done_data = &told };
  ak_result_free (finish (start_shell ("true", &start)));
  assert_int_equal (told, 1);
}

static void
the_request_may_go_when_it_was_started (void **state)
{
  (void) state;
  int fds[2];
  size_t n;
  char line[] = "cat; echo $V; pwd >&2", value[] = "V=kept", *env[] = { value, NULL }, cwd[] = "/";
  const char *argv[] = { "sh", "-c", line, NULL };
  assert_int_equal (pipe (fds), 0);
  struct ak_request request = { .struct_size = sizeof request, .argv = argv, .env = (const char *const *) env,
                                .cwd = cwd, .has_stdin = 1, .stdin_fd = fds[0] };
  struct ak_operation *busy[MOST], *o = NULL;
  for (int i = 0; i < MOST; i++)
    busy[i] = start_shell ("sleep 0.2", NULL);
  must (ak_operation_start (session, &request, NULL, &o, NULL), NULL);
  memset (line, 'x', sizeof line);
  memset (value, 'x', sizeof value);
  memset (cwd, 'x', sizeof cwd);
  memset (argv, 0, sizeof argv);
  memset (&request, 0, sizeof request);
  close (fds[0]);
  assert_int_equal (write (fds[1], "in\n", 3), 3);
  close (fds[1]);
  for (int i = 0; i < MOST; i++)
    ak_result_free (finish (busy[i]));
  struct ak_result *r = finish (o);
  assert_string_equal (ak_result_output (r, AK_STREAM_STDOUT, &n), "in\nkept\n");
  assert_string_equal (ak_result_output (r, AK_STREAM_STDERR, &n), "/\n");
  ak_result_free (r);
}

static int
count_bytes (void *data, enum ak_stream stream, const void *bytes, size_t size)
{
  (void) stream, (void) bytes;
  *(size_t *) data += size;
  return 0;
}

static void
code_runs_and_the_callback_gets_its_output_too (void **state)
{
  (void) state;
  static const struct ak_start start = { .struct_size = sizeof start, .buffer = 64 };
  size_t n = 0;
  char code[] = "printf 1234567", text[16];
  struct ak_request request = { .struct_size = sizeof request, .language = "sh", .code = code,
                                .code_size = sizeof code - 1, .output = count_bytes, .output_data = &n };
  struct ak_operation *o = NULL;
  must (ak_operation_start (session, &request, &start, &o, NULL), NULL);
  assert_int_equal (read_all (o, text, sizeof text, 0), 7);
  ak_result_free (finish (o));
  assert_int_equal (n, 7);
}

static void
what_is_asked_wrongly_is_refused_at_the_start (void **state)
{
  (void) state;
  static const char *const argv[] = { "true", NULL };
  struct ak_request request = { .struct_size = sizeof request };
  struct ak_start start = { .struct_size = 0 };
  struct ak_operation *o = NULL;
  struct ak_error *e = NULL;
  assert_int_equal (ak_operation_start (session, &request, NULL, &o, &e), AK_STATUS_CONFIG);
  ak_error_free (e);
  e = NULL;
  request.argv = argv;
  assert_int_equal (ak_operation_start (session, &request, &start, &o, &e), AK_STATUS_CONFIG);
  assert_string_equal (ak_error_text (e), "start: struct_size is 0");
  ak_error_free (e);
  e = NULL;
  request.has_stdin = 1;
  request.stdin_fd = 987654;
  assert_int_equal (ak_operation_start (session, &request, NULL, &o, &e), AK_STATUS_CONFIG);
  ak_error_free (e);
  assert_null (o);
}

static void
an_error_of_the_machinery_is_told_by_finish (void **state)
{
  (void) state;
  static const char *const settings[] = { "policy.network_egress=deny", NULL }, *const argv[] = { "true", NULL };
  struct ak_request request = { .struct_size = sizeof request, .argv = argv };
  struct ak_session *denied;
  struct ak_operation *o = NULL;
  struct ak_result *r = NULL;
  struct ak_error *e = NULL;
  must (ak_session_new_type (runtime, "local_subprocess", settings, &denied, &e), e);
  must (ak_operation_start (denied, &request, NULL, &o, &e), e);
  assert_int_equal (ak_operation_finish (o, &r, &e), AK_STATUS_POLICY);
  assert_null (r);
  assert_string_equal (ak_error_provider (e), "local_subprocess");
  ak_error_free (e);
  ak_session_free (denied);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (output_is_read_from_a_descriptor_in_its_order),
    cmocka_unit_test (the_descriptor_is_readable_only_when_there_is_something),
    cmocka_unit_test (who_does_not_read_makes_the_program_wait),
    cmocka_unit_test (what_is_not_read_is_dropped_by_finish_and_kept_in_the_result),
    cmocka_unit_test (a_deadline_does_not_wait_for_a_reader),
    cmocka_unit_test (another_thread_cancels),
    cmocka_unit_test (a_cancel_of_the_application_serves_many),
    cmocka_unit_test (no_more_run_at_once_than_the_runtime_allows),
    cmocka_unit_test (what_waits_ends_at_once_when_it_is_cancelled),
    cmocka_unit_test (done_may_finish_the_operation),
    cmocka_unit_test (finish_waits_for_done_to_return),
    cmocka_unit_test (the_request_may_go_when_it_was_started),
    cmocka_unit_test (code_runs_and_the_callback_gets_its_output_too),
    cmocka_unit_test (what_is_asked_wrongly_is_refused_at_the_start),
    cmocka_unit_test (an_error_of_the_machinery_is_told_by_finish),
  };
  return cmocka_run_group_tests_name ("operation", tests, set_up, tear_down);
}
