/* SPDX-License-Identifier: Apache-2.0 */
/* Where a program runs, and under which limits: the options that run and exec share. */
#include "config.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cleanup.h"
#include "cli.h"
#include "configuration.h"
#include "error.h"
#include "factory.h"

enum {
  OPTION_TIMEOUT = 256,
  OPTION_NETWORK,
  OPTION_MEMORY,
  OPTION_CPU,
  OPTION_ENV,
  OPTION_CWD,
  OPTION_STDIN
};

const struct cli_option cli_where_options[] = {
  { 'p', "profile", "PROFILE", "use this profile of the configuration" },
  { 't', "type", "TYPE",
    "use this provider, without a profile: a bundled one's name, MODULE:NAME or /FILE.so:NAME" },
  { OPTION_TIMEOUT, "timeout", "SECONDS", "kill the program after this time" },
  { OPTION_NETWORK, "network", "allow|deny",
    "whether the program may use the network; with -t, or without a configuration" },
  { OPTION_MEMORY, "memory", "MIB", "memory limit, 512, 512m or 2g; with -t, or without a configuration" },
  { OPTION_CPU, "cpu", "NUMBER", "processors, such as 0.5; with -t, or without a configuration" },
  { OPTION_ENV, "env", "NAME=VALUE", "set a variable of the program's environment; repeatable" },
  { OPTION_CWD, "cwd", "DIRECTORY", "start the program in this directory of the sandbox" },
  { OPTION_STDIN, "stdin", NULL, "pass standard input to the program, which otherwise reads end-of-file" },
  { 0, NULL, NULL, NULL }
};

static int
wrong (struct cli_args *args, const char *range)
{
  cli_usage (args->cli, NULL, "%s: '%s' is not in the range %s", args->name, args->value, range);
  args->cli->status = CLI_USAGE;
  return CLI_STOP;
}

static int
stop (struct cli *cli, int status)
{
  cli->status = status;
  return CLI_STOP;
}

static int
same_name (const char *a, const char *b)
{
  size_t size = strcspn (a, "=");
  return strncmp (a, b, size + 1) == 0;
}

static int
add_env (struct cli_where *where, struct cli_args *args)
{
  const char *entry = args->value, *equal = strchr (entry, '=');
  const char **grown;
  if (!equal || equal == entry)
    return stop (args->cli, cli_usage (args->cli, NULL, "--env: '%s' is not NAME=VALUE", entry));
  for (size_t i = 0; i < where->n_env; i++)
    if (same_name (where->env[i], entry)) {
      where->env[i] = entry;
      return 1;
    }
  grown = realloc (where->env, (where->n_env + 2) * sizeof *grown);
  if (!grown)
    return stop (args->cli, cli_fail (args->cli, NULL));
  where->env = grown;
  where->env[where->n_env++] = entry;
  where->env[where->n_env] = NULL;
  return 1;
}

/* A name that must not be empty. */
static int
take_name (const char **ret, struct cli_args *args)
{
  if (!*args->value)
    return stop (args->cli, cli_usage (args->cli, NULL, "%s: is empty", args->name));
  *ret = args->value;
  return 1;
}

int
cli_where_take (struct cli_where *where, struct cli_args *args, int id)
{
  switch (id) {
  case 'p':
    return take_name (&where->profile, args);
  case 't':
    return take_name (&where->type, args);
  case OPTION_TIMEOUT:
    return cli_parse_timeout (args->value, &where->timeout) ? wrong (args, CLI_TIMEOUT_RANGE) : 1;
  case OPTION_NETWORK:
    if (strcmp (args->value, "allow") != 0 && strcmp (args->value, "deny") != 0)
      return stop (args->cli,
                   cli_usage (args->cli, NULL, "--network: '%s' is neither allow nor deny", args->value));
    where->network = args->value;
    return 1;
  case OPTION_MEMORY:
    return cli_parse_memory (args->value, &where->memory_mib) ? wrong (args, CLI_MEMORY_RANGE) : 1;
  case OPTION_CPU:
    return cli_parse_cpu (args->value, &where->cpu) ? wrong (args, CLI_CPU_RANGE) : 1;
  case OPTION_ENV:
    return add_env (where, args);
  case OPTION_CWD:
    return take_name (&where->cwd, args);
  case OPTION_STDIN:
    where->has_stdin = 1;
    return 1;
  default:
    return 0;
  }
}

/* The option that sets a policy, or NULL. */
static const char *
policy_option (const struct cli_where *where)
{
  return where->network ? "--network" : where->memory_mib ? "--memory" : where->cpu > 0 ? "--cpu" : NULL;
}

