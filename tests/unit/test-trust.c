/* SPDX-License-Identifier: Apache-2.0 */
/* Whose files are believed, and whose are not. */
#include "config.h"
#include "trust.h"
#include "cleanup.h"
#include "paths.h"
#include "plugin-tools.h"
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

/* FOLDER/in/file, both as they should be. */
static int
make_file (void **state)
{
  (void) state;
  chmod (tools_make_folder (), 0755);
  mkdir (tools_path ("in"), 0755);
  chmod (tools_path ("in"), 0755);
  unlink (tools_path ("in/file"));
  tools_write (tools_path ("in/file"), "believe me", 10);
  chmod (tools_path ("in/file"), 0644);
  return 0;
}

static void
believed (const char *path)
{
  struct ak_error *error = NULL;
  char text[16] = "";
  CLEANUP_CLOSE int fd = -1;
  if (ak_trust_open (path, &fd, &error) != AK_STATUS_OK)
    fail_msg ("refused: %s", ak_error_text (error));
  assert_int_equal (fcntl (fd, F_GETFD), FD_CLOEXEC);
  assert_int_equal (read (fd, text, sizeof text), 10);
  assert_string_equal (text, "believe me");
}

/* Refused for a reason that begins thus, behind the path. */
static void
refused (const char *path, enum ak_status status, const char *reason, const char *hint)
{
  struct ak_error *error = NULL;
  int fd = -7;
  assert_int_equal (ak_trust_open (path, &fd, &error), status);
  assert_int_equal (fd, -7);
  assert_int_equal (ak_error_status (error), status);
  const char *text = ak_error_text (error);
  if (strncmp (text, path, strlen (path)) || strncmp (text + strlen (path), reason, strlen (reason)))
    fail_msg ("'%s' has not '%s'", text, reason);
  if (hint)
    assert_string_equal (ak_error_hint (error), hint);
  ak_error_free (error);
}

static void
needs_root (void)
{
  if (geteuid ()) {
    print_message ("# SKIP: only root gives files away\n");
    skip ();
  }
}

static void
a_file_of_ours_is_opened (void **state)
{
  (void) state;
  believed (tools_path ("in/file"));
  believed (tools_path (".//in/../in/./file"));
}

static void
what_is_not_there_is_not_found (void **state)
{
  (void) state;
  refused (tools_path ("in/none"), AK_STATUS_FILE_NOT_FOUND, ": not found", NULL);
  refused (tools_path ("none/file"), AK_STATUS_FILE_NOT_FOUND, ": not found", NULL);
  refused (tools_path ("in/file/more"), AK_STATUS_FILE_NOT_FOUND, ": not found", NULL);
}

static void
a_relative_path_is_refused (void **state)
{
  struct ak_error *error = NULL;
  int fd;
  (void) state;
  assert_int_equal (ak_trust_open ("in/file", &fd, &error), AK_STATUS_CONFIG);
  assert_string_equal (ak_error_text (error), "'in/file': not an absolute path");
  ak_error_free (error);
  assert_int_equal (ak_trust_open ("", &fd, NULL), AK_STATUS_CONFIG);
}

static void
only_regular_files_are_opened (void **state)
{
  (void) state;
  refused (tools_path ("in"), AK_STATUS_PLUGIN, ": not a regular file, but a folder", NULL);
  refused ("/", AK_STATUS_PLUGIN, ": not a regular file, but a folder", NULL);
  mkfifo (tools_path ("pipe"), 0600);
  refused (tools_path ("pipe"), AK_STATUS_PLUGIN, ": not a regular file", NULL);
}

static void
a_folder_is_opened_as_one (void **state)
{
  struct ak_error *error = NULL;
  struct stat st;
  CLEANUP_CLOSE int fd = -1;
  (void) state;
  assert_int_equal (ak_trust_open_dir (tools_path ("in"), &fd, NULL), AK_STATUS_OK);
  assert_int_equal (fstatat (fd, "file", &st, 0), 0);
  int none = -7;
  assert_int_equal (ak_trust_open_dir (tools_path ("in/file"), &none, &error), AK_STATUS_PLUGIN);
  assert_non_null (strstr (ak_error_text (error), ": not a folder"));
  assert_int_equal (none, -7);
  ak_error_free (error);
}

static void
a_file_that_everybody_writes_is_refused (void **state)
{
  char hint[300];
  (void) state;
  const char *path = tools_path ("in/file");
  chmod (path, 0666);
  snprintf (hint, sizeof hint, "Run: chmod o-w '%s'", path);
  refused (path, AK_STATUS_PLUGIN, ": refused for its permissions: it is writable by everybody", hint);
}

