/* SPDX-License-Identifier: Apache-2.0 */
/* The runner's client against runners that fall silent, stall or flood: the caller is back in time. */
#include "config.h"
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>
#include "fake-runner.h"

/* Times of a tenth, for what would take 15 seconds. */
static struct runner_times true_times;

static int
shorten (void **state)
{
  (void) state;
  true_times = ak_runner_times;
  ak_runner_times = (struct runner_times) { .hello_ns = 300 * MS, .ping_ns = 200 * MS, .silence_ns = 600 * MS,
                                            .kill_ns = 200 * MS, .file_ns = 200 * MS };
  return 0;
}

static int
restore (void **state)
{
  (void) state;
  ak_runner_times = true_times;
  return 0;
}

/* Says that it has started, then nothing more; reads all. */
static void
fall_silent (struct fake *f)
{
  fake_until (f, FRAME_START);
  fake_say_u32 (f, FRAME_STARTED, 0, 1, 42);
  fake_say_text (f, STREAM_STDOUT, 1, "last words");
  fake_drain (f);
}

static void
silence_loses_the_sandbox (void **state)
{
  static struct fake f;
  struct printed p;
  struct ak_outcome o;
  (void) state;
  fake_connect (&f, 0, fall_silent, NULL, 0);
  uint64_t start = ak_now_ns ();
  assert_int_equal (fake_execute (&f, 0, NULL, &p, &o, NULL), AK_STATUS_OK);
  assert_in_range (fake_ms_since (start), 600, 2000);
  assert_int_equal (o.how, AK_LOST);
  assert_string_equal (ak_runner_lost_reason (f.runner), "it said nothing for 600 ms");
  assert_string_equal (p.text, "1:last words");
  fake_printed_clear (&p);
  fake_join (&f);
  fake_clear (&f);
}

/* A byte at a time is no frame, and so no sign of life. */
static void
drip (struct fake *f)
{
  uint8_t head[16] = { 0, 255, 0, 0, FRAME_DATA, 0, STREAM_STDOUT, 0, 1 };
  struct pollfd p = { .fd = f->in, .events = POLLIN };
  fake_until (f, FRAME_START);
  fake_say_u32 (f, FRAME_STARTED, 0, 1, 42);
  fake_raw (f, head, sizeof head);
  for (;;) {
    fake_raw (f, "x", 1);
    if (poll (&p, 1, 20) == 1 && !fake_next (f))
      return;
  }
}

static void
a_byte_now_and_then_is_silence_too (void **state)
{
  static struct fake f;
  struct printed p;
  struct ak_outcome o;
  (void) state;
  fake_connect (&f, 0, drip, NULL, 0);
  uint64_t start = ak_now_ns ();
  assert_int_equal (fake_execute (&f, 0, NULL, &p, &o, NULL), AK_STATUS_OK);
  assert_in_range (fake_ms_since (start), 600, 2000);
  assert_int_equal (o.how, AK_LOST);
  fake_printed_clear (&p);
  fake_join (&f);
  fake_clear (&f);
}

static int
write_slowly (void *data, uint32_t stream, const void *bytes, size_t size)
{
  (void) data, (void) stream, (void) bytes, (void) size;
  usleep (900000);
  return 0;
}

static void
speak_late (struct fake *f)
{
  fake_until (f, FRAME_START);
  fake_say_u32 (f, FRAME_STARTED, 0, 1, 42);
  fake_say_text (f, STREAM_STDOUT, 1, "x");
  usleep (1100000);
  fake_say_exit (f, 1, EXIT_EXITED, 0, 0);
  fake_drain (f);
}

static void
silence_proves_nothing_while_nobody_listens (void **state)
{
  static struct fake f;
  struct ak_outcome o = { 0 };
  struct stop stop;
  const char *argv[] = { "true", NULL };
  struct ak_exec exec = { .struct_size = sizeof exec, .argv = argv };
  struct runner_io io = { .write = write_slowly, .stdin_fd = -1 };
  (void) state;
  ak_stop_init (&stop, 0, NULL);
  fake_connect (&f, 0, speak_late, NULL, 0);
  assert_int_equal (ak_runner_execute (f.runner, &exec, &stop, &io, NULL, NULL, &o, NULL), AK_STATUS_OK);
  assert_int_equal (o.how, AK_EXITED);
  fake_join (&f);
  fake_clear (&f);
  ak_stop_done (&stop);
}

