/* SPDX-License-Identifier: Apache-2.0 */
/* The runner's client against runners that behave: what is said, what comes out, in what time. */
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

static void
greet (struct fake *f)
{
  fake_until (f, FRAME_HELLO);
  fake_say_hello (f, RUNNER_MAGIC, RUNNER_VERSION, HELLO_PID1 | HELLO_CLEAN_KILL | 0x100);
  fake_drain (f);
}

static void
hello_carries_the_setup_and_brings_the_flags (void **state)
{
  static struct fake f;
  const char *env[] = { "A=b", "C=", NULL };
  const struct runner_limit limits[] = { { 7, 1024 } };
  struct runner_setup setup = { .workspace = "/work", .env = env, .limits = limits, .n_limits = 1 };
  struct stop stop;
  struct ak_error *error = NULL;
  (void) state;
  fake_start (&f, 0, greet, NULL, 0);
  ak_stop_init (&stop, 0, NULL);
  assert_int_equal (ak_runner_open (f.client_in, f.client_out, &setup, &stop, &f.runner, &error),
                    AK_STATUS_OK);
  f.client_in = f.client_out = -1;
  assert_int_equal (ak_runner_flags (f.runner), HELLO_PID1 | HELLO_CLEAN_KILL);
  assert_int_equal (ak_runner_is_lost (f.runner), 0);
  assert_null (ak_runner_lost_reason (f.runner));
  fake_join (&f);
  ak_stop_done (&stop);
}

static void
keep_hello (struct fake *f)
{
  fake_until (f, FRAME_HELLO);
  f->spec = malloc (f->frame.size);
  f->spec_size = f->frame.size;
  memcpy (f->spec, f->payload, f->frame.size);
  fake_say_hello (f, RUNNER_MAGIC, RUNNER_VERSION, 0);
  fake_drain (f);
}

static void
the_setup_stands_in_hello_as_the_protocol_says (void **state)
{
  static struct fake f;
  static const uint8_t expected[] = "askr" "\1\0\0\0"
    "\1\0\0\0" "\5\0\0\0" "/work"
    "\2\0\0\0" "\30\0\0\0" "\7\0\0\0" "\0\0\0\0" "\0\4\0\0\0\0\0\0" "\0\4\0\0\0\0\0\0"
    "\3\0\0\0" "\3\0\0\0" "A=b"
    "\3\0\0\0" "\2\0\0\0" "C=";
  const char *env[] = { "A=b", "C=", NULL };
  const struct runner_limit limits[] = { { 7, 1024 } };
  struct runner_setup setup = { .workspace = "/work", .env = env, .limits = limits, .n_limits = 1 };
  struct stop stop;
  (void) state;
  fake_start (&f, 0, keep_hello, NULL, 0);
  ak_stop_init (&stop, 0, NULL);
  assert_int_equal (ak_runner_open (f.client_in, f.client_out, &setup, &stop, &f.runner, NULL), AK_STATUS_OK);
  f.client_in = f.client_out = -1;
  fake_join (&f);
  assert_int_equal (f.spec_size, sizeof expected - 1);
  assert_memory_equal (f.spec, expected, f.spec_size);
  fake_clear (&f);
  ak_stop_done (&stop);
}

static void
an_environment_beyond_one_frame_is_refused_before_anything_is_said (void **state)
{
  static struct fake f;
  static char big[FRAME_PAYLOAD_MAX];
  const char *env[] = { big, NULL };
  struct runner_setup setup = { .workspace = "/w", .env = env };
  struct stop stop;
  struct ak_error *error = NULL;
  (void) state;
  memset (big, 'a', sizeof big - 1);
  fake_start (&f, 0, fake_drain, NULL, 0);
  ak_stop_init (&stop, 0, NULL);
  assert_int_equal (ak_runner_open (f.client_in, f.client_out, &setup, &stop, &f.runner, &error),
                    AK_STATUS_CONFIG);
  f.client_in = f.client_out = -1;
  fake_join (&f);
  assert_int_equal (f.seen, 0);
  ak_error_free (error);
  ak_stop_done (&stop);
}

