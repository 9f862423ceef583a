/* SPDX-License-Identifier: Apache-2.0 */
/* The runner against the programs that it runs: forging, starving, stopping it, and doors into the kernel. */
#include "runner-harness.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct told *
python (struct peer *p, const char *code)
{
  return peer_run (p, &(struct exec_request) { .python = code });
}

static void
the_filter_and_the_place_are_told (void **state)
{
  struct peer *p = *state;

  assert_int_equal (p->hello_flags & HELLO_SECCOMP, HELLO_SECCOMP);
  assert_int_equal (p->hello_flags & HELLO_PID1, p->pid1 ? HELLO_PID1 : 0);
  assert_int_equal (p->hello_flags & HELLO_CLEAN_KILL, p->pid1 ? HELLO_CLEAN_KILL : 0);
  if (p->pid1)
    assert_int_equal (p->hello_pid, 1);
  else
    assert_int_equal (p->hello_pid, p->pid);
}

static void
only_known_socket_families_open (void **state)
{
  struct told *t = python (*state,
    "import socket,ctypes\n"
    "c=ctypes.CDLL(None,use_errno=True)\n"
    "for call in ('socket','socketpair'):\n"
    " for f in range(0,60):\n"
    "  for k in (1,2,3,5):\n"
    "   for proto in (0,1,2,9,15,16):\n"
    "    fds=(ctypes.c_int*2)()\n"
    "    r=c.socket(f,k,proto) if call=='socket' else c.socketpair(f,k,proto,fds)\n"
    "    e=ctypes.get_errno()\n"
    "    if r>=0 and not (f in (1,2,10) or (f==16 and proto==0)): print('OPEN',call,f,k,proto)\n"
    "    if r<0 and f not in (1,2,10) and not (f==16 and proto==0) and e!=97: print('ERRNO',f,k,proto,e)\n"
    "    if r>0 and call=='socket': c.close(r)\n"
    "    if r==0 and call=='socketpair': c.close(fds[0]); c.close(fds[1])\n"
    "for f in (1,2,10): socket.socket(f,1).close()\n"
    "socket.socket(16,3,0).close()\n"
    "a,b=socket.socketpair()\n"
    "print('done')\n");

  assert_text (t->err, "");
  assert_text (t->out, "done\n");
}

#ifdef __x86_64__
/* int $0x80, and a call with the x32 bit. */
static void
foreign_abis_are_refused (void **state)
{
  struct peer *p = *state;
  struct told *t = python (p,
    "import ctypes,os,mmap\n"
    "c=ctypes.CDLL(None,use_errno=True)\n"
    "r=c.syscall(ctypes.c_long(0x40000000|39))\n"
    "print(r,ctypes.get_errno(),flush=True)\n"
    "pid=os.fork()\n"
    "if pid==0:\n"
    " m=mmap.mmap(-1,4096,prot=7)\n"
    " m.write(b'\\xb8\\x14\\0\\0\\0\\xcd\\x80\\xc3')\n"
    " f=ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(m)))\n"
    " print('called',f(),flush=True)\n"
    " os._exit(0)\n"
    "print(os.WTERMSIG(os.waitpid(pid,0)[1]))\n");

  assert_text (t->out, "-1 38\n31\n");
}
#endif

