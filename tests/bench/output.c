/* SPDX-License-Identifier: Apache-2.0 */
/* output_1gib: a gibibyte of output through the library, against the same through a bare pipe; and by how
 * much the peak of our memory grew. */
#define _GNU_SOURCE
#include "bench.h"
#include <sys/resource.h>

#define BYTES (UINT64_C (1) << 30)
#define ROUNDS 3

static double
peak_mib (void)
{
  struct rusage usage;
  getrusage (RUSAGE_SELF, &usage);
  return (double) usage.ru_maxrss / 1024;
}

static int
count (void *data, enum ak_stream stream, const void *bytes, size_t size)
{
  (void) stream;
  (void) bytes;
  *(uint64_t *) data += size;
  return 0;
}

int
main (void)
{
  static const char *const bare[] = { "/usr/bin/head", "-c", "1073741824", "/dev/zero", NULL };
  double ours[ROUNDS], floor[ROUNDS], before, bare_peak;
  uint64_t total;
  struct ak_request request = {
    .struct_size = sizeof request,
    .argv = bare,
    .output = count,
    .output_data = &total,
    .output_limit = 1,
  };
  struct ak_runtime *runtime;
  struct ak_session *session = bench_session (&runtime, "local_subprocess");
  bench_execute (session, &(struct ak_request) { .struct_size = sizeof request,
                                                 .argv = (const char *const[]) { "true", NULL } });
  before = peak_mib ();
  bench_spawn (bare);
  bare_peak = peak_mib () - before;
  for (int i = 0; i < ROUNDS; i++) {
    double start = bench_now (), middle;
    if (bench_spawn (bare) != BYTES)
      bench_fail ("head: not all of it came");
    middle = bench_now ();
    total = 0;
    bench_execute (session, &request);
    if (total != BYTES)
      bench_fail ("local_subprocess: not all of it came");
    floor[i] = (double) BYTES / 1e6 / (middle - start);
    ours[i] = (double) BYTES / 1e6 / (bench_now () - middle);
  }
  double grown = peak_mib () - before, mine = bench_median (ours, ROUNDS);
  bench_end (runtime, session);
  int status =
    bench_report ("output_1gib", mine, bench_median (floor, ROUNDS), "MB/s", ">=500MB/s", mine >= 500);
  return bench_report ("output_1gib_memory", grown, bare_peak, "MiB", "<=4MiB", grown <= 4) | status;
}
