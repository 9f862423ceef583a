/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Children of a process that is not ours: started, recognised later, and ended with all they started.
 *
 * A child has no exit signal until it executes its program; execve then gives it SIGCHLD. An application
 * that ignores that signal or waits for any child therefore may collect it: nothing here depends on its
 * exit status, and its end is read from a pidfd. */
#ifndef AKSANDBOX_SDK_PROCESS_H
#define AKSANDBOX_SDK_PROCESS_H
#include <stdint.h>
#include <sys/types.h>

/* Which ids a user namespace has, as the lines of user_namespaces(7). */
struct aks_maps {
  char uids[4096], gids[4096];
  int deny_setgroups;                   /* maps of a process without rights: written by the child */
};
/* Every id that this process has, mapped to itself, if it may map them; else only its effective uid and
 * gid. */
int aks_maps_identity (struct aks_maps *ret);

#define AKS_PROC 1u     /* with CLONE_NEWPID and CLONE_NEWNS: its own /proc over the one there is */
#define AKS_SCOPE 2u    /* Landlock: it can signal and trace only what it started; sets no_new_privs */

struct aks_start {                      /* all borrowed */
  int program;                          /* descriptor of the executable; -1: a trial: set up, exit */
  const char *const *argv, *const *envp;
  const int *fds;                       /* fds[i] becomes descriptor i; -1: /dev/null; no others */
  unsigned n_fds;
  int folder;                           /* descriptor of the working folder; -1: the root folder */
  unsigned spaces;                      /* CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNS, CLONE_NEWNET... */
  const struct aks_maps *maps;          /* with CLONE_NEWUSER */
  unsigned flags;                       /* AKS_PROC, AKS_SCOPE */
};

enum aks_step {                         /* where a start failed */
  AKS_STEP_PREPARE = 1, AKS_STEP_CLONE, AKS_STEP_SESSION, AKS_STEP_MAPS, AKS_STEP_FOLDER, AKS_STEP_MOUNTS,
  AKS_STEP_PROC, AKS_STEP_SCOPE, AKS_STEP_DESCRIPTORS, AKS_STEP_EXEC, AKS_STEP_DIED,
};
/* "make the namespaces"... what could not be done, for a message. */
const char *aks_step_text (enum aks_step step);

struct aks_process { pid_t pid; int pidfd; };   /* pidfd: -1, or the caller's until aks_process_clear */

/* Start a program in a session of its own, with default signal handling and an empty signal mask, umask
 * 022. Returns when it has been executed, or when the trial is over, its process not yet waited for. On
 * failure *step says where, and nothing is left running. */
int aks_process_start (const struct aks_start *start, struct aks_process *ret, enum aks_step *step);
/* Wait until it has ended, for `timeout_ms` at most (0: only look), and reap it. 1: it has ended. */
int aks_process_wait (const struct aks_process *process, int timeout_ms);
/* SIGKILL, then wait as above. */
int aks_process_kill (const struct aks_process *process, int timeout_ms);
void aks_process_clear (struct aks_process *process);

/* Kill a process and all that descends from it, without the help of a namespace: each is stopped first,
 * so that none escapes by forking, and the process itself goes last, so that its orphans come back to it
 * if it is a subreaper. Other processes than one's own children too. -ETIMEDOUT: something may still run.
 * Needs /proc. */
int aks_tree_kill (const struct aks_process *process, int timeout_ms);

/* Who a process is, for a file that another process reads, perhaps after a reboot. */
struct aks_identity {
  pid_t pid;
  uint64_t start;                       /* clock ticks since boot */
  char boot[37];
  uint64_t space;                       /* inode of the pid namespace in which `pid` counts */
};
int aks_identity_of (pid_t pid, struct aks_identity *ret);
/* A descriptor of that very process. -ESRCH: it has ended; -EXDEV: it counts in another pid namespace,
 * where we cannot see it; -EPERM: another user's. */
int aks_identity_open (const struct aks_identity *identity, int *ret_pidfd);
/* The identity of the boot, 36 characters and a NUL. */
int aks_boot_id (char ret[37]);

#endif
