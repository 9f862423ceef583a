/* SPDX-License-Identifier: Apache-2.0 */
/* Processes of the SDK's archive: what a child gets, what it is kept from, and its end. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <aksandbox/sdk.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#define SPACES (CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS)

static int
descriptors (void)
{
  int n = 0;
  DIR *dir = opendir ("/proc/self/fd");
  assert_non_null (dir);
  while (readdir (dir))
    n++;
  closedir (dir);
  return n;
}

static int
start_shell (struct aks_start *start, const char *line, int out, struct aks_process *process,
             enum aks_step *step)
{
  AKS_CLOSE int shell = open ("/bin/sh", O_PATH | O_CLOEXEC);
  const char *const argv[] = { "sh", "-c", line, NULL }, *const envp[] = { "PATH=/usr/bin:/bin", "A=b",
                                                                           NULL };
  int fds[] = { -1, out, out };
  start->program = shell;
  start->argv = argv;
  start->envp = envp;
  start->fds = fds;
  start->n_fds = 3;
  return aks_process_start (start, process, step);
}

/* What a shell line prints, in a child made that way. */
static int
output_of (struct aks_start *start, const char *line, char *ret, size_t room)
{
  struct aks_process process;
  enum aks_step step = 0;
  int pipes[2];
  size_t have = 0;
  ssize_t n;
  assert_int_equal (pipe2 (pipes, O_CLOEXEC), 0);
  int error = start_shell (start, line, pipes[1], &process, &step);
  close (pipes[1]);
  while (!error && (n = read (pipes[0], ret + have, room - 1 - have)) > 0)
    have += (size_t) n;
  close (pipes[0]);
  if (error)
    return error;
  ret[have] = '\0';
  assert_int_equal (aks_process_wait (&process, 5000), 1);
  aks_process_clear (&process);
  return 0;
}

static void
a_child_gets_its_descriptors_and_nothing_else (void **state)
{
  struct aks_start start = { .folder = -1 };
  char out[512];
  (void) state;
  int leak = open ("/dev/null", O_RDONLY);      /* as an application may have left it open */
  int before = descriptors ();
  assert_int_equal (output_of (&start, "cd /proc/self/fd; echo *; readlink 0", out, sizeof out), 0);
  close (leak);
  /* 3 is the folder, which the shell reads at that moment. */
  assert_string_equal (out, "0 1 2 3\n/dev/null\n");
  assert_int_equal (descriptors (), before - 1);
}

static void
descriptors_may_change_places (void **state)
{
  struct aks_process process;
  enum aks_step step;
  char out[16] = "";
  int a[2], b[2], c[2];
  (void) state;
  assert_int_equal (pipe2 (a, O_CLOEXEC) | pipe2 (b, O_CLOEXEC) | pipe2 (c, O_CLOEXEC), 0);
  /* Each where another has to go. */
  int fds[] = { -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1 };
  assert_true (a[1] < 20 && b[1] < 20 && c[1] < 20);
  fds[a[1]] = b[1];
  fds[b[1]] = c[1];
  fds[c[1]] = a[1];
  char line[64];
  snprintf (line, sizeof line, "printf a >&%d; printf b >&%d; printf c >&%d", a[1], b[1], c[1]);
  /* dash takes one digit only. */
  int shell = open ("/bin/bash", O_PATH | O_CLOEXEC);
  if (shell < 0) {
    print_message ("# SKIP: no bash\n");
    skip ();
  }
  const char *const argv[] = { "bash", "-c", line, NULL }, *const envp[] = { NULL };
  struct aks_start start = {
    .program = shell, .argv = argv, .envp = envp, .fds = fds, .n_fds = 20, .folder = -1
  };
  assert_int_equal (aks_process_start (&start, &process, &step), 0);
  assert_int_equal (aks_process_wait (&process, 5000), 1);
  aks_process_clear (&process);
  assert_int_equal (read (b[0], out, sizeof out), 1);
  assert_int_equal (out[0], 'a');
  assert_int_equal (read (c[0], out, sizeof out), 1);
  assert_int_equal (out[0], 'b');
  assert_int_equal (read (a[0], out, sizeof out), 1);
  assert_int_equal (out[0], 'c');
  close (shell);
  for (int i = 0; i < 2; i++)
    close (a[i]), close (b[i]), close (c[i]);
}