static void
kernel_doors_are_closed (void **state)
{
  struct told *t = python (
    *state, "import ctypes,errno,os,fcntl,platform\n"
            "c=ctypes.CDLL(None,use_errno=True)\n"
            "x=platform.machine()=='x86_64'\n"
            "n=dict(unshare=272,setns=308,clone=56,keyctl=250,add_key=248,request_key=249,bpf=321,perf=298,"
            "handle=304,"
            "userfaultfd=323,io_uring=425,clone3=435,ioctl=16) if x else "
            "dict(unshare=97,setns=268,clone=220,keyctl=219,"
            "add_key=217,request_key=218,bpf=280,perf=241,handle=265,userfaultfd=282,io_uring=425,clone3=435,"
            "ioctl=29)\n"
            "def call(name,*a):\n"
            " r=c.syscall(ctypes.c_long(n[name]),*[ctypes.c_long(v) for v in a])\n"
            " print(name,r if r<=0 else 'OPEN',errno.errorcode.get(ctypes.get_errno()) if r<0 else '')\n"
            "for f in (0x20000,0x2000000,0x4000000,0x8000000,0x10000000,0x20000000,0x40000000):\n"
            " call('unshare',f)\n"
            " call('clone',f|17,0,0,0,0)\n"
            "call('unshare',0x80)\n"
            "call('unshare',0x400)\n"
            "call('setns',0,0)\n"
            "call('keyctl',0,-3,1)\ncall('add_key',0,0,0,0,-3)\ncall('request_key',0,0,0,0)\n"
            "call('bpf',0,0,0)\ncall('perf',0,0,-1,-1,0)\ncall('handle',0,0,0)\ncall('userfaultfd',1)\n"
            "call('io_uring',1,0)\ncall('clone3',0,0)\n"
            "call('ioctl',0,0x5412,0)\ncall('ioctl',0,0x100005412,0)\ncall('ioctl',0,0x541c,0)\n");

  assert_text (t->err, "");
  assert_text (
    t->out,
    "unshare -1 EPERM\nclone -1 EPERM\nunshare -1 EPERM\nclone -1 EPERM\nunshare -1 EPERM\nclone -1 EPERM\n"
    "unshare -1 EPERM\nclone -1 EPERM\nunshare -1 EPERM\nclone -1 EPERM\nunshare -1 EPERM\nclone -1 EPERM\n"
    "unshare -1 EPERM\nclone -1 EPERM\nunshare -1 EPERM\nunshare 0 \nsetns -1 EPERM\n"
    "keyctl -1 EPERM\nadd_key -1 EPERM\nrequest_key -1 EPERM\nbpf -1 EPERM\nperf -1 EPERM\nhandle -1 EPERM\n"
    "userfaultfd -1 EPERM\nio_uring -1 ENOSYS\nclone3 -1 ENOSYS\nioctl -1 EPERM\nioctl -1 EPERM\nioctl -1 "
    "EPERM\n");
}

static void
threads_and_own_limits_still_work (void **state)
{
  struct told *t =
    python (*state, "import threading,resource,os,ctypes,subprocess\n"
                    "l=[]\nts=[threading.Thread(target=lambda: l.append(1)) for i in range(20)]\n"
                    "[t.start() for t in ts]; [t.join() for t in ts]\n"
                    "print(len(l))\n"
                    "resource.setrlimit(resource.RLIMIT_NOFILE,(100,200)); "
                    "print(resource.getrlimit(resource.RLIMIT_NOFILE))\n"
                    "n=os.nice(0); os.nice(3); print(os.getpriority(os.PRIO_PROCESS,0)==min(n+3,19))\n"
                    "os.sched_setaffinity(threading.get_native_id(),os.sched_getaffinity(0))\n"
                    "os.sched_setaffinity(0,os.sched_getaffinity(0))\n"
                    "print(subprocess.run(['prlimit','--nofile','--noheadings','-osoft']).returncode)\n");

  assert_text (t->err, "");
  assert_non_null (strstr ((const char *) t->out.data, "20\n(100, 200)\nTrue\n"));
}

/* As far as the attack goes against the runner and the shepherds of this test: nobody else on this machine
 * is touched. Whether it was tried at all is counted. */
static void
the_runner_cannot_be_starved (void **state)
{
  struct peer *p = *state;
  uint64_t start;
  struct told *t = peer_sh (
    p, "n=0; s=$PPID; r=$(sed 's/.*) //' /proc/$s/stat | cut -d' ' -f2); for q in $s $r; do n=$((n+1)); "
       "prlimit --pid $q --nproc=0 && echo NPROC; prlimit --pid $q --nofile=3 && echo NOFILE; prlimit --pid "
       "$q --fsize=0 && echo FSIZE; "
       "chrt -i -p 0 $q && echo IDLE; renice -n 19 $q && echo NICE; ionice -c 3 -p $q && echo IO; done "
       "2>/dev/null; "
       "taskset -p 1 $r >/dev/null 2>&1 && echo PIN; echo $n");

  assert_text (t->out, "2\n");
  t = python (p, "import os\n"
    "for which in (os.PRIO_USER,os.PRIO_PGRP):\n"
    " for who in (0,os.getuid() or os.getppid()):\n"
    "  if which==os.PRIO_PGRP and who==0: continue\n"
    "  try: os.setpriority(which,who,19); print('NICE',which,who)\n"
    "  except PermissionError: pass\n");
  assert_text (t->err, "");
  assert_text (t->out, "");
  start = clock_ns ();
  t = peer_sh (p, "seq 100000 | wc -l");
  assert_text (t->out, "100000\n");
  assert_true (clock_ns () - start < 2 * SECOND);
}

