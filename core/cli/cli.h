/* SPDX-License-Identifier: Apache-2.0 */
/* The program: what its commands share.
 *
 * A command is a file with one struct cli_command, and a line in the table of main.c. Its function reads
 * its arguments with cli_next, which serves the options that every command has, and returns the exit
 * status. Results go to standard output, everything else to standard error; with --json the one object
 * on standard output is all that is said, also when it is an error.
 */
#ifndef AKSANDBOX_CLI_H
#define AKSANDBOX_CLI_H
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <aksandbox.h>

#define CLI_OK 0
#define CLI_USAGE 2             /* the command line cannot be understood, and nothing else */
#define CLI_TIMED_OUT 124
#define CLI_ERROR 125
#define CLI_REFUSED 126         /* status CAPABILITY or POLICY */

struct cli_option {
  int id;                       /* its letter (not h, q or v), or 256 to 511 if it has none; 0 ends a table */
  const char *name;             /* without the dashes */
  const char *value;            /* its value's name in the help, or NULL: it takes none */
  const char *help;             /* lower case, no full stop */
};

struct cli;
struct cli_args;
struct cli_command {
  const char *name;
  const char *usage;            /* what follows the name; further forms after a newline */
  const char *summary;          /* one line */
  const char *details;          /* a paragraph for --help, or NULL */
  const struct cli_option *const *options;      /* tables, ended by NULL; NULL: none but the common ones */
  int operands_end_options;     /* what follows the first operand belongs to the command that is run */
  int (*run) (struct cli *cli, struct cli_args *args);
};
extern const struct cli_command *const cli_commands[];          /* ended by NULL */
extern const struct cli_command cli_run, cli_exec, cli_providers, cli_inspect, cli_config, cli_doctor, cli_help;
const struct cli_command *cli_command_find (const char *name);

/* The options of every command. */
struct cli {
  const char *config_file;      /* --config, or NULL */
  int json, quiet, verbose;
  int json_seen;                /* it stands somewhere: for a line that cannot be understood */
  int status;                   /* to return when cli_next says CLI_STOP */
};

/* --- args.c */

/* The command line from `at` on. */
struct cli_args {
  struct cli *cli;
  const struct cli_command *command;    /* NULL: before the command; only the common options */
  char **argv;
  int at, argc;
  const char *cluster;          /* the letters that are left of "-abc" */
  int operands_only;            /* behind "--" */
  char name[32];                /* of the option that cli_next gave, as "--timeout": for messages */
  const char *value;            /* its value, or the operand */
};

#define CLI_END 0
#define CLI_OPERAND 1
#define CLI_STOP (-1)

/* The id of the next option, CLI_OPERAND, CLI_END, or CLI_STOP: return cli->status at once (help was
 * printed, or the line is wrong and that was said). */
int cli_next (struct cli_args *args);
/* The operand that cli_next just gave, and all that follows it, ended by NULL. Borrowed. */
char **cli_rest (struct cli_args *args);

/* --- help.c */

#define CLI_CONFIG 512
#define CLI_JSON 513
#define CLI_VERSION 514
extern const struct cli_option cli_common_options[];            /* of every command */
extern const struct cli_option cli_program_options[];           /* only before the command */
/* Print the help of a command, or of the program if it is NULL, to standard output. */
void cli_show_help (const struct cli_command *command);

/* --- say.c */

/* Say what went wrong: "aksandbox: OBJECT: REASON" and the hints below it on standard error, or the object
 * with --json on standard output. Frees the error; NULL is out of memory. Returns the exit status. */
int cli_fail (struct cli *cli, struct ak_error *error);
/* The line cannot be understood; the format gives "OBJECT: REASON". `hint` may be NULL. Returns CLI_USAGE. */
int cli_usage (struct cli *cli, const char *hint, const char *format, ...)
  __attribute__ ((format (printf, 3, 4)));
