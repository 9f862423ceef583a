/* SPDX-License-Identifier: Apache-2.0 */
/* The runner: deadlines, cancelling, and trees of processes that do not want to die. */
#include "runner-harness.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Runs the line with a deadline of 0.3 s. It prints "begun" first; nothing of it may be left, and none of
 * what follows here may take longer than it must. */
static struct told *
time_out (struct peer *p, const char *line)
{
  char text[2048];
  uint64_t start = clock_ns (), took;
  struct told *t;

  snprintf (text, sizeof text, "echo begun\n%s", line);
  t = peer_run (p, &(struct exec_request) { .sh = text, .timeout_ns = 3 * SECOND / 10 });
  took = clock_ns () - start;
  assert_int_equal (t->ended, FRAME_EXIT);
  assert_int_equal (t->how, EXIT_TIMED_OUT);
  assert_int_equal (t->flags, 0);
  assert_true (t->out.size >= 6 && memcmp (t->out.data, "begun\n", 6) == 0);
  assert_true (took >= 3 * SECOND / 10);
  assert_true (took < 3 * SECOND);
  assert_no_process (p->tag);
  return t;
}

static void
assert_serves (struct peer *p)
{
  struct told *t = peer_sh (p, "echo ok");

  assert_int_equal (t->how, EXIT_EXITED);
  assert_int_equal (t->code, 0);
  assert_text (t->out, "ok\n");
}

static void
a_program_is_killed_at_its_deadline (void **state)
{
  struct peer *p = *state;
  uint64_t start = clock_ns ();

  time_out (p, "exec sleep $TAG");
  assert_true (clock_ns () - start < 3 * SECOND);
  assert_serves (p);
}

static void
a_child_that_holds_the_pipes_does_not_delay_the_deadline (void **state)
{
  time_out (*state, "sleep $TAG & sleep $TAG");
}

static void
a_program_that_ignores_sigterm_is_killed_at_its_deadline (void **state)
{
  time_out (*state, "trap '' TERM INT HUP; sleep $TAG & while :; do sleep 1; done");
}

static void
a_stopped_program_is_killed_at_its_deadline (void **state)
{
  time_out (*state, "sleep $TAG & kill -STOP 0");
}

static void
setsid_does_not_escape_the_deadline (void **state)
{
  time_out (*state, "setsid sleep $TAG & setsid sh -c 'setsid sleep $TAG & sleep $TAG' & sleep $TAG");
}

static void
a_double_fork_does_not_escape_the_deadline (void **state)
{
  time_out (*state, "for i in 1 2 3 4 5; do (setsid sh -c '(sleep $TAG &) &' &) ; done; sleep $TAG");
}

static void
a_main_process_that_is_gone_leaves_no_deadline (void **state)
{
  struct peer *p = *state;
  struct told *t =
    peer_run (p, &(struct exec_request) { .sh = "sleep $TAG & exit 3", .timeout_ns = SECOND / 5 });

  assert_int_equal (t->how, EXIT_EXITED);
  assert_int_equal (t->code, 3);
  assert_int_equal (t->flags, EXIT_SURVIVORS);
  sleep_ms (400);
  wait_for_processes (p->tag, 1);
}

static void
fork_chains_are_killed (void **state)
{
  struct peer *p = *state;
  char line[256];

  /* Each forks and exits: whoever is found is gone a moment later. */
  snprintf (line, sizeof line,
            "f() { (f %s &) ; exit; }; for i in 1 2 3 4 5 6 7 8; do (f %s &); done; sleep 5", p->tag, p->tag);
  time_out (p, line);
  assert_serves (p);
}

/* 256 processes in sessions of their own; most sleep. Behind a pid namespace others go on forking and ending:
 * without one, a walk over processes can miss who is there for an instant only. */
static void
a_fork_bomb_is_killed (void **state)
{
  struct peer *p = *state;
  const char *bomb =
    "import os,signal,time,sys\n"
    "signal.signal(signal.SIGTERM,signal.SIG_IGN)\n"
    "n=0\nme=0\n"
    "for i in range(8):\n"
    " if os.fork()==0: me|=1<<i\n"
    " if me%3==0: \n"
    "  try: os.setsid()\n"
    "  except OSError: pass\n"
    "if me%8==7 and sys.argv[2]=='1':\n"
    " while True:\n"
    "  if os.fork(): os._exit(0)\n"
    "os.execvp('sleep',['sleep',os.environ['TAG']])\n";
  const char *const argv[] = {
    "/usr/bin/python3", "/proc/self/fd/3", p->tag, p->hello_flags & HELLO_CLEAN_KILL ? "1" : "0", NULL
  };
  const struct exec_request request = { .argv = argv, .code = bomb, .code_size = strlen (bomb) };
  uint64_t id = peer_exec (p, &request), start;
  struct told *t;

  wait_for_processes (p->tag, 224);
  start = clock_ns ();
  peer_send_u32 (p, FRAME_KILL, 0, id, KILL_TIMEOUT);
  t = peer_wait_ms (p, id, 5000);
  print_message ("# killed in %u ms\n", (unsigned) ((clock_ns () - start) / 1000000));
  assert_int_equal (t->how, EXIT_TIMED_OUT);
  assert_int_equal (t->flags, 0);
  assert_no_process (p->tag);
  assert_serves (p);
}