static void
environment_folder_session_and_umask_are_what_was_said (void **state)
{
  AKS_CLOSE int folder = open ("/usr", O_PATH | O_DIRECTORY | O_CLOEXEC);
  struct aks_start start = { .folder = folder };
  char out[512];
  (void) state;
  mode_t before = umask (077);
  int error = output_of (
    &start, "pwd; umask; tr '\\0' ' ' </proc/$$/environ; echo; cut -d' ' -f6 /proc/$$/stat; echo $$", out,
    sizeof out);
  umask (before);
  assert_int_equal (error, 0);
  char *lines[6], *save = NULL;
  int n = 0;
  for (char *l = strtok_r (out, "\n", &save); l && n < 6; l = strtok_r (NULL, "\n", &save))
    lines[n++] = l;
  assert_int_equal (n, 5);
  assert_string_equal (lines[0], "/usr");
  assert_string_equal (lines[1], "0022");
  assert_string_equal (lines[2], "PATH=/usr/bin:/bin A=b ");
  assert_string_equal (lines[3], lines[4]);
}

/* Past the C library, which keeps some signals for itself. */
static int
set_raw (int number, uintptr_t handler)
{
  uintptr_t action[8] = { handler };    /* the first member, but on MIPS and Alpha */
  return (int) syscall (SYS_rt_sigaction, number, action, NULL, (size_t) NSIG / 8);
}

