/* SPDX-License-Identifier: Apache-2.0 */
/* The configuration: Agent Kernel's `sandbox:` section, checked, with where each value came from. */
#ifndef AKSANDBOX_CORE_CONFIGURATION_H
#define AKSANDBOX_CORE_CONFIGURATION_H
#include <stddef.h>
#include <stdint.h>
#include "error.h"

struct value; /* a tree of YAML or JSON values with their positions: value.h */

enum scope { SCOPE_PER_SESSION = 0, SCOPE_PER_CALL, SCOPE_PER_RUNTIME };
enum network { NETWORK_ALLOW = 0, NETWORK_DENY, NETWORK_ALLOWLIST }; /* as struct ak_policy */

struct policy_config {
  enum network network_egress;
  char **network_allow, **fs_allow_read, **fs_allow_write; /* ended by NULL, never NULL */
  uint64_t cpu_milli, memory_bytes;                        /* 0: not limited */
  uint64_t timeout_ns;                                     /* default 120 s; never 0 */
  int strict;
};

struct profile_config {
  char *name;
  char *type;                           /* never NULL when the configuration is enabled */
  enum scope scope;
  int attached;               /* environment: attached */
  uint64_t idle_timeout_ns;   /* default 1800 s */
  uint64_t create_timeout_ns; /* default 120 s */
  uint64_t term_grace_ns;     /* default 0 */
  int identity_user;          /* identity.mode: user */
  struct policy_config policy;
  const struct value *options; /* the provider's block or `params`; a map, or NULL when empty */
  char *where;                 /* "FILE:LINE", "environment variable AK_...", "command line", "built-in" */
  struct value *tree;          /* what `options` points into, when it is the profile's own; or NULL */
  const struct value *map;     /* where its keys stand; NULL: nobody wrote it */
};

/* `principal_resolver: static` */
struct principal_config {
  int user; /* mode: user */
  char *subject;
  char **groups;      /* ended by NULL, never NULL */
  char **credentials; /* key, name of an environment variable, key...; ended by NULL, never NULL */
};

struct config {
  int enabled;
  char *file;                       /* which was read, or NULL */
  char *enable_where, *enable_hint; /* when not enabled: "FILE:LINE", and what to change there */
  char *default_profile;
  char **plugin_path;               /* ended by NULL, never NULL */
  uint64_t output_limit;            /* tool_output_max_chars: of the text that a tool answers with */
  struct profile_config **profiles; /* in order of the file */
  size_t n_profiles;
  struct principal_config *principal; /* NULL: the agent itself */
  char **warnings;                    /* ended by NULL, never NULL: what is known and has no effect */
  struct value *tree;                 /* what the profiles' options point into, or NULL */
  const struct value *section;        /* of the tree: what `sandbox:` holds; NULL: nobody wrote it */
};

/* `file`: NULL finds it (see aksandbox(1)), "" reads none; AK_SANDBOX__* of the environment in any case.
 * Without any configuration the result is the built-in profile "default". Status CONFIG:
 * "FILE:LINE:COL: ..."; the hint has a line for each further fault, 20 at most. */
enum ak_status ak_config_load (const char *file, struct config **ret, struct ak_error **error);
/* The same with the text of a file, called `name` in messages. */
enum ak_status ak_config_load_memory (const char *name, const char *data, size_t size, struct config **ret,
                                      struct ak_error **error);
/* For a report about a configuration with faults: with status CONFIG, too, *ret is what could be read of it,
 * or NULL. A profile of it may have no type. */
enum ak_status ak_config_load_faulty (const char *file, struct config **ret, struct ak_error **error);
void ak_config_free (struct config *config);
/* Status CONFIG: disabled, or unknown (with the names there are). NULL name: the default profile. */
enum ak_status ak_config_profile (const struct config *config, const char *name,
                                  const struct profile_config **ret, struct ak_error **error);
/* A profile that is in no file: `type`, and "KEY=VALUE" settings (dotted keys of a profile, and
 * "options.KEY" for the provider's; NULL or ended by NULL). */
enum ak_status ak_config_adhoc (const char *type, const char *const *settings, struct profile_config **ret,
                                struct ak_error **error);
void ak_profile_free (struct profile_config *profile);

#endif
