/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of the configuration share: a folder and an environment of their own, and texts. */
#ifndef CONFIG_TOOLS_H
#define CONFIG_TOOLS_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>
#include "configuration.h"
#include "value.h"

#define SECOND 1000000000ull
#define MIB 1048576ull

extern char **environ;

/* Nothing that the caller's environment says, and a folder of its own. */
static char folder[64];

static inline void
forget_overrides (void)
{
  char name[256];

  for (char **e = environ; *e;)
    if (strncasecmp (*e, "AK_SANDBOX", 10) == 0) {
      snprintf (name, sizeof name, "%.*s", (int) strcspn (*e, "="), *e);
      unsetenv (name);
      e = environ;
    } else
      e++;
}

static inline int
enter (void **state)
{
  (void) state;
  forget_overrides ();
  unsetenv ("AKSANDBOX_CONFIG");
  unsetenv ("XDG_CONFIG_HOME");
  snprintf (folder, sizeof folder, "/tmp/ak-config-XXXXXX");
  if (!mkdtemp (folder))
    return -1;
  return setenv ("HOME", folder, 1);
}

static inline int
leave (void **state)
{
  char command[128];

  (void) state;
  snprintf (command, sizeof command, "rm -rf '%s'", folder);
  return chdir ("/") != 0 || system (command) != 0;
}

static inline char *
in_folder (const char *name)
{
  static char paths[4][256];
  static unsigned next;
  char *path = paths[next++ % 4];

  snprintf (path, sizeof paths[0], "%s/%s", folder, name);
  return path;
}

static inline char *
write_file (const char *name, const char *text)
{
  char *path = in_folder (name), *slash;

  for (slash = strchr (path + strlen (folder) + 1, '/'); slash; slash = strchr (slash + 1, '/')) {
    *slash = 0;
    mkdir (path, 0755);
    *slash = '/';
  }
  FILE *f = fopen (path, "w");
  assert_non_null (f);
  fputs (text, f);
  fclose (f);
  return path;
}

static inline struct config *
load (const char *text)
{
  struct config *config = NULL;
  struct ak_error *error = NULL;

  if (ak_config_load_memory ("f.yaml", text, strlen (text), &config, &error) != AK_STATUS_OK)
    fail_msg ("%s", ak_error_text (error));
  assert_null (error);
  return config;
}

static inline void
check_error (enum ak_status status, struct config *config, struct ak_error *error, const char *text,
             const char *hint)
{
  assert_int_equal (status, AK_STATUS_CONFIG);
  assert_null (config);
  assert_int_equal (ak_error_status (error), AK_STATUS_CONFIG);
  assert_string_equal (ak_error_text (error), text);
  if (hint)
    assert_string_equal (ak_error_hint (error) ? ak_error_hint (error) : "", hint);
  ak_error_free (error);
}

static inline void
refused_with (const char *text, const char *expected, const char *hint)
{
  struct config *config = NULL;
  struct ak_error *error = NULL;
  enum ak_status status = ak_config_load_memory ("f.yaml", text, strlen (text), &config, &error);

  check_error (status, config, error, expected, hint);
}

static inline void
refused (const char *text, const char *expected)
{
  refused_with (text, expected, NULL);
}

/* A policy line in an otherwise good profile; it stands in line 6. */
static inline void
policy_refused (const char *line, const char *expected)
{
  char text[512], full[512];

  snprintf (
    text, sizeof text,
    "sandbox:\n  enabled: true\n  profiles:\n    default:\n      policy:\n        %s\n      type: a.b\n",
    line);
  snprintf (full, sizeof full, "f.yaml:6:%s", expected);
  refused (text, full);
}

static inline const struct profile_config *
profile (const struct config *config, const char *name)
{
  const struct profile_config *p = NULL;
  struct ak_error *error = NULL;

  if (ak_config_profile (config, name, &p, &error) != AK_STATUS_OK)
    fail_msg ("%s", ak_error_text (error));
  return p;
}

static inline char *
data_file (const char *name)
{
  static char path[512];
  const char *top = getenv ("top_srcdir");

  snprintf (path, sizeof path, "%s/tests/data/config/%s", top ? top : ".", name);
  return path;
}

static inline char *
read_text (const char *path)
{
  static char text[65536];
  FILE *f = fopen (path, "r");

  assert_non_null (f);
  text[fread (text, 1, sizeof text - 1, f)] = 0;
  fclose (f);
  return text;
}

#define TEST(name) cmocka_unit_test_setup_teardown (name, enter, leave)

#endif
