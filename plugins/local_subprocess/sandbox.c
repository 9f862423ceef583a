/* SPDX-License-Identifier: Apache-2.0 */
/* Sandboxes of local_subprocess: a folder each, made, attached to and opened. */
#define _GNU_SOURCE
#include "local_subprocess.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>

int
local_id_valid (const char *id)
{
  size_t n = strlen (ID_PREFIX);
  return id && strncmp (id, ID_PREFIX, n) == 0 && aks_is_hex (id + n, ID_SIZE - n);
}

int32_t
local_id_refuse (struct ak_call *call, const char *id)
{
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
  char shown[128];
  if (id && *id && *id != '.' && !id[strspn (id, letters)])
    return AK_OK;
  return local_fail (call, AK_E_PROVISION, "Ids are what `aksandbox session list` shows.",
                     "sandbox '%s': not an id of this provider",
                     aks_escape (shown, sizeof shown, id ? id : ""));
}

int32_t
local_folder_fail (struct ak_call *call, const char *id, int error)
{
  const char *reason = strerror (-error);
  switch (error) {
  case -ELOOP: reason = "its folder is a symbolic link"; break;
  case -ENOTDIR: reason = "there is a file in place of its folder"; break;
  case -EPERM: reason = "its folder is another user's, or not of mode 0700"; break;
  case -ENOENT: case -EPROTO: reason = "its folder has no description by aksandbox"; break;
  case -ESTALE: reason = "its folder's description is of another folder"; break;
  }
  return local_fail (call, AK_E_PROVISION, "Look at the folder, and remove it by hand if it is not needed.",
                     "sandbox %s: %s; nothing was touched", id, reason);
}

int
local_made_here (struct local *local, const char *id, int folder, struct aks_place *ret_work)
{
  struct aks_place place;
  if (aks_place_of (folder, &place))
    return 0;
  AKS_LOCK_FOR_SCOPE (&local->lock);
  for (const struct made *m = local->made; m; m = m->next)
    if (strcmp (m->id, id) == 0 && aks_place_equal (&m->folder, &place)) {
      *ret_work = m->work;
      return 1;
    }
  return 0;
}

void
local_made_forget (struct local *local, const char *id)
{
  AKS_LOCK_FOR_SCOPE (&local->lock);
  for (struct made **at = &local->made; *at; at = &(*at)->next)
    if (strcmp ((*at)->id, id) == 0) {
      struct made *gone = *at;
      *at = gone->next;
      free (gone);
      return;
    }
}

static int
remember (struct local *local, const struct sandbox *s)
{
  struct made *m = calloc (1, sizeof *m);
  if (!m)
    return -ENOMEM;
  memcpy (m->id, s->id, sizeof m->id);
  m->work = s->work;
  int error = aks_place_of (s->folder, &m->folder);
  if (error) {
    free (m);
    return error;
  }
  AKS_LOCK_FOR_SCOPE (&local->lock);
  m->next = local->made;
  local->made = m;
  return 0;
}

int32_t
local_stopped (struct ak_call *call, const char *id)
{
  int32_t stopped = call->host->stopped (call);
  if (!stopped)
    return AK_OK;
  return local_fail (call, stopped, NULL, "sandbox %s: %s", id,
                     stopped == AK_E_TIMEOUT ? "the time is over" : "cancelled");
}

static void
sandbox_free (struct sandbox *s)
{
  if (!s)
    return;
  if (s->folder >= 0)
    close (s->folder);
  free (s->path);
  free (s);
}

static struct sandbox *
sandbox_new (struct local *local, const char *id, const struct base *base)
{
  struct sandbox *s = calloc (1, sizeof *s);
  if (!s)
    return NULL;
  s->local = local;
  s->folder = -1;
  snprintf (s->id, sizeof s->id, "%s", id);
  if (asprintf (&s->path, "%s/%s", strcmp (base->path, "/") ? base->path : "", id) < 0) {
    s->path = NULL;
    sandbox_free (s);
    return NULL;
  }
  return s;
}