static void
talk (struct fake *f)
{
  fake_until (f, FRAME_START);
  uint64_t id = f->frame.id;
  fake_say_u32 (f, FRAME_STARTED, 0, id, 42);
  fake_say_text (f, STREAM_STDOUT, id, "one");
  fake_say_text (f, STREAM_STDERR, id, "two");
  fake_say_text (f, STREAM_STDERR, id, "three");
  fake_say_text (f, STREAM_STDOUT, id, "four");
  fake_say (f, FRAME_EOF, STREAM_STDOUT, id, NULL, 0);
  fake_say (f, FRAME_EOF, STREAM_STDERR, id, NULL, 0);
  fake_say_exit (f, id, EXIT_EXITED, 7, EXIT_SURVIVORS);
  fake_drain (f);
}

static void
output_comes_in_its_order_and_then_the_outcome (void **state)
{
  static struct fake f;
  struct printed p;
  struct ak_outcome o;
  (void) state;
  for (int pipes = 0; pipes < 2; pipes++) {
    fake_connect (&f, pipes, talk, NULL, 0);
    assert_int_equal (fake_execute (&f, 0, NULL, &p, &o, NULL), AK_STATUS_OK);
    fake_join (&f);
    assert_int_equal (o.how, AK_EXITED);
    assert_int_equal (o.code, 7);
    assert_int_equal (o.unconfirmed, 0);
    assert_int_equal (o.cpu_ns, 11 * MS);
    assert_int_equal (o.peak_bytes, 4096);
    assert_string_equal (p.text, "1:one2:twothree1:four");
    fake_printed_clear (&p);
    fake_clear (&f);
  }
}

static void
end_as_told (struct fake *f)
{
  const uint32_t *exit = f->data;
  fake_until (f, FRAME_START);
  if (!(exit[2] & EXIT_NOT_STARTED))
    fake_say_u32 (f, FRAME_STARTED, 0, 1, 42);
  fake_say_exit (f, 1, exit[0], exit[1], exit[2]);
  fake_drain (f);
}

static void
each_outcome_is_handed_on (void **state)
{
  static const uint32_t ends[][3] = {
    { EXIT_EXITED, 0, 0 },
    { EXIT_EXITED, 255, 0 },
    { EXIT_EXITED, 127, EXIT_NOT_STARTED },
    { EXIT_SIGNALLED, 9, 0 },
    { EXIT_SIGNALLED, 64, EXIT_SURVIVORS },
    { EXIT_TIMED_OUT, 9, 0 },
    { EXIT_TIMED_OUT, 0, EXIT_SURVIVORS },
    { EXIT_OUT_OF_MEMORY, 9, 0 },
  };
  static const struct { uint32_t how; int32_t code; uint32_t unconfirmed; } expected[] = {
    { AK_EXITED, 0, 0 }, { AK_EXITED, 255, 0 }, { AK_EXITED, 127, 0 }, { AK_SIGNALLED, 9, 0 },
    { AK_SIGNALLED, 64, 0 }, { AK_TIMED_OUT, 0, 0 }, { AK_TIMED_OUT, 0, 1 }, { AK_OUT_OF_MEMORY, 0, 0 },
  };
  static struct fake f;
  (void) state;
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    struct printed p;
    struct ak_outcome o;
    fake_connect (&f, 0, end_as_told, ends[i], 0);
    assert_int_equal (fake_execute (&f, 60000, NULL, &p, &o, NULL), AK_STATUS_OK);
    fake_join (&f);
    assert_int_equal (o.how, expected[i].how);
    assert_int_equal (o.code, expected[i].code);
    assert_int_equal (o.unconfirmed, expected[i].unconfirmed);
    fake_printed_clear (&p);
    fake_clear (&f);
  }
}

static void
assert_field (const struct fake *f, uint32_t tag, unsigned nth, const char *bytes, size_t size)
{
  size_t n = 0;
  const uint8_t *p = fake_field (f, tag, nth, &n);
  if (!bytes) {
    assert_null (p);
    return;
  }
  assert_non_null (p);
  assert_int_equal (n, size);
  assert_memory_equal (p, bytes, size);
}

