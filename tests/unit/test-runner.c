/* SPDX-License-Identifier: Apache-2.0 */
/* The runner: programs, their streams, and how they end. */
#include "runner-harness.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void
assert_exited (const struct told *told, uint32_t code)
{
  assert_int_equal (told->ended, FRAME_EXIT);
  assert_int_equal (told->how, EXIT_EXITED);
  assert_int_equal (told->code, code);
}

static void
assert_signalled (const struct told *told, uint32_t signal)
{
  assert_int_equal (told->ended, FRAME_EXIT);
  assert_int_equal (told->how, EXIT_SIGNALLED);
  assert_int_equal (told->code, signal);
}

static void
both_streams_arrive_apart_and_exact (void **state)
{
  struct peer *p = *state;
  struct told *t = peer_sh (p, "printf 'a\\000b\\377\\376\\n'; printf 'e\\000\\200' >&2; exit 3");

  assert_exited (t, 3);
  assert_bytes (t->out, "a\0b\377\376\n", 6);
  assert_bytes (t->err, "e\0\200", 3);
  assert_int_equal (t->flags, 0);
  assert_true (t->pid > 0);
  assert_true (t->peak_bytes > 100 * 1024);
  assert_true (t->duration_ns > 0 && t->duration_ns < 10 * SECOND);
}

static void
exit_codes_are_the_programs_own (void **state)
{
  static const unsigned codes[] = { 0, 1, 2, 124, 125, 126, 127, 128, 137, 194, 255 };
  struct peer *p = *state;

  for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
    char line[16];
    struct told *t;

    snprintf (line, sizeof line, "exit %u", codes[i]);
    t = peer_sh (p, line);
    assert_exited (t, codes[i]);
    assert_int_equal (t->flags, 0);
  }
}

static void
a_program_that_kills_itself_is_signalled (void **state)
{
  struct peer *p = *state;

  assert_signalled (peer_run (p, &(struct exec_request) { .sh = "kill -9 $$", .timeout_ns = 5 * SECOND }),
                    SIGKILL);
  assert_signalled (peer_sh (p, "kill -SEGV $$"), SIGSEGV);
  assert_signalled (peer_sh (p, "kill -PIPE $$"), SIGPIPE);
  assert_signalled (peer_sh (p, "kill -TERM $$"), SIGTERM);
}

static void
a_program_that_is_not_there_is_127_and_says_so (void **state)
{
  struct peer *p = *state;
  const char *const argv[] = { "no_such_cmd_zz", NULL }, *const path[] = { "/no/such", NULL };
  struct told *t = peer_run (p, &(struct exec_request) { .argv = argv });

  assert_exited (t, 127);
  assert_int_equal (t->flags, EXIT_NOT_STARTED);
  assert_text (t->err, "aksandbox: no_such_cmd_zz: not found\n");
  assert_int_equal (t->pid, 0);
  t = peer_run (p, &(struct exec_request) { .argv = path });
  assert_exited (t, 127);
  assert_text (t->err, "aksandbox: /no/such: not found\n");
}

static void
a_name_that_commands_a_terminal_is_told_escaped (void **state)
{
  struct peer *p = *state;
  const char *const argv[] = { "no\033[2J\302\233\233\177", NULL };
  struct told *t = peer_run (p, &(struct exec_request) { .argv = argv });

  assert_exited (t, 127);
  assert_text (t->err, "aksandbox: no\\x1b[2J\\xc2\\x9b\\x9b\\x7f: not found\n");
}

static void
what_cannot_be_executed_is_126_and_says_so (void **state)
{
  struct peer *p = *state;
  const char *const file[] = { "./plain", NULL }, *const folder[] = { "/usr", NULL },
                    *const yes[] = { "true", NULL };
  struct told *t;

  assert_exited (peer_sh (p, "echo text >plain"), 0);
  t = peer_run (p, &(struct exec_request) { .argv = file });
  assert_exited (t, 126);
  assert_int_equal (t->flags, EXIT_NOT_STARTED);
  assert_text (t->err, "aksandbox: ./plain: Permission denied\n");
  assert_exited (peer_run (p, &(struct exec_request) { .argv = folder }), 126);
  t = peer_run (p, &(struct exec_request) { .argv = yes, .cwd = "/no/such/dir" });
  assert_exited (t, 126);
  assert_text (t->err, "aksandbox: working directory /no/such/dir: No such file or directory\n");
}

