/* SPDX-License-Identifier: Apache-2.0 */
/* What an execution is started with: its pipes and its shepherd. */
#include "launch.h"
#include "shepherd.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* Pairs of descriptors: [0] is the runner's end. */
enum { IN, OUT, ERR, CONTROL, N_PAIRS };

static int
make_pipe (int pair[2], int ours)
{
  int ends[2];

  if (pipe2 (ends, O_CLOEXEC))
    return -1;
  pair[0] = ends[ours];
  pair[1] = ends[!ours];
  return fcntl (pair[0], F_SETFL, O_NONBLOCK);
}

/* /dev/null, where it is what it should be; else a pipe that nobody writes. */
static int
make_empty_input (int pair[2])
{
  struct stat st;
  int fd = open ("/dev/null", O_RDONLY | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);

  if (fd >= 0 && fstat (fd, &st) == 0 && S_ISCHR (st.st_mode) && st.st_rdev == makedev (1, 3)) {
    fcntl (fd, F_SETFL, 0);
    pair[1] = fd;
    return 0;
  }
  if (fd >= 0)
    close (fd);
  if (make_pipe (pair, 1))
    return -1;
  close (pair[0]);
  pair[0] = -1;
  return 0;
}

static int
make_pairs (int pairs[N_PAIRS][2], int wants_stdin)
{
  for (int i = 0; i < N_PAIRS; i++)
    pairs[i][0] = pairs[i][1] = -1;
  if (wants_stdin ? make_pipe (pairs[IN], 1) : make_empty_input (pairs[IN]))
    return -1;
  if (make_pipe (pairs[OUT], 0) || make_pipe (pairs[ERR], 0))
    return -1;
  return socketpair (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pairs[CONTROL]);
}

static void
close_side (int pairs[N_PAIRS][2], int side)
{
  for (int i = 0; i < N_PAIRS; i++)
    if (pairs[i][side] >= 0)
      close (pairs[i][side]);
}

int
launch_start (struct runner *runner, struct execution *e)
{
  int pairs[N_PAIRS][2], error;
  pid_t pid = -1;

  if (make_pairs (pairs, (int) e->spec.wants_stdin) == 0)
    pid = fork ();
  if (pid == 0) {
    struct launch launch = {
      pairs[IN][1], pairs[OUT][1], pairs[ERR][1], e->spec.code, pairs[CONTROL][1],
    };

    shepherd_run (runner, &e->spec, &launch);
  }
  error = errno;
  close_side (pairs, 1);
  if (pid < 0) {
    close_side (pairs, 0);
    errno = error;
    return -1;
  }
  e->shepherd = pid;
  e->control = pairs[CONTROL][0];
  e->input.fd = pairs[IN][0];
  e->outputs[0].fd = pairs[OUT][0];
  e->outputs[1].fd = pairs[ERR][0];
  return 0;
}
