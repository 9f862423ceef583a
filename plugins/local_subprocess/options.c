/* SPDX-License-Identifier: Apache-2.0 */
/* The options of local_subprocess, and what they make of a program's environment and limits. */
#define _GNU_SOURCE
#include "local_subprocess.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

AK_OPTION (local_subprocess, workdir, AK_T_STRING, 0, 0,
           AK_KV ("help", "absolute path of the folder for sandboxes; default: $TMPDIR, else /tmp"));
AK_OPTION (local_subprocess, path, AK_T_STRING, 0, 0,
           AK_KV ("default", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")
           AK_KV ("help", "PATH of the programs, where interpreters are looked up too"));
AK_OPTION (local_subprocess, env, AK_T_MAP, 0, 0,
           AK_KV ("help", "variables in the environment of every program, which is otherwise clean"));
AK_OPTION (local_subprocess, namespaces, AK_T_STRING, 0, 0,
           AK_KV ("default", "auto") AK_KV ("choices", "auto require never")
           AK_KV ("help", "a pid namespace for programs: where there are some, or else no start, or never"));
AK_OPTION (local_subprocess, nofile, AK_T_INT, 0, 0,
           AK_KV ("min", "16") AK_KV ("max", "1048576") AK_KV ("help", "open files of a program"));
AK_OPTION (local_subprocess, nproc, AK_T_INT, 0, 0,
           AK_KV ("min", "1") AK_KV ("max", "4194304")
           AK_KV ("help", "processes and threads; of the sandbox in its own namespaces, else of the user"));
AK_OPTION (local_subprocess, fsize, AK_T_INT, 0, 0,
           AK_KV ("min", "0") AK_KV ("max", "9223372036854775807")
           AK_KV ("help", "bytes of a file that a program writes"));
AK_OPTION (local_subprocess, cpu_seconds, AK_T_INT, 0, 0,
           AK_KV ("min", "1") AK_KV ("max", "31536000") AK_KV ("help", "processor time of one process"));
AK_OPTION (local_subprocess, address_space, AK_T_INT, 0, 0,
           AK_KV ("min", "16777216") AK_KV ("max", "9223372036854775807")
           AK_KV ("help", "bytes of virtual memory of one process"));
AK_OPTION (local_subprocess, stack, AK_T_INT, 0, 0,
           AK_KV ("min", "131072") AK_KV ("max", "9223372036854775807")
           AK_KV ("help", "bytes of stack of a process"));
AK_OPTION (local_subprocess, core, AK_T_INT, 0, 0,
           AK_KV ("default", "0") AK_KV ("min", "0") AK_KV ("max", "9223372036854775807")
           AK_KV ("help", "bytes of a core file"));

static const struct { const char *option, *limit; int resource; } limits[] = {
  { "nofile", "nofile", RLIMIT_NOFILE },
  { "nproc", "nproc", RLIMIT_NPROC },
  { "fsize", "fsize", RLIMIT_FSIZE },
  { "cpu_seconds", "cpu", RLIMIT_CPU },
  { "address_space", "as", RLIMIT_AS },
  { "stack", "stack", RLIMIT_STACK },
  { "core", "core", RLIMIT_CORE },
};

/* The next entry of a path. Returns 0 when there is none. */
static int
next_folder (const char **path, const char **ret, size_t *ret_size)
{
  if (!*path)
    return 0;
  const char *colon = strchrnul (*path, ':');
  *ret = *path;
  *ret_size = (size_t) (colon - *path);
  *path = *colon ? colon + 1 : NULL;
  return 1;
}

static int
path_is_absolute (const char *path)
{
  const char *entry;
  size_t size;
  while (next_folder (&path, &entry, &size))
    if (!size || *entry != '/')
      return 0;
  return 1;
}

static int
name_is_valid (const char *name)
{
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
  return *name && !(*name >= '0' && *name <= '9') && !name[strspn (name, letters)];
}

int32_t
local_check_options (struct ak_call *call, const struct ak_host *host, const struct ak_config *config)
{
  const char *workdir = host->option (config, "workdir"), *path = host->option (config, "path"), *name;
  if (workdir && *workdir != '/')
    return local_fail (call, AK_E_CONFIG, "Write the whole path of the folder.",
                       "workdir: not an absolute path");
  if (!path || !path_is_absolute (path))
    return local_fail (call, AK_E_CONFIG, "Separate absolute paths by colons.",
                       "path: has an entry that is empty or no absolute path");
  for (uint32_t i = 0; host->option_item (config, "env", i, &name); i++)
    if (!name || !name_is_valid (name))
      return local_fail (call, AK_E_CONFIG,
                         "A name has letters, digits and underscores, and begins with no digit.",
                         "env: has a name that no variable can have");
  return AK_OK;
}

static const char *
item_of (const struct local *local, const char *key)
{
  const char *name, *value;
  for (uint32_t i = 0; (value = local->host->option_item (local->config, "env", i, &name)); i++)
    if (name && strcmp (name, key) == 0)
      return value;
  return NULL;
}

static int
report_env (struct ak_call *call, const struct local *local, const char *key, const char *value)
{
  return item_of (local, key) ? 0 : call->host->report (call, AK_REPORT_ENV, key, value);
}

static int
report_environment (struct ak_call *call, const struct local *local, const char *workspace, const char *tmp)
{
  const char *name, *value;
  if (report_env (call, local, "PATH", local_search_path (local))
      || report_env (call, local, "HOME", workspace) || report_env (call, local, "TMPDIR", tmp)
      || report_env (call, local, "LANG", "C.UTF-8"))
    return -1;
  for (uint32_t i = 0; (value = local->host->option_item (local->config, "env", i, &name)); i++)
    if (call->host->report (call, AK_REPORT_ENV, name, value))
      return -1;
  return 0;
}

/* A limit above what this process may give is as good as what it may. */
static int
report_limits (struct ak_call *call, const struct local *local)
{
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
    const char *text = local->host->option (local->config, limits[i].option);
    char number[24];
    uint64_t wanted;
    struct rlimit have;
    if (!text || aks_parse_u64 (text, &wanted))
      continue;
    if (getrlimit (limits[i].resource, &have) == 0 && have.rlim_max != RLIM_INFINITY
        && wanted > have.rlim_max)
      wanted = have.rlim_max;
    snprintf (number, sizeof number, "%llu", (unsigned long long) wanted);
    if (call->host->report (call, AK_REPORT_LIMIT, limits[i].limit, number))
      return -1;
  }
  return 0;
}