/* The shepherd is the parent of the program. */
static void
a_killed_shepherd_takes_its_tree_with_it (void **state)
{
  struct peer *p = *state;
  uint64_t start = clock_ns ();
  struct told *t =
    peer_run (p, &(struct exec_request) {
                   .sh = "setsid sleep $TAG & (sleep $TAG &); echo begun; kill -9 $PPID; sleep $TAG",
                   .timeout_ns = 10 * SECOND });

  assert_int_equal (t->how, EXIT_SIGNALLED);
  assert_int_equal (t->code, SIGKILL);
  assert_text (t->out, "begun\n");
  assert_true (clock_ns () - start < 2 * SECOND);
  assert_int_equal (processes_with (p->tag), 0);
  assert_serves (p);
}

static void
other_executions_survive_a_killed_shepherd (void **state)
{
  struct peer *p = *state;
  uint64_t other = peer_exec (p, &(struct exec_request) { .sh = "sleep 1; echo real; exit 7" });
  struct told *t = peer_sh (p, "kill -9 $PPID; sleep $TAG");

  assert_int_equal (t->how, EXIT_SIGNALLED);
  t = peer_wait (p, other);
  assert_int_equal (t->how, EXIT_EXITED);
  assert_int_equal (t->code, 7);
  assert_text (t->out, "real\n");
}

static void
a_stopped_shepherd_does_not_delay_the_deadline (void **state)
{
  time_out (*state, "kill -STOP $PPID; sleep $TAG & sleep $TAG");
}

/* Without a deadline that would end it. */
static void
a_stopped_shepherd_does_not_delay_the_end (void **state)
{
  struct peer *p = *state;
  uint64_t start = clock_ns ();
  struct told *t = peer_sh (p, "kill -STOP $PPID; exit 3");

  assert_int_equal (t->how, EXIT_EXITED);
  assert_int_equal (t->code, 3);
  assert_true (clock_ns () - start < 2 * SECOND);
}

static void
a_shepherd_that_is_stopped_all_the_time_does_not_delay_the_end (void **state)
{
  struct peer *p = *state;
  uint64_t start = clock_ns ();
  struct told *t = peer_sh (p, "(while kill -STOP $PPID; do :; done) 2>/dev/null & sleep 0.1; exit 3");

  assert_int_equal (t->how, EXIT_EXITED);
  assert_int_equal (t->code, 3);
  assert_true (clock_ns () - start < 2 * SECOND);
  assert_serves (p);
}

/* As PID 1 also the runner is among them, and does not care. */
static void
stopped_ancestors_do_not_delay_the_deadline (void **state)
{
  struct peer *p = *state;

  time_out (p, "(while :; do echo x >beat; sleep .05; done)& p=$PPID; while [ \"${p:-0}\" -gt 0 ]; do kill "
               "-STOP $p 2>/dev/null; "
               "p=$(sed -n 's/^PPid:[^0-9]*//p' /proc/$p/status); done; sleep $TAG");
  assert_serves (p);
}

static void
sigterm_comes_first_where_there_is_a_grace (void **state)
{
  struct peer *p = *state;
  struct told *t =
    peer_run (p, &(struct exec_request) { .sh = "trap 'echo bye; exit 5' TERM; echo begun; sleep $TAG & wait",
                                          .timeout_ns = SECOND / 5,
                                          .grace_ns = 5 * SECOND });

  assert_int_equal (t->how, EXIT_TIMED_OUT);
  assert_text (t->out, "begun\nbye\n");
  assert_true (t->duration_ns < 2 * SECOND);
  assert_no_process (p->tag);
}

static void
the_grace_ends_with_sigkill (void **state)
{
  struct peer *p = *state;
  struct told *t = peer_run (
    p, &(struct exec_request) { .sh = "trap 'echo no' TERM; sleep $TAG & while :; do sleep .05; done",
                                .timeout_ns = SECOND / 5,
                                .grace_ns = SECOND / 2 });

  assert_int_equal (t->how, EXIT_TIMED_OUT);
  assert_text (t->out, "no\n");
  assert_true (t->duration_ns >= 7 * SECOND / 10 && t->duration_ns < 2 * SECOND);
  assert_no_process (p->tag);
}

