/* SPDX-License-Identifier: Apache-2.0 */
/* Where things of ours are: this code's own file, the installed providers, the runner. */
#include "config.h"
#include "paths.h"
#include "cleanup.h"
#include "trust.h"
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#define MARKER ".aksandbox-uninstalled"
#define OWNERS_MAX 16

static struct {
  char *self;
  int owner_known;
  uid_t owner;
  uid_t above[OWNERS_MAX];      /* who owns the folders above it */
  size_t n_above;
  char *tree;                   /* top of the build tree, or NULL: installed */
  char *plugins;                /* NULL: the configured folder */
} paths;
static pthread_once_t paths_once = PTHREAD_ONCE_INIT;

/* The main program has no name in the link map, and its argv[0] is its caller's. */
static char *
find_self (void)
{
  void *extra = NULL;
  Dl_info info;
  const struct link_map *map = dladdr1 (&paths, &info, &extra, RTLD_DL_LINKMAP) ? extra : NULL;
  if (map && *map->l_name)
    return realpath (map->l_name, NULL);
  return realpath ("/proc/self/exe", NULL);
}

static int
has_marker (const char *folder)
{
  char file[PATH_MAX];
  struct stat st;
  int n = snprintf (file, sizeof file, "%s/%s", folder, MARKER);
  return n > 0 && n < (int) sizeof file && !stat (file, &st) && S_ISREG (st.st_mode);
}

static char *
find_tree (const char *self)
{
  CLEANUP_FREE char *folder = strdup (self);
  for (int levels = 0; folder; levels++) {
    char *slash = strrchr (folder, '/');
    if (!slash)
      return NULL;
    *slash = 0;
    if (levels != 1 && has_marker (folder))
      return TAKE_PTR (folder);
    /* The library of a build tree lies in TOP/core/.libs. */
    const char *name = strrchr (folder, '/');
    if (levels == 2 || (levels == 0 && (!name || strcmp (name, "/.libs"))))
      return NULL;
  }
  return NULL;
}

static void
find_above (const char *self)
{
  CLEANUP_FREE char *folder = strdup (self);
  struct stat st;
  char *slash;
  while (folder && (slash = strrchr (folder, '/')) && slash != folder && paths.n_above < OWNERS_MAX) {
    *slash = 0;
    if (!stat (folder, &st))
      paths.above[paths.n_above++] = st.st_uid;
  }
}

static void
find_paths (void)
{
  struct stat st;
  paths.self = find_self ();
  if (!paths.self)
    return;
  paths.owner_known = !stat (paths.self, &st);
  paths.owner = paths.owner_known ? st.st_uid : 0;
  find_above (paths.self);
  paths.tree = find_tree (paths.self);
  if (paths.tree && asprintf (&paths.plugins, "%s/plugins/.libs", paths.tree) < 0) {
    free (TAKE_PTR (paths.tree));
    paths.plugins = NULL;
  }
}

const char *
ak_paths_self (void)
{
  pthread_once (&paths_once, find_paths);
  return paths.self;
}

int
ak_paths_self_owner (uid_t *ret)
{
  pthread_once (&paths_once, find_paths);
  if (!paths.owner_known)
    return -1;
  *ret = paths.owner;
  return 0;
}

int
ak_paths_above_owned_by (uid_t uid)
{
  pthread_once (&paths_once, find_paths);
  for (size_t i = 0; i < paths.n_above; i++)
    if (paths.above[i] == uid)
      return 1;
  return 0;
}

const char *
ak_paths_plugins (void)
{
  pthread_once (&paths_once, find_paths);
  return paths.plugins ? paths.plugins : AK_PLUGINDIR;
}

enum ak_status
ak_paths_runner (const char *machine, int *ret_fd, struct ak_error **error)
{
  CLEANUP_FREE char *file = NULL;
  struct utsname here;
  struct ak_error *cause = NULL;
  pthread_once (&paths_once, find_paths);
  if (uname (&here))
    return ak_fail (error, AK_STATUS_INTERNAL, NULL, "runner: uname: %s", strerror (errno));
  if (!machine)
    machine = here.machine;
  if (!*machine || strspn (machine, "abcdefghijklmnopqrstuvwxyz0123456789_") != strlen (machine))
    return ak_fail (error, AK_STATUS_CONFIG, NULL, "runner: '%s' is not the name of a machine", machine);
  /* A build tree has the one that it built, for the machine that it is on. */
  int own = paths.tree && !strcmp (here.machine, machine);
  if ((own ? asprintf (&file, "%s/core/aksandbox-runner", paths.tree)
           : asprintf (&file, "%s/runner-%s", AK_LIBEXECDIR, machine)) < 0) {
    file = NULL;
    return ak_fail_memory (error);
  }
  enum ak_status status = ak_trust_open (file, ret_fd, &cause);
  if (status == AK_STATUS_FILE_NOT_FOUND)
    status = ak_fail (error, AK_STATUS_CONFIG,
                      "Install aksandbox for that machine too: its runner is copied into sandboxes.",
                      "runner: there is none for %s: looked for %s", machine, file);
  else if (status != AK_STATUS_OK && error && !*error)
    *error = TAKE_PTR (cause);
  ak_error_free (cause);
  return status;
}