static void
a_folder_that_everybody_writes_is_refused (void **state)
{
  char reason[300], hint[300];
  (void) state;
  const char *folder = tools_path ("in"), *path = tools_path ("in/file");
  chmod (folder, 0777);
  snprintf (reason, sizeof reason, ": refused for its permissions: %s is writable by everybody", folder);
  snprintf (hint, sizeof hint, "Run: chmod o-w '%s'", folder);
  refused (path, AK_STATUS_PLUGIN, reason, hint);
}

static void
a_sticky_folder_is_no_fault (void **state)
{
  (void) state;
  chmod (tools_path ("in"), 01777);
  believed (tools_path ("in/file"));
}

static void
a_shared_group_is_refused (void **state)
{
  (void) state;
  needs_root ();
  assert_int_equal (chown (tools_path ("in"), 0, 4242), 0);
  chmod (tools_path ("in"), 0775);
  char reason[300];
  snprintf (reason, sizeof reason, ": refused for its permissions: %s is writable by group 4242",
            tools_path ("in"));
  refused (tools_path ("in/file"), AK_STATUS_PLUGIN, reason, NULL);
  assert_int_equal (chown (tools_path ("in"), 0, 0), 0);
}

static void
the_group_of_root_is_no_fault (void **state)
{
  (void) state;
  needs_root ();
  assert_int_equal (chown (tools_path ("in/file"), 0, 0), 0);
  chmod (tools_path ("in/file"), 0664);
  chmod (tools_path ("in"), 0775);
  believed (tools_path ("in/file"));
}

/* In a process of its own: what another user, who then asks, gets for "in/file". */
static enum ak_status
asked_by (uid_t uid)
{
  int status;
  pid_t child = fork ();
  if (child == 0) {
    int fd;
    if (uid != geteuid () && setresuid (uid, uid, uid))
      _exit (99);
    _exit ((int) ak_trust_open (tools_path ("in/file"), &fd, NULL));
  }
  assert_int_equal (waitpid (child, &status, 0), child);
  assert_true (WIFEXITED (status));
  return (enum ak_status) WEXITSTATUS (status);
}

/* A user, other than root, with a group of the same name and number for it alone. */
static struct passwd *
private_user (void)
{
  struct passwd *user;
  setpwent ();
  while ((user = getpwent ())) {
    struct group *group = getgrgid (user->pw_gid);
    if (user->pw_uid && user->pw_uid != 65534 && (!geteuid () || user->pw_uid == geteuid ()) && group
        && !*group->gr_mem && !strcmp (group->gr_name, user->pw_name) && user->pw_uid == user->pw_gid)
      return user;
  }
  return NULL;
}

static void
the_owners_private_group_is_no_fault (void **state)
{
  struct passwd *user = private_user ();
  (void) state;
  if (!user) {
    print_message ("# SKIP: no user with a group of its own\n");
    skip ();
  }
  uid_t uid = user->pw_uid;
  gid_t gid = user->pw_gid;
  assert_int_equal (chown (tools_path ("in/file"), uid, gid), 0);
  chmod (tools_path ("in/file"), 0664);
  assert_int_equal (asked_by (uid), AK_STATUS_OK);
  if (!geteuid ()) {
    assert_int_equal (chown (tools_path ("in/file"), uid, gid + 1), 0);
    chmod (tools_path ("in/file"), 0664);
    assert_int_equal (asked_by (uid), AK_STATUS_PLUGIN);
    assert_int_equal (chown (tools_path ("in/file"), 0, gid), 0);
    chmod (tools_path ("in/file"), 0664);
    assert_int_equal (asked_by (uid), AK_STATUS_PLUGIN);
  }
}

static void
an_access_list_that_lets_others_write_is_refused (void **state)
{
  /* user::rw- user:4242:rw- group::r-- mask::rw- other::r-- */
  static const struct { uint16_t tag, permissions; uint32_t id; } entries[] = {
    { 1, 6, 0xffffffff }, { 2, 6, 4242 }, { 4, 4, 0xffffffff }, { 16, 6, 0xffffffff }, { 32, 4, 0xffffffff },
  };
  char list[4 + sizeof entries] = { 2 };
  (void) state;
  needs_root ();
  memcpy (list + 4, entries, sizeof entries);
  if (setxattr (tools_path ("in/file"), "system.posix_acl_access", list, sizeof list, 0)) {
    print_message ("# SKIP: no access lists here: %s\n", strerror (errno));
    skip ();
  }
  refused (tools_path ("in/file"), AK_STATUS_PLUGIN,
           ": refused for its permissions: it is writable by others, says its access list", NULL);
}

