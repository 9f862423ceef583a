/* SPDX-License-Identifier: Apache-2.0 */
/* A session: the logical sandbox that outlives its real ones. */
#ifndef AKSANDBOX_CORE_SESSION_H
#define AKSANDBOX_CORE_SESSION_H
#include "sandbox.h"

struct ak_session {
  struct ak_runtime *runtime;           /* borrowed */
  struct instance *instance;            /* the runtime's, or its own with `own_profile` */
  struct profile_config *own_profile;   /* of a session on a type; or NULL */
  char id[33];
  pthread_mutex_t lock;                 /* of all below */
  pthread_cond_t changed;
  unsigned users;                       /* operations under way on `live` */
  unsigned wanted;                      /* threads that wait to be alone, before whom no operation begins */
  int exclusive;                        /* somebody makes, heals or destroys */
  int stale;                            /* `live` must not be used again: it was killed, or its runner is lost */
  struct sandbox *live;                 /* or NULL */
  char *sandbox_id;                     /* what there is at the backend, or NULL; written by who is alone */
  char **told_ids;                      /* what the application was given of it, and may still read */
};

enum ak_status ak_session_init (struct ak_session *session, struct ak_runtime *runtime, struct instance *instance,
                                struct ak_error **error);
/* For an operation: waits until the live sandbox can be used and counts it (*alone is 0), or until somebody must
 * make or heal one and nobody else is at it (*alone is 1). */
enum ak_status ak_session_enter (struct ak_session *session, struct stop *stop, int *alone, struct ak_error **error);
/* Enter where that needs no waiting. */
int ak_session_try_enter (struct ak_session *session);
void ak_session_leave (struct ak_session *session);
/* To destroy: waits until no operation is under way; none begins meanwhile. */
enum ak_status ak_session_enter_alone (struct ak_session *session, struct stop *stop, struct ak_error **error);
void ak_session_leave_alone (struct ak_session *session);
/* Alone no more, and counted as an operation. */
void ak_session_share (struct ak_session *session);
/* Takes `id`, which may be NULL. */
void ak_session_set_id (struct ak_session *session, char *id);
void ak_session_clear (struct ak_session *session);

#endif
