/* SPDX-License-Identifier: Apache-2.0 */
/* What a provider says of itself, for people. */
#include "config.h"
#include <inttypes.h>
#include <string.h>
#include "cleanup.h"
#include "cli.h"
#include "describe.h"
#include "strv.h"

struct cli_granted
cli_declared (const struct manifest *manifest)
{
  return (struct cli_granted) {
    .caps = manifest->caps,
    .tier = manifest->tier,
    .languages = manifest->languages,
  };
}

const char *
cli_threads_name (uint32_t threads)
{
  return threads == AK_PARALLEL ? "parallel" : threads == AK_PER_SANDBOX ? "per_sandbox" : "serial";
}

void
cli_put_field (const char *name, const char *value)
{
  if (!value || !*value)
    return;
  printf ("  %-13s ", name);
  cli_put (stdout, value);
  putchar ('\n');
}

void
cli_put_capabilities (const struct cli_granted *granted)
{
  const char *between = "";
  for (const struct capability_name *c = ak_capability_names; c->name; c++)
    if (granted->caps & c->any_of) {
      printf ("%s%s%s", between, c->name, granted->asserted & c->any_of ? " (asserted)" : "");
      between = ", ";
    }
  if (!*between)
    putchar ('-');
}

/* The network bits say different things, and one name for all would hide it. */
static void
put_network (uint32_t caps)
{
  if (!(caps & (AK_CAP_NET_DENY | AK_CAP_NET_CIDR | AK_CAP_NET_DOMAIN)))
    return;
  printf ("  %-13s%s%s%s\n", "network", caps & AK_CAP_NET_DENY ? " deny" : "",
          caps & AK_CAP_NET_CIDR ? " cidr" : "", caps & AK_CAP_NET_DOMAIN ? " domain" : "");
}

static void
put_limits (uint32_t caps)
{
  if (caps & (AK_CAP_CPU | AK_CAP_MEMORY))
    printf ("  %-13s%s%s\n", "limits", caps & AK_CAP_CPU ? " cpu" : "",
            caps & AK_CAP_MEMORY ? " memory" : "");
}

static void
put_detail (const char *name, const char *value)
{
  if (!value)
    return;
  printf ("  %s ", name);
  cli_put (stdout, *value ? value : "\"\"");
}

static void
put_option (const struct manifest_option *o)
{
  printf ("    %-16s %s", o->key, cli_type_name (o->type));
  if (o->flags & AK_REQUIRED)
    printf ("  required");
  if ((o->flags & AK_SECRET) || o->type == AK_T_ENV)
    printf ("  secret");
  put_detail ("default", o->fallback);
  put_detail ("min", o->min);
  put_detail ("max", o->max);
  put_detail ("one of", o->choices);
  put_detail ("not beside", o->excludes);
  if (o->asserts) {
    struct cli_granted asserted = { .caps = o->asserts };
    printf ("  asserts ");
    cli_put_capabilities (&asserted);
  } else if (o->type == AK_T_TIER)
    printf ("  asserts isolation");
  putchar ('\n');
  if (o->help) {
    printf ("      ");
    cli_put (stdout, o->help);
    putchar ('\n');
  }
}

void
cli_put_manifest (const struct manifest *manifest, const struct cli_granted *granted)
{
  CLEANUP_FREE char *languages = ak_strv_join ((const char *const *) granted->languages, ", ");
  CLEANUP_FREE char *env = ak_strv_join ((const char *const *) manifest->env, ", ");
  cli_put_field ("summary", manifest->summary);
  cli_put_field ("license", manifest->license);
  cli_put_field ("origin", manifest->origin);
  cli_put_field ("package", manifest->package);
  printf ("  %-13s %" PRIu32 ".%" PRIu32 "\n", "abi", manifest->major, manifest->minor);
  printf ("  %-13s %s%s\n", "isolation", ak_tier_name (granted->tier),
          granted->tier_asserted ? " (asserted)" : "");
  printf ("  %-13s ", "capabilities");
  cli_put_capabilities (granted);
  putchar ('\n');
  put_network (granted->caps);
  put_limits (granted->caps);
  cli_put_field ("languages", languages);
  cli_put_field ("threads", cli_threads_name (manifest->threads));
  cli_put_field ("environment", env);
  if (manifest->n_options)
    printf ("  options\n");
  for (size_t i = 0; i < manifest->n_options; i++)
    put_option (&manifest->options[i]);
}
