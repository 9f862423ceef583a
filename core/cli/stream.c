/* SPDX-License-Identifier: Apache-2.0 */
/* Raw output to where ours goes. */
#include "config.h"
#include <errno.h>
#include <poll.h>
#include <unistd.h>
#include "cli.h"

#define LAST_WAIT_MS 1000       /* for a reader, once a signal has asked to end */
#define PIECE 4096              /* what a pipe that is writable takes at once */

/* -1 with EINTR: nobody reads any more, and the user wants to end. */
static int
wait_writable (int fd)
{
  struct pollfd p = { .fd = fd, .events = POLLOUT };
  int n = poll (&p, 1, cli_signals_caught () ? LAST_WAIT_MS : -1);
  if (n == 0)
    errno = EINTR;
  return n > 0 || (n < 0 && errno == EINTR) ? 0 : -1;
}

int
cli_write_all (int fd, const void *data, size_t size)
{
  for (const char *p = data, *end = p + size; p < end;) {
    size_t piece = (size_t) (end - p);
    if (cli_signals_caught ()) {
      piece = piece < PIECE ? piece : PIECE;
      if (wait_writable (fd))
        return -1;
    }
    ssize_t n = write (fd, p, piece);
    if (n >= 0)
      p += n;
    else if (errno == EAGAIN ? wait_writable (fd) : errno != EINTR)
      return -1;
  }
  return 0;
}
