/* SPDX-License-Identifier: Apache-2.0 */
/* The library with a real provider, local_subprocess: exact bytes, bounded memory, no traces, good manners. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <aksandbox.h>
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static struct ak_runtime *runtime;
static struct ak_session *session;
static char sandboxes[] = "/tmp/aksandbox-library.XXXXXX";

static void
must (enum ak_status status, struct ak_error *e)
{
  if (status != AK_STATUS_OK)
    fail_msg ("%s (%s)", ak_error_text (e), ak_error_hint (e) ? ak_error_hint (e) : "");
}

static int
set_up (void **state)
{
  (void) state;
  struct ak_error *e = NULL;
  struct ak_runtime_options options = { .struct_size = sizeof options, .config_file = "" };
  char workdir[128];
  if (!mkdtemp (sandboxes))
    return -1;
  snprintf (workdir, sizeof workdir, "options.workdir=%s", sandboxes);
  const char *const settings[] = { workdir, "policy.timeout=60", NULL };
  must (ak_runtime_new (&options, &runtime, &e), e);
  must (ak_session_new_type (runtime, "local_subprocess", settings, &session, &e), e);
  return 0;
}

static int
tear_down (void **state)
{
  (void) state;
  struct ak_error *e = NULL;
  must (ak_session_destroy (session, &e), e);
  ak_session_free (session);
  ak_runtime_free (runtime);
  return rmdir (sandboxes);             /* fails when something is left in it */
}

static struct ak_result *
run (struct ak_request *request)
{
  struct ak_result *r = NULL;
  struct ak_error *e = NULL;
  request->struct_size = sizeof *request;
  must (ak_execute (session, request, &r, &e), e);
  return r;
}

static struct ak_result *
run_code (const char *language, const char *code, size_t size)
{
  struct ak_request request = { .language = language, .code = code, .code_size = size };
  return run (&request);
}

static struct ak_result *
run_argv (const char *const *argv)
{
  struct ak_request request = { .argv = argv };
  return run (&request);
}

static void
assert_output (struct ak_result *r, enum ak_stream stream, const char *bytes, size_t size)
{
  size_t n;
  const char *got = ak_result_output (r, stream, &n);
  assert_int_equal (n, size);
  assert_memory_equal (got, bytes, size);
}

static void
every_byte_arrives_as_it_was_written (void **state)
{
  (void) state;
  static const char code[] = "import os\nos.write(1, bytes(range(256)))\nos.write(2, b'\\xff\\x00\\xfe')\nos.write(1, b'tail')";
  char all[260];
  for (int i = 0; i < 256; i++)
    all[i] = (char) i;
  memcpy (all + 256, "tail", 4);
  struct ak_result *r = run_code ("python", code, sizeof code - 1);
  assert_output (r, AK_STREAM_STDOUT, all, sizeof all);
  assert_output (r, AK_STREAM_STDERR, "\xff\0\xfe", 3);
  ak_result_free (r);
}

static void
five_megabytes_of_code_run (void **state)
{
  (void) state;
  static const char *const languages[] = { "python", "bash", "sh" };
  static const char tails[3][32] = { "\nprint('end')\n", "\necho end\n", "\necho end\n" };
  size_t size = 5 << 20;
  char *code = malloc (size + 64);
  for (int i = 0; i < 3; i++) {
    memset (code, '#', size);
    for (size_t at = 100; at < size; at += 100)
      code[at] = '\n';
    strcpy (code + size, tails[i]);
    struct ak_result *r = run_code (languages[i], code, size + strlen (tails[i]));
    assert_int_equal (ak_result_exit_code (r), 0);
    assert_output (r, AK_STREAM_STDOUT, "end\n", 4);
    ak_result_free (r);
  }
  free (code);
}

static void
code_is_handed_over_byte_for_byte (void **state)
{
  (void) state;
  static const char code[] = "# -*- coding: latin-1 -*-\nprint(len('\xe9\xff'), ascii('\xe9'))\n";
  struct ak_result *r = run_code ("python", code, sizeof code - 1);
  assert_output (r, AK_STREAM_STDOUT, "2 '\\xe9'\n", 9);
  ak_result_free (r);
  static const char nul[] = "print(1)\0print(2)";
  r = run_code ("python", nul, sizeof nul - 1);
  assert_int_equal (ak_result_exit_code (r), 1);
  ak_result_free (r);
}

