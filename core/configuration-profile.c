/* SPDX-License-Identifier: Apache-2.0 */
/* One profile: its keys, and the rules between them that need no provider's file. */
#include "config.h"
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cleanup.h"
#include "configuration-internal.h"
#include "factory.h"
#include "lifecycle.h"
#include "strv.h"

#define DAY 86400.0
#define IN_PROFILE(member) offsetof (struct profile_config, member)

static const char *const scope_words[] = { [SCOPE_PER_SESSION] = "per_session",
                                           [SCOPE_PER_CALL] = "per_call",
                                           [SCOPE_PER_RUNTIME] = "per_runtime",
                                           NULL };
static const char *const environment_words[] = { "managed", "attached", NULL };
static const char *const identity_words[] = { "agent", "user", NULL };
static const char *const network_words[] = {
  [NETWORK_ALLOW] = "allow", [NETWORK_DENY] = "deny", [NETWORK_ALLOWLIST] = "allowlist", NULL
};

static const struct field identity_fields[] = {
  { .name = "mode", .kind = FIELD_WORD, .words = identity_words, .offset = IN_PROFILE (identity_user) },
  { .name = NULL }
};

static const struct field policy_fields[] = {
  { .name = "network_egress",
    .kind = FIELD_WORD,
    .words = network_words,
    .offset = IN_PROFILE (policy.network_egress) },
  { .name = "network_allow", .kind = FIELD_TEXTS, .offset = IN_PROFILE (policy.network_allow) },
  { .name = "fs_allow_read", .kind = FIELD_TEXTS, .offset = IN_PROFILE (policy.fs_allow_read) },
  { .name = "fs_allow_write", .kind = FIELD_TEXTS, .offset = IN_PROFILE (policy.fs_allow_write) },
  { .name = "cpu",
    .kind = FIELD_CORES,
    .flags = FIELD_NULLABLE | FIELD_ABOVE,
    .max = 4096,
    .offset = IN_PROFILE (policy.cpu_milli) },
  { .name = "memory_mb",
    .kind = FIELD_MEBIBYTES,
    .flags = FIELD_NULLABLE,
    .min = 4,
    .max = 16777216,
    .offset = IN_PROFILE (policy.memory_bytes) },
  { .name = "timeout",
    .kind = FIELD_SECONDS,
    .flags = FIELD_ABOVE,
    .max = 30 * DAY,
    .offset = IN_PROFILE (policy.timeout_ns) },
  { .name = "strict", .kind = FIELD_BOOL, .offset = IN_PROFILE (policy.strict) },
  { .name = NULL }
};

const struct field ak_profile_fields[] = {
  { .name = "type", .kind = FIELD_TEXT, .offset = IN_PROFILE (type) },
  { .name = "params", .kind = FIELD_MAP, .flags = FIELD_NULLABLE, .offset = NOT_STORED },
  { .name = "scope", .kind = FIELD_WORD, .words = scope_words, .offset = IN_PROFILE (scope) },
  { .name = "environment", .kind = FIELD_WORD, .words = environment_words, .offset = IN_PROFILE (attached) },
  { .name = "idle_timeout", .kind = FIELD_SECONDS, .max = 365 * DAY, .offset = IN_PROFILE (idle_timeout_ns) },
  { .name = "create_timeout",
    .kind = FIELD_SECONDS,
    .flags = FIELD_ABOVE,
    .max = DAY,
    .offset = IN_PROFILE (create_timeout_ns) },
  { .name = "term_grace", .kind = FIELD_SECONDS, .max = 3600, .offset = IN_PROFILE (term_grace_ns) },
  { .name = "identity", .kind = FIELD_SECTION, .section = identity_fields, .offset = NOT_STORED },
  { .name = "policy", .kind = FIELD_SECTION, .section = policy_fields, .offset = NOT_STORED },
  { .name = NULL }
};

const struct field ak_profile_sugar_fields[] = {
  { .name = "type", .kind = FIELD_TEXT, .flags = FIELD_NULLABLE, .offset = IN_PROFILE (type) },
  { .name = "scope",
    .kind = FIELD_WORD,
    .flags = FIELD_NULLABLE,
    .words = scope_words,
    .offset = IN_PROFILE (scope) },
  { .name = "environment",
    .kind = FIELD_WORD,
    .flags = FIELD_NULLABLE,
    .words = environment_words,
    .offset = IN_PROFILE (attached) },
  { .name = NULL }
};

/* Without a file the type stands apart, and `options` is the provider's block, whatever it is called: they
 * take the place of the first two. */
static const struct field adhoc_fields[] = {
  { .name = "options", .kind = FIELD_MAP, .flags = FIELD_NULLABLE, .offset = NOT_STORED }, { .name = NULL }
};

struct profile_config *
ak_profile_new (const char *name)
{
  struct profile_config *p = calloc (1, sizeof *p);

  if (!p)
    return NULL;
  p->name = strdup (name);
  p->policy.network_allow = calloc (1, sizeof (char *));
  p->policy.fs_allow_read = calloc (1, sizeof (char *));
  p->policy.fs_allow_write = calloc (1, sizeof (char *));
  p->policy.timeout_ns = 120000000000u;
  p->policy.strict = 1;
  p->idle_timeout_ns = 1800000000000u;
  p->create_timeout_ns = 120000000000u;
  if (!p->name || !p->policy.network_allow || !p->policy.fs_allow_read || !p->policy.fs_allow_write) {
    ak_profile_free (p);
    return NULL;
  }
  return p;
}

