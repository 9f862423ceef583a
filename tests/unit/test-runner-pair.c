/* SPDX-License-Identifier: Apache-2.0 */
/* The client with the real runner: what programs print, how they end, and what their files are. */
#include "config.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "fake-runner.h"

#define PATH_INSIDE "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

struct pair {
  char workspace[64];
  pid_t pid;
  struct runner *runner;
};

static char runner_file[4096];

static int
find_runner (void **state)
{
  const char *top = getenv ("top_builddir");
  (void) state;
  snprintf (runner_file, sizeof runner_file, "%s/core/aksandbox-runner", top ? top : ".");
  return 0;
}

static void
pair_open (struct pair *p)
{
  int fds[2];
  const char *env[] = { PATH_INSIDE, "HOME=/nowhere", NULL };
  struct runner_setup setup = { .workspace = p->workspace, .env = env };
  struct stop stop;
  struct ak_error *error = NULL;
  if (access (runner_file, X_OK) != 0) {
    print_message ("# SKIP: %s is not there\n", runner_file);
    skip ();
  }
  strcpy (p->workspace, "/tmp/aksandbox-pair-XXXXXX");
  assert_non_null (mkdtemp (p->workspace));
  assert_int_equal (socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
  p->pid = fork ();
  if (p->pid == 0) {
    char *none[] = { NULL };
    dup2 (fds[1], 0);
    dup2 (fds[1], 1);
    execve (runner_file, (char *[]) { runner_file, NULL }, none);
    _exit (126);
  }
  close (fds[1]);
  ak_stop_init (&stop, 0, NULL);
  enum ak_status status = ak_runner_open (fds[0], fds[0], &setup, &stop, &p->runner, &error);
  if (status != AK_STATUS_OK)
    print_error ("%s\n", ak_error_text (error));
  assert_int_equal (status, AK_STATUS_OK);
  ak_stop_done (&stop);
}

static void
pair_close (struct pair *p)
{
  char command[128];
  ak_runner_close (p->runner);
  waitpid (p->pid, NULL, 0);
  snprintf (command, sizeof command, "rm -rf '%s'", p->workspace);
  assert_int_equal (system (command), 0);
}

static int
kill_runner (void *data)
{
  return kill (((struct pair *) data)->pid, SIGKILL);
}

/* One execution; what it printed is in *printed. */
static struct ak_outcome
run (struct pair *p, const struct ak_exec *exec, unsigned deadline_ms, int stdin_fd, struct ak_cancel *cancel,
     struct printed *printed)
{
  struct ak_outcome o = { .struct_size = sizeof o };
  struct ak_error *error = NULL;
  struct runner_io io = fake_io (printed);
  struct stop stop;
  io.stdin_fd = stdin_fd;
  ak_stop_init (&stop, ak_now_ns () + deadline_ms * (uint64_t) MS, cancel);
  enum ak_status status = ak_runner_execute (p->runner, exec, &stop, &io, kill_runner, p, &o, &error);
  if (status != AK_STATUS_OK)
    print_error ("%s\n", ak_error_text (error));
  assert_int_equal (status, AK_STATUS_OK);
  ak_stop_done (&stop);
  return o;
}

static void
assert_code (struct pair *p, const char *language, const char *code, size_t size, const char *expected,
             int exit_code)
{
  struct ak_exec exec = { .struct_size = sizeof exec, .language = language, .code = code, .code_size = size };
  struct printed printed;
  struct ak_outcome o = run (p, &exec, 20000, -1, NULL, &printed);
  assert_string_equal (printed.text, expected);
  assert_int_equal (o.how, AK_EXITED);
  assert_int_equal (o.code, exit_code);
  fake_printed_clear (&printed);
}
#define CODE(language, code, expected, exit_code)                                                            \
  assert_code (&p, language, code, sizeof (code) - 1, expected, exit_code)

static void
python_code_runs_as_with_dash_c (void **state)
{
  struct pair p;
  (void) state;
  pair_open (&p);
  CODE ("python", "print('hello')", "1:hello\n", 0);
  CODE ("python", "", "", 0);
  CODE ("python",
        "import sys\nprint(sys.path[0] == '', sys.argv, __name__)\n"
        "print(sorted(k for k in globals() if k[0] != '_'))",
        "1:True ['-c'] __main__\n['sys']\n", 0);
  CODE ("python", "raise SystemExit(3)", "", 3);
  CODE ("python", "#!/usr/bin/env python3\n# -*- coding: latin-1 -*-\nprint(ascii('\xe9'))",
        "1:'\\xe9'\n", 0);
  CODE ("python", "\n\n\ntry:\n  1/0\nexcept Exception as e:\n  print(e.__traceback__.tb_lineno)",
        "1:5\n", 0);
  CODE ("python", "import os\ntry:\n  os.fstat(3)\nexcept OSError as e:\n  print(e.errno == 9)",
        "1:True\n", 0);
  CODE ("python", "from __future__ import annotations\ndef f(x: nothing): return x\nprint(f(1))", "1:1\n", 0);
  CODE ("python", "open('m.py', 'w').write('x = 5')\nimport m\nprint(m.x)", "1:5\n", 0);
  CODE ("python", "x = = 1",
        "2:  File \"<string>\", line 1\n    x = = 1\n        ^\nSyntaxError: invalid syntax\n", 1);
  CODE ("python", "import sys\ntry:\n  1/0\nexcept Exception:\n  sys.excepthook(*sys.exc_info())\n",
        "2:Traceback (most recent call last):\n  File \"<string>\", line 3, in <module>\n"
        "ZeroDivisionError: division by zero\n", 0);
  CODE ("python", "def f(): 1/0\ntry:\n  f()\nexcept Exception:\n  int('x')\n",
        "2:Traceback (most recent call last):\n  File \"<string>\", line 3, in <module>\n"
        "  File \"<string>\", line 1, in f\n"
        "ZeroDivisionError: division by zero\n\n"
        "During handling of the above exception, another exception occurred:\n\n"
        "Traceback (most recent call last):\n  File \"<string>\", line 5, in <module>\n"
        "ValueError: invalid literal for int() with base 10: 'x'\n", 1);
  CODE ("python", "print(input())\n",
        "2:Traceback (most recent call last):\n  File \"<string>\", line 1, in <module>\n"
        "EOFError: EOF when reading a line\n", 1);
  pair_close (&p);
}

static void
bytes_of_code_that_are_no_text_reach_the_interpreter (void **state)
{
  struct pair p;
  struct printed printed;
  struct ak_exec exec = {
    .struct_size = sizeof exec, .language = "python", .code = "print(1)\n\0\n", .code_size = 11
  };
  (void) state;
  pair_open (&p);
  struct ak_outcome o = run (&p, &exec, 20000, -1, NULL, &printed);
  assert_int_equal (o.how, AK_EXITED);
  assert_int_equal (o.code, 1);
  assert_non_null (strstr (printed.text, "null bytes"));
  fake_printed_clear (&printed);
  pair_close (&p);
}

static void
shell_code_runs_as_a_script (void **state)
{
  static const char *const shells[] = { "bash", "sh" };
  struct pair p;
  (void) state;
  pair_open (&p);
  for (int i = 0; i < 2; i++) {
    CODE (shells[i], "echo hello", "1:hello\n", 0);
    CODE (shells[i], "", "", 0);
    CODE (shells[i], "exit 3", "", 3);
    CODE (shells[i], "false", "", 1);
    CODE (shells[i], "#!/bin/nothing\necho $#\n", "1:0\n", 0);
    CODE (shells[i], "\necho x", "1:x\n", 0);
    CODE (shells[i], "cat <<'E'\na $b\nE\n", "1:a $b\n", 0);
    CODE (shells[i], "cat <<E\nno newline at the end\nE", "1:no newline at the end\n", 0);
    CODE (shells[i], "[ -e /proc/self/fd/3 ] || echo closed", "1:closed\n", 0);
    CODE (shells[i], "sh -c '[ -e /proc/self/fd/3 ] || echo closed'", "1:closed\n", 0);
    CODE (shells[i], "set -e\nfalse\necho not here", "", 1);
    CODE (shells[i], "f () { echo $1; }\nf x\n(exit 4)", "1:x\n", 4);
    CODE (shells[i], "exec sh -c 'exit 5'", "", 5);
    CODE (shells[i], "read x || echo eof", "1:eof\n", 0);
    CODE (shells[i], "# only a comment", "", 0);
    CODE (shells[i], "pwd -P | sed s/-......$//", "1:/tmp/aksandbox-pair\n", 0);
    CODE (shells[i], "echo \"$0\" $HOME", i ? "1:sh /nowhere\n" : "1:bash /nowhere\n", 0);
  }
  CODE ("bash", "a=(1 2); echo ${a[1]} $LINENO", "1:2 1\n", 0);
  CODE ("bash", "#!/bin/nothing\necho $LINENO\n", "1:2\n", 0);
  CODE ("bash", "\n\nno-such-command",
        "2:/proc/self/fd/3: line 3: no-such-command: command not found\n", 127);
  pair_close (&p);
}

static void
five_megabytes_of_code_run (void **state)
{
  static const char *const languages[] = { "python", "bash", "sh" };
  struct pair p;
  size_t size = 5u << 20;
  char *code = malloc (size);
  (void) state;
  pair_open (&p);
  for (int i = 0; i < 3; i++) {
    for (size_t at = 0; at < size; at += 64) {
      memset (code + at, '#', 63);
      code[at + 63] = '\n';
    }
    memcpy (code + size - 64, "exit(7)\n", 8);
    if (i)
      memcpy (code + size - 64, "exit 7 \n", 8);
    assert_code (&p, languages[i], code, size, "", 7);
  }
  free (code);
  pair_close (&p);
}

static void
commands_end_as_they_do (void **state)
{
  static const struct { const char *argv[4]; uint32_t how; int32_t code; const char *text; } cases[] = {
    { { "true" }, AK_EXITED, 0, "" },
    { { "sh", "-c", "exit 200" }, AK_EXITED, 200, "" },
    { { "sh", "-c", "kill -9 $$" }, AK_SIGNALLED, 9, "" },
    { { "sh", "-c", "kill -15 $$" }, AK_SIGNALLED, 15, "" },
    { { "printf", "a\\0b" }, AK_EXITED, 0, "1:a" },
    { { "sh", "-c", "echo out; echo err >&2" }, AK_EXITED, 0, NULL },
    { { "no-such-command" }, AK_EXITED, 127, NULL },
    { { "/etc/passwd" }, AK_EXITED, 126, NULL },
    { { "sh", "-c", "exec >&- 2>&-; exit 9" }, AK_EXITED, 9, "" },
  };
  struct pair p;
  (void) state;
  pair_open (&p);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct printed printed;
    struct ak_exec exec = { .struct_size = sizeof exec, .argv = cases[i].argv };
    struct ak_outcome o = run (&p, &exec, 20000, -1, NULL, &printed);
    assert_int_equal (o.how, cases[i].how);
    assert_int_equal (o.code, cases[i].code);
    if (cases[i].text)
      assert_string_equal (printed.text, cases[i].text);
    else
      assert_true (printed.total[2] > 0);
    fake_printed_clear (&printed);
  }
  pair_close (&p);
}