static void
flood_of_pings (struct fake *f)
{
  fake_until (f, FRAME_START);
  fake_say_u32 (f, FRAME_STARTED, 0, 1, 42);
  for (int i = 0; i < 1000000; i++) {
    fake_say (f, FRAME_PING, 0, 0, "12345678", 8);
    while (i % 100 == 0 && recv (f->in, f->payload, sizeof f->payload, MSG_DONTWAIT) > 0)
      ;                 /* so that it is not the answers that stall */
  }
}

static void
a_flood_of_frames_that_bring_nothing_loses_the_sandbox (void **state)
{
  static struct fake f;
  struct printed p;
  struct ak_outcome o;
  (void) state;
  fake_connect (&f, 0, flood_of_pings, NULL, 0);
  uint64_t start = ak_now_ns ();
  assert_int_equal (fake_execute (&f, 0, NULL, &p, &o, NULL), AK_STATUS_OK);
  assert_in_range (fake_ms_since (start), 0, 2000);
  assert_int_equal (o.how, AK_LOST);
  assert_string_equal (ak_runner_lost_reason (f.runner),
                       "it floods the connection with frames that bring nothing");
  fake_printed_clear (&p);
  fake_join (&f);
  fake_clear (&f);
}

/* Runs with a deadline against this script; the ladder's end must be reached in time. */
static void
climb (void (*script) (struct fake *), unsigned deadline_ms, struct ak_cancel *cancel, size_t code_size,
       int (*hard_kill) (void *), int *kills, struct ak_outcome *o, unsigned at_most_ms)
{
  static struct fake f;
  struct stop stop;
  struct printed p;
  struct runner_io io = fake_io (&p);
  char *code = calloc (1, code_size + 1);
  struct ak_exec exec = { .struct_size = sizeof exec,
                          .language = "python",
                          .code = code,
                          .code_size = code_size,
                          .term_grace_ns = 50 * MS };
  memset (o, 0, sizeof *o);
  fake_connect (&f, 0, script, NULL, 0);
  ak_stop_init (&stop, deadline_ms ? ak_now_ns () + deadline_ms * (uint64_t) MS : 0, cancel);
  uint64_t start = ak_now_ns ();
  assert_int_equal (ak_runner_execute (f.runner, &exec, &stop, &io, hard_kill, kills, o, NULL), AK_STATUS_OK);
  assert_in_range (fake_ms_since (start), deadline_ms, at_most_ms);
  assert_int_equal (ak_runner_is_lost (f.runner), 1);
  fake_join (&f);
  fake_clear (&f);
  fake_printed_clear (&p);
  ak_stop_done (&stop);
  free (code);
}

static void
a_deadline_that_the_runner_ignores_ends_in_one_hard_kill (void **state)
{
  struct ak_outcome o;
  int kills = 0;
  (void) state;
  climb (fall_silent, 100, NULL, 0, fake_hard_kill, &kills, &o, 1000);
  assert_int_equal (o.how, AK_TIMED_OUT);
  assert_int_equal (o.unconfirmed, 0);
  assert_int_equal (kills, 1);
  climb (fall_silent, 100, NULL, 0, fake_hard_kill_fails, &kills, &o, 1000);
  assert_int_equal (o.how, AK_TIMED_OUT);
  assert_int_equal (o.unconfirmed, 1);
  assert_int_equal (kills, 2);
  climb (fall_silent, 100, NULL, 0, NULL, NULL, &o, 1000);
  assert_int_equal (o.how, AK_TIMED_OUT);
  assert_int_equal (o.unconfirmed, 1);
}

static void *
fire_soon (void *cancel)
{
  usleep (50000);
  ak_cancel_fire (cancel);
  return NULL;
}

