/* SPDX-License-Identifier: Apache-2.0 */
/* A configuration with the instances of its profiles. */
#ifndef AKSANDBOX_CORE_RUNTIME_H
#define AKSANDBOX_CORE_RUNTIME_H
#include "broker.h"
#include "pool.h"
#include "principal.h"

struct ak_runtime {
  struct config *config;
  struct module_path *path;
  struct log_sink log;
  char registry[37];                    /* a UUID of its own: the label of what it makes */
  const struct broker *broker;
  struct pool *pool;                    /* of ak_operation_start */
  pthread_mutex_t lock;                 /* of all below */
  struct principal *principal;          /* NULL: not asked for yet, or the agent itself */
  struct instance **instances;          /* one a profile, at its place in the configuration; NULL before its first use */
};

/* The instance of a profile, made at its first use. NULL name: the default profile. */
enum ak_status ak_runtime_instance (struct ak_runtime *runtime, const char *profile, struct instance **ret,
                                    struct ak_error **error);
/* A new one, which acts for the runtime's principal; the caller's. */
enum ak_status ak_runtime_open (struct ak_runtime *runtime, const struct module *module,
                                const struct profile_config *profile, struct instance **ret, struct ak_error **error);
/* Load the provider that a type means. */
enum ak_status ak_runtime_module (struct ak_runtime *runtime, const char *type, const struct module **ret,
                                  struct ak_error **error);

#endif
