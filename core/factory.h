/* SPDX-License-Identifier: Apache-2.0 */
/* The table of the bundled providers: the one place of the core that names them. */
#ifndef AKSANDBOX_CORE_FACTORY_H
#define AKSANDBOX_CORE_FACTORY_H

#define BUILTIN_DEFAULT 1u      /* the provider of the profile that exists without a configuration */
#define BUILTIN_UNCONFINED 2u   /* works everywhere, because it has no isolation */

struct builtin {
  const char *name;             /* in a profile: the type, and the key of its block */
  const char *module, *symbol;  /* provider `symbol` in module `module` */
  const char *package;          /* what to install */
  unsigned flags;
};
extern const struct builtin ak_builtins[];      /* ended by a NULL name */
const struct builtin *ak_builtin_find (const char *name);

#endif
