/* SPDX-License-Identifier: Apache-2.0 */
/* Which modules there are in the folders of the search. */
#include "config.h"
#include "module-path.h"
#include "cleanup.h"
#include "strv.h"
#include "trust.h"
#include <dirent.h>
#include <string.h>

#define MODULES_MAX 4096        /* in one folder */

struct visit {
  void (*each) (void *data, const char *module, const char *file, const struct manifest_file *manifests,
                const struct ak_error *error);
  void *data;
  char **seen;                  /* modules of earlier folders */
  int no_memory;                /* for one that is not told of */
};

static void
visit_file (struct visit *v, const char *folder, const char *module)
{
  CLEANUP_FREE char *file = NULL;
  CLEANUP_CLOSE int fd = -1;
  struct manifest_file manifests = { 0 };
  struct ak_error *error = NULL;
  if (ak_strv_has ((const char *const *) v->seen, module))
    return;
  if (asprintf (&file, "%s/%s.so", folder, module) < 0) {
    file = NULL;
    v->no_memory = 1;
    return;
  }
  enum ak_status status = ak_trust_open (file, &fd, &error);
  if (status == AK_STATUS_OK)
    status = ak_manifest_scan (fd, file, &manifests, &error);
  if (status != AK_STATUS_OK || manifests.n_providers) {
    if (status == AK_STATUS_INTERNAL || ak_strv_add (&v->seen, module))
      v->no_memory = 1;
    v->each (v->data, module, file, status == AK_STATUS_OK ? &manifests : NULL, error);
  }
  ak_manifest_file_clear (&manifests);
  ak_error_free (error);
}

static int
compare_text (const void *a, const void *b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

/* The modules of a folder, sorted. One that nobody may be trusted with, or that is not there, has none. */
static char **
list_folder (struct visit *v, const char *folder)
{
  int fd = -1;
  char **modules = NULL;
  enum ak_status status = ak_trust_open_dir (folder, &fd, NULL);
  if (status != AK_STATUS_OK) {
    v->no_memory |= status == AK_STATUS_INTERNAL;
    return NULL;
  }
  DIR *dir = fdopendir (fd);
  if (!dir) {
    v->no_memory = 1;
    close (fd);
    return NULL;
  }
  struct dirent *entry;
  size_t n = 0;
  while (n < MODULES_MAX && (entry = readdir (dir))) {
    size_t length = strlen (entry->d_name);
    if (length <= 3 || strcmp (entry->d_name + length - 3, ".so")
        || !ak_module_is_name (entry->d_name, length - 3))
      continue;
    if (ak_strv_take (&modules, strndup (entry->d_name, length - 3))) {
      v->no_memory = 1;
      break;
    }
    n++;
  }
  closedir (dir);
  if (n)
    qsort (modules, n, sizeof *modules, compare_text);
  return modules;
}

enum ak_status
ak_module_each (const struct module_path *path,
                void (*each) (void *data, const char *module, const char *file,
                              const struct manifest_file *manifests, const struct ak_error *error),
                void *data)
{
  struct visit visit = { .each = each, .data = data };
  const char *folder;
  for (size_t i = 0; (folder = ak_module_path_folder (path, i)); i++) {
    char **modules = list_folder (&visit, folder);
    for (char **m = modules; m && *m; m++)
      visit_file (&visit, folder, *m);
    ak_strv_free (modules);
  }
  ak_strv_free (visit.seen);
  return visit.no_memory ? AK_STATUS_INTERNAL : AK_STATUS_OK;
}
