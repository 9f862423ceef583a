/* SPDX-License-Identifier: Apache-2.0 */
/* The end of sandboxes: killing what runs in one, removing its folder, and listing those there are. */
#define _GNU_SOURCE
#include "local_subprocess.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

int32_t
local_kill (void *instance, struct ak_call *call, const char *id)
{
  struct local *local = instance;
  BASE_CLOSE struct base base = { -1, NULL };
  AKS_CLOSE int folder = -1;
  local_children_reap (local);
  if (!local_id_valid (id))
    return local_id_refuse (call, id);
  int32_t status = local_base_open (local, call, 0, &base);
  if (status != AK_OK)
    return status;
  int error = base.fd < 0 ? -ENOENT : aks_folder_open (base.fd, id, &folder);
  status = local_children_kill (local, call, id, folder);
  return status == AK_OK && error && error != -ENOENT ? local_folder_fail (call, id, error) : status;
}

/* Programs may have put something else in place of their workspace; what it was is worth a line. */
static void
tell_replaced (struct local *local, const char *id, int folder, const struct aks_place *work)
{
  struct aks_place is;
  char target[512], shown[600];
  if (aks_place_at (folder, WORK, &is)) {
    local_log (local, LOG_NOTICE, "sandbox %s: its workspace had been moved away", id);
    return;
  }
  if (aks_place_equal (&is, work))
    return;
  ssize_t n = readlinkat (folder, WORK, target, sizeof target - 1);
  if (n < 0) {
    local_log (local, LOG_WARNING, "sandbox %s: its workspace had been replaced", id);
    return;
  }
  target[n] = '\0';
  local_log (local, LOG_WARNING,
             "sandbox %s: its workspace had been replaced by a link to '%s', which was not followed", id,
             aks_escape (shown, sizeof shown, target));
}

/* What a create that was interrupted leaves: no description, and nothing in its folders. Removed without
 * going into anything, so that it does not matter if it is something else. */
static int
remove_half_made (const struct base *base, const char *id, int folder)
{
  AKS_CLOSE int copy = openat (folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *dir = copy < 0 ? NULL : fdopendir (copy);
  if (!dir)
    return -errno;
  (void) AKS_TAKE_FD (copy);
  for (struct dirent *e; (e = readdir (dir));)
    if (strncmp (e->d_name, ".new-", 5) == 0)
      unlinkat (folder, e->d_name, 0);
  closedir (dir);
  unlinkat (folder, WORK, AT_REMOVEDIR);
  unlinkat (folder, TMP, AT_REMOVEDIR);
  return unlinkat (base->fd, id, AT_REMOVEDIR) ? -errno : 0;
}

static int
is_stopped (void *data)
{
  struct ak_call *call = data;
  return call->host->stopped (call);
}

static int32_t
remove_folder (struct ak_call *call, const struct base *base, const char *id, int folder)
{
  /* The description goes last: with it, a removal that was interrupted can be taken up by any process. */
  struct aks_removal removal = { .stopped = is_stopped, .data = call, .keep = META };
  int error = aks_folder_empty (folder, &removal);
  if (!error) {
    removal.keep = NULL;
    error = aks_folder_empty (folder, &removal);
  }
  if (error == -ECANCELED) {
    int32_t status = local_stopped (call, id);
    return status != AK_OK ? status : local_fail (call, AK_E_CANCELLED, NULL, "sandbox %s: cancelled", id);
  }
  if (error)
    return local_fail (
      call, AK_E_PROVISION,
      "Make it removable (a mount in it, chattr +i, another user's folder), and destroy again.",
      "%s/%s/%s: cannot be removed: %s", base->path, id, removal.left, strerror (removal.error));
  if (unlinkat (base->fd, id, AT_REMOVEDIR) && errno != ENOENT)
    return local_fail (call, AK_E_PROVISION, NULL, "%s/%s: cannot be removed: %s", base->path, id,
                       strerror (errno));
  return AK_OK;
}

/* That a folder is a sandbox of ours, and which inode its workspace was. -ENOENT: it has no description. */
static int
identify (struct local *local, const char *id, int folder, struct aks_place *work)
{
  META_CLEAR struct meta meta = { .text = NULL };
  if (local_made_here (local, id, folder, work))
    return 0;
  int error = local_meta_read (folder, &meta);
  if (error)
    return error;
  if (!local_meta_fits (&meta, folder))
    return -ESTALE;
  struct aks_place is;
  *work = aks_place_at (folder, WORK, &is) == 0 && local_meta_work_fits (&meta, &is) ? is : meta.work;
  return 0;
}

static int32_t
destroy_in (struct local *local, struct ak_call *call, const struct base *base, const char *id)
{
  AKS_CLOSE int folder = -1;
  struct aks_place work;
  int error = aks_folder_open (base->fd, id, &folder);
  if (error == -ENOENT)
    return local_children_kill (local, call, id, -1);
  if (!error)
    error = identify (local, id, folder, &work);
  if (error == -ENOENT && remove_half_made (base, id, folder) == 0)
    return AK_OK;
  if (error)
    return local_folder_fail (call, id, error);
  int32_t status = local_children_kill (local, call, id, folder);
  if (status != AK_OK)
    return status;
  tell_replaced (local, id, folder, &work);
  return remove_folder (call, base, id, folder);
}

int32_t
local_destroy (void *instance, struct ak_call *call, const char *id)
{
  struct local *local = instance;
  BASE_CLOSE struct base base = { -1, NULL };
  local_children_reap (local);
  if (!local_id_valid (id))
    return local_id_refuse (call, id);
  int32_t status = local_base_open (local, call, 0, &base);
  if (status == AK_OK && base.fd >= 0)
    status = destroy_in (local, call, &base, id);
  if (status == AK_OK)
    local_made_forget (local, id);
  return status;
}

static int
report_found (struct ak_call *call, const struct base *base, const char *id)
{
  META_CLEAR struct meta meta = { .text = NULL };
  AKS_CLOSE int folder = -1;
  struct aks_text labels = { NULL, 0, 0 };
  if (aks_folder_open (base->fd, id, &folder) || local_meta_read (folder, &meta)
      || !local_meta_fits (&meta, folder))
    return 0;
  int failed = 0;
  for (char **label = meta.labels; !failed && *label; label++)
    failed = aks_text_add (&labels, "%s%s", label == meta.labels ? "" : "\n", *label);
  if (!failed)
    failed = call->host->report (call, AK_REPORT_FOUND, id, labels.bytes ? labels.bytes : "");
  aks_text_clear (&labels);
  return failed;
}

int32_t
local_list (void *instance, struct ak_call *call)
{
  struct local *local = instance;
  BASE_CLOSE struct base base = { -1, NULL };
  local_children_reap (local);
  int32_t status = local_base_open (local, call, 0, &base);
  if (status != AK_OK || base.fd < 0)
    return status;
  AKS_CLOSE int copy = openat (base.fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *dir = copy < 0 ? NULL : fdopendir (copy);
  if (!dir)
    return local_fail (call, AK_E_PROVISION, NULL, "%s: %s", base.path, strerror (errno));
  (void) AKS_TAKE_FD (copy);
  int failed = 0;
  for (struct dirent *e; !failed && status == AK_OK && (e = readdir (dir));) {
    status = local_stopped (call, "list");
    if (status == AK_OK && local_id_valid (e->d_name))
      failed = report_found (call, &base, e->d_name);
  }
  closedir (dir);
  return failed ? local_fail (call, AK_E_INTERNAL, NULL, "list: what was found could not be told") : status;
}
