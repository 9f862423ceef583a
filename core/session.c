/* SPDX-License-Identifier: Apache-2.0 */
/* A session: the logical sandbox that outlives its real ones. */
#include "config.h"
#include "session.h"
#include "cleanup.h"
#include "strv.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#define WAIT_SLICE_NS (50 * 1000 * 1000)        /* how long a cancelled waiter may go unnoticed */

enum ak_status
ak_session_init (struct ak_session *session, struct ak_runtime *runtime, struct instance *instance,
                 struct ak_error **error)
{
  unsigned char random[16];
  if (getrandom (random, sizeof random, 0) != sizeof random)
    return ak_fail (error, AK_STATUS_INTERNAL, NULL, "session: no random bytes: %s", strerror (errno));
  for (size_t i = 0; i < sizeof random; i++)
    snprintf (session->id + 2 * i, 3, "%02x", random[i]);
  session->runtime = runtime;
  session->instance = instance;
  pthread_condattr_t attr;
  pthread_condattr_init (&attr);
  pthread_condattr_setclock (&attr, CLOCK_MONOTONIC);
  pthread_mutex_init (&session->lock, NULL);
  pthread_cond_init (&session->changed, &attr);
  pthread_condattr_destroy (&attr);
  return AK_STATUS_OK;
}

static void
sleep_locked (struct ak_session *session)
{
  uint64_t until = ak_now_ns () + WAIT_SLICE_NS;
  struct timespec t = { (time_t) (until / 1000000000), (long) (until % 1000000000) };
  pthread_cond_timedwait (&session->changed, &session->lock, &t);
}

static enum ak_status
stopped (const struct ak_session *session, int reason, struct ak_error **error)
{
  return ak_fail (error, reason == AK_E_TIMEOUT ? AK_STATUS_TIMEOUT : AK_STATUS_CANCELLED, NULL,
                  "session %s: %s while another operation on it was under way", session->id,
                  reason == AK_E_TIMEOUT ? "timed out" : "cancelled");
}

enum ak_status
ak_session_enter_alone (struct ak_session *session, struct stop *stop, struct ak_error **error)
{
  int reason = AK_OK;
  LOCK_FOR_SCOPE (&session->lock);
  session->wanted++;
  while ((session->exclusive || session->users) && !(reason = ak_stop_reason (stop)))
    sleep_locked (session);
  session->wanted--;
  if (reason)
    return stopped (session, reason, error);
  session->exclusive = 1;
  return AK_STATUS_OK;
}

static int
usable_locked (const struct ak_session *session)
{
  const struct sandbox *s = session->live;
  return s && !session->stale && !(s->runner && ak_runner_is_lost (s->runner));
}

/* 1: counted as an operation, 2: alone, 0: not now. */
static int
enter_locked (struct ak_session *session, int may_be_alone)
{
  if (session->exclusive || session->wanted)
    return 0;
  if (usable_locked (session)) {
    session->users++;
    return 1;
  }
  if (!may_be_alone || session->users)
    return 0;
  session->exclusive = 1;
  return 2;
}

enum ak_status
ak_session_enter (struct ak_session *session, struct stop *stop, int *alone, struct ak_error **error)
{
  int entered, reason;
  LOCK_FOR_SCOPE (&session->lock);
  while (!(entered = enter_locked (session, 1))) {
    if ((reason = ak_stop_reason (stop)))
      return stopped (session, reason, error);
    sleep_locked (session);
  }
  *alone = entered == 2;
  return AK_STATUS_OK;
}

int
ak_session_try_enter (struct ak_session *session)
{
  LOCK_FOR_SCOPE (&session->lock);
  return enter_locked (session, 0);
}

void
ak_session_leave_alone (struct ak_session *session)
{
  LOCK_FOR_SCOPE (&session->lock);
  session->exclusive = 0;
  pthread_cond_broadcast (&session->changed);
}

void
ak_session_share (struct ak_session *session)
{
  LOCK_FOR_SCOPE (&session->lock);
  session->exclusive = 0;
  session->users++;
  pthread_cond_broadcast (&session->changed);
}

void
ak_session_leave (struct ak_session *session)
{
  LOCK_FOR_SCOPE (&session->lock);
  if (!--session->users)
    pthread_cond_broadcast (&session->changed);
}

void
ak_session_set_id (struct ak_session *session, char *id)
{
  LOCK_FOR_SCOPE (&session->lock);
  free (session->sandbox_id);
  session->sandbox_id = id;
}

void
ak_session_clear (struct ak_session *session)
{
  ak_sandbox_release (session->live);
  free (session->sandbox_id);
  ak_strv_free (session->told_ids);
  pthread_mutex_destroy (&session->lock);
  pthread_cond_destroy (&session->changed);
}
