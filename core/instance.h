/* SPDX-License-Identifier: Apache-2.0 */
/* A provider opened for one profile: its options, its capabilities here, and the calls into it. */
#ifndef AKSANDBOX_CORE_INSTANCE_H
#define AKSANDBOX_CORE_INSTANCE_H
#include <pthread.h>
#include <sys/types.h>
#include "configuration.h"
#include "gate.h"
#include "log.h"
#include "module.h"
#include "options.h"
#include "stop.h"

struct finding { char *verdict, *text; };       /* "ok", "warn", "fail"; what, and the remedy */

struct instance {
  const struct module *module;
  const struct profile_config *profile;         /* borrowed: it outlives the instance */
  struct options *options;
  struct log_sink log;
  char registry[37];                            /* UUID in the labels of what it makes */
  const struct ak_principal *principal;         /* borrowed: whom every sandbox of it serves; NULL: the agent */
  pid_t owner;                                  /* not used in a forked child */
  uint32_t asserted;                            /* capabilities by the operator's word */
  int tier_asserted;
  pthread_mutex_t lock;                         /* of what follows, until `opened` */
  int opened;
  int alive;                                    /* the plugin's open succeeded */
  void *self;                                   /* the plugin's; it may be NULL */
  uint32_t caps, tier;                          /* declared and asserted, and what probe left */
  char **languages;
  struct finding *findings;
  size_t n_findings;
  int warned;                                   /* of a policy that is not enforced (strict: false) */
  struct gate serial;                           /* held around every call of a serial provider */
};

/* What the plugin gets as struct ak_config. */
struct ak_config {
  struct instance instance;
};

/* Check the profile against the manifest (lifecycle rules, options) and make the instance; calls nothing of
 * the plugin. `profile` is borrowed, `registry` copied. */
enum ak_status ak_instance_new (const struct module *module, const struct profile_config *profile,
                                const struct log_sink *log, const char *registry, struct instance **ret,
                                struct ak_error **error);
/* Before its first use: it acts for this principal, who outlives it and whose credentials no text of the
 * provider's gives away. */
enum ak_status ak_instance_serve (struct instance *instance, const struct ak_principal *principal,
                                  struct ak_error **error);
/* Open and probe at first use, within the profile's create_timeout; afterwards it costs a load. `cancel` may be
 * NULL. */
enum ak_status ak_instance_open (struct instance *instance, struct ak_cancel *cancel, struct ak_error **error);
void ak_instance_free (struct instance *instance);
const char *ak_instance_name (const struct instance *instance);

#endif
