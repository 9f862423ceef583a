/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* fly: the smallest whole provider, whose sandboxes echo. Valid C90, C11 and C++, and what the tests of the
 * header and of installed trees compile as an author outside this tree would. */
#include <stdlib.h>
#include <string.h>
#include <aksandbox/provider.h>

#define FLY_ID "fly-1"

struct fly {
  char greeting[64];
};

static int32_t
fly_open (struct ak_call *call, const struct ak_config *config, void **instance)
{
  const struct ak_host *host = call->host;
  struct fly *fly = (struct fly *) calloc (1, sizeof *fly);
  if (!fly)
    return host->fail (call, AK_E_INTERNAL, "out of memory", NULL);
  strncpy (fly->greeting, host->option (config, "greeting"), sizeof fly->greeting - 1);
  *instance = fly;
  return AK_OK;
}

static void
fly_close (void *instance)
{
  free (instance);
}

static int32_t
fly_create (void *instance, struct ak_call *call, const struct ak_spec *spec, void **sandbox)
{
  (void) spec;
  if (call->host->report (call, AK_REPORT_ID, NULL, FLY_ID) != AK_OK)
    return AK_E_CANCELLED;
  *sandbox = instance;
  return AK_OK;
}

/* Nothing outlives the instance: there is never anything to destroy, kill or list. */
static int32_t
fly_destroy (void *instance, struct ak_call *call, const char *id)
{
  (void) instance;
  (void) call;
  (void) id;
  return AK_OK;
}

static int32_t
fly_list (void *instance, struct ak_call *call)
{
  (void) instance;
  (void) call;
  return AK_OK;
}

static void
fly_release (void *sandbox)
{
  (void) sandbox;
}

static int32_t
fly_execute_code (void *sandbox, struct ak_call *call, const struct ak_exec *exec, struct ak_outcome *outcome)
{
  const struct fly *fly = (const struct fly *) sandbox;
  const struct ak_host *host = call->host;
  if (host->write (call, AK_STDOUT, fly->greeting, strlen (fly->greeting))
      || host->write (call, AK_STDOUT, exec->code, exec->code_size)) {
    outcome->how = host->stopped (call) == AK_E_TIMEOUT ? AK_TIMED_OUT : AK_CANCELLED;
    return AK_OK;
  }
  outcome->how = AK_EXITED;
  return AK_OK;
}

/* By position, as C++ before 20 wants it: struct_size, reserved, open, close, probe, create, attach, destroy,
 * kill, list, release, execute_code, and the rest that is not there. */
static const struct ak_ops fly_ops = {
  sizeof (struct ak_ops), 0, fly_open, fly_close, NULL, fly_create, NULL, fly_destroy, fly_destroy, fly_list,
  fly_release, fly_execute_code, NULL, NULL, NULL, NULL, NULL, NULL
};

AK_OPTION (fly, greeting, AK_T_STRING, 0, 0, AK_KV ("default", "hello, ") AK_KV ("help", "what to say first"));
AK_OPTION (fly, firewall, AK_T_BOOL, 0, AK_CAP_NET_DENY, AK_KV ("default", "false")
           AK_KV ("help", "assert that a firewall denies the network"));
AK_PROVIDER (fly, AK_CAP_PROVISIONS, AK_TIER_NONE, AK_PARALLEL, &fly_ops,
             AK_KV ("version", "1.2.3") AK_KV ("summary", "echoes") AK_KV ("license", "Apache-2.0 OR MIT")
             AK_KV ("origin", "https://example.org/fly") AK_KV ("languages", "python")
             AK_KV ("env", "FLY_TOKEN"));
