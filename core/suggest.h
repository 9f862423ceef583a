/* SPDX-License-Identifier: Apache-2.0 */
/* The nearest known word to one that is not known. */
#ifndef AKSANDBOX_CORE_SUGGEST_H
#define AKSANDBOX_CORE_SUGGEST_H

/* The word of `known` (ended by NULL) that `word` was most likely meant to be, or NULL when none is near.
 * Case does not count, nor whether a hyphen or an underscore was written; the beginning of a word is near. */
const char *ak_suggest (const char *word, const char *const *known);

#endif
