/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of strings that end with NULL. */
#ifndef AKSANDBOX_CORE_STRV_H
#define AKSANDBOX_CORE_STRV_H
#include <stddef.h>

size_t ak_strv_length (const char *const *list);                /* NULL is empty */
/* Append `text`, which is taken, also on failure (-1); *list may be NULL. */
int ak_strv_take (char ***list, char *text);
int ak_strv_add (char ***list, const char *text);               /* a copy */
/* The words of `text` between spaces, never NULL but on failure. */
char **ak_strv_split (const char *text);
int ak_strv_has (const char *const *list, const char *text);
/* Separated by `between`; the caller's. NULL: no memory. */
char *ak_strv_join (const char *const *list, const char *between);
void ak_strv_free (char **list);

#endif
