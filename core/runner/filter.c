/* SPDX-License-Identifier: Apache-2.0 */
/* The one seccomp filter: of the runner and, inherited, of everything that it starts.
 *
 * It is no allow list. It closes what the other protections cannot: socket families that a network namespace
 * does not hold back, calls that change the scheduling or the limits of the runner and its shepherds (they
 * have the programs' uid), and doors into the kernel that no program here needs. Where the kernel takes an
 * int, only the lower half of the argument is compared: the upper half is the caller's to fill. */
#include "kernel.h"
#include "protect.h"
#include <errno.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define LOAD 0x20u              /* BPF_LD | BPF_W | BPF_ABS */
#define IF_EQUAL 0x15u          /* BPF_JMP | BPF_JEQ | BPF_K */
#define IF_NOT_BELOW 0x35u      /* BPF_JMP | BPF_JGE | BPF_K */
#define IF_ANY_BIT 0x45u        /* BPF_JMP | BPF_JSET | BPF_K */
#define RETURN 0x06u            /* BPF_RET | BPF_K */

/* Offsets in struct seccomp_data. */
#define DATA_NR 0u
#define DATA_ARCH 4u
#define DATA_LOW(n) (16u + 8u * (n))
#define DATA_HIGH(n) (20u + 8u * (n))

#ifdef __x86_64__
#define NATIVE_ARCH 0xc000003eu
#define X32_BIT 0x40000000u
#else
#define NATIVE_ARCH 0xc00000b7u
#endif

#define NEW_NAMESPACES 0x7e020000u      /* CLONE_NEWNS, CGROUP, UTS, IPC, USER, PID, NET */
#define NEW_TIME 0x00000080u            /* CLONE_NEWTIME: of unshare only; in clone it means a signal */

struct program { unsigned n; struct kernel_filter_op ops[256]; };

static void
op (struct program *p, unsigned code, uint32_t k, unsigned yes, unsigned no)
{
  p->ops[p->n++] = (struct kernel_filter_op) { (uint16_t) code, (uint8_t) yes, (uint8_t) no, k };
}

static void
load (struct program *p, unsigned offset)
{
  op (p, LOAD, offset, 0, 0);
}

static void
allow (struct program *p)
{
  op (p, RETURN, KERNEL_SECCOMP_ALLOW, 0, 0);
}

static void
refuse (struct program *p, int error)
{
  op (p, RETURN, KERNEL_SECCOMP_ERRNO | (uint32_t) error, 0, 0);
}

/* The ops that follow until end_call are for that call only and always return. */
static unsigned
begin_call (struct program *p, long nr)
{
  op (p, IF_EQUAL, (uint32_t) nr, 0, 0);
  return p->n;
}

static void
end_call (struct program *p, unsigned begin)
{
  p->ops[begin - 1].no = (uint8_t) (p->n - begin);
}

static void
refuse_call (struct program *p, long nr, int error)
{
  unsigned begin = begin_call (p, nr);

  refuse (p, error);
  end_call (p, begin);
}

/* The kernel also builds 32-bit entries, with a socketcall that no filter can see into. */
static void
native_abi_only (struct program *p)
{
  load (p, DATA_ARCH);
  op (p, IF_EQUAL, NATIVE_ARCH, 1, 0);
  op (p, RETURN, KERNEL_SECCOMP_KILL_PROCESS, 0, 0);
  load (p, DATA_NR);
#ifdef X32_BIT
  op (p, IF_NOT_BELOW, X32_BIT, 0, 1);
  refuse (p, ENOSYS);
#endif
}

/* vsock, for one, reaches past a network namespace; netlink has families of its own, of which programs
 * need the one that getifaddrs uses. */
static void
socket_families (struct program *p, long nr)
{
  unsigned begin = begin_call (p, nr);

  load (p, DATA_LOW (0));
  op (p, IF_EQUAL, AF_UNIX, 6, 0);
  op (p, IF_EQUAL, AF_INET, 5, 0);
  op (p, IF_EQUAL, AF_INET6, 4, 0);
  op (p, IF_EQUAL, AF_NETLINK, 0, 2);
  load (p, DATA_LOW (2));
  op (p, IF_EQUAL, 0, 1, 0);
  refuse (p, EAFNOSUPPORT);
  allow (p);
  end_call (p, begin);
}

static void
own_limits_only (struct program *p)
{
  unsigned begin = begin_call (p, SYS_prlimit64);

  load (p, DATA_LOW (0));
  op (p, IF_EQUAL, 0, 4, 0);
  load (p, DATA_LOW (2));
  op (p, IF_EQUAL, 0, 0, 3);
  load (p, DATA_HIGH (2));
  op (p, IF_EQUAL, 0, 0, 1);
  allow (p);
  refuse (p, EPERM);
  end_call (p, begin);
}