static void
a_stopped_group_hears_sigterm (void **state)
{
  struct peer *p = *state;
  struct told *t =
    peer_run (p, &(struct exec_request) { .sh = "trap 'echo bye; exit 5' TERM; kill -STOP $$; sleep 9",
                                          .timeout_ns = SECOND / 5,
                                          .grace_ns = 5 * SECOND });

  assert_int_equal (t->how, EXIT_TIMED_OUT);
  assert_text (t->out, "bye\n");
}

static void
cancelling_kills_and_delivers_what_was_printed (void **state)
{
  struct peer *p = *state;
  uint64_t id = peer_exec (p, &(struct exec_request) { .sh = "seq 1 1000; setsid sleep $TAG & sleep $TAG" });
  struct told *t;

  while (peer_told (p, id)->out.size < 3893)
    peer_sh (p, "true");
  peer_send_u32 (p, FRAME_KILL, 0, id, KILL_CANCEL);
  t = peer_wait_ms (p, id, 3000);
  assert_int_equal (t->how, EXIT_CANCELLED);
  assert_int_equal (t->out.size, 3893);
  assert_no_process (p->tag);
  assert_serves (p);
}

static void
the_host_may_say_that_the_time_is_over (void **state)
{
  struct peer *p = *state;
  uint64_t id = peer_exec (p, &(struct exec_request) { .sh = "sleep $TAG" });
  struct told *t;

  peer_send_u32 (p, FRAME_KILL, 0, id, KILL_TIMEOUT);
  t = peer_wait_ms (p, id, 3000);
  assert_int_equal (t->how, EXIT_TIMED_OUT);
  assert_no_process (p->tag);
}

static void
what_was_not_started_can_be_cancelled (void **state)
{
  struct peer *p = *state;
  struct bytes spec = { 0 };
  uint64_t id = peer_exec (p, &(struct exec_request) { .sh = "true" }) + 1;
  struct told *t;

  peer_wait (p, id - 1);
  id = peer_file (p, FRAME_SPEC, NULL, 0, NULL, 0);
  peer_send_u32 (p, FRAME_KILL, 0, id, KILL_CANCEL);
  t = peer_wait (p, id);
  assert_int_equal (t->how, EXIT_CANCELLED);
  assert_int_equal (t->flags, EXIT_NOT_STARTED);
  put_field (&spec, EXEC_ARG, "true", 4);
  peer_send (p, FRAME_SPEC, 0, id, spec.data, spec.size);
  peer_send (p, FRAME_START, 0, id, NULL, 0);
  free (spec.data);
  assert_serves (p);
}

static void
many_deadlines_at_once (void **state)
{
  struct peer *p = *state;
  uint64_t ids[40], start = clock_ns ();

  for (int i = 0; i < 40; i++)
    ids[i] = peer_exec (
      p, &(struct exec_request) { .sh = "setsid sleep $TAG & sleep $TAG", .timeout_ns = SECOND / 2 });
  for (int i = 0; i < 40; i++)
    assert_int_equal (peer_wait (p, ids[i])->how, EXIT_TIMED_OUT);
  assert_true (clock_ns () - start < 3 * SECOND);
  assert_no_process (p->tag);
  assert_serves (p);
}

static void
background_processes_die_with_the_stream (void **state)
{
  struct peer *p = *state;

  assert_int_equal (peer_sh (p, "setsid sleep $TAG & (sleep $TAG &); exit 0")->flags, EXIT_SURVIVORS);
  peer_exec (p, &(struct exec_request) { .sh = "trap '' TERM; setsid sleep $TAG & sleep $TAG" });
  assert_serves (p);
  wait_for_processes (p->tag, 4);
  close (p->fd);
  p->fd = -1;
  assert_no_process (p->tag);
}

static void
bye_kills_everything (void **state)
{
  struct peer *p = *state;

  peer_sh (p, "setsid sleep $TAG & (sleep $TAG &); exit 0");
  peer_exec (p, &(struct exec_request) { .sh = "sleep $TAG" });
  peer_send (p, FRAME_BYE, 0, 0, NULL, 0);
  peer_wait_over (p);
  assert_no_process (p->tag);
}

static void
a_runner_that_is_killed_leaves_nothing (void **state)
{
  struct peer *p = *state;

  peer_sh (p, "setsid sleep $TAG & (sleep $TAG &); exit 0");
  peer_exec (p, &(struct exec_request) { .sh = "sleep $TAG & sleep $TAG" });
  assert_serves (p);
  kill (p->pid, SIGKILL);
  assert_no_process (p->tag);
}

