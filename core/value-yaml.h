/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the YAML reader share. */
#ifndef AKSANDBOX_CORE_VALUE_YAML_H
#define AKSANDBOX_CORE_VALUE_YAML_H
#include <yaml.h>
#include "value-build.h"

struct yaml_anchor {
  char *name;
  const struct value *value; /* NULL: it is still being read */
};

struct yaml_reader {
  yaml_parser_t yaml;
  yaml_event_t event;
  int have_event;
  struct value_source *source;
  const char *name; /* of the source */
  struct ak_error **error;
  size_t nodes, text; /* made so far, copies for aliases among them */
  unsigned depth;
  struct yaml_anchor anchors[VALUE_MAX_ANCHORS];
  size_t n_anchors;
  struct value *merged; /* a list of what stood behind <<: anchors may point into it */
};

/* All of these return the status CONFIG, or INTERNAL without memory. */
enum ak_status ak_yaml_fault (struct yaml_reader *r, yaml_mark_t mark, const char *hint, const char *format,
                              ...) __attribute__ ((format (printf, 4, 5)));
/* Without an error of ours when it is libyaml's: ak_value_parse_yaml turns that into text. */
enum ak_status ak_yaml_next (struct yaml_reader *r);
/* A copy, counted before it is made. */
enum ak_status ak_yaml_copy (struct yaml_reader *r, yaml_mark_t mark, const struct value *value,
                             struct value **ret);
/* The node that the current event starts. */
enum ak_status ak_yaml_read_node (struct yaml_reader *r, struct value **ret);
/* Everything up to the end of a map that has begun. */
enum ak_status ak_yaml_read_entries (struct yaml_reader *r, struct value *map);

#endif
