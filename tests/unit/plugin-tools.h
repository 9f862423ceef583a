/* SPDX-License-Identifier: Apache-2.0 */
/* For tests of plugins: a folder of their own, providers compiled there, objects made of notes alone. */
#ifndef AKSANDBOX_TESTS_PLUGIN_TOOLS_H
#define AKSANDBOX_TESTS_PLUGIN_TOOLS_H
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A fresh folder, removed at the end of the program. */
static char tools_folder[64];

static inline void
tools_remove_folder (void)
{
  char command[128];
  if (snprintf (command, sizeof command, "chmod -R u+rwX %s && rm -rf %s", tools_folder, tools_folder) > 0
      && system (command))
    perror (tools_folder);
}

static inline const char *
tools_make_folder (void)
{
  if (!*tools_folder) {
    strcpy (tools_folder, "/tmp/aksandbox-test.XXXXXX");
    if (!mkdtemp (tools_folder)) {
      perror (tools_folder);
      exit (99);
    }
    atexit (tools_remove_folder);
  }
  return tools_folder;
}

/* "FOLDER/NAME"; four of them at a time. */
static inline const char *
tools_path (const char *name)
{
  static char paths[4][256];
  static unsigned next;
  char *path = paths[next++ % 4];
  snprintf (path, sizeof paths[0], "%s/%s", tools_make_folder (), name);
  return path;
}

static inline int
tools_run (const char *command)
{
  int status = system (command);
  return WIFEXITED (status) ? WEXITSTATUS (status) : -1;
}

/* Is there a compiler? */
static inline int
tools_can_compile (void)
{
  static int known = -1;
  if (known < 0)
    known = getenv ("top_srcdir") && !tools_run ("${CC:-cc} --version >/dev/null 2>&1");
  return known;
}

/* Compile tests/plugins/zoo.c to FOLDER/NAME; `flags` may name $dir, the folder. 0 if that worked. */
static inline int
tools_compile (const char *name, const char *flags)
{
  char command[2048];
  snprintf (command, sizeof command,
            "dir=%s; cd \"$dir\" && ${CC:-cc} -shared -fPIC -w -I\"$top_srcdir/sdk/include\""
            " -o %s \"$top_srcdir/tests/plugins/zoo.c\" %s 2>build.log"
            " || { sed 's/^/# /' build.log; false; }",
            tools_make_folder (), name, flags);
  return tools_run (command);
}

static inline void
tools_write (const char *path, const void *data, size_t size)
{
  FILE *f = fopen (path, "wb");
  if (!f || fwrite (data, 1, size, f) != size || fclose (f)) {
    perror (path);
    exit (99);
  }
}

/* All of a file; the caller's. */
static inline char *
tools_read (const char *path, size_t *ret_size)
{
  FILE *f = fopen (path, "rb");
  char *data = malloc (1 << 20);
  if (!f || !data) {
    perror (path);
    exit (99);
  }
  *ret_size = fread (data, 1, 1 << 20, f);
  fclose (f);
  return data;
}

/* Notes, one behind the other. */
struct tools_notes {
  unsigned char data[2 * 1024 * 1024];
  size_t size;
};

/* Append a note whose description is n numbers and a text. The padding is to `align`. */
static inline void
tools_note (struct tools_notes *notes, const char *vendor, uint32_t type, const uint32_t *words, size_t n,
            const char *text, size_t text_size, size_t align)
{
  uint32_t head[3] = { (uint32_t) strlen (vendor) + 1, (uint32_t) (4 * n + text_size), type };
  size_t start = notes->size, at = start;
  memcpy (notes->data + at, head, sizeof head);
  memcpy (notes->data + at + 12, vendor, head[0]);
  at = start + (12 + head[0] + align - 1) / align * align;
  if (n)
    memcpy (notes->data + at, words, 4 * n);
  if (text_size)
    memcpy (notes->data + at + 4 * n, text, text_size);
  at += head[1];
  notes->size = start + (at - start + align - 1) / align * align;
}

/* The header of a shared object of this machine, in front of `notes` as its one segment. */
struct tools_object {
  ElfW(Ehdr) header;
  ElfW(Phdr) segment;
};

static inline struct tools_object
tools_object (size_t notes_size, size_t align)
{
  struct tools_object o = { .header = { .e_type = ET_DYN, .e_version = EV_CURRENT } };
  int fd = open ("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  ElfW(Ehdr) own;
  if (fd < 0 || read (fd, &own, sizeof own) != sizeof own)
    exit (99);
  close (fd);
  memcpy (o.header.e_ident, own.e_ident, sizeof own.e_ident);
  o.header.e_machine = own.e_machine;
  o.header.e_ehsize = sizeof o.header;
  o.header.e_phentsize = sizeof o.segment;
  o.header.e_phnum = 1;
  o.header.e_phoff = offsetof (struct tools_object, segment);
  o.segment.p_type = PT_NOTE;
  o.segment.p_align = align;
  o.segment.p_offset = sizeof o;
  o.segment.p_filesz = notes_size;
  return o;
}

/* A descriptor of such a file. */
static inline int
tools_object_file (const struct tools_object *object, const void *notes, size_t size)
{
  int fd = open (tools_make_folder (), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd < 0 || write (fd, object, sizeof *object) != sizeof *object
      || (size && write (fd, notes, size) != (ssize_t) size)) {
    perror ("object");
    exit (99);
  }
  return fd;
}

#endif
