/* SPDX-License-Identifier: Apache-2.0 */
/* The broker that runs an operation in its caller's thread. */
#include "config.h"
#include "broker.h"

const struct broker ak_broker_embedded = {
  .name = "embedded",
  .submit = ak_worker_run,
};
