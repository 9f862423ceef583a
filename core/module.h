/* SPDX-License-Identifier: Apache-2.0 */
/* Names of providers, the search for their files, and loading. The only user of libltdl. */
#ifndef AKSANDBOX_CORE_MODULE_H
#define AKSANDBOX_CORE_MODULE_H
#include "manifest.h"

struct type_name {              /* a profile's `type`, taken apart */
  char *module;                 /* "docker", "acme.cloud", or NULL with a file */
  char *provider;               /* "docker", "fly"; NULL only in "/file.so" where all are meant */
  char *file;                   /* absolute, or NULL */
  int builtin;                  /* a name of the factory's table: only the installed folder serves it */
};
/* A built-in name, "acme.cloud:fly", "acme.cloud.fly" (the same: the part behind the last dot is the
 * provider), "/opt/acme/fly.so:fly". Everything else is CONFIG, with what is wrong; a name without dot and
 * colon that is not built in with the list of the built-in ones and of the installed modules.
 * `provider_optional`: "/file.so" without a provider is allowed (inspect, validate). */
struct module_path;
enum ak_status ak_type_parse (const struct module_path *path, const char *type, int provider_optional,
                              struct type_name *ret, struct ak_error **error);
void ak_type_clear (struct type_name *name);

/* The plugin path: $AKSANDBOX_PLUGIN_PATH, `configured` (a list ended by NULL, or NULL), the installed
 * folder (in a build tree its own). Empty and relative entries are CONFIG errors. */
enum ak_status ak_module_path_new (const char *const *configured, struct module_path **ret,
                                   struct ak_error **error);
/* The same with another folder as the installed one. */
enum ak_status ak_module_path_new_at (const char *const *configured, const char *installed,
                                      struct module_path **ret, struct ak_error **error);
void ak_module_path_free (struct module_path *path);
const char *ak_module_path_installed (const struct module_path *path);

/* The file that a type means, opened and trusted, and its manifests; loads nothing. `ret_fd` may be NULL.
 * Status CONFIG: not installed (with the package), or not in this file; PLUGIN: not a provider, refused. */
enum ak_status ak_module_find (const struct module_path *path, const struct type_name *type,
                               struct manifest_file *ret, int *ret_fd, struct ak_error **error);
/* Every provider file on the path (installed modules), by folder and name; unreadable ones with their error
 * and NULL for their manifests. What has no note of ours is no provider and is left out, and so is a module
 * that an earlier folder has. Status INTERNAL: there was no memory for all of them. */
enum ak_status ak_module_each (const struct module_path *path,
                               void (*each) (void *data, const char *module, const char *file,
                                             const struct manifest_file *manifests,
                                             const struct ak_error *error),
                               void *data);

/* Whether it may be loaded, as far as can be told without doing so: its version of the ABI, and the libraries
 * that it needs. `fd` is the file that the manifest was read from. */
enum ak_status ak_module_admit (const struct manifest *manifest, const char *file, int fd,
                                struct ak_error **error);

/* A loaded provider; loaded once a process, never unloaded, immutable. */
struct module {
  char *file;
  struct manifest manifest;     /* of this provider */
  struct ak_ops ops;            /* a copy: what the plugin is too old to have is NULL */
};
/* Find and load. Status PLUGIN: wrong ABI (both numbers), a library of its own is missing (named), undefined
 * symbol, note and code disagree, declared without the operation. */
enum ak_status ak_module_load (const struct module_path *path, const struct type_name *type,
                               const struct module **ret, struct ak_error **error);

#endif
