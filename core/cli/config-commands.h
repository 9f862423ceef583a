/* SPDX-License-Identifier: Apache-2.0 */
/* The commands about the configuration, and what they share. */
#ifndef AKSANDBOX_CLI_CONFIG_COMMANDS_H
#define AKSANDBOX_CLI_CONFIG_COMMANDS_H
#include <json-c/json.h>
#include "checks.h"
#include "configuration.h"
#include "profile-check.h"

/* The exit status. */
int cli_config_check (struct cli *cli);
int cli_config_show (struct cli *cli);

/* What is to be said of it and of each profile. `error`, if any, is what reading it came to; then `config`
 * may be NULL. */
void cli_checks_add_config (struct cli_checks *checks, const struct config *config,
                            const struct ak_error *error);

/* Rows {"key","value","origin"}: the settings of the section, of a profile, and of its provider. The origin
 * is FILE:LINE, an environment variable, "default" or "built-in". No secret is in them. */
struct json_object *cli_config_rows (const struct config *config);
struct json_object *cli_profile_rows (const struct profile_config *profile);
/* Without good options only which there are. */
struct json_object *cli_option_rows (const struct profile_config *profile, const struct profile_view *view);

#endif