int
local_report_setting (struct ak_call *call, const struct sandbox *s)
{
  struct aks_text workspace = { NULL, 0, 0 }, tmp = { NULL, 0, 0 };
  int failed = aks_text_add (&workspace, "%s/%s", s->path, WORK) || aks_text_add (&tmp, "%s/%s", s->path, TMP)
    || call->host->report (call, AK_REPORT_WORKSPACE, NULL, workspace.bytes)
    || report_environment (call, s->local, workspace.bytes, tmp.bytes) || report_limits (call, s->local);
  aks_text_clear (&workspace);
  aks_text_clear (&tmp);
  return failed ? -1 : 0;
}

const char *
local_search_path (const struct local *local)
{
  return local->host->option (local->config, "path");
}

int
local_has_program (const struct local *local, const char *name)
{
  const char *path = local_search_path (local), *entry;
  size_t size;
  while (next_folder (&path, &entry, &size)) {
    char file[4096];
    struct stat st;
    int n =
      snprintf (file, sizeof file, "%.*s/%s", (int)(size < sizeof file ? size : sizeof file), entry, name);
    if (n > 0 && (size_t) n < sizeof file && stat (file, &st) == 0 && S_ISREG (st.st_mode)
        && faccessat (AT_FDCWD, file, X_OK, AT_EACCESS) == 0)
      return 1;
  }
  return 0;
}
