/* SPDX-License-Identifier: Apache-2.0 */
/* What a scalar says: the forms of YAML 1.1, and numbers as text whatever the locale. */
#include "config.h"
#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cleanup.h"
#include "value-build.h"

#define DIGITS "0123456789"

static locale_t c_locale;

static void
make_c_locale (void)
{
  c_locale = newlocale (LC_ALL_MASK, "C", (locale_t) 0);
}

static double
to_double (const char *text)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;

  pthread_once (&once, make_c_locale);
  /* Without memory for a locale the application's own must do. */
  return c_locale ? strtod_l (text, NULL, c_locale) : strtod (text, NULL);
}

static const char *
skip_sign (const char *text)
{
  return text + (*text == '-' || *text == '+');
}

static int
is_one_of (const char *text, const char *const *words)
{
  for (; *words; words++)
    if (**words == *text && strcmp (*words, text) == 0)
      return 1;
  return 0;
}

static const char *const null_words[] = { "", "~", "null", "Null", "NULL", NULL };
static const char *const true_words[] = {
  "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON", NULL
};
static const char *const false_words[] = { "no",    "No",  "NO",  "false", "False",
                                           "FALSE", "off", "Off", "OFF",   NULL };
static const char *const inf_words[] = { ".inf", ".Inf", ".INF", NULL };
static const char *const nan_words[] = { ".nan", ".NaN", ".NAN", NULL };

/* The digits of a number without its underscores: the caller's. */
static char *
without_underscores (const char *text)
{
  char *clean = malloc (strlen (text) + 1), *at = clean;

  if (!clean)
    return NULL;
  for (; *text; text++)
    if (*text != '_')
      *at++ = *text;
  *at = 0;
  return clean;
}

/* The base of an integer, 0 when it is none; *ret_digits is where its digits start. */
static int
integer_base (const char *text, const char **ret_digits)
{
  const char *p = skip_sign (text), *digits = "01_";
  int base = 2;

  if (*p == '0' && (p[1] == 'b' || p[1] == 'x')) {
    if (p[1] == 'x') {
      base = 16;
      digits = DIGITS "abcdefABCDEF_";
    }
    p += 2;
  } else if (*p == '0' && p[1] != 0) {
    base = 8;
    digits = "01234567_";
  } else if (*p >= '0' && *p <= '9') {
    base = 10;
    digits = DIGITS "_";
  } else
    return 0;
  if (p[strspn (p, digits)] != 0 || p[strspn (p, "_")] == 0)
    return 0;
  *ret_digits = p;
  return base;
}

static int
digit_value (char c)
{
  if (c >= '0' && c <= '9')
    return c - '0';
  return (c | 0x20) - 'a' + 10;
}

/* Integers beyond 64 bits become floating: in no range that anything here allows, but told as numbers. */
static int
resolve_integer (struct value *value)
{
  const char *digits = NULL;
  int base = integer_base (value->text, &digits), overflow = 0;
  int negative = *value->text == '-';
  int64_t sum = 0;
  double rough = 0;

  if (base == 0)
    return 0;
  for (; *digits; digits++) {
    if (*digits == '_')
      continue;
    int digit = digit_value (*digits);
    rough = rough * base + digit;
    overflow = overflow || __builtin_mul_overflow (sum, base, &sum)
               || __builtin_add_overflow (sum, negative ? -digit : digit, &sum);
  }
  if (overflow) {
    value->kind = VALUE_FLOAT;
    value->number = negative ? -rough : rough;
  } else {
    value->kind = VALUE_INT;
    value->integer = sum;
  }
  return 1;
}

/* [-+]?(?:[0-9][0-9_]*)\.[0-9_]*(?:[eE][-+][0-9]+)? and \.[0-9][0-9_]*(?:[eE][-+][0-9]+)?: an exponent
 * needs a sign and a point before it, and what starts with a point has no sign. */
static int
is_float (const char *text)
{
  const char *p = skip_sign (text);

  if (*p == '.') {
    if (p != text || p[1] < '0' || p[1] > '9')
      return 0;
  } else {
    if (*p < '0' || *p > '9')
      return 0;
    p += strspn (p, DIGITS "_");
  }
  if (*p != '.')
    return 0;
  p++;
  p += strspn (p, DIGITS "_");
  if (*p != 'e' && *p != 'E')
    return *p == 0;
  p++;
  if (*p != '-' && *p != '+')
    return 0;
  p++;
  return *p != 0 && p[strspn (p, DIGITS)] == 0;
}

