/* SPDX-License-Identifier: Apache-2.0 */
/* aksandbox config: is the configuration right, and what does it say in the end? */
#include "config.h"
#include <string.h>
#include "config-commands.h"

static const struct {
  const char *name;
  int (*run) (struct cli *cli);
} actions[] = {
  { "check", cli_config_check },
  { "show", cli_config_show },
};
#define N_ACTIONS (sizeof actions / sizeof *actions)

static int
run_config (struct cli *cli, struct cli_args *args)
{
  int (*run) (struct cli *cli) = NULL;
  for (int id; (id = cli_next (args)) != CLI_END;) {
    if (id == CLI_STOP)
      return cli->status;
    if (run)
      return cli_usage (cli, "another file is named with --config", "%s: nothing can follow", args->value);
    for (size_t i = 0; i < N_ACTIONS; i++)
      if (!strcmp (args->value, actions[i].name))
        run = actions[i].run;
    if (!run)
      return cli_usage (cli, "there are 'config check' and 'config show'", "config %s: unknown", args->value);
  }
  if (!run)
    return cli_usage (cli, "there are 'config check' and 'config show'", "config: what to do is not given");
  return run (cli);
}

const struct cli_command cli_config = {
  .name = "config",
  .usage = "check\nshow",
  .summary = "Check the configuration, or show what it says and where that stands.",
  .details = "Both load no provider: what a provider's options are is read from its file. A profile whose"
             " provider is not installed is a warning. The status of check is 0 or 125. What show prints has"
             " no secrets in it.",
  .run = run_config,
};
