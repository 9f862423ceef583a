/* SPDX-License-Identifier: Apache-2.0 */
/* What a provider says of itself in its file's notes, read without loading it. */
#include "config.h"
#include "manifest.h"
#include "cleanup.h"
#include "elf-file.h"
#include "note-text.h"
#include "strv.h"
#include <inttypes.h>
#include <string.h>

#define NOTES_MAX (1024u * 1024u)
#define PROVIDERS_MAX 64
#define OPTIONS_MAX 256
#define NAME_MAX_LENGTH 64
#define LIST_MAX 256

static const char vendor[] = "aksandbox";       /* the NUL counts */

/* An option before its provider is known: notes come in the compiler's order. */
struct loose_option {
  char *of;
  struct manifest_option option;
};

struct reader {
  const char *path;
  uint64_t notes_size;
  struct manifest_file file;
  struct loose_option *options;
  size_t n_options;
};

static void
option_clear (struct manifest_option *o)
{
  free (o->key);
  free (o->fallback);
  free (o->min);
  free (o->max);
  free (o->choices);
  free (o->help);
  free (o->excludes);
}

static void
manifest_clear (struct manifest *m)
{
  free (m->name);
  free (m->version);
  free (m->summary);
  free (m->license);
  free (m->origin);
  free (m->package);
  ak_strv_free (m->languages);
  ak_strv_free (m->env);
  for (size_t i = 0; i < m->n_options; i++)
    option_clear (&m->options[i]);
  free (m->options);
}

void
ak_manifest_file_clear (struct manifest_file *file)
{
  for (size_t i = 0; i < file->n_providers; i++)
    manifest_clear (&file->providers[i]);
  free (file->providers);
  free (file->path);
  *file = (struct manifest_file) { 0 };
}

static void
reader_clear (struct reader *r)
{
  ak_manifest_file_clear (&r->file);
  for (size_t i = 0; i < r->n_options; i++) {
    free (r->options[i].of);
    option_clear (&r->options[i].option);
  }
  free (r->options);
}

static enum ak_status
malformed (const struct reader *r, const char *what, const char *reason, struct ak_error **error)
{
  return ak_fail (error, AK_STATUS_PLUGIN, NULL, "%s: malformed: %s: %s", r->path, what, reason);
}

/* A copy of text that may be absent; sets *failed when there is no memory. */
static char *
copy (const char *text, int *failed)
{
  char *made = text ? strdup (text) : NULL;
  if (text && !made)
    *failed = 1;
  return made;
}

static int
is_name (const char *text)
{
  size_t n = strspn (text, "abcdefghijklmnopqrstuvwxyz0123456789_");
  return *text >= 'a' && *text <= 'z' && !text[n] && n <= NAME_MAX_LENGTH;
}

/* Room for one more element, doubled as the number of elements passes powers of two. */
static void *
grown (void *array, size_t n, size_t size)
{
  return n & (n - 1) ? array : realloc (array, (n ? 2 * n : 1) * size);
}

/* The numbers of a note, as many as it has; the rest are 0. The size of its head, 0 if it is malformed. */
static uint32_t
read_head (const char *desc, uint32_t size, uint32_t *words, uint32_t n, uint32_t mandatory)
{
  uint32_t head = 0;
  if (size < sizeof head)
    return 0;
  memcpy (&head, desc, sizeof head);
  if (head > size || head % 4 || head < 4 * mandatory)
    return 0;
  memset (words, 0, 4 * n);
  memcpy (words, desc, head < 4 * n ? head : 4 * n);
  return head;
}

static enum ak_status
fill_provider (const struct reader *r, const char *const values[8], struct manifest *m,
               struct ak_error **error)
{
  int failed = 0;
  m->name = copy (values[0], &failed);
  m->version = copy (values[1], &failed);
  m->summary = copy (values[2], &failed);
  m->license = copy (values[3], &failed);
  m->origin = copy (values[4], &failed);
  m->languages = ak_strv_split (values[5] ? values[5] : "");
  m->env = ak_strv_split (values[6] ? values[6] : "");
  m->package = copy (values[7], &failed);
  if (failed || !m->languages || !m->env)
    return ak_fail_memory (error);
  if (ak_strv_length ((const char *const *) m->languages) > LIST_MAX
      || ak_strv_length ((const char *const *) m->env) > LIST_MAX)
    return malformed (r, m->name, "more languages or variables than anybody has", error);
  return AK_STATUS_OK;
}

