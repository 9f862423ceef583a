/* SPDX-License-Identifier: Apache-2.0 */
/* The fail-closed checks: what an operation and a policy need, against what the instance has. */
#include "config.h"
#include "cleanup.h"
#include "strv.h"
#include "worker.h"
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

static enum ak_status
lacks (const struct instance *i, const char *capability, struct ak_error **error)
{
  return ak_fail (error, AK_STATUS_CAPABILITY, "`aksandbox providers NAME` shows what a provider can do.",
                  "%s: does not have the capability '%s'", ak_instance_name (i), capability);
}

enum ak_status
ak_admit_language (const struct instance *i, char *const *languages, const char *language, struct ak_error **error)
{
  CLEANUP_FREE char *there = NULL;
  if (ak_strv_has ((const char *const *) languages, language))
    return AK_STATUS_OK;
  there = ak_strv_join ((const char *const *) languages, ", ");
  return ak_fail (error, AK_STATUS_CAPABILITY, NULL, "%s: does not have the capability 'language:%s' (it has%s %s)",
                  ak_instance_name (i), language, *languages ? ":" : "", *languages && there ? there : "none");
}

static enum ak_status
admit_operation (const struct instance *i, const struct job *job, struct ak_error **error)
{
  switch (job->operation) {
  case OP_EXECUTE_CODE:
    return ak_admit_language (i, i->languages, job->exec.language, error);
  case OP_EXECUTE_COMMAND:
    return i->caps & AK_CAP_SHELL ? AK_STATUS_OK : lacks (i, "shell", error);
  case OP_INSTALL_PACKAGES:
    return i->caps & AK_CAP_PACKAGES && i->module->ops.install_packages ? AK_STATUS_OK : lacks (i, "package_install", error);
  case OP_UPLOAD:
  case OP_DOWNLOAD:
  case OP_LIST_FILES:
    return i->caps & AK_CAP_FILES ? AK_STATUS_OK : lacks (i, "files", error);
  case OP_DESTROY:
    break;
  }
  return AK_STATUS_OK;
}

/* A profile that must act for users is refused where it cannot, never downgraded to the agent. */
static enum ak_status
admit_identity (const struct instance *i, struct ak_error **error)
{
  if (!i->profile->identity_user)
    return AK_STATUS_OK;
  if (!(i->caps & AK_CAP_PRINCIPAL_USER))
    return lacks (i, "principal_user", error);
  if (i->principal && i->principal->user)
    return AK_STATUS_OK;
  return ak_fail (error, AK_STATUS_POLICY, "Set `principal_resolver: static` and a block `principal:` with `mode: user`.",
                  "%s: profile '%s' demands a user's identity, and the operation has the agent's", ak_instance_name (i),
                  i->profile->name);
}

static int
is_cidr (const char *text)
{
  char address[64];
  unsigned char binary[16];
  size_t n = strcspn (text, "/");
  if (n >= sizeof address)
    return 0;
  memcpy (address, text, n);
  address[n] = 0;
  return inet_pton (AF_INET, address, binary) == 1 || inet_pton (AF_INET6, address, binary) == 1;
}

/* The capability that a network policy needs first and the instance lacks, or NULL. */
static const char *
network_fault (const struct instance *i)
{
  const struct policy_config *p = &i->profile->policy;
  if (p->network_egress == NETWORK_DENY && !(i->caps & AK_CAP_NET_DENY))
    return "network_egress: deny";
  if (p->network_egress != NETWORK_ALLOWLIST)
    return NULL;
  if (!*p->network_allow && !(i->caps & AK_CAP_NET_DENY))
    return "network_egress: allowlist (an empty one)";
  for (char **entry = p->network_allow; *entry; entry++)
    if (!(i->caps & (is_cidr (*entry) ? AK_CAP_NET_CIDR : AK_CAP_NET_DOMAIN)))
      return is_cidr (*entry) ? "network_egress: allowlist (CIDRs)" : "network_egress: allowlist (domains)";
  return NULL;
}

static char *
policy_faults (const struct instance *i)
{
  const struct policy_config *p = &i->profile->policy;
  char **faults = NULL;
  const char *network = network_fault (i);
  int failed = network && ak_strv_add (&faults, network);
  if ((*p->fs_allow_read || *p->fs_allow_write) && !(i->caps & AK_CAP_FILESYSTEM))
    failed |= ak_strv_add (&faults, "fs_allow_read, fs_allow_write");
  if (p->cpu_milli && !(i->caps & AK_CAP_CPU))
    failed |= ak_strv_add (&faults, "cpu");
  if (p->memory_bytes && !(i->caps & AK_CAP_MEMORY))
    failed |= ak_strv_add (&faults, "memory_mb");
  char *all = failed ? NULL : ak_strv_join ((const char *const *) faults, "; ");
  ak_strv_free (faults);
  return all;
}

static enum ak_status
admit_policy (struct instance *i, struct ak_error **error)
{
  CLEANUP_FREE char *faults = policy_faults (i);
  if (!faults)
    return ak_fail_memory (error);
  if (!*faults)
    return AK_STATUS_OK;
  if (i->profile->policy.strict)
    return ak_fail (error, AK_STATUS_POLICY,
                    "Choose a provider that enforces it, or drop it from the policy; `strict: false` runs without it.",
                    "%s: cannot enforce the policy of profile '%s': %s", ak_instance_name (i), i->profile->name, faults);
  if (!__atomic_exchange_n (&i->warned, 1, __ATOMIC_RELAXED))
    ak_log (&i->log, LOG_WARNING, "%s: runs WITHOUT what the policy of profile '%s' asks for (strict: false): %s",
            ak_instance_name (i), i->profile->name, faults);
  return AK_STATUS_OK;
}

enum ak_status
ak_admit (struct instance *instance, const struct job *job, struct ak_error **error)
{
  enum ak_status status = admit_identity (instance, error);
  if (status == AK_STATUS_OK)
    status = admit_policy (instance, error);
  if (status == AK_STATUS_OK)
    status = admit_operation (instance, job, error);
  if (status != AK_STATUS_OK && error)
    ak_error_stamp (*error, ak_instance_name (instance), ak_operation_name (job->operation));
  return status;
}