static void
code_sees_what_a_program_of_its_own_sees (void **state)
{
  (void) state;
  static const char python[] = "import sys, os\nprint(__name__, sys.argv, repr(sys.path[0]), sorted(os.listdir('/proc/self/fd'))[:3])";
  struct ak_result *r = run_code ("python", python, sizeof python - 1);
  static const char expected[] = "__main__ ['-c'] '' ['0', '1', '2']\n";
  assert_output (r, AK_STREAM_STDOUT, expected, sizeof expected - 1);
  ak_result_free (r);
  static const char bash[] = "cat <<E\nhere $LINENO\nE\nls /proc/self/fd | head -3 | tr '\\n' ' '; exit 3";
  r = run_code ("bash", bash, sizeof bash - 1);
  assert_int_equal (ak_result_exit_code (r), 3);
  assert_output (r, AK_STREAM_STDOUT, "here 1\n0 1 2 ", 13);
  ak_result_free (r);
}

static void
nothing_of_the_hosts_environment_is_inside (void **state)
{
  (void) state;
  setenv ("SECRET_PROBE", "hunter2", 1);
  static const char *const argv[] = { "sh", "-c", "env; cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n'", NULL };
  struct ak_result *r = run_argv (argv);
  size_t n;
  const char *out = ak_result_output (r, AK_STREAM_STDOUT, &n);
  assert_null (memmem (out, n, "hunter2", 7));
  assert_non_null (strstr (out, "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\n"));
  ak_result_free (r);
}

static void
arguments_and_environment_take_any_byte_but_nul (void **state)
{
  (void) state;
  static const char *const argv[] = { "sh", "-c", "printf '%s|%s|%s' \"$1\" \"$A\" \"$B\"", "sh", "a\nb\t'\"; touch x $(id) \xff", NULL };
  static const char *const env[] = { "A=x\ny", "B==", NULL };
  struct ak_request request = { .argv = argv, .env = env };
  struct ak_result *r = run (&request);
  static const char expected[] = "a\nb\t'\"; touch x $(id) \xff|x\ny|=";
  assert_output (r, AK_STREAM_STDOUT, expected, sizeof expected - 1);
  ak_result_free (r);
}

static void
a_program_reads_end_of_file_without_stdin (void **state)
{
  (void) state;
  static const char *const argv[] = { "sh", "-c", "cat; echo done", NULL };
  struct ak_result *r = run_argv (argv);
  assert_output (r, AK_STREAM_STDOUT, "done\n", 5);
  ak_result_free (r);
}

static void *
feed (void *data)
{
  int fd = *(int *) data;
  static char block[1 << 16];
  sigset_t pipes;
  sigemptyset (&pipes);
  sigaddset (&pipes, SIGPIPE);
  pthread_sigmask (SIG_BLOCK, &pipes, NULL);
  for (int i = 0; i < 160; i++)
    if (write (fd, block, sizeof block) < 0)
      break;
  close (fd);
  return NULL;
}

static void
ten_megabytes_of_stdin_arrive_or_are_not_wanted (void **state)
{
  (void) state;
  static const char *const count[] = { "wc", "-c", NULL }, *const ignore[] = { "true", NULL };
  static const char *const *const commands[] = { count, ignore };
  static const char *const outputs[] = { "10485760\n", "" };
  for (int i = 0; i < 2; i++) {
    int fds[2];
    pthread_t thread;
    assert_int_equal (pipe (fds), 0);
    pthread_create (&thread, NULL, feed, &fds[1]);
    struct ak_request request = { .argv = commands[i], .has_stdin = 1, .stdin_fd = fds[0] };
    struct ak_result *r = run (&request);
    assert_int_equal (ak_result_exit_code (r), 0);
    assert_output (r, AK_STREAM_STDOUT, outputs[i], strlen (outputs[i]));
    ak_result_free (r);
    close (fds[0]);
    pthread_join (thread, NULL);
  }
}

static long
peak_kib (void)
{
  struct rusage u;
  getrusage (RUSAGE_SELF, &u);
  return u.ru_maxrss;
}

