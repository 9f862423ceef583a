/* SPDX-License-Identifier: Apache-2.0 */
/* What was found, one verdict a line: for config check and doctor. */
#ifndef AKSANDBOX_CLI_CHECKS_H
#define AKSANDBOX_CLI_CHECKS_H
#include <json-c/json.h>
#include <stddef.h>
#include <aksandbox.h>
#include "cli.h"

#define CHECK_OK "ok"
#define CHECK_WARN "warn"
#define CHECK_FAIL "fail"

struct cli_check {
  const char *verdict;          /* one of these */
  char *name, *text, *remedy;   /* the remedy may be NULL, or have several lines */
};

struct cli_checks {
  struct cli_check *list;
  size_t n;
};

/* The texts are copied. */
void cli_checks_add (struct cli_checks *checks, const char *verdict, const char *name, const char *text,
                     const char *remedy);
void cli_checks_add_error (struct cli_checks *checks, const char *verdict, const char *name,
                           const struct ak_error *error);
int cli_checks_failed (const struct cli_checks *checks);
/* Each that failed, as an error on standard error. */
void cli_checks_say_failed (const struct cli_checks *checks);
/* A table on standard output; `all`: those that failed, too. */
void cli_checks_print (const struct cli_checks *checks, int all);
struct json_object *cli_checks_json (const struct cli_checks *checks);
void cli_checks_clear (struct cli_checks *checks);

#endif
