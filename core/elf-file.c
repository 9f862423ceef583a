/* SPDX-License-Identifier: Apache-2.0 */
/* Shared objects read as data, with nothing in them believed. */
#include "config.h"
#include "elf-file.h"
#include "cleanup.h"
#include "strv.h"
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SEGMENTS_MAX 1024
#define DYNAMIC_MAX 4096
#define STRING_MAX 4096

/* The linker's name for the header of the object that this code is in: what a plugin must be, too. */
extern const ElfW(Ehdr) __ehdr_start __attribute__ ((visibility ("hidden")));

enum ak_status
ak_elf_read (const struct elf_file *file, uint64_t offset, void *buffer, size_t size, struct ak_error **error)
{
  char *at = buffer;
  if (offset > file->size || size > file->size - offset)
    return ak_fail (error, AK_STATUS_PLUGIN, "Install it again.", "%s: truncated: it has %" PRIu64 " bytes",
                    file->path, file->size);
  while (size) {
    ssize_t n = pread (file->fd, at, size, (off_t) offset);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return ak_fail (error, AK_STATUS_PLUGIN, NULL, "%s: cannot be read: %s", file->path,
                      n ? strerror (errno) : "it became shorter");
    at += n;
    offset += (uint64_t) n;
    size -= (size_t) n;
  }
  return AK_STATUS_OK;
}

static enum ak_status
check_header (const struct elf_file *file, const ElfW(Ehdr) *header, struct ak_error **error)
{
  const ElfW(Ehdr) *own = &__ehdr_start;
  if (memcmp (header->e_ident, ELFMAG, SELFMAG))
    return ak_fail (error, AK_STATUS_PLUGIN, "A provider is a shared object, NAME.so.",
                    "%s: not a shared object", file->path);
  if (header->e_ident[EI_CLASS] != own->e_ident[EI_CLASS] || header->e_ident[EI_DATA] != own->e_ident[EI_DATA]
      || header->e_machine != own->e_machine)
    return ak_fail (error, AK_STATUS_PLUGIN, "Install the build for this machine.",
                    "%s: a shared object for another kind of machine (ELF class %d, machine %d; here %d, %d)",
                    file->path, header->e_ident[EI_CLASS], header->e_machine, own->e_ident[EI_CLASS],
                    own->e_machine);
  if (header->e_type != ET_DYN)
    return ak_fail (error, AK_STATUS_PLUGIN, "A provider is a shared object, NAME.so.",
                    "%s: not a shared object (ELF type %d)", file->path, header->e_type);
  if (header->e_phentsize != sizeof (ElfW(Phdr)) || !header->e_phnum || header->e_phnum > SEGMENTS_MAX)
    return ak_fail (error, AK_STATUS_PLUGIN, NULL, "%s: malformed: %d program headers of %d bytes",
                    file->path, header->e_phnum, header->e_phentsize);
  return AK_STATUS_OK;
}

static enum ak_status
check_segments (const struct elf_file *file, struct ak_error **error)
{
  for (size_t i = 0; i < file->n_segments; i++) {
    const ElfW(Phdr) *s = &file->segments[i];
    if (s->p_type != PT_LOAD && s->p_type != PT_NOTE && s->p_type != PT_DYNAMIC)
      continue;
    if (s->p_offset > file->size || s->p_filesz > file->size - s->p_offset)
      return ak_fail (error, AK_STATUS_PLUGIN, "Install it again.",
                      "%s: truncated: it has %" PRIu64 " bytes, and segment %zu ends at %" PRIu64, file->path,
                      file->size, i, (uint64_t) s->p_offset + s->p_filesz);
  }
  return AK_STATUS_OK;
}

enum ak_status
ak_elf_open (int fd, const char *path, struct elf_file *ret, struct ak_error **error)
{
  struct elf_file file = { .fd = fd, .path = path };
  ElfW(Ehdr) header;
  struct stat st;
  if (fstat (fd, &st))
    return ak_fail (error, AK_STATUS_PLUGIN, NULL, "%s: cannot be read: %s", path, strerror (errno));
  file.size = (uint64_t) st.st_size;
  if (file.size < sizeof header)
    return ak_fail (error, AK_STATUS_PLUGIN, "A provider is a shared object, NAME.so.",
                    "%s: not a shared object: it has only %" PRIu64 " bytes", path, file.size);
  enum ak_status status = ak_elf_read (&file, 0, &header, sizeof header, error);
  if (status == AK_STATUS_OK)
    status = check_header (&file, &header, error);
  if (status != AK_STATUS_OK)
    return status;
  file.n_segments = header.e_phnum;
  file.segments = calloc (file.n_segments, sizeof *file.segments);
  if (!file.segments)
    return ak_fail_memory (error);
  status = ak_elf_read (&file, header.e_phoff, file.segments, file.n_segments * sizeof *file.segments, error);
  if (status == AK_STATUS_OK)
    status = check_segments (&file, error);
  if (status != AK_STATUS_OK)
    ak_elf_close (&file);
  else
    *ret = file;
  return status;
}

void
ak_elf_close (struct elf_file *file)
{
  free (file->segments);
  file->segments = NULL;
}

/* Where an address of the loaded object lies in the file; the file's size if nowhere. */
static uint64_t
file_offset (const struct elf_file *file, uint64_t address)
{
  for (size_t i = 0; i < file->n_segments; i++) {
    const ElfW(Phdr) *s = &file->segments[i];
    if (s->p_type == PT_LOAD && address >= s->p_vaddr && address - s->p_vaddr < s->p_filesz)
      return s->p_offset + (address - s->p_vaddr);
  }
  return file->size;
}