static void
scripts_run_with_and_without_an_interpreter_line (void **state)
{
  struct peer *p = *state;
  const char *const bare[] = { "./bare", "x y", NULL }, *const lost[] = { "./lost", NULL };
  struct told *t;

  assert_exited (
    peer_sh (p, "echo 'echo \"$0:$1\"' >bare; printf '#!/no/interpreter\\n' >lost; chmod 755 bare lost"), 0);
  t = peer_run (p, &(struct exec_request) { .argv = bare });
  assert_exited (t, 0);
  assert_text (t->out, "./bare:x y\n");
  t = peer_run (p, &(struct exec_request) { .argv = lost });
  assert_exited (t, 127);
  assert_text (t->err, "aksandbox: ./lost: its interpreter was not found\n");
}

static void
the_environment_is_only_what_was_given (void **state)
{
  struct peer *p = *state;
  const char *const argv[] = { "/usr/bin/env", NULL };
  const char *const env[] = { "A=1", "B=x=y", "A=2", "PATH=/bin", "EMPTY=", NULL };
  char expected[128];
  struct told *t = peer_run (p, &(struct exec_request) { .argv = argv, .env = env });

  snprintf (expected, sizeof expected, "PATH=/bin\nTAG=%s\nA=2\nB=x=y\nEMPTY=\n", p->tag);
  assert_exited (t, 0);
  assert_text (t->out, expected);
}

static void
twenty_thousand_variables_cost_no_time (void **state)
{
  struct peer *p = *state;
  static char names[20000][32];
  const char *env[20003];
  uint64_t start = clock_ns ();
  struct told *t;

  for (int i = 0; i < 20000; i++) {
    snprintf (names[i], sizeof names[i], "V%d=%d", i, i);
    env[i] = names[i];
  }
  env[20000] = "V7=first";
  env[20001] = "V7=last";
  env[20002] = NULL;
  t = peer_run (p, &(struct exec_request) { .sh = "echo $V0 $V7 $V19999; env | grep -c ^V", .env = env });
  assert_exited (t, 0);
  assert_text (t->out, "0 last 19999\n20000\n");
  assert_true (clock_ns () - start < 3 * SECOND);
}

static void
path_of_the_environment_is_searched (void **state)
{
  struct peer *p = *state;
  const char *const argv[] = { "tool", NULL };
  char path[192];
  const char *const env[] = { path, NULL };
  struct told *t;

  assert_exited (
    peer_sh (
      p, "mkdir one two three; echo x >one/tool; mkdir two/tool; printf '#!/bin/sh\\necho 3' >three/tool; "
         "chmod 755 three/tool"),
    0);
  snprintf (path, sizeof path, "PATH=/no/such:%s/one:%s/two:three", p->workspace, p->workspace);
  t = peer_run (p, &(struct exec_request) { .argv = argv, .env = env });
  assert_exited (t, 0);
  assert_text (t->out, "3\n");
  snprintf (path, sizeof path, "PATH=one");
  assert_exited (peer_run (p, &(struct exec_request) { .argv = argv, .env = env }), 126);
}

static void
a_program_starts_in_the_workspace_with_a_clean_state (void **state)
{
  struct peer *p = *state;
  char expected[512];
  struct told *t =
    peer_sh (p, "pwd -P; ls /proc/self/fd | tr '\\n' ' '; echo; cut -d' ' -f6 /proc/$$/stat | grep -cx $$; "
                "grep -E 'Sig(Blk|Ign)|NoNewPrivs|Cap(Inh|Prm|Eff|Amb)' /proc/self/status; umask; ulimit -c");

  snprintf (expected, sizeof expected,
            "%s\n0 1 2 3 \n1\nSigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n"
            "CapInh:\t0000000000000000\nCapPrm:\t0000000000000000\nCapEff:\t0000000000000000\n"
            "CapAmb:\t0000000000000000\nNoNewPrivs:\t1\n0022\n0\n",
            p->workspace);
  assert_exited (t, 0);
  assert_text (t->out, expected);
}

