/* SPDX-License-Identifier: Apache-2.0 */
/* The description of a sandbox, a file in its folder: which inodes it is, and its labels. */
#define _GNU_SOURCE
#include "local_subprocess.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FIRST_LINE "aksandbox local_subprocess 1\n"
#define META_MAX 65536
#define LABELS_MAX 256

int
local_meta_write (int folder, const char *const *labels, struct aks_place *ret_work)
{
  struct aks_text text = { NULL, 0, 0 };
  struct aks_place own, work;
  char boot[37];
  int error = aks_place_of (folder, &own);
  if (!error)
    error = aks_place_at (folder, WORK, &work);
  if (error)
    return error;
  if (aks_boot_id (boot))
    boot[0] = '\0';                     /* no /proc here */
  error =
    aks_text_add (&text, FIRST_LINE "folder %llu %llu\nwork %llu %llu\nboot %s\ncreated %lld\n",
                  (unsigned long long)own.dev, (unsigned long long)own.ino, (unsigned long long)work.dev,
                  (unsigned long long)work.ino, boot, (long long)time (NULL));
  for (; !error && labels && *labels; labels++)
    error = aks_text_add (&text, "label %s\n", *labels);
  /* Not synced: it must outlive this process, and nobody's sandbox outlives the machine. */
  if (!error)
    error = text.size > META_MAX ? -E2BIG : aks_file_write (folder, META, text.bytes, text.size, 0);
  aks_text_clear (&text);
  if (!error)
    *ret_work = work;
  return error;
}

void
local_meta_clear (struct meta *meta)
{
  free (meta->text);
  free (meta->labels);
  *meta = (struct meta) { .text = NULL };
}

/* Take the next line, which begins with `word` and a space. NULL: it does not. */
static char *
take (char **at, const char *word)
{
  size_t n = strlen (word);
  char *line = *at, *end = strchr (line, '\n');
  if (!end || strncmp (line, word, n) || line[n] != ' ')
    return NULL;
  *end = '\0';
  *at = end + 1;
  return line + n + 1;
}

static int
take_place (char **at, const char *word, struct aks_place *ret)
{
  char *line = take (at, word), *space = line ? strchr (line, ' ') : NULL;
  uint64_t dev, ino;
  if (!space)
    return -1;
  *space = '\0';
  if (aks_parse_u64 (line, &dev) || aks_parse_u64 (space + 1, &ino))
    return -1;
  *ret = (struct aks_place) { dev, ino };
  return 0;
}

static int
parse (struct meta *meta)
{
  char *at = meta->text + strlen (FIRST_LINE);
  if (strncmp (meta->text, FIRST_LINE, strlen (FIRST_LINE)) || take_place (&at, "folder", &meta->folder)
      || take_place (&at, "work", &meta->work))
    return -EPROTO;
  const char *boot = take (&at, "boot");
  if (!boot || strlen (boot) >= sizeof meta->boot || !take (&at, "created"))
    return -EPROTO;
  strcpy (meta->boot, boot);
  size_t n = 0;
  for (char *label; *at; n++) {
    if (n == LABELS_MAX || !(label = take (&at, "label")))
      return -EPROTO;
    meta->labels[n] = label;
  }
  const char *const *labels = (const char *const *) meta->labels;
  return aks_labels_valid (labels) ? 0 : -EPROTO;
}

int
local_meta_read (int folder, struct meta *ret)
{
  META_CLEAR struct meta meta = { .text = NULL };
  size_t size;
  int error = aks_file_read (folder, META, META_MAX, &meta.text, &size);
  if (error)
    return error == -ENOENT || error == -ENOMEM ? error : -EPROTO;
  if (strlen (meta.text) != size)
    return -EPROTO;
  meta.labels = calloc (LABELS_MAX + 1, sizeof *meta.labels);
  if (!meta.labels)
    return -ENOMEM;
  error = parse (&meta);
  if (error)
    return error;
  *ret = meta;
  meta = (struct meta) { .text = NULL };
  return 0;
}

/* Device numbers of some filesystems change with every mount, inodes do not. */
static int
same (const struct meta *meta, const struct aks_place *said, const struct aks_place *is)
{
  char boot[37];
  if (said->ino != is->ino)
    return 0;
  return said->dev == is->dev || (aks_boot_id (boot) == 0 && strcmp (boot, meta->boot));
}

int
local_meta_fits (const struct meta *meta, int folder)
{
  struct aks_place is;
  return aks_place_of (folder, &is) == 0 && same (meta, &meta->folder, &is);
}

int
local_meta_work_fits (const struct meta *meta, const struct aks_place *work)
{
  return same (meta, &meta->work, work);
}
