/* SPDX-License-Identifier: Apache-2.0 */
/* Names of resource limits, as in prlimit(1). */
#ifndef AKSANDBOX_CORE_RESOURCE_LIMITS_H
#define AKSANDBOX_CORE_RESOURCE_LIMITS_H

int ak_limit_number (const char *name);         /* RLIMIT_*, or -1 */

#endif
