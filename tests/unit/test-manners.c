/* SPDX-License-Identifier: Apache-2.0 */
/* What the library promises the process that it is in: each time in a fresh one. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <aksandbox.h>
#include <dirent.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* What `check` finds wrong, in a process of its own. */
static void
alone (const char *(*check) (void))
{
  char text[512] = "";
  int fds[2], status;
  assert_int_equal (pipe2 (fds, O_CLOEXEC), 0);
  int report = fcntl (fds[1], F_DUPFD_CLOEXEC, 100);
  pid_t pid = fork ();
  if (!pid) {
    const char *fault = check ();
    if (fault && write (report, fault, strlen (fault)) < 0)
      _exit (2);
    _exit (fault != NULL);
  }
  close (fds[1]);
  close (report);
  ssize_t n = read (fds[0], text, sizeof text - 1);
  close (fds[0]);
  assert_int_equal (waitpid (pid, &status, 0), pid);
  if (status)
    fail_msg ("%s (status %#x)", n > 0 ? text : "it said nothing", (unsigned) status);
}

struct host { struct ak_runtime *runtime; struct ak_session *session; };

static const char *
say (struct ak_error *e)
{
  static char text[512];
  snprintf (text, sizeof text, "%s", ak_error_text (e));
  return text;
}

static const char *
open_host (struct host *h)
{
  struct ak_error *e = NULL;
  struct ak_runtime_options options = { .struct_size = sizeof options, .config_file = "" };
  if (ak_runtime_new (&options, &h->runtime, &e)
      || ak_session_new_type (h->runtime, "local_subprocess", NULL, &h->session, &e))
    return say (e);
  return NULL;
}

static const char *
close_host (struct host *h)
{
  struct ak_error *e = NULL;
  const char *fault = ak_session_destroy (h->session, &e) ? say (e) : NULL;
  ak_session_free (h->session);
  ak_runtime_free (h->runtime);
  return fault;
}

static const char *
run (struct ak_session *s, const char *line, int stdin_fd, const char *expected)
{
  const char *argv[] = { "sh", "-c", line, NULL };
  struct ak_request request = { .struct_size = sizeof request, .argv = argv, .has_stdin = stdin_fd >= 0,
                                .stdin_fd = stdin_fd };
  struct ak_result *r = NULL;
  struct ak_error *e = NULL;
  size_t n;
  if (ak_execute (s, &request, &r, &e))
    return say (e);
  const char *fault = strcmp (ak_result_output (r, AK_STREAM_STDOUT, &n), expected) ? "another output" : NULL;
  ak_result_free (r);
  return fault;
}

static const char *
operate (struct ak_session *s, const char *line, int cancels)
{
  static const struct ak_start start = { .struct_size = sizeof start, .buffer = 64 };
  const char *argv[] = { "sh", "-c", line, NULL };
  struct ak_request request = { .struct_size = sizeof request, .argv = argv };
  struct ak_operation *o = NULL;
  struct ak_error *e = NULL;
  if (ak_operation_start (s, &request, &start, &o, &e))
    return say (e);
  if (cancels)
    ak_operation_cancel (o);
  ak_operation_finish (o, NULL, NULL);
  return NULL;
}

static int64_t
endless (void *data, void *buffer, size_t size)
{
  size_t *left = data, n = size < *left ? size : *left;
  memset (buffer, 'x', n);
  *left -= n;
  return (int64_t) n;
}

/* What an application does in a day, with its failures. */
static const char *
use_all (void)
{
  struct host h = { NULL, NULL };
  size_t left = 300000;
  const char *fault = open_host (&h);
  if (!fault)
    fault = run (h.session, "echo out; echo err >&2; kill -9 $$", -1, "out\n");
  if (!fault)
    fault = operate (h.session, "echo out; echo err >&2", 0);
  if (!fault)
    fault = operate (h.session, "sleep 60", 1);
  if (!fault && ak_upload (h.session, "file", 0, endless, &left, NULL, NULL))
    fault = "upload";
  if (!fault && ak_download (h.session, "no-such-file", NULL, NULL, NULL, NULL) != AK_STATUS_FILE_NOT_FOUND)
    fault = "download";
  struct ak_session *none = NULL;
  if (!fault && ak_session_new_type (h.runtime, "/nowhere/x.so:x", NULL, &none, NULL) == AK_STATUS_OK)
    fault = "a provider that is not there";
  if (!fault && ak_session_new (h.runtime, "no-such-profile", &none, NULL) == AK_STATUS_OK)
    fault = "a profile that is not there";
  return fault ? fault : close_host (&h);
}

struct settings {
  struct sigaction handlers[65];
  sigset_t mask;
  mode_t umask;
  char cwd[4096], locale[512], *environment;
  struct rlimit limits[RLIM_NLIMITS];
  int subreaper, death, dumpable, priority;
  unsigned timer;
};

