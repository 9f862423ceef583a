/* SPDX-License-Identifier: Apache-2.0 */
/* What was found, one verdict a line: for config check and doctor. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "checks.h"
#include "describe.h"
#include "error.h"

#define COLUMN 26 /* of names */

static char *
copy (const char *text)
{
  return text ? strdup (text) : NULL;
}

void
cli_checks_add (struct cli_checks *checks, const char *verdict, const char *name, const char *text,
                const char *remedy)
{
  struct cli_check *grown = realloc (checks->list, (checks->n + 1) * sizeof *grown);
  if (!grown)
    return;
  checks->list = grown;
  grown[checks->n++] = (struct cli_check) {
    .verdict = verdict,
    .name = copy (name),
    .text = copy (text),
    .remedy = copy (remedy),
  };
}

void
cli_checks_add_error (struct cli_checks *checks, const char *verdict, const char *name,
                      const struct ak_error *error)
{
  cli_checks_add (checks, verdict, name, ak_error_text (error), ak_error_hint (error));
}

int
cli_checks_failed (const struct cli_checks *checks)
{
  for (size_t i = 0; i < checks->n; i++)
    if (!strcmp (checks->list[i].verdict, CHECK_FAIL))
      return 1;
  return 0;
}

void
cli_checks_say_failed (const struct cli_checks *checks)
{
  for (size_t i = 0; i < checks->n; i++) {
    const struct cli_check *c = &checks->list[i];
    struct ak_error *error = NULL;
    if (strcmp (c->verdict, CHECK_FAIL))
      continue;
    ak_fail (&error, AK_STATUS_CONFIG, c->remedy, "%s", c->text ? c->text : "out of memory");
    cli_also (error);
    ak_error_free (error);
  }
}

static void
print_remedy (const char *remedy)
{
  while (remedy && *remedy) {
    size_t size = strcspn (remedy, "\n");
    printf ("%-5s %-*s   ", "", COLUMN, "");
    cli_put_bytes (stdout, remedy, size);
    putchar ('\n');
    remedy += size + (remedy[size] == '\n');
  }
}

void
cli_checks_print (const struct cli_checks *checks, int all)
{
  for (size_t i = 0; i < checks->n; i++) {
    const struct cli_check *c = &checks->list[i];
    if (!all && !strcmp (c->verdict, CHECK_FAIL))
      continue;
    printf ("%-5s ", c->verdict);
    cli_put (stdout, c->name ? c->name : "");
    printf ("%*s ", c->name && strlen (c->name) < COLUMN ? COLUMN - (int) strlen (c->name) : 0, "");
    cli_put (stdout, c->text ? c->text : "");
    putchar ('\n');
    print_remedy (c->remedy);
  }
}

struct json_object *
cli_checks_json (const struct cli_checks *checks)
{
  struct json_object *array = json_object_new_array ();
  for (size_t i = 0; i < checks->n; i++) {
    struct json_object *object = json_object_new_object ();
    cli_add_text (object, "name", checks->list[i].name);
    cli_add_text (object, "verdict", checks->list[i].verdict);
    cli_add_text (object, "text", checks->list[i].text);
    cli_add_text (object, "remedy", checks->list[i].remedy);
    json_object_array_add (array, object);
  }
  return array;
}

void
cli_checks_clear (struct cli_checks *checks)
{
  for (size_t i = 0; i < checks->n; i++) {
    free (checks->list[i].name);
    free (checks->list[i].text);
    free (checks->list[i].remedy);
  }
  free (checks->list);
  *checks = (struct cli_checks) { NULL, 0 };
}
