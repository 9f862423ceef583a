/* SPDX-License-Identifier: Apache-2.0 */
/* One program in a sandbox of its own: streams, signals, remarks, exit status. */
#include "config.h"
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>
#include "cli.h"
#include "error.h"

struct execution {
  struct cli *cli;
  const struct cli_where *where;
  struct ak_session *session;
  int boundary_told;
  int write_error;              /* errno of the stream that failed, which ended the program */
  int write_fd;
};

/* What the user must know of the boundary, as soon as there is one. */
static void
tell_boundary (struct execution *e)
{
  if (e->boundary_told || !ak_session_sandbox_id (e->session))
    return;
  e->boundary_told = 1;
  if (strcmp (ak_session_isolation (e->session), "none") == 0)
    cli_note (e->cli, ak_session_provider (e->session), "no isolation: the program runs with your rights");
  cli_show_warnings (e->cli);
}

static int
take_output (void *data, enum ak_stream stream, const void *bytes, size_t size)
{
  struct execution *e = data;
  int fd = stream == AK_STREAM_STDERR ? STDERR_FILENO : STDOUT_FILENO;
  tell_boundary (e);
  if (e->write_error)
    return -1;
  if (cli_write_all (fd, bytes, size) == 0)
    return 0;
  e->write_error = errno;
  e->write_fd = fd;
  return -1;
}

static void
take_progress (void *data, const char *text)
{
  struct execution *e = data;
  tell_boundary (e);
  if (isatty (STDERR_FILENO))
    cli_note (e->cli, ak_session_provider (e->session), text);
}

static void
tell_outcome (struct execution *e, const struct ak_result *result)
{
  const char *provider = ak_session_provider (e->session);
  enum ak_how how = ak_result_how (result);
  tell_boundary (e);
  if (ak_result_notice (result))
    cli_note (e->cli, provider, ak_result_notice (result));
  if (how == AK_HOW_TIMED_OUT)
    cli_note (e->cli, provider, "the deadline ended the program");
  else if (how == AK_HOW_OUT_OF_MEMORY)
    cli_note (e->cli, provider, "the program ran out of memory");
  if (how != AK_HOW_LOST && ak_result_unconfirmed (result))
    cli_note (e->cli, provider, "nothing confirms that the program has ended: it may still be running");
}

/* The machinery failed, whatever the program did. */
static int
fail_lost (struct execution *e)
{
  struct ak_error *error = NULL;
  ak_fail (&error, AK_STATUS_PROVISION, NULL,
           "%s: the connection to the sandbox broke; the program may still be running",
           ak_session_provider (e->session));
  return cli_fail (e->cli, error);
}

static int
fail_write (struct execution *e)
{
  struct ak_error *error = NULL;
  if (e->write_error == EPIPE)
    return 128 + SIGPIPE;
  ak_fail (&error, AK_STATUS_INTERNAL, NULL, "%s: %s",
           e->write_fd == STDERR_FILENO ? "standard error" : "standard output", strerror (e->write_error));
  return cli_fail (e->cli, error);
}

/* The exit status of the program that ran. */
static int
report (struct execution *e, struct ak_result *result)
{
  enum ak_how how = ak_result_how (result);
  int status = ak_result_exit_code (result);
  tell_outcome (e, result);
  if (e->cli->json) {
    const char *json = ak_result_json (result);
    if (!json)
      return cli_fail (e->cli, NULL);
    cli_print_json (json);
  } else if (how == AK_HOW_LOST)
    status = fail_lost (e);
  if (how == AK_HOW_CANCELLED && cli_signals_caught ())
    return 128 + cli_signals_caught ();
  return e->write_error ? fail_write (e) : status;
}

static int
run_request (struct execution *e, struct ak_request *request)
{
  struct ak_error *error = NULL;
  struct ak_result *result = NULL;
  enum ak_status status;
  int ret;
  if (!e->cli->json) {
    request->output = take_output;
    request->output_data = e;
    request->output_limit = 1;          /* it was shown; keep as good as nothing */
    request->progress = take_progress;
    request->progress_data = e;
  }
  status = ak_execute (e->session, request, &result, &error);
  if (status == AK_STATUS_OK)
    ret = report (e, result);
  else if (e->write_error) {
    ak_error_free (error);
    ret = fail_write (e);
  } else {
    if (!ak_session_sandbox_id (e->session))
      cli_where_ways_on (e->where, e->cli, error);
    ret = cli_fail (e->cli, error);
    if (status == AK_STATUS_CANCELLED && cli_signals_caught ())
      ret = 128 + cli_signals_caught ();
  }
  ak_result_free (result);
  return ret;
}

/* Nobody is to believe that it is gone when it is not. */
static int
destroy_session (struct ak_session *session, int status)
{
  struct ak_error *error = NULL;
  if (ak_session_destroy (session, &error) == AK_STATUS_OK)
    return status;
  cli_also (error);
  ak_error_free (error);
  return CLI_ERROR;
}

int
cli_execute (struct cli *cli, const struct cli_where *where, struct ak_request *request)
{
  struct execution e = { .cli = cli, .where = where };
  struct ak_runtime *runtime = NULL;
  struct ak_error *error = NULL;
  struct ak_cancel *cancel = ak_cancel_new ();
  int ret;
  if (!cancel)
    return cli_fail (cli, NULL);
  request->struct_size = sizeof *request;
  request->env = where->env;
  request->cwd = where->cwd;
  request->timeout = where->timeout;
  request->has_stdin = where->has_stdin;
  request->stdin_fd = STDIN_FILENO;
  request->cancel = cancel;
  cli_signals_catch (cancel);
  cli_where_config (where, cli);
  if (cli_runtime_new (cli, &runtime, &error) != AK_STATUS_OK
      || cli_where_session (where, cli, runtime, &e.session, &error) != AK_STATUS_OK) {
    cli_where_ways_on (where, cli, error);
    ret = cli_fail (cli, error);
  } else
    ret = destroy_session (e.session, run_request (&e, request));
  ak_session_free (e.session);
  ak_runtime_free (runtime);
  cli_signals_catch (NULL);
  ak_cancel_free (cancel);
  return ret;
}