static void
environment_and_folder_are_the_execution_s (void **state)
{
  struct pair p;
  struct printed printed;
  const char *argv[] = { "sh", "-c", "echo $A $HOME; pwd", NULL }, *env[] = { "A=b c", "HOME=/h", NULL };
  struct ak_exec exec = { .struct_size = sizeof exec, .argv = argv, .env = env, .cwd = "/" };
  (void) state;
  pair_open (&p);
  assert_int_equal (run (&p, &exec, 20000, -1, NULL, &printed).how, AK_EXITED);
  assert_string_equal (printed.text, "1:b c /h\n/\n");
  fake_printed_clear (&printed);
  pair_close (&p);
}

static void
a_stopped_program_is_killed_at_its_deadline (void **state)
{
  static const char *const programs[] = {
    "echo before; sleep 60", "echo before; kill -STOP $$; sleep 60",
    "echo before; setsid sleep 60 & sleep 60",
    "trap '' TERM; echo before; sleep 60; sleep 60",
  };
  struct pair p;
  (void) state;
  pair_open (&p);
  for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
    struct printed printed;
    const char *argv[] = { "sh", "-c", programs[i], NULL };
    struct ak_exec exec = { .struct_size = sizeof exec, .argv = argv };
    uint64_t start = ak_now_ns ();
    struct ak_outcome o = run (&p, &exec, 300, -1, NULL, &printed);
    assert_in_range (fake_ms_since (start), 300, 3000);
    assert_int_equal (o.how, AK_TIMED_OUT);
    assert_int_equal (o.unconfirmed, 0);
    assert_string_equal (printed.text, "1:before\n");
    assert_int_equal (ak_runner_is_lost (p.runner), 0);
    fake_printed_clear (&printed);
  }
  pair_close (&p);
}

