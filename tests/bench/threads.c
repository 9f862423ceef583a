/* SPDX-License-Identifier: Apache-2.0 */
/* threads_2: executions a second on a provider that returns at once (noop.c, beside this program), by two threads
 * with a session each of one runtime, against one thread alone. */
#define _GNU_SOURCE
#include "bench.h"
#include <pthread.h>
#include <stdatomic.h>

#define ROUNDS 500
#define CALLS 4000

static struct ak_session *sessions[2];
static double begin[2], end[2];
static atomic_uint arrived;

/* The `who`th of `n` threads; they begin together, without a sleep that would end at another time for each. */
static void
take_part (unsigned who, unsigned n)
{
  struct ak_request request = { .struct_size = sizeof request,
                                .argv = (const char *const[]) { "true", NULL } };
  atomic_fetch_add (&arrived, 1);
  while (atomic_load (&arrived) < n)
    ;
  begin[who] = bench_now ();
  for (int i = 0; i < CALLS; i++)
    bench_execute (sessions[who], &request);
  end[who] = bench_now ();
}

static void *
second (void *data)
{
  (void) data;
  take_part (1, 2);
  return NULL;
}

static double
alone (void)
{
  take_part (0, 1);
  atomic_store (&arrived, 0);
  return CALLS / (end[0] - begin[0]) / 1e6;
}

static double
together (void)
{
  pthread_t thread;
  if (pthread_create (&thread, NULL, second, NULL))
    bench_fail ("no thread");
  take_part (0, 2);
  pthread_join (thread, NULL);
  atomic_store (&arrived, 0);
  return 2 * CALLS / ((end[0] > end[1] ? end[0] : end[1]) - (begin[0] < begin[1] ? begin[0] : begin[1])) / 1e6;
}

/* What else runs on this machine takes from two threads more than from one, so the best of each counts. */
static double
best (double (*measure) (void))
{
  double most = 0;
  for (int i = 0; i < ROUNDS; i++) {
    double rate = measure ();
    most = rate > most ? rate : most;
  }
  return most;
}

int
main (void)
{
  char path[BENCH_PATH], text[BENCH_PATH + 128];
  struct ak_runtime *runtime;
  struct ak_error *error = NULL;
  bench_noop (path, sizeof path);
  snprintf (text, sizeof text, "sandbox: {enabled: true, default_profile: p, profiles: {p: {type: '%s:noop'}}}", path);
  struct ak_runtime_options options = { .struct_size = sizeof options, .config_text = text,
                                        .config_size = strlen (text) };
  if (sysconf (_SC_NPROCESSORS_ONLN) < 2) {
    printf ("# threads_2: not measured, there is one processor\n");
    return 0;
  }
  bench_must (ak_runtime_new (&options, &runtime, &error), error);
  for (int i = 0; i < 2; i++)
    bench_must (ak_session_new (runtime, NULL, &sessions[i], &error), error);
  double one = best (alone), two = best (together);
  bench_must (ak_session_destroy (sessions[1], &error), error);
  ak_session_free (sessions[1]);
  bench_end (runtime, sessions[0]);
  return bench_report ("threads_2", two, one, "M/s", ">=1.8x", two >= 1.8 * one);
}
