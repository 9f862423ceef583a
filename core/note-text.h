/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a note: "key=value" entries, each with its NUL. */
#ifndef AKSANDBOX_CORE_NOTE_TEXT_H
#define AKSANDBOX_CORE_NOTE_TEXT_H
#include <stddef.h>

/* Point values[i] at the value of keys[i] (ended by NULL; values are NULL before); the values live in
 * `text`. Other keys are skipped. NULL, or what is wrong: an entry that does not end or has no key, a key
 * twice, a value above 4 KiB, not UTF-8, or with characters that steer a terminal. */
const char *ak_note_text (const char *text, size_t size, const char *const *keys, const char **values);

#endif