static void
a_file_of_somebody_else_is_refused (void **state)
{
  (void) state;
  needs_root ();
  assert_int_equal (chown (tools_path ("in/file"), 4242, 0), 0);
  refused (tools_path ("in/file"), AK_STATUS_PLUGIN,
           ": refused for its permissions: it is owned by user 4242", NULL);
  /* In a sticky folder it is the owner of the file that counts, too. */
  chmod (tools_path ("in"), 01777);
  refused (tools_path ("in/file"), AK_STATUS_PLUGIN,
           ": refused for its permissions: it is owned by user 4242", NULL);
}

static void
a_folder_of_somebody_else_is_refused (void **state)
{
  char reason[300];
  (void) state;
  needs_root ();
  assert_int_equal (chown (tools_path ("in"), 4242, 0), 0);
  snprintf (reason, sizeof reason, ": refused for its permissions: %s is owned by user 4242",
            tools_path ("in"));
  refused (tools_path ("in/file"), AK_STATUS_PLUGIN, reason, NULL);
  assert_int_equal (chown (tools_path ("in"), 0, 0), 0);
}

static void
what_reads_as_the_overflow_user_is_a_strangers (void **state)
{
  uid_t own;
  (void) state;
  needs_root ();
  if (ak_paths_self_owner (&own) || own == 65534) {
    print_message ("# SKIP: this program itself reads so\n");
    skip ();
  }
  assert_int_equal (chown (tools_path ("in/file"), 4242, 4242), 0);
  assert_int_equal (asked_by (4242), AK_STATUS_OK);
  assert_int_equal (chown (tools_path ("in/file"), 65534, 65534), 0);
  assert_int_equal (asked_by (65534), AK_STATUS_PLUGIN);
}

static void
links_are_followed_and_both_sides_judged (void **state)
{
  char reason[300];
  (void) state;
  unlink (tools_path ("link"));
  unlink (tools_path ("in/up"));
  assert_int_equal (symlink ("in", tools_path ("link")), 0);
  assert_int_equal (symlink ("../link/file", tools_path ("in/up")), 0);
  believed (tools_path ("link/file"));
  believed (tools_path ("in/up"));
  unlink (tools_path ("absolute"));
  assert_int_equal (symlink (tools_path ("link/up"), tools_path ("absolute")), 0);
  believed (tools_path ("absolute"));
  chmod (tools_path ("in"), 0777);
  snprintf (reason, sizeof reason, ": refused for its permissions: %s is writable by everybody",
            tools_path ("in"));
  refused (tools_path ("absolute"), AK_STATUS_PLUGIN, reason, NULL);
}

static void
a_link_of_somebody_else_is_refused (void **state)
{
  char reason[300];
  (void) state;
  needs_root ();
  unlink (tools_path ("foreign"));
  assert_int_equal (symlink ("in/file", tools_path ("foreign")), 0);
  assert_int_equal (lchown (tools_path ("foreign"), 4242, 0), 0);
  snprintf (reason, sizeof reason, ": refused for its permissions: it is owned by user 4242");
  refused (tools_path ("foreign"), AK_STATUS_PLUGIN, reason, NULL);
}

static void
a_link_to_nowhere_says_where_it_leads (void **state)
{
  char reason[300];
  (void) state;
  unlink (tools_path ("dangling"));
  assert_int_equal (symlink ("in/gone", tools_path ("dangling")), 0);
  snprintf (reason, sizeof reason, ": not found: a link on the way leads to in/gone, and there is no %s",
            tools_path ("in/gone"));
  refused (tools_path ("dangling"), AK_STATUS_FILE_NOT_FOUND, reason, NULL);
}

static void
links_in_a_circle_end (void **state)
{
  (void) state;
  unlink (tools_path ("round"));
  assert_int_equal (symlink ("round", tools_path ("round")), 0);
  refused (tools_path ("round"), AK_STATUS_PLUGIN, ": cannot be opened: more than 40 links on the way", NULL);
}

static void
forty_links_are_followed (void **state)
{
  char name[32], target[32];
  (void) state;
  for (int i = 0; i < 41; i++) {
    snprintf (name, sizeof name, "chain%d", i);
    snprintf (target, sizeof target, "chain%d", i - 1);
    unlink (tools_path (name));
    assert_int_equal (symlink (i ? target : "in/file", tools_path (name)), 0);
  }
  believed (tools_path ("chain39"));
  refused (tools_path ("chain40"), AK_STATUS_PLUGIN, ": cannot be opened: more than 40 links on the way",
           NULL);
}

