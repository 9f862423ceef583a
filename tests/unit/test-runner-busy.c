/* SPDX-License-Identifier: Apache-2.0 */
/* The runner's client when much goes on at once: many threads, slow sinks, standard input, cancel wishes,
 * quiet. */
#include "config.h"
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>
#include "fake-runner.h"

/* Answers every START as the script of most tests: prints its id, exits 0. */
static void
serve (struct fake *f)
{
  char text[32];
  while (fake_next (f))
    if (f->frame.type == FRAME_START) {
      uint64_t id = f->frame.id;
      fake_say_u32 (f, FRAME_STARTED, 0, id, 42);
      snprintf (text, sizeof text, "%llu", (unsigned long long) id);
      fake_say_text (f, STREAM_STDOUT, id, text);
      fake_say_exit (f, id, EXIT_EXITED, 0, 0);
    }
}

static enum ak_status
execute (struct runner *r, const struct ak_exec *exec, unsigned deadline_ms, const struct runner_io *io,
         struct ak_outcome *outcome, struct ak_error **error)
{
  struct stop stop;
  memset (outcome, 0, sizeof *outcome);
  ak_stop_init (&stop, deadline_ms ? ak_now_ns () + deadline_ms * (uint64_t) MS : 0, NULL);
  enum ak_status status = ak_runner_execute (r, exec, &stop, io, NULL, NULL, outcome, error);
  ak_stop_done (&stop);
  return status;
}

/* Reads standard input to its end, giving credit. */
static void
swallow (struct fake *f)
{
  fake_until (f, FRAME_START);
  fake_say_u32 (f, FRAME_STARTED, 0, 1, 42);
  while (fake_next (f) && f->frame.type != FRAME_EOF)
    if (f->frame.type == FRAME_DATA)
      fake_say_u32 (f, FRAME_CREDIT, STREAM_STDIN, 1, f->frame.size);
  fake_say_exit (f, 1, EXIT_EXITED, 0, 0);
  fake_drain (f);
}

static enum ak_status
execute_with_stdin (struct fake *f, int fd, unsigned deadline_ms, struct ak_outcome *o)
{
  const char *argv[] = { "cat", NULL };
  struct ak_exec exec = { .struct_size = sizeof exec, .argv = argv };
  struct printed p;
  struct runner_io io = fake_io (&p);
  io.stdin_fd = fd;
  enum ak_status status = execute (f->runner, &exec, deadline_ms, &io, o, NULL);
  fake_printed_clear (&p);
  return status;
}

static void
standard_input_goes_over_from_any_kind_of_descriptor (void **state)
{
  static struct fake f;
  struct ak_outcome o;
  size_t n;
  (void) state;
  for (int kind = 0; kind < 4; kind++) {
    int fds[2] = { -1, -1 };
    size_t size = 5000;
    if (kind == 0) {
      size = 5u << 20;
      fds[0] = memfd_create ("input", MFD_CLOEXEC);
      assert_int_equal (ftruncate (fds[0], (off_t) size), 0);
    } else if (kind == 3) {
      size = 0;
      fds[0] = open ("/dev/null", O_RDONLY | O_CLOEXEC);
    } else {
      assert_int_equal (kind == 1 ? pipe2 (fds, O_CLOEXEC) : socketpair (AF_UNIX, SOCK_STREAM, 0, fds), 0);
      char bytes[5000] = "";
      assert_int_equal (write (fds[1], bytes, sizeof bytes), sizeof bytes);
      close (fds[1]);
    }
    int flags = fcntl (fds[0], F_GETFL);
    fake_connect (&f, 0, swallow, NULL, 0);
    assert_int_equal (execute_with_stdin (&f, fds[0], 20000, &o), AK_STATUS_OK);
    fake_join (&f);
    assert_int_equal (o.how, AK_EXITED);
    assert_int_equal (f.input, size);
    assert_int_equal (f.eofs, 1);
    assert_int_equal (ak_wire_u32 (fake_field (&f, EXEC_STDIN, 0, &n)), 1);
    assert_int_equal (fcntl (fds[0], F_GETFL), flags);
    close (fds[0]);
    fake_clear (&f);
  }
}