static void
a_relative_directory_is_below_the_workspace (void **state)
{
  struct peer *p = *state;
  const char *const argv[] = { "/bin/pwd", NULL };
  char expected[80];
  struct told *t;

  assert_exited (peer_sh (p, "mkdir -p a/b"), 0);
  snprintf (expected, sizeof expected, "%s/a/b\n", p->workspace);
  t = peer_run (p, &(struct exec_request) { .argv = argv, .cwd = "a/b" });
  assert_text (t->out, expected);
  t = peer_run (p, &(struct exec_request) { .argv = argv, .cwd = "/usr" });
  assert_text (t->out, "/usr\n");
}

static void
code_is_readable_from_descriptor_3 (void **state)
{
  struct peer *p = *state;
  size_t size = 5 * 1024 * 1024 + 7;
  uint8_t *code = malloc (size);
  struct told *t;

  for (size_t i = 0; i < size; i++)
    code[i] = (uint8_t) (i * 7 + i / 256);
  t = peer_run (p, &(struct exec_request) { .sh = "cat <&3", .code = code, .code_size = size });
  assert_exited (t, 0);
  assert_bytes (t->out, code, size);
  free (code);
  t = peer_run (p, &(struct exec_request) { .sh = "cat <&3; echo end", .code = "", .code_size = 0 });
  assert_text (t->out, "end\n");
}

static void
without_stdin_a_program_reads_its_end_at_once (void **state)
{
  struct peer *p = *state;
  uint64_t start = clock_ns ();
  struct told *t = peer_sh (p, "cat; echo done");

  assert_exited (t, 0);
  assert_text (t->out, "done\n");
  assert_true (clock_ns () - start < 3 * SECOND);
}

static void
stdin_of_ten_mebibytes_arrives_whole (void **state)
{
  struct peer *p = *state;
  size_t size = 10 * 1024 * 1024;
  uint8_t *data = malloc (size);
  uint64_t id = peer_exec (p, &(struct exec_request) { .sh = "sleep .1; wc -c", .wants_stdin = 1 });
  struct told *t;

  memset (data, 'x', size);
  peer_feed (p, id, STREAM_STDIN, data, size);
  t = peer_wait (p, id);
  assert_exited (t, 0);
  assert_text (t->out, "10485760\n");
  id = peer_exec (p, &(struct exec_request) { .sh = "cat", .wants_stdin = 1 });
  for (size_t i = 0; i < size; i++)
    data[i] = (uint8_t) (i ^ i >> 9);
  peer_feed (p, id, STREAM_STDIN, data, size);
  t = peer_wait (p, id);
  assert_bytes (t->out, data, size);
  free (data);
}

static void
stdin_that_nobody_reads_does_no_harm (void **state)
{
  struct peer *p = *state;
  size_t size = 10 * 1024 * 1024;
  uint8_t *data = calloc (1, size);
  uint64_t id = peer_exec (p, &(struct exec_request) { .sh = "exit 0", .wants_stdin = 1 });

  peer_feed (p, id, STREAM_STDIN, data, size);
  assert_exited (peer_wait (p, id), 0);
  id = peer_exec (p, &(struct exec_request) { .sh = "exec <&-; sleep .3; exit 5", .wants_stdin = 1 });
  peer_feed (p, id, STREAM_STDIN, data, size);
  assert_exited (peer_wait (p, id), 5);
  assert_exited (peer_sh (p, "exit 4"), 4);
  free (data);
}

static void
output_is_complete_in_300_fast_exits (void **state)
{
  struct peer *p = *state;
  static const char expected[] = "1234567890\n";

  for (int i = 0; i < 300; i++) {
    struct told *t = peer_sh (p, "echo 1234567890; echo 1234567890 >&2");

    assert_exited (t, 0);
    assert_text (t->out, expected);
    assert_text (t->err, expected);
  }
}

