/* SPDX-License-Identifier: Apache-2.0 */
/* A profile that is in no file: a type, and settings from a command line or an application. */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cleanup.h"
#include "configuration-internal.h"
#include "strv.h"
#include "value-build.h"

#define PROFILE_NAME "command-line"

/* The words of "a.b.c"; NULL: no memory, or one of them is empty (*ret_empty). */
static char **
split_key (const char *key, size_t size, int *ret_empty)
{
  char **path = NULL;
  const char *end = key + size;

  for (;;) {
    const char *dot = memchr (key, '.', (size_t) (end - key));
    size_t length = (size_t) ((dot ? dot : end) - key);

    *ret_empty = length == 0;
    if (length == 0 || ak_strv_take (&path, strndup (key, length))) {
      ak_strv_free (path);
      return NULL;
    }
    if (!dot)
      return path;
    key = dot + 1;
  }
}

static enum ak_status
apply_setting (struct value **tree, const char *setting, struct ak_error **error)
{
  const char *equals = strchr (setting, '=');
  CLEANUP_FREE char *source = NULL;
  struct value *value = NULL;
  int empty = 0;

  if (!equals)
    return ak_fail (error, AK_STATUS_CONFIG, NULL, "a setting must be KEY=VALUE");
  char **path = split_key (setting, (size_t) (equals - setting), &empty);
  if (empty)
    return ak_fail (error, AK_STATUS_CONFIG, "Keys are separated by dots, as in policy.timeout=5.",
                    "a setting has an empty key");
  if (asprintf (&source, "setting %.*s", (int) (equals - setting > 64 ? 64 : equals - setting), setting) < 0)
    source = NULL;
  enum ak_status status =
    path && source ? ak_value_parse_override (source, equals + 1, &value, error) : ak_fail_memory (error);
  if (status == AK_STATUS_OK && ak_strv_length ((const char *const *) path) > VALUE_MAX_DEPTH)
    status = ak_fail (error, AK_STATUS_CONFIG, NULL, "%s: too many keys", source);
  if (status != AK_STATUS_OK)
    ak_value_free (value);
  else if (ak_value_merge_at (tree, (const char *const *) path, 0, value))
    status = ak_fail_memory (error);
  ak_strv_free (path);
  return status;
}

static struct value *
empty_map (void)
{
  struct value_source *source = ak_value_source_new ("command line");
  struct value *map = source ? ak_value_new (VALUE_MAP, source) : NULL;

  ak_value_source_unref (source);
  return map;
}

enum ak_status
ak_config_adhoc (const char *type, const char *const *settings, struct profile_config **ret,
                 struct ak_error **error)
{
  struct profile_config *p = ak_profile_new (PROFILE_NAME);
  struct report report = { 0 };
  enum ak_status status = AK_STATUS_OK;

  if (!p || !(p->type = strdup (type)) || !(p->tree = empty_map ())) {
    ak_profile_free (p);
    return ak_fail_memory (error);
  }
  for (; settings && *settings && status == AK_STATUS_OK; settings++)
    status = apply_setting (&p->tree, *settings, error);
  if (status == AK_STATUS_OK && !*type)
    status = ak_fail (error, AK_STATUS_CONFIG, NULL, "type: must not be empty");
  if (status == AK_STATUS_OK) {
    ak_profile_read (&report, p->tree, p->tree, 1, ak_profile_fields, p);
    ak_profile_check (&report, p->tree, p);
    status = ak_report_end (&report, error);
    ak_strv_free (report.warnings);
  }
  if (status != AK_STATUS_OK) {
    ak_profile_free (p);
    return status;
  }
  *ret = p;
  return AK_STATUS_OK;
}