/* The stream stays open in another process; the pidfd alone tells. */
static void
the_hosts_death_is_seen_through_its_pidfd (void **state)
{
  int pid1 = *state != NULL;
  pid_t host = fork ();
  struct peer *p;
  int pidfd;

  if (host == 0) {
    prctl (PR_SET_PDEATHSIG, SIGKILL);  /* of a test that fails, too */
    pause ();
    _exit (0);
  }
  pidfd = (int) syscall (SYS_pidfd_open, host, 0);
  if (pidfd < 0) {
    print_message ("# no pidfd here\n");
    kill (host, SIGKILL);
    waitpid (host, NULL, 0);
    return;
  }
  p = peer_start (&(struct peer_setup) { .pid1 = pid1, .host_pidfd = pidfd });
  close (pidfd);
  peer_sh (p, "setsid sleep $TAG & exit 0");
  wait_for_processes (p->tag, 1);
  kill (host, SIGKILL);
  waitpid (host, NULL, 0);
  peer_wait_over (p);
  assert_no_process (p->tag);
  peer_stop (p);
}

/* With privileges the runner makes a /proc of its own. Otherwise it says that it is no clean kill, and
 * what then can be killed is the program's group. */
static void
without_proc_the_deadline_still_holds (void **state)
{
  struct peer *p = peer_start (&(struct peer_setup) { .pid1 = 1, .no_proc = 1 });
  uint64_t start = clock_ns ();
  uint32_t clean = p->hello_flags & HELLO_CLEAN_KILL;
  struct told *t;

  (void) state;
  assert_int_equal (p->hello_flags & HELLO_PID1, HELLO_PID1);
  t = peer_run (
    p, &(struct exec_request) { .sh = "echo begun; sleep $TAG & sleep $TAG", .timeout_ns = SECOND / 2 });
  assert_int_equal (t->how, EXIT_TIMED_OUT);
  assert_text (t->out, "begun\n");
  assert_int_equal (t->flags, 0);
  assert_true (clock_ns () - start < 3 * SECOND);
  assert_no_process (p->tag);
  start = clock_ns ();
  t =
    peer_run (p, &(struct exec_request) { .sh = "setsid sleep $TAG & sleep $TAG", .timeout_ns = SECOND / 2 });
  assert_int_equal (t->how, EXIT_TIMED_OUT);
  assert_int_equal (t->flags, clean ? 0 : EXIT_SURVIVORS);
  assert_int_equal (processes_with (p->tag), clean ? 0 : 1);
  assert_true (clock_ns () - start < (clean ? 3 : 8) * SECOND);
  assert_serves (p);
  peer_send (p, FRAME_BYE, 0, 0, NULL, 0);
  assert_no_process (p->tag);
  peer_stop (p);
}

static int
no_setup (void **state)
{
  *state = NULL;
  return 0;
}

int
main (void)
{
  struct CMUnitTest tests[] = {
    BOTH (a_program_is_killed_at_its_deadline),
    BOTH (a_child_that_holds_the_pipes_does_not_delay_the_deadline),
    BOTH (a_program_that_ignores_sigterm_is_killed_at_its_deadline),
    BOTH (a_stopped_program_is_killed_at_its_deadline),
    BOTH (setsid_does_not_escape_the_deadline),
    BOTH (a_double_fork_does_not_escape_the_deadline),
    BOTH (a_main_process_that_is_gone_leaves_no_deadline),
    AS_PID1 (fork_chains_are_killed),
    BOTH (a_fork_bomb_is_killed),
    BOTH (a_killed_shepherd_takes_its_tree_with_it),
    BOTH (other_executions_survive_a_killed_shepherd),
    BOTH (a_stopped_shepherd_does_not_delay_the_deadline),
    BOTH (a_stopped_shepherd_does_not_delay_the_end),
    BOTH (a_shepherd_that_is_stopped_all_the_time_does_not_delay_the_end),
    AS_PID1 (stopped_ancestors_do_not_delay_the_deadline),
    BOTH (sigterm_comes_first_where_there_is_a_grace),
    BOTH (the_grace_ends_with_sigkill),
    BOTH (a_stopped_group_hears_sigterm),
    BOTH (cancelling_kills_and_delivers_what_was_printed),
    BOTH (the_host_may_say_that_the_time_is_over),
    BOTH (what_was_not_started_can_be_cancelled),
    BOTH (many_deadlines_at_once),
    BOTH (background_processes_die_with_the_stream),
    BOTH (bye_kills_everything),
    BOTH (a_runner_that_is_killed_leaves_nothing),
    { "the_hosts_death_is_seen_through_its_pidfd", the_hosts_death_is_seen_through_its_pidfd, no_setup, NULL,
      NULL },
    AS_PID1 (the_hosts_death_is_seen_through_its_pidfd),
    AS_PID1 (without_proc_the_deadline_still_holds),
  };

  return peer_run_tests ("runner-kill", tests, sizeof tests / sizeof *tests);
}
