/* SPDX-License-Identifier: Apache-2.0 */
/* The folders that providers are looked up in, and the search. */
#include "config.h"
#include "module-path.h"
#include "cleanup.h"
#include "environ.h"
#include "factory.h"
#include "paths.h"
#include "strv.h"
#include "trust.h"
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

static enum ak_status
add_folder (struct module_path *path, const char *folder, size_t length, const char *origin,
            struct ak_error **error)
{
  if (!length)
    return ak_fail (error, AK_STATUS_CONFIG, "Remove it: it would mean the current directory.",
                    "%s: an entry is empty", origin);
  if (*folder != '/')
    return ak_fail (error, AK_STATUS_CONFIG, "Write the whole path, from / on.",
                    "%s: '%.*s' is not an absolute path", origin,
                    (int) (length < PATH_MAX ? length : PATH_MAX), folder);
  return ak_strv_take (&path->folders, strndup (folder, length)) ? ak_fail_memory (error) : AK_STATUS_OK;
}

static enum ak_status
add_folders (struct module_path *path, const char *const *configured, struct ak_error **error)
{
  enum ak_status status = AK_STATUS_OK;
  const char *list = ak_environ ("AKSANDBOX_PLUGIN_PATH");
  for (; list && status == AK_STATUS_OK; list = strchr (list, ':') ? strchr (list, ':') + 1 : NULL)
    status = add_folder (path, list, strcspn (list, ":"), "AKSANDBOX_PLUGIN_PATH", error);
  for (; configured && *configured && status == AK_STATUS_OK; configured++)
    status = add_folder (path, *configured, strlen (*configured), "plugin_path", error);
  return status;
}

enum ak_status
ak_module_path_new_at (const char *const *configured, const char *installed, struct module_path **ret,
                       struct ak_error **error)
{
  struct module_path *path = calloc (1, sizeof *path);
  if (!path)
    return ak_fail_memory (error);
  path->folders = calloc (1, sizeof *path->folders);
  path->installed = strdup (installed);
  enum ak_status status
    = path->folders && path->installed ? add_folders (path, configured, error) : ak_fail_memory (error);
  if (status != AK_STATUS_OK)
    ak_module_path_free (path);
  else
    *ret = path;
  return status;
}

enum ak_status
ak_module_path_new (const char *const *configured, struct module_path **ret, struct ak_error **error)
{
  return ak_module_path_new_at (configured, ak_paths_plugins (), ret, error);
}

void
ak_module_path_free (struct module_path *path)
{
  if (!path)
    return;
  ak_strv_free (path->folders);
  free (path->installed);
  free (path);
}

const char *
ak_module_path_installed (const struct module_path *path)
{
  return path->installed;
}

const char *
ak_module_path_folder (const struct module_path *path, size_t i)
{
  size_t n = ak_strv_length ((const char *const *) path->folders);
  return i < n ? path->folders[i] : i == n ? path->installed : NULL;
}

static enum ak_status
not_installed (const struct module_path *path, const struct type_name *type, struct ak_error **error)
{
  const struct builtin *b = type->builtin ? ak_builtin_find (type->provider) : NULL;
  if (!b) {
    CLEANUP_FREE char *folders = ak_strv_join ((const char *const *) path->folders, ", ");
    return folders ? ak_fail (
             error, AK_STATUS_CONFIG,
             "Install the package that has it, or name its folder in plugin_path or $AKSANDBOX_PLUGIN_PATH.",
             "provider '%s' is not installed: looked for %s.so in %s%s%s", type->provider, type->module,
             folders, *folders ? ", " : "", path->installed)
                   : ak_fail_memory (error);
  }
  CLEANUP_FREE char *dashes = strdup (b->name);
  CLEANUP_FREE char *remedy = NULL;
  for (char *at = dashes; at && *at; at++)
    if (*at == '_')
      *at = '-';
  if (!dashes || asprintf (&remedy, AK_PACKAGE_HINT, dashes) < 0) {
    remedy = NULL;
    return ak_fail_memory (error);
  }
  return ak_fail (error, AK_STATUS_CONFIG, NULL, "provider '%s' is not installed: looked for %s.so in %s; %s",
                  b->name, type->module, path->installed, remedy);
}

