/* SPDX-License-Identifier: Apache-2.0 */
/* Allocations of the objects in this program, that fail when a test says so, and are counted. */
#ifndef TESTS_UNIT_TORTURE_H
#define TESTS_UNIT_TORTURE_H
#include <stddef.h>
#include "error.h"

/* The allocation `n` from now on (0: the next one) fails; with `all` every one after it, too. */
void torture_arm (size_t n, int all);
/* Nothing fails any more. How many failed. */
size_t torture_disarm (void);
/* How many there are that were not freed. */
size_t torture_live (void);

/* A call under torture. `act` is what may fail; `check`, after success, says whether its result is the right
 * one; `undo` frees what act made, also after a failure. */
struct scene {
  int (*prepare) (void); /* before each attempt; or NULL */
  enum ak_status (*act) (struct ak_error **error);
  int (*check) (void);     /* or NULL */
  void (*undo) (void);     /* or NULL */
  enum ak_status expected; /* when nothing fails */
};
/* Each of its allocations fails in turn, alone and with all that follow: there is a clean error, or a result
 * as complete as ever, and nothing is left. */
void torture (const struct scene *scene);

#endif
