/* SPDX-License-Identifier: Apache-2.0 */
/* Errors: made once, where they happen, and handed up. */
#include "config.h"
#include "error.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Handed out when there is no memory for one, and never freed. */
static char no_memory_text[] = "aksandbox: out of memory";
static struct ak_error no_memory = { .status = AK_STATUS_INTERNAL, .text = no_memory_text };

static const char *const status_names[] = {
  [AK_STATUS_OK] = "ok",
  [AK_STATUS_CONFIG] = "config",
  [AK_STATUS_CAPABILITY] = "capability",
  [AK_STATUS_POLICY] = "policy",
  [AK_STATUS_TIMEOUT] = "timeout",
  [AK_STATUS_PROVISION] = "provision",
  [AK_STATUS_GONE] = "gone",
  [AK_STATUS_SESSION_NOT_FOUND] = "session_not_found",
  [AK_STATUS_BROKER] = "broker",
  [AK_STATUS_FILE_NOT_FOUND] = "file_not_found",
  [AK_STATUS_UNAVAILABLE] = "unavailable",
  [AK_STATUS_AUTH] = "auth",
  [AK_STATUS_CANCELLED] = "cancelled",
  [AK_STATUS_PLUGIN] = "plugin",
  [AK_STATUS_INTERNAL] = "internal",
};

const char *
ak_status_name (enum ak_status status)
{
  size_t i = (size_t) status;
  return i < sizeof status_names / sizeof *status_names ? status_names[i] : "internal";
}

enum ak_status
ak_fail (struct ak_error **error, enum ak_status status, const char *hint, const char *format, ...)
{
  if (!error || *error)
    return status;
  struct ak_error *e = calloc (1, sizeof *e);
  char *text = NULL, *copy = hint ? strdup (hint) : NULL;
  va_list ap;
  va_start (ap, format);
  int n = vasprintf (&text, format, ap);
  va_end (ap);
  if (!e || n < 0 || (hint && !copy)) {
    free (e);
    free (n < 0 ? NULL : text);
    free (copy);
    *error = &no_memory;
    return AK_STATUS_INTERNAL;
  }
  e->status = status;
  e->text = text;
  e->hint = copy;
  *error = e;
  return status;
}

enum ak_status
ak_fail_memory (struct ak_error **error)
{
  if (error && !*error)
    *error = &no_memory;
  return AK_STATUS_INTERNAL;
}

void
ak_error_stamp (struct ak_error *error, const char *provider, const char *operation)
{
  if (!error || error == &no_memory)
    return;
  if (!error->provider && provider)
    error->provider = strdup (provider);
  if (!error->operation && operation)
    error->operation = strdup (operation);
}

void
ak_error_restate (struct ak_error *error, enum ak_status status, const char *hint)
{
  char *joined = NULL;
  if (error == &no_memory)
    return;
  error->status = status;
  if (!hint || asprintf (&joined, "%s%s%s", error->hint ? error->hint : "", error->hint ? "\n" : "", hint) < 0)
    return;
  free (error->hint);
  error->hint = joined;
}

void
ak_error_free (struct ak_error *error)
{
  if (!error || error == &no_memory)
    return;
  free (error->provider);
  free (error->operation);
  free (error->text);
  free (error->hint);
  free (error);
}

enum ak_status
ak_error_status (const struct ak_error *error)
{
  return error ? error->status : AK_STATUS_OK;
}

const char *
ak_error_text (const struct ak_error *error)
{
  return error ? error->text : "";
}

const char *
ak_error_hint (const struct ak_error *error)
{
  return error ? error->hint : NULL;
}

const char *
ak_error_provider (const struct ak_error *error)
{
  return error ? error->provider : NULL;
}

const char *
ak_error_operation (const struct ak_error *error)
{
  return error ? error->operation : NULL;
}

int
ak_error_retryable (const struct ak_error *error)
{
  return error && error->status == AK_STATUS_UNAVAILABLE;
}
