/* SPDX-License-Identifier: Apache-2.0 */
/* YAML to a tree of values, bounded in everything that the text decides. */
#include "config.h"
#include "value-yaml.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cleanup.h"

#define INDENT_HINT "Indent with spaces, never tabs, and quote text that starts with a special character."

enum ak_status
ak_yaml_fault (struct yaml_reader *r, yaml_mark_t mark, const char *hint, const char *format, ...)
{
  CLEANUP_FREE char *what = NULL;
  va_list ap;

  va_start (ap, format);
  int n = vasprintf (&what, format, ap);
  va_end (ap);
  if (n < 0) {
    what = NULL;
    return ak_fail_memory (r->error);
  }
  return ak_fail (r->error, AK_STATUS_CONFIG, hint, "%s:%zu:%zu: %s", r->name, mark.line + 1, mark.column + 1,
                  what);
}

/* The place of a byte, for faults that libyaml knows by their offset only. */
static yaml_mark_t
mark_at (const char *data, size_t offset)
{
  yaml_mark_t mark = { .index = offset };

  for (size_t i = 0; i < offset; i++)
    if (data[i] == '\n') {
      mark.line++;
      mark.column = 0;
    } else if (((unsigned char) data[i] & 0xc0) != 0x80)
      mark.column++;
  return mark;
}

static enum ak_status
libyaml_fault (struct yaml_reader *r, const char *data, size_t size)
{
  const yaml_parser_t *y = &r->yaml;
  const char *problem = y->problem ? y->problem : "this is no YAML";

  if (y->error == YAML_MEMORY_ERROR)
    return ak_fail_memory (r->error);
  if (y->error == YAML_READER_ERROR) {
    size_t offset = y->problem_offset < size ? y->problem_offset : size;
    return ak_yaml_fault (r, mark_at (data, offset), NULL, "%s", problem);
  }
  const char *hint =
    strstr (problem, "cannot start any token") || strstr (problem, "tab character") ? INDENT_HINT : NULL;
  if (!y->context)
    return ak_yaml_fault (r, y->problem_mark, hint, "%s", problem);
  return ak_yaml_fault (r, y->problem_mark, hint, "%s, %s that starts at line %zu", problem, y->context,
                        y->context_mark.line + 1);
}

static void
drop_event (struct yaml_reader *r)
{
  if (r->have_event)
    yaml_event_delete (&r->event);
  r->have_event = 0;
}

enum ak_status
ak_yaml_next (struct yaml_reader *r)
{
  drop_event (r);
  if (!yaml_parser_parse (&r->yaml, &r->event))
    return AK_STATUS_CONFIG;
  r->have_event = 1;
  return AK_STATUS_OK;
}

static enum ak_status
count (struct yaml_reader *r, yaml_mark_t mark, size_t nodes, size_t text)
{
  r->nodes += nodes;
  r->text += text;
  if (r->nodes > VALUE_MAX_NODES)
    return ak_yaml_fault (r, mark, NULL, "more than %u values, those that aliases stand for among them",
                          VALUE_MAX_NODES);
  if (r->text > VALUE_MAX_TEXT)
    return ak_yaml_fault (r, mark, NULL, "more than %u bytes of text, what aliases stand for included",
                          VALUE_MAX_TEXT);
  return AK_STATUS_OK;
}

static void
measure (const struct value *value, size_t *nodes, size_t *text)
{
  ++*nodes;
  *text += value->text ? strlen (value->text) : 0;
  for (size_t i = 0; i < value->n; i++) {
    measure (value->items[i], nodes, text);
    if (value->key_marks)
      measure (value->key_marks[i], nodes, text);
  }
}

enum ak_status
ak_yaml_copy (struct yaml_reader *r, yaml_mark_t mark, const struct value *value, struct value **ret)
{
  size_t nodes = 0, text = 0;

  measure (value, &nodes, &text);
  enum ak_status status = count (r, mark, nodes, text);
  if (status != AK_STATUS_OK)
    return status;
  struct value *copy = ak_value_copy (value);
  if (!copy)
    return ak_fail_memory (r->error);
  *ret = copy;
  return AK_STATUS_OK;
}

static struct yaml_anchor *
find_anchor (struct yaml_reader *r, const yaml_char_t *name)
{
  for (size_t i = 0; i < r->n_anchors; i++)
    if (strcmp (r->anchors[i].name, (const char *) name) == 0)
      return &r->anchors[i];
  return NULL;
}

/* *ret: the anchor to fill in once its value is read, or NULL when there is none. */
static enum ak_status
add_anchor (struct yaml_reader *r, const yaml_char_t *name, struct yaml_anchor **ret)
{
  struct yaml_anchor *a = &r->anchors[r->n_anchors];

  *ret = NULL;
  if (!name)
    return AK_STATUS_OK;
  if (find_anchor (r, name))
    return ak_yaml_fault (r, r->event.start_mark, NULL, "this anchor is already defined above");
  if (r->n_anchors == VALUE_MAX_ANCHORS)
    return ak_yaml_fault (r, r->event.start_mark, NULL, "more than %u anchors", VALUE_MAX_ANCHORS);
  a->name = strdup ((const char *) name);
  if (!a->name)
    return ak_fail_memory (r->error);
  a->value = NULL;
  r->n_anchors++;
  *ret = a;
  return AK_STATUS_OK;
}

