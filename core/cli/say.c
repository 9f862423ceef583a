/* SPDX-License-Identifier: Apache-2.0 */
/* Errors, remarks and the log. */
#include "config.h"
#include <json-c/json.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include "cleanup.h"
#include "cli.h"
#include "error.h"
#include "suggest.h"

#define TEXT_LIMIT 4096         /* bytes of a line that somebody else wrote */
#define WARNINGS_LIMIT 32
#define COMMANDS_MAX 64

static void
put_limited (const char *text, size_t size)
{
  cli_put_bytes (stderr, text, size < TEXT_LIMIT ? size : TEXT_LIMIT);
  fputs (size < TEXT_LIMIT ? "\n" : "...\n", stderr);
}

static void
put_error (const char *text, const char *hint)
{
  fputs ("aksandbox: ", stderr);
  put_limited (text, strlen (text));
  while (hint && *hint) {
    size_t size = strcspn (hint, "\n");
    put_limited (hint, size);
    hint += size + (hint[size] == '\n');
  }
}

/* A string, or null. -1: no memory. */
static int
add_text (struct json_object *object, const char *key, const char *text)
{
  CLEANUP_FREE char *clean = text ? cli_utf8 (text) : NULL;
  struct json_object *value = clean ? json_object_new_string (clean) : NULL;
  return (text && !value) || json_object_object_add (object, key, value) ? -1 : 0;
}

static void
print_error_object (const struct ak_error *error, const char *status)
{
  struct json_object *body = json_object_new_object (), *object = json_object_new_object ();
  const char *json = NULL;
  if (body && object && !add_text (body, "status", status)
      && !add_text (body, "provider", ak_error_provider (error))
      && !add_text (body, "operation", ak_error_operation (error))
      && !add_text (body, "text", ak_error_text (error)) && !add_text (body, "hint", ak_error_hint (error))
      && !json_object_object_add (body, "retryable", json_object_new_boolean (ak_error_retryable (error)))
      && !json_object_object_add (object, "error", body)) {
    body = NULL;
    json = json_object_to_json_string_ext (object, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);
  }
  cli_print_json (json ? json : "{\"error\":{\"status\":\"internal\",\"provider\":null,\"operation\":null,"
                                "\"text\":\"aksandbox: out of memory\",\"hint\":null,\"retryable\":false}}");
  json_object_put (body);
  json_object_put (object);
}

/* Show them, or drop them without `cli`; not what an error, `said`, has told already, or NULL. */
static void flush_warnings (const struct cli *cli, const char *said);

static void
tell (struct cli *cli, const struct ak_error *error, const char *status)
{
  if (cli->json) {
    print_error_object (error, status);
    return;
  }
  put_error (ak_error_text (error), ak_error_hint (error));
  flush_warnings (cli, ak_error_text (error));
}

int
cli_fail (struct cli *cli, struct ak_error *error)
{
  enum ak_status status;
  if (!error)
    ak_fail_memory (&error);
  status = ak_error_status (error);
  tell (cli, error, ak_status_name (status));
  ak_error_free (error);
  return status == AK_STATUS_CAPABILITY || status == AK_STATUS_POLICY ? CLI_REFUSED : CLI_ERROR;
}

int
cli_usage (struct cli *cli, const char *hint, const char *format, ...)
{
  struct ak_error *error = NULL;
  CLEANUP_FREE char *text = NULL;
  va_list ap;
  va_start (ap, format);
  if (vasprintf (&text, format, ap) < 0)
    text = NULL;
  va_end (ap);
  cli->json |= cli->json_seen;
  ak_fail (&error, AK_STATUS_CONFIG, hint, "%s", text ? text : "out of memory");
  tell (cli, error, "usage");
  ak_error_free (error);
  return CLI_USAGE;
}

int
cli_unknown_command (struct cli *cli, const char *name)
{
  const char *names[COMMANDS_MAX + 1], *nearest;
  char hint[120];
  size_t n = 0;
  for (; cli_commands[n] && n < COMMANDS_MAX; n++)
    names[n] = cli_commands[n]->name;
  names[n] = NULL;
  nearest = ak_suggest (name, names);
  snprintf (hint, sizeof hint, "%s%s%s'aksandbox --help' lists the commands", nearest ? "did you mean '" : "",
            nearest ? nearest : "", nearest ? "'?\n" : "");
  return cli_usage (cli, hint, "%s: unknown command", name);
}

void
cli_also (const struct ak_error *error)
{
  put_error (ak_error_text (error), ak_error_hint (error));
}

void
cli_note (const struct cli *cli, const char *object, const char *text)
{
  if (cli->quiet || cli->json)
    return;
  fputs ("aksandbox: ", stderr);
  cli_put (stderr, object);
  fputs (": ", stderr);
  put_limited (text, strlen (text));
}

/* What the runtime logged. Warnings wait until they may be shown. */
static struct {
  pthread_mutex_t lock;
  char *warnings[WARNINGS_LIMIT];
  size_t n;
} pending = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void
take_record (void *data, int level, const char *text)
{
  static const char *const names[]
    = { "emergency", "alert", "critical", "error", "warning", "notice", "info", "debug" };
  const struct cli *cli = data;
  LOCK_FOR_SCOPE (&pending.lock);
  if (cli->verbose) {
    flockfile (stderr);
    fprintf (stderr, "aksandbox: %s: ", names[level < 0 || level > LOG_DEBUG ? LOG_DEBUG : level]);
    put_limited (text, strlen (text));
    funlockfile (stderr);
  } else if (level <= LOG_WARNING && pending.n < WARNINGS_LIMIT) {
    pending.warnings[pending.n] = strdup (text);
    pending.n += pending.warnings[pending.n] != NULL;
  }
}

static void
flush_warnings (const struct cli *cli, const char *said)
{
  LOCK_FOR_SCOPE (&pending.lock);
  for (size_t i = 0; i < pending.n; i++) {
    if (cli && !(said && strstr (pending.warnings[i], said)))
      cli_note (cli, "warning", pending.warnings[i]);
    free (pending.warnings[i]);
  }
  pending.n = 0;
}

void
cli_show_warnings (const struct cli *cli)
{
  flush_warnings (cli, NULL);
}

void
cli_drop_warnings (void)
{
  flush_warnings (NULL, NULL);
}

enum ak_status
cli_runtime_new (struct cli *cli, struct ak_runtime **runtime, struct ak_error **error)
{
  struct ak_runtime_options options = {
    .struct_size = sizeof options,
    .config_file = cli->config_file,
    .log = take_record,
    .log_data = cli,
  };
  return ak_runtime_new (&options, runtime, error);
}