static void
a_command_is_described_as_the_protocol_says (void **state)
{
  static struct fake f;
  const char *argv[] = { "echo", "", "a b", NULL }, *env[] = { "X=1", NULL };
  struct ak_exec exec = { .struct_size = sizeof exec, .argv = argv, .env = env, .cwd = "sub",
                          .term_grace_ns = 3 };
  struct printed p;
  struct ak_outcome o;
  size_t n;
  (void) state;
  fake_connect (&f, 0, serve, NULL, 0);
  struct runner_io io = fake_io (&p);
  assert_int_equal (execute (f.runner, &exec, 10000, &io, &o, NULL), AK_STATUS_OK);
  fake_join (&f);
  assert_field (&f, EXEC_ARG, 0, "echo", 4);
  assert_field (&f, EXEC_ARG, 1, "", 0);
  assert_field (&f, EXEC_ARG, 2, "a b", 3);
  assert_field (&f, EXEC_ARG, 3, NULL, 0);
  assert_field (&f, EXEC_ENV, 0, "X=1", 3);
  assert_field (&f, EXEC_CWD, 0, "sub", 3);
  assert_field (&f, EXEC_CODE, 0, NULL, 0);
  assert_field (&f, EXEC_TERM_GRACE, 0, "\3\0\0\0\0\0\0\0", 8);
  assert_field (&f, EXEC_STDIN, 0, "\0\0\0\0", 4);
  uint64_t timeout = ak_wire_u64 (fake_field (&f, EXEC_TIMEOUT, 0, &n));
  assert_in_range (timeout, 9000 * (uint64_t) MS, 10000 * (uint64_t) MS);
  fake_printed_clear (&p);
  fake_clear (&f);
}

static void
code_is_handed_over_byte_for_byte (void **state)
{
  static struct fake f;
  static const char code[] = "\nprint(1)\0\xff";
  struct printed p;
  struct ak_outcome o;
  (void) state;
  for (int i = 0; i < 3; i++) {
    const char *language = (const char *const[]) { "python", NULL, "bash" }[i];
    struct ak_exec exec = {
      .struct_size = sizeof exec, .language = language, .code = code, .code_size = sizeof code
    };
    fake_connect (&f, 0, serve, NULL, 0);
    struct runner_io io = fake_io (&p);
    assert_int_equal (execute (f.runner, &exec, 0, &io, &o, NULL), AK_STATUS_OK);
    fake_join (&f);
    assert_field (&f, EXEC_ARG, 0, i < 2 ? "python3" : "bash", i < 2 ? 7 : 4);
    assert_field (&f, EXEC_TIMEOUT, 0, NULL, 0);
    if (i < 2)
      assert_field (&f, EXEC_CODE, 0, code, sizeof code);
    else
      assert_field (&f, EXEC_CODE, 0, "exec 3<&-;\nprint(1)\0\xff", 10 + sizeof code);
    fake_printed_clear (&p);
    fake_clear (&f);
  }
}

static void
large_code_arrives_whole (void **state)
{
  static struct fake f;
  static const size_t sizes[] = { 65519, 65510, 65500, 65440, 65430, 65420, 131000, 40u << 20 };
  struct printed p;
  struct ak_outcome o;
  (void) state;
  char *code = malloc (40u << 20);
  for (size_t i = 0; i < 40u << 20; i++)
    code[i] = (char) (i * 2654435761u >> 13);
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    struct ak_exec exec = {
      .struct_size = sizeof exec, .language = "python", .code = code, .code_size = sizes[i]
    };
    fake_connect (&f, i & 1, serve, NULL, 0);
    struct runner_io io = fake_io (&p);
    assert_int_equal (execute (f.runner, &exec, 60000, &io, &o, NULL), AK_STATUS_OK);
    assert_int_equal (o.how, AK_EXITED);
    fake_join (&f);
    assert_field (&f, EXEC_CODE, 0, code, sizes[i]);
    fake_printed_clear (&p);
    fake_clear (&f);
  }
  free (code);
}