static void
a_gigabyte_of_output_costs_no_memory (void **state)
{
  (void) state;
  static const char *const argv[] = { "head", "-c", "1073741824", "/dev/zero", NULL };
  struct ak_request request = { .argv = argv, .output_limit = 65536 };
  long before = peak_kib ();
  struct ak_result *r = run (&request);
  assert_int_equal (ak_result_exit_code (r), 0);
  assert_int_equal (ak_result_total (r, AK_STREAM_STDOUT), INT64_C (1) << 30);
  assert_true (ak_result_truncated (r));
  ak_result_free (r);
  assert_in_range (peak_kib () - before, 0, 8192);
}

static unsigned
entries (const char *folder)
{
  unsigned n = 0;
  DIR *d = opendir (folder);
  while (readdir (d))
    n++;
  closedir (d);
  return n;
}

static unsigned
children (void)
{
  char path[64], text[65536] = "";
  snprintf (path, sizeof path, "/proc/self/task/%d/children", (int) getpid ());
  FILE *f = fopen (path, "r");
  size_t n = f ? fread (text, 1, sizeof text - 1, f) : 0;
  unsigned count = 0;
  for (size_t i = 0; i < n; i++)
    count += text[i] == ' ';
  if (f)
    fclose (f);
  return count;
}

static void
five_hundred_executions_leave_no_trace (void **state)
{
  (void) state;
  static const char *const argv[] = { "true", NULL };
  static const char listing[] = "import os\nprint(len(os.listdir('/proc')), os.listdir('.'))";
  struct ak_result *r = run_argv (argv);
  ak_result_free (r);
  r = run_code ("python", listing, sizeof listing - 1);
  size_t size;
  char *inside = strdup (ak_result_output (r, AK_STREAM_STDOUT, &size));
  ak_result_free (r);
  unsigned descriptors = entries ("/proc/self/fd"), threads = entries ("/proc/self/task"), processes = children ();
  for (int i = 0; i < 500; i++) {
    r = run_argv (argv);
    assert_int_equal (ak_result_exit_code (r), 0);
    ak_result_free (r);
  }
  assert_int_equal (entries ("/proc/self/fd"), descriptors);
  assert_int_equal (entries ("/proc/self/task"), threads);
  assert_int_equal (children (), processes);
  r = run_code ("python", listing, sizeof listing - 1);
  assert_string_equal (ak_result_output (r, AK_STREAM_STDOUT, &size), inside);
  ak_result_free (r);
  free (inside);
}

static void
fifty_sandboxes_leave_no_trace (void **state)
{
  (void) state;
  char workdir[128];
  snprintf (workdir, sizeof workdir, "options.workdir=%s", sandboxes);
  const char *const settings[] = { workdir, NULL }, *const argv[] = { "true", NULL };
  unsigned descriptors = entries ("/proc/self/fd"), folders = entries (sandboxes), processes = children ();
  for (int i = 0; i < 50; i++) {
    struct ak_session *s;
    struct ak_result *r;
    struct ak_request request = { .struct_size = sizeof request, .argv = argv };
    struct ak_error *e = NULL;
    must (ak_session_new_type (runtime, "local_subprocess", settings, &s, &e), e);
    must (ak_execute (s, &request, &r, &e), e);
    ak_result_free (r);
    must (ak_session_destroy (s, &e), e);
    ak_session_free (s);
  }
  assert_int_equal (entries ("/proc/self/fd"), descriptors);
  assert_int_equal (entries (sandboxes), folders);
  assert_int_equal (children (), processes);
}

static int
cancel_at_once (void *data, enum ak_stream stream, const void *bytes, size_t size)
{
  (void) stream, (void) bytes, (void) size;
  ak_cancel_fire (data);
  return 0;
}

static void
a_cancelled_program_ends_with_what_it_printed (void **state)
{
  (void) state;
  static const char *const argv[] = { "sh", "-c", "echo first; sleep 60", NULL };
  struct ak_cancel *cancel = ak_cancel_new ();
  struct ak_request request = { .argv = argv, .cancel = cancel, .output = cancel_at_once, .output_data = cancel };
  struct ak_result *r = run (&request);
  assert_int_equal (ak_result_how (r), AK_HOW_CANCELLED);
  assert_output (r, AK_STREAM_STDOUT, "first\n", 6);
  assert_true (ak_result_duration_ns (r) < UINT64_C (10000000000));
  ak_result_free (r);
  ak_cancel_free (cancel);
}

