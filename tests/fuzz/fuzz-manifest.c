/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a provider's file, and as the notes of one: they are read, or refused with an error. */
#include "config.h"
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "elf-file.h"
#include "manifest.h"
#include "../unit/plugin-tools.h"
#include "replay.h"

static void
judge_manifest (int fd)
{
  struct manifest_file file = { 0 };
  struct ak_error *error = NULL;
  if (ak_manifest_read (fd, "provider.so", &file, &error) != AK_STATUS_OK) {
    if (!error || !ak_error_text (error))
      abort ();
    ak_error_free (error);
    return;
  }
  if (error || !file.n_providers)
    abort ();
  for (size_t i = 0; i < file.n_providers; i++) {
    const struct manifest *m = &file.providers[i];
    if (ak_manifest_find (&file, m->name) != m)
      abort ();
    for (size_t k = 0; k < m->n_options; k++)
      if (ak_manifest_option (m, m->options[k].key) != &m->options[k])
        abort ();
  }
  ak_manifest_file_clear (&file);
}

static void
judge_needs (int fd)
{
  struct elf_file elf;
  struct elf_needs needs;
  if (ak_elf_open (fd, "provider.so", &elf, NULL) != AK_STATUS_OK)
    return;
  if (ak_elf_needs (&elf, &needs, NULL) == AK_STATUS_OK) {
    (void) ak_elf_check_needs (&needs, "provider.so", NULL);
    ak_elf_needs_clear (&needs);
  }
  ak_elf_close (&elf);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static int fd = -1;
  static struct tools_object header;
  if (fd < 0) {
    fd = memfd_create ("provider", MFD_CLOEXEC);
    header = tools_object (0, 4);
  }
  if (fd < 0 || ftruncate (fd, 0) < 0 || pwrite (fd, data, size, 0) != (ssize_t) size)
    abort ();
  judge_manifest (fd);
  judge_needs (fd);

  struct tools_object object = header;
  object.segment.p_align = size % 2 ? 8 : 4;
  object.segment.p_filesz = size;
  if (ftruncate (fd, 0) < 0 || pwrite (fd, &object, sizeof object, 0) != sizeof object
      || pwrite (fd, data, size, sizeof object) != (ssize_t) size)
    abort ();
  judge_manifest (fd);
  return 0;
}
