/* SPDX-License-Identifier: Apache-2.0 */
/* The command line: options in any order before "--", the common ones served for every command. */
#include "config.h"
#include <stdio.h>
#include <string.h>
#include "cli.h"
#include "suggest.h"

static const struct cli_option *
find_in (const struct cli_option *table, int letter, const char *name, size_t size)
{
  for (; table->id; table++)
    if (name ? strncmp (table->name, name, size) == 0 && !table->name[size] : table->id == letter)
      return table;
  return NULL;
}

/* By letter, or by the first `size` bytes of a name. */
static const struct cli_option *
find_option (const struct cli_command *command, int letter, const char *name, size_t size)
{
  const struct cli_option *found = find_in (cli_common_options, letter, name, size);
  if (!found && !command)
    found = find_in (cli_program_options, letter, name, size);
  if (!found && command && command->options)
    for (const struct cli_option *const *table = command->options; *table && !found; table++)
      found = find_in (*table, letter, name, size);
  return found;
}

#define NAMES_MAX 64

/* The names of the options that could have stood here, ended by NULL. */
static void
list_names (const struct cli_command *command, const char **names)
{
  size_t n = 0;
  const struct cli_option *const own[] = { cli_program_options, NULL };
  const struct cli_option *const *table = command ? command->options : own;
  for (const struct cli_option *o = cli_common_options; o->id; o++)
    names[n++] = o->name;
  for (; table && *table; table++)
    for (const struct cli_option *o = *table; o->id && n + 1 < NAMES_MAX; o++)
      names[n++] = o->name;
  names[n] = NULL;
}

static int
stop (struct cli *cli, int status)
{
  cli->status = status;
  return CLI_STOP;
}

static int
unknown_option (struct cli_args *args, const char *name, size_t size)
{
  char hint[160], word[64];
  const char *names[NAMES_MAX], *object = args->command ? args->command->name : NULL, *nearest;
  snprintf (word, sizeof word, "%.*s", size < sizeof word ? (int) size : (int) sizeof word - 1, name);
  list_names (args->command, names);
  nearest = ak_suggest (word, names);
  snprintf (hint, sizeof hint, "%s%s%ssee 'aksandbox %s%s--help'", nearest ? "did you mean '--" : "",
            nearest ? nearest : "", nearest ? "'?\n" : "", object ? object : "", object ? " " : "");
  return stop (args->cli, cli_usage (args->cli, hint, "--%s: unknown option", word));
}

static int
unknown_letter (struct cli_args *args, const char *letters)
{
  char hint[80];
  const char *object = args->command ? args->command->name : NULL;
  int size = 1;
  while ((letters[size] & 0xc0) == 0x80)        /* a whole character of UTF-8 */
    size++;
  snprintf (hint, sizeof hint, "see 'aksandbox %s%s--help'", object ? object : "", object ? " " : "");
  return stop (args->cli, cli_usage (args->cli, hint, "-%.*s: unknown option", size, letters));
}

/* Serve a common option, or hand it to the command. */
static int
give (struct cli_args *args, const struct cli_option *option)
{
  struct cli *cli = args->cli;
  switch (option->id) {
  case 'h':
    cli_show_help (args->command);
    return stop (cli, CLI_OK);
  case 'q':
    cli->quiet = 1;
    break;
  case 'v':
    cli->verbose = 1;
    break;
  case CLI_JSON:
    cli->json = 1;
    break;
  case CLI_CONFIG:
    if (!*args->value)
      return stop (cli, cli_usage (cli, NULL, "--config: no file is named"));
    cli->config_file = args->value;
    break;
  default:
    return option->id;
  }
  return cli_next (args);
}

/* `inline_value` follows the option in the same word, or is NULL. */
static int
give_with_value (struct cli_args *args, const struct cli_option *option, const char *inline_value)
{
  args->value = inline_value;
  if (option->value && !inline_value) {
    if (args->at == args->argc)
      return stop (args->cli,
                   cli_usage (args->cli, NULL, "%s: needs a value, %s", args->name, option->value));
    args->value = args->argv[args->at++];
  }
  return give (args, option);
}

static int
next_letter (struct cli_args *args)
{
  const char *letters = args->cluster;
  const struct cli_option *option = find_option (args->command, (unsigned char) *letters, NULL, 0);
  args->cluster = NULL;
  if (!option)
    return unknown_letter (args, letters);
  snprintf (args->name, sizeof args->name, "-%c", *letters);
  if (option->value)
    return give_with_value (args, option, letters[1] ? letters + 1 : NULL);
  args->cluster = letters[1] ? letters + 1 : NULL;
  args->value = NULL;
  return give (args, option);
}

static int
next_name (struct cli_args *args, const char *name)
{
  size_t size = strcspn (name, "=");
  const struct cli_option *option = find_option (args->command, 0, name, size);
  if (!option)
    return unknown_option (args, name, size);
  snprintf (args->name, sizeof args->name, "--%s", option->name);
  if (!option->value && name[size])
    return stop (args->cli, cli_usage (args->cli, NULL, "%s: takes no value", args->name));
  return give_with_value (args, option, name[size] ? name + size + 1 : NULL);
}

int
cli_next (struct cli_args *args)
{
  const char *word;
  if (args->cluster)
    return next_letter (args);
  if (args->at == args->argc)
    return CLI_END;
  word = args->argv[args->at++];
  if (!args->operands_only && word[0] == '-' && word[1]) {
    if (word[1] != '-') {
      args->cluster = word + 1;
      return next_letter (args);
    }
    if (word[2])
      return next_name (args, word + 2);
    args->operands_only = 1;
    return cli_next (args);
  }
  if (!args->command || args->command->operands_end_options)
    args->operands_only = 1;
  args->value = word;
  return CLI_OPERAND;
}

char **
cli_rest (struct cli_args *args)
{
  return args->argv + args->at - 1;
}