static void
much_output_arrives_in_order (void **state)
{
  struct peer *p = *state;
  struct told *t = peer_sh (p, "seq 1 2000000");
  const char *at;

  assert_exited (t, 0);
  assert_int_equal (t->out.size, 14888896);
  at = (const char *) t->out.data;
  for (long i = 1; i <= 2000000; i++, at++) {
    char *end;

    assert_int_equal (strtol (at, &end, 10), i);
    at = end;
  }
}

static int
credit_is_used_up (struct peer *p, void *data)
{
  return peer_told (p, *(uint64_t *) data)->out.size >= CREDIT_START;
}

static void
an_output_that_nobody_reads_blocks_its_own_program_only (void **state)
{
  struct peer *p = *state;
  uint64_t held = peer_exec (p, &(struct exec_request) { .sh = "yes", .hold = 1, .timeout_ns = 4 * SECOND });
  uint64_t start = clock_ns ();
  struct told *t;

  assert_int_equal (peer_pump (p, credit_is_used_up, &held, 3000), 1);
  for (int i = 0; i < 20; i++) {
    t = peer_sh (p, "echo ok");
    assert_exited (t, 0);
    assert_text (t->out, "ok\n");
  }
  assert_true (clock_ns () - start < 3 * SECOND);
  /* The twenty may have been over before it got a processor. */
  for (int i = 0; i < 50 && peer_told (p, held)->out.size < CREDIT_START; i++)
    peer_sh (p, "sleep 0.01");
  assert_int_equal (peer_told (p, held)->out.size, CREDIT_START);
  /* What its pipe still holds at the end is delivered, once there is credit. */
  sleep_ms (4200);
  peer_told (p, held)->hold = 0;
  peer_told (p, held)->given[STREAM_STDOUT] += 4 * CREDIT_START;
  peer_send_u32 (p, FRAME_CREDIT, STREAM_STDOUT, held, 4 * CREDIT_START);
  t = peer_wait (p, held);
  assert_int_equal (t->how, EXIT_TIMED_OUT);
  assert_true (t->out.size > CREDIT_START && t->out.size <= 3 * CREDIT_START);
}

static void
a_program_may_close_its_output_and_go_on (void **state)
{
  struct peer *p = *state;
  uint64_t start = clock_ns ();

  assert_exited (peer_sh (p, "exec >&- 2>&-; sleep .5; exit 9"), 9);
  assert_true (clock_ns () - start >= SECOND / 2);
}

static void
a_background_process_does_not_hold_the_return (void **state)
{
  struct peer *p = *state;
  uint64_t start = clock_ns ();
  struct told *t = peer_sh (p, "sleep $TAG & echo hi");

  assert_exited (t, 0);
  assert_text (t->out, "hi\n");
  assert_int_equal (t->flags, EXIT_SURVIVORS);
  assert_true (clock_ns () - start < 3 * SECOND);
  wait_for_processes (p->tag, 1);
}

static void
a_background_process_writes_on_into_nothing (void **state)
{
  struct peer *p = *state;
  struct told *t =
    peer_sh (p, "setsid sh -c 'i=0; while [ $i -lt 400 ]; do echo log log log; head -c 4096 /dev/zero; "
                "i=$((i+1)); done; echo all >beat; sleep '$TAG & exit 0");
  struct told *later = NULL;

  assert_exited (t, 0);
  assert_int_equal (t->flags, EXIT_SURVIVORS);
  for (int i = 0; i < 100 && (!later || later->out.size == 0); i++) {
    sleep_ms (20);
    later = peer_sh (p, "cat beat 2>/dev/null");
  }
  assert_text (later->out, "all\n");
  wait_for_processes (p->tag, 1);
}

static void
orphans_leave_no_zombie (void **state)
{
  struct peer *p = *state;
  struct told *t =
    peer_sh (p, "for i in $(seq 50); do (sh -c 'sleep .1 &'); done; sleep .6; cat /proc/[0-9]*/status | grep -c '^State:.Z'");

  assert_text (t->out, "0\n");
}

