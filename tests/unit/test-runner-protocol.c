/* SPDX-License-Identifier: Apache-2.0 */
/* The runner against a host that does not keep to the protocol, and what is no violation although it looks
   like one. */
#include "runner-harness.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

static struct peer *
begin (int raw)
{
  struct peer *p = peer_start (&(struct peer_setup) { .raw = raw });

  if (!raw) {
    peer_sh (p, "setsid sleep $TAG & exit 0");
    peer_exec (p, &(struct exec_request) { .sh = "sleep $TAG", .wants_stdin = 1 });
  }
  return p;
}

/* The runner says what is wrong, kills everything, and ends. */
static void
end_violated (struct peer *p, const char *why)
{
  peer_wait_over (p);
  assert_int_equal (p->error, RUNNER_E_PROTOCOL);
  assert_string_equal (p->error_text, why);
  assert_no_process (p->tag);
  peer_stop (p);
}

static void
hello_comes_first (void **state)
{
  struct peer *p = begin (1);

  (void) state;
  peer_send (p, FRAME_PING, 0, 0, "12345678", 8);
  end_violated (p, "a frame before HELLO");
}

static void
send_hello (struct peer *p, uint32_t magic, uint32_t version, const struct bytes *fields)
{
  struct bytes hello = { 0 };
  uint32_t head[2] = { magic, version };

  bytes_add (&hello, head, 8);
  bytes_add (&hello, fields->data, fields->size);
  peer_send (p, FRAME_HELLO, 0, 0, hello.data, hello.size);
  free (hello.data);
}

static void
hello_must_be_right (void **state)
{
  static const struct {
    uint32_t magic, version, tag;
    const char *bytes;
    size_t size;
    const char *why;
  } cases[] = {
    { 1, 1, SETUP_WORKSPACE, "/tmp", 4, "HELLO without the magic number" },
    { RUNNER_MAGIC, 0, SETUP_WORKSPACE, "/tmp", 4, "version 0" },
    { RUNNER_MAGIC, 1, SETUP_ENV, "A=1", 3, "HELLO without a workspace" },
    { RUNNER_MAGIC, 1, SETUP_ENV, "A", 1, "a variable that is not NAME=value" },
    { RUNNER_MAGIC, 1, SETUP_ENV, "", 0, "a variable that is not NAME=value" },
    { RUNNER_MAGIC, 1, SETUP_WORKSPACE, "tmp", 3, "a workspace that is not an absolute path" },
    { RUNNER_MAGIC, 1, SETUP_WORKSPACE, "/t\0p", 4, "a workspace that is not an absolute path" },
    { RUNNER_MAGIC, 1, SETUP_WORKSPACE, "/no/such/dir", 12,
      "the workspace is no directory that can be entered" },
    { RUNNER_MAGIC, 1, SETUP_LIMIT, "12345678", 8, "a limit of the wrong form" },
    { RUNNER_MAGIC, 1, 99, "", 0, "unknown field in HELLO" },
  };

  (void) state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct peer *p = begin (1);
    struct bytes fields = { 0 };

    put_field (&fields, cases[i].tag, cases[i].bytes, cases[i].size);
    send_hello (p, cases[i].magic, cases[i].version, &fields);
    free (fields.data);
    end_violated (p, cases[i].why);
  }
}

static void
a_cut_field_in_hello_is_a_violation (void **state)
{
  struct peer *p = begin (1);
  struct bytes fields = { 0 };

  (void) state;
  put_field (&fields, SETUP_WORKSPACE, "/tmp", 4);
  fields.size -= 1;
  send_hello (p, RUNNER_MAGIC, 1, &fields);
  free (fields.data);
  end_violated (p, "a field that is cut off");
}

static int
has_hello (struct peer *p, void *data)
{
  (void) data;
  return p->hello_pid != 0;
}

static void
a_newer_host_gets_the_runners_version (void **state)
{
  struct peer *p = begin (1);
  struct bytes fields = { 0 };

  (void) state;
  put_field (&fields, SETUP_WORKSPACE, "/tmp", 4);
  send_hello (p, RUNNER_MAGIC, 65535, &fields);
  assert_int_equal (peer_pump (p, has_hello, NULL, PATIENCE_MS), 1);
  send_hello (p, RUNNER_MAGIC, 1, &fields);
  free (fields.data);
  end_violated (p, "a second HELLO");
}