static void
hold_input (struct fake *f)
{
  struct pollfd p = { .fd = f->in, .events = POLLIN };
  fake_until (f, FRAME_START);
  fake_say_u32 (f, FRAME_STARTED, 0, 1, 42);
  while (poll (&p, 1, 150) == 1 && fake_next (f))
    ;
  fake_say_exit (f, 1, EXIT_EXITED, 0, 0);
  fake_drain (f);
}

static void
standard_input_stops_where_the_credit_ends (void **state)
{
  static struct fake f;
  struct ak_outcome o;
  (void) state;
  int fd = open ("/dev/zero", O_RDONLY | O_CLOEXEC);
  fake_connect (&f, 0, hold_input, NULL, 0);
  assert_int_equal (execute_with_stdin (&f, fd, 20000, &o), AK_STATUS_OK);
  fake_join (&f);
  close (fd);
  assert_int_equal (o.how, AK_EXITED);
  assert_int_equal (f.input, CREDIT_START);
  assert_int_equal (f.eofs, 0);
  fake_clear (&f);
}

static void
standard_input_that_nobody_writes_does_not_delay_the_end (void **state)
{
  static struct fake f;
  struct ak_outcome o;
  int fds[2];
  (void) state;
  assert_int_equal (pipe2 (fds, O_CLOEXEC), 0);
  fake_connect (&f, 0, serve, NULL, 0);
  uint64_t start = ak_now_ns ();
  assert_int_equal (execute_with_stdin (&f, fds[0], 20000, &o), AK_STATUS_OK);
  assert_in_range (fake_ms_since (start), 0, 5000);
  fake_join (&f);
  assert_int_equal (o.how, AK_EXITED);
  close (fds[0]);
  close (fds[1]);
  fake_clear (&f);
}

static void
obey_kill (struct fake *f)
{
  fake_until (f, FRAME_START);
  fake_say_u32 (f, FRAME_STARTED, 0, 1, 42);
  fake_say_text (f, STREAM_STDOUT, 1, "before");
  if (fake_until (f, FRAME_KILL))
    fake_say_exit (f, 1, EXIT_CANCELLED, 0, 0);
  fake_drain (f);
}

static void *
fire_soon (void *cancel)
{
  usleep (50000);
  ak_cancel_fire (cancel);
  return NULL;
}

static void
a_cancel_kills_and_keeps_what_was_printed (void **state)
{
  static struct fake f;
  struct printed p;
  struct ak_outcome o;
  pthread_t thread;
  (void) state;
  struct ak_cancel *cancel = ak_cancel_new ();
  fake_connect (&f, 0, obey_kill, NULL, 0);
  uint64_t start = ak_now_ns ();
  pthread_create (&thread, NULL, fire_soon, cancel);
  assert_int_equal (fake_execute (&f, 60000, cancel, &p, &o, NULL), AK_STATUS_OK);
  assert_in_range (fake_ms_since (start), 50, 5000);
  pthread_join (thread, NULL);
  assert_int_equal (ak_runner_is_lost (f.runner), 0);
  fake_join (&f);
  assert_int_equal (o.how, AK_CANCELLED);
  assert_int_equal (o.unconfirmed, 0);
  assert_int_equal (f.kills, 1);
  assert_int_equal (f.kill_reason, KILL_CANCEL);
  assert_string_equal (p.text, "1:before");
  fake_printed_clear (&p);
  fake_clear (&f);
  ak_cancel_free (cancel);
}

static int
write_refused (void *data, uint32_t stream, const void *bytes, size_t size)
{
  (void) stream, (void) bytes, (void) size;
  ++*(int *) data;
  return -1;
}

static void
a_sink_that_refuses_cancels (void **state)
{
  static struct fake f;
  struct ak_outcome o;
  const char *argv[] = { "yes", NULL };
  struct ak_exec exec = { .struct_size = sizeof exec, .argv = argv };
  int calls = 0;
  struct runner_io io = { .data = &calls, .write = write_refused, .stdin_fd = -1 };
  (void) state;
  fake_connect (&f, 0, obey_kill, NULL, 0);
  assert_int_equal (execute (f.runner, &exec, 60000, &io, &o, NULL), AK_STATUS_OK);
  fake_join (&f);
  assert_int_equal (o.how, AK_CANCELLED);
  assert_int_equal (calls, 1);
  assert_int_equal (f.kill_reason, KILL_CANCEL);
  fake_clear (&f);
}

