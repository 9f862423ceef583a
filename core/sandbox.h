/* SPDX-License-Identifier: Apache-2.0 */
/* A sandbox that is at hand: the plugin's handle, and the runner in it when it has one. */
#ifndef AKSANDBOX_CORE_SANDBOX_H
#define AKSANDBOX_CORE_SANDBOX_H
#include "call.h"
#include "runner-client.h"

struct sandbox {
  struct instance *instance;
  void *self;                           /* the plugin's */
  char *id;
  char *id_room;                        /* for an id that is not known yet; or NULL */
  int attached;                         /* the operator's: never destroyed, never killed */
  char *workspace;                      /* what create, attach and open_stream told the runner's client */
  char **env;
  char **languages;                     /* NULL: those of the instance */
  struct runner_limit *limits;
  size_t n_limits;
  char *notice;                         /* of create or attach, for the next result; or NULL */
  char **data;                          /* provider_data: key, JSON, key, JSON... */
  struct runner *runner;                /* NULL: the provider serves its own operations */
  struct gate serial;                   /* held around calls on it when the thread model is per sandbox */
};

/* What a new sandbox is for. Borrowed. */
struct sandbox_spec {
  const char *const *labels;
  const struct ak_principal *principal;
  const struct ak_policy *policy;
  void (*progress) (void *data, const char *text);      /* or NULL */
  void *progress_data;
};

/* Make one, or attach to `id`. *known_id (which may be NULL) gets the sandbox's id as soon as it is known, even when create
 * then fails and what is left could not be destroyed. */
enum ak_status ak_sandbox_create (struct instance *instance, const struct sandbox_spec *spec, struct stop *stop,
                                  struct sandbox **ret, char **known_id, struct ak_error **error);
enum ak_status ak_sandbox_attach (struct instance *instance, const char *id, int external,
                                  const struct sandbox_spec *spec, struct stop *stop, struct sandbox **ret,
                                  struct ak_error **error);
/* Release the handle. What it names lives on, as its provider says. */
void ak_sandbox_release (struct sandbox *sandbox);
/* Of a backend, by id; the handle must have been released. */
enum ak_status ak_sandbox_destroy (struct instance *instance, const char *id, struct stop *stop,
                                   struct ak_error **error);
enum ak_status ak_sandbox_kill (struct instance *instance, const char *id, struct stop *stop, struct ak_error **error);

#endif
