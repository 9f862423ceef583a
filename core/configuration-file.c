/* SPDX-License-Identifier: Apache-2.0 */
/* Which file is the configuration, and its text. */
#include "config.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "cleanup.h"
#include "configuration-internal.h"
#include "environ.h"
#include "trust.h"

#define NAME "aksandbox/config.yaml"

static char *
joined (const char *folder, const char *rest)
{
  char *path = NULL;

  return asprintf (&path, "%s/%s", folder, rest) < 0 ? NULL : path;
}

/* Relative paths are the user's own words; the current directory is looked at for nothing else. */
static enum ak_status
absolute (const char *file, char **ret, struct ak_error **error)
{
  char *path;

  if (*file == '/')
    path = strdup (file);
  else {
    CLEANUP_FREE char *folder = getcwd (NULL, 0);

    if (!folder)
      return ak_fail (error, AK_STATUS_CONFIG, "Name it by its absolute path.",
                      "%s: the current directory is not known: %s", file, strerror (errno));
    path = joined (folder, file);
  }
  if (!path)
    return ak_fail_memory (error);
  *ret = path;
  return AK_STATUS_OK;
}

static int
is_there (const char *path)
{
  struct stat s;

  /* What cannot be looked at is there: reading it will say why not. */
  return stat (path, &s) == 0 || (errno != ENOENT && errno != ENOTDIR);
}

/* The candidates that nobody named, the first that is there. */
static enum ak_status
find_usual (char **ret, struct ak_error **error)
{
  const char *xdg = ak_environ ("XDG_CONFIG_HOME"), *home = ak_environ ("HOME");
  char *paths[2] = { NULL, strdup (AK_SYSCONFDIR "/" NAME) };

  /* A relative value is to be ignored, says the specification of these variables. */
  if (xdg && *xdg == '/')
    paths[0] = joined (xdg, NAME);
  else if (home && *home == '/')
    paths[0] = joined (home, ".config/" NAME);
  else
    paths[0] = strdup ("");
  enum ak_status status = paths[0] && paths[1] ? AK_STATUS_OK : ak_fail_memory (error);
  for (size_t i = 0; i < 2; i++) {
    if (status == AK_STATUS_OK && !*ret && *paths[i] && is_there (paths[i]))
      *ret = paths[i];
    else
      free (paths[i]);
  }
  return status;
}

enum ak_status
ak_config_find_file (const char *file, char **ret, struct ak_error **error)
{
  const char *named = file ? NULL : ak_environ ("AKSANDBOX_CONFIG");

  *ret = NULL;
  if (file)
    return *file ? absolute (file, ret, error) : AK_STATUS_OK;
  if (named && *named && *named != '/')
    return ak_fail (error, AK_STATUS_CONFIG, NULL,
                    "environment variable AKSANDBOX_CONFIG: must be an absolute path");
  if (named && *named)
    return (*ret = strdup (named)) ? AK_STATUS_OK : ak_fail_memory (error);
  return find_usual (ret, error);
}

static const char *
kind_of (mode_t mode)
{
  if (S_ISDIR (mode))
    return "a folder";
  if (S_ISFIFO (mode))
    return "a FIFO";
  return S_ISSOCK (mode) ? "a socket" : "a device";
}

static enum ak_status
open_file (const char *path, int *ret, struct ak_error **error)
{
  struct ak_error *refused = NULL;
  struct stat s;
  int fd;

  if (stat (path, &s) < 0)
    return ak_fail (error, AK_STATUS_CONFIG, NULL, "%s: %s", path, strerror (errno));
  if (!S_ISREG (s.st_mode))
    return ak_fail (error, AK_STATUS_CONFIG, NULL, "%s: %s, not a file", path, kind_of (s.st_mode));
  enum ak_status status = ak_trust_open (path, &fd, &refused);
  if (status != AK_STATUS_OK) {
    /* Want of memory is no fault of the file. */
    status = status == AK_STATUS_INTERNAL
               ? ak_fail_memory (error)
               : ak_fail (error, AK_STATUS_CONFIG, ak_error_hint (refused), "%s", ak_error_text (refused));
    ak_error_free (refused);
    return status;
  }
  *ret = fd;
  return AK_STATUS_OK;
}

/* One byte more than is allowed: then the file is too large, whatever its size claims to be. */
static enum ak_status
read_all (int fd, const char *path, char **ret, size_t *ret_size, struct ak_error **error)
{
  size_t size = 0, room = 16384;
  CLEANUP_FREE char *data = malloc (room);

  while (data) {
    ssize_t n = read (fd, data + size, room - size);

    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return ak_fail (error, AK_STATUS_CONFIG, NULL, "%s: %s", path, strerror (errno));
    size += (size_t) n;
    if (size > VALUE_MAX_SIZE)
      return ak_fail (error, AK_STATUS_CONFIG, NULL, "%s: larger than %u bytes", path, VALUE_MAX_SIZE);
    if (n == 0) {
      *ret = TAKE_PTR (data);
      *ret_size = size;
      return AK_STATUS_OK;
    }
    if (size == room) {
      char *grown = realloc (data, room *= 2);

      if (!grown)
        break;
      data = grown;
    }
  }
  return ak_fail_memory (error);
}

enum ak_status
ak_config_read_file (const char *path, char **ret, size_t *ret_size, struct ak_error **error)
{
  CLEANUP_CLOSE int fd = -1;
  struct stat s;
  enum ak_status status = open_file (path, &fd, error);

  if (status != AK_STATUS_OK)
    return status;
  if (fstat (fd, &s) < 0 || !S_ISREG (s.st_mode))
    return ak_fail (error, AK_STATUS_CONFIG, NULL, "%s: not a file", path);
  if (s.st_size > (off_t) VALUE_MAX_SIZE)
    return ak_fail (error, AK_STATUS_CONFIG, NULL, "%s: larger than %u bytes", path, VALUE_MAX_SIZE);
  return read_all (fd, path, ret, ret_size, error);
}
