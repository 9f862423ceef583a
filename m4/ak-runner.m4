# SPDX-License-Identifier: Apache-2.0
# The runner's own compiler: it is one static program that starts in any sandbox of this machine's kind.

# AK_RUNNER_TRY_(COMPILER, EXTRA FLAGS, IF IT WORKS): a static program that includes the kernel's headers
AC_DEFUN([AK_RUNNER_TRY_],
[AS_IF([test -z "$RUNNER_CC"],
  [AC_MSG_CHECKING([whether $1 makes static programs m4_if([$2], [], [], [with $2])])
   cat >conftest.c <<_AK_PROGRAM
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdlib.h>
int main (void) { char *p = malloc (1); free (p); return p == NULL; }
_AK_PROGRAM
   AS_IF([$1 $2 -static -o conftest$EXEEXT conftest.c >&AS_MESSAGE_LOG_FD 2>&1 \
          && { test "$cross_compiling" = yes || ./conftest$EXEEXT; }],
     [AC_MSG_RESULT([yes])
      RUNNER_CC="$1"
      ak_runner_cppflags="$2"],
     [AC_MSG_RESULT([no])])
   rm -f conftest.c conftest$EXEEXT])])

# musl makes it a tenth of the size and starts it faster. Its compiler knows no kernel headers: they are
# given to it behind its own.
AC_DEFUN([AK_RUNNER],
[AC_ARG_VAR([RUNNER_CFLAGS], [flags of the runner's compiler @<:@-Os -g@:>@])
AC_ARG_WITH([runner-cc],
  [AS_HELP_STRING([--with-runner-cc=COMPILER], [makes the static runner @<:@musl-gcc if it works, else $CC@:>@])],
  [], [with_runner_cc=])
RUNNER_CC=
ak_kernel_headers="-idirafter /usr/include"
ak_multiarch=`$CC -print-multiarch 2>/dev/null || $CC -dumpmachine 2>/dev/null`
test -n "$ak_multiarch" && test -d "/usr/include/$ak_multiarch/asm" &&
  ak_kernel_headers="$ak_kernel_headers -idirafter /usr/include/$ak_multiarch"
AS_IF([test -n "$with_runner_cc"],
  [AK_RUNNER_TRY_([$with_runner_cc])
   AK_RUNNER_TRY_([$with_runner_cc], [$ak_kernel_headers])
   AS_IF([test -z "$RUNNER_CC"],
     [AC_MSG_ERROR([--with-runner-cc: $with_runner_cc makes no static program here, see config.log])])],
  [AS_IF([test "$cross_compiling" = no], [AK_RUNNER_TRY_([musl-gcc], [$ak_kernel_headers])])
   AK_RUNNER_TRY_([$CC])
   AS_IF([test -z "$RUNNER_CC"],
     [AK_MISSING_ADD_([a compiler for static programs], [musl-tools])])])
OWN_RUNNER_CFLAGS='-Wall -Wextra -ffunction-sections -fdata-sections'
AS_IF([test "$enable_werror" = yes], [AS_VAR_APPEND([OWN_RUNNER_CFLAGS], [' -Werror'])])
AC_SUBST([OWN_RUNNER_CFLAGS])
AC_SUBST([RUNNER_CC])
AC_SUBST([RUNNER_CPPFLAGS], ["$ak_runner_cppflags"])
: "${RUNNER_CFLAGS=-Os -g}"
AS_CASE([$host_cpu], [i?86], [RUNNER_ARCH=i686], [arm*], [RUNNER_ARCH=armv7l], [RUNNER_ARCH=$host_cpu])
AC_SUBST([RUNNER_ARCH])
AC_DEFINE_UNQUOTED([AK_RUNNER_ARCH], ["$RUNNER_ARCH"], [The runner's machine, as uname -m names it.])])