static void
the_grace_after_the_deadline_is_given (void **state)
{
  struct pair p;
  struct printed printed;
  const char *argv[] = { "sh", "-c",
                         "exec 2>/dev/null; trap 'echo term; exit 0' TERM; while :; do sleep 0.05; done",
                         NULL };
  struct ak_exec exec = { .struct_size = sizeof exec, .argv = argv, .term_grace_ns = 2000 * (uint64_t) MS };
  (void) state;
  pair_open (&p);
  uint64_t start = ak_now_ns ();
  struct ak_outcome o = run (&p, &exec, 300, -1, NULL, &printed);
  assert_in_range (fake_ms_since (start), 300, 2200);
  assert_int_equal (o.how, AK_TIMED_OUT);
  assert_string_equal (printed.text, "1:term\n");
  fake_printed_clear (&printed);
  pair_close (&p);
}

static void *
fire_soon (void *cancel)
{
  usleep (200000);
  ak_cancel_fire (cancel);
  return NULL;
}

static void
a_cancel_ends_the_whole_tree (void **state)
{
  struct pair p;
  struct printed printed;
  pthread_t thread;
  const char *argv[] = { "sh", "-c", "setsid sh -c 'echo $$ >pid; sleep 60' & echo started; sleep 60", NULL };
  const char *look[] = { "sh", "-c", "kill -0 `cat pid` 2>/dev/null && echo alive; true", NULL };
  struct ak_exec exec = { .struct_size = sizeof exec, .argv = argv };
  (void) state;
  struct ak_cancel *cancel = ak_cancel_new ();
  pair_open (&p);
  uint64_t start = ak_now_ns ();
  pthread_create (&thread, NULL, fire_soon, cancel);
  struct ak_outcome o = run (&p, &exec, 30000, -1, cancel, &printed);
  assert_in_range (fake_ms_since (start), 200, 3000);
  pthread_join (thread, NULL);
  assert_int_equal (o.how, AK_CANCELLED);
  assert_string_equal (printed.text, "1:started\n");
  fake_printed_clear (&printed);
  exec.argv = look;
  assert_int_equal (run (&p, &exec, 30000, -1, NULL, &printed).how, AK_EXITED);
  assert_string_equal (printed.text, "");
  fake_printed_clear (&printed);
  ak_cancel_free (cancel);
  pair_close (&p);
}

