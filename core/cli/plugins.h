/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands about providers share. */
#ifndef AKSANDBOX_CLI_PLUGINS_H
#define AKSANDBOX_CLI_PLUGINS_H
#include "cli.h"
#include "describe.h"
#include "instance.h"

/* The plugin path of the command line's configuration. `ret_config` may be NULL; it is the caller's. */
enum ak_status cli_plugin_path (const struct cli *cli, struct config **ret_config, struct module_path **ret,
                                struct ak_error **error);

/* One line of the table, or the one that is shown in full. What is not known is NULL. */
struct row {
  const char *name;
  const char *file, *package;
  const struct manifest *manifest;
  struct cli_granted granted;
  const struct instance *instance;
  const struct ak_error *error; /* why it cannot be used */
};

/* A provider that is asked whether it works here, and what is needed for that. */
struct subject {
  struct config *config;                /* may be NULL */
  struct module_path *path;
  struct profile_config *made;          /* the profile of a bare name, ours */
  const struct profile_config *profile; /* or NULL: of a bare name */
  uint64_t patience_ns;                 /* how long a bare name is waited for; 0: as usual */
  struct type_name type;
  struct manifest_file file;
  struct instance *instance;
  struct row row;                       /* its name is set before */
};
/* Find it, load it, ask it. `row` tells how far that came. */
enum ak_status cli_subject_ask (struct subject *subject, struct ak_error **error);
/* Frees config and path, too. */
void cli_subject_clear (struct subject *subject);

struct json_object *cli_json_row (const struct row *row);
/* Prints {"providers":[...]}, and frees the rows. */
void cli_print_rows (struct json_object *rows);
/* One provider in full, loaded and asked. One of `name` and `profile` may be NULL. The exit status. */
int cli_show_provider (struct cli *cli, const char *name, const char *profile);

#endif