static void
frames_must_have_the_right_form (void **state)
{
  static const struct { uint32_t type, stream; uint64_t id; uint32_t size; const char *why; } cases[] = {
    { 0, 0, 0, 0, "unknown type of frame" },
    { 4711, 0, 9, 0, "unknown type of frame" },
    { FRAME_EXIT, 0, 2, 40, "unknown type of frame" },
    { FRAME_STARTED, 0, 2, 4, "unknown type of frame" },
    { FRAME_FILE_DONE, 0, 2, 0, "unknown type of frame" },
    { FRAME_PING, 0, 0, 7, "a frame of the wrong size" },
    { FRAME_PING, 0, 0, 9, "a frame of the wrong size" },
    { FRAME_START, 0, 9, 1, "a frame of the wrong size" },
    { FRAME_KILL, 0, 2, 3, "a frame of the wrong size" },
    { FRAME_FILE_READ, 0, 9, 15, "a frame of the wrong size" },
    { FRAME_FILE_STAT, 0, 9, 5000, "a frame of the wrong size" },
    { FRAME_BYE, 0, 1, 0, "a frame with the wrong kind of id" },
    { FRAME_START, 0, 0, 0, "a frame with the wrong kind of id" },
    { FRAME_DATA, 0, 0, 1, "a frame with the wrong kind of id" },
    { FRAME_PING, 1, 0, 8, "a frame on the wrong stream" },
    { FRAME_SPEC, 1, 9, 0, "a frame on the wrong stream" },
    { FRAME_DATA, STREAM_STDOUT, 2, 1, "a frame on the wrong stream" },
    { FRAME_DATA, 99, 2, 1, "a frame on the wrong stream" },
    { FRAME_CREDIT, STREAM_STDIN, 2, 4, "a frame on the wrong stream" },
    { FRAME_KILL, 0, 2, 4, "no such reason" },
    { FRAME_SIGNAL, 0, 2, 4, "no such signal" },
    { FRAME_SIGNAL, 0, 9, 4, "an id that does not exist" },
    { FRAME_KILL, 0, 9, 4, "an id that does not exist" },
    { FRAME_DATA, STREAM_STDIN, 9, 1, "an id that does not exist" },
    { FRAME_CREDIT, STREAM_STDOUT, 9, 4, "an id that does not exist" },
    { FRAME_DATA, STREAM_FILE, 2, 1, "DATA of a stream that is not open" },
    { FRAME_CREDIT, STREAM_FILE, 2, 4, "CREDIT of a stream that is not open" },
    { FRAME_START, 0, 2, 0, "a second START" },
    { FRAME_SPEC, 0, 2, 0, "SPEC after START" },
    { FRAME_START, 0, 1, 0, "an id that is used already" },
    { FRAME_SPEC, 0, 1, 0, "an id that is used already" },
    { FRAME_FILE_STAT, 0, 2, 0, "an id that is used already" },
    { FRAME_FILE_STAT, 0, 1, 0, "an id that is used already" },
  };
  static const uint8_t zeros[8192];

  (void) state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct peer *p = begin (0);

    peer_send (p, cases[i].type, cases[i].stream, cases[i].id, zeros, cases[i].size);
    end_violated (p, cases[i].why);
  }
}

static void
a_frame_beyond_the_limit_is_a_violation (void **state)
{
  static const uint32_t sizes[] = { FRAME_PAYLOAD_MAX + 1, 0x80000000u, 0xffffffffu };

  (void) state;
  for (size_t i = 0; i < 3; i++) {
    struct peer *p = begin (0);
    struct frame_header h = { sizes[i], FRAME_DATA, STREAM_STDIN, 2 };

    peer_send_raw (p, &h, sizeof h);
    end_violated (p, "a frame that is too big");
  }
}

static void
descriptions_must_have_the_right_form (void **state)
{
  static const struct { const char *bytes; size_t size; const char *why; } cases[] = {
    { "\x63\0\0\0\0\0\0\0", 8, "unknown field in SPEC" },
    { "\0\0\0\0\0\0\0\0", 8, "unknown field in SPEC" },
    { "\5\0\0\0\4\0\0\0abcd", 12, "a field of the wrong size" },
    { "\7\0\0\0\4\0\0\0\2\0\0\0", 12, "EXEC_STDIN is neither 0 nor 1" },
    { "\3\0\0\0\1\0\0\0/\3\0\0\0\1\0\0\0/", 18, "a field that may not repeat" },
    { "\1\0\0\0\5\0\0\0true", 12, "a field that is cut off" },
    { "\1\0\0\0\4\0\0", 7, "a field that is cut off" },
  };

  (void) state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct peer *p = begin (0);

    peer_send (p, FRAME_SPEC, 0, 3, cases[i].bytes, cases[i].size);
    peer_send (p, FRAME_START, 0, 3, NULL, 0);
    end_violated (p, cases[i].why);
  }
}

