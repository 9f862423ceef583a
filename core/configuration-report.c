/* SPDX-License-Identifier: Apache-2.0 */
/* Faults and warnings of a configuration, collected. */
#include "config.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cleanup.h"
#include "configuration-internal.h"
#include "strv.h"

#define FURTHER_MAX 20u
#define ECHO_MAX 64

/* "PLACE: what", or NULL without memory. */
static char *
placed (const struct value *at, const char *format, va_list ap)
{
  CLEANUP_FREE char *where = ak_value_where (at), *what = NULL;
  char *text = NULL;

  if (vasprintf (&what, format, ap) < 0)
    what = NULL;
  if (!where || !what || asprintf (&text, "%s: %s", where, what) < 0)
    return NULL;
  return text;
}

static int
add_line (char **lines, const char *prefix, const char *text)
{
  char *joined = NULL;

  if (asprintf (&joined, "%s%s%s%s", *lines ? *lines : "", *lines ? "\n" : "", prefix, text) < 0)
    return -1;
  free (*lines);
  *lines = joined;
  return 0;
}

void
ak_report_fault (struct report *report, const struct value *at, const char *hint, const char *format, ...)
{
  va_list ap;

  report->n++;
  if (report->n > FURTHER_MAX + 1)
    return;
  va_start (ap, format);
  CLEANUP_FREE char *text = placed (at, format, ap);
  va_end (ap);
  if (!text)
    report->no_memory = 1;
  else if (report->n > 1)
    report->no_memory |= add_line (&report->also, "also: ", text) != 0;
  else {
    report->text = TAKE_PTR (text);
    if (hint && !(report->hint = strdup (hint)))
      report->no_memory = 1;
  }
}

void
ak_report_warning (struct report *report, const struct value *at, const char *format, ...)
{
  va_list ap;

  if (ak_strv_length ((const char *const *) report->warnings) > FURTHER_MAX)
    return;
  va_start (ap, format);
  char *text = placed (at, format, ap);
  va_end (ap);
  if (ak_strv_take (&report->warnings, text))
    report->no_memory = 1;
}

enum ak_status
ak_report_end (struct report *report, struct ak_error **error)
{
  enum ak_status status = AK_STATUS_OK;
  char more[40];

  if (report->n > FURTHER_MAX + 1) {
    snprintf (more, sizeof more, "and %u more", report->n - FURTHER_MAX - 1);
    report->no_memory |= add_line (&report->also, "", more) != 0;
  }
  if (report->also && add_line (&report->hint, "", report->also))
    report->no_memory = 1;
  if (report->no_memory)
    status = ak_fail_memory (error);
  else if (report->n > 0)
    status = ak_fail (error, AK_STATUS_CONFIG, report->hint, "%s", report->text);
  free (report->text);
  free (report->hint);
  free (report->also);
  *report = (struct report) { .warnings = report->warnings };
  return status;
}

int
ak_key_is_secret (const char *key)
{
  static const char *const parts[] = { "api_key", "apikey",     "token",      "passw",
                                       "secret",  "credential", "private_key" };

  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (strcasestr (key, parts[i]))
      return 1;
  return 0;
}

int
ak_key_is_shown (const char *key)
{
  size_t n = 0;

  while (key[n] >= 0x20 && key[n] <= 0x7e)
    n++;
  return key[n] == 0 && n <= ECHO_MAX;
}

const char *
ak_echo (struct echo *echo, const char *key, const struct value *value)
{
  const char *text = value->text;

  echo->text[0] = 0;
  if (!text || !ak_key_is_shown (text) || ak_key_is_secret (key))
    return echo->text;
  snprintf (echo->text, sizeof echo->text, ", not '%s'", text);
  return echo->text;
}