/* Once an instance, and not before there is something to run in. */
static void
warn (struct local *local)
{
  pthread_mutex_lock (&local->lock);
  int warned = local->warned;
  local->warned = 1;
  pthread_mutex_unlock (&local->lock);
  if (!warned)
    local_log (local, LOG_NOTICE, "NO isolation: programs run as this user on this machine");
}

/* What its folder has to begin with. */
static int
furnish (const struct sandbox *s, const char *const *labels, struct aks_place *ret_work)
{
  AKS_CLOSE int work = -1;
  AKS_CLOSE int tmp = -1;
  int error = aks_folder_make (s->folder, WORK, &work);
  if (!error)
    error = aks_folder_make (s->folder, TMP, &tmp);
  return error ? error : local_meta_write (s->folder, labels, ret_work);
}

static void
undo (const struct sandbox *s, const struct base *base)
{
  local_made_forget (s->local, s->id);
  if (s->folder >= 0) {
    unlinkat (s->folder, META, 0);
    unlinkat (s->folder, WORK, AT_REMOVEDIR);
    unlinkat (s->folder, TMP, AT_REMOVEDIR);
  }
  unlinkat (base->fd, s->id, AT_REMOVEDIR);
}

static int32_t
build (struct sandbox *s, struct ak_call *call, const struct base *base, const char *const *labels)
{
  int error = aks_folder_make (base->fd, s->id, &s->folder);
  if (error)
    return local_fail (call, AK_E_PROVISION, NULL, "sandbox %s: cannot make its folder: %s", s->path,
                       strerror (-error));
  call->host->report (call, AK_REPORT_ID, NULL, s->id);
  error = furnish (s, labels, &s->work);
  if (!error)
    error = remember (s->local, s);
  int32_t status = error ? local_fail (call, AK_E_PROVISION, NULL, "sandbox %s: cannot fill its folder: %s",
                                       s->path, strerror (-error))
                         : local_stopped (call, s->id);
  if (status != AK_OK)
    undo (s, base);
  return status;
}

/* An operator who requires a namespace gets it, or nothing is made. */
static int32_t
check_level (struct local *local, struct ak_call *call)
{
  const char *wish = local->host->option (local->config, "namespaces");
  if (!wish || strcmp (wish, "require"))
    return AK_OK;
  enum level level = local_level (local);
  if (level == LEVEL_USER || level == LEVEL_PID)
    return AK_OK;
  return local_fail (call, AK_E_CAPABILITY,
                     "Allow user namespaces on this machine, or set the option to auto.",
                     "namespaces: required, and not to be had: %s", local->why_not);
}

int32_t
local_create (void *instance, struct ak_call *call, const struct ak_spec *spec, void **ret)
{
  struct local *local = instance;
  BASE_CLOSE struct base base = { -1, NULL };
  char id[ID_SIZE + 1] = ID_PREFIX;
  local_children_reap (local);
  if (!aks_labels_valid (spec->labels))
    return local_fail (call, AK_E_INTERNAL, NULL, "labels: one is not KEY=VALUE of a single line");
  int32_t status = check_level (local, call);
  if (status == AK_OK)
    status = local_base_open (local, call, 1, &base);
  if (status != AK_OK)
    return status;
  int error = aks_random_hex (id + strlen (ID_PREFIX), 8);
  struct sandbox *s = error ? NULL : sandbox_new (local, id, &base);
  if (!s)
    return local_fail (call, AK_E_INTERNAL, NULL, "sandbox: %s", strerror (error ? -error : ENOMEM));
  status = build (s, call, &base, spec->labels);
  if (status != AK_OK) {
    sandbox_free (s);
    return status;
  }
  warn (local);
  *ret = s;
  return AK_OK;
}

/* That a sandbox is of the registry, conversation and session that ask for it. */
static int32_t
check_labels (struct ak_call *call, const char *id, const struct meta *meta, const struct ak_spec *spec)
{
  static const char *const keys[] = {
    "io.aksandbox.registry", "io.aksandbox.conversation", "io.aksandbox.session",
  };
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    const char *wanted = aks_label (spec->labels, keys[i]);
    const char *has = aks_label ((const char *const *) meta->labels, keys[i]);
    if (wanted && (!has || strcmp (has, wanted)))
      return local_fail (call, AK_E_PROVISION, "Only the session that made a sandbox can use it.",
                         "sandbox %s: made for another %s", id, strrchr (keys[i], '.') + 1);
  }
  return AK_OK;
}

