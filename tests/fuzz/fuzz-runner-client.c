/* SPDX-License-Identifier: Apache-2.0 */
/* Frames of a hostile runner into the client: whatever comes, an operation ends, and no execution is a
 * success that has not got its EXIT. The first byte chooses the operation, the rest is what the runner says
 * to it. */
#include "config.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "replay.h"
#include "runner-private.h"

struct hostile {
  int fd;
  const uint8_t *bytes;
  size_t size;
};

static void
say (int fd, const uint8_t *bytes, size_t size)
{
  while (size) {
    ssize_t n = send (fd, bytes, size, MSG_NOSIGNAL);
    if (n <= 0)
      return;
    bytes += n;
    size -= (size_t) n;
  }
}

/* Says hello, waits for the first frame of the operation, says its piece, reads to the end. */
static void *
speak (void *data)
{
  const struct hostile *h = data;
  static const uint8_t hello[32] = { 16, 0, 0, 0, FRAME_HELLO, [16] = 'a', 's', 'k', 'r', 1 };
  uint8_t buffer[4096];
  if (recv (h->fd, buffer, sizeof buffer, 0) > 0) {
    say (h->fd, hello, sizeof hello);
    if (recv (h->fd, buffer, sizeof buffer, 0) > 0)
      say (h->fd, h->bytes, h->size);
  }
  shutdown (h->fd, SHUT_WR);
  while (recv (h->fd, buffer, sizeof buffer, 0) > 0)
    ;
  return NULL;
}

static int
sink (void *data, uint32_t stream, const void *bytes, size_t size)
{
  uint64_t *total = data;
  if (stream < STREAM_STDOUT || stream > STREAM_FILE || !size || !bytes)
    abort ();
  *total += size;
  return 0;
}

static int
entry (void *data, const struct ak_file *file)
{
  uint64_t *total = data;
  *total += strlen (file->path);
  return 0;
}

static int64_t
source (void *data, void *buffer, size_t size)
{
  uint64_t *total = data;
  if (*total >= 200000)
    return 0;
  memset (buffer, 'x', size);
  *total += size;
  return (int64_t) size;
}

static void
operate (struct runner *r, unsigned what, struct stop *stop, const struct runner_io *io)
{
  const char *argv[] = { "true", NULL };
  struct ak_exec exec = { .struct_size = sizeof exec, .argv = argv };
  struct ak_outcome o = { .struct_size = sizeof o };
  enum ak_status status;
  switch (what) {
  case 0: ak_runner_write_file (r, "p", 0, stop, io, NULL); break;
  case 1: ak_runner_read_file (r, "p", stop, io, NULL); break;
  case 2: ak_runner_list_files (r, "p", stop, io, NULL); break;
  case 3: ak_runner_stat_file (r, "p", stop, io, NULL); break;
  case 4: ak_runner_remove_file (r, "p", 1, stop, NULL); break;
  default:
    status = ak_runner_execute (r, &exec, stop, io, NULL, NULL, &o, NULL);
    if (status == AK_STATUS_OK && (o.how < AK_EXITED || o.how > AK_LOST || o.code < 0 || o.code > 255))
      abort ();
  }
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  int fds[2];
  struct runner_setup setup = { .workspace = "/w" };
  struct stop stop;
  struct runner *r;
  pthread_t thread;
  uint64_t total = 0;
  if (size < 1 || socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0)
    return 0;
  struct hostile h = { fds[0], data + 1, size - 1 };
  struct runner_io io = { .data = &total, .write = sink, .read = source, .entry = entry, .stdin_fd = -1 };
  if (pthread_create (&thread, NULL, speak, &h) != 0)
    abort ();
  ak_stop_init (&stop, ak_now_ns () + 5000000000u, NULL);
  if (ak_runner_open (fds[1], fds[1], &setup, &stop, &r, NULL) != AK_STATUS_OK)
    abort ();
  operate (r, data[0] % 8, &stop, &io);
  operate (r, 7, &stop, &io);
  ak_runner_close (r);
  pthread_join (thread, NULL);
  close (fds[0]);
  ak_stop_done (&stop);
  return 0;
}
