# SPDX-License-Identifier: Apache-2.0
# Libraries: asked for one by one, missing ones reported together with the Debian package of each.

# AK_MISSING_ADD_(WHAT, PACKAGE)
AC_DEFUN([AK_MISSING_ADD_], [AS_VAR_APPEND([ak_missing], ["
    $1: package $2"])
AS_VAR_APPEND([ak_missing_packages], [" $2"])])

# AK_LINE_(LABEL, VALUE): one more line of the summary
AC_DEFUN([AK_LINE_], [AS_VAR_APPEND([ak_summary], ["`printf '  %-26s %s' "$1" "$2"`
"])])

# AK_REQUIRE_PKG(PREFIX, PKG-CONFIG MODULE, PACKAGE)
AC_DEFUN([AK_REQUIRE_PKG],
[PKG_CHECK_MODULES([$1], [$2],
  [AK_LINE_([$2], [yes])],
  [AK_MISSING_ADD_([$2], [$3])
   AK_LINE_([$2], [no (package $3)])])])

# AK_REQUIRE_HEADER_LIB(PREFIX, HEADER, LIBRARY, FUNCTION, PACKAGE): for what has no .pc file. Never in LIBS,
# from where it would reach every provider's link.
AC_DEFUN([AK_REQUIRE_HEADER_LIB],
[ak_found=no
AC_CHECK_HEADER([$2], [AC_CHECK_LIB([$3], [$4], [ak_found=yes])])
AS_IF([test "$ak_found" = yes],
  [$1_LIBS=-l$3
   AK_LINE_([$3], [yes])],
  [AK_MISSING_ADD_([$3], [$5])
   AK_LINE_([$3], [no (package $5)])])
AC_SUBST([$1_LIBS])])

# AK_WANT_PKG(PREFIX, PKG-CONFIG MODULE, PACKAGE): defines HAVE_PREFIX as a condition
AC_DEFUN([AK_WANT_PKG],
[PKG_CHECK_MODULES([$1], [$2], [ak_have_$1=yes], [ak_have_$1=no])
AM_CONDITIONAL([HAVE_$1], [test "$ak_have_$1" = yes])
AS_IF([test "$ak_have_$1" = yes], [AK_LINE_([$2], [yes])],
  [AK_LINE_([$2], [no (package $3; make check needs it)])])])

# AK_PROVIDER_SWITCH(NAME, [PREFIX, PKG-CONFIG MODULE, PACKAGE]...): --with-provider-NAME, PROVIDER_NAME as a
# condition, and the flags of its libraries as PREFIX_CFLAGS and PREFIX_LIBS. Without a switch the provider is
# built when its libraries are there; with it they must be.
AC_DEFUN([AK_PROVIDER_SWITCH],
[AC_ARG_WITH([provider-$1],
  [AS_HELP_STRING([--without-provider-$1], [leave the provider $1 out; with it: fail if it cannot be built])],
  [AS_CASE([$withval], [yes|no], [],
    [AC_MSG_ERROR([--with-provider-$1 takes no value])])], [with_provider_$1=auto])
ak_provider=yes
ak_provider_why=
AS_IF([test "$with_provider_$1" = no],
  [ak_provider=no ak_provider_why=' (--without-provider-$1)'],
  [m4_if([$2], [], [:], [AK_PROVIDER_LIBS_([$1], m4_shift($@))])])
AM_CONDITIONAL(m4_toupper([PROVIDER_$1]), [test "$ak_provider" = yes])
AS_VAR_APPEND([ak_providers], ["`printf '  %-26s %s' "$1" "$ak_provider$ak_provider_why"`
"])])

AC_DEFUN([AK_PROVIDER_LIBS_],
[PKG_CHECK_MODULES([$2], [$3], [],
  [AS_IF([test "$with_provider_$1" = yes],
    [AK_MISSING_ADD_([$3 (--with-provider-$1)], [$4])])
   ak_provider=no
   AS_VAR_APPEND([ak_provider_why], [" ($3: package $4)"])])
m4_if([$5], [], [], [AK_PROVIDER_LIBS_([$1], m4_shift(m4_shift(m4_shift(m4_shift($@)))))])])

# One error for everything that is not there.
AC_DEFUN([AK_REPORT_MISSING],
[AS_IF([test -n "$ak_missing"],
  [AC_MSG_ERROR([missing:$ak_missing
On Debian or Ubuntu: apt-get install$ak_missing_packages])])])

AC_DEFUN([AK_SUMMARY],
[AS_IF([test "$silent" != yes], [cat <<_AK_SUMMARY

aksandbox $PACKAGE_VERSION

Libraries
$ak_summary
Providers
$ak_providers
Build
`printf '  %-26s %s' 'runner' "static, by $RUNNER_CC"`
`printf '  %-26s %s' 'warnings are errors' "$enable_werror"`
`printf '  %-26s %s' 'sanitizers' "$enable_sanitizers"`
`printf '  %-26s %s' 'trusted group' "$enable_trusted_group"`

Folders
`printf '  %-26s %s' 'providers' "$ak_dir_AK_PLUGINDIR"`
`printf '  %-26s %s' 'runner' "$ak_dir_AK_LIBEXECDIR"`

_AK_SUMMARY
])])
