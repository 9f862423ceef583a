/* SPDX-License-Identifier: Apache-2.0 */
/* The command line as a command's function sees it. */
#include "config.h"
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "cli/cli.h"

static const struct cli_option options[] = {
  { 'a', "all", NULL, "all" },
  { 'o', "output", "FILE", "where to" },
  { 256, "depth", "NUMBER", "how deep" },
  { 0, NULL, NULL, NULL }
};
static const struct cli_option *const tables[] = { options, NULL };
static const struct cli_command mixed = { .name = "mixed", .usage = "", .summary = "", .options = tables };
static const struct cli_command leading
  = { .name = "leading", .usage = "", .summary = "", .options = tables, .operands_end_options = 1 };

const struct cli_command *const cli_commands[] = { &mixed, &leading, NULL };

const struct cli_command *
cli_command_find (const char *name)
{
  (void) name;
  return NULL;
}

/* What cli_next gives for `line`, one word each: "-o=x" an option with its value, "x" an operand, "!2" the
 * status to stop with; standard error goes to `said`. */
static void
read_line (const struct cli_command *command, struct cli *cli, const char *const *line, char *seen,
           char *said)
{
  static char words[20][40];    /* what was read points into them */
  char *argv[20];
  struct cli_args args = { .cli = cli, .command = command, .argv = argv };
  FILE *err = tmpfile ();
  int saved = dup (STDERR_FILENO), id;
  assert_non_null (err);
  for (; line[args.argc]; args.argc++)
    argv[args.argc] = strcpy (words[args.argc], line[args.argc]);
  argv[args.argc] = NULL;
  dup2 (fileno (err), STDERR_FILENO);
  for (*seen = '\0'; (id = cli_next (&args)) != CLI_END; strcat (seen, " ")) {
    char *end = seen + strlen (seen);
    if (id == CLI_OPERAND)
      strcpy (end, args.value);
    else if (id == CLI_STOP)
      sprintf (end, "!%d", cli->status);
    else
      sprintf (end, "%s%s%s", args.name, args.value ? "=" : "", args.value ? args.value : "");
    if (id == CLI_STOP)
      break;
  }
  dup2 (saved, STDERR_FILENO);
  close (saved);
  rewind (err);
  said[fread (said, 1, 400, err)] = '\0';
  fclose (err);
}

#define LINE(...) ((const char *const[]) { __VA_ARGS__, NULL })

static void
assert_line (const struct cli_command *command, const char *const *line, const char *expected)
{
  struct cli cli = { 0 };
  char seen[400], said[401];
  read_line (command, &cli, line, seen, said);
  assert_string_equal (seen, expected);
  assert_string_equal (said, "");
}

static void
assert_wrong (const struct cli_command *command, const char *const *line, const char *expected)
{
  struct cli cli = { 0 };
  char seen[400], said[401];
  read_line (command, &cli, line, seen, said);
  assert_string_equal (seen + (strlen (seen) > 2 ? strlen (seen) - 2 : 0), "!2");
  assert_int_equal (strncmp (said, expected, strlen (expected)), 0);
}

static void
a_value_follows_as_a_word_or_in_the_same_word (void **state)
{
  (void) state;
  assert_line (&mixed, LINE ("-o", "x", "-ox", "--output", "x", "--output=x=y", "--output=", "-o", ""),
               "-o=x -o=x --output=x --output=x=y --output= -o= ");
  assert_line (&mixed, LINE ("-o", "-a", "--depth", "--all"), "-o=-a --depth=--all ");
}

static void
letters_without_values_can_be_joined (void **state)
{
  (void) state;
  assert_line (&mixed, LINE ("-aaox"), "-a -a -o=x ");
  assert_line (&mixed, LINE ("-ao", "x"), "-a -o=x ");
  struct cli cli = { 0 };
  char seen[400], said[401];
  read_line (&mixed, &cli, LINE ("-qav"), seen, said);
  assert_string_equal (seen, "-a ");
  assert_true (cli.quiet && cli.verbose);
}

