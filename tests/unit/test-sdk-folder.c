/* SPDX-License-Identifier: Apache-2.0 */
/* Folders and files of the SDK's archive, against what a hostile program leaves behind. */
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
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

struct place { char path[64]; int fd; };

static int
set_up (void **state)
{
  static struct place place;
  strcpy (place.path, "/tmp/test-sdk-folder-XXXXXX");
  if (!mkdtemp (place.path))
    return -1;
  place.fd = open (place.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  *state = &place;
  return place.fd < 0;
}

static int
tear_down (void **state)
{
  struct place *p = *state;
  struct aks_removal r = { .stopped = NULL };
  int error = aks_folder_empty (p->fd, &r);
  close (p->fd);
  return error || rmdir (p->path);
}

static void
write_file (int folder, const char *name, const char *text)
{
  int fd = openat (folder, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  assert_true (fd >= 0);
  assert_int_equal (write (fd, text, strlen (text)), strlen (text));
  close (fd);
}

static int
exists (int folder, const char *name)
{
  struct stat st;
  return fstatat (folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

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

/* Run a test as a user without rights, who owns the folder, where root has them all. Returns its exit
 * status. */
static int
as_user (struct place *p, int (*test) (struct place *))
{
  int status;
  fflush (stdout);
  pid_t pid = fork ();
  assert_true (pid >= 0);
  if (pid == 0) {
    if (geteuid () == 0
        && (fchown (p->fd, 65534, 65534) || setresgid (65534, 65534, 65534)
            || setresuid (65534, 65534, 65534)))
      _exit (90);
    _exit (test (p));
  }
  assert_int_equal (waitpid (pid, &status, 0), pid);
  assert_true (WIFEXITED (status));
  return WEXITSTATUS (status);
}

static void
a_folder_is_made_private_whatever_the_umask (void **state)
{
  struct place *p = *state;
  struct stat st;
  int fd = -1;
  mode_t before = umask (0277);
  int error = aks_folder_make (p->fd, "own", &fd);
  umask (before);
  assert_int_equal (error, 0);
  assert_int_equal (fstat (fd, &st), 0);
  assert_int_equal (st.st_mode & 07777, 0700);
  assert_true (fcntl (fd, F_GETFD) & FD_CLOEXEC);
  assert_int_equal (aks_folder_make (p->fd, "own", &fd), -EEXIST);
  close (fd);
  assert_int_equal (aks_folder_open (p->fd, "own", &fd), 0);
  close (fd);
}

static void
what_is_no_folder_of_ours_is_not_opened (void **state)
{
  struct place *p = *state;
  int fd = -7;
  assert_int_equal (mkdirat (p->fd, "real", 0700), 0);
  assert_int_equal (symlinkat ("real", p->fd, "link"), 0);
  assert_int_equal (symlinkat ("nowhere", p->fd, "dangling"), 0);
  write_file (p->fd, "file", "x");
  assert_int_equal (mkdirat (p->fd, "open", 0755), 0);
  assert_int_equal (mkfifoat (p->fd, "fifo", 0600), 0);
  assert_int_equal (aks_folder_open (p->fd, "link", &fd), -ELOOP);
  assert_int_equal (aks_folder_open (p->fd, "dangling", &fd), -ELOOP);
  assert_int_equal (aks_folder_open (p->fd, "file", &fd), -ENOTDIR);
  assert_int_equal (aks_folder_open (p->fd, "fifo", &fd), -ENOTDIR);
  assert_int_equal (aks_folder_open (p->fd, "open", &fd), -EPERM);
  assert_int_equal (aks_folder_open (p->fd, "nothing", &fd), -ENOENT);
  assert_int_equal (fd, -7);
}

static void
another_users_folder_is_not_opened (void **state)
{
  struct place *p = *state;
  int fd = -7;
  if (geteuid ()) {
    print_message ("# SKIP: only root can give a folder away\n");
    skip ();
  }
  assert_int_equal (mkdirat (p->fd, "theirs", 0700), 0);
  assert_int_equal (fchownat (p->fd, "theirs", 65534, 65534, 0), 0);
  assert_int_equal (aks_folder_open (p->fd, "theirs", &fd), -EPERM);
  assert_int_equal (fd, -7);
}

static void
a_file_is_written_whole_and_read_back (void **state)
{
  struct place *p = *state;
  struct stat st;
  char *text = NULL;
  size_t size = 0;
  assert_int_equal (aks_file_write (p->fd, "meta", "first, and longer", 17, 1), 0);
  assert_int_equal (aks_file_write (p->fd, "meta", "a\0b", 3, 0), 0);
  assert_int_equal (aks_file_read (p->fd, "meta", 3, &text, &size), 0);
  assert_int_equal (size, 3);
  assert_memory_equal (text, "a\0b\0", 4);
  free (text);
  assert_int_equal (fstatat (p->fd, "meta", &st, 0), 0);
  assert_int_equal (st.st_mode & 07777, 0600);
  assert_int_equal (aks_file_read (p->fd, "meta", 2, &text, &size), -EFBIG);
  assert_int_equal (aks_file_read (p->fd, "nothing", 2, &text, &size), -ENOENT);
}

static void
a_file_replaces_a_link_and_leaves_its_target (void **state)
{
  struct place *p = *state;
  char *text = NULL;
  size_t size;
  write_file (p->fd, "canary", "alive");
  assert_int_equal (symlinkat ("canary", p->fd, "meta"), 0);
  assert_int_equal (aks_file_read (p->fd, "meta", 100, &text, &size), -ELOOP);
  assert_int_equal (aks_file_write (p->fd, "meta", "new", 3, 0), 0);
  assert_int_equal (aks_file_read (p->fd, "canary", 100, &text, &size), 0);
  assert_string_equal (text, "alive");
  free (text);
}

static void
a_fifo_is_not_waited_for (void **state)
{
  struct place *p = *state;
  char *text = NULL;
  size_t size;
  assert_int_equal (mkfifoat (p->fd, "meta", 0600), 0);
  alarm (5);
  assert_int_equal (aks_file_read (p->fd, "meta", 100, &text, &size), -EINVAL);
  alarm (0);
}

static void
a_removal_leaves_what_links_point_to (void **state)
{
  struct place *p = *state;
  struct aks_removal r = { .stopped = NULL };
  int box = -1;
  assert_int_equal (mkdirat (p->fd, "canary", 0755), 0);
  int canary = openat (p->fd, "canary", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  write_file (canary, "file", "alive");
  assert_int_equal (aks_folder_make (p->fd, "box", &box), 0);
  assert_int_equal (mkdirat (box, "deep", 0755), 0);
  assert_int_equal (symlinkat ("../canary", box, "to-folder"), 0);
  assert_int_equal (symlinkat ("../../canary", box, "deep/to-folder"), 0);
  assert_int_equal (symlinkat ("../../canary/file", box, "deep/to-file"), 0);
  assert_int_equal (linkat (canary, "file", box, "deep/hard", 0), 0);
  assert_int_equal (mkfifoat (box, "deep/fifo", 0600), 0);
  assert_int_equal (aks_folder_empty (box, &r), 0);
  assert_int_equal (unlinkat (p->fd, "box", AT_REMOVEDIR), 0);
  assert_true (exists (canary, "file"));
  close (box);
  close (canary);
}

static void
ten_thousand_folders_deep_are_removed (void **state)
{
  struct place *p = *state;
  struct aks_removal r = { .stopped = NULL };
  int box = -1;
  assert_int_equal (aks_folder_make (p->fd, "box", &box), 0);
  int at = dup (box);
  for (int i = 0; i < 10000; i++) {
    assert_int_equal (mkdirat (at, "d", 0755), 0);
    int below = openat (at, "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true (below >= 0);
    if (i % 1000 == 0)
      write_file (below, "file", "x");
    close (at);
    at = below;
  }
  close (at);
  int before = descriptors ();
  assert_int_equal (aks_folder_empty (box, &r), 0);
  assert_int_equal (descriptors (), before);
  assert_int_equal (unlinkat (p->fd, "box", AT_REMOVEDIR), 0);
  close (box);
}

static void
a_wide_tree_is_removed_whatever_its_names (void **state)
{
  struct place *p = *state;
  struct aks_removal r = { .stopped = NULL };
  int box = -1;
  assert_int_equal (aks_folder_make (p->fd, "box", &box), 0);
  for (int i = 0; i < 300; i++) {
    char name[32];
    snprintf (name, sizeof name, "r%d", i);     /* the names that a removal would choose */
    assert_int_equal (mkdirat (box, name, 0755), 0);
    int sub = openat (box, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal (mkdirat (sub, "\xff\n\x1b", 0755), 0);
    write_file (sub, "\xff\n\x1b/r0", "x");
    close (sub);
  }
  assert_int_equal (aks_folder_empty (box, &r), 0);
  assert_int_equal (unlinkat (p->fd, "box", AT_REMOVEDIR), 0);
  close (box);
}

static int
remove_forbidden (struct place *p)
{
  struct aks_removal r = { .stopped = NULL };
  int box = -1;
  if (aks_folder_make (p->fd, "box", &box) || mkdirat (box, "a", 0700) || mkdirat (box, "a/b", 0700)
      || mkdirat (box, "a/b/c", 0700) || mkdirat (box, "e", 0700))
    return 1;
  write_file (box, "a/b/c/file", "x");
  write_file (box, "e/file", "x");
  if (fchmodat (box, "a/b/c", 0, 0) || fchmodat (box, "a/b", 0500, 0) || fchmodat (box, "a", 0500, 0)
      || fchmodat (box, "e", 0400, 0))
    return 2;
  if (aks_folder_empty (box, &r))
    return printf ("# left: %s: %s\n", r.left, strerror (r.error)), 3;
  return unlinkat (p->fd, "box", AT_REMOVEDIR) ? 4 : 0;
}

static void
folders_that_keep_us_out_are_removed (void **state)
{
  assert_int_equal (as_user (*state, remove_forbidden), 0);
}

/* Returns 77 where mounts cannot be made. */
static int
remove_around_mounts (struct place *p)
{
  struct aks_removal r = { .stopped = NULL };
  char path[640], canary[160];
  int box = -1;
  if (unshare (CLONE_NEWNS) || mount ("none", "/", "none", MS_REC | MS_PRIVATE, NULL))
    return 77;
  snprintf (canary, sizeof canary, "%s/canary", p->path);
  snprintf (path, sizeof path, "%s/box/a/b", p->path);
  if (mkdirat (p->fd, "canary", 0755) || aks_folder_make (p->fd, "box", &box) || mkdirat (box, "a", 0755)
      || mkdirat (box, "a/b", 0755))
    return 1;
  write_file (p->fd, "canary/file", "alive");
  write_file (box, "a/other", "x");
  /* A bind mount of the same filesystem has the device number of the folder around it. */
  if (mount (canary, path, "none", MS_BIND, NULL))
    return 77;
  if (aks_folder_empty (box, &r) != -ENOTEMPTY || r.error != EBUSY)
    return 2;
  if (!exists (p->fd, "canary/file"))
    return 3;
  size_t n = strlen (r.left);
  if (n < 2 || strcmp (r.left + n - 2, "/b"))
    return printf ("# left: %s\n", r.left), 4;
  snprintf (path, sizeof path, "%s/box/%s", p->path, r.left);
  if (umount2 (path, 0))
    return 5;
  return aks_folder_empty (box, &r) || unlinkat (p->fd, "box", AT_REMOVEDIR) || !exists (p->fd, "canary/file")
           ? 6
           : 0;
}

static void
a_mount_point_is_not_entered (void **state)
{
  int status;
  fflush (stdout);
  pid_t pid = fork ();
  if (pid == 0)
    _exit (remove_around_mounts (*state));
  assert_int_equal (waitpid (pid, &status, 0), pid);
  assert_true (WIFEXITED (status));
  if (WEXITSTATUS (status) == 77) {
    print_message ("# SKIP: needs the right to mount\n");
    skip ();
  }
  assert_int_equal (WEXITSTATUS (status), 0);
}

static int
after_some (void *data)
{
  return ++*(int *) data > 2;
}

static void
a_removal_can_be_stopped (void **state)
{
  struct place *p = *state;
  int asked = 0, box = -1;
  struct aks_removal r = { .stopped = after_some, .data = &asked };
  assert_int_equal (aks_folder_make (p->fd, "box", &box), 0);
  for (int i = 0; i < 500; i++) {
    char name[32];
    snprintf (name, sizeof name, "f%d", i);
    write_file (box, name, "");
  }
  assert_int_equal (aks_folder_empty (box, &r), -ECANCELED);
  assert_int_equal (asked, 3);
  close (box);
}

static void
a_kept_name_stays (void **state)
{
  struct place *p = *state;
  struct aks_removal r = { .keep = "meta" };
  int box = -1;
  assert_int_equal (aks_folder_make (p->fd, "box", &box), 0);
  write_file (box, "meta", "m");
  assert_int_equal (mkdirat (box, "work", 0700), 0);
  write_file (box, "work/meta", "m");
  assert_int_equal (aks_folder_empty (box, &r), 0);
  assert_true (exists (box, "meta"));
  assert_false (exists (box, "work"));
  close (box);
}

static void
text_of_strangers_is_escaped_and_cut (void **state)
{
  char shown[12];
  (void) state;
  assert_string_equal (aks_escape (shown, sizeof shown, "plain text!"), "plain text!");
  assert_string_equal (aks_escape (shown, sizeof shown, "plain text!!"), "plain te...");
  assert_string_equal (aks_escape (shown, sizeof shown, "\x1b]52;"), "\\x1b]52;");
  assert_string_equal (aks_escape (shown, sizeof shown, "a\\\n\xff"), "a\\x5c...");
  assert_string_equal (aks_escape (shown, sizeof shown, ""), "");
}

static void
labels_are_found_and_checked (void **state)
{
  static const char *const labels[] = { "io.a=1", "io.ab=2=3", "empty=", NULL };
  static const char *const no_key[] = { "=x", NULL }, *const line[] = { "a=b\nc=d", NULL },
                           *const word[] = { "a", NULL };
  (void) state;
  assert_string_equal (aks_label (labels, "io.ab"), "2=3");
  assert_string_equal (aks_label (labels, "io.a"), "1");
  assert_string_equal (aks_label (labels, "empty"), "");
  assert_null (aks_label (labels, "io"));
  assert_null (aks_label (NULL, "io"));
  assert_true (aks_labels_valid (labels));
  assert_true (aks_labels_valid (NULL));
  assert_false (aks_labels_valid (no_key));
  assert_false (aks_labels_valid (line));
  assert_false (aks_labels_valid (word));
}

static void
numbers_are_whole_or_refused (void **state)
{
  uint64_t n = 7;
  (void) state;
  assert_int_equal (aks_parse_u64 ("18446744073709551615", &n), 0);
  assert_true (n == UINT64_MAX);
  n = 7;
  assert_int_equal (aks_parse_u64 ("18446744073709551616", &n), -ERANGE);
  assert_int_equal (aks_parse_u64 ("", &n), -EINVAL);
  assert_int_equal (aks_parse_u64 (" 1", &n), -EINVAL);
  assert_int_equal (aks_parse_u64 ("-1", &n), -EINVAL);
  assert_int_equal (aks_parse_u64 ("1k", &n), -EINVAL);
  assert_int_equal (n, 7);
}

static void
chance_is_hexadecimal_and_different (void **state)
{
  char a[17], b[17];
  (void) state;
  assert_int_equal (aks_random_hex (a, 8), 0);
  assert_int_equal (aks_random_hex (b, 8), 0);
  assert_true (aks_is_hex (a, 16));
  assert_string_not_equal (a, b);
  assert_false (aks_is_hex (a, 15));
  assert_false (aks_is_hex ("00112233445566GG", 16));
}

#define CASE(name) cmocka_unit_test_setup_teardown (name, set_up, tear_down)

int
main (void)
{
  const struct CMUnitTest tests[] = {
    CASE (a_folder_is_made_private_whatever_the_umask),
    CASE (what_is_no_folder_of_ours_is_not_opened),
    CASE (another_users_folder_is_not_opened),
    CASE (a_file_is_written_whole_and_read_back),
    CASE (a_file_replaces_a_link_and_leaves_its_target),
    CASE (a_fifo_is_not_waited_for),
    CASE (a_removal_leaves_what_links_point_to),
    CASE (ten_thousand_folders_deep_are_removed),
    CASE (a_wide_tree_is_removed_whatever_its_names),
    CASE (folders_that_keep_us_out_are_removed),
    CASE (a_mount_point_is_not_entered),
    CASE (a_removal_can_be_stopped),
    CASE (a_kept_name_stays),
    CASE (text_of_strangers_is_escaped_and_cut),
    CASE (labels_are_found_and_checked),
    CASE (numbers_are_whole_or_refused),
    CASE (chance_is_hexadecimal_and_different),
  };
  return cmocka_run_group_tests_name ("sdk folder", tests, NULL, NULL);
}