static int32_t
recognise (struct sandbox *s, struct ak_call *call, const struct ak_spec *spec)
{
  META_CLEAR struct meta meta = { .text = NULL };
  int error = local_meta_read (s->folder, &meta);
  if (!error && !local_meta_fits (&meta, s->folder))
    error = -ESTALE;
  if (error)
    return local_folder_fail (call, s->id, error);
  int32_t status = check_labels (call, s->id, &meta, spec);
  if (status != AK_OK)
    return status;
  if (aks_place_at (s->folder, WORK, &s->work) || !local_meta_work_fits (&meta, &s->work))
    return local_fail (call, AK_E_PROVISION, "Destroy the sandbox; its programs have moved the folder.",
                       "sandbox %s: its workspace is not the folder that was made", s->id);
  return AK_OK;
}

static int32_t
gone (struct ak_call *call, const char *id)
{
  char shown[300];
  return local_fail (call, AK_E_GONE, NULL, "sandbox '%s': does not exist",
                     aks_escape (shown, sizeof shown, id));
}

int32_t
local_attach (void *instance, struct ak_call *call, const struct ak_spec *spec, void **ret)
{
  struct local *local = instance;
  BASE_CLOSE struct base base = { -1, NULL };
  local_children_reap (local);
  if (spec->external)
    return local_fail (call, AK_E_CAPABILITY, "Leave out attach_to and `environment: attached`.",
                       "attach_to: local_subprocess attaches only to what it made");
  int32_t status = local_id_valid (spec->id) ? AK_OK : local_id_refuse (call, spec->id);
  if (status == AK_OK)
    status = local_base_open (local, call, 0, &base);
  if (status != AK_OK)
    return status;
  if (base.fd < 0 || !local_id_valid (spec->id))
    return gone (call, spec->id);
  struct sandbox *s = sandbox_new (local, spec->id, &base);
  if (!s)
    return local_fail (call, AK_E_INTERNAL, NULL, "sandbox %s: out of memory", spec->id);
  int error = aks_folder_open (base.fd, s->id, &s->folder);
  status = error == -ENOENT ? gone (call, s->id) : error ? local_folder_fail (call, s->id, error)
    : recognise (s, call, spec);
  if (status == AK_OK)
    status = check_level (local, call);
  if (status != AK_OK) {
    sandbox_free (s);
    return status;
  }
  warn (local);
  *ret = s;
  return AK_OK;
}

int32_t
local_open_stream (void *sandbox, struct ak_call *call, int32_t fds[2])
{
  struct sandbox *s = sandbox;
  struct aks_place place;
  int pair[2];
  local_children_reap (s->local);
  AKS_CLOSE int work = openat (s->folder, WORK, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (work < 0 || aks_place_of (work, &place) || !aks_place_equal (&place, &s->work))
    return local_fail (call, AK_E_PROVISION, "Destroy the sandbox; its programs have moved the folder.",
                       "sandbox %s: its workspace is not the folder that was made", s->id);
  int32_t status = local_stopped (call, s->id);
  if (status != AK_OK)
    return status;
  if (local_report_setting (call, s))
    return local_fail (call, AK_E_INTERNAL, NULL, "sandbox %s: its setting could not be told", s->id);
  if (socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
    return local_fail (call, AK_E_UNAVAILABLE, NULL, "sandbox %s: %s", s->id, strerror (errno));
  AKS_CLOSE int ours = pair[0];
  AKS_CLOSE int runners = pair[1];
  status = local_child_start (s, call, runners, work);
  if (status != AK_OK)
    return status;
  fds[0] = fds[1] = AKS_TAKE_FD (ours);
  return AK_OK;
}

void
local_release (void *sandbox)
{
  struct sandbox *s = sandbox;
  local_children_release (s);
  local_children_reap (s->local);
  sandbox_free (s);
}
