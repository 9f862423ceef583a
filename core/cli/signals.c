/* SPDX-License-Identifier: Apache-2.0 */
/* The wish to end, as a signal tells it. */
#include "config.h"
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>
#include "cli.h"

static struct ak_cancel *volatile wish;
static volatile sig_atomic_t caught;

static void
take_signal (int number)
{
  if (caught)
    _exit (128 + number);
  caught = number;
  if (wish)
    ak_cancel_fire (wish);
}

/* While a provider works, the main thread takes no signals; then this one does. */
static void *
stand_by (void *unused)
{
  for (;;)
    pause ();
  return unused;
}

static void
start_stand_by (void)
{
  static int started;
  pthread_t thread;
  sigset_t all, old;
  if (started++)
    return;
  sigfillset (&all);
  sigdelset (&all, SIGINT);
  sigdelset (&all, SIGTERM);
  sigdelset (&all, SIGHUP);
  pthread_sigmask (SIG_SETMASK, &all, &old);
  if (!pthread_create (&thread, NULL, stand_by, NULL))
    pthread_detach (thread);
  pthread_sigmask (SIG_SETMASK, &old, NULL);
}

void
cli_signals_catch (struct ak_cancel *cancel)
{
  static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
  struct sigaction action = { .sa_handler = take_signal };      /* no SA_RESTART: a blocked write returns */
  wish = cancel;
  start_stand_by ();
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    struct sigaction before;
    if (sigaction (numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
      sigaction (numbers[i], &action, NULL);
  }
}

int
cli_signals_caught (void)
{
  return caught;
}