static void
a_cancel_while_the_code_is_still_on_its_way_ends_it (void **state)
{
  struct pair p;
  (void) state;
  char *code = calloc (1, 60u << 20);
  pair_open (&p);
  for (int i = 0; i < 5; i++) {
    struct printed printed;
    struct ak_exec exec = {
      .struct_size = sizeof exec, .language = "sh", .code = code, .code_size = 60u << 20
    };
    struct ak_outcome o = run (&p, &exec, 2 + 3 * (unsigned) i, -1, NULL, &printed);
    assert_int_equal (o.how, AK_TIMED_OUT);
    assert_int_equal (ak_runner_is_lost (p.runner), 0);
    fake_printed_clear (&printed);
  }
  free (code);
  CODE ("sh", "echo well", "1:well\n", 0);
  pair_close (&p);
}

static void
standard_input_goes_through_a_program_and_back (void **state)
{
  struct pair p;
  struct printed printed;
  const char *argv[] = { "cat", NULL };
  struct ak_exec exec = { .struct_size = sizeof exec, .argv = argv };
  size_t size = 20u << 20;
  (void) state;
  char *bytes = malloc (size);
  for (size_t i = 0; i < size; i++)
    bytes[i] = (char) (i * 2654435761u >> 11);
  int fd = memfd_create ("input", MFD_CLOEXEC);
  assert_int_equal (write (fd, bytes, size), (ssize_t) size);
  lseek (fd, 0, SEEK_SET);
  pair_open (&p);
  struct ak_outcome o = run (&p, &exec, 30000, fd, NULL, &printed);
  assert_int_equal (o.how, AK_EXITED);
  assert_int_equal (printed.total[1], size);
  assert_memory_equal (printed.text + 2, bytes, size);
  fake_printed_clear (&printed);
  /* A program that does not read all of it. */
  lseek (fd, 0, SEEK_SET);
  exec.argv = (const char *[]) { "head", "-c", "5", NULL };
  o = run (&p, &exec, 30000, fd, NULL, &printed);
  assert_int_equal (o.how, AK_EXITED);
  assert_int_equal (printed.total[1], 5);
  fake_printed_clear (&printed);
  close (fd);
  free (bytes);
  pair_close (&p);
}

