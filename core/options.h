/* SPDX-License-Identifier: Apache-2.0 */
/* A provider's options: the block of a profile, checked against the option notes of its file. */
#ifndef AKSANDBOX_CORE_OPTIONS_H
#define AKSANDBOX_CORE_OPTIONS_H
#include "manifest.h"
#include "value.h"

struct options; /* immutable; what a provider reads through host->option */

/* `block` may be NULL: an empty one. `where` names the profile in messages. Reports CONFIG with file, line,
 * column and the nearest known key; type, bounds, choices, required, as the note says. `attach_to` is known
 * for every provider that attaches to external things, `path` is not special. */
enum ak_status ak_options_new (const struct manifest *manifest, const struct value *block, const char *where,
                               struct options **ret, struct ak_error **error);
void ak_options_free (struct options *options);

/* Canonical text: integers in decimal, booleans true or false, lists and maps and JSON as JSON; an ENV
 * option gives the value of the variable that it names. The default of the note; NULL: neither set nor
 * defaulted. */
const char *ak_options_get (const struct options *options, const char *key);
const char *ak_options_item (const struct options *options, const char *key, uint32_t i,
                             const char **map_key);
/* A variable that the manifest declares in `env`, or NULL. */
const char *ak_options_env (const struct options *options, const char *name);
/* Capabilities that the operator asserts by options, and the tier (0 if none is asserted). */
uint32_t ak_options_asserted (const struct options *options, uint32_t *ret_tier);
/* One more secret, before anybody else has the options: 0, or -1 without memory. */
int ak_options_protect (struct options *options, const char *secret);
/* A copy of text in which the values of secret options and of declared variables, and what was protected, are
 * "***". The caller's. */
char *ak_options_redact (const struct options *options, const char *text);

#endif
