/* SPDX-License-Identifier: Apache-2.0 */
/* exec_true: the program `true` in a living sandbox of local_subprocess, against a bare posix_spawn of it. */
#define _GNU_SOURCE
#include "bench.h"

#define ROUNDS 400
#define WARM_UP 20

int
main (void)
{
  static const char *const bare[] = { "/usr/bin/true", NULL };
  static double ours[ROUNDS], floor[ROUNDS];
  struct ak_request request = { .struct_size = sizeof request,
                                .argv = (const char *const[]) { "true", NULL } };
  struct ak_runtime *runtime;
  struct ak_session *session = bench_session (&runtime, "local_subprocess");
  for (int i = -WARM_UP; i < ROUNDS; i++) {
    double start = bench_now (), middle;
    bench_spawn (bare);
    middle = bench_now ();
    bench_execute (session, &request);
    if (i >= 0) {
      floor[i] = (middle - start) * 1e3;
      ours[i] = (bench_now () - middle) * 1e3;
    }
  }
  bench_end (runtime, session);
  double mine = bench_median (ours, ROUNDS), bound = bench_median (floor, ROUNDS);
  return bench_report ("exec_true", mine, bound, "ms", "+0.5ms", mine <= bound + 0.5);
}