/* Every pipe and socket of everybody is written junk into. */
static void
frames_cannot_be_forged (void **state)
{
  struct peer *p = *state;
  uint64_t other = peer_exec (p, &(struct exec_request) { .sh = "sleep 2; echo real; exit 7" });
  struct told *t = python (p,
    "import os,glob\n"
    "def parent(q): return int(open('/proc/%d/stat'%q).read().rsplit(')',1)[1].split()[1])\n"
    "r=parent(os.getppid())\n"
    "for f in glob.glob('/proc/[0-9]*/fd/*'):\n"
    " try:\n"
    "  q=int(f.split('/')[2])\n"
    "  if q==os.getpid() or not os.readlink(f).startswith(('pipe:','socket:')): continue\n"
    "  if q==r or parent(q)==r: print('SEEN',f)\n"
    "  if os.environ['TAG'].encode() not in open('/proc/%d/environ'%q,'rb').read(): continue\n"
    "  d=os.open(f,os.O_WRONLY|os.O_NONBLOCK)\n"
    "  for x in (b'\\0'*64,b'\\xff'*4096,b'X\\4\\0\\0\\0\\0\\0\\0\\0',b'{\"exit\":0}\\n'): os.write(d,x)\n"
    " except OSError: pass\n"
    "raise SystemExit(3)\n");

  assert_text (t->out, "");
  assert_int_equal (t->how, EXIT_EXITED);
  assert_int_equal (t->code, 3);
  t = peer_wait (p, other);
  assert_int_equal (t->how, EXIT_EXITED);
  assert_int_equal (t->code, 7);
  assert_non_null (memmem (t->out.data, t->out.size, "real\n", 5));
}

static void
the_runner_and_its_shepherds_show_nothing (void **state)
{
  struct peer *p = *state;
  struct told *t = python (p,
    "import os,ctypes\n"
    "c=ctypes.CDLL(None,use_errno=True)\n"
    "s=os.getppid()\n"
    "r=int(open('/proc/%d/stat'%s).read().rsplit(')',1)[1].split()[1])\n"
    "for q in (s,r):\n"
    " for f in ('environ','mem','maps','fd/0','exe','cwd','syscall'):\n"
    "  try:\n"
    "   p='/proc/%d/%s'%(q,f)\n"
    "   open(p,'rb').read(1)\n"
    "   print('OPEN',f)\n"
    "  except OSError: pass\n"
    " for req in (16,0x4206):\n"
    "  if c.ptrace(req,q,0,0)==0: print('PTRACE',q)\n"
    " fd=c.syscall(434,q,0)\n"
    " for n in (0,1,3,4,100,101,102):\n"
    "  if c.syscall(438,fd,n,0)>=0: print('GETFD',n)\n"
    /* With root's uid, and no second one, this file is its own. */
    " try:\n"
    "  if os.getuid(): open('/proc/%d/oom_score_adj'%q,'w').write('1000') and print('OOM')\n"
    " except OSError: pass\n"
    "print('done')\n");

  assert_text (t->err, "");
  assert_text (t->out, "done\n");
}

static void
signals_from_inside_do_nothing_to_the_runner (void **state)
{
  struct peer *p = *state;
  struct told *t = peer_sh (
    p, "for s in 1 2 3 4 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 31; do kill -$s 1; done; echo sent");

  assert_text (t->out, "sent\n");
  assert_text (peer_sh (p, "echo ok")->out, "ok\n");
  peer_sh (p, "kill -9 -1");
  assert_text (peer_sh (p, "echo ok")->out, "ok\n");
}

static void
catchable_signals_do_nothing_to_a_runner_that_is_not_pid_1 (void **state)
{
  struct peer *p = *state;
  char code[256];

  snprintf (code, sizeof code,
            "import os\nfor s in range(1,65):\n if s not in (9,19): os.kill(%d,s); os.kill(os.getppid(),s)\n"
            "print('sent')",
            (int) p->pid);
  assert_text (python (p, code)->out, "sent\n");
  assert_text (peer_sh (p, "echo ok")->out, "ok\n");
}

int
main (void)
{
  struct CMUnitTest tests[] = {
    BOTH (the_filter_and_the_place_are_told),
    BOTH (only_known_socket_families_open),
#ifdef __x86_64__
    AS_CHILD (foreign_abis_are_refused),
#endif
    AS_CHILD (kernel_doors_are_closed),
    AS_CHILD (threads_and_own_limits_still_work),
    BOTH (the_runner_cannot_be_starved),
    BOTH (frames_cannot_be_forged),
    BOTH (the_runner_and_its_shepherds_show_nothing),
    AS_PID1 (signals_from_inside_do_nothing_to_the_runner),
    AS_CHILD (catchable_signals_do_nothing_to_a_runner_that_is_not_pid_1),
  };

  return peer_run_tests ("runner-protect", tests, sizeof tests / sizeof *tests);
}