static enum ak_status
read_alias (struct yaml_reader *r, struct value **ret)
{
  const struct yaml_anchor *a = find_anchor (r, r->event.data.alias.anchor);

  if (!a)
    return ak_yaml_fault (r, r->event.start_mark, NULL, "an alias of an anchor that is not defined above");
  if (!a->value)
    return ak_yaml_fault (r, r->event.start_mark, NULL, "an alias inside of what it stands for");
  return ak_yaml_copy (r, r->event.start_mark, a->value, ret);
}

static struct value *
new_at (struct yaml_reader *r, enum value_kind kind)
{
  struct value *value = ak_value_new (kind, r->source);

  if (value) {
    value->line = (unsigned) r->event.start_mark.line + 1;
    value->column = (unsigned) r->event.start_mark.column + 1;
  }
  return value;
}

static const struct {
  const char *tag;
  enum value_kind kind;
} scalar_tags[] = {
  { YAML_NULL_TAG, VALUE_NULL },
  { YAML_BOOL_TAG, VALUE_BOOL },
  { YAML_INT_TAG, VALUE_INT },
  { YAML_FLOAT_TAG, VALUE_FLOAT },
};

static enum ak_status
apply_scalar_tag (struct yaml_reader *r, struct value *value)
{
  const char *tag = (const char *) r->event.data.scalar.tag;

  if (!tag) {
    if (r->event.data.scalar.plain_implicit && ak_scalar_resolve (value))
      return ak_fail_memory (r->error);
    return AK_STATUS_OK;
  }
  if (strcmp (tag, YAML_STR_TAG) == 0 || strcmp (tag, "!") == 0)
    return AK_STATUS_OK;
  for (size_t i = 0; i < sizeof scalar_tags / sizeof *scalar_tags; i++)
    if (strcmp (tag, scalar_tags[i].tag) == 0) {
      if (ak_scalar_resolve (value))
        return ak_fail_memory (r->error);
      if (value->kind == scalar_tags[i].kind)
        return AK_STATUS_OK;
      return ak_yaml_fault (r, r->event.start_mark, NULL, "the text is not of the type that its tag says");
    }
  return ak_yaml_fault (r, r->event.start_mark,
                        "Remove the tag, the word that starts with an exclamation mark.",
                        "a tag that is not known here");
}

static enum ak_status
read_scalar (struct yaml_reader *r, struct value **ret)
{
  const char *text = (const char *) r->event.data.scalar.value;
  size_t size = r->event.data.scalar.length;
  enum ak_status status;

  if (memchr (text, 0, size))
    return ak_yaml_fault (r, r->event.start_mark, NULL, "text with a NUL character");
  if ((status = count (r, r->event.start_mark, 1, size)) != AK_STATUS_OK)
    return status;
  struct value *value = new_at (r, VALUE_TEXT);
  if (!value || !(value->text = strndup (text, size))) {
    ak_value_free (value);
    return ak_fail_memory (r->error);
  }
  if ((status = apply_scalar_tag (r, value)) != AK_STATUS_OK) {
    ak_value_free (value);
    return status;
  }
  *ret = value;
  return AK_STATUS_OK;
}

static enum ak_status
check_tag (struct yaml_reader *r, const yaml_char_t *tag, const char *allowed)
{
  if (!tag || strcmp ((const char *) tag, allowed) == 0 || strcmp ((const char *) tag, "!") == 0)
    return AK_STATUS_OK;
  return ak_yaml_fault (r, r->event.start_mark,
                        "Remove the tag, the word that starts with an exclamation mark.",
                        "a tag that is not known here");
}

static enum ak_status
read_items (struct yaml_reader *r, struct value *list)
{
  for (;;) {
    struct value *item = NULL;
    enum ak_status status = ak_yaml_next (r);

    if (status != AK_STATUS_OK || r->event.type == YAML_SEQUENCE_END_EVENT)
      return status;
    if ((status = ak_yaml_read_node (r, &item)) != AK_STATUS_OK)
      return status;
    if (ak_value_append (list, item))
      return ak_fail_memory (r->error);
  }
}

static enum ak_status
read_container (struct yaml_reader *r, int is_map, struct value **ret)
{
  struct value *value = NULL;
  enum ak_status status = count (r, r->event.start_mark, 1, 0);

  if (status == AK_STATUS_OK && r->depth == VALUE_MAX_DEPTH)
    status = ak_yaml_fault (r, r->event.start_mark, NULL, "nested more than %u levels deep", VALUE_MAX_DEPTH);
  if (status != AK_STATUS_OK)
    return status;
  if (!(value = new_at (r, is_map ? VALUE_MAP : VALUE_LIST)))
    return ak_fail_memory (r->error);
  r->depth++;
  status = is_map ? ak_yaml_read_entries (r, value) : read_items (r, value);
  r->depth--;
  if (status != AK_STATUS_OK) {
    ak_value_free (value);
    return status;
  }
  *ret = value;
  return AK_STATUS_OK;
}