static enum ak_status
add_provider (struct reader *r, const char *desc, uint32_t size, struct ak_error **error)
{
  static const char *const keys[]
    = { "name", "version", "summary", "license", "origin", "languages", "env", "package", NULL };
  const char *values[8] = { NULL };
  uint32_t w[6];
  uint32_t head = read_head (desc, size, w, 6, 3);
  const char *wrong = head ? ak_note_text (desc + head, size - head, keys, values) : "its head";
  if (wrong)
    return malformed (r, "a provider's note", wrong, error);
  if (!values[0] || !is_name (values[0]))
    return malformed (r, "a provider's note", "its name is not [a-z][a-z0-9_]*", error);
  if (r->file.n_providers == PROVIDERS_MAX)
    return malformed (r, values[0], "more than 64 providers", error);
  struct manifest *providers = grown (r->file.providers, r->file.n_providers, sizeof *providers);
  if (!providers)
    return ak_fail_memory (error);
  r->file.providers = providers;
  struct manifest *m = &providers[r->file.n_providers++];
  *m = (struct manifest) { .major = w[1], .minor = w[2], .caps = w[3], .tier = w[4], .threads = w[5] };
  return fill_provider (r, values, m, error);
}

static enum ak_status
add_option (struct reader *r, const char *desc, uint32_t size, struct ak_error **error)
{
  static const char *const keys[]
    = { "of", "key", "default", "min", "max", "choices", "help", "excludes", NULL };
  const char *values[8] = { NULL };
  uint32_t w[4];
  int failed = 0;
  uint32_t head = read_head (desc, size, w, 4, 2);
  const char *wrong = head ? ak_note_text (desc + head, size - head, keys, values) : "its head";
  if (wrong)
    return malformed (r, "an option's note", wrong, error);
  if (!values[0] || !is_name (values[0]) || !values[1] || !is_name (values[1]))
    return malformed (r, "an option's note", "its provider or key is not [a-z][a-z0-9_]*", error);
  if (r->n_options == PROVIDERS_MAX * OPTIONS_MAX)
    return malformed (r, values[0], "more options than its providers may have", error);
  struct loose_option *options = grown (r->options, r->n_options, sizeof *options);
  if (!options)
    return ak_fail_memory (error);
  r->options = options;
  struct loose_option *o = &options[r->n_options++];
  *o = (struct loose_option) { .option = { .type = w[1], .flags = w[2], .asserts = w[3] } };
  o->of = copy (values[0], &failed);
  o->option.key = copy (values[1], &failed);
  o->option.fallback = copy (values[2], &failed);
  o->option.min = copy (values[3], &failed);
  o->option.max = copy (values[4], &failed);
  o->option.choices = copy (values[5], &failed);
  o->option.help = copy (values[6], &failed);
  o->option.excludes = copy (values[7], &failed);
  return failed ? ak_fail_memory (error) : AK_STATUS_OK;
}

static uint64_t
align (uint64_t n, uint64_t to)
{
  return (n + to - 1) & ~(to - 1);
}

/* Notes of one segment. Those of others are only walked over. */
static enum ak_status
read_notes (struct reader *r, const char *notes, uint64_t size, uint64_t to, struct ak_error **error)
{
  enum ak_status status = AK_STATUS_OK;
  for (uint64_t at = 0; status == AK_STATUS_OK && size - at >= 12;) {
    uint32_t n[3];
    memcpy (n, notes + at, sizeof n);
    uint64_t desc = align (12 + (uint64_t) n[0], to);
    if (desc > size - at || n[1] > size - at - desc) {
      /* A linker's odd note is no reason to refuse; hiding ours behind one is. */
      if (memmem (notes + at, size - at, vendor, sizeof vendor))
        return malformed (r, "its notes", "one is longer than all of them", error);
      break;
    }
    if (n[0] == sizeof vendor && !memcmp (notes + at + 12, vendor, sizeof vendor)) {
      if (n[2] == AK_NOTE_PROVIDER)
        status = add_provider (r, notes + at + desc, n[1], error);
      else if (n[2] == AK_NOTE_OPTION)
        status = add_option (r, notes + at + desc, n[1], error);
    }
    uint64_t next = align (desc + n[1], to);
    at += next < size - at ? next : size - at;
  }
  return status;
}

static enum ak_status
read_segment (struct reader *r, const struct elf_file *elf, const ElfW(Phdr) *segment,
              struct ak_error **error)
{
  if (!segment->p_filesz)
    return AK_STATUS_OK;
  if (segment->p_filesz > NOTES_MAX - r->notes_size)
    return malformed (r, "its notes", "more than 1 MiB", error);
  r->notes_size += segment->p_filesz;
  CLEANUP_FREE char *notes = malloc (segment->p_filesz);
  if (!notes)
    return ak_fail_memory (error);
  enum ak_status status = ak_elf_read (elf, segment->p_offset, notes, segment->p_filesz, error);
  if (status != AK_STATUS_OK)
    return status;
  return read_notes (r, notes, segment->p_filesz, segment->p_align == 8 ? 8 : 4, error);
}

static int
compare_providers (const void *a, const void *b)
{
  return strcmp (((const struct manifest *) a)->name, ((const struct manifest *) b)->name);
}