static void
a_cancel_that_the_runner_ignores_ends_in_one_hard_kill (void **state)
{
  struct ak_outcome o;
  int kills = 0;
  pthread_t thread;
  (void) state;
  struct ak_cancel *cancel = ak_cancel_new ();
  pthread_create (&thread, NULL, fire_soon, cancel);
  climb (fall_silent, 0, cancel, 0, fake_hard_kill, &kills, &o, 1000);
  pthread_join (thread, NULL);
  assert_int_equal (o.how, AK_CANCELLED);
  assert_int_equal (o.unconfirmed, 0);
  assert_int_equal (kills, 1);
  ak_cancel_free (cancel);
}

/* Neither reads nor writes until the host is gone. */
static void
stall (struct fake *f)
{
  struct pollfd p = { .fd = f->in, .events = POLLRDHUP };
  poll (&p, 1, 10000);
}

static void
a_runner_that_does_not_read_holds_up_nobody (void **state)
{
  struct ak_outcome o;
  int kills = 0;
  (void) state;
  climb (stall, 300, NULL, 60u << 20, fake_hard_kill, &kills, &o, 1300);
  assert_int_equal (o.how, AK_TIMED_OUT);
  assert_int_equal (kills, 1);
}

static void
a_runner_that_does_not_read_is_lost_in_time (void **state)
{
  static struct fake f;
  struct printed p;
  struct ak_outcome o;
  char *code = calloc (1, 60u << 20);
  struct ak_exec exec = {
    .struct_size = sizeof exec, .language = "python", .code = code, .code_size = 60u << 20
  };
  struct stop stop;
  struct ak_error *error = NULL;
  (void) state;
  ak_stop_init (&stop, 0, NULL);
  fake_connect (&f, 1, stall, NULL, 0);
  struct runner_io io = fake_io (&p);
  uint64_t start = ak_now_ns ();
  /* It never had the whole of it, so nothing was started. */
  assert_int_equal (ak_runner_execute (f.runner, &exec, &stop, &io, NULL, NULL, &o, &error), AK_STATUS_GONE);
  assert_in_range (fake_ms_since (start), 600, 3000);
  assert_string_equal (ak_error_text (error), "runner: it said nothing for 600 ms");
  ak_error_free (error);
  fake_join (&f);
  fake_clear (&f);
  fake_printed_clear (&p);
  ak_stop_done (&stop);
  free (code);
}

/* Reads nothing before the deadline, then all. */
static void
read_late (struct fake *f)
{
  usleep (250000);
  fake_until (f, FRAME_KILL);
  fake_say_exit (f, 1, EXIT_TIMED_OUT, 0, EXIT_NOT_STARTED);
  fake_drain (f);
}

static void
code_that_is_still_on_its_way_at_the_deadline_is_not_started (void **state)
{
  static struct fake f;
  struct ak_outcome o = { 0 };
  struct stop stop;
  int kills = 0;
  char *code = calloc (1, 20u << 20);
  struct ak_exec exec = { .struct_size = sizeof exec, .language = "sh", .code = code, .code_size = 20u << 20 };
  struct runner_io io = { .stdin_fd = -1 };
  (void) state;
  fake_connect (&f, 0, read_late, NULL, 0);
  ak_stop_init (&stop, ak_now_ns () + 150 * MS, NULL);
  assert_int_equal (ak_runner_execute (f.runner, &exec, &stop, &io, fake_hard_kill, &kills, &o, NULL),
                    AK_STATUS_OK);
  assert_int_equal (o.how, AK_TIMED_OUT);
  assert_int_equal (kills, 0);
  assert_int_equal (ak_runner_is_lost (f.runner), 0);
  fake_join (&f);
  assert_int_equal (f.kill_reason, KILL_TIMEOUT);
  assert_in_range (f.spec_size, 1, 19u << 20);
  fake_clear (&f);
  ak_stop_done (&stop);
  free (code);
}