static void
what_is_over_before_it_begins_sends_nothing (void **state)
{
  static struct fake f;
  struct printed p;
  struct ak_outcome o;
  struct stop stop;
  const char *argv[] = { "true", NULL };
  struct ak_exec exec = { .struct_size = sizeof exec, .argv = argv };
  (void) state;
  struct ak_cancel *cancel = ak_cancel_new ();
  ak_cancel_fire (cancel);
  fake_connect (&f, 0, serve, NULL, 0);
  assert_int_equal (fake_execute (&f, 0, cancel, &p, &o, NULL), AK_STATUS_OK);
  assert_int_equal (o.how, AK_CANCELLED);
  assert_int_equal (o.unconfirmed, 0);
  ak_stop_init (&stop, 1, NULL);
  struct runner_io io = { .stdin_fd = -1 };
  int kills = 0;
  assert_int_equal (ak_runner_execute (f.runner, &exec, &stop, &io, fake_hard_kill, &kills, &o, NULL),
                    AK_STATUS_OK);
  assert_int_equal (o.how, AK_TIMED_OUT);
  assert_int_equal (o.unconfirmed, 0);
  assert_int_equal (kills, 0);
  assert_int_equal (ak_runner_is_lost (f.runner), 0);
  fake_join (&f);
  assert_int_equal (f.seen, 2);
  fake_printed_clear (&p);
  ak_stop_done (&stop);
  ak_cancel_free (cancel);
}

static void
leave_at_once (struct fake *f)
{
  (void) f;
}

static void
a_runner_that_left_before_the_start_is_gone (void **state)
{
  static struct fake f;
  struct printed p;
  struct ak_outcome o;
  (void) state;
  for (int pipes = 0; pipes < 2; pipes++) {
    struct ak_error *error = NULL;
    fake_connect (&f, pipes, leave_at_once, NULL, 0);
    pthread_join (f.thread, NULL);
    assert_int_equal (fake_execute (&f, 0, NULL, &p, &o, &error), AK_STATUS_GONE);
    assert_string_equal (ak_error_text (error), "runner: the stream ended");
    assert_int_equal (ak_runner_is_lost (f.runner), 1);
    assert_string_equal (ak_runner_lost_reason (f.runner), "the stream ended");
    ak_error_free (error);
    ak_runner_close (f.runner);
    fake_printed_clear (&p);
  }
}

static void
a_runner_that_leaves_is_seen_without_an_operation (void **state)
{
  static struct fake f;
  (void) state;
  fake_connect (&f, 0, leave_at_once, NULL, 0);
  pthread_join (f.thread, NULL);
  assert_int_equal (ak_runner_is_lost (f.runner), 1);
  ak_runner_close (f.runner);
}

static void
ping_twice (struct fake *f)
{
  fake_until (f, FRAME_START);
  fake_say_u32 (f, FRAME_STARTED, 0, 1, 42);
  fake_say (f, FRAME_PING, 0, 0, "12345678", 8);
  fake_until (f, FRAME_PONG);
  if (!memcmp (f->payload, "12345678", 8))
    fake_say_exit (f, 1, EXIT_EXITED, 0, 0);
  fake_drain (f);
}

static void
a_ping_is_answered_with_its_bytes (void **state)
{
  static struct fake f;
  struct printed p;
  struct ak_outcome o;
  (void) state;
  fake_connect (&f, 0, ping_twice, NULL, 0);
  assert_int_equal (fake_execute (&f, 20000, NULL, &p, &o, NULL), AK_STATUS_OK);
  fake_join (&f);
  assert_int_equal (o.how, AK_EXITED);
  assert_int_equal (f.pongs, 1);
  fake_printed_clear (&p);
  fake_clear (&f);
}

