/* SPDX-License-Identifier: Apache-2.0 */
/* Where log records go: nowhere, or to the application's function. */
#ifndef AKSANDBOX_CORE_LOG_H
#define AKSANDBOX_CORE_LOG_H
#include <syslog.h>

struct log_sink {
  void (*log) (void *data, int level, const char *text);        /* or NULL */
  void *data;
};

void ak_log (const struct log_sink *sink, int level, const char *format, ...) __attribute__ ((format (printf, 3, 4)));

#endif
