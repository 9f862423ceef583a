/* SPDX-License-Identifier: Apache-2.0 */
/* The runner's client against runners that lie, flood or vanish: the sandbox is lost, never the
 * caller. */
#include "config.h"
#include <malloc.h>
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

/* A greeting that must fail. */
static void
assert_no_greeting (void (*script) (struct fake *), const void *data, size_t size, enum ak_status status,
                    const char *text, unsigned at_most_ms)
{
  static struct fake f;
  struct runner_setup setup = { .workspace = "/w" };
  struct stop stop;
  struct ak_error *error = NULL;
  fake_start (&f, 0, script, data, size);
  ak_stop_init (&stop, 0, NULL);
  uint64_t start = ak_now_ns ();
  assert_int_equal (ak_runner_open (f.client_in, f.client_out, &setup, &stop, &f.runner, &error), status);
  assert_in_range (fake_ms_since (start), 0, at_most_ms);
  f.client_in = f.client_out = -1;
  assert_null (f.runner);
  assert_string_equal (ak_error_text (error), text);
  fake_join (&f);
  fake_clear (&f);
  ak_error_free (error);
  ak_stop_done (&stop);
}

static void
say_data (struct fake *f)
{
  fake_until (f, FRAME_HELLO);
  fake_raw (f, f->data, f->size);
  fake_drain (f);
}

static void
hello_as_told (struct fake *f)
{
  const uint32_t *hello = f->data;
  fake_until (f, FRAME_HELLO);
  fake_say_hello (f, hello[0], hello[1], 0);
  fake_drain (f);
}

static void
hang_up_now (struct fake *f)
{
  fake_until (f, FRAME_HELLO);
}

static void
error_first (struct fake *f)
{
  fake_until (f, FRAME_HELLO);
  fake_say_error (f, 0, RUNNER_E_SPEC, "no workspace\033]0;x\a");
  fake_drain (f);
}

static void
a_greeting_that_is_none_is_refused_at_once (void **state)
{
  static const uint32_t hellos[][2] = {
    { RUNNER_MAGIC + 1, 1 },
    { RUNNER_MAGIC, 0 },
    { RUNNER_MAGIC, 65535 },
    { RUNNER_MAGIC, RUNNER_VERSION + 1 },
  };
  (void) state;
  assert_no_greeting (hello_as_told, hellos[0], 0, AK_STATUS_PROVISION,
                      "runner: what answers is not a runner", 500);
  assert_no_greeting (hello_as_told, hellos[1], 0, AK_STATUS_PROVISION,
                      "runner: it speaks version 0 of the protocol, this program 1", 500);
  assert_no_greeting (hello_as_told, hellos[2], 0, AK_STATUS_PROVISION,
                      "runner: it speaks version 65535 of the protocol, this program 1", 500);
  assert_no_greeting (hello_as_told, hellos[3], 0, AK_STATUS_PROVISION,
                      "runner: it speaks version 2 of the protocol, this program 1", 500);
  assert_no_greeting (hang_up_now, NULL, 0, AK_STATUS_PROVISION, "runner: the stream ended", 500);
  assert_no_greeting (error_first, NULL, 0, AK_STATUS_PROVISION, "runner: it gave up: no workspace?]0;x?",
                      500);
#define BYTES(text) text, sizeof (text) - 1
  assert_no_greeting (say_data, BYTES ("sh: aksandbox-runner: not found\n"), AK_STATUS_PROVISION,
                      "runner: it broke the protocol: frame of unknown type 27489", 500);
  assert_no_greeting (say_data, BYTES ("\10\0\0\0\2\0\0\0\0\0\0\0\0\0\0\0" "12345678"), AK_STATUS_PROVISION,
                      "runner: it broke the protocol: its first frame is of type 2", 500);
  assert_no_greeting (say_data, BYTES ("\xff\xff\xff\xff\1\0\0\0\0\0\0\0\0\0\0\0"), AK_STATUS_PROVISION,
                      "runner: it broke the protocol: frame of type 1 with 4294967295 bytes", 500);
}

