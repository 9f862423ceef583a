/* SPDX-License-Identifier: Apache-2.0 */
/* The runner's client: who of the waiting threads reads the stream, how the others sleep, and when silence is
 * too long. */
#include "config.h"
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include "runner-private.h"

#define LATE_NS 1000000000u             /* a sleep that lasts so much too long: this process was stopped */
#define NO_WAKE_NS 20000000u            /* how long a follower sleeps that got no descriptor */

struct runner_times ak_runner_times = {
  .hello_ns = 10000000000u,
  .ping_ns = 5000000000u,
  .silence_ns = 15000000000u,
  .kill_ns = 500000000u,
  .file_ns = 1000000000u,
};

static void
ring (int fd)
{
  while (fd >= 0 && write (fd, &(uint64_t) { 1 }, sizeof (uint64_t)) < 0 && errno == EINTR)
    ;
}

static void
hush (int fd)
{
  uint64_t n;
  while (fd >= 0 && read (fd, &n, sizeof n) < 0 && errno == EINTR)
    ;
}

static void
follow_locked (struct runner *r, struct op *op)
{
  op->next_waiting = r->waiting;
  if (r->waiting)
    r->waiting->waiting_link = &op->next_waiting;
  op->waiting_link = &r->waiting;
  r->waiting = op;
  op->waits = 1;
}

static void
unfollow_locked (struct op *op)
{
  if (!op->waits)
    return;
  *op->waiting_link = op->next_waiting;
  if (op->next_waiting)
    op->next_waiting->waiting_link = op->waiting_link;
  op->waits = 0;
}

void
ak_runner_wake_locked (struct runner *r, struct op *op)
{
  if (op->waits) {
    unfollow_locked (op);
    ring (op->wake_fd);
  } else if (op == r->leader && r->leader_sleeps) {
    r->leader_sleeps = 0;
    ring (r->wake_fd);
  }
}

static void
lead_locked (struct runner *r, struct op *op)
{
  r->leader = op;
  if (!r->unled_ns)
    return;
  /* While nobody read, silence proves nothing. */
  uint64_t gap = ak_now_ns () - r->unled_ns;
  r->heard_ns += gap;
  r->pinged_ns += gap;
  r->unled_ns = 0;
}

/* Also of a follower: it may be the one that was woken to lead, and must wake another if it does not. */
void
ak_runner_resign_locked (struct op *op)
{
  struct runner *r = op->runner;
  if (r->leader == op) {
    r->leader = NULL;
    r->unled_ns = ak_now_ns ();
  }
  if (!r->leader && r->waiting)
    ak_runner_wake_locked (r, r->waiting);
}

void
ak_runner_lose_locked (struct runner *r, const char *format, ...)
{
  va_list ap;
  if (atomic_load (&r->lost))
    return;
  va_start (ap, format);
  vsnprintf (r->reason, sizeof r->reason, format, ap);
  va_end (ap);
  atomic_store (&r->lost, 1);
  /* The other end shall know it now, not when somebody closes this one: then it kills what runs. */
  if (r->read_is_socket)
    shutdown (r->read_fd, SHUT_RDWR);
  if (r->write_is_socket && r->write_fd != r->read_fd)
    shutdown (r->write_fd, SHUT_RDWR);
  while (r->waiting)
    ak_runner_wake_locked (r, r->waiting);
  if (r->leader)
    ak_runner_wake_locked (r, r->leader);
}

static uint64_t
ping_due_locked (const struct runner *r)
{
  return later (r->heard_ns, r->pinged_ns) + r->times.ping_ns;
}

static void
check_silence_locked (struct runner *r, uint64_t now)
{
  uint8_t payload[8];
  if (now >= r->heard_ns + r->times.silence_ns) {
    ak_runner_lose_locked (r, "it said nothing for %llu ms",
                           (unsigned long long) (r->times.silence_ns / 1000000u));
    return;
  }
  if (now < ping_due_locked (r))
    return;
  ak_wire_put_u64 (payload, ++r->pings);
  ak_wire_put_locked (r, FRAME_PING, 0, 0, payload, sizeof payload);
  r->pinged_ns = now;
}

