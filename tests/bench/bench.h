/* SPDX-License-Identifier: Apache-2.0 */
/* What the measures share: clock, median, a bare child, the line that is printed. */
#ifndef AKSANDBOX_BENCH_H
#define AKSANDBOX_BENCH_H
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <aksandbox.h>

extern char **environ;

static inline double
bench_now (void)                /* seconds */
{
  struct timespec t;
  clock_gettime (CLOCK_MONOTONIC, &t);
  return (double) t.tv_sec + (double) t.tv_nsec / 1e9;
}

static inline int
bench_compare (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;
  return (x > y) - (x < y);
}

static inline double
bench_median (double *values, size_t n)
{
  qsort (values, n, sizeof *values, bench_compare);
  return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

/* NAME ours floor ratio goal ok|short; the exit status. */
static inline int
bench_report (const char *name, double ours, double floor, const char *unit, const char *goal, int reached)
{
  printf ("%s %.3f%s %.3f%s %.2f %s %s\n", name, ours, unit, floor, unit, floor > 0 ? ours / floor : 0.0,
          goal, reached ? "ok" : "short");
  fflush (stdout);
  return !reached;
}

/* The measure could not be made: what and why. */
__attribute__ ((format (printf, 1, 2), noreturn)) static inline void
bench_fail (const char *format, ...)
{
  va_list ap;
  va_start (ap, format);
  vfprintf (stderr, format, ap);
  va_end (ap);
  fputc ('\n', stderr);
  exit (99);
}

static inline void
bench_must (enum ak_status status, struct ak_error *error)
{
  if (status != AK_STATUS_OK)
    bench_fail ("%s\n%s", ak_error_text (error), ak_error_hint (error) ? ak_error_hint (error) : "");
}

#define BENCH_PATH 4096

/* The file of the provider noop: where the build puts it, beside this program or in .libs. */
static inline void
bench_noop (char *path, size_t size)
{
  static const char *const places[] = { "noop.so", ".libs/noop.so" };
  ssize_t n = readlink ("/proc/self/exe", path, size - 1);
  if (n < 0)
    bench_fail ("/proc/self/exe: %s", strerror (errno));
  path[n] = '\0';
  char *name = strrchr (path, '/') + 1;
  for (int i = 0; i < 2; i++) {
    snprintf (name, size - (size_t) (name - path), "%s", places[i]);
    if (access (path, R_OK) == 0)
      return;
  }
  bench_fail ("%s: it is not there", path);
}

/* A session on a type, without any configuration. */
static inline struct ak_session *
bench_session (struct ak_runtime **runtime, const char *type)
{
  struct ak_runtime_options options = { .struct_size = sizeof options, .config_file = "" };
  struct ak_session *session = NULL;
  struct ak_error *error = NULL;
  bench_must (ak_runtime_new (&options, runtime, &error), error);
  bench_must (ak_session_new_type (*runtime, type, NULL, &session, &error), error);
  return session;
}

/* A child as bare as it can be: stdin and stderr /dev/null, stdout a pipe that is read to its end. Returns
 * how many bytes came; the child must answer 0. */
static inline uint64_t
bench_spawn (const char *const *argv)
{
  static char buffer[64 * 1024];
  posix_spawn_file_actions_t actions;
  uint64_t total = 0;
  int fds[2], status, error;
  pid_t pid;
  if (pipe2 (fds, O_CLOEXEC) < 0)
    bench_fail ("pipe: %s", strerror (errno));
  posix_spawn_file_actions_init (&actions);
  posix_spawn_file_actions_addopen (&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2 (&actions, fds[1], 1);
  posix_spawn_file_actions_addopen (&actions, 2, "/dev/null", O_WRONLY, 0);
  error = posix_spawn (&pid, argv[0], &actions, NULL, (char *const *) (uintptr_t) argv, environ);
  posix_spawn_file_actions_destroy (&actions);
  close (fds[1]);
  if (error)
    bench_fail ("%s: %s", argv[0], strerror (error));
  for (ssize_t n; (n = read (fds[0], buffer, sizeof buffer)) > 0;)
    total += (uint64_t) n;
  close (fds[0]);
  if (waitpid (pid, &status, 0) != pid || status)
    bench_fail ("%s: status %d", argv[0], status);
  return total;
}

/* One execution, which must end with 0. */
static inline void
bench_execute (struct ak_session *session, const struct ak_request *request)
{
  struct ak_result *result = NULL;
  struct ak_error *error = NULL;
  bench_must (ak_execute (session, request, &result, &error), error);
  if (ak_result_how (result) != AK_HOW_EXITED || ak_result_exit_code (result) != 0)
    bench_fail ("outcome %s, exit code %d", ak_how_name (ak_result_how (result)),
                ak_result_exit_code (result));
  ak_result_free (result);
}

static inline void
bench_end (struct ak_runtime *runtime, struct ak_session *session)
{
  struct ak_error *error = NULL;
  bench_must (ak_session_destroy (session, &error), error);
  ak_session_free (session);
  ak_runtime_free (runtime);
}

#endif