/* Goes on printing and never ends. */
static void
babble (struct fake *f)
{
  struct pollfd p = { .fd = f->in, .events = POLLIN };
  uint64_t credit = CREDIT_START;
  fake_until (f, FRAME_START);
  fake_say_u32 (f, FRAME_STARTED, 0, 1, 42);
  for (;;) {
    if (credit) {
      fake_say (f, FRAME_DATA, STREAM_STDOUT, 1, "x", 1);
      credit--;
    }
    while (poll (&p, 1, credit ? 0 : 1000) == 1) {
      if (!fake_next (f))
        return;
      if (f->frame.type == FRAME_CREDIT)
        credit += ak_wire_u32 (f->payload);
    }
  }
}

static void
a_runner_that_babbles_past_the_deadline_is_stopped_too (void **state)
{
  struct ak_outcome o;
  int kills = 0;
  (void) state;
  climb (babble, 200, NULL, 0, fake_hard_kill, &kills, &o, 1500);
  assert_int_equal (o.how, AK_TIMED_OUT);
  assert_int_equal (kills, 1);
}

static void
hang_up_at_kill (struct fake *f)
{
  fake_until (f, FRAME_START);
  fake_say_u32 (f, FRAME_STARTED, 0, 1, 42);
  fake_until (f, FRAME_KILL);
}

static void
a_stream_that_ends_after_the_cancel_is_still_cancelled (void **state)
{
  struct ak_outcome o;
  int kills = 0;
  pthread_t thread;
  (void) state;
  struct ak_cancel *cancel = ak_cancel_new ();
  pthread_create (&thread, NULL, fire_soon, cancel);
  climb (hang_up_at_kill, 0, cancel, 0, fake_hard_kill, &kills, &o, 1000);
  pthread_join (thread, NULL);
  assert_int_equal (o.how, AK_CANCELLED);
  assert_int_equal (kills, 1);
  ak_cancel_free (cancel);
}

static void *
execute_forever (void *data)
{
  struct fake *f = data;
  struct printed p;
  static struct ak_outcome o;
  fake_execute (f, 0, NULL, &p, &o, NULL);
  fake_printed_clear (&p);
  return &o;
}

static void
one_that_is_given_up_loses_the_others_at_once (void **state)
{
  static struct fake f;
  struct printed p;
  struct ak_outcome o;
  pthread_t thread;
  void *other;
  (void) state;
  for (int pipes = 0; pipes < 2; pipes++) {
    ak_runner_times.silence_ns = 30000 * (uint64_t) MS;
    fake_connect (&f, pipes, fall_silent, NULL, 0);
    ak_runner_times.silence_ns = 600 * MS;
    pthread_create (&thread, NULL, execute_forever, &f);
    usleep (50000);
    uint64_t start = ak_now_ns ();
    assert_int_equal (fake_execute (&f, 100, NULL, &p, &o, NULL), AK_STATUS_OK);
    assert_int_equal (o.how, AK_TIMED_OUT);
    pthread_join (thread, &other);
    assert_in_range (fake_ms_since (start), 300, 3000);
    assert_int_equal (((struct ak_outcome *) other)->how, AK_LOST);
    fake_printed_clear (&p);
    fake_join (&f);
    fake_clear (&f);
  }
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (silence_loses_the_sandbox),
    cmocka_unit_test (a_byte_now_and_then_is_silence_too),
    cmocka_unit_test (silence_proves_nothing_while_nobody_listens),
    cmocka_unit_test (a_flood_of_frames_that_bring_nothing_loses_the_sandbox),
    cmocka_unit_test (a_deadline_that_the_runner_ignores_ends_in_one_hard_kill),
    cmocka_unit_test (a_cancel_that_the_runner_ignores_ends_in_one_hard_kill),
    cmocka_unit_test (a_runner_that_does_not_read_holds_up_nobody),
    cmocka_unit_test (a_runner_that_does_not_read_is_lost_in_time),
    cmocka_unit_test (code_that_is_still_on_its_way_at_the_deadline_is_not_started),
    cmocka_unit_test (a_runner_that_babbles_past_the_deadline_is_stopped_too),
    cmocka_unit_test (a_stream_that_ends_after_the_cancel_is_still_cancelled),
    cmocka_unit_test (one_that_is_given_up_loses_the_others_at_once),
  };
  return cmocka_run_group_tests_name ("runner-stall", tests, shorten, restore);
}
