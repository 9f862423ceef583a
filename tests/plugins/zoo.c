/* SPDX-License-Identifier: Apache-2.0 */
/* A provider named zoo that is right when compiled as it stands, and wrong in one way by a macro:
 *
 *   ZOO_MAJOR=N            another major version
 *   AK_USE_MINOR=N         another minor version
 *   ZOO_CAPS=MASK          other capabilities
 *   ZOO_OPS_SIZE=N         another size of the table of operations
 *   ZOO_BIGGER_OPS         a table with operations that only a later host knows
 *   ZOO_NO_OPS             no table
 *   ZOO_WITHOUT_open, ..._list, ..._execute_command   that operation is NULL
 *   ZOO_WITH_ATTACH        an operation attach
 *   ZOO_UNDEFINED          calls a function that nobody has
 *   ZOO_TWO                a second provider, named zebra, in the same file
 *   ZOO_LOUD               prints and sets a variable when it is loaded
 *   ZOO_HOSTILE            a summary that steers a terminal
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <aksandbox/provider.h>

#ifdef ZOO_MAJOR
#undef AK_PROVIDER_MAJOR
#define AK_PROVIDER_MAJOR ZOO_MAJOR
#endif
#ifndef ZOO_CAPS
#define ZOO_CAPS (AK_CAP_PROVISIONS | AK_CAP_SHELL)
#endif
#ifndef ZOO_OPS_SIZE
#define ZOO_OPS_SIZE (sizeof (struct ak_ops))
#endif
#ifdef ZOO_HOSTILE
#define ZOO_SUMMARY "a zoo\033]0;owned\007"
#else
#define ZOO_SUMMARY "a zoo"
#endif

#ifdef ZOO_UNDEFINED
extern int32_t zoo_nobody_has_this (void);
#endif

static int32_t
zoo_open (struct ak_call *call, const struct ak_config *config, void **instance)
{
  static char self;
  (void) call;
  (void) config;
  *instance = &self;
#ifdef ZOO_UNDEFINED
  return zoo_nobody_has_this ();
#else
  return AK_OK;
#endif
}

static void
zoo_close (void *instance)
{
  (void) instance;
}

static int32_t
zoo_create (void *instance, struct ak_call *call, const struct ak_spec *spec, void **sandbox)
{
  (void) spec;
  call->host->report (call, AK_REPORT_ID, NULL, "zoo-1");
  *sandbox = instance;
  return AK_OK;
}

static int32_t
zoo_destroy (void *instance, struct ak_call *call, const char *id)
{
  (void) instance;
  (void) call;
  (void) id;
  return AK_OK;
}

static int32_t
zoo_list (void *instance, struct ak_call *call)
{
  (void) instance;
  (void) call;
  return AK_OK;
}

static void
zoo_release (void *sandbox)
{
  (void) sandbox;
}

static int32_t
zoo_execute (void *sandbox, struct ak_call *call, const struct ak_exec *exec, struct ak_outcome *outcome)
{
  (void) sandbox;
  (void) exec;
  call->host->write (call, AK_STDOUT, "zoo\n", 4);
  outcome->how = AK_EXITED;
  return AK_OK;
}

#ifdef ZOO_LOUD
__attribute__ ((constructor)) static void
zoo_shout (void)
{
  puts ("zoo: loaded");
  fflush (stdout);
  setenv ("ZOO_WAS_LOADED", "1", 1);
}
#endif

struct zoo_ops {
  struct ak_ops ops;
  void (*later[4]) (void);
};

static const struct zoo_ops zoo_ops = {
  .ops = {
#ifdef ZOO_BIGGER_OPS
    .struct_size = sizeof (struct zoo_ops),
#else
    .struct_size = ZOO_OPS_SIZE,
#endif
#ifndef ZOO_WITHOUT_open
    .open = zoo_open,
#endif
    .close = zoo_close,
    .create = zoo_create,
#ifdef ZOO_WITH_ATTACH
    .attach = zoo_create,
#endif
    .destroy = zoo_destroy,
    .kill = zoo_destroy,
#ifndef ZOO_WITHOUT_list
    .list = zoo_list,
#endif
    .release = zoo_release,
    .execute_code = zoo_execute,
#ifndef ZOO_WITHOUT_execute_command
    .execute_command = zoo_execute,
#endif
  },
  .later = { (void (*) (void)) zoo_close },
};
#ifdef ZOO_NO_OPS
#define ZOO_OPS NULL
#else
#define ZOO_OPS &zoo_ops.ops
#endif

AK_OPTION (zoo, cages, AK_T_INT, AK_REQUIRED, 0,
           AK_KV ("default", "4") AK_KV ("min", "1") AK_KV ("max", "99")
             AK_KV ("help", "how many there are"));
AK_OPTION (zoo, animal, AK_T_STRING, 0, 0,
           AK_KV ("default", "ape") AK_KV ("choices", "ape bear cat") AK_KV ("excludes", "fence"));
AK_OPTION (zoo, fence, AK_T_BOOL, 0, AK_CAP_NET_DENY, AK_KV ("default", "false"));
AK_OPTION (zoo, isolation, AK_T_TIER, 0, 0, "");
AK_OPTION (zoo, key, AK_T_ENV, 0, 0, AK_KV ("default", "ZOO_KEY"));
AK_PROVIDER (zoo, ZOO_CAPS, AK_TIER_CONTAINER, AK_PARALLEL, ZOO_OPS,
             AK_KV ("version", "1.2.3") AK_KV ("summary", ZOO_SUMMARY) AK_KV ("license", "Apache-2.0")
             AK_KV ("origin", "https://example.org/zoo") AK_KV ("languages", "python echo")
             AK_KV ("env", "ZOO_KEY ZOO_URL") AK_KV ("package", "acme-zoo"));
#ifdef ZOO_TWO
AK_PROVIDER (zebra, ZOO_CAPS, AK_TIER_NONE, AK_SERIAL, ZOO_OPS,
             AK_KV ("version", "7") AK_KV ("languages", "python"));
#endif