static char *
all_of_environ (void)
{
  size_t size = 1, used = 0;
  for (char **e = environ; *e; e++)
    size += strlen (*e) + 1;
  char *all = calloc (1, size);
  for (char **e = environ; *e; e++)
    used += (size_t) sprintf (all + used, "%s\n", *e);
  return all;
}

static void
take (struct settings *s)
{
  memset (s, 0, sizeof *s);
  for (int i = 1; i < 65; i++)
    sigaction (i, NULL, &s->handlers[i]);
  sigprocmask (SIG_SETMASK, NULL, &s->mask);
  umask (s->umask = umask (0));
  if (!getcwd (s->cwd, sizeof s->cwd))
    *s->cwd = 0;
  snprintf (s->locale, sizeof s->locale, "%s", setlocale (LC_ALL, NULL));
  s->environment = all_of_environ ();
  for (int i = 0; i < (int) RLIM_NLIMITS; i++)
    getrlimit (i, &s->limits[i]);
  prctl (PR_GET_CHILD_SUBREAPER, &s->subreaper);
  prctl (PR_GET_PDEATHSIG, &s->death);
  s->dumpable = prctl (PR_GET_DUMPABLE);
  s->priority = getpriority (PRIO_PROCESS, 0);
  s->timer = alarm (0);
}

static const char *
changed (const struct settings *a, const struct settings *b)
{
  for (int i = 1; i < 65; i++)
    if (a->handlers[i].sa_handler != b->handlers[i].sa_handler || a->handlers[i].sa_flags != b->handlers[i].sa_flags)
      return "a signal's handler has changed";
  for (int i = 1; i < 65; i++)
    if (sigismember (&a->mask, i) != sigismember (&b->mask, i))
      return "the signal mask has changed";
  if (a->umask != b->umask)
    return "the umask has changed";
  if (strcmp (a->cwd, b->cwd))
    return "the working folder has changed";
  if (strcmp (a->locale, b->locale))
    return "the locale has changed";
  if (strcmp (a->environment, b->environment))
    return "the environment has changed";
  if (memcmp (a->limits, b->limits, sizeof a->limits))
    return "a limit has changed";
  if (a->subreaper != b->subreaper || a->death != b->death || a->dumpable != b->dumpable)
    return "a setting of prctl has changed";
  return a->priority != b->priority || b->timer ? "the priority or the alarm has changed" : NULL;
}

static const char *
check_settings (void)
{
  struct settings before, after;
  sigset_t mask;
  setlocale (LC_ALL, "C");
  umask (027);
  sigemptyset (&mask);
  sigaddset (&mask, SIGUSR2);
  sigprocmask (SIG_SETMASK, &mask, NULL);
  take (&before);
  const char *fault = use_all ();
  take (&after);
  return fault ? fault : changed (&before, &after);
}

static void
no_setting_of_the_process_changes (void **state)
{
  (void) state;
  alone (check_settings);
}

static const char *
check_streams (void)
{
  int in[2], out = memfd_create ("out", MFD_CLOEXEC), err = memfd_create ("err", MFD_CLOEXEC);
  struct stat a, b;
  char c[2];
  if (pipe (in) || write (in[1], "i", 1) != 1 || dup2 (in[0], 0) != 0 || dup2 (out, 1) != 1 || dup2 (err, 2) != 2)
    return "pipes";
  const char *fault = use_all ();
  if (fault)
    return fault;
  fflush (NULL);
  if (fstat (1, &a) || fstat (2, &b) || a.st_size || b.st_size)
    return "something was written to the standard streams";
  return read (0, c, 2) == 1 ? NULL : "something was read from the standard input";
}

static void
the_standard_streams_are_the_applications (void **state)
{
  (void) state;
  alone (check_streams);
}

/* Every child of this process, as the runner's death from outside. */
static void
kill_children (void)
{
  char path[64], pids[4096] = "";
  snprintf (path, sizeof path, "/proc/self/task/%d/children", (int) getpid ());
  FILE *f = fopen (path, "r");
  if (!f || !fread (pids, 1, sizeof pids - 1, f))
    return;
  fclose (f);
  unsigned long pid;
  for (char *at = pids, *end; (pid = strtoul (at, &end, 10)) != 0 && end != at; at = end)
    kill ((pid_t) pid, SIGKILL);
}

static int64_t
kill_and_give (void *data, void *buffer, size_t size)
{
  if (*(size_t *) data < 4000000)
    kill_children ();
  return endless (data, buffer, size);
}