static enum ak_status
read_string (const struct elf_file *file, uint64_t offset, char ret[STRING_MAX], struct ak_error **error)
{
  size_t room =
    offset < file->size && file->size - offset < STRING_MAX ? (size_t) (file->size - offset) : STRING_MAX;
  enum ak_status status = ak_elf_read (file, offset, ret, room, error);
  if (status == AK_STATUS_OK && !memchr (ret, 0, room))
    return ak_fail (error, AK_STATUS_PLUGIN, NULL,
                    "%s: malformed: a name in its dynamic section does not end", file->path);
  return status;
}

static int
add_search (char ***list, const char *text)
{
  for (;;) {
    size_t n = strcspn (text, ":");
    if (ak_strv_take (list, strndup (text, n)))
      return -1;
    if (!text[n])
      return 0;
    text += n + 1;
  }
}

static enum ak_status
add_entry (const struct elf_file *file, uint64_t strings, const ElfW(Dyn) *entry, struct elf_needs *needs,
           struct ak_error **error)
{
  char text[STRING_MAX];
  int is_library = entry->d_tag == DT_NEEDED || entry->d_tag == DT_FILTER || entry->d_tag == DT_AUXILIARY;
  if (!is_library && entry->d_tag != DT_RUNPATH && entry->d_tag != DT_RPATH)
    return AK_STATUS_OK;
  uint64_t offset = entry->d_un.d_val < file->size ? strings + entry->d_un.d_val : file->size;
  enum ak_status status = read_string (file, offset, text, error);
  if (status != AK_STATUS_OK)
    return status;
  if (is_library ? ak_strv_add (&needs->libraries, text) : add_search (&needs->search, text))
    return ak_fail_memory (error);
  return AK_STATUS_OK;
}

static enum ak_status
read_dynamic (const struct elf_file *file, const ElfW(Phdr) *segment, struct elf_needs *needs,
              struct ak_error **error)
{
  size_t n = segment->p_filesz / sizeof (ElfW(Dyn));
  if (n > DYNAMIC_MAX)
    return ak_fail (error, AK_STATUS_PLUGIN, NULL, "%s: malformed: %zu entries in its dynamic section",
                    file->path, n);
  CLEANUP_FREE ElfW(Dyn) *entries = calloc (n + 1, sizeof *entries);
  if (!entries)
    return ak_fail_memory (error);
  enum ak_status status = ak_elf_read (file, segment->p_offset, entries, n * sizeof *entries, error);
  uint64_t strings = file->size;
  for (size_t i = 0; status == AK_STATUS_OK && i < n && entries[i].d_tag != DT_NULL; i++)
    if (entries[i].d_tag == DT_STRTAB)
      strings = file_offset (file, entries[i].d_un.d_ptr);
  for (size_t i = 0; status == AK_STATUS_OK && i < n && entries[i].d_tag != DT_NULL; i++)
    status = add_entry (file, strings, &entries[i], needs, error);
  return status;
}

enum ak_status
ak_elf_needs (const struct elf_file *file, struct elf_needs *ret, struct ak_error **error)
{
  struct elf_needs needs = { calloc (1, sizeof (char *)), calloc (1, sizeof (char *)) };
  enum ak_status status = needs.libraries && needs.search ? AK_STATUS_OK : ak_fail_memory (error);
  for (size_t i = 0; status == AK_STATUS_OK && i < file->n_segments; i++)
    if (file->segments[i].p_type == PT_DYNAMIC) {
      status = read_dynamic (file, &file->segments[i], &needs, error);
      break;
    }
  if (status != AK_STATUS_OK)
    ak_elf_needs_clear (&needs);
  else
    *ret = needs;
  return status;
}

void
ak_elf_needs_clear (struct elf_needs *needs)
{
  ak_strv_free (needs->libraries);
  ak_strv_free (needs->search);
  needs->libraries = needs->search = NULL;
}

/* "/usr/lib", "$ORIGIN", "${ORIGIN}/../lib" */
static int
is_absolute (const char *folder)
{
  static const char *const origins[] = { "$ORIGIN", "${ORIGIN}" };
  if (*folder == '/')
    return 1;
  for (size_t i = 0; i < sizeof origins / sizeof *origins; i++) {
    size_t n = strlen (origins[i]);
    if (!strncmp (folder, origins[i], n) && (folder[n] == 0 || folder[n] == '/'))
      return 1;
  }
  return 0;
}

enum ak_status
ak_elf_check_needs (const struct elf_needs *needs, const char *path, struct ak_error **error)
{
  for (char **folder = needs->search; *folder; folder++)
    if (!is_absolute (*folder))
      return ak_fail (
        error, AK_STATUS_PLUGIN, "Build it without -rpath, or with an absolute one or $ORIGIN.",
        "%s: refused: its libraries are looked up in the current directory (RUNPATH entry '%s')", path,
        *folder);
  for (char **library = needs->libraries; *library; library++)
    if (strchr (*library, '/'))
      return ak_fail (error, AK_STATUS_PLUGIN,
                      "Link with -lNAME, so that the library is needed by its name alone.",
                      "%s: refused: it needs '%s', a library named by a path", path, *library);
  return AK_STATUS_OK;
}
