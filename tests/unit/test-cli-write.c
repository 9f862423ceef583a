/* SPDX-License-Identifier: Apache-2.0 */
/* Raw output arrives whole, whatever the descriptor is like. */
#include "config.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "cli/cli.h"

#define SIZE (1u << 20)

static int caught;

int
cli_signals_caught (void)
{
  return caught;
}

struct reader { int fd; size_t size; unsigned sum; };

/* Slowly at first, so that the writer meets a full pipe. */
static void *
read_slowly (void *data)
{
  struct reader *r = data;
  unsigned char buffer[4096];
  usleep (50 * 1000);
  for (ssize_t n; (n = read (r->fd, buffer, sizeof buffer)) > 0;) {
    r->size += (size_t) n;
    for (ssize_t i = 0; i < n; i++)
      r->sum = r->sum * 31 + buffer[i];
  }
  return NULL;
}

static void
everything_arrives_through_a_pipe_that_does_not_block (void **state)
{
  (void) state;
  int fds[2];
  unsigned char *data = malloc (SIZE);
  unsigned sum = 0;
  pthread_t thread;
  assert_non_null (data);
  for (size_t i = 0; i < SIZE; i++) {
    data[i] = (unsigned char) (i * 7 + i / 256);
    sum = sum * 31 + data[i];
  }
  assert_int_equal (pipe2 (fds, O_CLOEXEC), 0);
  assert_int_equal (fcntl (fds[1], F_SETFL, O_NONBLOCK), 0);
  struct reader reader = { fds[0], 0, 0 };
  assert_int_equal (pthread_create (&thread, NULL, read_slowly, &reader), 0);
  assert_int_equal (cli_write_all (fds[1], data, SIZE), 0);
  close (fds[1]);
  pthread_join (thread, NULL);
  assert_int_equal (reader.size, SIZE);
  assert_int_equal (reader.sum, sum);
  close (fds[0]);
  free (data);
}

static void
a_reader_that_is_gone_is_told_apart (void **state)
{
  (void) state;
  int fds[2];
  signal (SIGPIPE, SIG_IGN);
  assert_int_equal (pipe2 (fds, O_CLOEXEC), 0);
  close (fds[0]);
  assert_int_equal (cli_write_all (fds[1], "x", 1), -1);
  assert_int_equal (errno, EPIPE);
  close (fds[1]);
}

static void
a_full_disk_is_an_error (void **state)
{
  (void) state;
  int fd = open ("/dev/full", O_WRONLY | O_CLOEXEC);
  if (fd < 0) {
    printf ("# SKIP: no /dev/full\n");
    skip ();
  }
  assert_int_equal (cli_write_all (fd, "x", 1), -1);
  assert_int_equal (errno, ENOSPC);
  close (fd);
}

static void
after_a_signal_nobody_waits_long_for_a_reader (void **state)
{
  (void) state;
  int fds[2];
  char *data = calloc (1, SIZE);
  assert_non_null (data);
  assert_int_equal (pipe2 (fds, O_CLOEXEC), 0);
  caught = SIGINT;
  alarm (30);                           /* the test must not hang if it does wait */
  assert_int_equal (cli_write_all (fds[1], data, SIZE), -1);
  assert_int_equal (errno, EINTR);
  alarm (0);
  caught = 0;
  close (fds[0]);
  close (fds[1]);
  free (data);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (everything_arrives_through_a_pipe_that_does_not_block),
    cmocka_unit_test (a_reader_that_is_gone_is_told_apart),
    cmocka_unit_test (a_full_disk_is_an_error),
    cmocka_unit_test (after_a_signal_nobody_waits_long_for_a_reader),
  };
  return cmocka_run_group_tests_name ("write", tests, NULL, NULL);
}
