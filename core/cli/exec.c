/* SPDX-License-Identifier: Apache-2.0 */
/* aksandbox exec: a command, without a shell. */
#include "config.h"
#include "cli.h"

static const struct cli_option *const exec_tables[] = { cli_where_options, NULL };

static int
parse (struct cli_args *args, struct cli_where *where, char ***ret_argv)
{
  struct cli *cli = args->cli;
  for (int id; (id = cli_next (args)) != CLI_OPERAND;) {
    if (id == CLI_END) {
      cli->status = cli_usage (cli, "give it behind --, as in: aksandbox exec -- ls -l", "exec: no command");
      return CLI_STOP;
    }
    if (id == CLI_STOP || cli_where_take (where, args, id) == CLI_STOP)
      return CLI_STOP;
  }
  if (!*args->value) {
    cli->status = cli_usage (cli, NULL, "exec: the command's name is empty");
    return CLI_STOP;
  }
  *ret_argv = cli_rest (args);
  return cli_where_check (where, cli);
}

static int
run_exec (struct cli *cli, struct cli_args *args)
{
  struct cli_where where = { 0 };
  struct ak_request request = { 0 };
  char **argv;
  int ret;
  if (parse (args, &where, &argv) == CLI_STOP)
    ret = cli->status;
  else {
    request.argv = (const char *const *) argv;
    ret = cli_execute (cli, &where, &request);
  }
  cli_where_clear (&where);
  return ret;
}

const struct cli_command cli_exec = {
  .name = "exec",
  .usage = "[WHERE] -- COMMAND [ARGUMENT...]",
  .summary = "Run a command in a sandbox of its own.",
  .details =
    "The command and its arguments are passed on as they are, no shell reads them. Everything behind"
    " the command's name belongs to it. A command that is not found ends with 127, one that cannot be"
    " executed with 126.",
  .options = exec_tables,
  .operands_end_options = 1,
  .run = run_exec,
};
