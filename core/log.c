/* SPDX-License-Identifier: Apache-2.0 */
/* Where log records go: nowhere, or to the application's function. */
#include "config.h"
#include "log.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void
ak_log (const struct log_sink *sink, int level, const char *format, ...)
{
  char *text = NULL;
  va_list ap;
  if (!sink->log)
    return;
  va_start (ap, format);
  int n = vasprintf (&text, format, ap);
  va_end (ap);
  if (n < 0)
    return;
  sink->log (sink->data, level, text);
  free (text);
}
