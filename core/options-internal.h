/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the options share. */
#ifndef AKSANDBOX_CORE_OPTIONS_INTERNAL_H
#define AKSANDBOX_CORE_OPTIONS_INTERNAL_H
#include "configuration-internal.h"
#include "options.h"

struct option {
  char *key;
  char *text;                /* canonical */
  char **items, **item_keys; /* of a list or map, ended by NULL; else NULL. item_keys: of a map */
  size_t n_items;
};

struct variable {
  char *name, *value;
};

struct options {
  struct option *list;
  size_t n;
  struct variable *variables; /* declared and set */
  size_t n_variables;
  char **secrets; /* longest first; or NULL */
  uint32_t asserted, tier;
};

/* Check a value against its note. With a fault, or for an ENV option whose variable is not set, ret->text
 * stays NULL. */
void ak_option_read (struct report *report, const struct manifest_option *note, const struct value *value,
                     struct option *ret);
void ak_option_clear (struct option *option);
/* Remember every text in it as a secret: 0, or -1 without memory. */
int ak_secrets_add (char ***secrets, const char *text);
int ak_secrets_add_value (char ***secrets, const struct value *value);
void ak_secrets_sort (char **secrets);

#endif