static void
a_description_may_come_in_any_pieces (void **state)
{
  struct peer *p = *state;
  struct bytes spec = { 0 };
  uint64_t id;

  put_field (&spec, EXEC_ARG, "/bin/sh", 7);
  put_field (&spec, EXEC_ARG, "-c", 2);
  put_field (&spec, EXEC_ARG, "cat <&3; echo $#$A", 18);
  put_field (&spec, EXEC_ARG, "", 0);
  put_field (&spec, EXEC_CODE, "code,", 5);
  put_field (&spec, EXEC_ENV, "A=1", 3);
  id = peer_file (p, FRAME_SPEC, NULL, 0, NULL, 0);
  for (size_t i = 0; i < spec.size; i++)
    peer_send (p, FRAME_SPEC, 0, id, spec.data + i, 1);
  peer_send (p, FRAME_START, 0, id, NULL, 0);
  free (spec.data);
  assert_text (peer_wait (p, id)->out, "code,01\n");
}

static void
a_description_beyond_the_limit_is_a_violation (void **state)
{
  struct peer *p = begin (0);
  static uint8_t piece[FRAME_PAYLOAD_MAX];
  uint32_t head[2] = { EXEC_CODE, 0x7fffffff };

  (void) state;
  peer_send (p, FRAME_SPEC, 0, 3, head, 8);
  for (size_t sent = 8; sent <= SPEC_MAX && !p->over; sent += sizeof piece)
    peer_send (p, FRAME_SPEC, 0, 3, piece, sizeof piece);
  end_violated (p, "a description that is too long");
}

static void
what_cannot_be_meant_fails_alone (void **state)
{
  static const struct { const char *bytes; size_t size; const char *why; } cases[] = {
    { "", 0, "no command" },
    { "\1\0\0\0\0\0\0\0", 8, "the command's name is empty" },
    { "\1\0\0\0\3\0\0\0a\0b", 11, "a NUL in an argument, a variable or the directory" },
    { "\1\0\0\0\4\0\0\0true\2\0\0\0\1\0\0\0A", 21, "a variable that is not NAME=value" },
    { "\1\0\0\0\4\0\0\0true\2\0\0\0\2\0\0\0=A", 22, "a variable that is not NAME=value" },
  };
  struct peer *p = *state;

  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    uint64_t id = peer_file (p, FRAME_SPEC, NULL, 0, cases[i].bytes, cases[i].size);
    struct told *t;

    peer_send (p, FRAME_START, 0, id, NULL, 0);
    t = peer_wait (p, id);
    assert_int_equal (t->ended, FRAME_ERROR);
    assert_int_equal (t->error, RUNNER_E_SPEC);
    assert_string_equal (t->error_text, cases[i].why);
  }
  assert_text (peer_sh (p, "echo ok")->out, "ok\n");
}

static void
arguments_that_are_too_long_fail_alone (void **state)
{
  struct peer *p = *state;
  size_t size = 9 * 1024 * 1024;
  char *text = malloc (size);
  const char *const argv[] = { "/bin/true", text, NULL };
  struct told *t;

  memset (text, 'x', size);
  text[size - 1] = 0;
  t = peer_run (p, &(struct exec_request) { .argv = argv });
  assert_int_equal (t->ended, FRAME_ERROR);
  assert_int_equal (t->error, RUNNER_E_SPEC);
  text[200 * 1024] = 0;
  t = peer_run (p, &(struct exec_request) { .argv = argv });
  assert_int_equal (t->ended, FRAME_EXIT);
  assert_int_equal (t->code, 126);
  assert_text (t->err, "aksandbox: /bin/true: Argument list too long\n");
  free (text);
}

static void
stdin_beyond_the_credit_is_a_violation (void **state)
{
  struct peer *p = begin (0);
  static uint8_t piece[FRAME_PAYLOAD_MAX];

  (void) state;
  for (size_t sent = 0; sent <= 4 * CREDIT_START && !p->over; sent += sizeof piece)
    peer_send (p, FRAME_DATA, STREAM_STDIN, 2, piece, sizeof piece);
  end_violated (p, "DATA beyond the credit");
}

