/* SPDX-License-Identifier: Apache-2.0 */
/* The process that does the file operations.
 *
 * The tree that it works on belongs to the programs, so it has their rights and no more, and a file on
 * which it hangs does not stop the runner. It speaks the same frames over a socket to the runner. One
 * thread: operations take turns, a batch each. */
#ifndef AKSANDBOX_CORE_RUNNER_HELPER_H
#define AKSANDBOX_CORE_RUNNER_HELPER_H
#include "kernel.h"
#include <limits.h>
#include "path.h"
#include "runner.h"

/* Folders that a removal holds open at once; what lies deeper is moved up first. */
#define REMOVE_DEPTH 64
#define TEMP_NAME 40

struct file_task {
  uint64_t id;
  uint16_t type;                /* FRAME_FILE_*; 0: the slot is free */
  int fd;                       /* of the file or folder; -1: none */
  int folder;                   /* WRITE, REMOVE: where `name` is */
  char name[NAME_MAX + 1];
  char temp[TEMP_NAME];         /* WRITE: what it is called until it is whole; "": nothing yet */
  uint32_t mode;
  uint64_t consumed;            /* WRITE: not yet given back as CREDIT */
  uint64_t credit, at, end;     /* READ */
  int folders[REMOVE_DEPTH];    /* REMOVE: from `name` down */
  char names[REMOVE_DEPTH][NAME_MAX + 1];
  int depth;
};

struct helper {
  struct link link;
  struct workspace workspace;
  int proc;
  struct file_task tasks[FILE_OPS_MAX];
};

/* In the child of a fork of the runner. */
void helper_run (const struct runner *runner, int socket) __attribute__ ((noreturn));

/* Ends of a task. */
void task_done (struct helper *helper, struct file_task *task);
void task_failed (struct helper *helper, struct file_task *task, int error);            /* a positive errno */
void task_refused (struct helper *helper, struct file_task *task, const char *why);     /* RUNNER_E_FILE */
void task_entry (struct helper *helper, const struct file_task *task, const void *stat, const char *name);

/* Each begins a task; it has ended, or goes on with the functions below. */
void write_begin (struct helper *helper, struct file_task *task, uint32_t mode, const char *path);
void read_begin (struct helper *helper, struct file_task *task, uint64_t offset, uint64_t length,
                 const char *path);
void list_begin (struct helper *helper, struct file_task *task, const char *path);
void stat_begin (struct helper *helper, struct file_task *task, const char *path);
void remove_begin (struct helper *helper, struct file_task *task, int recursive, const char *path);

void write_data (struct helper *helper, struct file_task *task, const uint8_t *bytes, size_t size);
void write_end (struct helper *helper, struct file_task *task);
void write_abort (struct file_task *task);
void read_step (struct helper *helper, struct file_task *task);
void list_step (struct helper *helper, struct file_task *task);
void remove_step (struct helper *helper, struct file_task *task);

struct dirent_raw { uint64_t inode; int64_t offset; uint16_t size; uint8_t type; char name[]; };
void random_name (char name[TEMP_NAME]);

#endif
