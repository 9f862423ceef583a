/* SPDX-License-Identifier: Apache-2.0 */
/* A provider that does nothing, at once: what is left is the host. */
#include <aksandbox/provider.h>

static char something;

static int32_t
noop_open (struct ak_call *call, const struct ak_config *config, void **instance)
{
  (void) call;
  (void) config;
  *instance = &something;
  return AK_OK;
}

static void
noop_close (void *instance)
{
  (void) instance;
}

static int32_t
noop_create (void *instance, struct ak_call *call, const struct ak_spec *spec, void **sandbox)
{
  (void) instance;
  (void) spec;
  call->host->report (call, AK_REPORT_ID, NULL, "noop-1");
  *sandbox = &something;
  return AK_OK;
}

static int32_t
noop_by_id (void *instance, struct ak_call *call, const char *id)
{
  (void) instance;
  (void) call;
  (void) id;
  return AK_OK;
}

static int32_t
noop_list (void *instance, struct ak_call *call)
{
  (void) instance;
  (void) call;
  return AK_OK;
}

static void
noop_release (void *sandbox)
{
  (void) sandbox;
}

static int32_t
noop_execute (void *sandbox, struct ak_call *call, const struct ak_exec *exec, struct ak_outcome *outcome)
{
  (void) sandbox;
  (void) call;
  (void) exec;
  outcome->how = AK_EXITED;
  return AK_OK;
}

static const struct ak_ops noop_ops = {
  .struct_size = sizeof (struct ak_ops),
  .open = noop_open,
  .close = noop_close,
  .create = noop_create,
  .destroy = noop_by_id,
  .kill = noop_by_id,
  .list = noop_list,
  .release = noop_release,
  .execute_code = noop_execute,
  .execute_command = noop_execute,
};

AK_PROVIDER (noop, AK_CAP_SHELL | AK_CAP_PROVISIONS, AK_TIER_NONE, AK_PARALLEL, &noop_ops,
             AK_KV ("version", "1") AK_KV ("summary", "does nothing") AK_KV ("license", "Apache-2.0")
             AK_KV ("languages", "python"));
