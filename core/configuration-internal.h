/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the configuration share: collected faults, tables of keys, files, overrides. */
#ifndef AKSANDBOX_CORE_CONFIGURATION_INTERNAL_H
#define AKSANDBOX_CORE_CONFIGURATION_INTERNAL_H
#include "configuration.h"
#include "value.h"

/* Every fault of a configuration, so that one look mends them all. */
struct report {
  char *text, *hint; /* of the first */
  char *also;        /* lines for the further ones */
  unsigned n;
  char **warnings;
  int no_memory;
};

void ak_report_fault (struct report *report, const struct value *at, const char *hint, const char *format,
                      ...) __attribute__ ((format (printf, 4, 5)));
void ak_report_warning (struct report *report, const struct value *at, const char *format, ...)
  __attribute__ ((format (printf, 3, 4)));
/* The status of what was collected; `report` is empty afterwards but for its warnings. */
enum ak_status ak_report_end (struct report *report, struct ak_error **error);

/* ", not 'VALUE'", or "" for what is long, not printable, or stands under a key that sounds like a secret. */
struct echo {
  char text[96];
};
const char *ak_echo (struct echo *echo, const char *key, const struct value *value);
int ak_key_is_secret (const char *key);
int ak_key_is_shown (const char *key); /* short and printable */

enum field_kind {
  FIELD_TEXT,      /* char *, not empty */
  FIELD_TEXTS,     /* char **, ended by NULL */
  FIELD_BOOL,      /* int */
  FIELD_WORD,      /* int: the place among `words` */
  FIELD_COUNT,     /* uint64_t, and so are the following */
  FIELD_SECONDS,   /* in nanoseconds */
  FIELD_CORES,     /* in thousandths */
  FIELD_MEBIBYTES, /* in bytes */
  FIELD_SECTION,   /* the keys of `section`, of the same struct */
  FIELD_MAP        /* only that it is one, or nothing */
};
#define FIELD_NULLABLE 1u /* null means the default */
#define FIELD_ABOVE 2u    /* more than `min`; and never 0 when it is stored */
#define FIELD_IGNORED 4u  /* known, and has no effect: a warning */
#define NOT_STORED ((size_t) -1)

struct field {
  const char *name; /* NULL ends a table */
  enum field_kind kind;
  unsigned flags;
  size_t offset; /* in the struct that is read into, or NOT_STORED */
  double min, max;
  const char *const *words;
  const struct field *section;
};

/* Read the keys of a table into `base`, which holds the defaults; `map` may be NULL or null. Other keys of
 * the map are not looked at. */
void ak_fields_read (struct report *report, const struct value *map, const struct field *fields, void *base);
/* Every key of the map must be of one of the tables (which may be NULL) or a bundled provider's (`blocks`).
 * A key of `elsewhere` gets `elsewhere_hint`. */
struct known_keys {
  const struct field *fields, *more;
  int blocks;
  const struct field *elsewhere;
  const char *elsewhere_hint;
  const char *unknown_hint;     /* for a key that is near to none, or NULL */
};
void ak_fields_check_keys (struct report *report, const struct value *map, const struct known_keys *known);

/* A profile with every default and nothing else. NULL: no memory. */
struct profile_config *ak_profile_new (const char *name);
/* Read `map` into it: `keys` is the profile's own table, or one of fewer. Sets type, options, where. */
extern const struct field ak_profile_fields[], ak_profile_sugar_fields[];
void ak_profile_read (struct report *report, const struct value *map, const struct value *key, int adhoc,
                      const struct field *fields, struct profile_config *profile);
/* Rules between its keys that need no manifest. `at`: where the profile stands. */
void ak_profile_check (struct report *report, const struct value *at, const struct profile_config *profile);

/* The section's own keys, of struct config, and those of struct principal_config. */
extern const struct field ak_sandbox_fields[], ak_principal_fields[];
/* The whole `sandbox:` section, a map or null, and where it starts. `config` holds the defaults and owns the
 * tree that `sandbox` is of. */
void ak_sandbox_read (struct report *report, const struct value *sandbox, const struct value *key,
                      struct config *config);

/* The file to read, absolute; NULL in *ret: there is none. */
enum ak_status ak_config_find_file (const char *file, char **ret, struct ak_error **error);
enum ak_status ak_config_read_file (const char *path, char **ret, size_t *ret_size, struct ak_error **error);
/* Put what AK_SANDBOX__* say into *sandbox, which becomes a map when there is any; it may be NULL. */
enum ak_status ak_config_apply_environment (struct value **sandbox, struct ak_error **error);

#endif
