/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Folders that programs of strangers write in: made, recognised and removed without following a link.
 *
 * Everything goes by a descriptor of the parent and one name, which must not contain a slash. */
#ifndef AKSANDBOX_SDK_FOLDER_H
#define AKSANDBOX_SDK_FOLDER_H
#include <stddef.h>
#include <sys/types.h>

/* Make folder `name` with mode 0700, whatever the umask, and open it for reading; the descriptor is the
 * caller's. -EEXIST: there is something of that name already. */
int aks_folder_make (int parent, const char *name, int *ret);
/* Open a folder that we made. -ENOENT: there is nothing; -ELOOP: a symbolic link; -ENOTDIR: no folder;
 * -EPERM: owned by somebody else than our effective uid, or its mode is not exactly 0700. */
int aks_folder_open (int parent, const char *name, int *ret);

/* Which file an inode is, while it exists. */
struct aks_place { dev_t dev; ino_t ino; };
int aks_place_of (int fd, struct aks_place *ret);
/* Of a name; a link is itself. */
int aks_place_at (int parent, const char *name, struct aks_place *ret);
int aks_place_equal (const struct aks_place *a, const struct aks_place *b);

/* The whole of a small regular file, with a NUL behind it; the caller frees it. -EFBIG: more than `limit`
 * bytes, -ELOOP: a link, -EINVAL: no regular file. A FIFO or device is not waited for. */
int aks_file_read (int folder, const char *name, size_t limit, char **ret, size_t *ret_size);
/* Write a file of mode 0600 that appears whole or not at all and replaces what had that name. `durable`:
 * it is on the disk, and so is its name, when this returns. */
int aks_file_write (int folder, const char *name, const void *data, size_t size, int durable);

/* What stops a long removal (not 0: give up), and what it could not remove. */
struct aks_removal {
  int (*stopped) (void *data);          /* or NULL; asked now and then */
  void *data;
  const char *keep;                     /* this name in the folder itself stays; or NULL */
  int error;                            /* out: errno of the first thing that is left, 0 if nothing is */
  char left[512];                       /* out: its path below the folder, escaped */
};
/* Remove all that is in a folder, whatever its depth, with a fixed number of descriptors and a fixed
 * amount of memory. Follows no link and enters no mount point: both stay what they are, the link itself
 * is removed. Folders of ours that we may not read or write are made so. Folders move up into `folder` on
 * the way, so what is left may have moved. -ENOTEMPTY: something is left, see *removal; -ECANCELED:
 * stopped. */
int aks_folder_empty (int folder, struct aks_removal *removal);

#endif