/* No command has this name; the nearest is suggested. Returns CLI_USAGE. */
int cli_unknown_command (struct cli *cli, const char *name);
/* A second fault, after the result or the error was told: on standard error alone. */
void cli_also (const struct ak_error *error);
/* A remark, "aksandbox: OBJECT: TEXT": not with --quiet, not with --json. Only when the sandbox exists. */
void cli_note (const struct cli *cli, const char *object, const char *text);
/* ak_runtime_new with the configuration and the log of the command line. */
enum ak_status cli_runtime_new (struct cli *cli, struct ak_runtime **runtime, struct ak_error **error);
/* The warnings that the runtime logged until now, which must not come before an error. */
void cli_show_warnings (const struct cli *cli);
/* Forget them: they were about profiles that are not used. */
void cli_drop_warnings (void);

/* --- escape.c: whatever is not our own text goes through these */

/* Print for a terminal: control characters, what is not UTF-8, and what changes the direction of text
 * become \n, \x1b, \u202e. */
void cli_put (FILE *out, const char *text);
/* At most `size` bytes are read, NULs are shown. */
void cli_put_bytes (FILE *out, const char *bytes, size_t size);
/* Print JSON and a newline to standard output; what a terminal might obey becomes \uXXXX. */
void cli_print_json (const char *json);
/* Bytes that are not UTF-8 replaced by U+FFFD, for strings of json-c. The caller's; NULL: no memory. */
char *cli_utf8 (const char *text);

/* --- number.c: -1 and nothing stored when it is no such number, or out of range */

#define CLI_TIMEOUT_RANGE "0.001 to 2592000 seconds (30 days)"
#define CLI_MEMORY_RANGE "4 MiB to 16 TiB (512, 512m or 2g)"
#define CLI_CPU_RANGE "0.001 to 4096 processors"
int cli_parse_timeout (const char *text, double *ret_seconds);
int cli_parse_memory (const char *text, uint64_t *ret_mib);
int cli_parse_cpu (const char *text, double *ret_cpus);

/* --- where.c: the options of run and exec that say where and how */

struct cli_where {
  const char *profile, *type, *cwd;
  const char *network;          /* "allow", "deny" or NULL */
  double timeout, cpu;          /* 0: not given */
  uint64_t memory_mib;
  int has_stdin;
  const char **env; /* ended by NULL, or NULL; the array is ours, its strings the command line's */
  size_t n_env;
};
extern const struct cli_option cli_where_options[];
/* 1: it was one of these, stored. 0: it is not. CLI_STOP: its value is wrong, which was said. */
int cli_where_take (struct cli_where *where, struct cli_args *args, int id);
/* Options that contradict each other: CLI_STOP, said. Else 0. */
int cli_where_check (const struct cli_where *where, struct cli *cli);
/* The configuration that a bundled provider by -t needs is none: one that is broken is not in its way. */
void cli_where_config (const struct cli_where *where, struct cli *cli);
enum ak_status cli_where_session (const struct cli_where *where, struct cli *cli, struct ak_runtime *runtime,
                                  struct ak_session **session, struct ak_error **error);
/* No sandbox could be had: without a configuration, say how to go on without one. */
void cli_where_ways_on (const struct cli_where *where, struct cli *cli, struct ak_error *error);
void cli_where_clear (struct cli_where *where);

/* --- execute.c */

/* Run what `request` says in a sandbox of its own, which is destroyed whatever happens. Returns the exit
 * status. */
int cli_execute (struct cli *cli, const struct cli_where *where, struct ak_request *request);

/* --- stream.c */

/* Write all of it, also to a descriptor that does not block. 0, or -1 with errno: EPIPE when nobody reads,
 * EINTR when a signal asked to end and the reader has stopped reading. */
int cli_write_all (int fd, const void *data, size_t size);

/* --- signals.c */

/* From now on SIGINT, SIGTERM and SIGHUP (where they are not ignored) fire `cancel` once; the second one
 * ends the program. */
void cli_signals_catch (struct ak_cancel *cancel);
/* The first that came, or 0. */
int cli_signals_caught (void);

#endif
