/* SPDX-License-Identifier: Apache-2.0 */
/* Shared objects read as data, with nothing in them believed. */
#ifndef AKSANDBOX_CORE_ELF_FILE_H
#define AKSANDBOX_CORE_ELF_FILE_H
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include "error.h"

struct elf_file {
  int fd;                       /* borrowed, as is the path, which is for messages */
  const char *path;
  uint64_t size;
  ElfW(Phdr) *segments;
  size_t n_segments;
};

/* Status PLUGIN: no shared object, one for another machine, or truncated: then loading it could end the
 * process with SIGBUS. */
enum ak_status ak_elf_open (int fd, const char *path, struct elf_file *ret, struct ak_error **error);
void ak_elf_close (struct elf_file *file);
/* All of the bytes, or status PLUGIN. */
enum ak_status ak_elf_read (const struct elf_file *file, uint64_t offset, void *buffer, size_t size,
                            struct ak_error **error);

/* What the dynamic linker would look for on its behalf. */
struct elf_needs {
  char **libraries;             /* DT_NEEDED and what acts like it; ended by NULL, never NULL */
  char **search;                /* entries of DT_RUNPATH and DT_RPATH, empty ones too; as above */
};
enum ak_status ak_elf_needs (const struct elf_file *file, struct elf_needs *ret, struct ak_error **error);
void ak_elf_needs_clear (struct elf_needs *needs);
/* Status PLUGIN: a library or folder that depends on the current directory. */
enum ak_status ak_elf_check_needs (const struct elf_needs *needs, const char *path, struct ak_error **error);

#endif
