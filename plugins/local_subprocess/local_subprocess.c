/* SPDX-License-Identifier: Apache-2.0 */
/* local_subprocess: programs as children of this machine's user, without isolation. */
#define _GNU_SOURCE
#include "local_subprocess.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

int32_t
local_fail (struct ak_call *call, int32_t code, const char *hint, const char *format, ...)
{
  char text[1024];
  va_list args;
  va_start (args, format);
  vsnprintf (text, sizeof text, format, args);
  va_end (args);
  return call->host->fail (call, code, text, hint);
}

void
local_log (const struct local *local, uint32_t level, const char *format, ...)
{
  char text[1024];
  va_list args;
  va_start (args, format);
  vsnprintf (text, sizeof text, format, args);
  va_end (args);
  local->host->log (local->config, level, text);
}

static int32_t
local_open (struct ak_call *call, const struct ak_config *config, void **instance)
{
  int32_t status = local_check_options (call, call->host, config);
  if (status != AK_OK)
    return status;
  struct local *local = calloc (1, sizeof *local);
  if (!local)
    return local_fail (call, AK_E_INTERNAL, NULL, "local_subprocess: out of memory");
  local->host = call->host;
  local->config = config;
  pthread_mutex_init (&local->lock, NULL);
  pthread_mutex_init (&local->level_lock, NULL);
  *instance = local;
  return AK_OK;
}

static void
local_close (void *instance)
{
  struct local *local = instance;
  while (local->made) {
    struct made *next = local->made->next;
    free (local->made);
    local->made = next;
  }
  pthread_mutex_destroy (&local->lock);
  pthread_mutex_destroy (&local->level_lock);
  free (local);
}

static int
report_languages (struct local *local, struct ak_call *call)
{
  static const struct { const char *language, *program; } known[] = {
    { "python", "python3" }, { "bash", "bash" }, { "sh", "sh" },
  };
  char found[32] = "";
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    char text[512];
    if (local_has_program (local, known[i].program)) {
      if (*found)
        strcat (found, " ");
      strcat (found, known[i].language);
      continue;
    }
    snprintf (text, sizeof text, "no %s in %s: install it, or set the option `path`", known[i].program,
              local_search_path (local));
    if (call->host->report (call, AK_REPORT_FINDING, "warn", text))
      return -1;
  }
  return call->host->report (call, AK_REPORT_LANGUAGES, NULL, found);
}

static int
report_runner (struct local *local, struct ak_call *call)
{
  struct utsname machine;
  char text[256];
  uname (&machine);
  AKS_CLOSE int runner = local->host->runner (local->config, NULL);
  if (runner >= 0)
    return 0;
  snprintf (text, sizeof text, "no runner for this machine (%.65s): install aksandbox completely",
            machine.machine);
  return call->host->report (call, AK_REPORT_FINDING, "fail", text);
}

static int
report_level (struct local *local, struct ak_call *call)
{
  static const char remedy[] = "allow unprivileged user namespaces (sysctl kernel.unprivileged_userns_clone, "
    "user.max_user_namespaces, kernel.apparmor_restrict_unprivileged_userns)";
  char text[768];
  const char *verdict = "warn";
  enum level level = local_level (local);
  switch (level) {
  case LEVEL_USER:
  case LEVEL_PID:
    verdict = "ok";
    snprintf (text, sizeof text,
              "programs are below PID 1 of their own pid namespace (%s): they end with it, and do "
              "not see other processes or their environment",
              local_level_name (level));
    break;
  case LEVEL_UNKNOWN:
    snprintf (text, sizeof text,
              "no process can be started at the moment (%s): look at the limits of this user",
              local->why_not);
    verdict = "fail";
    break;
  case LEVEL_SCOPE:
    snprintf (text, sizeof text,
              "no pid namespace (%s): Landlock keeps programs from signalling or tracing other "
              "processes, but one that attacks its runner can outlive it; to change that, %s",
              local->why_not, remedy);
    break;
  default:
    snprintf (text, sizeof text,
              "no pid namespace (%s): programs see and can kill the processes of this user, "
              "read their environment, and one that attacks its runner can outlive it; to change that, %s",
              local->why_not, remedy);
  }
  return call->host->report (call, AK_REPORT_FINDING, verdict, text);
}

int32_t
local_probe (void *instance, struct ak_call *call, struct ak_granted *granted)
{
  struct local *local = instance;
  (void) granted;                       /* nothing is claimed that this machine could lack */
  local_children_reap (local);
  if (call->host->report (call, AK_REPORT_FINDING, "warn",
                          "NO isolation: programs run as this user on this machine, with "
                          "its files and its network; for anything not trusted use another provider")
      || report_level (local, call) || report_runner (local, call) || report_languages (local, call))
    return local_fail (call, AK_E_CANCELLED, NULL, "probe: stopped");
  return AK_OK;
}

static const struct ak_ops local_ops = {
  .struct_size = sizeof (struct ak_ops),
  .open = local_open,
  .close = local_close,
  .probe = local_probe,
  .create = local_create,
  .attach = local_attach,
  .destroy = local_destroy,
  .kill = local_kill,
  .list = local_list,
  .release = local_release,
  .open_stream = local_open_stream,
};

AK_PROVIDER (local_subprocess, AK_CAP_SHELL | AK_CAP_FILES | AK_CAP_ATTACH | AK_CAP_PROVISIONS, AK_TIER_NONE,
             AK_PARALLEL, &local_ops,
             AK_KV ("version", PACKAGE_VERSION)
             AK_KV ("summary", "programs as children of this user, without isolation")
             AK_KV ("license", "Apache-2.0")
             AK_KV ("origin", "bundled")
             AK_KV ("package", "aksandbox-provider-local-subprocess")
             AK_KV ("languages", "python bash sh")
             AK_KV ("env", "TMPDIR"));
