/* SPDX-License-Identifier: Apache-2.0 */
/* How trees of values are made and changed: for their parsers and the configuration. */
#ifndef AKSANDBOX_CORE_VALUE_BUILD_H
#define AKSANDBOX_CORE_VALUE_BUILD_H
#include "value.h"

/* A name that values share. */
struct value_source;
struct value_source *ak_value_source_new (const char *name);
void ak_value_source_unref (struct value_source *source);

/* NULL: no memory, for all of these. A value keeps its source alive. */
struct value *ak_value_new (enum value_kind kind, struct value_source *source);
struct value *ak_value_new_text (struct value_source *source, const char *text, size_t size);
/* Of the same source and place as `like`. */
struct value *ak_value_new_like (enum value_kind kind, const struct value *like);
struct value *ak_value_copy (const struct value *value);
/* Both take their values, also on failure (-1). The key is not looked for among those that are there. */
int ak_value_append (struct value *list, struct value *item);
int ak_value_put (struct value *map, struct value *key, struct value *item);
/* Takes `from`: maps are merged key by key, anything else replaces what *into was. */
int ak_value_merge (struct value **into, struct value *from);
/* Takes `from` and merges it at a path of keys below *into, making maps on the way. `fold`: a key that is
 * not there as written stands for the one that differs in case alone. */
int ak_value_merge_at (struct value **into, const char *const *path, int fold, struct value *from);

/* Set kind and number of a plain scalar by the form of its text, as YAML 1.1 does. Numbers with colons
 * (1:30) stay text, and as_text and as_number refuse them. */
int ak_scalar_resolve (struct value *value); /* -1: no memory */
int ak_scalar_is_sexagesimal (const char *text);
int ak_utf8_valid (const char *text, size_t size);

#endif