static void
a_greeting_that_does_not_come_is_waited_for_no_longer (void **state)
{
  (void) state;
  assert_no_greeting (fake_drain, NULL, 0, AK_STATUS_PROVISION, "runner: it did not say hello", 3000);
}

static void
stop_and_deadline_hold_for_the_greeting (void **state)
{
  static struct fake f;
  struct runner_setup setup = { .workspace = "/w" };
  struct stop stop;
  (void) state;
  struct ak_cancel *cancel = ak_cancel_new ();
  ak_cancel_fire (cancel);
  for (int i = 0; i < 2; i++) {
    fake_start (&f, i, fake_drain, NULL, 0);
    ak_stop_init (&stop, i ? ak_now_ns () + 100 * MS : 0, i ? NULL : cancel);
    uint64_t start = ak_now_ns ();
    assert_int_equal (ak_runner_open (f.client_in, f.client_out, &setup, &stop, &f.runner, NULL),
                      i ? AK_STATUS_TIMEOUT : AK_STATUS_CANCELLED);
    assert_in_range (fake_ms_since (start), i ? 100 : 0, 3000);
    f.client_in = f.client_out = -1;
    fake_join (&f);
    ak_stop_done (&stop);
  }
  ak_cancel_free (cancel);
}

static void
piecewise (struct fake *f)
{
  uint8_t bytes[32], *p = ak_wire_put_u32 (bytes, 16);
  p = ak_wire_put_u32 (p, FRAME_HELLO);
  p = ak_wire_put_u64 (p, 0);
  p = ak_wire_put_u32 (p, RUNNER_MAGIC);
  p = ak_wire_put_u32 (p, 1);
  ak_wire_put_u64 (p, 0);
  fake_until (f, FRAME_HELLO);
  for (size_t i = 0; i < sizeof bytes; i++) {
    fake_raw (f, bytes + i, 1);
    usleep (1000);
  }
  fake_drain (f);
}

static void
a_greeting_may_come_in_pieces (void **state)
{
  static struct fake f;
  struct runner_setup setup = { .workspace = "/w" };
  struct stop stop;
  (void) state;
  fake_start (&f, 0, piecewise, NULL, 0);
  ak_stop_init (&stop, 0, NULL);
  assert_int_equal (ak_runner_open (f.client_in, f.client_out, &setup, &stop, &f.runner, NULL), AK_STATUS_OK);
  f.client_in = f.client_out = -1;
  fake_join (&f);
  ak_stop_done (&stop);
}

/* Frames that a liar says behind STARTED of execution 1. */
static void
lie (struct fake *f)
{
  fake_until (f, FRAME_START);
  fake_say_u32 (f, FRAME_STARTED, 0, 1, 42);
  fake_say_text (f, STREAM_STDOUT, 1, "so far");
  fake_raw (f, f->data, f->size);
  fake_drain (f);
}

#define H(size, type, stream, id) size "\0\0\0" type "\0" stream "\0" id "\0\0\0\0\0\0\0"
#define EXIT(how, code, flags, last) H ("\50", "\25", "\0", "\1") how "\0\0\0" code \
  "\0\0\0" "\0\0\0\0\0\0\0\0" "\0\0\0\0\0\0\0\0" "\0\0\0\0\0\0\0\0" flags "\0\0\0" last "\0\0\0"
#define LIE(bytes, why) { bytes, sizeof (bytes) - 1, why }

