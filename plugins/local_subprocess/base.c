/* SPDX-License-Identifier: Apache-2.0 */
/* The folder in which sandboxes are made. */
#define _GNU_SOURCE
#include "local_subprocess.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void
local_base_close (struct base *base)
{
  if (base->fd >= 0)
    close (base->fd);
  free (base->path);
  *base = (struct base) { -1, NULL };
}

static const char *
configured (struct local *local, int *ours)
{
  const char *workdir = local->host->option (local->config, "workdir");
  *ours = workdir != NULL;
  if (workdir)
    return workdir;
  const char *tmp = local->host->env (local->config, "TMPDIR");
  return tmp && *tmp == '/' ? tmp : "/tmp";
}

static int32_t
fail (struct ak_call *call, int32_t code, const char *path, const char *hint, const char *reason)
{
  char shown[256];
  return local_fail (call, code, hint, "%s: %s", aks_escape (shown, sizeof shown, path), reason);
}

int32_t
local_base_open (struct local *local, struct ak_call *call, int make, struct base *ret)
{
  int ours;
  struct stat st;
  const char *path = configured (local, &ours);
  const char *hint = ours ? "Set the option `workdir` to a folder that this user can write."
    : "Set TMPDIR, or the option `workdir`, to a folder that this user can write.";
  if (make && ours && mkdir (path, 0700) && errno != EEXIST)
    return fail (call, AK_E_PROVISION, path, hint, strerror (errno));
  BASE_CLOSE struct base base = { -1, realpath (path, NULL) };
  if (!base.path && errno == ENOENT && !make)
    return AK_OK;
  if (base.path)
    base.fd = open (base.path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (base.fd < 0 || fstat (base.fd, &st))
    return fail (call, AK_E_PROVISION, path, hint, strerror (errno));
  if ((st.st_mode & S_IWOTH) && !(st.st_mode & S_ISVTX))
    return fail (call, AK_E_CONFIG, path,
                 "Take away the others' right to write, or set its sticky bit (chmod +t).",
                 "everybody may replace what is in this folder");
  *ret = base;
  base = (struct base) { -1, NULL };
  return AK_OK;
}