static int
count_bytes (void *data, uint32_t stream, const void *bytes, size_t size)
{
  (void) stream, (void) bytes;
  *(uint64_t *) data += size;
  return 0;
}

static void
much_output_comes_whole (void **state)
{
  struct pair p;
  uint64_t total = 0;
  const char *argv[] = { "head", "-c", "268435456", "/dev/zero", NULL };
  struct ak_exec exec = { .struct_size = sizeof exec, .argv = argv };
  struct runner_io io = { .data = &total, .write = count_bytes, .stdin_fd = -1 };
  struct ak_outcome o = { 0 };
  struct stop stop;
  (void) state;
  pair_open (&p);
  ak_stop_init (&stop, ak_now_ns () + 60000 * (uint64_t) MS, NULL);
  assert_int_equal (ak_runner_execute (p.runner, &exec, &stop, &io, NULL, NULL, &o, NULL), AK_STATUS_OK);
  assert_int_equal (o.how, AK_EXITED);
  assert_int_equal (total, 268435456);
  ak_stop_done (&stop);
  pair_close (&p);
}

static atomic_int wrong;

static void *
run_ten (void *data)
{
  for (int i = 0; i < 10; i++) {
    struct printed printed;
    const char *argv[] = { "sh", "-c", "echo $$; exit 7", NULL };
    struct ak_exec exec = { .struct_size = sizeof exec, .argv = argv };
    struct ak_outcome o = run (data, &exec, 60000, -1, NULL, &printed);
    if (o.how != AK_EXITED || o.code != 7 || printed.total[1] < 2)
      atomic_fetch_add (&wrong, 1);
    fake_printed_clear (&printed);
  }
  return NULL;
}

static void
thirty_two_threads_share_a_runner (void **state)
{
  struct pair p;
  pthread_t threads[32];
  (void) state;
  pair_open (&p);
  for (int i = 0; i < 32; i++)
    pthread_create (&threads[i], NULL, run_ten, &p);
  for (int i = 0; i < 32; i++)
    pthread_join (threads[i], NULL);
  assert_int_equal (atomic_load (&wrong), 0);
  assert_int_equal (ak_runner_is_lost (p.runner), 0);
  pair_close (&p);
}

struct file { char *bytes; size_t at, size; char names[1000]; };

static int64_t
read_file (void *data, void *buffer, size_t size)
{
  struct file *f = data;
  size_t n = earlier (size, f->size - f->at);
  memcpy (buffer, f->bytes + f->at, n);
  f->at += n;
  return (int64_t) n;
}

static int64_t
read_and_stop (void *data, void *buffer, size_t size)
{
  struct file *f = data;
  return f->at > f->size / 2 ? -1 : read_file (data, buffer, size);
}

