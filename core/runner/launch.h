/* SPDX-License-Identifier: Apache-2.0 */
/* What an execution is started with: its pipes and its shepherd. */
#ifndef AKSANDBOX_CORE_RUNNER_LAUNCH_H
#define AKSANDBOX_CORE_RUNNER_LAUNCH_H
#include "runner.h"

/* Fills shepherd, control, outputs and input of *e. -1 with errno: nothing was started. */
int launch_start (struct runner *runner, struct execution *e);

#endif