static void
an_odd_name_is_quoted_in_the_remedy (void **state)
{
  char hint[400];
  (void) state;
  tools_write (tools_path ("it's $(x)"), "x", 1);
  chmod (tools_path ("it's $(x)"), 0666);
  snprintf (hint, sizeof hint, "Run: chmod o-w '%s/it'\\''s $(x)'", tools_make_folder ());
  refused (tools_path ("it's $(x)"), AK_STATUS_PLUGIN,
           ": refused for its permissions: it is writable by everybody", hint);
}

static void
nothing_stays_open (void **state)
{
  (void) state;
  int before = dup (0);
  close (before);
  refused (tools_path ("in/none"), AK_STATUS_FILE_NOT_FOUND, ": not found", NULL);
  refused (tools_path ("round"), AK_STATUS_PLUGIN, ": cannot", NULL);
  believed (tools_path ("in/file"));
  int after = dup (0);
  close (after);
  assert_int_equal (before, after);
}

static void
our_own_file_is_known (void **state)
{
  char real[300] = "";
  uid_t owner;
  struct stat st;
  (void) state;
  assert_true (readlink ("/proc/self/exe", real, sizeof real - 1) > 0);
  assert_string_equal (ak_paths_self (), real);
  assert_int_equal (stat (real, &st), 0);
  assert_int_equal (ak_paths_self_owner (&owner), 0);
  assert_int_equal (owner, st.st_uid);
}

static void
a_runner_is_named_by_a_machine_alone (void **state)
{
  struct ak_error *error = NULL;
  int fd = -7;
  (void) state;
  assert_int_equal (ak_paths_runner ("../x", &fd, &error), AK_STATUS_CONFIG);
  assert_string_equal (ak_error_text (error), "runner: '../x' is not the name of a machine");
  ak_error_free (error);
  error = NULL;
  assert_int_equal (ak_paths_runner ("pdp11", &fd, &error), AK_STATUS_CONFIG);
  assert_int_equal (ak_error_status (error), AK_STATUS_CONFIG);
  assert_non_null (strstr (ak_error_text (error), "runner: there is none for pdp11: looked for /"));
  assert_non_null (strstr (ak_error_text (error), "/runner-pdp11"));
  ak_error_free (error);
  assert_int_equal (fd, -7);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup (a_file_of_ours_is_opened, make_file),
    cmocka_unit_test_setup (what_is_not_there_is_not_found, make_file),
    cmocka_unit_test_setup (a_relative_path_is_refused, make_file),
    cmocka_unit_test_setup (only_regular_files_are_opened, make_file),
    cmocka_unit_test_setup (a_folder_is_opened_as_one, make_file),
    cmocka_unit_test_setup (a_file_that_everybody_writes_is_refused, make_file),
    cmocka_unit_test_setup (a_folder_that_everybody_writes_is_refused, make_file),
    cmocka_unit_test_setup (a_sticky_folder_is_no_fault, make_file),
    cmocka_unit_test_setup (a_shared_group_is_refused, make_file),
    cmocka_unit_test_setup (the_group_of_root_is_no_fault, make_file),
    cmocka_unit_test_setup (the_owners_private_group_is_no_fault, make_file),
    cmocka_unit_test_setup (an_access_list_that_lets_others_write_is_refused, make_file),
    cmocka_unit_test_setup (a_file_of_somebody_else_is_refused, make_file),
    cmocka_unit_test_setup (a_folder_of_somebody_else_is_refused, make_file),
    cmocka_unit_test_setup (what_reads_as_the_overflow_user_is_a_strangers, make_file),
    cmocka_unit_test_setup (links_are_followed_and_both_sides_judged, make_file),
    cmocka_unit_test_setup (a_link_of_somebody_else_is_refused, make_file),
    cmocka_unit_test_setup (a_link_to_nowhere_says_where_it_leads, make_file),
    cmocka_unit_test_setup (links_in_a_circle_end, make_file),
    cmocka_unit_test_setup (forty_links_are_followed, make_file),
    cmocka_unit_test_setup (an_odd_name_is_quoted_in_the_remedy, make_file),
    cmocka_unit_test_setup (nothing_stays_open, make_file),
    cmocka_unit_test (our_own_file_is_known),
    cmocka_unit_test (a_runner_is_named_by_a_machine_alone),
  };
  return cmocka_run_group_tests_name ("trust", tests, NULL, NULL);
}