static int
write_file (void *data, uint32_t stream, const void *bytes, size_t size)
{
  struct file *f = data;
  assert_int_equal (stream, AK_CONTENT);
  assert_true (size <= f->size - f->at);
  assert_memory_equal (f->bytes + f->at, bytes, size);
  f->at += size;
  return 0;
}

static int
note_entry (void *data, const struct ak_file *file)
{
  struct file *f = data;
  size_t used = strlen (f->names);
  snprintf (f->names + used, sizeof f->names - used, "%s %o %llu;", file->path, file->mode,
            (unsigned long long) (S_ISREG (file->mode) ? file->size : 0));
  return 0;
}

static void
files_go_in_and_come_out (void **state)
{
  struct pair p;
  struct file f = { .bytes = malloc (3000000), .size = 3000000 };
  struct runner_io io = {
    .data = &f, .read = read_file, .write = write_file, .entry = note_entry, .stdin_fd = -1
  };
  struct stop stop;
  (void) state;
  for (size_t i = 0; i < f.size; i++)
    f.bytes[i] = (char) (i * 2654435761u >> 9);
  pair_open (&p);
  ak_stop_init (&stop, ak_now_ns () + 30000 * (uint64_t) MS, NULL);
  assert_int_equal (ak_runner_write_file (p.runner, "sub/big", 0640, &stop, &io, NULL), AK_STATUS_OK);
  f.at = 0;
  assert_int_equal (ak_runner_read_file (p.runner, "sub/big", &stop, &io, NULL), AK_STATUS_OK);
  assert_int_equal (f.at, f.size);
  assert_string_equal (f.names, "sub/big 100640 3000000;");
  f.names[0] = '\0';
  assert_int_equal (ak_runner_list_files (p.runner, "sub", &stop, &io, NULL), AK_STATUS_OK);
  assert_string_equal (f.names, "big 100640 3000000;");
  f.names[0] = '\0';
  assert_int_equal (ak_runner_stat_file (p.runner, "sub/big", &stop, &io, NULL), AK_STATUS_OK);
  assert_string_equal (f.names, "sub/big 100640 3000000;");
  /* An upload that its source stops leaves what was there, and nothing else. */
  f.at = 0;
  io.read = read_and_stop;
  assert_int_equal (ak_runner_write_file (p.runner, "sub/new", 0, &stop, &io, NULL), AK_STATUS_CANCELLED);
  f.names[0] = '\0';
  assert_int_equal (ak_runner_list_files (p.runner, "sub", &stop, &io, NULL), AK_STATUS_OK);
  assert_string_equal (f.names, "big 100640 3000000;");
  assert_int_equal (ak_runner_remove_file (p.runner, "sub", 0, &stop, NULL), AK_STATUS_CONFIG);
  assert_int_equal (ak_runner_remove_file (p.runner, "sub", 1, &stop, NULL), AK_STATUS_OK);
  assert_int_equal (ak_runner_stat_file (p.runner, "sub", &stop, &io, NULL), AK_STATUS_FILE_NOT_FOUND);
  assert_int_equal (ak_runner_is_lost (p.runner), 0);
  ak_stop_done (&stop);
  free (f.bytes);
  pair_close (&p);
}

static void
what_files_cannot_be_is_told_apart (void **state)
{
  static const struct { const char *path; enum ak_status status; } cases[] = {
    { "nothing", AK_STATUS_FILE_NOT_FOUND }, { "../up", AK_STATUS_POLICY }, { "link", AK_STATUS_POLICY },
    { "folder", AK_STATUS_CONFIG },
    { "fifo", AK_STATUS_CONFIG },
  };
  struct pair p;
  struct file f = { .size = 0 };
  struct runner_io io = { .data = &f, .write = write_file, .entry = note_entry, .stdin_fd = -1 };
  struct stop stop;
  (void) state;
  pair_open (&p);
  CODE ("sh", "mkdir folder; mkfifo fifo; ln -s /etc/passwd link", "", 0);
  ak_stop_init (&stop, ak_now_ns () + 30000 * (uint64_t) MS, NULL);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    assert_int_equal (ak_runner_read_file (p.runner, cases[i].path, &stop, &io, NULL), cases[i].status);
  assert_int_not_equal (ak_runner_read_file (p.runner, "/etc/passwd", &stop, &io, NULL), AK_STATUS_OK);
  assert_string_equal (f.names, "");
  ak_stop_done (&stop);
  pair_close (&p);
}

