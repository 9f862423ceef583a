/* SPDX-License-Identifier: Apache-2.0 */
/* config_200: opening a configuration of 200 profiles, against libyaml reading the same bytes. */
#include "config.h"
#include <sys/stat.h>
#include <yaml.h>
#include "bench.h"
#include "configuration.h"

#define PROFILES 200
#define ROUNDS 101
#define GOAL_MS 5.0

static char text[256 * 1024];

static size_t
write_text (void)
{
  size_t n =
    (size_t) snprintf (text, sizeof text, "sandbox:\n  enabled: true\n  default_profile: p0\n  profiles:\n");
  for (int i = 0; i < PROFILES; i++)
    n += (size_t) snprintf (text + n, sizeof text - n,
                           "    p%d:\n"
                           "      type: local_subprocess\n"
                           "      scope: per_session\n"
                           "      idle_timeout: %d\n"
                           "      policy:\n"
                           "        network_egress: allow\n"
                           "        fs_allow_read: [/usr, /opt/data]\n"
                           "        cpu: 1.5\n"
                           "        memory_mb: %d\n"
                           "        timeout: 30.0\n"
                           "      local_subprocess:\n"
                           "        nofile: 64\n"
                           "        env: {TZ: UTC, NAME: \"p%d\"}\n",
                           i, 60 + i, 512 + i, i);
  return n;
}

/* The floor: every event of the text, of which nothing is kept. */
static void
parse (size_t size)
{
  yaml_parser_t parser;
  yaml_event_t event;
  int done = 0;
  if (!yaml_parser_initialize (&parser))
    bench_fail ("libyaml: out of memory");
  yaml_parser_set_input_string (&parser, (const unsigned char *) text, size);
  while (!done) {
    if (!yaml_parser_parse (&parser, &event))
      bench_fail ("libyaml: %s", parser.problem);
    done = event.type == YAML_STREAM_END_EVENT;
    yaml_event_delete (&event);
  }
  yaml_parser_delete (&parser);
}

static void
open_config (const char *file)
{
  struct config *config = NULL;
  struct ak_error *error = NULL;
  bench_must (ak_config_load (file, &config, &error), error);
  if (config->n_profiles != PROFILES || *config->warnings)
    bench_fail ("%zu profiles, or a warning", config->n_profiles);
  ak_config_free (config);
}

int
main (void)
{
  char file[] = "/tmp/aksandbox-bench.XXXXXX";
  double ours[ROUNDS], bare[ROUNDS];
  size_t size = write_text ();
  int fd = mkstemp (file);
  if (fd < 0 || write (fd, text, size) != (ssize_t) size || close (fd))
    bench_fail ("%s: %s", file, strerror (errno));
  for (int i = 0; i < ROUNDS; i++) {
    double start = bench_now ();
    parse (size);
    double middle = bench_now ();
    open_config (file);
    ours[i] = (bench_now () - middle) * 1e3;
    bare[i] = (middle - start) * 1e3;
  }
  unlink (file);
  double ms = bench_median (ours, ROUNDS);
  return bench_report ("config_200", ms, bench_median (bare, ROUNDS), "ms", "<5ms", ms < GOAL_MS);
}
