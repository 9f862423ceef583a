/* SPDX-License-Identifier: Apache-2.0 */
/* Output that waits to be read: nothing lost, nothing twice, never more than the limit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include "outbox.h"

static void
streams_come_out_in_their_order (void **state)
{
  (void) state;
  struct outbox box;
  enum ak_stream stream;
  char buffer[8];
  assert_int_equal (ak_outbox_init (&box, 16), 0);
  assert_int_equal (ak_outbox_put (&box, AK_STREAM_STDOUT, "one", 3), 3);
  assert_int_equal (ak_outbox_put (&box, AK_STREAM_STDOUT, "two", 3), 3);
  assert_int_equal (ak_outbox_put (&box, AK_STREAM_STDERR, "err", 3), 3);
  assert_int_equal (ak_outbox_get (&box, &stream, buffer, 8), 6);
  assert_memory_equal (buffer, "onetwo", 6);
  assert_int_equal (stream, AK_STREAM_STDOUT);
  assert_int_equal (ak_outbox_get (&box, &stream, buffer, 8), 3);
  assert_int_equal (stream, AK_STREAM_STDERR);
  assert_int_equal (ak_outbox_get (&box, &stream, buffer, 8), 0);
  ak_outbox_clear (&box);
}

static void
a_full_one_takes_what_fits (void **state)
{
  (void) state;
  struct outbox box;
  enum ak_stream stream;
  char buffer[8];
  assert_int_equal (ak_outbox_init (&box, 4), 0);
  assert_int_equal (ak_outbox_put (&box, AK_STREAM_STDOUT, "abcdef", 6), 4);
  assert_int_equal (ak_outbox_put (&box, AK_STREAM_STDOUT, "ef", 2), 0);
  assert_int_equal (ak_outbox_get (&box, &stream, buffer, 1), 1);
  assert_int_equal (ak_outbox_put (&box, AK_STREAM_STDOUT, "ef", 2), 1);
  assert_int_equal (ak_outbox_get (&box, &stream, buffer, 8), 4);
  assert_memory_equal (buffer, "bcde", 4);
  ak_outbox_clear (&box);
}

static void
many_changes_between_the_streams_are_bounded (void **state)
{
  (void) state;
  struct outbox box;
  enum ak_stream stream;
  char c;
  assert_int_equal (ak_outbox_init (&box, 65536), 0);
  size_t n = 0;
  while (ak_outbox_put (&box, n % 2 ? AK_STREAM_STDERR : AK_STREAM_STDOUT, "x", 1))
    n++;
  assert_int_equal (n, OUTBOX_RUNS);
  for (size_t i = 0; i < n; i++) {
    assert_int_equal (ak_outbox_get (&box, &stream, &c, 1), 1);
    assert_int_equal (stream, i % 2 ? AK_STREAM_STDERR : AK_STREAM_STDOUT);
  }
  assert_int_equal (ak_outbox_put (&box, AK_STREAM_STDERR, "x", 1), 1);
  ak_outbox_clear (&box);
}

static void
every_byte_survives_random_reads_and_writes (void **state)
{
  (void) state;
  struct outbox box;
  enum ak_stream stream;
  unsigned char in[2] = { 0, 0 }, out[2] = { 0, 0 };
  srandom (7);
  assert_int_equal (ak_outbox_init (&box, 97), 0);
  for (int i = 0; i < 100000; i++) {
    unsigned char buffer[128];
    size_t size = (size_t) random () % sizeof buffer, n, which = (size_t) random () % 2;
    for (size_t k = 0; k < size; k++)
      buffer[k] = (unsigned char) (in[which] + k);
    n = ak_outbox_put (&box, which ? AK_STREAM_STDERR : AK_STREAM_STDOUT, (const char *) buffer, size);
    in[which] = (unsigned char) (in[which] + n);
    n = ak_outbox_get (&box, &stream, (char *) buffer, (size_t) random () % sizeof buffer);
    for (size_t k = 0; k < n; k++)
      assert_int_equal (buffer[k], out[stream == AK_STREAM_STDERR]++);
    assert_true (box.used <= 97);
  }
  ak_outbox_clear (&box);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (streams_come_out_in_their_order),
    cmocka_unit_test (a_full_one_takes_what_fits),
    cmocka_unit_test (many_changes_between_the_streams_are_bounded),
    cmocka_unit_test (every_byte_survives_random_reads_and_writes),
  };
  return cmocka_run_group_tests_name ("outbox", tests, NULL, NULL);
}