enum ak_status
ak_yaml_read_node (struct yaml_reader *r, struct value **ret)
{
  const yaml_event_t *e = &r->event;
  struct yaml_anchor *anchor;
  enum ak_status status = AK_STATUS_OK;

  if (e->type == YAML_ALIAS_EVENT)
    return read_alias (r, ret);
  if (e->type == YAML_SCALAR_EVENT) {
    if ((status = add_anchor (r, e->data.scalar.anchor, &anchor)) == AK_STATUS_OK)
      status = read_scalar (r, ret);
  } else if (e->type == YAML_SEQUENCE_START_EVENT) {
    if ((status = check_tag (r, e->data.sequence_start.tag, YAML_SEQ_TAG)) == AK_STATUS_OK
        && (status = add_anchor (r, e->data.sequence_start.anchor, &anchor)) == AK_STATUS_OK)
      status = read_container (r, 0, ret);
  } else if ((status = check_tag (r, e->data.mapping_start.tag, YAML_MAP_TAG)) == AK_STATUS_OK
             && (status = add_anchor (r, e->data.mapping_start.anchor, &anchor)) == AK_STATUS_OK)
    status = read_container (r, 1, ret);
  if (status == AK_STATUS_OK && anchor)
    anchor->value = *ret;
  return status;
}

static enum ak_status
read_document (struct yaml_reader *r, struct value **ret)
{
  struct value *value = NULL;
  enum ak_status status;

  if ((status = ak_yaml_next (r)) != AK_STATUS_OK /* stream start */
      || (status = ak_yaml_next (r)) != AK_STATUS_OK)
    return status;
  if (r->event.type == YAML_STREAM_END_EVENT) {
    value = ak_value_new (VALUE_NULL, r->source);
    if (!value)
      return ak_fail_memory (r->error);
    *ret = value;
    return AK_STATUS_OK;
  }
  if ((status = ak_yaml_next (r)) == AK_STATUS_OK && (status = ak_yaml_read_node (r, &value)) == AK_STATUS_OK
      && (status = ak_yaml_next (r)) == AK_STATUS_OK /* document end */
      && (status = ak_yaml_next (r)) == AK_STATUS_OK && r->event.type != YAML_STREAM_END_EVENT)
    status = ak_yaml_fault (r, r->event.start_mark, "Keep one document; --- separates them.",
                            "a second document starts here");
  if (status != AK_STATUS_OK) {
    ak_value_free (value);
    return status;
  }
  *ret = value;
  return AK_STATUS_OK;
}

/* What libyaml would misread, or report less plainly. */
static enum ak_status
check_bytes (struct yaml_reader *r, const char *data, size_t size)
{
  const char *nul;

  if (size > VALUE_MAX_SIZE)
    return ak_fail (r->error, AK_STATUS_CONFIG, NULL, "%s: larger than %u bytes", r->name, VALUE_MAX_SIZE);
  if (size >= 2 && (memcmp (data, "\xff\xfe", 2) == 0 || memcmp (data, "\xfe\xff", 2) == 0))
    return ak_fail (r->error, AK_STATUS_CONFIG, "Save it as UTF-8.", "%s:1:1: UTF-16 text", r->name);
  if (size > 0 && (nul = memchr (data, 0, size)))
    return ak_yaml_fault (r, mark_at (data, (size_t) (nul - data)), NULL, "a NUL byte");
  return AK_STATUS_OK;
}

static void
reader_clear (struct yaml_reader *r)
{
  drop_event (r);
  yaml_parser_delete (&r->yaml);
  for (size_t i = 0; i < r->n_anchors; i++)
    free (r->anchors[i].name);
  ak_value_free (r->merged);
  ak_value_source_unref (r->source);
}

enum ak_status
ak_value_parse_yaml (const char *source, const char *data, size_t size, struct value **ret,
                     struct ak_error **error)
{
  struct yaml_reader r = { .name = source, .error = error };
  enum ak_status status = check_bytes (&r, data, size);

  if (status != AK_STATUS_OK)
    return status;
  if (size >= 3 && memcmp (data, "\xef\xbb\xbf", 3) == 0) {
    data += 3;
    size -= 3;
  }
  if (!yaml_parser_initialize (&r.yaml))
    return ak_fail_memory (error);
  r.source = ak_value_source_new (source);
  r.merged = r.source ? ak_value_new (VALUE_LIST, r.source) : NULL;
  if (!r.merged)
    status = ak_fail_memory (error);
  else {
    yaml_parser_set_encoding (&r.yaml, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string (&r.yaml, (const unsigned char *) data, size);
    status = read_document (&r, ret);
  }
  if (status != AK_STATUS_OK && r.yaml.error != YAML_NO_ERROR)
    status = libyaml_fault (&r, data, size);
  reader_clear (&r);
  return status;
}
