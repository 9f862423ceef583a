/* SPDX-License-Identifier: Apache-2.0 */
/* A tree of values, read from YAML or JSON, each with its position. */
#ifndef AKSANDBOX_CORE_VALUE_H
#define AKSANDBOX_CORE_VALUE_H
#include <stddef.h>
#include <stdint.h>
#include "error.h"

enum value_kind { VALUE_NULL, VALUE_BOOL, VALUE_INT, VALUE_FLOAT, VALUE_TEXT, VALUE_LIST, VALUE_MAP };

struct value {
  enum value_kind kind;
  unsigned line, column; /* from 1; 0: not of a file */
  unsigned plain : 1;    /* of a scalar: without quotes in YAML, so that its form decided its kind */
  unsigned loose : 1;    /* an override's whole value, where a word, a number and text look alike */
  const char *source;    /* file, or "environment variable AK_..."; lives as long as the value */
  union {
    int boolean;
    int64_t integer;
    double number;
  };
  char *text;               /* of a scalar: as it was written */
  struct value **items;     /* of a list or map */
  const char **keys;        /* of a map: the texts of key_marks */
  struct value **key_marks; /* of a map: where each key stands (VALUE_TEXT) */
  size_t n;
};

/* What is read from one text. Of YAML, aliases count as what they stand for. */
#define VALUE_MAX_SIZE (4u * 1024 * 1024)
#define VALUE_MAX_DEPTH 64u
#define VALUE_MAX_NODES 100000u
#define VALUE_MAX_TEXT (8u * 1024 * 1024)
#define VALUE_MAX_ANCHORS 256u

/* Read one YAML document (JSON is YAML), plain scalars as YAML 1.1 reads them. `source` is copied. Bounded
 * in size, depth and aliases; duplicate keys, several documents, NUL bytes, tags of its own: one error each,
 * with its place (both places of a duplicate). An empty document is VALUE_NULL. */
enum ak_status ak_value_parse_yaml (const char *source, const char *data, size_t size, struct value **ret,
                                    struct ak_error **error);
/* An override's value: JSON when it parses as such, else text. */
enum ak_status ak_value_parse_override (const char *source, const char *text, struct value **ret,
                                        struct ak_error **error);
void ak_value_free (struct value *value);
/* NULL if `value` is no map or has no such key. */
const struct value *ak_value_get (const struct value *map, const char *key);
/* The place of a key in a map, or map->n. */
size_t ak_value_index (const struct value *map, const char *key);
/* "FILE:LINE:COLUMN" for messages; the caller's to free. */
char *ak_value_where (const struct value *value);
char *ak_value_line (const struct value *value); /* "FILE:LINE" */
/* Compact JSON; what JSON has no number for is null. The caller's to free; NULL: no memory. */
char *ak_value_json (const struct value *value);

/* A value as what is wanted: 0, or -1 with the reason, "must be a whole number, not text". Text is taken for
 * a number or a truth value when it says one; a number is never taken for text but from an override. */
struct reason {
  char text[160];
};
int ak_value_as_text (const struct value *value, const char **ret, struct reason *reason);
int ak_value_as_bool (const struct value *value, int *ret, struct reason *reason);
int ak_value_as_integer (const struct value *value, int64_t *ret, struct reason *reason);
int ak_value_as_number (const struct value *value, double *ret, struct reason *reason); /* finite */

/* Numbers as text and back, whatever the locale. The text has a point or an exponent only where it must, and
 * reads back as the same number. -1: not one decimal number from the first byte to the last. */
#define NUMBER_TEXT_SIZE 32
void ak_number_text (double number, char text[NUMBER_TEXT_SIZE]);
int ak_number_parse (const char *text, double *ret);

#endif