static void
stdin_after_its_end_is_a_violation (void **state)
{
  struct peer *p = begin (0);

  (void) state;
  peer_send (p, FRAME_EOF, STREAM_STDIN, 2, NULL, 0);
  peer_send (p, FRAME_DATA, STREAM_STDIN, 2, "x", 1);
  end_violated (p, "DATA of a stream that is not open");
  p = begin (0);
  peer_send (p, FRAME_EOF, STREAM_STDIN, 2, NULL, 0);
  peer_send (p, FRAME_EOF, STREAM_STDIN, 2, NULL, 0);
  end_violated (p, "EOF of a stream that is not open");
}

static void
stdin_that_was_not_announced_is_a_violation (void **state)
{
  struct peer *p = begin (0);
  uint64_t id = peer_exec (p, &(struct exec_request) { .sh = "sleep $TAG" });

  (void) state;
  peer_send (p, FRAME_DATA, STREAM_STDIN, id, "x", 1);
  end_violated (p, "DATA of a stream that is not open");
}

static void
credit_beyond_the_limit_is_a_violation (void **state)
{
  struct peer *p = begin (0);

  (void) state;
  peer_send_u32 (p, FRAME_CREDIT, STREAM_STDOUT, 2, CREDIT_MAX - CREDIT_START);
  peer_send_u32 (p, FRAME_CREDIT, STREAM_STDERR, 2, CREDIT_MAX);
  end_violated (p, "CREDIT beyond the limit");
}

static void
frames_that_cross_with_the_end_are_no_violation (void **state)
{
  struct peer *p = *state;
  struct told *t = peer_run (p, &(struct exec_request) { .sh = "exit 0", .wants_stdin = 1 });
  uint64_t id = t->id;

  peer_send (p, FRAME_DATA, STREAM_STDIN, id, "x", 1);
  peer_send (p, FRAME_EOF, STREAM_STDIN, id, NULL, 0);
  peer_send_u32 (p, FRAME_CREDIT, STREAM_STDOUT, id, 1);
  peer_send_u32 (p, FRAME_SIGNAL, 0, id, SIGTERM);
  peer_send_u32 (p, FRAME_KILL, 0, id, KILL_CANCEL);
  assert_text (peer_sh (p, "echo ok")->out, "ok\n");
}

static void
ids_may_have_gaps_and_interleave (void **state)
{
  struct peer *p = *state;
  struct bytes a = { 0 }, b = { 0 };
  uint64_t first, second;

  put_field (&a, EXEC_ARG, "echo", 4);
  put_field (&b, EXEC_ARG, "a", 1);
  p->last_id += 1000;
  first = peer_file (p, FRAME_SPEC, NULL, 0, a.data, a.size);
  p->last_id += 1000;
  second = peer_file (p, FRAME_SPEC, NULL, 0, a.data, a.size);
  peer_send (p, FRAME_SPEC, 0, first, b.data, b.size);
  peer_send (p, FRAME_START, 0, second, NULL, 0);
  peer_send (p, FRAME_START, 0, first, NULL, 0);
  free (a.data);
  free (b.data);
  assert_text (peer_wait (p, first)->out, "a\n");
  assert_text (peer_wait (p, second)->out, "\n");
}

static int
has_pong (struct peer *p, void *data)
{
  (void) data;
  return p->input.size == 0;
}

static void
a_ping_is_answered (void **state)
{
  struct peer *p = *state;
  uint8_t frame[24];
  size_t got = 0;

  assert_int_equal (peer_pump (p, has_pong, NULL, 100), 1);
  peer_send (p, FRAME_PING, 0, 0, "abcdefgh", 8);
  while (got < sizeof frame) {
    ssize_t n = read (p->fd, frame + got, sizeof frame - got);

    if (n > 0)
      got += (size_t) n;
    else
      sleep_ms (1);
  }
  assert_int_equal (frame[4], FRAME_PONG);
  assert_memory_equal (frame + 16, "abcdefgh", 8);
}

static void
executions_beyond_the_limit_are_refused_alone (void **state)
{
  struct peer *p = *state;
  uint64_t id;

  for (unsigned i = 0; i < EXECUTIONS_MAX; i++)
    peer_file (p, FRAME_SPEC, NULL, 0, NULL, 0);
  id = peer_exec (p, &(struct exec_request) { .sh = "true" });
  assert_int_equal (peer_wait (p, id)->ended, FRAME_ERROR);
  assert_int_equal (peer_told (p, id)->error, RUNNER_E_RESOURCE);
  peer_send_u32 (p, FRAME_KILL, 0, id - 1, KILL_CANCEL);
  peer_wait (p, id - 1);
  assert_text (peer_sh (p, "echo ok")->out, "ok\n");
}