static void
ignored_and_blocked_signals_are_not_inherited (void **state)
{
  struct aks_start start = { .folder = -1 };
  char out[512];
  sigset_t some, before;
  (void) state;
  sigemptyset (&some);
  sigaddset (&some, SIGUSR1);
  sigaddset (&some, SIGTERM);
  signal (SIGPIPE, SIG_IGN);
  signal (SIGHUP, SIG_IGN);
  int ignored = set_raw (33, (uintptr_t) SIG_IGN);      /* one of the C library's */
  pthread_sigmask (SIG_BLOCK, &some, &before);
  int error = output_of (&start, "grep -E '^Sig(Blk|Ign)' /proc/self/status", out, sizeof out);
  pthread_sigmask (SIG_SETMASK, &before, NULL);
  signal (SIGPIPE, SIG_DFL);
  signal (SIGHUP, SIG_DFL);
  set_raw (33, (uintptr_t) SIG_DFL);
  assert_int_equal (ignored, 0);
  assert_int_equal (error, 0);
  assert_string_equal (out, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
}

static void
our_own_signal_mask_is_as_before (void **state)
{
  struct aks_start start = { .folder = -1 };
  sigset_t some, before, after;
  char out[64];
  (void) state;
  sigemptyset (&some);
  sigaddset (&some, SIGUSR2);
  pthread_sigmask (SIG_BLOCK, &some, &before);
  assert_int_equal (output_of (&start, "true", out, sizeof out), 0);
  pthread_sigmask (SIG_SETMASK, &before, &after);
  assert_int_equal (sigismember (&after, SIGUSR2), 1);
  assert_int_equal (sigismember (&after, SIGUSR1), 0);
}

static void
what_cannot_be_executed_is_an_error_with_its_step (void **state)
{
  struct aks_process process = { 77, 88 };
  enum aks_step step = 0;
  const char *const argv[] = { "x", NULL }, *const envp[] = { NULL };
  (void) state;
  int before = descriptors ();
  AKS_CLOSE int program = open ("/etc/passwd", O_PATH | O_CLOEXEC);
  struct aks_start start = { .program = program, .argv = argv, .envp = envp, .folder = -1 };
  assert_int_equal (aks_process_start (&start, &process, &step), -EACCES);
  assert_int_equal (step, AKS_STEP_EXEC);
  start.folder = program;
  assert_int_equal (aks_process_start (&start, &process, &step), -ENOTDIR);
  assert_int_equal (step, AKS_STEP_FOLDER);
  assert_int_equal (process.pid, 77);
  assert_int_equal (descriptors (), before + 1);
  assert_int_equal (waitpid (-1, NULL, __WALL | WNOHANG), -1);
  assert_int_equal (errno, ECHILD);
}

static void
need_spaces (void)
{
  static const char *const nothing[] = { NULL };
  struct aks_maps maps;
  struct aks_start start = { .program = -1,
                             .argv = nothing,
                             .envp = nothing,
                             .folder = -1,
                             .spaces = SPACES,
                             .maps = &maps,
                             .flags = AKS_PROC };
  struct aks_process process;
  enum aks_step step = 0;
  int error = aks_maps_identity (&maps);
  if (!error)
    error = aks_process_start (&start, &process, &step);
  if (error) {
    print_message ("# SKIP: no user namespaces here: %s: %s\n", aks_step_text (step), strerror (-error));
    skip ();
  }
  assert_int_equal (aks_process_wait (&process, 5000), 1);
  aks_process_clear (&process);
}

static void
in_its_own_namespaces_it_is_pid_1_and_sees_no_other (void **state)
{
  struct aks_maps maps;
  struct aks_start start = { .folder = -1, .spaces = SPACES, .maps = &maps, .flags = AKS_PROC };
  char out[512], expected[64];
  (void) state;
  need_spaces ();
  assert_int_equal (aks_maps_identity (&maps), 0);
  assert_int_equal (
    output_of (&start, "echo $$; cd /proc; echo [0-9]*; id -u; umount /proc 2>/dev/null; echo $?; pwd", out,
               sizeof out),
    0);
  char *rest = strchr (out, '\n');
  assert_non_null (rest);
  *rest = '\0';
  assert_string_equal (out, "1");
  snprintf (expected, sizeof expected, "1\n%u\n", geteuid ());
  rest[1 + strlen (expected)] = '\0';
  assert_string_equal (rest + 1, expected);
}

static void
its_working_folder_is_inside_its_mounts (void **state)
{
  AKS_CLOSE int folder = open ("/usr", O_PATH | O_DIRECTORY | O_CLOEXEC);
  struct aks_maps maps;
  struct aks_start start = { .folder = folder, .spaces = SPACES, .maps = &maps, .flags = AKS_PROC };
  char out[512];
  (void) state;
  need_spaces ();
  assert_int_equal (aks_maps_identity (&maps), 0);
  assert_int_equal (output_of (&start, "readlink /proc/self/cwd; ls -d bin", out, sizeof out), 0);
  assert_string_equal (out, "/usr\nbin\n");
}

static void
its_mounts_do_not_show_outside (void **state)
{
  struct aks_maps maps;
  struct aks_start start = { .folder = -1, .spaces = SPACES, .maps = &maps, .flags = AKS_PROC };
  char out[512];
  struct stat before, after;
  (void) state;
  need_spaces ();
  assert_int_equal (stat ("/proc", &before), 0);
  assert_int_equal (aks_maps_identity (&maps), 0);
  assert_int_equal (output_of (&start,
                               "grep -c ' /proc ' /proc/self/mountinfo; grep -c shared: /proc/self/mountinfo",
                               out, sizeof out),
                    0);
  assert_true (strtol (out, NULL, 10) >= 2);
  assert_string_equal (strchr (out, '\n'), "\n0\n");
  assert_int_equal (stat ("/proc", &after), 0);
  assert_int_equal (before.st_dev, after.st_dev);
}

/* The same in a process of a user without rights, which may not be looked into either. */
static int
unprivileged (int dumpable)
{
  struct aks_maps maps;
  struct aks_start start = { .folder = -1, .spaces = SPACES, .maps = &maps, .flags = AKS_PROC };
  char out[128] = "";
  if (geteuid () == 0 && (setresgid (65534, 65534, 65534) || setresuid (65534, 65534, 65534)))
    return 90;
  if (prctl (PR_SET_DUMPABLE, dumpable, 0, 0, 0))
    return 91;
  if (aks_maps_identity (&maps) || !maps.deny_setgroups)
    return 92;
  int error = output_of (&start, "echo $$; cat /proc/self/setgroups; id -u", out, sizeof out);
  if (error)
    return error == -EPERM || error == -ENOSPC || error == -EACCES ? 77 : 93;
  char expected[64];
  snprintf (expected, sizeof expected, "1\ndeny\n%u\n", geteuid ());
  return strcmp (out, expected) ? printf ("# %s", out), 94 : 0;
}

static void
run_unprivileged (int dumpable)
{
  int status;
  fflush (stdout);
  pid_t pid = fork ();
  if (pid == 0)
    _exit (unprivileged (dumpable));
  assert_int_equal (waitpid (pid, &status, 0), pid);
  assert_true (WIFEXITED (status));
  if (WEXITSTATUS (status) == 77) {
    print_message ("# SKIP: no user namespaces without rights here\n");
    skip ();
  }
  assert_int_equal (WEXITSTATUS (status), 0);
}

static void
a_user_without_rights_maps_himself (void **state)
{
  (void) state;
  run_unprivileged (1);
}

static void
so_does_one_whose_process_is_not_dumpable (void **state)
{
  (void) state;
  run_unprivileged (0);
}

static void
a_scope_keeps_signals_inside (void **state)
{
  struct aks_start start = { .folder = -1, .flags = AKS_SCOPE };
  char out[512], line[128];
  (void) state;
  pid_t victim = fork ();
  if (victim == 0) {
    sleep (20);
    _exit (0);
  }
  snprintf (line, sizeof line, "kill -9 %d 2>/dev/null && echo killed; sleep 9 & kill -9 $! && echo own",
            (int)victim);
  int error = output_of (&start, line, out, sizeof out);
  int status;
  pid_t reaped = waitpid (victim, &status, WNOHANG);
  kill (victim, SIGKILL);
  waitpid (victim, &status, 0);
  if (error == -ENOSYS || error == -EOPNOTSUPP) {
    print_message ("# SKIP: this kernel's Landlock has no scopes\n");
    skip ();
  }
  assert_int_equal (error, 0);
  assert_int_equal (reaped, 0);
  assert_string_equal (out, "own\n");
}

static void
an_application_that_ignores_sigchld_loses_nothing (void **state)
{
  struct aks_start start = { .folder = -1 };
  char out[64];
  (void) state;
  signal (SIGCHLD, SIG_IGN);
  int error = output_of (&start, "echo hi", out, sizeof out);
  signal (SIGCHLD, SIG_DFL);
  assert_int_equal (error, 0);
  assert_string_equal (out, "hi\n");
}

static atomic_int stop_collecting;

static void *
collect (void *data)
{
  while (!stop_collecting) {
    if (waitpid (-1, NULL, WNOHANG) <= 0)
      nanosleep (&(struct timespec) { 0, 100000 }, NULL);
  }
  return data;
}

static void
an_application_that_waits_for_any_child_is_no_matter (void **state)
{
  struct aks_start start = { .folder = -1 };
  pthread_t thread;
  char out[64];
  (void) state;
  stop_collecting = 0;
  assert_int_equal (pthread_create (&thread, NULL, collect, NULL), 0);
  for (int i = 0; i < 20; i++) {
    assert_int_equal (output_of (&start, "echo hi", out, sizeof out), 0);
    assert_string_equal (out, "hi\n");
  }
  stop_collecting = 1;
  pthread_join (thread, NULL);
}

static void *
start_in_thread (void *data)
{
  struct aks_start start = { .folder = -1 };
  enum aks_step step;
  int error = start_shell (&start, "sleep 60", -1, data, &step);
  return error ? data : NULL;
}

static void
a_child_outlives_the_thread_that_started_it (void **state)
{
  struct aks_process process = { 0, -1 };
  pthread_t thread;
  void *failed;
  (void) state;
  assert_int_equal (pthread_create (&thread, NULL, start_in_thread, &process), 0);
  pthread_join (thread, &failed);
  assert_null (failed);
  assert_int_equal (aks_process_wait (&process, 200), 0);
  assert_int_equal (aks_process_kill (&process, 2000), 1);
  aks_process_clear (&process);
}

/* valgrind and old container engines do not know the call. */
static void
need_pidfd_open (pid_t pid)
{
  int fd = (int) syscall (SYS_pidfd_open, pid, 0);
  if (fd < 0) {
    kill (pid, SIGKILL);
    print_message ("# SKIP: no pidfd_open here: %s\n", strerror (errno));
    skip ();
  }
  close (fd);
}

static void
a_process_is_found_again_by_its_identity (void **state)
{
  struct aks_start start = { .folder = -1 };
  struct aks_process process;
  struct aks_identity who, other;
  enum aks_step step;
  int fd = -1;
  (void) state;
  assert_int_equal (start_shell (&start, "sleep 60", -1, &process, &step), 0);
  assert_int_equal (aks_identity_of (process.pid, &who), 0);
  need_pidfd_open (process.pid);
  assert_int_equal (aks_identity_open (&who, &fd), 0);
  close (fd);
  fd = -7;
  other = who;
  other.start++;
  assert_int_equal (aks_identity_open (&other, &fd), -ESRCH);
  other = who;
  other.boot[0] = other.boot[0] == 'a' ? 'b' : 'a';
  assert_int_equal (aks_identity_open (&other, &fd), -ESRCH);
  other = who;
  other.space++;
  assert_int_equal (aks_identity_open (&other, &fd), -EXDEV);
  other = who;
  other.pid = -1;
  assert_int_equal (aks_identity_open (&other, &fd), -ESRCH);
  assert_int_equal (aks_process_kill (&process, 2000), 1);
  assert_int_equal (aks_identity_open (&who, &fd), -ESRCH);
  assert_int_equal (fd, -7);
  aks_process_clear (&process);
}

static void
another_users_process_is_refused (void **state)
{
  struct aks_identity who;
  int fd = -7;
  (void) state;
  if (geteuid ()) {
    print_message ("# SKIP: only root can have another user's process\n");
    skip ();
  }
  pid_t pid = fork ();
  if (pid == 0) {
    if (setresuid (65534, 65534, 65534) == 0)
      sleep (20);
    _exit (0);
  }
  nanosleep (&(struct timespec) { 0, 50000000 }, NULL);
  need_pidfd_open (pid);
  assert_int_equal (aks_identity_of (pid, &who), 0);
  assert_int_equal (aks_identity_open (&who, &fd), -EPERM);
  assert_int_equal (fd, -7);
  kill (pid, SIGKILL);
  waitpid (pid, NULL, 0);
}

/* How many processes have this word in their command line. */
static int
count (const char *word)
{
  int n = 0;
  DIR *proc = opendir ("/proc");
  for (struct dirent *e; (e = readdir (proc));) {
    char path[300], text[512];
    snprintf (path, sizeof path, "/proc/%.200s/cmdline", e->d_name);
    int fd = strtol (e->d_name, NULL, 10) > 0 ? open (path, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0)
      continue;
    ssize_t size = read (fd, text, sizeof text);
    n += size > 0 && memmem (text, (size_t) size, word, strlen (word));
    close (fd);
  }
  closedir (proc);
  return n;
}

static void
a_tree_is_killed_whatever_its_processes_do (void **state)
{
  struct aks_start start = { .folder = -1 };
  struct aks_process process;
  enum aks_step step;
  char line[512], word[32];
  (void) state;
  /* Numbers that are words: `sleep` takes fractions. */
  snprintf (word, sizeof word, "61.%d", (int) getpid ());
  snprintf (line, sizeof line,
            "trap '' TERM HUP; sleep %s & (sleep %s & sleep %s) & setsid sh -c 'trap \"\" TERM; sleep %s & "
            "sleep %s' & "
            "(sleep %s & kill -STOP $!; sleep %s); :",
            word, word, word, word, word, word, word);
  assert_int_equal (start_shell (&start, line, -1, &process, &step), 0);
  for (int i = 0; i < 200 && count (word) < 8; i++)
    nanosleep (&(struct timespec) { 0, 10000000 }, NULL);
  assert_true (count (word) >= 8);
  assert_int_equal (aks_tree_kill (&process, 2000), 0);
  assert_int_equal (count (word), 0);
  aks_process_clear (&process);
}

static void
a_fork_bomb_is_killed (void **state)
{
  struct aks_start start = { .folder = -1 };
  struct aks_process process;
  enum aks_step step;
  char line[256], word[32];
  struct timespec before, after;
  (void) state;
  /* Its processes end early by themselves, in case the kill fails. */
  snprintf (word, sizeof word, "bomb-%d", (int) getpid ());
  snprintf (
    line, sizeof line,
    "f () { sleep 0.0%s; [ $1 -gt 0 ] && { f $(($1-1)) & f $(($1-1)) & }; sleep 5; : %s; }; f 6; wait", "1",
    word);
  assert_int_equal (start_shell (&start, line, -1, &process, &step), 0);
  nanosleep (&(struct timespec) { 0, 100000000 }, NULL);
  clock_gettime (CLOCK_MONOTONIC, &before);
  assert_int_equal (aks_tree_kill (&process, 2000), 0);
  clock_gettime (CLOCK_MONOTONIC, &after);
  assert_true (after.tv_sec - before.tv_sec < 3);
  /* What has got its SIGKILL may still be on its way out. */
  for (int i = 0; i < 100 && count (word); i++)
    nanosleep (&(struct timespec) { 0, 20000000 }, NULL);
  assert_int_equal (count (word), 0);
  aks_process_clear (&process);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (a_child_gets_its_descriptors_and_nothing_else),
    cmocka_unit_test (descriptors_may_change_places),
    cmocka_unit_test (environment_folder_session_and_umask_are_what_was_said),
    cmocka_unit_test (ignored_and_blocked_signals_are_not_inherited),
    cmocka_unit_test (our_own_signal_mask_is_as_before),
    cmocka_unit_test (what_cannot_be_executed_is_an_error_with_its_step),
    cmocka_unit_test (in_its_own_namespaces_it_is_pid_1_and_sees_no_other),
    cmocka_unit_test (its_working_folder_is_inside_its_mounts),
    cmocka_unit_test (its_mounts_do_not_show_outside),
    cmocka_unit_test (a_user_without_rights_maps_himself),
    cmocka_unit_test (so_does_one_whose_process_is_not_dumpable),
    cmocka_unit_test (a_scope_keeps_signals_inside),
    cmocka_unit_test (an_application_that_ignores_sigchld_loses_nothing),
    cmocka_unit_test (an_application_that_waits_for_any_child_is_no_matter),
    cmocka_unit_test (a_child_outlives_the_thread_that_started_it),
    cmocka_unit_test (a_process_is_found_again_by_its_identity),
    cmocka_unit_test (another_users_process_is_refused),
    cmocka_unit_test (a_tree_is_killed_whatever_its_processes_do),
    cmocka_unit_test (a_fork_bomb_is_killed),
  };
  return cmocka_run_group_tests_name ("sdk process", tests, NULL, NULL);
}
