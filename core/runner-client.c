/* SPDX-License-Identifier: Apache-2.0 */
/* The runner's client: the connection, from hello to bye. */
#include "config.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cleanup.h"
#include "runner-private.h"

#define HELLO_HEAD 8u
#define LIMIT_SIZE 24u

static size_t
hello_size (const struct runner_setup *setup)
{
  size_t size =
    HELLO_HEAD + FIELD_HEAD + strlen (setup->workspace) + setup->n_limits * (FIELD_HEAD + LIMIT_SIZE);
  for (size_t i = 0; setup->env && setup->env[i]; i++)
    size += FIELD_HEAD + strlen (setup->env[i]);
  return size;
}

static void
put_hello (uint8_t *at, const struct runner_setup *setup)
{
  at = ak_wire_put_u32 (at, RUNNER_MAGIC);
  at = ak_wire_put_u32 (at, RUNNER_VERSION);
  at = ak_wire_put_field (at, SETUP_WORKSPACE, setup->workspace, strlen (setup->workspace));
  for (size_t i = 0; i < setup->n_limits; i++) {
    uint8_t limit[LIMIT_SIZE], *p = ak_wire_put_u32 (limit, (uint32_t) setup->limits[i].resource);
    p = ak_wire_put_u32 (p, 0);
    p = ak_wire_put_u64 (p, setup->limits[i].value);
    ak_wire_put_u64 (p, setup->limits[i].value);
    at = ak_wire_put_field (at, SETUP_LIMIT, limit, sizeof limit);
  }
  for (size_t i = 0; setup->env && setup->env[i]; i++)
    at = ak_wire_put_field (at, SETUP_ENV, setup->env[i], strlen (setup->env[i]));
}

/* Ours alone from now on, so that their flags are nobody else's. */
static int
adopt (int fd, int *is_socket)
{
  struct stat st;
  if (fstat (fd, &st) != 0 || fcntl (fd, F_SETFD, FD_CLOEXEC) != 0)
    return -1;
  *is_socket = S_ISSOCK (st.st_mode);
  if (*is_socket)
    return 0;
  int flags = fcntl (fd, F_GETFL);
  return flags < 0 ? -1 : fcntl (fd, F_SETFL, flags | O_NONBLOCK);
}

static void
runner_free (struct runner *r)
{
  if (!r)
    return;
  if (r->read_fd >= 0)
    close (r->read_fd);
  if (r->write_fd >= 0 && r->write_fd != r->read_fd)
    close (r->write_fd);
  if (r->wake_fd >= 0)
    close (r->wake_fd);
  while (r->n_spare_wakes)
    close (r->spare_wakes[--r->n_spare_wakes]);
  pthread_mutex_destroy (&r->lock);
  free (r->in);
  free (r->out);
  free (r);
}

static struct runner *
runner_new (int read_fd, int write_fd)
{
  struct runner *r = calloc (1, sizeof *r);
  if (!r) {
    close (read_fd);
    if (write_fd != read_fd)
      close (write_fd);
    return NULL;
  }
  pthread_mutex_init (&r->lock, NULL);
  r->read_fd = read_fd;
  r->write_fd = write_fd;
  r->wake_fd = eventfd (0, EFD_CLOEXEC | EFD_NONBLOCK);
  r->in = malloc (RUNNER_IN_SIZE);
  r->out = malloc (RUNNER_OUT_SIZE);
  r->times = ak_runner_times;
  r->heard_ns = r->pinged_ns = r->unled_ns = ak_now_ns ();
  return r;
}

/* Waits as the operations do, but is none: it has no id. */
static enum ak_status
greet (struct runner *r, const struct runner_setup *setup, struct stop *stop, struct ak_error **error)
{
  struct op op;
  size_t size = hello_size (setup);
  int reason = AK_OK;
  if (size > FRAME_PAYLOAD_MAX)
    return ak_fail (error, AK_STATUS_CONFIG, NULL, "environment: %zu bytes are too many for every program",
                    size);
  ak_op_begin (&op, r, OP_HELLO, NULL, stop);
  put_hello (ak_wire_frame_locked (r, FRAME_HELLO, 0, 0, size), setup);
  uint64_t limit = ak_now_ns () + r->times.hello_ns;
  uint64_t until = stop->deadline_ns ? earlier (limit, stop->deadline_ns) : limit;
  while (!r->greeted && !atomic_load (&r->lost)) {
    reason = ak_stop_reason (stop);
    if (reason == AK_OK && ak_now_ns () >= limit)
      ak_runner_lose_locked (r, "it did not say hello");
    if (reason != AK_OK || atomic_load (&r->lost))
      break;
    ak_wire_flush_locked (r);
    ak_runner_wait_locked (&op, -1, 0, until);
  }
  ak_op_end_unlock (&op);
  if (reason == AK_E_CANCELLED)
    return ak_fail (error, AK_STATUS_CANCELLED, NULL, "runner: cancelled before it said hello");
  if (reason == AK_E_TIMEOUT)
    return ak_fail (error, AK_STATUS_TIMEOUT, NULL, "runner: did not say hello before the deadline");
  if (atomic_load (&r->lost))
    return ak_fail (error, AK_STATUS_PROVISION, NULL, "runner: %s", r->reason);
  return AK_STATUS_OK;
}

enum ak_status
ak_runner_open (int read_fd, int write_fd, const struct runner_setup *setup, struct stop *stop,
                struct runner **ret, struct ak_error **error)
{
  struct runner *r = runner_new (read_fd, write_fd);
  if (!r)
    return ak_fail_memory (error);
  enum ak_status status = AK_STATUS_OK;
  if (adopt (read_fd, &r->read_is_socket) != 0 || adopt (write_fd, &r->write_is_socket) != 0)
    status = ak_fail (error, AK_STATUS_PROVISION, NULL, "runner: its stream cannot be used: %m");
  else if (r->wake_fd < 0)
    status = ak_fail (error, AK_STATUS_UNAVAILABLE, NULL, "runner: no descriptor to be had: %m");
  else if (!r->in || !r->out)
    status = ak_fail_memory (error);
  else
    status = greet (r, setup, stop, error);
  if (status != AK_STATUS_OK) {
    runner_free (r);
    return status;
  }
  *ret = r;
  return AK_STATUS_OK;
}

void
ak_runner_close (struct runner *runner)
{
  if (!runner)
    return;
  pthread_mutex_lock (&runner->lock);
  ak_wire_put_locked (runner, FRAME_BYE, 0, 0, NULL, 0);
  ak_wire_flush_locked (runner);
  pthread_mutex_unlock (&runner->lock);
  runner_free (runner);
}

void
ak_runner_abandon (struct runner *runner)
{
  runner_free (runner);
}

/* Looks whether the stream has ended since somebody last read, so that a sandbox that went away while
 * nothing ran is made anew before the next program starts and not found missing after. */
int
ak_runner_is_lost (struct runner *runner)
{
  LOCK_FOR_SCOPE (&runner->lock);
  while (!runner->leader && ak_wire_read_locked (runner) > 0)
    ;
  return atomic_load (&runner->lost);
}

const char *
ak_runner_lost_reason (struct runner *runner)
{
  LOCK_FOR_SCOPE (&runner->lock);
  return atomic_load (&runner->lost) ? runner->reason : NULL;
}

uint32_t
ak_runner_flags (const struct runner *runner)
{
  return runner->flags;
}
