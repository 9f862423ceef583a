/* SPDX-License-Identifier: Apache-2.0 */
/* What the host says of the sandbox (SETUP_*) and of one execution (EXEC_*), read field by field. */
#include "kernel.h"
#include "spec.h"
#include "frame.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int
strings_add (struct strings *s, const void *bytes, size_t size)
{
  if (size > s->capacity - s->size) {
    size_t capacity = s->capacity ? s->capacity * 2 : 512;
    char *grown;

    while (capacity < s->size + size)
      capacity *= 2;
    grown = realloc (s->bytes, capacity);
    if (!grown)
      return -1;
    s->bytes = grown;
    s->capacity = capacity;
  }
  if (size)
    memcpy (s->bytes + s->size, bytes, size);
  s->size += size;
  return 0;
}

static int
strings_end (struct strings *s)
{
  if (strings_add (s, "", 1))
    return -1;
  s->count++;
  return 0;
}

static const char *
read_limit (struct setup *setup, const uint8_t *bytes, size_t size)
{
  struct setup_limit *limit = &setup->limits[setup->n_limits];

  if (size != 24 || get_u32 (bytes + 4) != 0)
    return "a limit of the wrong form";
  if (setup->n_limits == SETUP_LIMITS_MAX)
    return "too many limits";
  *limit = (struct setup_limit) { get_u32 (bytes), get_u64 (bytes + 8), get_u64 (bytes + 16) };
  setup->n_limits++;
  return NULL;
}

static const char *
read_setup_env (struct setup *setup, const uint8_t *bytes, size_t size)
{
  if (memchr (bytes, 0, size) || !memchr (bytes, '=', size) || bytes[0] == '=')
    return "a variable that is not NAME=value";
  if (strings_add (&setup->env, bytes, size) || strings_end (&setup->env))
    return "no memory";
  return NULL;
}

static const char *
read_workspace (struct setup *setup, const uint8_t *bytes, size_t size)
{
  if (setup->workspace)
    return "two workspaces";
  if (size == 0 || size > 4095 || bytes[0] != '/' || memchr (bytes, 0, size))
    return "a workspace that is not an absolute path";
  setup->workspace = strndup ((const char *) bytes, size);
  return setup->workspace ? NULL : "no memory";
}

const char *
setup_read (struct setup *setup, const uint8_t *bytes, size_t size)
{
  const char *wrong = NULL;

  while (size && !wrong) {
    uint32_t tag, length;

    if (size < 8 || (length = get_u32 (bytes + 4)) > size - 8)
      return "a field that is cut off";
    tag = get_u32 (bytes);
    bytes += 8;
    size -= 8;
    if (tag == SETUP_WORKSPACE)
      wrong = read_workspace (setup, bytes, length);
    else if (tag == SETUP_LIMIT)
      wrong = read_limit (setup, bytes, length);
    else if (tag == SETUP_ENV)
      wrong = length ? read_setup_env (setup, bytes, length) : "a variable that is not NAME=value";
    else
      wrong = "unknown field in HELLO";
    bytes += length;
    size -= length;
  }
  return wrong ? wrong : setup->workspace ? NULL : "HELLO without a workspace";
}

void
spec_init (struct spec *spec)
{
  *spec = (struct spec) { .code = -1 };
}

void
spec_free (struct spec *spec)
{
  free (spec->args.bytes);
  free (spec->env.bytes);
  free (spec->cwd.bytes);
  if (spec->code >= 0)
    close (spec->code);
  spec_init (spec);
}

void
spec_problem (struct spec *spec, enum runner_error code, const char *text)
{
  if (!spec->problem) {
    spec->problem = text;
    spec->problem_code = code;
  }
}

static struct strings *
text_of (struct spec *spec)
{
  return spec->tag == EXEC_ARG ? &spec->args : spec->tag == EXEC_ENV ? &spec->env
         : spec->tag == EXEC_CWD ? &spec->cwd : NULL;
}

/* The head of a field is complete. */
static const char *
begin_field (struct spec *spec)
{
  static const uint8_t number_sizes[] = { [EXEC_TIMEOUT] = 8, [EXEC_TERM_GRACE] = 8, [EXEC_STDIN] = 4 };

  spec->tag = get_u32 (spec->head);
  spec->left = get_u32 (spec->head + 4);
  spec->number_size = 0;
  if (spec->tag < EXEC_ARG || spec->tag > EXEC_STDIN)
    return "unknown field in SPEC";
  if (spec->tag != EXEC_ARG && spec->tag != EXEC_ENV && spec->seen & 1u << spec->tag)
    return "a field that may not repeat";
  if (spec->tag < sizeof number_sizes && number_sizes[spec->tag] && spec->left != number_sizes[spec->tag])
    return "a field of the wrong size";
  spec->seen |= 1u << spec->tag;
  if (spec->tag == EXEC_CODE) {
    spec->code = memfd_create ("code", MFD_CLOEXEC);
    if (spec->code < 0)
      spec_problem (spec, RUNNER_E_RESOURCE, strerror (errno));
  }
  return NULL;
}

