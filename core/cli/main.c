/* SPDX-License-Identifier: Apache-2.0 */
/* The program: its table of commands, and what happens before and after one. */
#include "config.h"
#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>
#include <aksandbox/provider.h>
#include "cli.h"
#include "error.h"

const struct cli_command *const cli_commands[] = {
  &cli_run,
  &cli_exec,
  &cli_providers,
  &cli_inspect,
  &cli_config,
  &cli_doctor,
  &cli_help,
  NULL
};

const struct cli_command *
cli_command_find (const char *name)
{
  for (const struct cli_command *const *c = cli_commands; *c; c++)
    if (strcmp ((*c)->name, name) == 0)
      return *c;
  return NULL;
}

static int
show_version (const struct cli *cli)
{
  const char *extra = ak_version_extra ();
  if (!cli->json) {
    printf ("aksandbox %s%s%s%s\n", PACKAGE_VERSION, *extra ? " (" : "", extra, *extra ? ")" : "");
    printf ("library %s, provider interface %d.%d\n", ak_version (), AK_PROVIDER_MAJOR, AK_PROVIDER_MINOR);
    return CLI_OK;
  }
  struct json_object *object = json_object_new_object (), *abi = json_object_new_object ();
  json_object_object_add (object, "version", json_object_new_string (PACKAGE_VERSION));
  json_object_object_add (object, "extra", json_object_new_string (extra));
  json_object_object_add (object, "library", json_object_new_string (ak_version ()));
  json_object_object_add (abi, "major", json_object_new_int (AK_PROVIDER_MAJOR));
  json_object_object_add (abi, "minor", json_object_new_int (AK_PROVIDER_MINOR));
  json_object_object_add (object, "abi", abi);
  cli_print_json (
    json_object_to_json_string_ext (object, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE));
  json_object_put (object);
  return CLI_OK;
}

/* Whoever started us may have closed the standard descriptors: what is opened next must not become one of
 * them. Output is opened for reading, so that writing to it fails as it should. */
static int
open_standard (void)
{
  static const int flags[] = { O_WRONLY, O_RDONLY, O_RDWR };
  for (int fd = 0; fd < 3; fd++)
    if (fcntl (fd, F_GETFD) < 0 && open ("/dev/null", flags[fd]) != fd)
      return -1;
  return 0;
}

/* With --json an object is also the answer to a line that is wrong before --json was read. */
static int
wants_json (char **argv)
{
  for (argv++; *argv && strcmp (*argv, "--") != 0; argv++)
    if (strcmp (*argv, "--json") == 0)
      return 1;
  return 0;
}

static int
dispatch (struct cli *cli, int argc, char **argv)
{
  struct cli_args args = { .cli = cli, .argv = argv, .argc = argc, .at = argc ? 1 : 0 };
  int wants_version = 0;
  for (int id; (id = cli_next (&args)) != CLI_OPERAND;) {
    if (id == CLI_STOP)
      return cli->status;
    if (id == CLI_VERSION)
      wants_version = 1;
    else if (id == CLI_END && wants_version)
      return show_version (cli);
    else if (id == CLI_END)
      return cli_usage (cli, "'aksandbox --help' lists the commands", "command: none is given");
  }
  if (wants_version)
    return cli_usage (cli, NULL, "--version: no command can follow");
  struct cli_args rest = {
    .cli = cli,
    .command = cli_command_find (args.value),
    .argv = argv,
    .argc = argc,
    .at = args.at,
  };
  return rest.command ? rest.command->run (cli, &rest) : cli_unknown_command (cli, args.value);
}

/* What was printed must have arrived: a full disk is not a success. */
static int
finish (int status)
{
  int error = 0;
  errno = 0;
  if (ferror (stdout))
    error = EIO;
  if (fflush (stdout) != 0 && errno)
    error = errno;
  if (!error)
    return status;
  if (error == EPIPE)
    return 128 + SIGPIPE;
  fprintf (stderr, "aksandbox: standard output: %s\n", strerror (error));
  return CLI_ERROR;
}

int
main (int argc, char **argv)
{
  struct cli cli = { 0 };
  if (open_standard ())
    return CLI_ERROR;
  signal (SIGPIPE, SIG_IGN);
  /* A line is one write: whole among the lines of others. */
  setvbuf (stderr, NULL, _IOLBF, BUFSIZ);
  cli.json_seen = wants_json (argv);
  return finish (dispatch (&cli, argc, argv));
}