static void
answer_pings (struct fake *f)
{
  unsigned pings = 0;
  fake_until (f, FRAME_START);
  fake_say_u32 (f, FRAME_STARTED, 0, 1, 42);
  while (pings < 6 && fake_until (f, FRAME_PING)) {
    fake_say (f, FRAME_PONG, 0, 0, f->payload, 8);
    pings++;
  }
  fake_say_exit (f, 1, EXIT_EXITED, 0, 0);
  fake_drain (f);
}

static void
a_quiet_runner_that_answers_pings_is_not_lost (void **state)
{
  static struct fake f;
  struct printed p;
  struct ak_outcome o;
  struct runner_times times = ak_runner_times;
  (void) state;
  ak_runner_times.ping_ns = 50 * MS;
  ak_runner_times.silence_ns = 150 * MS;
  fake_connect (&f, 0, answer_pings, NULL, 0);
  ak_runner_times = times;
  uint64_t start = ak_now_ns ();
  assert_int_equal (fake_execute (&f, 20000, NULL, &p, &o, NULL), AK_STATUS_OK);
  assert_in_range (fake_ms_since (start), 300, 5000);
  fake_join (&f);
  assert_int_equal (o.how, AK_EXITED);
  fake_printed_clear (&p);
  fake_clear (&f);
}

/* Many at once, each of 20 executions, answered in the order in which they come or late. */
static void
serve_late (struct fake *f)
{
  uint64_t held[8];
  size_t n = 0;
  char text[32];
  while (fake_next (f)) {
    if (f->frame.type != FRAME_START)
      continue;
    held[n++] = f->frame.id;
    struct pollfd p = { .fd = f->in, .events = POLLIN };
    if (n < 8 && poll (&p, 1, 1) == 1)
      continue;
    while (n) {
      uint64_t id = held[--n];
      fake_say_u32 (f, FRAME_STARTED, 0, id, 42);
      snprintf (text, sizeof text, "%llu", (unsigned long long) id);
      fake_say_text (f, STREAM_STDERR, id, text);
      fake_say_exit (f, id, EXIT_EXITED, (uint32_t) id & 0xff, 0);
    }
  }
}

static atomic_int wrong;

static void *
execute_twenty (void *data)
{
  struct fake *f = data;
  for (int i = 0; i < 20; i++) {
    struct printed p;
    struct ak_outcome o;
    enum ak_status status = fake_execute (f, 60000, NULL, &p, &o, NULL);
    if (status != AK_STATUS_OK || o.how != AK_EXITED || p.last != 2
        || (strtoul (p.text + 2, NULL, 10) & 0xff) != (unsigned) o.code)
      atomic_fetch_add (&wrong, 1);
    fake_printed_clear (&p);
  }
  return NULL;
}

static void
thirty_two_threads_share_a_connection (void **state)
{
  static struct fake f;
  pthread_t threads[32];
  (void) state;
  for (int pipes = 0; pipes < 2; pipes++) {
    fake_connect (&f, pipes, serve_late, NULL, 0);
    for (int i = 0; i < 32; i++)
      pthread_create (&threads[i], NULL, execute_twenty, &f);
    for (int i = 0; i < 32; i++)
      pthread_join (threads[i], NULL);
    assert_int_equal (atomic_load (&wrong), 0);
    assert_int_equal (ak_runner_is_lost (f.runner), 0);
    fake_join (&f);
    fake_clear (&f);
  }
}

struct gate {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  int inside, open;
};

static int
write_at_gate (void *data, uint32_t stream, const void *bytes, size_t size)
{
  struct gate *g = data;
  (void) stream, (void) bytes, (void) size;
  pthread_mutex_lock (&g->lock);
  g->inside = 1;
  pthread_cond_broadcast (&g->changed);
  while (!g->open)
    pthread_cond_wait (&g->changed, &g->lock);
  pthread_mutex_unlock (&g->lock);
  return 0;
}

struct slow {
  struct runner *runner;
  unsigned deadline_ms;
  struct gate gate;
  struct ak_outcome outcome;
};

