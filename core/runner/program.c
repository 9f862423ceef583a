/* SPDX-License-Identifier: Apache-2.0 */
/* From a shepherd's child to the program: environment, limits, directory, and the search in PATH. */
#include "shepherd.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "protect.h"

/* Where there is no PATH, programs are looked up in the default one of every sandbox. */
#define DEFAULT_PATH "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

static int
same_name (const char *a, const char *b)
{
  size_t length = strcspn (a, "=");

  return strncmp (a, b, length) == 0 && b[length] == '=';
}

/* Where each name is: there may be a hundred thousand. */
struct places { size_t *slots, mask; };         /* 0: free, else 1 more than the place in the environment */

static size_t *
slot_of (const struct places *places, char **env, const char *variable)
{
  uint32_t hash = 2166136261u;
  size_t at;

  for (const char *c = variable; *c && *c != '='; c++)
    hash = (hash ^ (unsigned char) *c) * 16777619u;
  at = hash & places->mask;
  while (places->slots[at] && !same_name (variable, env[places->slots[at] - 1]))
    at = (at + 1) & places->mask;
  return &places->slots[at];
}

/* Later variables replace earlier ones of the same name. */
static size_t
add_variables (const struct places *places, char **env, size_t n, const struct strings *strings)
{
  char *variable = strings->bytes;

  for (size_t i = 0; i < strings->count; i++) {
    size_t *slot = slot_of (places, env, variable);

    if (!*slot)
      *slot = ++n;
    env[*slot - 1] = variable;
    variable += strlen (variable) + 1;
  }
  return n;
}

static char **
make_env (const struct strings *first, const struct strings *then)
{
  size_t n = first->count + then->count;
  char **env = calloc (n + 1, sizeof *env);
  struct places places = { .mask = 15 };

  while (places.mask < 2 * n)
    places.mask = 2 * places.mask + 1;
  places.slots = calloc (places.mask + 1, sizeof *places.slots);
  if (env && places.slots)
    add_variables (&places, env, add_variables (&places, env, 0, first), then);
  else {
    free (env);
    env = NULL;
  }
  free (places.slots);
  return env;
}

static char **
make_argv (const struct strings *args)
{
  char **argv = calloc (args->count + 2, sizeof *argv);
  char *arg = args->bytes;

  if (!argv)
    return NULL;
  for (size_t i = 0; i < args->count; i++) {
    argv[i + 1] = arg;
    arg += strlen (arg) + 1;
  }
  return argv + 1;
}

const struct program *
program_new (const struct runner *runner, const struct spec *spec)
{
  static struct program program;

  program.env = make_env (&runner->setup.env, &spec->env);
  program.argv = make_argv (&spec->args);
  if (!program.env || !program.argv)
    return NULL;
  program.path = DEFAULT_PATH;
  for (char **v = program.env; *v; v++)
    if (same_name ("PATH=", *v))
      program.path = *v + 5;
  program.cwd = spec->cwd.bytes;
  program.setup = &runner->setup;
  program.files_limit = &runner->files_limit;
  return &program;
}

static void __attribute__ ((noreturn))
fail (enum failure how, int error)
{
  struct note note = { .what = NOTE_FAILED, .value = how, .error = error };

  send (SHEPHERD_CONTROL, &note, sizeof note, MSG_NOSIGNAL);
  _exit (127);
}

static void
set_limits (const struct program *p)
{
  if (protect_limit (RLIMIT_NOFILE, p->files_limit->rlim_cur, p->files_limit->rlim_max))
    fail (FAILED_RESOURCE, errno);
  for (size_t i = 0; i < p->setup->n_limits; i++) {
    const struct setup_limit *limit = &p->setup->limits[i];

    if (protect_limit ((int) limit->resource, limit->soft, limit->hard))
      fail (FAILED_RESOURCE, errno);
  }
  if (protect_limit (RLIMIT_CORE, 0, 0))
    fail (FAILED_RESOURCE, errno);
}

static void
set_signals (void)
{
  struct sigaction by_default = { .sa_handler = SIG_DFL };
  static const uint64_t none;

  sigaction (SIGPIPE, &by_default, NULL);
  sigaction (SIGCHLD, &by_default, NULL);
  syscall (SYS_rt_sigprocmask, SIG_SETMASK, &none, NULL, sizeof none);
}

/* Returns why not, 0: there is no such file. */
static int
try_file (const struct program *p, const char *file)
{
  int error;

  execve (file, p->argv, p->env);
  error = errno;
  if (error == ENOEXEC) {
    p->argv[-1] = (char []) { "sh" };
    p->argv[0] = (char *) (uintptr_t) file;
    execve ("/bin/sh", p->argv - 1, p->env);
    fail (FAILED_INTERPRETER, errno);
  }
  if (error == ENOENT && faccessat (AT_FDCWD, file, F_OK, 0) == 0)
    fail (FAILED_INTERPRETER, error);
  /* A folder of PATH that may not be searched holds nothing for us. */
  if (error == EACCES && faccessat (AT_FDCWD, file, F_OK, 0) != 0)
    return 0;
  return error == ENOENT || error == ENOTDIR || error == ENAMETOOLONG ? 0 : error;
}

static int
try_path (const struct program *p)
{
  const char *name = p->argv[0];
  size_t name_size = strlen (name) + 1;
  int seen = 0;

  for (const char *from = p->path; from; from = strchr (from, ':') ? strchr (from, ':') + 1 : NULL) {
    char file[PATH_MAX];
    size_t length = strcspn (from, ":");
    int error;

    if (length + 1 + name_size > sizeof file)
      continue;
    memcpy (file, from, length);
    if (length)
      file[length++] = '/';
    memcpy (file + length, name, name_size);
    error = try_file (p, file);
    if (error && error != EACCES)
      return error;
    if (error)
      seen = error;
  }
  return seen;
}

void
program_run (const struct program *p)
{
  int error;

  setsid ();
  if (p->cwd && chdir (p->cwd))
    fail (FAILED_DIRECTORY, errno);
  set_limits (p);
  set_signals ();
  error = strchr (p->argv[0], '/') ? try_file (p, p->argv[0]) : try_path (p);
  fail (error ? FAILED_EXEC : FAILED_NOT_FOUND, error ? error : ENOENT);
}