int
cli_where_check (const struct cli_where *where, struct cli *cli)
{
  if (where->profile && where->type)
    return stop (cli, cli_usage (cli, NULL, "--type: cannot be used together with --profile"));
  if (where->profile && policy_option (where))
    return stop (cli, cli_usage (cli, "set the policy of the profile in the configuration",
                                 "%s: cannot be used together with --profile", policy_option (where)));
  return 0;
}

#define SETTINGS_MAX 5

static int
set (char **settings, const char *format, ...) __attribute__ ((format (printf, 2, 3)));

static int
set (char **settings, const char *format, ...)
{
  va_list ap;
  va_start (ap, format);
  while (*settings)
    settings++;
  if (vasprintf (settings, format, ap) < 0)
    *settings = NULL;
  va_end (ap);
  return *settings ? 0 : -1;
}

/* A profile made of the command line: `network` unless that says something else. */
static enum ak_status
session_of_type (const struct cli_where *where, struct ak_runtime *runtime, const char *type,
                 const char *network, struct ak_session **session, struct ak_error **error)
{
  char *settings[SETTINGS_MAX] = { NULL };
  enum ak_status status;
  if (where->network)
    network = where->network;
  if ((network && set (settings, "policy.network_egress=%s", network))
      || (where->memory_mib && set (settings, "policy.memory_mb=%llu", (unsigned long long)where->memory_mib))
      || (where->cpu > 0 && set (settings, "policy.cpu=%.9g", where->cpu))
      || (where->timeout > 0 && set (settings, "policy.timeout=%.9g", where->timeout)))
    status = ak_fail_memory (error);
  else
    status = ak_session_new_type (runtime, type, (const char *const *) settings, session, error);
  for (size_t i = 0; i < SETTINGS_MAX; i++)
    free (settings[i]);
  return status;
}

/* The type of the profile that exists without a configuration, the caller's; NULL when there is one. */
static enum ak_status
default_type (struct cli *cli, char **ret, char **ret_where, struct ak_error **error)
{
  struct config *config = NULL;
  const struct profile_config *profile = NULL;
  enum ak_status status = ak_config_load (cli->config_file, &config, error);
  if (status == AK_STATUS_OK)
    status = ak_config_profile (config, NULL, &profile, error);
  if (status == AK_STATUS_OK) {
    int is_built_in = !config->file && strcmp (profile->where, "built-in") == 0;
    *ret_where = strdup (profile->where);
    *ret = is_built_in ? strdup (profile->type) : NULL;
    if (!*ret_where || (is_built_in && !*ret))
      status = ak_fail_memory (error);
  }
  ak_config_free (config);
  return status;
}

static enum ak_status
session_of_default (const struct cli_where *where, struct cli *cli, struct ak_runtime *runtime,
                    struct ak_session **session, struct ak_error **error)
{
  CLEANUP_FREE char *type = NULL, *place = NULL;
  enum ak_status status = default_type (cli, &type, &place, error);
  if (status != AK_STATUS_OK)
    return status;
  if (!type)
    return ak_fail (error, AK_STATUS_CONFIG,
                    "Set the policy of this profile there, or name a provider with -t.",
                    "%s: the default profile comes from a configuration, %s", policy_option (where), place);
  return session_of_type (where, runtime, type, "deny", session, error);
}

void
cli_where_config (const struct cli_where *where, struct cli *cli)
{
  if (where->type && !cli->config_file && ak_builtin_find (where->type))
    cli->config_file = "";
}

enum ak_status
cli_where_session (const struct cli_where *where, struct cli *cli, struct ak_runtime *runtime,
                   struct ak_session **session, struct ak_error **error)
{
  if (where->type) {
    cli_drop_warnings ();
    return session_of_type (where, runtime, where->type, NULL, session, error);
  }
  if (policy_option (where))
    return session_of_default (where, cli, runtime, session, error);
  return ak_session_new (runtime, where->profile, session, error);
}

static const char *
unconfined_type (void)
{
  const struct builtin *b = ak_builtins;
  while (b->name && !(b->flags & BUILTIN_UNCONFINED))
    b++;
  return b->name;
}

void
cli_where_ways_on (const struct cli_where *where, struct cli *cli, struct ak_error *error)
{
  CLEANUP_FREE char *type = NULL, *place = NULL;
  char hint[120];
  enum ak_status status = ak_error_status (error);
  if (!error || where->type || where->profile || status == AK_STATUS_CANCELLED
      || status == AK_STATUS_CAPABILITY || status == AK_STATUS_POLICY)
    return;
  if (default_type (cli, &type, &place, NULL) != AK_STATUS_OK || !type)
    return;
  snprintf (hint, sizeof hint, "Or run it without any isolation: -t %s.", unconfined_type ());
  ak_error_restate (error, status, hint);
}

void
cli_where_clear (struct cli_where *where)
{
  free (where->env);
}
