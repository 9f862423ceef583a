/* SPDX-License-Identifier: Apache-2.0 */
/* dispatch: one execution on a provider that returns at once (noop.c, beside this program), against a direct
 * call of its function. */
#define _GNU_SOURCE
#include "bench.h"
#include <aksandbox/provider.h>
#include <dlfcn.h>

#define BATCHES 300
#define CALLS 1000

static double
time_direct (const struct ak_ops *ops)
{
  struct ak_exec exec = { .struct_size = sizeof exec };
  struct ak_call call = { .struct_size = sizeof call };
  struct ak_outcome outcome;
  double start = bench_now ();
  for (int i = 0; i < CALLS; i++) {
    outcome = (struct ak_outcome) { .struct_size = sizeof outcome };
    if (ops->execute_command (NULL, &call, &exec, &outcome) || outcome.how != AK_EXITED)
      bench_fail ("noop: refused");
  }
  return (bench_now () - start) / CALLS * 1e6;
}

static double
time_dispatch (struct ak_session *session)
{
  struct ak_request request = { .struct_size = sizeof request,
                                .argv = (const char *const[]) { "true", NULL } };
  double start = bench_now ();
  for (int i = 0; i < CALLS; i++)
    bench_execute (session, &request);
  return (bench_now () - start) / CALLS * 1e6;
}

int
main (void)
{
  static double ours[BATCHES], floor[BATCHES];
  char path[BENCH_PATH], type[BENCH_PATH + 8];
  struct ak_runtime *runtime;
  bench_noop (path, sizeof path);
  snprintf (type, sizeof type, "%s:noop", path);
  struct ak_session *session = bench_session (&runtime, type);
  void *file = dlopen (path, RTLD_NOW | RTLD_LOCAL);
  const struct ak_provider *provider = file ? dlsym (file, "ak1_provider_noop") : NULL;
  if (!provider)
    bench_fail ("%s", dlerror ());
  for (int i = 0; i < BATCHES; i++) {
    floor[i] = time_direct (provider->ops);
    ours[i] = time_dispatch (session);
  }
  bench_end (runtime, session);
  double mine = bench_median (ours, BATCHES), bound = bench_median (floor, BATCHES);
  return bench_report ("dispatch", mine, bound, "us", "+1us", mine <= bound + 1);
}