static const struct lie {
  const char *bytes;
  size_t size;
  const char *why;
} lies[] = {
  LIE ("\xff\xff\xff\xff\10\0\1\0\1\0\0\0\0\0\0\0", "frame of type 8 with 4294967295 bytes"),
  LIE ("\xf1\xff\0\0\10\0\1\0\1\0\0\0\0\0\0\0", "frame of type 8 with 65521 bytes"),
  LIE (H ("\0", "\10", "\1", "\1"), "frame of type 8 with 0 bytes"),
  LIE (H ("\0", "\0", "\0", "\1"), "frame of unknown type 0"),
  LIE (H ("\0", "\4", "\0", "\0"), "frame of unknown type 4"),
  LIE (H ("\0", "\20", "\0", "\1"), "frame of unknown type 16"),
  LIE (H ("\0", "\21", "\0", "\1"), "frame of unknown type 17"),
  LIE (H ("\4", "\26", "\0", "\1") "1234", "frame of unknown type 22"),
  LIE (H ("\0", "\47", "\0", "\1"), "frame of unknown type 39"),
  LIE (H ("\0", "\x30", "\0", "\1"), "frame of unknown type 48"),
  LIE ("\0\0\0\0\10\1\1\0\1\0\0\0\0\0\0\0", "frame of unknown type 264"),
  LIE (H ("\20", "\1", "\0", "\0") "askr\1\0\0\0\0\0\0\0\1\0\0\0", "a second hello"),
  LIE (H ("\10", "\2", "\0", "\1") "12345678", "frame of type 2 with id 1"),
  LIE (H ("\7", "\2", "\0", "\0") "1234567", "frame of type 2 with 7 bytes"),
  LIE (H ("\10", "\2", "\1", "\0") "12345678", "frame of type 2 on stream 1"),
  LIE (H ("\10", "\3", "\0", "\0") "\1\0\0\0\0\0\0\0", "an answer to a ping that was not sent"),
  LIE (H ("\3", "\5", "\0", "\1") "123", "frame of type 5 with 3 bytes"),
  LIE (H ("\4", "\5", "\0", "\1") "\0\0\0\0", "an error of unknown number"),
  LIE (H ("\4", "\5", "\0", "\1") "\1\0\0\0", "an error of unknown number"),
  LIE (H ("\4", "\5", "\0", "\1") "\7\0\0\0", "an error of unknown number"),
  LIE (H ("\1", "\10", "\0", "\1") "x", "data that nobody asked for"),
  LIE (H ("\1", "\10", "\3", "\1") "x", "data that nobody asked for"),
  LIE (H ("\1", "\10", "\4", "\1") "x", "frame of type 8 on stream 4"),
  LIE (H ("\1", "\10", "\1", "\0") "x", "frame of type 8 with id 0"),
  LIE (H ("\1", "\10", "\1", "\2") "x", "a frame for what is not under way"),
  LIE ("\1\0\0\0\10\0\1\0\1\0\0\0\0\0\0\1x", "a frame for what is not under way"),
  LIE (H ("\0", "\11", "\1", "\1") H ("\1", "\10", "\1", "\1") "x", "data after the end of its stream"),
  LIE (H ("\0", "\11", "\1", "\1") H ("\0", "\11", "\1", "\1"), "an end of a stream that is not open"),
  LIE (H ("\0", "\11", "\0", "\1"), "an end of a stream that is not open"),
  LIE (H ("\1", "\11", "\1", "\1") "x", "frame of type 9 with 1 bytes"),
  LIE (H ("\4", "\12", "\0", "\1") "\1\0\0\0", "credit for a stream that is not open"),
  LIE (H ("\4", "\12", "\1", "\1") "\1\0\0\0", "credit for a stream that is not open"),
  LIE (H ("\4", "\22", "\0", "\1") "\1\0\0\0", "a start that nobody asked for"),
  LIE (H ("\4", "\22", "\0", "\2") "\1\0\0\0", "a frame for what is not under way"),
  LIE (H ("\47", "\25", "\0", "\1"), "frame of type 21 with 39 bytes"),
  LIE (EXIT ("\0", "\0", "\0", "\0"), "an exit out of bounds"),
  LIE (EXIT ("\6", "\0", "\0", "\0"), "an exit out of bounds"),
  LIE (H ("\50", "\25", "\0", "\1") "\1\0\0\0"
                                    "\0\1\0\0"
                                    "\0\0\0\0\0\0\0\0"
                                    "\0\0\0\0\0\0\0\0"
                                    "\0\0\0\0\0\0\0\0"
                                    "\0\0\0\0"
                                    "\0\0\0\0",
       "an exit out of bounds"),
  LIE (EXIT ("\2", "\0", "\0", "\0"), "an exit out of bounds"),
  LIE (EXIT ("\2", "\101", "\0", "\0"), "an exit out of bounds"),
  LIE (EXIT ("\1", "\0", "\4", "\0"), "an exit out of bounds"),
  LIE (EXIT ("\1", "\0", "\0", "\1"), "an exit out of bounds"),
  LIE (EXIT ("\1", "\0", "\1", "\0"), "an exit that contradicts itself"),
  LIE (EXIT ("\3", "\0", "\0", "\0"), "an end that nobody asked for"),
  LIE (EXIT ("\5", "\0", "\0", "\0"), "an end that nobody asked for"),
  LIE (H ("\0", "\46", "\0", "\1"), "the end of what has not begun"),
  LIE (H ("\31", "\45", "\0", "\1") "1234\0\0\0\0"
                                    "12345678"
                                    "12345678"
                                    "x",
       "an entry that nobody asked for"),
};

