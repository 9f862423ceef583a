/* SPDX-License-Identifier: Apache-2.0 */
/* The table of the bundled providers: the one place of the core that names them. */
#include "config.h"
#include "factory.h"
#include <stddef.h>
#include <string.h>

const struct builtin ak_builtins[] = {
  { "local_subprocess", "local_subprocess", "local_subprocess", "aksandbox-provider-local-subprocess",
    BUILTIN_UNCONFINED },
  { "bubblewrap", "bubblewrap", "bubblewrap", "aksandbox-provider-bubblewrap", BUILTIN_DEFAULT },
  { "docker", "docker", "docker", "aksandbox-provider-docker", 0 },
  { "kubernetes", "kubernetes", "kubernetes", "aksandbox-provider-kubernetes", 0 },
  { "e2b", "e2b", "e2b", "aksandbox-provider-e2b", 0 },
  { "daytona", "daytona", "daytona", "aksandbox-provider-daytona", 0 },
  { "ec2_ssm", "ec2_ssm", "ec2_ssm", "aksandbox-provider-ec2-ssm", 0 },
  { "bedrock_agentcore", "bedrock_agentcore", "bedrock_agentcore", "aksandbox-provider-bedrock-agentcore",
    0 },
  { NULL, NULL, NULL, NULL, 0 }
};

const struct builtin *
ak_builtin_find (const char *name)
{
  for (const struct builtin *b = ak_builtins; b->name; b++)
    if (!strcmp (b->name, name))
      return b;
  return NULL;
}