static void
what_cannot_be_described_is_an_error_and_nothing_is_sent (void **state)
{
  static struct fake f;
  const char *empty[] = { NULL };
  struct ak_exec execs[] = {
    { .struct_size = sizeof execs[0], .language = "cobol", .code = "x", .code_size = 1 },
    { .struct_size = sizeof execs[0], .argv = empty },
    { .struct_size = sizeof execs[0], .code = "x", .code_size = SPEC_MAX },
    { .struct_size = sizeof execs[0], .code = "x", .code_size = UINT64_MAX - 3 },
  };
  static const enum ak_status statuses[] = { AK_STATUS_CAPABILITY, AK_STATUS_CONFIG, AK_STATUS_CONFIG,
                                             AK_STATUS_CONFIG };
  (void) state;
  fake_connect (&f, 0, serve, NULL, 0);
  for (size_t i = 0; i < sizeof execs / sizeof *execs; i++) {
    struct ak_error *error = NULL;
    struct printed p;
    struct ak_outcome o;
    struct runner_io io = fake_io (&p);
    assert_int_equal (execute (f.runner, &execs[i], 0, &io, &o, &error), statuses[i]);
    if (i == 0)
      assert_memory_equal (ak_error_text (error), "language:cobol", 14);
    ak_error_free (error);
    fake_printed_clear (&p);
  }
  fake_join (&f);
  assert_int_equal (f.seen, 2);         /* hello and bye */
}

static void
refuse (struct fake *f)
{
  fake_until (f, FRAME_START);
  fake_say_error (f, f->frame.id, *(const uint32_t *) f->data, "too \033[2Jmany");
  serve (f);
}

static void
a_refused_start_is_an_error_and_the_next_one_works (void **state)
{
  static struct fake f;
  static const uint32_t codes[] = { RUNNER_E_RESOURCE, RUNNER_E_SPEC };
  static const enum ak_status statuses[] = { AK_STATUS_UNAVAILABLE, AK_STATUS_CONFIG };
  (void) state;
  for (int i = 0; i < 2; i++) {
    struct ak_error *error = NULL;
    struct printed p;
    struct ak_outcome o;
    fake_connect (&f, 0, refuse, &codes[i], 0);
    assert_int_equal (fake_execute (&f, 0, NULL, &p, &o, &error), statuses[i]);
    assert_string_equal (ak_error_text (error), "execution: too ?[2Jmany");
    ak_error_free (error);
    fake_printed_clear (&p);
    assert_int_equal (fake_execute (&f, 0, NULL, &p, &o, NULL), AK_STATUS_OK);
    assert_string_equal (p.text, "1:2");
    fake_printed_clear (&p);
    fake_join (&f);
    fake_clear (&f);
  }
}

static void
flood (struct fake *f)
{
  static const uint8_t zeros[FRAME_PAYLOAD_MAX];
  uint64_t credit = CREDIT_START, left = 20u << 20;
  fake_until (f, FRAME_START);
  fake_say_u32 (f, FRAME_STARTED, 0, 1, 42);
  while (left) {
    uint64_t n = earlier (earlier (credit, left), sizeof zeros);
    if (!n) {
      if (!fake_until (f, FRAME_CREDIT))
        return;
      credit += ak_wire_u32 (f->payload);
      continue;
    }
    fake_say (f, FRAME_DATA, STREAM_STDOUT, 1, zeros, n);
    credit -= n;
    left -= n;
  }
  fake_say_exit (f, 1, EXIT_EXITED, 0, 0);
  fake_drain (f);
}

static void
credit_is_given_back_as_output_is_taken (void **state)
{
  static struct fake f;
  struct printed p;
  struct ak_outcome o;
  (void) state;
  fake_connect (&f, 0, flood, NULL, 0);
  assert_int_equal (fake_execute (&f, 30000, NULL, &p, &o, NULL), AK_STATUS_OK);
  fake_join (&f);
  assert_int_equal (o.how, AK_EXITED);
  assert_int_equal (p.total[1], 20u << 20);
  assert_in_range (f.credits, 1, 80);
  fake_printed_clear (&p);
  fake_clear (&f);
}