/* A descriptor to be woken by. -1: there is none to be had, and the caller must not sleep long. */
static int
wake_fd_locked (struct runner *r, struct op *op)
{
  if (op->wake_fd < 0)
    op->wake_fd =
      r->n_spare_wakes ? r->spare_wakes[--r->n_spare_wakes] : eventfd (0, EFD_CLOEXEC | EFD_NONBLOCK);
  return op->wake_fd;
}

enum { SLOT_IN, SLOT_WAKE, SLOT_OUT, SLOT_CANCEL, SLOT_OWN, SLOTS };

/* Returns when it was to end at the latest. */
static uint64_t
sleep_unlocked (struct pollfd fds[SLOTS], uint64_t until_ns)
{
  uint64_t now = until_ns ? ak_now_ns () : 0;
  uint64_t left = until_ns > now ? until_ns - now : 0;
  struct timespec t = { .tv_sec = (time_t) (left / 1000000000u), .tv_nsec = (long) (left % 1000000000u) };
  if (ppoll (fds, SLOTS, until_ns ? &t : NULL, NULL) < 0)
    for (int i = 0; i < SLOTS; i++)
      fds[i].revents = 0;
  return now + left;
}

static uint64_t
sooner (uint64_t until_ns, uint64_t other)
{
  return until_ns ? earlier (until_ns, other) : other;
}

static void
led_locked (struct runner *r, const struct pollfd fds[SLOTS], uint64_t due_ns)
{
  r->leader_sleeps = 0;
  if (fds[SLOT_WAKE].revents)
    hush (r->wake_fd);
  if (fds[SLOT_IN].revents)
    ak_wire_read_locked (r);
  uint64_t now = ak_now_ns ();
  if (now > due_ns + LATE_NS) {
    r->heard_ns += now - due_ns;
    r->pinged_ns += now - due_ns;
  }
  check_silence_locked (r, now);
}

unsigned
ak_runner_wait_locked (struct op *op, int own_fd, int wants_room, uint64_t until_ns)
{
  struct runner *r = op->runner;
  struct pollfd fds[SLOTS] = { { .fd = -1 }, { .fd = -1 }, { .fd = -1 }, { .fd = -1 }, { .fd = -1 } };
  if (atomic_load (&r->lost))
    return WAIT_QUIET;
  if (!r->leader)
    lead_locked (r, op);
  int leads = r->leader == op;
  if (leads) {
    fds[SLOT_IN] = (struct pollfd) { .fd = r->read_fd, .events = POLLIN };
    fds[SLOT_WAKE] = (struct pollfd) { .fd = r->wake_fd, .events = POLLIN };
    until_ns = sooner (until_ns, earlier (ping_due_locked (r), r->heard_ns + r->times.silence_ns));
    r->leader_sleeps = 1;
  } else {
    fds[SLOT_WAKE] = (struct pollfd) { .fd = wake_fd_locked (r, op), .events = POLLIN };
    if (op->wake_fd < 0)
      until_ns = sooner (until_ns, ak_now_ns () + NO_WAKE_NS);
    follow_locked (r, op);
  }
  if (wants_room || r->out_size)
    fds[SLOT_OUT] = (struct pollfd) { .fd = r->write_fd, .events = POLLOUT };
  if (op->stop->cancel && !op->kill_sent)
    fds[SLOT_CANCEL] = (struct pollfd) { .fd = op->stop->cancel->fd, .events = POLLIN };
  fds[SLOT_OWN] = (struct pollfd) { .fd = own_fd, .events = POLLIN };

  pthread_mutex_unlock (&r->lock);
  uint64_t due_ns = sleep_unlocked (fds, until_ns);
  pthread_mutex_lock (&r->lock);

  if (leads)
    led_locked (r, fds, due_ns);
  else {
    unfollow_locked (op);
    if (fds[SLOT_WAKE].revents)
      hush (op->wake_fd);
  }
  if (fds[SLOT_OUT].revents)
    ak_wire_flush_locked (r);
  return (fds[SLOT_IN].revents ? 0 : WAIT_QUIET) | (fds[SLOT_OWN].revents ? WAIT_OWN : 0);
}