static void
options_may_follow_operands_until_two_dashes (void **state)
{
  (void) state;
  assert_line (&mixed, LINE ("x", "-a", "-", "y", "--", "-a", "--", "z"), "x -a - y -a -- z ");
}

static void
the_first_operand_ends_the_options_of_a_command_that_runs_one (void **state)
{
  (void) state;
  assert_line (&leading, LINE ("-a", "ls", "-a", "--json", "--"), "-a ls -a --json -- ");
  assert_line (&leading, LINE ("-a", "--", "-a", "-o"), "-a -a -o ");
}

static void
common_options_are_served_without_the_command (void **state)
{
  (void) state;
  struct cli cli = { 0 };
  char seen[400], said[401];
  read_line (&mixed, &cli, LINE ("--json", "x", "--config", "f", "--quiet", "--verbose"), seen, said);
  assert_string_equal (seen, "x ");
  assert_string_equal (cli.config_file, "f");
  assert_true (cli.json && cli.quiet && cli.verbose);
}

static void
an_unknown_option_is_named_with_the_nearest (void **state)
{
  (void) state;
  assert_wrong (
    &mixed, LINE ("--dpeth", "1"),
    "aksandbox: --dpeth: unknown option\ndid you mean '--depth'?\nsee 'aksandbox mixed --help'\n");
  assert_wrong (&mixed, LINE ("--dpeth=3"), "aksandbox: --dpeth: unknown option\ndid you mean '--depth'?\n");
  assert_wrong (&mixed, LINE ("-az"), "aksandbox: -z: unknown option\nsee 'aksandbox mixed --help'\n");
  assert_wrong (&mixed, LINE ("-\xc3\xa9"), "aksandbox: -\xc3\xa9: unknown option\n");
  assert_wrong (&mixed, LINE ("--dep", "1"), "aksandbox: --dep: unknown option\n"); /* no abbreviations */
  assert_wrong (NULL, LINE ("--versoin"),
                "aksandbox: --versoin: unknown option\ndid you mean '--version'?\n");
}

static void
a_value_that_is_missing_or_too_much_is_told (void **state)
{
  (void) state;
  assert_wrong (&mixed, LINE ("-a", "--output"), "aksandbox: --output: needs a value, FILE\n");
  assert_wrong (&mixed, LINE ("-ao"), "aksandbox: -o: needs a value, FILE\n");
  assert_wrong (&mixed, LINE ("--all=yes"), "aksandbox: --all: takes no value\n");
  assert_wrong (&mixed, LINE ("--config="), "aksandbox: --config: no file is named\n");
}

static void
a_command_gets_itself_and_all_that_follows (void **state)
{
  (void) state;
  char a[] = "-a", ls[] = "ls", l[] = "-l", *argv[] = { a, ls, l, NULL };
  struct cli cli = { 0 };
  struct cli_args args = { .cli = &cli, .command = &leading, .argv = argv, .argc = 3 };
  assert_int_equal (cli_next (&args), 'a');
  assert_int_equal (cli_next (&args), CLI_OPERAND);
  assert_ptr_equal (cli_rest (&args), argv + 1);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (a_value_follows_as_a_word_or_in_the_same_word),
    cmocka_unit_test (letters_without_values_can_be_joined),
    cmocka_unit_test (options_may_follow_operands_until_two_dashes),
    cmocka_unit_test (the_first_operand_ends_the_options_of_a_command_that_runs_one),
    cmocka_unit_test (common_options_are_served_without_the_command),
    cmocka_unit_test (an_unknown_option_is_named_with_the_nearest),
    cmocka_unit_test (a_value_that_is_missing_or_too_much_is_told),
    cmocka_unit_test (a_command_gets_itself_and_all_that_follows),
  };
  return cmocka_run_group_tests_name ("command line", tests, NULL, NULL);
}