static void
alternate (struct fake *f)
{
  fake_until (f, FRAME_START);
  fake_say_u32 (f, FRAME_STARTED, 0, 1, 42);
  for (int i = 0; i < 3000; i++) {
    fake_say_text (f, STREAM_STDOUT, 1, "o");
    fake_say_text (f, STREAM_STDERR, 1, "e");
  }
  fake_say_exit (f, 1, EXIT_EXITED, 0, 0);
  fake_drain (f);
}

static void
streams_that_change_at_every_byte_lose_nothing (void **state)
{
  static struct fake f;
  struct printed p;
  struct ak_outcome o;
  (void) state;
  fake_connect (&f, 0, alternate, NULL, 0);
  assert_int_equal (fake_execute (&f, 30000, NULL, &p, &o, NULL), AK_STATUS_OK);
  fake_join (&f);
  assert_int_equal (p.total[1], 3000);
  assert_int_equal (p.total[2], 3000);
  fake_printed_clear (&p);
  fake_clear (&f);
}

static void
texts_of_the_runner_are_bounded_and_harmless (void **state)
{
  char out[RUNNER_TEXT_MAX + 1];
  char big[2000];
  (void) state;
#define TEXT(in) (ak_wire_text (out, (const uint8_t *) (in), sizeof (in) - 1), out)
  assert_string_equal (TEXT ("plain \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"),
                       "plain \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
  assert_string_equal (TEXT ("a\033[2J\r\n\tb\0c\x7f"), "a?[2J???b?c?");
  assert_string_equal (TEXT ("\xc2\x9b" "31m \xe2\x80\xae \xc0\xaf \xed\xa0\x80 \xff \xc3"),
                       "??31m ??? ?? ??? ? ?");
  memset (big, 'x', sizeof big);
  ak_wire_text (out, (const uint8_t *) big, sizeof big);
  assert_int_equal (strlen (out), RUNNER_TEXT_MAX);
  memcpy (big + RUNNER_TEXT_MAX - 1, "\xe2\x82\xac", 3);
  ak_wire_text (out, (const uint8_t *) big, sizeof big);
  assert_int_equal (strlen (out), RUNNER_TEXT_MAX - 1);
}

static void
languages_are_known_by_name (void **state)
{
  (void) state;
  assert_string_equal (ak_language_find ("python")->argv[0], "python3");
  assert_null (ak_language_find ("python")->prefix);
  assert_string_equal (ak_language_find ("bash")->argv[0], "bash");
  assert_string_equal (ak_language_find ("sh")->prefix, "exec 3<&-;");
  assert_null (ak_language_find (""));
  assert_null (ak_language_find ("python3.11"));
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (hello_carries_the_setup_and_brings_the_flags),
    cmocka_unit_test (the_setup_stands_in_hello_as_the_protocol_says),
    cmocka_unit_test (an_environment_beyond_one_frame_is_refused_before_anything_is_said),
    cmocka_unit_test (output_comes_in_its_order_and_then_the_outcome),
    cmocka_unit_test (each_outcome_is_handed_on),
    cmocka_unit_test (a_command_is_described_as_the_protocol_says),
    cmocka_unit_test (code_is_handed_over_byte_for_byte),
    cmocka_unit_test (large_code_arrives_whole),
    cmocka_unit_test (what_cannot_be_described_is_an_error_and_nothing_is_sent),
    cmocka_unit_test (a_refused_start_is_an_error_and_the_next_one_works),
    cmocka_unit_test (credit_is_given_back_as_output_is_taken),
    cmocka_unit_test (streams_that_change_at_every_byte_lose_nothing),
    cmocka_unit_test (texts_of_the_runner_are_bounded_and_harmless),
    cmocka_unit_test (languages_are_known_by_name),
  };
  return cmocka_run_group_tests_name ("runner-client", tests, NULL, NULL);
}