static int
compare_options (const void *a, const void *b)
{
  return strcmp (((const struct manifest_option *) a)->key, ((const struct manifest_option *) b)->key);
}

static struct manifest *
find (const struct manifest_file *file, const char *name)
{
  for (size_t i = 0; i < file->n_providers; i++)
    if (!strcmp (file->providers[i].name, name))
      return &file->providers[i];
  return NULL;
}

static enum ak_status
place_options (struct reader *r, struct ak_error **error)
{
  for (size_t i = 0; i < r->n_options; i++) {
    struct loose_option *o = &r->options[i];
    struct manifest *m = find (&r->file, o->of);
    if (!m)
      return malformed (r, o->of, "an option of a provider that is not in the file", error);
    if (m->n_options == OPTIONS_MAX)
      return malformed (r, o->of, "more than 256 options", error);
    struct manifest_option *options = grown (m->options, m->n_options, sizeof *options);
    if (!options)
      return ak_fail_memory (error);
    m->options = options;
    m->options[m->n_options++] = o->option;
    o->option = (struct manifest_option) { 0 };
  }
  return AK_STATUS_OK;
}

/* What a provider of an ABI that this host speaks may not say. Of a foreign one nothing is known. */
static enum ak_status
check_numbers (const struct reader *r, const struct manifest *m, struct ak_error **error)
{
  if (m->major != AK_PROVIDER_MAJOR || m->minor > AK_PROVIDER_MINOR)
    return AK_STATUS_OK;
  if (m->threads > AK_PARALLEL)
    return malformed (r, m->name, "an unknown thread model", error);
  for (size_t i = 0; i < m->n_options; i++)
    if (m->options[i].type < AK_T_STRING || m->options[i].type > AK_T_ENV)
      return malformed (r, m->options[i].key, "an option of an unknown type", error);
  return AK_STATUS_OK;
}

static enum ak_status
finish (struct reader *r, struct ak_error **error)
{
  struct manifest_file *f = &r->file;
  if (f->n_providers)
    qsort (f->providers, f->n_providers, sizeof *f->providers, compare_providers);
  for (size_t i = 1; i < f->n_providers; i++)
    if (!compare_providers (&f->providers[i - 1], &f->providers[i]))
      return malformed (r, f->providers[i].name, "two providers of this name", error);
  enum ak_status status = place_options (r, error);
  for (size_t i = 0; status == AK_STATUS_OK && i < f->n_providers; i++) {
    struct manifest *m = &f->providers[i];
    if (m->n_options)
      qsort (m->options, m->n_options, sizeof *m->options, compare_options);
    for (size_t k = 1; k < m->n_options; k++)
      if (!compare_options (&m->options[k - 1], &m->options[k]))
        return malformed (r, m->options[k].key, "two options of this key", error);
    status = check_numbers (r, m, error);
  }
  if (status == AK_STATUS_OK && !(f->path = strdup (r->path)))
    return ak_fail_memory (error);
  return status;
}

enum ak_status
ak_manifest_scan (int fd, const char *path, struct manifest_file *ret, struct ak_error **error)
{
  struct reader reader = { .path = path };
  struct elf_file elf;
  enum ak_status status = ak_elf_open (fd, path, &elf, error);
  if (status != AK_STATUS_OK)
    return status;
  for (size_t i = 0; status == AK_STATUS_OK && i < elf.n_segments; i++)
    if (elf.segments[i].p_type == PT_NOTE)
      status = read_segment (&reader, &elf, &elf.segments[i], error);
  ak_elf_close (&elf);
  if (status == AK_STATUS_OK)
    status = finish (&reader, error);
  if (status == AK_STATUS_OK) {
    *ret = reader.file;
    reader.file = (struct manifest_file) { 0 };
  }
  reader_clear (&reader);
  return status;
}

enum ak_status
ak_manifest_read (int fd, const char *path, struct manifest_file *ret, struct ak_error **error)
{
  struct manifest_file file;
  enum ak_status status = ak_manifest_scan (fd, path, &file, error);
  if (status != AK_STATUS_OK)
    return status;
  if (!file.n_providers) {
    ak_manifest_file_clear (&file);
    return ak_fail (
      error, AK_STATUS_PLUGIN,
      "A provider whose notes were stripped (strip --remove-section '.note*') must be installed again.",
      "%s: not a provider: it has no aksandbox note", path);
  }
  *ret = file;
  return AK_STATUS_OK;
}

const struct manifest *
ak_manifest_find (const struct manifest_file *file, const char *name)
{
  return find (file, name);
}

const struct manifest_option *
ak_manifest_option (const struct manifest *m, const char *key)
{
  for (size_t i = 0; i < m->n_options; i++)
    if (!strcmp (m->options[i].key, key))
      return &m->options[i];
  return NULL;
}
