/* SPDX-License-Identifier: Apache-2.0 */
/* Errors: made once, where they happen, and handed up. */
#ifndef AKSANDBOX_CORE_ERROR_H
#define AKSANDBOX_CORE_ERROR_H
#include <aksandbox.h>

struct ak_error {
  enum ak_status status;
  char *provider, *operation;   /* or NULL */
  char *text;
  char *hint;                   /* or NULL */
};

/* Set *error (which may be NULL, or already hold an earlier error that then stays) and return `status`.
 * `hint` may be NULL; one line each, hints separated by newlines. */
enum ak_status ak_fail (struct ak_error **error, enum ak_status status, const char *hint, const char *format, ...)
  __attribute__ ((format (printf, 4, 5)));
/* Out of memory. */
enum ak_status ak_fail_memory (struct ak_error **error);
/* Fill in what is not known where an error happens; keeps what is already there. Accepts NULL. */
void ak_error_stamp (struct ak_error *error, const char *provider, const char *operation);
/* Change its class, and add a line to its hint (NULL: none). */
void ak_error_restate (struct ak_error *error, enum ak_status status, const char *hint);

#endif