static void
every_lie_loses_the_sandbox_and_says_why (void **state)
{
  static struct fake f;
  (void) state;
  for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
    struct printed p;
    struct ak_outcome o;
    char why[200];
    snprintf (why, sizeof why, "it broke the protocol: %s", lies[i].why);
    fake_connect (&f, i & 1, lie, lies[i].bytes, lies[i].size);
    uint64_t start = ak_now_ns ();
    assert_int_equal (fake_execute (&f, 0, NULL, &p, &o, NULL), AK_STATUS_OK);
    assert_in_range (fake_ms_since (start), 0, 3000);
    assert_int_equal (o.how, AK_LOST);
    assert_string_equal (p.text, "1:so far");
    assert_string_equal (ak_runner_lost_reason (f.runner), why);
    fake_printed_clear (&p);
    /* And so is everything after it. */
    assert_int_equal (fake_execute (&f, 0, NULL, &p, &o, NULL), AK_STATUS_GONE);
    fake_printed_clear (&p);
    fake_join (&f);
    fake_clear (&f);
  }
}

/* What comes behind a valid EXIT is found by the next operation. */
static void
exit_and_lie (struct fake *f)
{
  fake_until (f, FRAME_START);
  fake_say_u32 (f, FRAME_STARTED, 0, 1, 42);
  fake_say_exit (f, 1, EXIT_EXITED, 0, 0);
  fake_raw (f, f->data, f->size);
  fake_drain (f);
}

static void
what_comes_after_the_exit_loses_the_sandbox (void **state)
{
  static struct fake f;
  static const struct lie after[] = {
    LIE (EXIT ("\1", "\0", "\0", "\0"), NULL),
    LIE (H ("\1", "\10", "\1", "\1") "x", NULL),
    LIE (H ("\4", "\12", "\1", "\1") "\1\0\0\0", NULL),
    LIE (H ("\4", "\5", "\0", "\1") "\2\0\0\0", NULL),
  };
  (void) state;
  for (size_t i = 0; i < sizeof after / sizeof *after; i++) {
    struct printed p;
    struct ak_outcome o;
    fake_connect (&f, 0, exit_and_lie, after[i].bytes, after[i].size);
    assert_int_equal (fake_execute (&f, 0, NULL, &p, &o, NULL), AK_STATUS_OK);
    assert_int_equal (o.how, AK_EXITED);
    fake_printed_clear (&p);
    for (int tries = 0; tries < 100 && !ak_runner_is_lost (f.runner); tries++)
      usleep (10000);
    assert_string_equal (ak_runner_lost_reason (f.runner),
                         "it broke the protocol: a frame for what is not under way");
    fake_join (&f);
    fake_clear (&f);
  }
}

static void
exit_first (struct fake *f)
{
  fake_until (f, FRAME_START);
  fake_say_exit (f, 1, EXIT_EXITED, 0, 0);
  fake_drain (f);
}

static void
exit_in_advance (struct fake *f)
{
  usleep (20000);       /* not with the hello */
  fake_say_exit (f, 1, EXIT_EXITED, 0, 0);
  fake_drain (f);
}