static void *
kill_soon (void *data)
{
  usleep (300000);
  kill_runner (data);
  return NULL;
}

static void
a_runner_that_is_killed_under_a_program_is_lost (void **state)
{
  struct pair p;
  struct printed printed;
  pthread_t thread;
  const char *argv[] = { "sh", "-c", "echo before; sleep 60", NULL };
  struct ak_exec exec = { .struct_size = sizeof exec, .argv = argv };
  (void) state;
  pair_open (&p);
  uint64_t start = ak_now_ns ();
  pthread_create (&thread, NULL, kill_soon, &p);
  struct ak_outcome o = run (&p, &exec, 30000, -1, NULL, &printed);
  assert_in_range (fake_ms_since (start), 300, 2000);
  pthread_join (thread, NULL);
  assert_int_equal (o.how, AK_LOST);
  assert_string_equal (printed.text, "1:before\n");
  fake_printed_clear (&printed);
  pair_close (&p);
}

static void
a_runner_that_is_stopped_is_killed_from_outside_in_time (void **state)
{
  struct pair p;
  struct printed printed;
  (void) state;
  pair_open (&p);
  const char *argv[] = { "sleep", "60", NULL };
  struct ak_exec exec = { .struct_size = sizeof exec, .argv = argv };
  kill (p.pid, SIGSTOP);
  uint64_t start = ak_now_ns ();
  struct ak_outcome o = run (&p, &exec, 300, -1, NULL, &printed);
  assert_in_range (fake_ms_since (start), 800, 3000);
  assert_int_equal (o.how, AK_TIMED_OUT);
  assert_int_equal (o.unconfirmed, 0);
  assert_int_equal (ak_runner_is_lost (p.runner), 1);
  fake_printed_clear (&printed);
  pair_close (&p);
}

static void
five_hundred_executions_leave_nothing (void **state)
{
  struct pair p;
  char command[128];
  (void) state;
  pair_open (&p);
  unsigned before = fake_open_descriptors ();
  for (int i = 0; i < 500; i++) {
    struct printed printed;
    const char *argv[] = { "true", NULL };
    struct ak_exec exec = { .struct_size = sizeof exec, .argv = argv };
    assert_int_equal (run (&p, &exec, 20000, -1, NULL, &printed).how, AK_EXITED);
    fake_printed_clear (&printed);
  }
  assert_int_equal (fake_open_descriptors (), before);
  snprintf (command, sizeof command, "test -z \"`ls -A %s`\"", p.workspace);
  assert_int_equal (system (command), 0);
  pair_close (&p);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (python_code_runs_as_with_dash_c),
    cmocka_unit_test (bytes_of_code_that_are_no_text_reach_the_interpreter),
    cmocka_unit_test (shell_code_runs_as_a_script),
    cmocka_unit_test (five_megabytes_of_code_run),
    cmocka_unit_test (commands_end_as_they_do),
    cmocka_unit_test (environment_and_folder_are_the_execution_s),
    cmocka_unit_test (a_stopped_program_is_killed_at_its_deadline),
    cmocka_unit_test (the_grace_after_the_deadline_is_given),
    cmocka_unit_test (a_cancel_ends_the_whole_tree),
    cmocka_unit_test (a_cancel_while_the_code_is_still_on_its_way_ends_it),
    cmocka_unit_test (standard_input_goes_through_a_program_and_back),
    cmocka_unit_test (much_output_comes_whole),
    cmocka_unit_test (thirty_two_threads_share_a_runner),
    cmocka_unit_test (files_go_in_and_come_out),
    cmocka_unit_test (what_files_cannot_be_is_told_apart),
    cmocka_unit_test (a_runner_that_is_killed_under_a_program_is_lost),
    cmocka_unit_test (a_runner_that_is_stopped_is_killed_from_outside_in_time),
    cmocka_unit_test (five_hundred_executions_leave_nothing),
  };
  return cmocka_run_group_tests_name ("runner-pair", tests, find_runner, NULL);
}