static void
take_code (struct spec *spec, const uint8_t *bytes, size_t size)
{
  while (size && !spec->problem) {
    ssize_t n = write (spec->code, bytes, size);

    if (n < 0 && errno != EINTR)
      spec_problem (spec, RUNNER_E_RESOURCE, strerror (errno));
    else if (n > 0) {
      bytes += n;
      size -= (size_t) n;
    }
  }
}

static void
take_text (struct spec *spec, struct strings *text, const uint8_t *bytes, size_t size)
{
  if (memchr (bytes, 0, size))
    spec_problem (spec, RUNNER_E_SPEC, "a NUL in an argument, a variable or the directory");
  if (spec->args.size + spec->env.size + spec->cwd.size + size > SPEC_TEXT_MAX)
    spec_problem (spec, RUNNER_E_SPEC, "arguments and environment are too long");
  if (!spec->problem && strings_add (text, bytes, size))
    spec_problem (spec, RUNNER_E_RESOURCE, "no memory");
}

static const char *
end_field (struct spec *spec)
{
  struct strings *text = text_of (spec);

  spec->head_size = 0;
  if (text && !spec->problem && strings_end (text))
    spec_problem (spec, RUNNER_E_RESOURCE, "no memory");
  else if (spec->tag == EXEC_TIMEOUT)
    spec->timeout_ns = get_u64 (spec->number);
  else if (spec->tag == EXEC_TERM_GRACE)
    spec->grace_ns = get_u64 (spec->number);
  else if (spec->tag == EXEC_STDIN) {
    spec->wants_stdin = get_u32 (spec->number);
    if (spec->wants_stdin > 1)
      return "EXEC_STDIN is neither 0 nor 1";
  } else if (spec->tag == EXEC_CODE && spec->code >= 0)
    lseek (spec->code, 0, SEEK_SET);
  return NULL;
}

/* Bytes of the field that has begun; how many were taken. */
static size_t
take (struct spec *spec, const uint8_t *bytes, size_t size)
{
  struct strings *text = text_of (spec);

  if (size > spec->left)
    size = spec->left;
  if (text)
    take_text (spec, text, bytes, size);
  else if (spec->tag == EXEC_CODE)
    take_code (spec, bytes, size);
  else {
    memcpy (spec->number + spec->number_size, bytes, size);
    spec->number_size += (unsigned) size;
  }
  spec->left -= (uint32_t) size;
  return size;
}

const char *
spec_feed (struct spec *spec, const uint8_t *bytes, size_t size)
{
  const char *wrong = NULL;

  if (size > SPEC_MAX - spec->total)
    return "a description that is too long";
  spec->total += size;
  while (size && !wrong) {
    if (spec->head_size < sizeof spec->head) {
      spec->head[spec->head_size++] = *bytes++;
      size--;
      if (spec->head_size == sizeof spec->head)
        wrong = begin_field (spec);
    } else {
      size_t taken = take (spec, bytes, size);

      bytes += taken;
      size -= taken;
    }
    if (!wrong && spec->head_size == sizeof spec->head && spec->left == 0)
      wrong = end_field (spec);
  }
  return wrong;
}

static int
is_variable (const char *text)
{
  const char *equal = strchr (text, '=');

  return equal && equal != text;
}

const char *
spec_finish (struct spec *spec)
{
  const char *variable = spec->env.bytes;

  if (spec->head_size)
    return "a field that is cut off";
  if (!spec->problem && spec->args.count == 0)
    spec_problem (spec, RUNNER_E_SPEC, "no command");
  if (!spec->problem && spec->args.bytes[0] == 0)
    spec_problem (spec, RUNNER_E_SPEC, "the command's name is empty");
  for (size_t i = 0; i < spec->env.count && !spec->problem; i++) {
    if (!is_variable (variable))
      spec_problem (spec, RUNNER_E_SPEC, "a variable that is not NAME=value");
    variable += strlen (variable) + 1;
  }
  return NULL;
}
