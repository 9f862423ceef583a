/* SPDX-License-Identifier: Apache-2.0 */
/* The broker: how an operation gets to the worker. */
#ifndef AKSANDBOX_CORE_BROKER_H
#define AKSANDBOX_CORE_BROKER_H
#include "worker.h"

struct broker {
  const char *name;
  /* Run the job to its end. */
  enum ak_status (*submit) (struct ak_session *session, const struct job *job, struct ak_result *result,
                            struct ak_error **error);
};

/* In the caller's thread: it cannot give up on a provider that ignores its deadline. */
extern const struct broker ak_broker_embedded;

#endif
