/* SPDX-License-Identifier: Apache-2.0 */
/* What a runner can be kept apart by on this machine. */
#define _GNU_SOURCE
#include "local_subprocess.h"
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

static const struct { const char *name; unsigned spaces, flags; } levels[] = {
  [LEVEL_USER] = { "user", CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS, AKS_PROC },
  [LEVEL_PID] = { "pid", CLONE_NEWPID | CLONE_NEWNS, AKS_PROC },
  [LEVEL_SCOPE] = { "scope", 0, AKS_SCOPE },
  [LEVEL_NONE] = { "none", 0, 0 },
};

const char *
local_level_name (enum level level)
{
  return levels[level].name;
}

enum level
local_level_find (const char *name)
{
  for (enum level i = LEVEL_USER; i <= LEVEL_NONE; i++)
    if (strcmp (name, levels[i].name) == 0)
      return i;
  return LEVEL_UNKNOWN;
}

int
local_level_apply (enum level level, struct aks_start *start, struct aks_maps *maps)
{
  start->spaces = levels[level].spaces;
  start->flags = levels[level].flags;
  start->maps = maps;
  return (start->spaces & CLONE_NEWUSER) ? aks_maps_identity (maps) : 0;
}

/* Set up such a process and let it end at once. */
static int
try (struct local *local, enum level level)
{
  static const char *const nothing[] = { NULL };
  struct aks_start start = { .program = -1, .argv = nothing, .envp = nothing, .folder = -1 };
  struct aks_maps maps;
  struct aks_process process;
  enum aks_step step = AKS_STEP_PREPARE;
  int error = local_level_apply (level, &start, &maps);
  if (!error)
    error = aks_process_start (&start, &process, &step);
  if (error) {
    if (level == LEVEL_USER || !*local->why_not)
      snprintf (local->why_not, sizeof local->why_not, "%s: %s", aks_step_text (step), strerror (-error));
    return error;
  }
  aks_process_kill (&process, 2000);
  aks_process_clear (&process);
  return 0;
}

enum level
local_level (struct local *local)
{
  AKS_LOCK_FOR_SCOPE (&local->level_lock);
  if (local->level != LEVEL_UNKNOWN)
    return local->level;
  const char *wish = local->host->option (local->config, "namespaces");
  enum level level = LEVEL_USER;
  if (wish && strcmp (wish, "never") == 0) {
    level = LEVEL_SCOPE;
    snprintf (local->why_not, sizeof local->why_not, "the option `namespaces` says never");
  }
  for (int error; level < LEVEL_NONE && (error = try (local, level)); level++)
    if (error == -EAGAIN || error == -ENOMEM || error == -EMFILE || error == -ENFILE)
      return LEVEL_UNKNOWN;
  return local->level = level;
}
