/* SPDX-License-Identifier: Apache-2.0 */
/* What a provider says of itself, for people and as JSON. */
#ifndef AKSANDBOX_CLI_DESCRIBE_H
#define AKSANDBOX_CLI_DESCRIBE_H
#include <json-c/json.h>
#include "manifest.h"

/* What holds for an instance, or what a manifest declares. */
struct cli_granted {
  uint32_t caps, tier;
  char **languages;             /* borrowed */
  uint32_t asserted;            /* of caps: by the operator's word */
  int tier_asserted;
};
struct cli_granted cli_declared (const struct manifest *manifest);

/* A string that is cleaned, or null for NULL. */
void cli_add_text (struct json_object *object, const char *key, const char *text);
/* The 13 of Agent Kernel. */
struct json_object *cli_json_capabilities (const struct cli_granted *granted);
/* Names of those that rest on the operator's word. */
struct json_object *cli_json_asserted (const struct cli_granted *granted);
struct json_object *cli_json_abi (const struct manifest *manifest);
struct json_object *cli_json_options (const struct manifest *manifest);
struct json_object *cli_json_list (char *const *list);
/* Prints the object, and frees it. */
void cli_print_object (struct json_object *object);
const char *cli_threads_name (uint32_t threads);
/* "string"; of an option. */
const char *cli_type_name (uint32_t type);

/* One line, "  NAME      VALUE"; nothing for NULL. */
void cli_put_field (const char *name, const char *value);
/* "shell, files, provisions" */
void cli_put_capabilities (const struct cli_granted *granted);
/* All that the manifest says but its name and version. */
void cli_put_manifest (const struct manifest *manifest, const struct cli_granted *granted);

#endif