/* 1: it is one, 0: it is none, -1: no memory. */
static int
resolve_float (struct value *value)
{
  const char *unsigned_text = skip_sign (value->text);

  if (is_one_of (unsigned_text, inf_words))
    value->number = *value->text == '-' ? -__builtin_inf () : __builtin_inf ();
  else if (is_one_of (value->text, nan_words))
    value->number = __builtin_nan ("");
  else if (is_float (value->text)) {
    CLEANUP_FREE char *clean = without_underscores (value->text);

    if (!clean)
      return -1;
    value->number = to_double (clean);
  } else
    return 0;
  value->kind = VALUE_FLOAT;
  return 1;
}

int
ak_scalar_resolve (struct value *value)
{
  int is_number = 0;

  value->plain = 1;
  if (is_one_of (value->text, null_words))
    value->kind = VALUE_NULL;
  else if (is_one_of (value->text, true_words) || is_one_of (value->text, false_words)) {
    value->kind = VALUE_BOOL;
    value->boolean = is_one_of (value->text, true_words);
  } else if (!resolve_integer (value) && !(is_number = resolve_float (value)))
    value->kind = VALUE_TEXT;
  return is_number < 0 ? -1 : 0;
}

int
ak_scalar_is_sexagesimal (const char *text)
{
  const char *p = skip_sign (text), *start = p;
  int colons = 0;

  p += strspn (p, DIGITS "_");
  if (p == start || *start == '_')
    return 0;
  while (*p == ':') {
    size_t digits = strspn (p + 1, DIGITS);

    if (digits == 0 || digits > 2 || (digits == 2 && p[1] > '5'))
      return 0;
    p += 1 + digits;
    colons++;
  }
  if (colons == 0)
    return 0;
  return *p == 0 ? *start != '0' : *p == '.' && p[1 + strspn (p + 1, DIGITS "_")] == 0;
}

void
ak_number_text (double number, char text[NUMBER_TEXT_SIZE])
{
  char *out = text;

  for (int digits = 15; digits <= 17; digits++) {
    snprintf (text, NUMBER_TEXT_SIZE, "%.*g", digits, number);
    if (digits == 17 || strtod (text, NULL) == number)
      break;
  }
  /* Both calls used the locale's decimal point, which may be several bytes long. */
  for (const char *in = text; *in; in++) {
    int known = (*in >= '0' && *in <= '9') || strchr ("+-einfa", *in) != NULL;

    if (known)
      *out++ = *in;
    else if (out == text || out[-1] != '.')
      *out++ = '.';
  }
  *out = 0;
}

int
ak_number_parse (const char *text, double *ret)
{
  const char *p = skip_sign (text);
  size_t whole = strspn (p, DIGITS), fraction = 0;

  p += whole;
  if (*p == '.') {
    fraction = strspn (p + 1, DIGITS);
    p += 1 + fraction;
  }
  if (whole + fraction == 0)
    return -1;
  if (*p == 'e' || *p == 'E') {
    p = skip_sign (p + 1);
    if (*p == 0)
      return -1;
    p += strspn (p, DIGITS);
  }
  if (*p != 0)
    return -1;
  *ret = to_double (text);
  return 0;
}

/* Bytes of a well-formed sequence, 0 when there is none. Surrogates and overlong forms are not. */
static size_t
utf8_length (const unsigned char *p, size_t size)
{
  static const struct {
    unsigned char first, last, second_first, second_last;
    size_t length;
  } forms[] = {
    { 0x00, 0x7f, 0, 0, 1 },       { 0xc2, 0xdf, 0x80, 0xbf, 2 }, { 0xe0, 0xe0, 0xa0, 0xbf, 3 },
    { 0xe1, 0xec, 0x80, 0xbf, 3 }, { 0xed, 0xed, 0x80, 0x9f, 3 }, { 0xee, 0xef, 0x80, 0xbf, 3 },
    { 0xf0, 0xf0, 0x90, 0xbf, 4 }, { 0xf1, 0xf3, 0x80, 0xbf, 4 }, { 0xf4, 0xf4, 0x80, 0x8f, 4 },
  };

  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    size_t length = forms[i].length;

    if (*p < forms[i].first || *p > forms[i].last)
      continue;
    if (length > size || (length > 1 && (p[1] < forms[i].second_first || p[1] > forms[i].second_last)))
      return 0;
    for (size_t j = 2; j < length; j++)
      if ((p[j] & 0xc0) != 0x80)
        return 0;
    return length;
  }
  return 0;
}

int
ak_utf8_valid (const char *text, size_t size)
{
  const unsigned char *p = (const unsigned char *) text;

  while (size > 0) {
    size_t length = utf8_length (p, size);

    if (length == 0)
      return 0;
    p += length;
    size -= length;
  }
  return 1;
}
