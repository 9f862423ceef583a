/* SPDX-License-Identifier: Apache-2.0 */
/* Loading of providers: once a process, never unloaded. The only user of libltdl. */
#include "config.h"
#include "module.h"
#include "cleanup.h"
#include "module-check.h"
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <ltdl.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>

/* A file that the linker has, whatever came of it. */
struct opened {
  char *file;
  dev_t device;
  ino_t inode;
  struct opened *next;
};

struct loaded {
  struct module module;
  dev_t device;
  ino_t inode;
  struct loaded *next;
};

/* libltdl has unlocked state of its own, so that one lock guards it and what came of it. A host
 * application that uses libltdl itself must load its providers before it starts threads. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct loaded *all_locked;
static struct opened *opened_locked;
static int ready_locked;

/* What is being loaded. */
struct candidate {
  const char *file;
  const struct manifest *manifest;
  struct stat st;               /* of the descriptor that the manifest was read from */
  char symbol[96];
};

static enum ak_status
init_locked (struct ak_error **error)
{
  if (ready_locked)
    return AK_STATUS_OK;
  if (lt_dlinit ())
    return ak_fail (error, AK_STATUS_INTERNAL, NULL, "libltdl: cannot be used: %s", lt_dlerror ());
  ready_locked = 1;
  return AK_STATUS_OK;
}

/* dlerror's "NAME: TEXT" may be translated, except for the name: that of a library which was looked for has
 * no slash, and the two texts below are put together before they are translated. */
static enum ak_status
explain (const struct candidate *c, const char *text, struct ak_error **error)
{
  const char *colon = strstr (text, ": "), *symbol = strstr (text, "undefined symbol: ");
  const char *version = strstr (text, "version `");
  if (symbol)
    return ak_fail (
      error, AK_STATUS_PLUGIN,
      "It was built against another version of one of its libraries, or without one: install it again.",
      "%s: undefined symbol: %s", c->file, symbol + strlen ("undefined symbol: "));
  if (version && strstr (version, "' not found (required by "))
    return ak_fail (error, AK_STATUS_PLUGIN,
                    "It was built for a newer system: install the build for this one.",
                    "%s: a library that it needs is too old: %s", c->file, text);
  if (colon && !memchr (text, '/', (size_t) (colon - text)))
    return ak_fail (error, AK_STATUS_PLUGIN, "Install the package that has this library.",
                    "%s: a library that it needs is missing: %.*s", c->file, (int) (colon - text), text);
  size_t n = strlen (c->file);
  if (!strncmp (text, c->file, n) && !strncmp (text + n, ": ", 2))
    text += n + 2;
  return ak_fail (error, AK_STATUS_PLUGIN, NULL, "%s: cannot be loaded: %s", c->file, text);
}

/* libltdl binds lazily and loses the linker's text: this load comes before its own, and stays. */
static enum ak_status
preflight_locked (const struct candidate *c, struct ak_error **error)
{
  CLEANUP_FREE struct opened *o = calloc (1, sizeof *o);
  CLEANUP_FREE char *file = strdup (c->file);
  if (!o || !file)
    return ak_fail_memory (error);
  if (!dlopen (file, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)) {
    const char *text = dlerror ();
    return explain (c, text ? text : "no reason given", error);
  }
  for (const struct opened *known = opened_locked; known; known = known->next)
    if (!strcmp (known->file, file))
      return AK_STATUS_OK;
  *o = (struct opened) { TAKE_PTR (file), c->st.st_dev, c->st.st_ino, opened_locked };
  opened_locked = TAKE_PTR (o);
  return AK_STATUS_OK;
}

static enum ak_status
open_locked (const struct candidate *c, lt_dlhandle *ret, struct ak_error **error)
{
  lt_dladvise advise;
  lt_dlhandle handle = NULL;
  enum ak_status status = preflight_locked (c, error);
  if (status != AK_STATUS_OK)
    return status;
  if (lt_dladvise_init (&advise))
    return ak_fail_memory (error);
  if (!lt_dladvise_local (&advise))
    handle = lt_dlopenadvise (c->file, advise);
  const char *text = handle ? NULL : lt_dlerror ();
  if (!handle)
    status = ak_fail (error, AK_STATUS_PLUGIN, NULL, "%s: cannot be loaded: %s", c->file,
                      text ? text : "no reason given");
  lt_dladvise_destroy (&advise);
  if (handle)
    *ret = handle;
  return status;
}

/* A symbol of a library that the file needs is found just as well. */
static enum ak_status
check_home (const struct candidate *c, const void *symbol, size_t *ret_size, struct ak_error **error)
{
  void *extra = NULL;
  Dl_info info;
  struct stat st;
  if (!dladdr1 (symbol, &info, &extra, RTLD_DL_SYMENT) || stat (info.dli_fname, &st))
    return ak_fail (error, AK_STATUS_PLUGIN, NULL,
                    "%s: provider '%s' is not in this file: where its symbol %s is, is not known", c->file,
                    c->manifest->name, c->symbol);
  if (st.st_dev != c->st.st_dev || st.st_ino != c->st.st_ino)
    return ak_fail (error, AK_STATUS_PLUGIN, "Report it to the provider's author.",
                    "%s: provider '%s' is not in this file: its symbol %s is in %s", c->file,
                    c->manifest->name, c->symbol, info.dli_fname);
  const ElfW(Sym) *entry = extra;
  /* A symbol made by hand may have no size: then nothing is known against it. */
  *ret_size =
    entry && info.dli_saddr == symbol && entry->st_size ? entry->st_size : sizeof (struct ak_provider);
  return AK_STATUS_OK;
}