static const char *
check_pipes (void)
{
  struct host h;
  size_t left = 5000000;
  int big = memfd_create ("big", MFD_CLOEXEC);
  signal (SIGPIPE, SIG_DFL);
  const char *fault = open_host (&h);
  if (!fault && ftruncate (big, 10000000))
    fault = "memfd";
  if (!fault)           /* a program that does not read what it is given */
    fault = run (h.session, "exec <&-; echo done", big, "done\n");
  if (!fault)           /* a runner that dies while it is written to */
    ak_upload (h.session, "file", 0, kill_and_give, &left, NULL, NULL);
  if (!fault)
    fault = run (h.session, "echo again", -1, "again\n");
  if (fault)
    return fault;
  fault = close_host (&h);
  sigset_t pending;
  sigpending (&pending);
  return fault ? fault : sigismember (&pending, SIGPIPE) ? "a SIGPIPE was left" : NULL;
}

static void
a_host_with_the_default_sigpipe_survives (void **state)
{
  (void) state;
  alone (check_pipes);
}

static const char *
check_closed (void)
{
  struct host h;
  close (0);
  close (1);
  close (2);
  const char *fault = open_host (&h);
  if (!fault)
    fault = run (h.session, "cat; echo out; echo err >&2; ls /proc/self/fd | tr '\\n' ' '", -1, "out\n0 1 2 3 ");
  if (!fault)
    fault = operate (h.session, "cat; echo out", 0);
  if (!fault)
    fault = close_host (&h);
  return fault ? fault : use_all ();
}

static void
the_standard_streams_may_be_closed (void **state)
{
  (void) state;
  alone (check_closed);
}

/* In the child: the parent's runtime says no, and one of its own works. */
static int
check_child (struct host *parents)
{
  struct ak_error *e = NULL;
  static const char *const argv[] = { "true", NULL };
  struct ak_request request = { .struct_size = sizeof request, .argv = argv };
  struct ak_result *r = NULL;
  struct ak_operation *o = NULL;
  struct host mine;
  if (ak_execute (parents->session, &request, &r, &e) != AK_STATUS_INTERNAL || !strstr (ak_error_hint (e), "fork"))
    return 10;
  if (ak_operation_start (parents->session, &request, NULL, &o, NULL) != AK_STATUS_INTERNAL)
    return 11;
  if (ak_session_destroy (parents->session, NULL) != AK_STATUS_INTERNAL)
    return 12;
  if (open_host (&mine) || run (mine.session, "echo child", -1, "child\n") || close_host (&mine))
    return 13;
  return 0;
}

static const char *
check_fork (void)
{
  static char text[64];
  struct host h;
  int status;
  const char *fault = open_host (&h);
  if (!fault)
    fault = run (h.session, "echo kept >kept", -1, "");
  if (!fault)
    fault = operate (h.session, "true", 0);
  if (fault)
    return fault;
  pid_t pid = fork ();
  if (!pid)
    _exit (check_child (&h));
  if (waitpid (pid, &status, 0) != pid || status) {
    snprintf (text, sizeof text, "the child: status %#x", (unsigned) status);
    return text;
  }
  fault = run (h.session, "cat kept", -1, "kept\n");
  return fault ? fault : close_host (&h);
}

static void
a_forked_child_is_refused_and_disturbs_nobody (void **state)
{
  (void) state;
  alone (check_fork);
}

/* Those that were there before are the caller's. */
static const char *
check_descriptors (void)
{
  struct host h;
  char before[90];
  for (int fd = 0; fd < 90; fd++)
    before[fd] = fcntl (fd, F_GETFD) >= 0;
  const char *fault = open_host (&h);
  if (!fault)
    fault = run (h.session, "true", -1, "");
  if (!fault)
    fault = operate (h.session, "true", 0);
  DIR *d = opendir ("/proc/self/fd");
  for (struct dirent *e; !fault && (e = readdir (d));) {
    int fd = atoi (e->d_name);
    if (*e->d_name != '.' && fd < 90 && !before[fd] && fd != dirfd (d) && !(fcntl (fd, F_GETFD) & FD_CLOEXEC))
      fault = "a descriptor is open to programs that the application starts";
  }
  closedir (d);
  return fault ? fault : close_host (&h);
}

static void
no_descriptor_is_inherited (void **state)
{
  (void) state;
  alone (check_descriptors);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (no_setting_of_the_process_changes),
    cmocka_unit_test (the_standard_streams_are_the_applications),
    cmocka_unit_test (a_host_with_the_default_sigpipe_survives),
    cmocka_unit_test (the_standard_streams_may_be_closed),
    cmocka_unit_test (a_forked_child_is_refused_and_disturbs_nobody),
    cmocka_unit_test (no_descriptor_is_inherited),
  };
  return cmocka_run_group_tests_name ("manners", tests, NULL, NULL);
}
