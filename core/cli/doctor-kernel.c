/* SPDX-License-Identifier: Apache-2.0 */
/* aksandbox doctor: what this kernel gives to a runner on this machine. */
#include "config.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>
#include "cleanup.h"
#include "doctor.h"

/* The headers of this system may be older than its kernel. */
#define SYS_LANDLOCK_CREATE 444
#define LANDLOCK_VERSION 1u
#define LANDLOCK_SCOPES 6 /* the version that knows signals */
#define SECCOMP_ACTION_AVAIL 2u
#define SECCOMP_KILL_PROCESS 0x80000000u
#define CGROUP2_MAGIC 0x63677270

/* At most the first bytes of a small file, without the newline. -1: it cannot be read. */
static int
read_line (const char *path, char *line, size_t size)
{
  CLEANUP_CLOSE int fd = open (path, O_RDONLY | O_CLOEXEC);
  ssize_t n = fd < 0 ? -1 : read (fd, line, size - 1);
  if (n < 0)
    return -1;
  line[n] = 0;
  line[strcspn (line, "\n")] = 0;
  return 0;
}

static int
write_line (const char *path, const char *line)
{
  CLEANUP_CLOSE int fd = open (path, O_WRONLY | O_CLOEXEC);
  return fd >= 0 && write (fd, line, strlen (line)) == (ssize_t) strlen (line) ? 0 : -1;
}

/* In a child: as far as a runner goes. Some systems let it make the namespace and then do nothing in it. */
static int
try_namespaces (int spaces)
{
  char map[64];
  int is_user = (spaces & CLONE_NEWUSER) != 0;
  snprintf (map, sizeof map, "%u %u 1", (unsigned) geteuid (), (unsigned) geteuid ());
  if (unshare (spaces))
    return errno;
  if (is_user && write_line ("/proc/self/uid_map", map))
    return errno;
  return mount (NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ? errno : 0;
}

/* 0, or why not. */
static int
namespaces_error (int spaces)
{
  int status;
  pid_t pid = fork ();
  if (pid < 0)
    return errno;
  if (pid == 0)
    _exit (try_namespaces (spaces));
  while (waitpid (pid, &status, 0) < 0)
    if (errno != EINTR)
      return errno;
  return WIFEXITED (status) ? WEXITSTATUS (status) : EIO;
}

static int
is_number (const char *path, long number)
{
  char line[32];
  return read_line (path, line, sizeof line) == 0 && strtol (line, NULL, 10) == number;
}

/* The setting that is in the way, as far as it can be told. */
static const char *
namespaces_remedy (void)
{
  if (is_number ("/proc/sys/user/max_user_namespaces", 0))
    return "Set sysctl user.max_user_namespaces to more than 0.";
  if (is_number ("/proc/sys/kernel/unprivileged_userns_clone", 0))
    return "Set sysctl kernel.unprivileged_userns_clone=1.";
  if (is_number ("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", 1))
    return "Set sysctl kernel.apparmor_restrict_unprivileged_userns=0, or give the program an"
           " AppArmor profile that allows them.";
  return "Most containers forbid them: run on the machine itself, or let the container's seccomp profile"
         " allow unshare and mount.";
}

static int
check_namespaces (struct cli_checks *checks)
{
  int error = namespaces_error (CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS);
  char text[160];
  if (!error)
    cli_checks_add (checks, CHECK_OK, "user namespaces", "this user can make them", NULL);
  else {
    snprintf (text, sizeof text, "this user cannot make them: %s", strerror (error));
    cli_checks_add (checks, CHECK_WARN, "user namespaces", text, namespaces_remedy ());
  }
  return !error;
}

static int
check_landlock (struct cli_checks *checks)
{
  long version = syscall (SYS_LANDLOCK_CREATE, NULL, 0, LANDLOCK_VERSION);
  char text[120];
  if (version < 0) {
    cli_checks_add (checks, CHECK_WARN, "landlock", "the kernel has none, or it is switched off",
                    "Boot with `landlock` in the list of lsm=, on Linux 6.12 or newer.");
    return 0;
  }
  snprintf (text, sizeof text, "version %ld%s", version,
            version < LANDLOCK_SCOPES ? ", which does not confine signals yet: that is version 6" : "");
  cli_checks_add (checks, version < LANDLOCK_SCOPES ? CHECK_WARN : CHECK_OK, "landlock", text,
                  version < LANDLOCK_SCOPES ? "Use Linux 6.12 or newer." : NULL);
  return version >= LANDLOCK_SCOPES;
}

static void
check_seccomp (struct cli_checks *checks)
{
  uint32_t action = SECCOMP_KILL_PROCESS;
  if (syscall (SYS_seccomp, SECCOMP_ACTION_AVAIL, 0, &action) == 0)
    cli_checks_add (checks, CHECK_OK, "seccomp", "filters can be installed", NULL);
  else
    cli_checks_add (checks, CHECK_WARN, "seccomp",
                    "filters cannot be installed: a runner closes no part of the kernel to its programs",
                    "Use a kernel with CONFIG_SECCOMP_FILTER.");
}

/* The folder of our own control group, when there is one of version 2. */
static int
own_cgroup (char *path, size_t size)
{
  char line[PATH_MAX];
  struct statfs fs;
  if (statfs ("/sys/fs/cgroup", &fs) || (long) fs.f_type != CGROUP2_MAGIC
      || read_line ("/proc/self/cgroup", line, sizeof line) || strncmp (line, "0::/", 4))
    return -1;
  int n = snprintf (path, size, "/sys/fs/cgroup%s", line + 3);
  return n > 0 && (size_t) n < size ? 0 : -1;
}

static void
check_cgroups (struct cli_checks *checks)
{
  char path[PATH_MAX + 32], file[PATH_MAX + 64], controllers[256];
  if (own_cgroup (path, sizeof path)) {
    cli_checks_add (checks, CHECK_WARN, "cgroups",
                    "there are none of version 2: no limits of memory and processors",
                    "Mount cgroup2 at /sys/fs/cgroup.");
    return;
  }
  snprintf (file, sizeof file, "%s/cgroup.controllers", path);
  int has = read_line (file, controllers, sizeof controllers) == 0 && strstr (controllers, "memory")
            && strstr (controllers, "cpu");
  if (has && faccessat (AT_FDCWD, path, W_OK, AT_EACCESS) == 0)
    cli_checks_add (checks, CHECK_OK, "cgroups",
                    "version 2, with memory and processors for this user to limit", NULL);
  else
    cli_checks_add (checks, CHECK_WARN, "cgroups",
                    "version 2, but this user's group has no memory and processors to limit",
                    "Run below a group that is yours: systemd-run --user --scope -p Delegate=yes COMMAND");
}

void
cli_doctor_kernel (struct cli_checks *checks)
{
  int has_user = check_namespaces (checks), has_landlock = check_landlock (checks);
  check_seccomp (checks);
  check_cgroups (checks);
  if (has_user || namespaces_error (CLONE_NEWPID | CLONE_NEWNS) == 0)
    cli_checks_add (checks, CHECK_OK, "placement", "a runner here is PID 1 of its own pid namespace", NULL);
  else if (has_landlock)
    cli_checks_add (
      checks, CHECK_WARN, "placement",
      "a runner here is a process beside its programs, which Landlock keeps from signalling others",
      "With user namespaces programs end with their runner for certain.");
  else
    cli_checks_add (
      checks, CHECK_WARN, "placement",
      "a runner here is a process beside its programs, which nothing keeps apart from this user's others",
      "With user namespaces programs end with their runner for certain.");
}
