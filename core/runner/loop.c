/* SPDX-License-Identifier: Apache-2.0 */
/* The poll loop. */
#include "runner.h"
#include "protect.h"
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

/* What one execution may have in the poll set. */
enum { WATCH_CONTROL, WATCH_OUT, WATCH_ERR, WATCH_IN };

struct watched { struct execution *e; int what; };

static struct pollfd polls[4 + 4 * EXECUTIONS_MAX];
static struct watched watched[4 + 4 * EXECUTIONS_MAX];
static size_t n_polls;

volatile sig_atomic_t runner_child_changed;

uint64_t
now_ns (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return (uint64_t) now.tv_sec * 1000000000 + (uint64_t) now.tv_nsec;
}

static size_t
watch (int fd, short events, struct execution *e, int what)
{
  polls[n_polls] = (struct pollfd) { .fd = fd, .events = events };
  watched[n_polls] = (struct watched) { e, what };
  return n_polls++;
}

static void
watch_execution (const struct runner *runner, struct execution *e)
{
  if (e->control >= 0)
    watch (e->control, POLLIN, e, WATCH_CONTROL);
  if (output_wanted (runner, e, &e->outputs[0]))
    watch (e->outputs[0].fd, POLLIN, e, WATCH_OUT);
  if (output_wanted (runner, e, &e->outputs[1]))
    watch (e->outputs[1].fd, POLLIN, e, WATCH_ERR);
  if (e->input.fd >= 0 && e->input.bytes.size)
    watch (e->input.fd, POLLOUT, e, WATCH_IN);
}

/* Room for a whole frame is also needed to read one; what the host sends is not read ahead without end. */
static short
host_events (const struct runner *runner)
{
  return runner->host.input.size <= LINK_INPUT - FRAME_SIZE_MAX && runner->host.output.size < OUTPUT_FRAMES
           ? POLLIN
           : 0;
}

/* Whose turn it is comes first, so that one that is always ready does not take all room of the output. */
static void
watch_all (struct runner *runner)
{
  size_t n = runner->n_executions;
  const struct link *host = &runner->host, *files = &runner->files;

  n_polls = 0;
  watch (host->in, host_events (runner), NULL, 0);
  watch (host->output.size ? host->out : -1, POLLOUT, NULL, 0);
  watch (runner->host_pidfd, POLLIN, NULL, 0);
  watch (runner->files_pid ? files->in : -1,
         (short) ((host->output.size < OUTPUT_PAUSE ? POLLIN : 0) | (files->output.size ? POLLOUT : 0)), NULL,
         0);
  runner->turn = n ? (runner->turn + 1) % n : 0;
  for (size_t i = 0; i < n; i++)
    watch_execution (runner, runner->executions[(runner->turn + i) % n]);
}

static int
has_frame (const struct queue *queue)
{
  struct frame_header header;

  return queue->size && frame_first (queue->bytes + queue->head, queue->size, &header) != 0;
}

/* Frames that came in were left, because there was no room for what they lead to; meanwhile there is. */
static int
has_work (const struct runner *runner)
{
  size_t waiting = runner->host.output.size;

  return (waiting < OUTPUT_FRAMES && has_frame (&runner->host.input))
         || (waiting < OUTPUT_PAUSE && runner->files_pid && has_frame (&runner->files.input));
}

static void
wait_for_events (struct runner *runner)
{
  uint64_t next = has_work (runner) ? 0 : file_next_time (runner), now = now_ns ();
  struct timespec timeout;
  sigset_t waiting;

  for (size_t i = 0; i < runner->n_executions; i++) {
    uint64_t at = exec_next_time (runner->executions[i]);

    next = at < next ? at : next;
  }
  if (runner_walks (runner) && next > now + MILLISECOND / 2)
    next = now + MILLISECOND / 2;
  next = next > now ? next - now : 0;
  timeout.tv_sec = (time_t) (next / 1000000000);
  timeout.tv_nsec = (long) (next % 1000000000);
  protect_signal_set (&waiting);
  if (ppoll (polls, n_polls, &timeout, &waiting) >= 0)
    return;
  /* Blind, as after an attack on its limits where there is no filter: then nothing may go on. */
  if (errno != EINTR)
    runner->ending = 1;
  for (size_t i = 0; i < n_polls; i++)
    polls[i].revents = 0;
}

/* What waits for its children is no use stopped, and the programs have the right to stop it. */
static void
resume (const struct runner *runner, pid_t pid)
{
  int ours = pid == runner->files_pid;

  for (size_t i = 0; i < runner->n_executions && !ours; i++)
    ours = pid == runner->executions[i]->shepherd;
  if (ours)
    kill (pid, SIGCONT);
}

static void
reap (struct runner *runner)
{
  struct rusage usage;
  int status;
  pid_t pid;

  if (!runner_child_changed)
    return;
  runner_child_changed = 0;
  while ((pid = wait4 (-1, &status, WNOHANG | WUNTRACED | __WALL, &usage)) > 0)
    if (WIFSTOPPED (status))
      resume (runner, pid);
    else if (!files_reaped (runner, pid))
      exec_reaped (runner, pid, &usage);
}

static void
serve_host (struct runner *runner)
{
  int over = 0;

  if (polls[2].revents)
    over = 1;
  if (polls[0].revents && polls[0].events == 0)
    over = 1;                           /* only an error or the other side's end is told unasked */
  if (polls[0].revents & (POLLIN | POLLHUP | POLLERR) && !over)
    over = link_read (&runner->host) < 0;
  if (over)
    runner->ending = 1;
  host_frames (runner);
}

static void
serve_executions (struct runner *runner)
{
  for (size_t i = 4; i < n_polls; i++)
    if (polls[i].revents && watched[i].what == WATCH_CONTROL)
      exec_control (runner, watched[i].e);
  for (size_t i = 0; i < runner->n_executions; i++)
    exec_progress (runner, runner->executions[i]);
  for (size_t i = 4; i < n_polls; i++) {
    struct execution *e = watched[i].e;
    int what = watched[i].what;

    if (!polls[i].revents || e->state == EXEC_GONE)
      continue;
    if (what == WATCH_IN && e->input.fd >= 0)
      input_drain (runner, e);
    else if ((what == WATCH_OUT || what == WATCH_ERR)
             && output_wanted (runner, e, &e->outputs[what == WATCH_ERR]))
      output_forward (runner, e, what == WATCH_ERR);
  }
}

static void
serve_times (struct runner *runner)
{
  uint64_t now = now_ns ();

  for (size_t i = 0; i < runner->n_executions; i++)
    exec_time (runner, runner->executions[i], now);
  file_times (runner, now);
  if (runner_walks (runner))
    runner_walk (runner);
}

void
runner_loop (struct runner *runner)
{
  while (!runner->ending) {
    watch_all (runner);
    wait_for_events (runner);
    reap (runner);
    serve_executions (runner);
    if (runner->files_pid)
      file_frames (runner, polls[3].revents & ~POLLOUT);
    serve_host (runner);
    serve_times (runner);
    exec_sweep (runner);
    /* By its size the queue has room for all frames; one that is lost would be worse than an end. */
    if (link_write (&runner->host) || runner->host.output.overrun)
      runner->ending = 1;
  }
}