/* The caller alone, by 0. A number would be needed for a thread's priority, but a shepherd has a number too,
 * and at SCHED_IDLE or nice 19 it no longer gets a processor beside a busy program. */
static void
self_only (struct program *p, long nr)
{
  unsigned begin = begin_call (p, nr);

  load (p, DATA_LOW (0));
  op (p, IF_EQUAL, 0, 0, 1);
  allow (p);
  refuse (p, EPERM);
  end_call (p, begin);
}

/* `process` and `group` of 0 are the caller's; the third kind, everything of the uid, would be the runner
   too. */
static void
own_priority_only (struct program *p, long nr, uint32_t process, uint32_t group)
{
  unsigned begin = begin_call (p, nr);

  load (p, DATA_LOW (0));
  op (p, IF_EQUAL, process, 1, 0);
  op (p, IF_EQUAL, group, 0, 3);
  load (p, DATA_LOW (1));
  op (p, IF_EQUAL, 0, 0, 1);
  allow (p);
  refuse (p, EPERM);
  end_call (p, begin);
}

/* Threads are pinned by number (OpenMP, the JVM), so only the runner is excepted. A shepherd that lost a
 * processor still does its work, and no deadline depends on it. */
static void
affinity_of_others (struct program *p)
{
  unsigned begin = begin_call (p, SYS_sched_setaffinity);

  load (p, DATA_LOW (0));
  op (p, IF_EQUAL, 1, 2, 0);
  op (p, IF_EQUAL, (uint32_t) getpid (), 1, 0);
  allow (p);
  refuse (p, EPERM);
  end_call (p, begin);
}

/* A new user namespace would hand out capabilities, over the runner's own namespaces among others. */
static void
no_new_namespaces (struct program *p, long nr, uint32_t flags)
{
  unsigned begin = begin_call (p, nr);

  load (p, DATA_LOW (0));
  op (p, IF_ANY_BIT, flags, 0, 1);
  refuse (p, EPERM);
  allow (p);
  end_call (p, begin);
}

/* Typing into a terminal that somebody else reads. */
static void
no_terminal_input (struct program *p)
{
  unsigned begin = begin_call (p, SYS_ioctl);

  load (p, DATA_LOW (1));
  op (p, IF_EQUAL, 0x5412, 1, 0);       /* TIOCSTI */
  op (p, IF_EQUAL, 0x541c, 0, 1);       /* TIOCLINUX */
  refuse (p, EPERM);
  allow (p);
  end_call (p, begin);
}

static void
write_program (struct program *p)
{
  static const long closed[] = {
    SYS_userfaultfd, SYS_keyctl, SYS_add_key, SYS_request_key, SYS_bpf, SYS_perf_event_open,
    SYS_open_by_handle_at, SYS_setns,
  };

  native_abi_only (p);
  socket_families (p, SYS_socket);
  socket_families (p, SYS_socketpair);
  own_limits_only (p);
  self_only (p, SYS_sched_setscheduler);
  self_only (p, SYS_sched_setparam);
  self_only (p, SYS_sched_setattr);
  own_priority_only (p, SYS_setpriority, 0, 1);
  own_priority_only (p, SYS_ioprio_set, 1, 2);
  affinity_of_others (p);
  no_new_namespaces (p, SYS_unshare, NEW_NAMESPACES | NEW_TIME);
  no_new_namespaces (p, SYS_clone, NEW_NAMESPACES);
  no_terminal_input (p);
  /* Their callers fall back to the older call when there is none, which the filter can read. */
  refuse_call (p, SYS_clone3, ENOSYS);
  refuse_call (p, SYS_io_uring_setup, ENOSYS);
  for (size_t i = 0; i < sizeof closed / sizeof *closed; i++)
    refuse_call (p, closed[i], EPERM);
  allow (p);
}

int
protect_filter (void)
{
  struct program p = { 0 };
  struct kernel_filter filter = { .ops = p.ops };

  write_program (&p);
  filter.count = (unsigned short) p.n;
  /* Without SPEC_ALLOW older kernels slow down every program; kernels before 4.17 do not know it. */
  if (syscall (SYS_seccomp, KERNEL_SECCOMP_SET_MODE_FILTER, KERNEL_SECCOMP_FLAG_SPEC_ALLOW, &filter) == 0)
    return 0;
  return (int) syscall (SYS_seccomp, KERNEL_SECCOMP_SET_MODE_FILTER, 0, &filter);
}
