/* SPDX-License-Identifier: Apache-2.0 */
/* The help, made from the tables that the parser reads. */
#include "config.h"
#include <stdio.h>
#include <string.h>
#include "cli.h"

#define COLUMN 26               /* where the texts begin */
#define WIDTH 80

const struct cli_option cli_common_options[] = {
  { CLI_CONFIG, "config", "FILE", "read this configuration and no other" },
  { CLI_JSON, "json", NULL, "print one JSON object instead, on standard output" },
  { 'q', "quiet", NULL, "no remarks on standard error; errors remain" },
  { 'v', "verbose", NULL, "print the log on standard error" },
  { 'h', "help", NULL, "show this help" },
  { 0, NULL, NULL, NULL }
};

const struct cli_option cli_program_options[] = {
  { CLI_VERSION, "version", NULL, "print the version of program, library and provider interface" },
  { 0, NULL, NULL, NULL }
};

/* Words, broken before WIDTH, with the line already at `indent`. */
static void
put_words (const char *text, int indent)
{
  int column = indent;
  while (*text) {
    int size = (int) strcspn (text, " ");
    if (column > indent && column + 1 + size >= WIDTH) {
      printf ("\n%*s", indent, "");
      column = indent;
    } else if (column > indent) {
      putchar (' ');
      column++;
    }
    printf ("%.*s", size, text);
    column += size;
    text += size + (text[size] == ' ');
  }
  putchar ('\n');
}

static void
put_row (const char *name, const char *text)
{
  int column = printf ("  %s", name);
  if (column >= COLUMN - 1) {
    putchar ('\n');
    column = 0;
  }
  printf ("%*s", COLUMN - column, "");
  put_words (text, COLUMN);
}

static void
put_options (const struct cli_option *table)
{
  for (; table->id; table++) {
    char name[64];
    int at = table->id < 256 ? snprintf (name, sizeof name, "-%c, ", table->id)
                             : snprintf (name, sizeof name, "    ");
    snprintf (name + at, sizeof name - (size_t) at, "--%s%s%s", table->name, table->value ? " " : "",
              table->value ? table->value : "");
    put_row (name, table->help);
  }
}

static void
put_usage (const struct cli_command *command)
{
  const char *form = command->usage, *lead = "Usage: ";
  for (;;) {
    int size = (int) strcspn (form, "\n");
    printf ("%saksandbox %s%s%.*s\n", lead, command->name, size ? " " : "", size, form);
    if (!form[size])
      break;
    form += size + 1;
    lead = "       ";
  }
}

static void
show_program (void)
{
  printf ("Usage: aksandbox [OPTION...] COMMAND [ARGUMENT...]\n\n"
          "Run code that nobody has reviewed in a sandbox.\n\nCommands:\n");
  for (const struct cli_command *const *c = cli_commands; *c; c++)
    put_row ((*c)->name, (*c)->summary);
  printf ("\nOptions, before or after the command:\n");
  put_options (cli_common_options);
  printf ("\nOptions without a command:\n");
  put_options (cli_program_options);
  printf ("\n'aksandbox COMMAND --help' shows the options of a command; aksandbox(1) is the manual.\n");
}

void
cli_show_help (const struct cli_command *command)
{
  if (!command) {
    show_program ();
    return;
  }
  put_usage (command);
  putchar ('\n');
  put_words (command->summary, 0);
  if (command->details) {
    putchar ('\n');
    put_words (command->details, 0);
  }
  if (command->options)
    printf ("\nOptions:\n");
  for (const struct cli_option *const *table = command->options; table && *table; table++)
    put_options (*table);
  printf ("\nOptions of every command:\n");
  put_options (cli_common_options);
}

static int
run_help (struct cli *cli, struct cli_args *args)
{
  const struct cli_command *about = NULL;
  for (int id; (id = cli_next (args)) != CLI_END;) {
    if (id == CLI_STOP)
      return cli->status;
    if (about)
      return cli_usage (cli, NULL, "%s: only one command can be named", args->value);
    about = cli_command_find (args->value);
    if (!about)
      return cli_unknown_command (cli, args->value);
  }
  cli_show_help (about);
  return CLI_OK;
}

const struct cli_command cli_help = {
  .name = "help",
  .usage = "[COMMAND]",
  .summary = "Show the help of a command, or of the program.",
  .run = run_help,
};
