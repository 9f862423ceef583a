/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of aksandbox doctor share. */
#ifndef AKSANDBOX_CLI_DOCTOR_H
#define AKSANDBOX_CLI_DOCTOR_H
#include "checks.h"

/* What this kernel gives to a runner on this machine, and where it can be placed. */
void cli_doctor_kernel (struct cli_checks *checks);

#endif
