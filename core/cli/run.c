/* SPDX-License-Identifier: Apache-2.0 */
/* aksandbox run: code in one of the languages that the sandbox has. */
#include "config.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cleanup.h"
#include "cli.h"
#include "error.h"

#define CODE_LIMIT (64u << 20)

static const struct cli_option run_options[] = {
  { 'l', "language", "LANGUAGE",
    "the language of the code: python (the default), sh, bash, as the provider has them" },
  { 'f', "file", "FILE", "read the code from FILE; - is standard input" },
  { 0, NULL, NULL, NULL }
};
static const struct cli_option *const run_tables[] = { run_options, cli_where_options, NULL };

struct code {
  const char *language, *text, *file;
  char *data;                   /* what was read */
  size_t size;
};

/* Until end-of-file. */
static enum ak_status
read_all (int fd, const char *name, struct code *code, struct ak_error **error)
{
  CLEANUP_FREE char *data = NULL;
  size_t size = 0, room = 0;
  for (;;) {
    if (size == room) {
      room = room ? room * 2 : 64 * 1024;
      if (room > CODE_LIMIT)
        room = CODE_LIMIT + 1;          /* one more tells what is too long from what fits */
      char *grown = realloc (data, room);
      if (!grown)
        return ak_fail_memory (error);
      data = grown;
    }
    ssize_t n = read (fd, data + size, room - size);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return ak_fail (error, AK_STATUS_CONFIG, NULL, "%s: %s", name, strerror (errno));
    if (n == 0)
      break;
    size += (size_t) n;
    if (size > CODE_LIMIT)
      return ak_fail (error, AK_STATUS_CONFIG, NULL, "%s: is longer than 64 MiB, the most that code can have",
                      name);
  }
  code->data = TAKE_PTR (data);
  code->size = size;
  return AK_STATUS_OK;
}

static enum ak_status
read_code (struct code *code, struct ak_error **error)
{
  CLEANUP_CLOSE int fd = -1;
  if (strcmp (code->file, "-") == 0)
    return read_all (STDIN_FILENO, "standard input", code, error);
  fd = open (code->file, O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (fd < 0)
    return ak_fail (error, errno == ENOENT ? AK_STATUS_FILE_NOT_FOUND : AK_STATUS_CONFIG, NULL, "%s: %s",
                    code->file, strerror (errno));
  return read_all (fd, code->file, code, error);
}

/* 0, or CLI_STOP with cli->status set. */
static int
parse (struct cli_args *args, struct cli_where *where, struct code *code)
{
  struct cli *cli = args->cli;
  int has_text = 0;
  for (int id; (id = cli_next (args)) != CLI_END;) {
    int taken = id == CLI_STOP ? CLI_STOP : cli_where_take (where, args, id);
    if (taken == CLI_STOP)
      return CLI_STOP;
    if (taken)
      continue;
    if (id == 'l' && !*args->value) {
      cli->status = cli_usage (cli, NULL, "%s: is empty", args->name);
      return CLI_STOP;
    }
    if (id == 'l')
      code->language = args->value;
    else if (id == 'f')
      code->file = args->value;
    else if (has_text++) {
      cli->status =
        cli_usage (cli, "the code is one argument: quote it", "%s: comes after the code", args->value);
      return CLI_STOP;
    } else
      code->text = args->value;
  }
  cli->status = CLI_USAGE;
  if (code->text && code->file)
    cli_usage (cli, NULL, "--file: cannot be used together with code on the command line");
  else if (!code->text && !code->file)
    cli_usage (cli, "give the code as an argument, -f FILE, or - for standard input", "run: no code");
  else {
    if (code->text && strcmp (code->text, "-") == 0)
      code->file = TAKE_PTR (code->text);
    if (!where->has_stdin || !code->file || strcmp (code->file, "-") != 0)
      return cli_where_check (where, cli);
    cli_usage (cli, NULL, "--stdin: standard input is already the code");
  }
  return CLI_STOP;
}

static int
run_run (struct cli *cli, struct cli_args *args)
{
  struct cli_where where = { 0 };
  struct code code = { 0 };
  struct ak_error *error = NULL;
  struct ak_request request = { 0 };
  int ret;
  if (parse (args, &where, &code) == CLI_STOP)
    ret = cli->status;
  else if (code.file && read_code (&code, &error) != AK_STATUS_OK)
    ret = cli_fail (cli, error);
  else {
    request.language = code.language;
    request.code = code.file ? code.data : code.text;
    request.code_size = code.file ? code.size : strlen (code.text);
    ret = cli_execute (cli, &where, &request);
  }
  free (code.data);
  cli_where_clear (&where);
  return ret;
}

const struct cli_command cli_run = {
  .name = "run",
  .usage = "[WHERE] [-l LANGUAGE] CODE\n[WHERE] [-l LANGUAGE] -f FILE\n[WHERE] [-l LANGUAGE] -",
  .summary = "Run code in a sandbox of its own.",
  .details = "The program's output is passed on as it comes, its exit status is ours, and the sandbox is gone"
             " before the command ends. WHERE is -p or -t with the options that go with it; without it the"
             " default profile is used.",
  .options = run_tables,
  .run = run_run,
};
