/* SPDX-License-Identifier: Apache-2.0 */
/* What the runner asks of the kernel and musl's headers do not name; musl comes without the kernel's own. */
#ifndef AKSANDBOX_CORE_RUNNER_KERNEL_H
#define AKSANDBOX_CORE_RUNNER_KERNEL_H
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#include <stdint.h>
#include <sys/syscall.h>

#if !defined __x86_64__ && !defined __aarch64__
#error "the runner's filter knows x86_64 and aarch64"
#endif

/* Since 5.0 a new call has one number on every architecture. */
#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif
#ifndef SYS_io_uring_setup
#define SYS_io_uring_setup 425
#endif
#ifndef SYS_fsopen
#define SYS_fsopen 430
#define SYS_fsconfig 431
#define SYS_fsmount 432
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_clone3
#define SYS_clone3 435
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#ifndef SYS_openat2
#define SYS_openat2 437
#endif

struct kernel_open_how { uint64_t flags, mode, resolve; };
#define KERNEL_RESOLVE_NO_XDEV 1u
#define KERNEL_RESOLVE_NO_MAGICLINKS 2u
#define KERNEL_RESOLVE_NO_SYMLINKS 4u
#define KERNEL_RESOLVE_BENEATH 8u

#define KERNEL_FSCONFIG_CMD_CREATE 6
#define KERNEL_FSMOUNT_CLOEXEC 1
#define KERNEL_FSOPEN_CLOEXEC 1
#define KERNEL_PROC_SUPER_MAGIC 0x9fa0
#define KERNEL_ANON_INODE_MAGIC 0x09041934
#define KERNEL_PIDFS_MAGIC 0x50494446

struct kernel_cap_header { uint32_t version; int pid; };
struct kernel_cap_data { uint32_t effective, permitted, inheritable; };
#define KERNEL_CAP_VERSION_3 0x20080522u
#define KERNEL_CAP_HIGHEST 63
/* NOROOT, NO_SETUID_FIXUP and NO_CAP_AMBIENT_RAISE, each with its lock, and KEEP_CAPS locked as it is:
   off. */
#define KERNEL_SECUREBITS 0xefu

struct kernel_filter_op { uint16_t code; uint8_t yes, no; uint32_t k; };
struct kernel_filter { unsigned short count; const struct kernel_filter_op *ops; };
#define KERNEL_SECCOMP_SET_MODE_FILTER 1u
#define KERNEL_SECCOMP_FLAG_SPEC_ALLOW 4u
#define KERNEL_SECCOMP_KILL_PROCESS 0x80000000u
#define KERNEL_SECCOMP_ERRNO 0x00050000u
#define KERNEL_SECCOMP_ALLOW 0x7fff0000u

#endif
