/* SPDX-License-Identifier: Apache-2.0 */
/* run_python: `aksandbox run -t local_subprocess pass` against `python3 -c pass`, whole processes. The
 * program is $AKSANDBOX, else ./aksandbox. */
#define _GNU_SOURCE
#include "bench.h"

#define ROUNDS 120
#define WARM_UP 5

int
main (void)
{
  const char *program = getenv ("AKSANDBOX");
  const char *const ours_argv[]
    = { program ? program : "./aksandbox", "run", "-t", "local_subprocess", "pass", NULL };
  static const char *const bare[] = { "/usr/bin/python3", "-c", "pass", NULL };
  static double ours[ROUNDS], floor[ROUNDS];
  if (access (bare[0], X_OK) < 0) {
    printf ("# run_python: not measured, there is no %s\n", bare[0]);
    return 0;
  }
  for (int i = -WARM_UP; i < ROUNDS; i++) {
    double start = bench_now (), middle;
    bench_spawn (bare);
    middle = bench_now ();
    bench_spawn (ours_argv);
    if (i >= 0) {
      floor[i] = (middle - start) * 1e3;
      ours[i] = (bench_now () - middle) * 1e3;
    }
  }
  double mine = bench_median (ours, ROUNDS), bound = bench_median (floor, ROUNDS);
  return bench_report ("run_python", mine, bound, "ms", "+8ms", mine <= bound + 8);
}
