# SPDX-License-Identifier: Apache-2.0
# Flags of our own, each only when the tools take it, and checks of what the switches were given.

# AK_TRY_CFLAG(VARIABLE, FLAG): clang only warns about a flag that it does not know
AC_DEFUN([AK_TRY_CFLAG],
[AC_MSG_CHECKING([whether $CC takes $2])
ak_save_CFLAGS=$CFLAGS
CFLAGS="$CFLAGS -Werror $2"
AC_COMPILE_IFELSE([AC_LANG_PROGRAM([], [])],
  [AC_MSG_RESULT([yes])
   AS_VAR_APPEND([$1], [" $2"])],
  [AC_MSG_RESULT([no])])
CFLAGS=$ak_save_CFLAGS])

AC_DEFUN([AK_TRY_LDFLAG],
[AC_MSG_CHECKING([whether the linker takes $2])
ak_save_LDFLAGS=$LDFLAGS
LDFLAGS="$LDFLAGS $2"
AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])],
  [AC_MSG_RESULT([yes])
   AS_VAR_APPEND([$1], [" $2"])],
  [AC_MSG_RESULT([no])])
LDFLAGS=$ak_save_LDFLAGS])

# OWN_CFLAGS: of everything. SDK_CFLAGS: the archives end up in other people's shared objects, made by other
# compilers, whatever this build is.
AC_DEFUN([AK_COMPILER_FLAGS],
[m4_foreach_w([ak_flag], [-Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -Wstrict-prototypes
    -Wmissing-prototypes -Wundef -Wcast-qual -Wwrite-strings -Wvla
    -fvisibility=hidden -fno-common], [AK_TRY_CFLAG([OWN_CFLAGS], ak_flag)
])
AS_IF([test "$enable_werror" = yes], [AS_VAR_APPEND([OWN_CFLAGS], [' -Werror'])])
SDK_CFLAGS=-fPIC
AK_TRY_CFLAG([SDK_CFLAGS], [-ffat-lto-objects])
AC_SUBST([OWN_CFLAGS])
AC_SUBST([SDK_CFLAGS])])

AC_DEFUN([AK_LINKER_FLAGS],
[m4_foreach([ak_flag], [[-Wl,-z,relro], [-Wl,-z,now], [-Wl,-z,noexecstack], [-Wl,--as-needed]],
  [AK_TRY_LDFLAG([OWN_LDFLAGS], m4_quote(ak_flag))
])
AS_IF([test "$enable_sanitizers" = no], [AK_TRY_LDFLAG([OWN_LDFLAGS], [-Wl,-z,defs])])
AC_SUBST([OWN_LDFLAGS])])

# In CFLAGS and LDFLAGS, so that libtool and every target have them.
AC_DEFUN([AK_SANITIZERS],
[AC_SUBST([SANITIZERS], [`test "$enable_sanitizers" = no || printf '%s' "$enable_sanitizers"`])
AS_IF([test "$enable_sanitizers" != no],
  [ak_flag="-fsanitize=$enable_sanitizers"
   ak_save_CFLAGS=$CFLAGS
   ak_save_LDFLAGS=$LDFLAGS
   CFLAGS="$CFLAGS $ak_flag -fno-sanitize-recover=all -fno-omit-frame-pointer"
   LDFLAGS="$LDFLAGS $ak_flag"
   AC_MSG_CHECKING([whether $CC links with $ak_flag])
   AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])], [AC_MSG_RESULT([yes])],
     [AC_MSG_RESULT([no])
      AC_MSG_ERROR([--enable-sanitizers=$enable_sanitizers: $CC cannot link with it])])])])

# AK_CHECK_TEXT(SWITCH, TEXT): what becomes a C string
AC_DEFUN([AK_CHECK_TEXT],
[AS_CASE(["$2"], [*[[\"\\]]*|*"
"*], [AC_MSG_ERROR([$1: no quotes, backslashes or line breaks])])])

# One %s and no other conversion: the text becomes a format of printf.
AC_DEFUN([AK_CHECK_PACKAGE_HINT],
[AK_CHECK_TEXT([--with-package-hint], [$1])
AS_CASE(["$1"],
  [*%*%*|*%[[!s]]*|*%], [AC_MSG_ERROR([--with-package-hint needs %s once, and no other %])],
  [*%s*], [],
  [AC_MSG_ERROR([--with-package-hint needs %s where the provider's name belongs])])])

# AK_DEFINE_DIR(NAME, FOLDER, COMMENT): with every variable in it expanded
AC_DEFUN([AK_DEFINE_DIR],
[ak_save_prefix=$prefix
ak_save_exec_prefix=$exec_prefix
test "x$prefix" = xNONE && prefix=$ac_default_prefix
test "x$exec_prefix" = xNONE && exec_prefix=$prefix
ak_dir_$1="$2"
while :; do
  AS_CASE(["$ak_dir_$1"], [*'$'*], [eval "ak_dir_$1=\"$ak_dir_$1\""], [break])
done
prefix=$ak_save_prefix
exec_prefix=$ak_save_exec_prefix
AC_DEFINE_UNQUOTED([$1], ["$ak_dir_$1"], [$3])])