static void *
execute_slowly (void *data)
{
  struct slow *s = data;
  const char *argv[] = { "true", NULL };
  struct ak_exec exec = { .struct_size = sizeof exec, .argv = argv };
  struct runner_io io = { .data = &s->gate, .write = write_at_gate, .stdin_fd = -1 };
  execute (s->runner, &exec, s->deadline_ms, &io, &s->outcome, NULL);
  return NULL;
}

static void
a_sink_that_blocks_holds_up_nobody_else (void **state)
{
  static struct fake f;
  pthread_t thread;
  struct printed p;
  struct ak_outcome o;
  struct slow s = { .deadline_ms = 100,
                    .gate = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0 } };
  (void) state;
  fake_connect (&f, 0, serve, NULL, 0);
  s.runner = f.runner;
  pthread_create (&thread, NULL, execute_slowly, &s);
  pthread_mutex_lock (&s.gate.lock);
  while (!s.gate.inside)
    pthread_cond_wait (&s.gate.changed, &s.gate.lock);
  pthread_mutex_unlock (&s.gate.lock);
  for (int i = 0; i < 50; i++) {
    assert_int_equal (fake_execute (&f, 20000, NULL, &p, &o, NULL), AK_STATUS_OK);
    assert_int_equal (o.how, AK_EXITED);
    fake_printed_clear (&p);
  }
  /* Long after its deadline: its end has come and was not read. It counts. */
  usleep (700000);
  pthread_mutex_lock (&s.gate.lock);
  s.gate.open = 1;
  pthread_cond_broadcast (&s.gate.changed);
  pthread_mutex_unlock (&s.gate.lock);
  pthread_join (thread, NULL);
  assert_int_equal (s.outcome.how, AK_EXITED);
  assert_int_equal (ak_runner_is_lost (f.runner), 0);
  fake_join (&f);
  fake_clear (&f);
}

/* Two executions: the first prints and, told so, ends; the second ends a while later. */
static void
end_one_by_one (struct fake *f)
{
  const int *ends_first = f->data;
  for (int i = 0; i < 2 && fake_until (f, FRAME_START); i++)
    fake_say_u32 (f, FRAME_STARTED, 0, f->frame.id, 42);
  usleep (50000);       /* both sleep again */
  fake_say_text (f, STREAM_STDOUT, 1, "x");
  if (*ends_first)
    fake_say_exit (f, 1, EXIT_EXITED, 0, 0);
  usleep (100000);
  fake_say_exit (f, 2, EXIT_EXITED, 0, 0);
}

static void
who_leads_hands_over_when_it_ends_or_is_held_up (void **state)
{
  static struct fake f;
  (void) state;
  for (int ends_first = 0; ends_first < 2; ends_first++) {
    pthread_t thread;
    struct printed p;
    struct ak_outcome o;
    struct slow s = { .gate = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, ends_first } };
    fake_connect (&f, 0, end_one_by_one, &ends_first, 0);
    s.runner = f.runner;
    s.deadline_ms = 20000;
    pthread_create (&thread, NULL, execute_slowly, &s);
    for (int led = 0; !led; usleep (1000)) {
      pthread_mutex_lock (&f.runner->lock);
      led = f.runner->leader_sleeps;
      pthread_mutex_unlock (&f.runner->lock);
    }
    uint64_t start = ak_now_ns ();
    assert_int_equal (fake_execute (&f, 10000, NULL, &p, &o, NULL), AK_STATUS_OK);
    assert_in_range (fake_ms_since (start), 100, 3000);
    assert_int_equal (o.how, AK_EXITED);
    pthread_mutex_lock (&s.gate.lock);
    s.gate.open = 1;
    pthread_cond_broadcast (&s.gate.changed);
    pthread_mutex_unlock (&s.gate.lock);
    pthread_join (thread, NULL);
    fake_join (&f);
    assert_int_equal (s.outcome.how, ends_first ? AK_EXITED : AK_LOST);
    fake_printed_clear (&p);
    fake_clear (&f);
  }
}

static int
write_once_slowly (void *data, uint32_t stream, const void *bytes, size_t size)
{
  (void) data, (void) stream, (void) bytes, (void) size;
  usleep (1500000);
  return 0;
}