static enum ak_status
restate (struct ak_error **error, enum ak_status status)
{
  if (error && *error)
    ak_error_restate (*error, status, NULL);
  return status;
}

/* Whether this very name is there, if only as a link to nowhere: then a later folder must not serve. */
static int
is_there (const char *file)
{
  struct stat st;
  return !lstat (file, &st);
}

/* The first folder of the search. */
static size_t
first_of (const struct module_path *path, const struct type_name *type)
{
  return type->builtin ? ak_strv_length ((const char *const *) path->folders) : 0;
}

int
ak_module_is_there (const struct module_path *path, const struct type_name *type)
{
  const char *folder;
  if (type->file)
    return is_there (type->file);
  for (size_t i = first_of (path, type); (folder = ak_module_path_folder (path, i)); i++) {
    CLEANUP_FREE char *file = NULL;
    if (asprintf (&file, "%s/%s.so", folder, type->module) < 0)
      file = NULL;
    if (!file || is_there (file))
      return 1;
  }
  return 0;
}

static enum ak_status
search (const struct module_path *path, const struct type_name *type, char **ret_file, int *ret_fd,
        struct ak_error **error)
{
  const char *folder;
  for (size_t i = first_of (path, type); (folder = ak_module_path_folder (path, i)); i++) {
    CLEANUP_FREE char *file = NULL;
    struct ak_error *cause = NULL;
    if (asprintf (&file, "%s/%s.so", folder, type->module) < 0) {
      file = NULL;
      return ak_fail_memory (error);
    }
    enum ak_status status = ak_trust_open (file, ret_fd, &cause);
    if (status == AK_STATUS_FILE_NOT_FOUND && !is_there (file)) {
      ak_error_free (cause);
      continue;
    }
    if (status == AK_STATUS_OK)
      *ret_file = TAKE_PTR (file);
    else if (error && !*error)
      *error = TAKE_PTR (cause);
    ak_error_free (cause);
    return status == AK_STATUS_FILE_NOT_FOUND ? restate (error, AK_STATUS_PLUGIN) : status;
  }
  return not_installed (path, type, error);
}

/* "fly, hop" */
static char *
provider_names (const struct manifest_file *file)
{
  char **names = calloc (1, sizeof *names);
  for (size_t i = 0; names && i < file->n_providers; i++)
    if (ak_strv_add (&names, file->providers[i].name)) {
      ak_strv_free (names);
      return NULL;
    }
  char *joined = names ? ak_strv_join ((const char *const *) names, ", ") : NULL;
  ak_strv_free (names);
  return joined;
}

static enum ak_status
check_contents (const struct type_name *type, const struct manifest_file *file, struct ak_error **error)
{
  if (!type->provider || ak_manifest_find (file, type->provider))
    return AK_STATUS_OK;
  CLEANUP_FREE char *names = provider_names (file);
  if (!names)
    return ak_fail_memory (error);
  return ak_fail (error, AK_STATUS_CONFIG, NULL, "%s: provider '%s' is not in this file: it has %s",
                  file->path, type->provider, names);
}

enum ak_status
ak_module_find (const struct module_path *path, const struct type_name *type, struct manifest_file *ret,
                int *ret_fd, struct ak_error **error)
{
  CLEANUP_FREE char *file = type->file ? strdup (type->file) : NULL;
  CLEANUP_CLOSE int fd = -1;
  struct manifest_file found;
  if (type->file && !file)
    return ak_fail_memory (error);
  enum ak_status status = file ? ak_trust_open (file, &fd, error) : search (path, type, &file, &fd, error);
  if (status == AK_STATUS_FILE_NOT_FOUND)
    status = restate (error, AK_STATUS_CONFIG);
  if (status == AK_STATUS_OK)
    status = ak_manifest_read (fd, file, &found, error);
  if (status != AK_STATUS_OK)
    return status;
  status = check_contents (type, &found, error);
  if (status != AK_STATUS_OK) {
    ak_manifest_file_clear (&found);
    return status;
  }
  *ret = found;
  if (ret_fd)
    *ret_fd = TAKE_FD (fd);
  return AK_STATUS_OK;
}
