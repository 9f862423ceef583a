/* SPDX-License-Identifier: Apache-2.0 */
/* Names of capabilities and isolation tiers, as every output has them. */
#include "config.h"
#include "manifest.h"
#include <string.h>

static const struct tier { uint32_t number; const char *name; } tiers[] = {
  { AK_TIER_NONE, "none" },
  { AK_TIER_OS_POLICY, "os_policy" },
  { AK_TIER_CONTAINER, "container" },
  { AK_TIER_SYSCALL_FILTER, "syscall_filter" },
  { AK_TIER_WASM, "wasm" },
  { AK_TIER_MICRO_VM, "micro_vm" },
};
#define N_TIERS (sizeof tiers / sizeof *tiers)

const struct capability_name ak_capability_names[] = {
  { "shell", AK_CAP_SHELL },
  { "files", AK_CAP_FILES },
  { "package_install", AK_CAP_PACKAGES },
  { "stateful", AK_CAP_STATEFUL },
  { "attach", AK_CAP_ATTACH },
  { "provisions", AK_CAP_PROVISIONS },
  { "attaches_external", AK_CAP_EXTERNAL },
  { "principal_user", AK_CAP_PRINCIPAL_USER },
  { "policy_network", AK_CAP_NET_DENY | AK_CAP_NET_CIDR | AK_CAP_NET_DOMAIN },
  { "policy_filesystem", AK_CAP_FILESYSTEM },
  { "policy_resources", AK_CAP_CPU | AK_CAP_MEMORY },
  { NULL, 0 }
};

const char *
ak_tier_name (uint32_t tier)
{
  size_t i = N_TIERS - 1;
  while (tiers[i].number > tier)
    i--;
  return tiers[i].name;
}

int
ak_tier_number (const char *name, uint32_t *ret)
{
  for (size_t i = 0; i < N_TIERS; i++)
    if (!strcmp (tiers[i].name, name)) {
      *ret = tiers[i].number;
      return 0;
    }
  return -1;
}