static void
two_words (struct fake *f)
{
  fake_until (f, FRAME_START);
  fake_say_u32 (f, FRAME_STARTED, 0, 1, 42);
  fake_say_text (f, STREAM_STDOUT, 1, "now");
  usleep (50000);
  fake_say_text (f, STREAM_STDOUT, 1, "later");
  fake_say_exit (f, 1, EXIT_EXITED, 3, 0);
  fake_drain (f);
}

static void
an_end_that_waited_behind_a_slow_sink_is_no_timeout (void **state)
{
  static struct fake f;
  struct ak_outcome o;
  const char *argv[] = { "true", NULL };
  struct ak_exec exec = { .struct_size = sizeof exec, .argv = argv };
  struct runner_io io = { .write = write_once_slowly, .stdin_fd = -1 };
  (void) state;
  fake_connect (&f, 0, two_words, NULL, 0);
  assert_int_equal (execute (f.runner, &exec, 300, &io, &o, NULL), AK_STATUS_OK);
  fake_join (&f);
  assert_int_equal (o.how, AK_EXITED);
  assert_int_equal (o.code, 3);
  fake_clear (&f);
}

static void
close_leaves_no_descriptor_and_says_bye (void **state)
{
  static struct fake f;
  struct printed p;
  struct ak_outcome o;
  (void) state;
  unsigned before = fake_open_descriptors ();
  for (int pipes = 0; pipes < 2; pipes++) {
    fake_connect (&f, pipes, serve_late, NULL, 0);
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
      pthread_create (&threads[i], NULL, execute_twenty, &f);
    for (int i = 0; i < 4; i++)
      pthread_join (threads[i], NULL);
    assert_int_equal (fake_execute (&f, 0, NULL, &p, &o, NULL), AK_STATUS_OK);
    fake_printed_clear (&p);
    fake_join (&f);
    assert_int_equal (f.frame.type, FRAME_BYE);
    fake_clear (&f);
  }
  assert_int_equal (fake_open_descriptors (), before);
}

static void
a_broken_pipe_raises_no_signal (void **state)
{
  static struct fake f;
  struct printed p;
  struct ak_outcome o;
  (void) state;
  assert_true (signal (SIGPIPE, SIG_DFL) == SIG_DFL);
  fake_connect (&f, 1, leave_at_once, NULL, 0);
  pthread_join (f.thread, NULL);
  f.runner->greeted = 0;        /* so that it does not look before it writes */
  assert_int_equal (fake_execute (&f, 0, NULL, &p, &o, NULL), AK_STATUS_GONE);
  ak_runner_close (f.runner);
  sigset_t pending;
  sigpending (&pending);
  assert_int_equal (sigismember (&pending, SIGPIPE), 0);
  fake_printed_clear (&p);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (standard_input_goes_over_from_any_kind_of_descriptor),
    cmocka_unit_test (standard_input_stops_where_the_credit_ends),
    cmocka_unit_test (standard_input_that_nobody_writes_does_not_delay_the_end),
    cmocka_unit_test (a_cancel_kills_and_keeps_what_was_printed),
    cmocka_unit_test (a_sink_that_refuses_cancels),
    cmocka_unit_test (what_is_over_before_it_begins_sends_nothing),
    cmocka_unit_test (a_runner_that_left_before_the_start_is_gone),
    cmocka_unit_test (a_runner_that_leaves_is_seen_without_an_operation),
    cmocka_unit_test (a_ping_is_answered_with_its_bytes),
    cmocka_unit_test (a_quiet_runner_that_answers_pings_is_not_lost),
    cmocka_unit_test (thirty_two_threads_share_a_connection),
    cmocka_unit_test (a_sink_that_blocks_holds_up_nobody_else),
    cmocka_unit_test (who_leads_hands_over_when_it_ends_or_is_held_up),
    cmocka_unit_test (an_end_that_waited_behind_a_slow_sink_is_no_timeout),
    cmocka_unit_test (close_leaves_no_descriptor_and_says_bye),
    cmocka_unit_test (a_broken_pipe_raises_no_signal),
  };
  return cmocka_run_group_tests_name ("runner-busy", tests, NULL, NULL);
}
