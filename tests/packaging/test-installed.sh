#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# An installed tree, and a provider of somebody else that was built with nothing but what is installed there.
#
# In make check it is staged below a folder; in make installcheck ($INSTALLED is "yes") it is where it belongs,
# and then the bundled providers are looked up where they were compiled to be.
. "${top_srcdir:?}/tests/functions.sh"
skip_unless_command pkg-config
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES
umask 022

variable ()
{
  "${MAKE:-make}" -s --no-print-directory -C "$top_builddir" print-variable NAME="$1"
}

stage=
if [ "${INSTALLED:-no}" != yes ]; then
  stage=$tmp/stage
  check "make install with DESTDIR works" "${MAKE:-make}" -C "$top_builddir" install DESTDIR="$stage"
fi
bindir=$(variable bindir)
libdir=$(variable libdir)
libexecdir=$(variable libexecdir)
includedir=$(variable includedir)
mandir=$(variable mandir)
datadir=$(variable datadir)
plugindir=$libdir/aksandbox
program=$stage$bindir/aksandbox

installed_plugins=$(cd "$top_builddir/plugins/.libs" && ls ./*.so)
is "the providers are installed, and nothing else beside them" "$(cd "$stage$plugindir" && ls ./*)" \
  "$installed_plugins"
check "the runner of this machine is installed" test -x "$stage$libexecdir/aksandbox/runner-$RUNNER_ARCH"
check "the library is installed" test -e "$stage$libdir/libaksandbox.so"
check "the helpers for providers are installed" test -e "$stage$libdir/libaksandbox-sdk.a"
check "the API's header is installed" test -e "$stage$includedir/aksandbox.h"
check "the providers' header is installed" test -e "$stage$includedir/aksandbox/provider.h"
check "the manual of the program is installed" test -e "$stage$mandir/man1/aksandbox.1"
check "the manual of the configuration is installed" test -e "$stage$mandir/man5/aksandbox.yaml.5"
check "the manual of the library is installed" test -e "$stage$mandir/man3/aksandbox.3"
for so in $installed_plugins; do
  name=$(basename "$so" .so)
  check "the manual of $name is installed" test -e "$stage$mandir/man7/aksandbox-$name.7"
done
check "the version script for providers is installed" test -e "$stage$datadir/aksandbox/provider.map"
is "the installed program says its version" "$("$program" --version 2>&1 | head -n 1 | cut -d' ' -f1-2)" \
  "aksandbox $VERSION"

# What pkg-config says, of this tree alone.
PKG_CONFIG_LIBDIR=$stage$libdir/pkgconfig
PKG_CONFIG_SYSROOT_DIR=$stage
export PKG_CONFIG_LIBDIR
unset PKG_CONFIG_PATH
[ -z "$stage" ] || export PKG_CONFIG_SYSROOT_DIR
if [ -z "$stage" ]; then unset PKG_CONFIG_SYSROOT_DIR; fi

pc ()
{
  PKG_CONFIG_DISABLE_UNINSTALLED=1 pkg-config "$@" | sed 's/ *$//'
}
header=$stage$includedir/aksandbox/provider.h
is "pkg-config tells the ABI's major number" "$(pc --variable=abi_major aksandbox-provider)" \
  "$(sed -n 's/^#define AK_PROVIDER_MAJOR \([0-9]*\).*/\1/p' "$header")"
is "pkg-config tells the ABI's minor number" "$(pc --variable=abi_minor aksandbox-provider)" \
  "$(sed -n 's/^#define AK_PROVIDER_MINOR \([0-9]*\).*/\1/p' "$header")"
is "pkg-config tells where providers belong" "$(pc --variable=plugindir aksandbox-provider | sed "s|^$stage||")" \
  "$plugindir"
is "a provider links with nothing" "$(pc --libs aksandbox-provider)" ""
is "an application links with the library" "$(pc --libs-only-l aksandbox)" "-laksandbox"
is "helpers are one archive" "$(pc --libs-only-l aksandbox-sdk)" "-laksandbox-sdk"
for package in aksandbox aksandbox-provider aksandbox-sdk; do
  is "$package has the version of the tree" "$(pc --modversion $package)" "$VERSION"
done

# The out-of-tree provider.
sanitize=${SANITIZERS:+-fsanitize=$SANITIZERS}
cp "$top_srcdir/tests/plugins/fly.c" "$tmp/fly.c"
mkdir "$tmp/plugins"
build_fly ()
{
  # shellcheck disable=SC2046
  $CC $(pc --cflags aksandbox-provider) -shared -fPIC $sanitize -o "$1" "$tmp/fly.c" $(pc --libs aksandbox-provider)
}
check "a provider is built with the installed header alone" build_fly "$tmp/plugins/acme.cloud.so"

fly ()
{
  AKSANDBOX_PLUGIN_PATH=$tmp/plugins "$program" "$@" 2>"$tmp/err"
}
for type in acme.cloud:fly acme.cloud.fly "$tmp/plugins/acme.cloud.so:fly"; do
  shown=$(echo "$type" | sed "s|$tmp|...|")
  is "it runs as $shown" "$(fly run -t "$type" buzz)" "hello, buzz"
done
fly inspect acme.cloud:fly >"$tmp/out"
like "it is inspected by its name" "$(cat "$tmp/out")" 'fly'
is "by its file it needs no path" "$("$program" run -t "$tmp/plugins/acme.cloud.so:fly" buzz 2>"$tmp/err")" \
  "hello, buzz"
check_status "without the path its name is unknown" 125 "$program" run -t acme.cloud:fly buzz
check_status "a provider that the file does not have is refused" 125 \
  "$program" run -t "$tmp/plugins/acme.cloud.so:wasp" buzz
chmod 0666 "$tmp/plugins/acme.cloud.so"
check_status "a file that everybody can change is refused" 125 \
  "$program" run -t "$tmp/plugins/acme.cloud.so:fly" buzz
chmod 0755 "$tmp/plugins/acme.cloud.so"

# An application.
cat >"$tmp/app.c" <<'C'
#include <aksandbox.h>
#include <stdio.h>

int
main (int argc, char **argv)
{
  struct ak_runtime_options options = { .struct_size = sizeof options, .config_file = "" };
  struct ak_runtime *runtime = NULL;
  struct ak_session *session = NULL;
  struct ak_result *result = NULL;
  struct ak_error *error = NULL;
  size_t size;
  struct ak_request request = { .struct_size = sizeof request, .code = "buzz", .code_size = 4 };
  if (argc < 2 || ak_runtime_new (&options, &runtime, &error)
      || ak_session_new_type (runtime, argv[1], NULL, &session, &error)
      || ak_execute (session, &request, &result, &error)) {
    printf ("%s\n", error ? ak_error_text (error) : "usage");
    return 1;
  }
  printf ("%s\n", ak_result_output (result, AK_STREAM_STDOUT, &size));
  ak_result_free (result);
  ak_session_destroy (session, NULL);
  ak_session_free (session);
  ak_runtime_free (runtime);
  return 0;
}
C
build_app ()
{
  # shellcheck disable=SC2046
  $CC -std=c11 $sanitize -o "$tmp/app" "$tmp/app.c" $(pc --cflags --libs aksandbox)
}
check "an application is built with the installed library" build_app
is "an application uses the provider" \
  "$(LD_LIBRARY_PATH=$stage$libdir "$tmp/app" "$tmp/plugins/acme.cloud.so:fly" 2>&1)" "hello, buzz"

# The bundled ones.
if [ -z "$stage" ]; then
  for so in $installed_plugins; do
    name=$(basename "$so" .so)
    [ "$name" = local_subprocess ] || continue
    is "$name runs a program" "$("$program" run -t "$name" -l sh 'echo $((6 * 7))' 2>"$tmp/err")" 42
  done
elif [ ! -e "$plugindir" ]; then
  "$program" run -t local_subprocess -l sh : 2>"$tmp/err"
  is "a bundled provider that is not installed gives 125" $? 125
  like "and the error says where it was looked for" "$(head -n 1 "$tmp/err")" \
    "^aksandbox: .*not installed: looked for local_subprocess\\.so in $plugindir"
  like "and what to install" "$(cat "$tmp/err")" 'aksandbox-provider-local-subprocess'
else
  skip "a bundled provider that is not installed is reported" "there is a $plugindir on this machine"
fi

if [ -n "$stage" ]; then
  check "make uninstall with DESTDIR works" "${MAKE:-make}" -C "$top_builddir" uninstall DESTDIR="$stage"
  is "make uninstall leaves no file" "$(find "$stage" ! -type d)" ""
  is "and no folder of ours" "$(find "$stage$(variable prefix)" -mindepth 1 -name '*aksandbox*')" ""
fi

done_testing
