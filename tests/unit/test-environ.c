/* SPDX-License-Identifier: Apache-2.0 */
/* The environment is read in one place, and not at all by a program with more rights than its caller. */
#include "config.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "environ.h"

struct seen {
  char text[512];
};

static void
note (void *data, const char *entry)
{
  struct seen *seen = data;

  strncat (seen->text, entry, sizeof seen->text - strlen (seen->text) - 2);
  strcat (seen->text, ";");
}

static void
a_variable_is_read (void **state)
{
  (void) state;
  setenv ("AK_TEST_ENVIRON", "here", 1);
  assert_string_equal (ak_environ ("AK_TEST_ENVIRON"), "here");
  unsetenv ("AK_TEST_ENVIRON");
  assert_null (ak_environ ("AK_TEST_ENVIRON"));
}

static void
variables_are_listed_by_prefix_in_any_case (void **state)
{
  struct seen seen = { "" };

  (void) state;
  ak_environ_each ("AKT_", note, &seen);
  assert_string_equal (seen.text, "");
  setenv ("AKT_ONE", "1", 1);
  setenv ("OTHER", "AKT_", 1);
  setenv ("akt_two", "", 1);
  ak_environ_each ("AKT_", note, &seen);
  assert_string_equal (seen.text, "AKT_ONE=1;akt_two=;");
}

static void
names_of_variables_are_told_from_other_text (void **state)
{
  (void) state;
  assert_true (ak_environ_is_name ("E2B_API_KEY"));
  assert_true (ak_environ_is_name ("_x9"));
  assert_false (ak_environ_is_name (""));
  assert_false (ak_environ_is_name ("9X"));
  assert_false (ak_environ_is_name ("A-B"));
  assert_false (ak_environ_is_name ("A=B"));
}

static int
copy_self (const char *to)
{
  char buffer[65536];
  ssize_t n;
  int in = open ("/proc/self/exe", O_RDONLY | O_CLOEXEC),
      out = open (to, O_WRONLY | O_CREAT | O_CLOEXEC, 0700);
  int failed = in < 0 || out < 0;

  while (!failed && (n = read (in, buffer, sizeof buffer)) > 0)
    failed = write (out, buffer, (size_t) n) != n;
  close (in);
  close (out);
  return failed ? -1 : 0;
}

/* A group of the caller's that is not its current one. */
static gid_t
another_group (void)
{
  gid_t groups[64];
  int n = getgroups (64, groups);

  if (geteuid () == 0)
    return getegid () == 1 ? 2 : 1;
  for (int i = 0; i < n; i++)
    if (groups[i] != getegid ())
      return groups[i];
  return (gid_t) -1;
}

/* What a copy of this program that gains a group sees: its exit status, 2 when it gained nothing. */
static int
run_with_more_rights (const char *program)
{
  int status = -1;
  pid_t pid = fork ();

  if (pid == 0) {
    char *const argv[] = { (char[]) { "test" }, (char[]) { "secure" }, NULL };
    char *const envp[] = { (char[]) { "AK_TEST_ENVIRON=here" }, NULL };

    execve (program, argv, envp);
    _exit (3);
  }
  waitpid (pid, &status, 0);
  return WIFEXITED (status) ? WEXITSTATUS (status) : -1;
}

static void
a_program_with_more_rights_reads_nothing (void **state)
{
  char folder[] = "/tmp/ak-environ-XXXXXX", program[64];
  gid_t group = another_group ();
  int seen = 2;

  (void) state;
  if (group == (gid_t) -1 || !mkdtemp (folder)) {
    print_message ("# SKIP: no second group to give a program to\n");
    skip ();
    return;
  }
  snprintf (program, sizeof program, "%s/program", folder);
  if (copy_self (program) == 0 && chown (program, (uid_t) -1, group) == 0 && chmod (program, 02755) == 0)
    seen = run_with_more_rights (program);
  unlink (program);
  rmdir (folder);
  if (seen == 2) {
    print_message ("# SKIP: no program gains rights in /tmp\n");
    skip ();
  }
  assert_int_equal (seen, 0);
}

static int
report_what_is_seen (void)
{
  struct seen seen = { "" };

  if (getauxval (AT_SECURE) == 0)
    return 2;
  ak_environ_each ("AK_", note, &seen);
  return ak_environ ("AK_TEST_ENVIRON") || *seen.text ? 1 : 0;
}

int
main (int argc, char **argv)
{
  static const struct CMUnitTest tests[] = {
    cmocka_unit_test (a_variable_is_read),
    cmocka_unit_test (variables_are_listed_by_prefix_in_any_case),
    cmocka_unit_test (names_of_variables_are_told_from_other_text),
    cmocka_unit_test (a_program_with_more_rights_reads_nothing),
  };

  if (argc == 2 && strcmp (argv[1], "secure") == 0)
    return report_what_is_seen ();
  return cmocka_run_group_tests (tests, NULL, NULL);
}