static void
a_sandbox_that_died_is_healed_and_its_files_are_there (void **state)
{
  (void) state;
  static const char *const leave[] = { "sh", "-c", "echo kept >kept; sleep 300 & sleep 0.1", NULL };
  static const char *const see[] = { "cat", "kept", NULL };
  ak_result_free (run_argv (leave));
  /* The runner's death, from outside: every child of this process is one. */
  char path[64], pids[4096] = "";
  snprintf (path, sizeof path, "/proc/self/task/%d/children", (int) getpid ());
  FILE *f = fopen (path, "r");
  assert_non_null (f);
  size_t n = fread (pids, 1, sizeof pids - 1, f);
  fclose (f);
  assert_true (n > 0);
  for (char *at = pids, *end; (n = strtoul (at, &end, 10)) != 0 && end != at; at = end) {
    kill ((pid_t) n, SIGKILL);
    siginfo_t info;                     /* dead before the next operation begins; the library reaps it */
    waitid (P_PID, (id_t) n, &info, WEXITED | WNOWAIT | __WALL);
  }
  struct ak_result *r = run_argv (see);
  assert_output (r, AK_STREAM_STDOUT, "kept\n", 5);
  assert_non_null (ak_result_notice (r));
  assert_non_null (strstr (ak_result_notice (r), "had ended"));
  ak_result_free (r);
}

struct upload { char bytes[70000]; size_t at; };

static int64_t
upload_read (void *data, void *buffer, size_t size)
{
  struct upload *u = data;
  size_t n = sizeof u->bytes - u->at < size ? sizeof u->bytes - u->at : size;
  memcpy (buffer, u->bytes + u->at, n);
  u->at += n;
  return (int64_t) n;
}

static int
download_write (void *data, const void *bytes, size_t size)
{
  struct upload *u = data;
  assert_true (u->at + size <= sizeof u->bytes);
  memcpy (u->bytes + u->at, bytes, size);
  u->at += size;
  return 0;
}

static int
see_entry (void *data, const struct ak_entry *entry)
{
  if (strcmp (entry->path, "sub/a'; b\n\xff") == 0 || strcmp (entry->path, "a'; b\n\xff") == 0)
    *(struct ak_entry *) data = *entry;
  return 0;
}

static void
files_make_the_round_trip_with_any_name (void **state)
{
  (void) state;
  static struct upload up, down;
  struct ak_entry seen = { 0 };
  struct ak_error *e = NULL;
  for (size_t i = 0; i < sizeof up.bytes; i++)
    up.bytes[i] = (char) (i * 7);
  must (ak_upload (session, "sub/a'; b\n\xff", 0640, upload_read, &up, NULL, &e), e);
  must (ak_download (session, "sub/a'; b\n\xff", download_write, &down, NULL, &e), e);
  assert_int_equal (down.at, sizeof up.bytes);
  assert_memory_equal (down.bytes, up.bytes, sizeof up.bytes);
  must (ak_list_files (session, "sub", see_entry, &seen, NULL, &e), e);
  assert_int_equal (seen.size, sizeof up.bytes);
  assert_int_equal (seen.mode & 07777, 0640);
}

static void
the_application_is_left_alone (void **state)
{
  (void) state;
  static const char *const argv[] = { "sh", "-c", "sleep 0.2; exit 7", NULL };
  int status;
  pid_t mine = fork ();
  if (!mine)
    _exit (5);
  struct sigaction before[65], after;
  for (int i = 1; i < 65; i++)
    sigaction (i, NULL, &before[i]);
  mode_t mask = umask (022);
  umask (mask);
  struct ak_result *r = run_argv (argv);
  assert_int_equal (ak_result_exit_code (r), 7);
  ak_result_free (r);
  for (int i = 1; i < 65; i++)
    if (sigaction (i, NULL, &after) == 0)
      assert_ptr_equal ((void *) (uintptr_t) after.sa_handler, (void *) (uintptr_t) before[i].sa_handler);
  assert_int_equal (umask (mask), mask);
  assert_int_equal (waitpid (-1, &status, 0), mine);
  assert_int_equal (WEXITSTATUS (status), 5);
  signal (SIGCHLD, SIG_IGN);
  r = run_argv (argv);
  signal (SIGCHLD, SIG_DFL);
  assert_int_equal (ak_result_exit_code (r), 7);
  ak_result_free (r);
}