static enum ak_status
load_locked (const struct candidate *c, struct ak_ops *ret, struct ak_error **error)
{
  lt_dlhandle handle = NULL;
  size_t size = 0;
  enum ak_status status = init_locked (error);
  if (status == AK_STATUS_OK)
    status = open_locked (c, &handle, error);
  if (status != AK_STATUS_OK)
    return status;
  const struct ak_provider *provider = lt_dlsym (handle, c->symbol);
  if (!provider)
    return ak_fail (error, AK_STATUS_PLUGIN, "Report it to the provider's author.",
                    "%s: provider '%s' is not in this file: its note is, but no symbol %s", c->file,
                    c->manifest->name, c->symbol);
  status = check_home (c, provider, &size, error);
  return status == AK_STATUS_OK ? ak_module_check (c->manifest, c->file, provider, size, ret, error) : status;
}

/* Loaded before: this provider of this file, or of one that had its place. */
static const struct loaded *
find_locked (const struct candidate *c)
{
  for (const struct loaded *l = all_locked; l; l = l->next)
    if (!strcmp (l->module.manifest.name, c->manifest->name)
        && (!strcmp (l->module.file, c->file) || (l->device == c->st.st_dev && l->inode == c->st.st_ino)))
      return l;
  return NULL;
}

/* The linker tells files apart by name first: for a file that was replaced it would give the old one. */
static enum ak_status
check_replaced_locked (const struct candidate *c, struct ak_error **error)
{
  for (const struct opened *o = opened_locked; o; o = o->next)
    if (!strcmp (o->file, c->file) && (o->device != c->st.st_dev || o->inode != c->st.st_ino))
      return ak_fail (error, AK_STATUS_PLUGIN, "Start the program again.",
                      "%s: it was replaced after this process had loaded it", c->file);
  return AK_STATUS_OK;
}

/* Takes the manifest out of its file. */
static struct loaded *
loaded_new (const struct candidate *c, const struct ak_ops *ops, struct manifest *manifest)
{
  struct loaded *l = calloc (1, sizeof *l);
  char *file = strdup (c->file);
  if (!l || !file) {
    free (l);
    free (file);
    return NULL;
  }
  l->device = c->st.st_dev;
  l->inode = c->st.st_ino;
  l->module.file = file;
  l->module.ops = *ops;
  l->module.manifest = *manifest;
  *manifest = (struct manifest) { 0 };
  return l;
}

static enum ak_status
get (int fd, struct manifest_file *file, struct manifest *manifest, const struct module **ret,
     struct ak_error **error)
{
  struct candidate c = { .file = file->path, .manifest = manifest };
  struct ak_ops ops;
  if (fstat (fd, &c.st))
    return ak_fail (error, AK_STATUS_PLUGIN, NULL, "%s: cannot be read: %s", file->path, strerror (errno));
  snprintf (c.symbol, sizeof c.symbol, "ak%d_provider_%s", AK_PROVIDER_MAJOR, manifest->name);
  LOCK_FOR_SCOPE (&lock);
  const struct loaded *found = find_locked (&c);
  if (!found) {
    enum ak_status status = ak_module_admit (manifest, file->path, fd, error);
    if (status == AK_STATUS_OK)
      status = check_replaced_locked (&c, error);
    if (status == AK_STATUS_OK)
      status = load_locked (&c, &ops, error);
    if (status != AK_STATUS_OK)
      return status;
    struct loaded *l = loaded_new (&c, &ops, manifest);
    if (!l)
      return ak_fail_memory (error);
    l->next = all_locked;
    found = all_locked = l;
  }
  *ret = &found->module;
  return AK_STATUS_OK;
}

/* The provider that a type means, which may leave it out where there is only one. */
static struct manifest *
choose (const struct manifest_file *file, const char *name)
{
  for (size_t i = 0; i < file->n_providers; i++)
    if (name ? !strcmp (file->providers[i].name, name) : file->n_providers == 1)
      return &file->providers[i];
  return NULL;
}

enum ak_status
ak_module_load (const struct module_path *path, const struct type_name *type, const struct module **ret,
                struct ak_error **error)
{
  CLEANUP_CLOSE int fd = -1;
  struct manifest_file file;
  enum ak_status status = ak_module_find (path, type, &file, &fd, error);
  if (status != AK_STATUS_OK)
    return status;
  struct manifest *manifest = choose (&file, type->provider);
  if (!manifest)
    status =
      ak_fail (error, AK_STATUS_CONFIG, "Write FILE:PROVIDER.", "%s: has several providers", file.path);
  else
    status = get (fd, &file, manifest, ret, error);
  ak_manifest_file_clear (&file);
  return status;
}
