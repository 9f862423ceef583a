/* SPDX-License-Identifier: Apache-2.0 */
/* A bounded number of threads, and what waits for one of them. */
#ifndef AKSANDBOX_CORE_POOL_H
#define AKSANDBOX_CORE_POOL_H
#include "error.h"

struct task {
  struct task *next;            /* the pool's, while it waits */
  void (*run) (struct task *task);      /* may free the task */
};

struct pool;
/* 0: twice the number of processors. No thread exists before the first task. NULL: no memory. */
struct pool *ak_pool_new (unsigned max_threads);
/* Every task must have been run or withdrawn. */
void ak_pool_free (struct pool *pool);
/* UNAVAILABLE: there is no thread, and none can be had. */
enum ak_status ak_pool_submit (struct pool *pool, struct task *task, struct ak_error **error);
/* 1: it waited still, and will not be run. */
int ak_pool_withdraw (struct pool *pool, struct task *task);

#endif
