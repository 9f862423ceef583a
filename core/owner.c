/* SPDX-License-Identifier: Apache-2.0 */
/* Who could change a file: its owner, its group, everybody. */
#include "config.h"
#include "owner.h"
#include "cleanup.h"
#include "paths.h"
#include <endian.h>
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/xattr.h>

#define NAME_ROOM_MAX (1u << 20)        /* for an entry of a user or group database */

static void describe (char *buffer, size_t size, const char *format, ...)
  __attribute__ ((format (printf, 3, 4)));
static void
describe (char *buffer, size_t size, const char *format, ...)
{
  va_list ap;
  va_start (ap, format);
  vsnprintf (buffer, size, format, ap);
  va_end (ap);
}

/* A command with the path as a shell would read it back; nothing when it does not fit. */
static void
set_remedy (struct owner_fault *fault, const char *command, const char *path)
{
  char *at = stpcpy (fault->remedy, command), *end = fault->remedy + sizeof fault->remedy - 6;
  *at++ = ' ';
  *at++ = '\'';
  for (; *path && at < end; path++)
    at = *path == '\'' ? stpcpy (at, "'\\''") : (*at = *path, at + 1);
  strcpy (at, "'");
  if (*path)
    fault->remedy[0] = 0;
}

/* What users and groups that the user namespace does not know read as. */
static uid_t
overflow_uid (void)
{
  CLEANUP_FCLOSE FILE *f = fopen ("/proc/sys/kernel/overflowuid", "re");
  unsigned uid = 65534;
  if (f && fscanf (f, "%u", &uid) != 1)
    uid = 65534;
  return uid;
}

static int
is_trusted_owner (uid_t uid)
{
  uid_t own;
  if (uid == 0)
    return 1;
  if (!ak_paths_self_owner (&own) && uid == own)
    return 1;
  /* Where users are not mapped, every stranger has this number, and so may we. */
  return (uid == geteuid () || ak_paths_above_owned_by (uid)) && uid != overflow_uid ();
}

/* The entry of a user; *buffer is the caller's to free. */
static int
find_user (uid_t uid, struct passwd *ret, char **buffer)
{
  for (size_t size = 1024; size <= NAME_ROOM_MAX; size *= 4) {
    struct passwd *found = NULL;
    char *grown = realloc (*buffer, size);
    if (!grown)
      return -1;
    *buffer = grown;
    int e = getpwuid_r (uid, ret, *buffer, size, &found);
    if (e != ERANGE)
      return found ? 0 : -1;
  }
  return -1;
}

static int
find_group (gid_t gid, struct group *ret, char **buffer)
{
  for (size_t size = 1024; size <= NAME_ROOM_MAX; size *= 4) {
    struct group *found = NULL;
    char *grown = realloc (*buffer, size);
    if (!grown)
      return -1;
    *buffer = grown;
    int e = getgrgid_r (gid, ret, *buffer, size, &found);
    if (e != ERANGE)
      return found ? 0 : -1;
  }
  return -1;
}

/* Members by their passwd entry stand in no group's list. Only the local file can be searched in bounded
 * time. */
static int
is_primary_of_others (gid_t gid, uid_t uid)
{
  CLEANUP_FCLOSE FILE *f = fopen ("/etc/passwd", "re");
  if (!f)
    return errno != ENOENT;
  CLEANUP_FREE char *buffer = malloc (NAME_ROOM_MAX);
  struct passwd entry, *found;
  if (!buffer)
    return 1;
  while (!fgetpwent_r (f, &entry, buffer, NAME_ROOM_MAX, &found))
    if (found->pw_gid == gid && found->pw_uid != uid)
      return 1;
  return 0;
}

static int
is_private_group (gid_t gid, uid_t uid)
{
  CLEANUP_FREE char *user_buffer = NULL;
  CLEANUP_FREE char *group_buffer = NULL;
  struct passwd user;
  struct group group;
  if (find_user (uid, &user, &user_buffer) || user.pw_gid != gid || find_group (gid, &group, &group_buffer))
    return 0;
  for (char **member = group.gr_mem; *member; member++)
    if (strcmp (*member, user.pw_name))
      return 0;
  return !is_primary_of_others (gid, uid);
}

static int
is_trusted_group (gid_t gid, uid_t owner)
{
#ifdef AK_TRUSTED_GID
  if (gid == AK_TRUSTED_GID)
    return 1;
#endif
  return gid == 0 || is_private_group (gid, owner);
}

/* The group's bits of a file with an access list are the most that the list may give: to whom, only the
 * list says. 1: to somebody, 0: to nobody, -1: it cannot be read. */
static int
list_lets_others_write (int fd)
{
  struct { uint16_t tag, permissions; uint32_t id; } entry;
  enum { NAMED_USER = 0x02, NAMED_GROUP = 0x08, MAY_WRITE = 2 };
  char link[64], list[4096];
  describe (link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t n = getxattr (link, "system.posix_acl_access", list, sizeof list);
  if (n < 0)
    return errno == ENODATA || errno == ENOTSUP ? 0 : -1;
  for (size_t at = 4; at + sizeof entry <= (size_t) n; at += sizeof entry) {
    memcpy (&entry, list + at, sizeof entry);
    if ((le16toh (entry.tag) & (NAMED_USER | NAMED_GROUP)) && (le16toh (entry.permissions) & MAY_WRITE))
      return 1;
  }
  return 0;
}

static int
judge_group (int fd, const struct stat *st, const char *path, struct owner_fault *fault)
{
  CLEANUP_FREE char *buffer = NULL;
  struct group group;
  if (!is_trusted_group (st->st_gid, st->st_uid)) {
    const char *name = find_group (st->st_gid, &group, &buffer) ? "" : group.gr_name;
    describe (fault->reason, sizeof fault->reason, "writable by group %u%s%.64s%s", (unsigned) st->st_gid,
              *name ? " (" : "", name, *name ? ")" : "");
    set_remedy (fault, "Run: chmod g-w", path);
    return -1;
  }
  int others = list_lets_others_write (fd);
  if (!others)
    return 0;
  describe (fault->reason, sizeof fault->reason, "%s",
            others > 0 ? "writable by others, says its access list"
                       : "writable by its group, and its access list cannot be read");
  set_remedy (fault, others > 0 ? "Run: setfacl -b" : "Run: chmod g-w", path);
  return -1;
}

int
ak_owner_judge (int fd, const struct stat *st, const char *path, struct owner_fault *fault)
{
  fault->reason[0] = fault->remedy[0] = 0;
  if (!is_trusted_owner (st->st_uid)) {
    describe (fault->reason, sizeof fault->reason,
              "owned by user %u, who is not trusted to choose what runs here", (unsigned) st->st_uid);
    set_remedy (fault, "If it is what you want to use, run: chown root", path);
    return -1;
  }
  if (S_ISLNK (st->st_mode))
    return 0;
  /* In a sticky folder nobody replaces what belongs to another; the owner of what lies in it is judged. */
  if (S_ISDIR (st->st_mode) && (st->st_mode & S_ISVTX))
    return 0;
  if (st->st_mode & S_IWOTH) {
    describe (fault->reason, sizeof fault->reason, "writable by everybody");
    set_remedy (fault, "Run: chmod o-w", path);
    return -1;
  }
  return st->st_mode & S_IWGRP ? judge_group (fd, st, path, fault) : 0;
}