void
ak_profile_free (struct profile_config *profile)
{
  if (!profile)
    return;
  free (profile->name);
  free (profile->type);
  free (profile->where);
  ak_strv_free (profile->policy.network_allow);
  ak_strv_free (profile->policy.fs_allow_read);
  ak_strv_free (profile->policy.fs_allow_write);
  ak_value_free (profile->tree);
  free (profile);
}

static int
is_range (const char *text, const char *slash)
{
  unsigned char address[16];
  char host[64];
  const char *digits = slash + 1;
  size_t n = strspn (digits, "0123456789");

  if ((size_t) (slash - text) >= sizeof host || n == 0 || n > 3 || digits[n] != 0)
    return 0;
  memcpy (host, text, (size_t) (slash - text));
  host[slash - text] = 0;
  long bits = strtol (digits, NULL, 10);
  return (inet_pton (AF_INET, host, address) == 1 && bits <= 32)
         || (inet_pton (AF_INET6, host, address) == 1 && bits <= 128);
}

/* A domain, an address, or a range of addresses; what looks like none of them would allow nothing. */
static int
is_destination (const char *text)
{
  unsigned char address[16];
  const char *slash = strchr (text, '/');

  if (slash)
    return is_range (text, slash);
  if (inet_pton (AF_INET6, text, address) == 1)
    return 1;
  return text[strspn (text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_*")] == 0;
}

static void
check_network (struct report *report, const struct value *policy, const struct profile_config *profile)
{
  const struct value *list = ak_value_get (policy, "network_allow");
  struct echo echo;

  if (!list || list->kind != VALUE_LIST)
    return;
  for (size_t i = 0; i < list->n; i++)
    if (list->items[i]->kind == VALUE_TEXT && *list->items[i]->text && !is_destination (list->items[i]->text))
      ak_report_fault (report, list->items[i],
                       "Write names and addresses alone, without scheme, port or path.",
                       "network_allow: must be a domain, an address or a range such as 10.0.0.0/8%s",
                       ak_echo (&echo, "network_allow", list->items[i]));
  if (list->n > 0 && profile->policy.network_egress != NETWORK_ALLOWLIST)
    ak_report_warning (report, list, "network_allow: has no effect without network_egress: allowlist");
}

static const struct value *
options_of (const struct value *map, const struct profile_config *profile, int adhoc)
{
  const struct value *block;

  if (adhoc)
    block = ak_value_get (map, "options");
  else if (profile->type && ak_builtin_find (profile->type))
    block = ak_value_get (map, profile->type);
  else
    block = ak_value_get (map, "params");
  return block && block->kind == VALUE_MAP ? block : NULL;
}

static void
check_keys (struct report *report, const struct value *map, int adhoc)
{
  struct known_keys known = { .fields = ak_profile_fields, .blocks = 1 };

  const struct value *type = ak_value_get (map, "type");
  if (type && type->kind == VALUE_TEXT && !ak_builtin_find (type->text))
    known.unknown_hint = "The options of a provider that is not bundled stand under `params:`.";
  if (adhoc) {
    known = (struct known_keys) { .fields = ak_profile_fields + 2, .more = adhoc_fields };
    ak_fields_read (report, map, adhoc_fields, NULL);
  }
  ak_fields_check_keys (report, map, &known);
}

void
ak_profile_read (struct report *report, const struct value *map, const struct value *key, int adhoc,
                 const struct field *fields, struct profile_config *profile)
{
  free (profile->where);
  profile->where = ak_value_line (key);
  report->no_memory |= !profile->where;
  profile->map = map;
  if (map->kind != VALUE_MAP && map->kind != VALUE_NULL) {
    ak_report_fault (report, map, NULL, "profile '%s': must be a map of keys and values", profile->name);
    return;
  }
  if (fields == ak_profile_fields)
    check_keys (report, map, adhoc);
  ak_fields_read (report, map, fields, profile);
  check_network (report, ak_value_get (map, "policy"), profile);
  profile->options = options_of (map, profile, adhoc);
  if (!adhoc && profile->type && ak_builtin_find (profile->type) && ak_value_get (map, "params"))
    ak_report_warning (report, map->key_marks[ak_value_index (map, "params")],
                       "params: has no effect with type: %s, whose options stand under `%s:`", profile->type,
                       profile->type);
}

/* A list or a map is set too: what is wrong with it is for the provider's note to say. */
static const char *
attach_to_of (const struct profile_config *profile)
{
  const struct value *value = profile->options ? ak_value_get (profile->options, "attach_to") : NULL;

  if (!value || value->kind == VALUE_NULL)
    return NULL;
  return value->text ? value->text : "?";
}

void
ak_profile_check (struct report *report, const struct value *at, const struct profile_config *profile)
{
  const char *name = profile->name, *type = profile->type;
  const struct lifecycle_fault *fault
    = ak_lifecycle_fault (profile->attached, LIFECYCLE_ANY, attach_to_of (profile));

  if (!type) {
    ak_report_fault (report, at, "Add `type:` with the name of a provider.", "profile '%s' has no type",
                     name);
    return;
  }
  if (!profile->tree && !profile->options && ak_builtin_find (type)) {
    CLEANUP_FREE char *hint = NULL;

    if (asprintf (&hint, "Add `%s: {}` to it, with options where they are needed.", type) < 0)
      hint = NULL;
    ak_report_fault (report, at, hint, "profile '%s' of type %s has no block `%s:`", name, type, type);
  } else if (fault)
    ak_report_fault (report, at, fault->hint, "profile '%s': %s", name, fault->reason);
}