static void
a_hundred_executions_run_at_once (void **state)
{
  struct peer *p = *state;
  uint64_t ids[100], start = clock_ns ();

  for (int i = 0; i < 100; i++) {
    char line[80];

    snprintf (line, sizeof line, "echo %d; sleep 1; echo %d >&2; exit %d", i, i, i);
    ids[i] = peer_exec (p, &(struct exec_request) { .sh = line });
  }
  for (int i = 0; i < 100; i++) {
    struct told *t = peer_wait (p, ids[i]);
    char expected[16];

    snprintf (expected, sizeof expected, "%d\n", i);
    assert_exited (t, (uint32_t) i);
    assert_text (t->out, expected);
    assert_text (t->err, expected);
  }
  assert_true (clock_ns () - start < 6 * SECOND);
}

static void
a_signal_reaches_the_group (void **state)
{
  struct peer *p = *state;
  uint64_t id = peer_exec (
    p,
    &(struct exec_request) { .sh = "trap 'echo got; exit 6' USR1; echo ready; while :; do sleep .05; done" });

  while (peer_told (p, id)->out.size == 0)
    peer_sh (p, "true");
  peer_send_u32 (p, FRAME_SIGNAL, 0, id, SIGUSR1);
  assert_exited (peer_wait (p, id), 6);
  assert_text (peer_told (p, id)->out, "ready\ngot\n");
}

static unsigned
lines_of (const char *format, int pid)
{
  char command[128];
  unsigned n = 0;
  FILE *f;

  snprintf (command, sizeof command, format, pid, pid);
  f = popen (command, "r");
  assert_non_null (f);
  assert_int_equal (fscanf (f, "%u", &n), 1);
  pclose (f);
  return n;
}

static void
many_executions_leave_nothing_behind (void **state)
{
  struct peer *p = *state;
  unsigned before;

  peer_sh (p, "true");
  /* Its descriptors are shown to root alone; another sees none before and none after. */
  before = lines_of ("ls /proc/%d/fd 2>/dev/null | wc -l", p->pid);
  for (int i = 0; i < 500; i++)
    assert_exited (peer_sh (p, "exit 0"), 0);
  assert_text (peer_sh (p, "ls /proc/self/fd | tr '\\n' ' '")->out, "0 1 2 3 ");
  sleep_ms (200);
  assert_int_equal (lines_of ("cat /proc/%d/task/%d/children | wc -w", p->pid), 0);
  assert_true (lines_of ("ls /proc/%d/fd 2>/dev/null | wc -l", p->pid) <= before);
  assert_text (peer_sh (p, "ls -A | wc -l")->out, "0\n");
}

int
main (void)
{
  struct CMUnitTest tests[] = {
    BOTH (both_streams_arrive_apart_and_exact),
    BOTH (exit_codes_are_the_programs_own),
    BOTH (a_program_that_kills_itself_is_signalled),
    BOTH (a_program_that_is_not_there_is_127_and_says_so),
    BOTH (a_name_that_commands_a_terminal_is_told_escaped),
    BOTH (what_cannot_be_executed_is_126_and_says_so),
    BOTH (scripts_run_with_and_without_an_interpreter_line),
    BOTH (the_environment_is_only_what_was_given),
    BOTH (twenty_thousand_variables_cost_no_time),
    BOTH (path_of_the_environment_is_searched),
    BOTH (a_program_starts_in_the_workspace_with_a_clean_state),
    BOTH (a_relative_directory_is_below_the_workspace),
    BOTH (code_is_readable_from_descriptor_3),
    BOTH (without_stdin_a_program_reads_its_end_at_once),
    BOTH (stdin_of_ten_mebibytes_arrives_whole),
    BOTH (stdin_that_nobody_reads_does_no_harm),
    BOTH (output_is_complete_in_300_fast_exits),
    BOTH (much_output_arrives_in_order),
    BOTH (an_output_that_nobody_reads_blocks_its_own_program_only),
    BOTH (a_program_may_close_its_output_and_go_on),
    BOTH (a_background_process_does_not_hold_the_return),
    BOTH (a_background_process_writes_on_into_nothing),
    AS_PID1 (orphans_leave_no_zombie),
    BOTH (a_hundred_executions_run_at_once),
    BOTH (a_signal_reaches_the_group),
    BOTH (many_executions_leave_nothing_behind),
  };

  return peer_run_tests ("runner", tests, sizeof tests / sizeof *tests);
}