static void
an_exit_before_the_start_is_no_success (void **state)
{
  static struct fake f;
  struct printed p;
  struct ak_outcome o;
  (void) state;
  fake_connect (&f, 0, exit_first, NULL, 0);
  assert_int_equal (fake_execute (&f, 0, NULL, &p, &o, NULL), AK_STATUS_OK);
  assert_int_equal (o.how, AK_LOST);
  assert_string_equal (ak_runner_lost_reason (f.runner), "it broke the protocol: an exit before the start");
  fake_printed_clear (&p);
  fake_join (&f);
  fake_clear (&f);
  fake_connect (&f, 0, exit_in_advance, NULL, 0);
  usleep (50000);
  assert_int_equal (fake_execute (&f, 0, NULL, &p, &o, NULL), AK_STATUS_GONE);
  fake_printed_clear (&p);
  fake_join (&f);
  fake_clear (&f);
}

/* Two executions; the first prints a byte more than it may. */
static void
exceed (struct fake *f)
{
  static const uint8_t zeros[32768];
  for (int i = 0; i < 2 && fake_until (f, FRAME_START); i++)
    fake_say_u32 (f, FRAME_STARTED, 0, f->frame.id, 42);
  for (size_t sent = 0; sent < CREDIT_START; sent += sizeof zeros)
    fake_say (f, FRAME_DATA, STREAM_STDERR, 1, zeros, sizeof zeros);
  fake_say (f, FRAME_DATA, STREAM_STDERR, 1, zeros, 1);
  fake_drain (f);
}

struct one {
  struct runner *runner;
  struct runner_io io;
  struct ak_outcome outcome;
};

static void *
execute_one (void *data)
{
  struct one *one = data;
  const char *argv[] = { "cat", NULL };
  struct ak_exec exec = { .struct_size = sizeof exec, .argv = argv };
  struct stop stop;
  ak_stop_init (&stop, 0, NULL);
  ak_runner_execute (one->runner, &exec, &stop, &one->io, NULL, NULL, &one->outcome, NULL);
  ak_stop_done (&stop);
  return NULL;
}

/* A sink that takes nothing before the runner is lost. */
static int
write_when_lost (void *data, uint32_t stream, const void *bytes, size_t size)
{
  (void) stream, (void) bytes, (void) size;
  while (!ak_runner_is_lost (data))
    usleep (1000);
  return 0;
}

static uint64_t
last_id (struct runner *r)
{
  pthread_mutex_lock (&r->lock);
  uint64_t id = r->last_id;
  pthread_mutex_unlock (&r->lock);
  return id;
}

static void
data_beyond_its_credit_loses_the_sandbox (void **state)
{
  static struct fake f;
  pthread_t thread;
  (void) state;
  fake_connect (&f, 0, exceed, NULL, 0);
  struct one slow = { .runner = f.runner, .io = { .data = f.runner, .write = write_when_lost, .stdin_fd = -1 } };
  struct one other = { .runner = f.runner, .io = { .stdin_fd = -1 } };
  pthread_create (&thread, NULL, execute_one, &slow);
  while (last_id (f.runner) < 1)
    usleep (1000);
  execute_one (&other);
  pthread_join (thread, NULL);
  assert_int_equal (slow.outcome.how, AK_LOST);
  assert_int_equal (other.outcome.how, AK_LOST);
  assert_string_equal (ak_runner_lost_reason (f.runner), "it broke the protocol: data beyond its credit");
  fake_join (&f);
  fake_clear (&f);
}

static void
credit_wildly (struct fake *f)
{
  fake_until (f, FRAME_START);
  fake_say_u32 (f, FRAME_STARTED, 0, 1, 42);
  fake_say_u32 (f, FRAME_CREDIT, STREAM_STDIN, 1, *(const uint32_t *) f->data);
  fake_drain (f);
}

static void
credit_out_of_bounds_loses_the_sandbox (void **state)
{
  static struct fake f;
  static const uint32_t credits[] = { 0, CREDIT_MAX, UINT32_MAX };
  int fds[2];
  (void) state;
  assert_int_equal (pipe (fds), 0);
  for (int i = 0; i < 3; i++) {
    fake_connect (&f, 0, credit_wildly, &credits[i], 0);
    struct one one = { .runner = f.runner, .io = { .stdin_fd = fds[0] } };
    execute_one (&one);
    assert_int_equal (one.outcome.how, AK_LOST);
    assert_string_equal (ak_runner_lost_reason (f.runner), "it broke the protocol: a credit out of bounds");
    fake_join (&f);
    fake_clear (&f);
  }
  close (fds[0]);
  close (fds[1]);
}

