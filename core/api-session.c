/* SPDX-License-Identifier: Apache-2.0 */
/* The public functions on sessions. */
#include "config.h"
#include "cleanup.h"
#include "runtime.h"
#include "strv.h"
#include <stdlib.h>
#include <string.h>

#define CACHE_LINE 64

/* With no cache line in common, or threads with a session each would slow each other down. */
static struct ak_session *
session_alloc (void)
{
  size_t size = (sizeof (struct ak_session) + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
  struct ak_session *s = aligned_alloc (CACHE_LINE, size);
  return s ? memset (s, 0, size) : NULL;
}

enum ak_status
ak_session_new (struct ak_runtime *runtime, const char *profile, struct ak_session **session, struct ak_error **error)
{
  struct instance *instance;
  enum ak_status status = ak_runtime_instance (runtime, profile, &instance, error);
  if (status != AK_STATUS_OK)
    return status;
  CLEANUP_FREE struct ak_session *s = session_alloc ();
  if (!s)
    return ak_fail_memory (error);
  status = ak_session_init (s, runtime, instance, error);
  if (status == AK_STATUS_OK)
    *session = TAKE_PTR (s);
  return status;
}

enum ak_status
ak_session_new_type (struct ak_runtime *runtime, const char *type, const char *const *settings,
                     struct ak_session **session, struct ak_error **error)
{
  struct profile_config *profile = NULL;
  struct instance *instance = NULL;
  const struct module *module;
  CLEANUP_FREE struct ak_session *s = session_alloc ();
  if (!s)
    return ak_fail_memory (error);
  enum ak_status status = ak_config_adhoc (type, settings, &profile, error);
  if (status == AK_STATUS_OK)
    status = ak_runtime_module (runtime, type, &module, error);
  if (status == AK_STATUS_OK)
    status = ak_runtime_open (runtime, module, profile, &instance, error);
  if (status == AK_STATUS_OK)
    status = ak_session_init (s, runtime, instance, error);
  if (status != AK_STATUS_OK) {
    ak_instance_free (instance);
    ak_profile_free (profile);
    return status;
  }
  s->own_profile = profile;
  *session = TAKE_PTR (s);
  return AK_STATUS_OK;
}

enum ak_status
ak_session_destroy (struct ak_session *session, struct ak_error **error)
{
  static const struct job job = { .operation = OP_DESTROY };
  return session->runtime->broker->submit (session, &job, NULL, error);
}

void
ak_session_free (struct ak_session *session)
{
  if (!session)
    return;
  ak_session_clear (session);
  if (session->own_profile) {
    ak_instance_free (session->instance);
    ak_profile_free (session->own_profile);
  }
  free (session);
}

const char *
ak_session_provider (const struct ak_session *session)
{
  return ak_instance_name (session->instance);
}

const char *
ak_session_isolation (const struct ak_session *session)
{
  return ak_tier_name (session->instance->tier);
}

const char *
ak_session_sandbox_id (const struct ak_session *session)
{
  struct ak_session *s = (struct ak_session *) (uintptr_t) session;
  LOCK_FOR_SCOPE (&s->lock);
  if (!s->sandbox_id)
    return NULL;
  /* Another thread may be healing or destroying it while this one reads. */
  for (char **told = s->told_ids; told && *told; told++)
    if (strcmp (*told, s->sandbox_id) == 0)
      return *told;
  return ak_strv_add (&s->told_ids, s->sandbox_id) ? NULL : s->told_ids[ak_strv_length ((const char *const *) s->told_ids) - 1];
}