/* In a forked child, whose runner is its parent's: 0 when all is refused and freeing says nothing. */
static int
use_in_child (void)
{
  struct ak_request request = { .struct_size = sizeof request, .code = "1", .code_size = 1 };
  struct ak_result *r = NULL;
  struct ak_error *e = NULL;
  int failed = ak_execute (session, &request, &r, &e) != AK_STATUS_INTERNAL;
  ak_error_free (e);
  failed |= ak_session_destroy (session, NULL) != AK_STATUS_INTERNAL;
  failed |= ak_list_files (session, NULL, NULL, NULL, NULL, NULL) != AK_STATUS_INTERNAL;
  ak_session_free (session);
  return failed;
}

/* The verdict comes through a pipe: the child's exit status is also that of a memory checker. */
static int
fork_and_use (void *data, enum ak_stream stream, const void *bytes, size_t size)
{
  (void) stream, (void) bytes, (void) size;
  int fds[2];
  char verdict = '?';
  if (pipe (fds))
    return -1;
  pid_t pid = fork ();
  if (!pid) {
    alarm (20);
    verdict = use_in_child () ? 'n' : 'y';
    _exit (write (fds[1], &verdict, 1) != 1);
  }
  close (fds[1]);
  if (read (fds[0], &verdict, 1) != 1)
    verdict = '?';
  close (fds[0]);
  waitpid (pid, NULL, 0);
  *(char *) data = verdict;
  return 0;
}

static void
a_forked_child_does_not_touch_what_runs (void **state)
{
  (void) state;
  char verdict = '?';
  struct ak_request request = {
    .language = "sh", .code = "echo a; sleep 1; exit 7", .code_size = 23, .output = fork_and_use,
    .output_data = &verdict,
  };
  struct ak_result *r = run (&request);
  assert_int_equal (verdict, 'y');
  assert_int_equal (ak_result_how (r), AK_HOW_EXITED);
  assert_int_equal (ak_result_exit_code (r), 7);
  ak_result_free (r);
}

static void
what_is_asked_wrongly_is_refused (void **state)
{
  (void) state;
  static const char *const argv[] = { "true", NULL };
  static const double timeouts[] = { -1, 1e18, __builtin_nan ("") };
  struct ak_result *r;
  struct ak_error *e = NULL;
  struct ak_request request = { .struct_size = sizeof request };
  assert_int_equal (ak_execute (session, &request, &r, &e), AK_STATUS_CONFIG);
  ak_error_free (e);
  request.argv = argv;
  for (size_t i = 0; i < sizeof timeouts / sizeof *timeouts; i++) {
    e = NULL;
    request.timeout = timeouts[i];
    assert_int_equal (ak_execute (session, &request, &r, &e), AK_STATUS_CONFIG);
    ak_error_free (e);
  }
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (every_byte_arrives_as_it_was_written),
    cmocka_unit_test (five_megabytes_of_code_run),
    cmocka_unit_test (code_is_handed_over_byte_for_byte),
    cmocka_unit_test (code_sees_what_a_program_of_its_own_sees),
    cmocka_unit_test (nothing_of_the_hosts_environment_is_inside),
    cmocka_unit_test (arguments_and_environment_take_any_byte_but_nul),
    cmocka_unit_test (a_program_reads_end_of_file_without_stdin),
    cmocka_unit_test (ten_megabytes_of_stdin_arrive_or_are_not_wanted),
    cmocka_unit_test (a_gigabyte_of_output_costs_no_memory),
    cmocka_unit_test (five_hundred_executions_leave_no_trace),
    cmocka_unit_test (fifty_sandboxes_leave_no_trace),
    cmocka_unit_test (a_cancelled_program_ends_with_what_it_printed),
    cmocka_unit_test (a_sandbox_that_died_is_healed_and_its_files_are_there),
    cmocka_unit_test (files_make_the_round_trip_with_any_name),
    cmocka_unit_test (the_application_is_left_alone),
    cmocka_unit_test (a_forked_child_does_not_touch_what_runs),
    cmocka_unit_test (what_is_asked_wrongly_is_refused),
  };
  if (access ("plugins/.libs/local_subprocess.so", F_OK)) {
    puts ("1..0 # SKIP the provider local_subprocess is not built");
    return 0;
  }
  return cmocka_run_group_tests_name ("library", tests, set_up, tear_down);
}