/* A good conversation, cut off at each of its bytes. */
static uint8_t recorded[400];
static size_t n_recorded;

static void
record (struct fake *f)
{
  fake_until (f, FRAME_START);
  fake_say_u32 (f, FRAME_STARTED, 0, 1, 42);
  fake_say_text (f, STREAM_STDOUT, 1, "some output of a program, and then some");
  fake_say (f, FRAME_PING, 0, 0, "12345678", 8);
  fake_say_text (f, STREAM_STDERR, 1, "more");
  fake_say (f, FRAME_EOF, STREAM_STDOUT, 1, NULL, 0);
  fake_say (f, FRAME_EOF, STREAM_STDERR, 1, NULL, 0);
  fake_say_exit (f, 1, EXIT_EXITED, 0, 0);
}

static void
replay (struct fake *f)
{
  fake_until (f, FRAME_START);
  fake_raw (f, recorded, f->size);
}

static void
keep_recording (struct fake *f)
{
  int tee[2], out = f->out;
  assert_int_equal (socketpair (AF_UNIX, SOCK_STREAM, 0, tee), 0);
  f->out = tee[0];
  record (f);
  f->out = out;
  n_recorded = (size_t) read (tee[1], recorded, sizeof recorded);
  close (tee[0]);
  close (tee[1]);
}

static void
a_stream_cut_at_any_byte_is_never_a_success (void **state)
{
  static struct fake f;
  struct printed p;
  struct ak_outcome o;
  (void) state;
  fake_connect (&f, 0, keep_recording, NULL, 0);
  fake_execute (&f, 0, NULL, &p, &o, NULL);
  fake_printed_clear (&p);
  fake_join (&f);
  fake_clear (&f);
  assert_in_range (n_recorded, 200, sizeof recorded - 1);
  for (size_t cut = 0; cut <= n_recorded; cut++) {
    fake_connect (&f, cut & 1, replay, NULL, cut);
    uint64_t start = ak_now_ns ();
    assert_int_equal (fake_execute (&f, 0, NULL, &p, &o, NULL), AK_STATUS_OK);
    assert_in_range (fake_ms_since (start), 0, 3000);
    assert_int_equal (o.how, cut < n_recorded ? AK_LOST : AK_EXITED);
    fake_printed_clear (&p);
    fake_join (&f);
    fake_clear (&f);
  }
}

/* The old function, which every C library has; its numbers are large enough here. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
static void
lies_cost_no_memory (void **state)
{
  static struct fake f;
  struct printed p;
  struct ak_outcome o;
  (void) state;
  struct mallinfo before = mallinfo ();
  fake_connect (&f, 0, lie, lies[0].bytes, lies[0].size);
  fake_execute (&f, 0, NULL, &p, &o, NULL);
  struct mallinfo during = mallinfo ();
  int more = during.uordblks + during.hblkhd - before.uordblks - before.hblkhd;
  assert_true (more < (int) (RUNNER_IN_SIZE + RUNNER_OUT_SIZE + 65536));
  fake_printed_clear (&p);
  fake_join (&f);
  fake_clear (&f);
}
#pragma GCC diagnostic pop

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (a_greeting_that_is_none_is_refused_at_once),
    cmocka_unit_test (a_greeting_that_does_not_come_is_waited_for_no_longer),
    cmocka_unit_test (stop_and_deadline_hold_for_the_greeting),
    cmocka_unit_test (a_greeting_may_come_in_pieces),
    cmocka_unit_test (every_lie_loses_the_sandbox_and_says_why),
    cmocka_unit_test (what_comes_after_the_exit_loses_the_sandbox),
    cmocka_unit_test (an_exit_before_the_start_is_no_success),
    cmocka_unit_test (data_beyond_its_credit_loses_the_sandbox),
    cmocka_unit_test (credit_out_of_bounds_loses_the_sandbox),
    cmocka_unit_test (a_stream_cut_at_any_byte_is_never_a_success),
    cmocka_unit_test (lies_cost_no_memory),
  };
  return cmocka_run_group_tests_name ("runner-hostile", tests, shorten, restore);
}
