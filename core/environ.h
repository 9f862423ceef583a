/* SPDX-License-Identifier: Apache-2.0 */
/* The only reader of the environment. */
#ifndef AKSANDBOX_CORE_ENVIRON_H
#define AKSANDBOX_CORE_ENVIRON_H

/* As secure_getenv: NULL for every name in a program that runs with more rights than its caller. */
const char *ak_environ (const char *name);
/* All of them with this prefix, compared without case, in the order of the environment: calls `each` with
 * the whole "NAME=value". None in such a program. */
void ak_environ_each (const char *prefix, void (*each) (void *data, const char *entry), void *data);

/* Whether `name` may name a variable: letters, digits and underscores, no digit first. */
int ak_environ_is_name (const char *name);

#endif