static void
a_flood_of_small_frames_is_served (void **state)
{
  struct peer *p = *state;
  struct frame_header h[512];

  for (unsigned i = 0; i < 512; i++)
    h[i] = (struct frame_header) { 0, FRAME_SPEC, 0, p->last_id + 1 };
  peer_file (p, FRAME_SPEC, NULL, 0, NULL, 0);
  for (int i = 0; i < 400; i++)
    peer_send_raw (p, h, sizeof h);
  assert_text (peer_sh (p, "echo ok")->out, "ok\n");
}

static void
random_bytes_end_the_runner_and_nothing_else (void **state)
{
  unsigned seed = 7;

  (void) state;
  for (int i = 0; i < 30; i++) {
    struct peer *p = begin (0);
    uint8_t junk[512];

    for (size_t k = 0; k < sizeof junk; k++)
      junk[k] = (uint8_t) (rand_r (&seed) >> 5);
    junk[2] = junk[3] = 0;
    peer_send_raw (p, junk, sizeof junk);
    shutdown (p->fd, SHUT_WR);
    peer_wait_over (p);
    assert_no_process (p->tag);
    peer_stop (p);
  }
}

static void
limits_are_those_of_the_host (void **state)
{
  struct { uint32_t resource, zero; uint64_t soft, hard; } limit = { RLIMIT_NOFILE, 0, 55, 66 };
  struct bytes fields = { 0 };
  struct peer *p;

  (void) state;
  put_field (&fields, SETUP_LIMIT, &limit, sizeof limit);
  limit.resource = RLIMIT_CORE;
  put_field (&fields, SETUP_LIMIT, &limit, sizeof limit);
  limit.resource = RLIMIT_FSIZE;
  limit.soft = limit.hard = 1024 * 1024;
  put_field (&fields, SETUP_LIMIT, &limit, sizeof limit);
  p = peer_start (&(struct peer_setup) { .fields = fields.data, .fields_size = fields.size });
  assert_text (peer_sh (p, "ulimit -Sn; ulimit -Hn; ulimit -Hc")->out, "55\n66\n0\n");
  assert_int_equal (peer_sh (p, "head -c 2000000 /dev/zero >big")->how, EXIT_EXITED);
  assert_text (peer_sh (p, "wc -c <big")->out, "1048576\n");
  free (fields.data);
  peer_stop (p);
}

int
main (void)
{
  struct CMUnitTest tests[] = {
    cmocka_unit_test (hello_comes_first),
    cmocka_unit_test (hello_must_be_right),
    cmocka_unit_test (a_cut_field_in_hello_is_a_violation),
    cmocka_unit_test (a_newer_host_gets_the_runners_version),
    cmocka_unit_test (frames_must_have_the_right_form),
    cmocka_unit_test (a_frame_beyond_the_limit_is_a_violation),
    cmocka_unit_test (descriptions_must_have_the_right_form),
    AS_CHILD (a_description_may_come_in_any_pieces),
    cmocka_unit_test (a_description_beyond_the_limit_is_a_violation),
    AS_CHILD (what_cannot_be_meant_fails_alone),
    AS_CHILD (arguments_that_are_too_long_fail_alone),
    cmocka_unit_test (stdin_beyond_the_credit_is_a_violation),
    cmocka_unit_test (stdin_after_its_end_is_a_violation),
    cmocka_unit_test (stdin_that_was_not_announced_is_a_violation),
    cmocka_unit_test (credit_beyond_the_limit_is_a_violation),
    BOTH (frames_that_cross_with_the_end_are_no_violation),
    AS_CHILD (ids_may_have_gaps_and_interleave),
    AS_CHILD (a_ping_is_answered),
    AS_CHILD (executions_beyond_the_limit_are_refused_alone),
    AS_CHILD (a_flood_of_small_frames_is_served),
    cmocka_unit_test (random_bytes_end_the_runner_and_nothing_else),
    cmocka_unit_test (limits_are_those_of_the_host),
  };

  return peer_run_tests ("runner-protocol", tests, sizeof tests / sizeof *tests);
}
