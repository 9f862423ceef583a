/* SPDX-License-Identifier: Apache-2.0 */
/* Deadlines and cancel wishes: asking costs a load and a clock, a descriptor is made only for who polls. */
#include "config.h"
#include "stop.h"
#include <aksandbox.h>
#include <aksandbox/provider.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>
#include "cleanup.h"

#define NS_PER_S 1000000000u

uint64_t
ak_now_ns (void)
{
  struct timespec t;
  clock_gettime (CLOCK_MONOTONIC, &t);
  return (uint64_t) t.tv_sec * NS_PER_S + (uint64_t) t.tv_nsec;
}

void
ak_stop_init (struct stop *stop, uint64_t deadline_ns, struct ak_cancel *cancel)
{
  stop->deadline_ns = deadline_ns;
  stop->cancel = cancel;
  atomic_init (&stop->abandoned, 0);
  pthread_mutex_init (&stop->lock, NULL);
  stop->fd = stop->timer = -1;
}

void
ak_stop_done (struct stop *stop)
{
  cleanup_close (&stop->fd);
  cleanup_close (&stop->timer);
  stop->fd = stop->timer = -1;
  pthread_mutex_destroy (&stop->lock);
}

/* A wish comes first: it is somebody's, and the deadline passes by itself. */
int
ak_stop_reason (const struct stop *stop)
{
  if (atomic_load_explicit (&stop->abandoned, memory_order_acquire)
      || (stop->cancel && atomic_load_explicit (&stop->cancel->fired, memory_order_acquire)))
    return AK_E_CANCELLED;
  if (stop->deadline_ns && ak_now_ns () >= stop->deadline_ns)
    return AK_E_TIMEOUT;
  return AK_OK;
}

static int
watch (int epoll, int fd)
{
  struct epoll_event event = { .events = EPOLLIN, .data = { .fd = fd } };
  return epoll_ctl (epoll, EPOLL_CTL_ADD, fd, &event);
}

static int
new_timer (uint64_t at_ns)
{
  int fd = timerfd_create (CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  struct itimerspec at = { .it_value = { .tv_sec = (time_t) (at_ns / NS_PER_S),
                                         .tv_nsec = (long) (at_ns % NS_PER_S) } };
  if (fd >= 0 && timerfd_settime (fd, TFD_TIMER_ABSTIME, &at, NULL) != 0)
    cleanup_close (&fd), fd = -1;
  return fd;
}

int
ak_stop_fd (struct stop *stop)
{
  LOCK_FOR_SCOPE (&stop->lock);
  if (stop->fd >= 0)
    return stop->fd;
  CLEANUP_CLOSE int fd = epoll_create1 (EPOLL_CLOEXEC);
  CLEANUP_CLOSE int timer = stop->deadline_ns ? new_timer (stop->deadline_ns) : -1;
  if (fd < 0 || (stop->deadline_ns && timer < 0))
    return -1;
  if ((timer >= 0 && watch (fd, timer) != 0) || (stop->cancel && watch (fd, stop->cancel->fd) != 0))
    return -1;
  stop->timer = TAKE_FD (timer);
  stop->fd = TAKE_FD (fd);
  return stop->fd;
}

struct ak_cancel *
ak_cancel_new (void)
{
  struct ak_cancel *cancel = malloc (sizeof *cancel);
  if (!cancel)
    return NULL;
  atomic_init (&cancel->fired, 0);
  cancel->fd = eventfd (0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (cancel->fd < 0) {
    free (cancel);
    return NULL;
  }
  return cancel;
}

void
ak_cancel_fire (struct ak_cancel *cancel)
{
  int saved = errno;
  if (!atomic_exchange (&cancel->fired, 1))
    while (write (cancel->fd, &(uint64_t) { 1 }, sizeof (uint64_t)) < 0 && errno == EINTR)
      ;
  errno = saved;
}

void
ak_cancel_free (struct ak_cancel *cancel)
{
  if (!cancel)
    return;
  close (cancel->fd);
  free (cancel);
}
