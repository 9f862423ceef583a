/* SPDX-License-Identifier: Apache-2.0 */
/* A value as the type that is wanted, or the reason why it is not. */
#include "config.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include "value-build.h"

static const char *const kind_names[] = {
  [VALUE_NULL] = "empty",     [VALUE_BOOL] = "a truth value", [VALUE_INT] = "a number",
  [VALUE_FLOAT] = "a number", [VALUE_TEXT] = "text",          [VALUE_LIST] = "a list",
  [VALUE_MAP] = "a map",
};

static int
refuse (struct reason *reason, const struct value *value, const char *wanted, const char *more)
{
  snprintf (reason->text, sizeof reason->text, "must be %s, %s%s%s%s", wanted,
            value->kind == VALUE_NULL ? "and is " : "not ", kind_names[value->kind], *more ? ": " : "", more);
  return -1;
}

static int
is_plain_sexagesimal (const struct value *value)
{
  return value->kind == VALUE_TEXT && value->plain && ak_scalar_is_sexagesimal (value->text);
}

int
ak_value_as_text (const struct value *value, const char **ret, struct reason *reason)
{
  if (is_plain_sexagesimal (value))
    return refuse (reason, value, "text in quotes",
                   "YAML 1.1 reads digits with colons as a number of base 60");
  if (value->kind != VALUE_TEXT && (!value->loose || value->kind > VALUE_TEXT))
    return refuse (reason, value, "text",
                   value->kind == VALUE_LIST || value->kind == VALUE_MAP || value->kind == VALUE_NULL
                     ? ""
                     : "write it in quotes");
  *ret = value->text;
  return 0;
}

int
ak_value_as_bool (const struct value *value, int *ret, struct reason *reason)
{
  static const char *const words[] = { "false", "true", "no", "yes", "off", "on", "0", "1" };

  if (value->kind == VALUE_BOOL) {
    *ret = value->boolean;
    return 0;
  }
  if (value->kind == VALUE_INT && (value->integer == 0 || value->integer == 1)) {
    *ret = (int) value->integer;
    return 0;
  }
  for (size_t i = 0; value->kind == VALUE_TEXT && i < sizeof words / sizeof *words; i++)
    if (strcasecmp (value->text, words[i]) == 0) {
      *ret = i % 2;
      return 0;
    }
  return refuse (reason, value, "true or false", "");
}

/* Why a text that looks like a number is none in YAML 1.1. */
static const char *
number_advice (const struct value *value)
{
  double number;

  if (value->kind != VALUE_TEXT)
    return "";
  if (is_plain_sexagesimal (value))
    return "write it without colons";
  if (ak_number_parse (value->text, &number) == 0)
    return "YAML 1.1 reads an exponent only after a point and with a sign, as in 1.0e+3";
  return "";
}

static int
text_as_number (const struct value *value, double *ret)
{
  if (value->kind != VALUE_TEXT || strpbrk (value->text, "eE") || ak_number_parse (value->text, ret))
    return -1;
  return 0;
}

int
ak_value_as_number (const struct value *value, double *ret, struct reason *reason)
{
  double number;

  if (value->kind == VALUE_INT)
    number = (double) value->integer;
  else if (value->kind == VALUE_FLOAT)
    number = value->number;
  else if (text_as_number (value, &number))
    return refuse (reason, value, "a number", number_advice (value));
  if (!isfinite (number)) {
    snprintf (reason->text, sizeof reason->text, "must be a finite number");
    return -1;
  }
  *ret = number;
  return 0;
}

static int
text_as_integer (const char *text, int64_t *ret)
{
  const char *p = text + (*text == '-' || *text == '+');
  int64_t sum = 0;

  if (*p == 0 || p[strspn (p, "0123456789")] != 0)
    return -1;
  for (; *p; p++)
    if (__builtin_mul_overflow (sum, 10, &sum)
        || __builtin_add_overflow (sum, *text == '-' ? '0' - *p : *p - '0', &sum))
      return -1;
  *ret = sum;
  return 0;
}

int
ak_value_as_integer (const struct value *value, int64_t *ret, struct reason *reason)
{
  double number;

  if (value->kind == VALUE_INT) {
    *ret = value->integer;
    return 0;
  }
  if (value->kind == VALUE_TEXT && text_as_integer (value->text, ret) == 0)
    return 0;
  if (value->kind != VALUE_FLOAT && text_as_number (value, &number))
    return refuse (reason, value, "a whole number", number_advice (value));
  if (value->kind == VALUE_FLOAT)
    number = value->number;
  /* Up to here every whole number has a floating one of its own. */
  if (!(fabs (number) <= 9007199254740992.0)) {
    snprintf (reason->text, sizeof reason->text, "must be a whole number of at most 64 bits");
    return -1;
  }
  if (number != (double) (int64_t) number) {
    snprintf (reason->text, sizeof reason->text, "must be a whole number, without a fraction");
    return -1;
  }
  *ret = (int64_t) number;
  return 0;
}
