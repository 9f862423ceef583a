/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Text that grows, names by chance, labels, and text of strangers made fit for a message. */
#ifndef AKSANDBOX_SDK_TEXT_H
#define AKSANDBOX_SDK_TEXT_H
#include <stddef.h>
#include <stdint.h>

/* Text that grows; zeroed to begin with. */
struct aks_text { char *bytes; size_t size, room; };    /* bytes: NUL-terminated, or NULL while empty */
/* Append. What was there stays on failure (-ENOMEM). */
int aks_text_add (struct aks_text *text, const char *format, ...) __attribute__ ((format (printf, 2, 3)));
void aks_text_clear (struct aks_text *text);

/* 2 * n lower-case hexadecimal digits of chance from the kernel, and a NUL. */
int aks_random_hex (char *ret, size_t n);
/* That such digits, `count` of them, and nothing else are in `text`. */
int aks_is_hex (const char *text, size_t count);

/* The value of "key=value" in a list ended by NULL (or NULL itself); points into the list. NULL: not
 * there. */
const char *aks_label (const char *const *labels, const char *key);
/* That each has a key, is UTF-8 or ASCII without control characters, and so fits on a line. */
int aks_labels_valid (const char *const *labels);

/* `text` of a stranger for a message or a terminal: printable ASCII stays, other bytes become \xNN, what
 * does not fit ends in "...". Returns `ret`, always terminated; `room` is at least 8. */
char *aks_escape (char *ret, size_t room, const char *text);

/* A whole decimal number and nothing else. -EINVAL, -ERANGE. */
int aks_parse_u64 (const char *text, uint64_t *ret);

#endif
