/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the provider local_subprocess share. */
#ifndef AKSANDBOX_LOCAL_SUBPROCESS_H
#define AKSANDBOX_LOCAL_SUBPROCESS_H
#include <aksandbox/provider.h>
#include <aksandbox/sdk.h>
#include <pthread.h>
#include <stdint.h>
#include <syslog.h>

#define ID_PREFIX "ak-sandbox-"
#define ID_SIZE (sizeof ID_PREFIX - 1 + 16)     /* without its NUL */
#define WORK "work"                     /* the workspace, in the sandbox's folder */
#define TMP "tmp"                       /* where its programs put temporary files */
#define META "meta"                     /* what the sandbox is, and for whom */

/* What a runner is kept apart by, the best first. */
enum level {
  LEVEL_UNKNOWN = 0,
  LEVEL_USER,                           /* user, pid and mount namespace, its own /proc */
  LEVEL_PID,                            /* root where there are no user namespaces: pid and mount namespace */
  LEVEL_SCOPE,                          /* no namespace; Landlock keeps signals and traces inside */
  LEVEL_NONE,
};

/* One runner that we started. */
struct child {
  struct child *next;
  const void *owner;                    /* the handle it was started for */
  char id[ID_SIZE + 1];
  enum level level;
  struct aks_process process;
  char record_name[40];                 /* its file in the sandbox's folder, or empty */
  int record;                           /* descriptor of it, locked as long as this process lives; or -1 */
};

/* A folder that this process made: known even when a program has spoilt its description. */
struct made {
  struct made *next;
  char id[ID_SIZE + 1];
  struct aks_place folder, work;
};

struct local {                          /* an instance */
  const struct ak_host *host;
  const struct ak_config *config;
  pthread_mutex_t level_lock;           /* of `level` and `why_not` */
  enum level level;
  char why_not[160];                    /* why it is not a pid namespace */
  pthread_mutex_t lock;                 /* of what follows */
  struct child *children;
  struct made *made;
  int warned;
};

struct sandbox {                        /* a handle */
  struct local *local;
  char id[ID_SIZE + 1];
  int folder;
  struct aks_place work;
  char *path;                           /* of the folder, absolute and without links */
};

/* Fail with formatted text; `hint` may be NULL. Returns `code`. */
int32_t local_fail (struct ak_call *call, int32_t code, const char *hint, const char *format, ...)
  __attribute__ ((format (printf, 4, 5)));
void local_log (const struct local *local, uint32_t level, const char *format, ...)
  __attribute__ ((format (printf, 3, 4)));

/* options.c */
int32_t local_check_options (struct ak_call *call, const struct ak_host *host,
                             const struct ak_config *config);
/* Tell the runner's client the environment and the limits of programs. */
int local_report_setting (struct ak_call *call, const struct sandbox *sandbox);
const char *local_search_path (const struct local *local);
/* That there is an executable of this name in the search path. */
int local_has_program (const struct local *local, const char *name);

/* base.c: the folder in which sandboxes are made. */
struct base { int fd; char *path; };    /* path: absolute, without links */
/* `make`: an option's folder that is missing is made; without it, ret->fd is -1 where there is no such
 * folder, so that nothing can be in it. A code after fail(). */
int32_t local_base_open (struct local *local, struct ak_call *call, int make, struct base *ret);
void local_base_close (struct base *base);
#define BASE_CLOSE __attribute__ ((cleanup (local_base_close)))

/* meta.c: the description of a sandbox. */
struct meta {
  struct aks_place folder, work;
  char boot[37];
  char **labels;                        /* ended by NULL; into `text` */
  char *text;
};
int local_meta_write (int folder, const char *const *labels, struct aks_place *ret_work);
/* -ENOENT: there is none; -EPROTO: it is not of our making. */
int local_meta_read (int folder, struct meta *ret);
void local_meta_clear (struct meta *meta);
/* That it describes this folder. What is recorded as device number is compared within one boot only. */
int local_meta_fits (const struct meta *meta, int folder);
int local_meta_work_fits (const struct meta *meta, const struct aks_place *work);
#define META_CLEAR __attribute__ ((cleanup (local_meta_clear)))

/* level.c */
/* Find out what can be had here, once an instance. LEVEL_UNKNOWN: processes or memory are short at the
 * moment. */
enum level local_level (struct local *local);
const char *local_level_name (enum level level);
enum level local_level_find (const char *name);
/* Complete `start` for a level; `maps` is filled and used by it. */
int local_level_apply (enum level level, struct aks_start *start, struct aks_maps *maps);

/* children.c: runners and their end. */
/* Start a runner in the sandbox's workspace, with `stream` as descriptors 0 and 1. */
int32_t local_child_start (struct sandbox *sandbox, struct ak_call *call, int stream, int work);
/* Reap what has ended. Every operation calls it, so that no zombie outlives the next one. */
void local_children_reap (struct local *local);
/* Wait for the runners of a handle, whose streams are closed, and kill what does not end. */
void local_children_release (struct sandbox *sandbox);
/* Kill what runs in a sandbox, runners of other processes too; `folder` may be -1. */
int32_t local_children_kill (struct local *local, struct ak_call *call, const char *id, int folder);

/* sandbox.c, destroy.c, list.c: operations. */
int32_t local_create (void *instance, struct ak_call *call, const struct ak_spec *spec, void **ret);
int32_t local_attach (void *instance, struct ak_call *call, const struct ak_spec *spec, void **ret);
int32_t local_destroy (void *instance, struct ak_call *call, const char *id);
int32_t local_kill (void *instance, struct ak_call *call, const char *id);
int32_t local_list (void *instance, struct ak_call *call);
int32_t local_open_stream (void *sandbox, struct ak_call *call, int32_t fds[2]);
void local_release (void *sandbox);
int32_t local_probe (void *instance, struct ak_call *call, struct ak_granted *granted);

/* That an id is one that we could have made. It is then the name of a folder. */
int local_id_valid (const char *id);
/* An id that is not: AK_OK if it may be somebody's name and so is of nothing here, an error if it is a
 * path or worse. */
int32_t local_id_refuse (struct ak_call *call, const char *id);
/* Why a folder cannot be a sandbox: `error` of aks_folder_open, local_meta_read. AK_E_PROVISION. */
int32_t local_folder_fail (struct ak_call *call, const char *id, int error);
/* Whether this process made the folder of that descriptor; *ret_work is then its workspace. */
int local_made_here (struct local *local, const char *id, int folder, struct aks_place *ret_work);
/* Not 0, after fail(): the call is to end. */
int32_t local_stopped (struct ak_call *call, const char *id);
void local_made_forget (struct local *local, const char *id);

#endif
