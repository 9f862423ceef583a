#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The two public headers: each alone, in every language that their users write, by both compilers, and with no
# warning; and the sample provider in the same languages, as shared object with the right notes.
. "${top_srcdir:?}/tests/functions.sh"

strict='-pedantic -Wall -Wextra -Wshadow -Wconversion -Wundef -Wcast-qual -Wwrite-strings -Werror'
# As they are installed.
mkdir "$tmp/include"
cp -R "$top_srcdir/sdk/include/aksandbox" "$top_srcdir/core/include/aksandbox.h" "$tmp/include/"
includes=-I$tmp/include

# What surrounds a user's include: nothing before it, and macros that a careless header would trip over.
for header in aksandbox/provider.h aksandbox.h; do
  printf '#include <%s>\n#include <%s>\nint main (void) { return 0; }\n' "$header" "$header" \
    >"$tmp/$(basename "$header" .h).c"
done

# compile DESC COMPILER FLAGS...
compile ()
{
  desc=$1 compiler=$2
  shift 2
  if command -v "$compiler" >/dev/null 2>&1; then
    check "$desc" "$compiler" "$@"
  else
    skip "$desc" "$compiler is not installed"
  fi
}

for name in provider aksandbox; do
  for compiler in gcc clang; do
    for std in c90 c99 c11 gnu17; do
      # An object of C90 may not be larger than 509 characters; declarations need long long only for int64_t.
      compile "$name.h is clean $std by $compiler" $compiler -std=$std $strict $includes -Wno-long-long \
        -fsyntax-only "$tmp/$name.c"
    done
  done
  for compiler in g++ clang++; do
    for std in c++98 c++11 c++20; do
      compile "$name.h is clean $std by $compiler" $compiler -x c++ -std=$std $strict $includes -Wno-long-long \
        -fsyntax-only "$tmp/$name.c"
    done
  done
done

fly=$top_srcdir/tests/plugins/fly.c
for compiler in gcc clang g++ clang++; do
  case $compiler in
  *++) standards='c++98 c++11 c++20' language=c++ ;;
  *) standards='c90 c11 gnu17' language=c ;;
  esac
  for std in $standards; do
    # A note is longer than the 509 characters that C90 promises to a string.
    compile "a provider is clean $std by $compiler" $compiler -x $language -std=$std $strict $includes \
      -Wno-long-long -Wno-overlength-strings -fPIC -shared -o "$tmp/fly-$compiler-$std.so" "$fly"
  done
done

wanted=$(readelf --notes "$top_builddir/tests/plugins/.libs/fly.so" | grep -c 'aksandbox')
for so in "$tmp"/fly-*.so; do
  [ -e "$so" ] || continue
  name=$(basename "$so" .so)
  is "$name has its three notes" "$(readelf --notes "$so" | grep -c 'aksandbox')" "$wanted"
  like "$name exports its descriptor" "$(nm -D --defined-only "$so")" ' [RDVB] ak1_provider_fly$'
  is "$name is inspected" "$("$AKSANDBOX" inspect "$so:fly" >"$tmp/out" 2>&1 && echo yes || cat "$tmp/out")" yes
done

# A change of the major number must change the symbol with it.
major=$(sed -n 's/^#define AK_PROVIDER_MAJOR \([0-9]*\).*/\1/p' "$top_srcdir/sdk/include/aksandbox/provider.h")
check "the major number is in the symbol" grep -q "ak${major}_provider_##name" \
  "$top_srcdir/sdk/include/aksandbox/provider.h"
check "provider.h needs no config.h" sh -c "! grep -n 'config\\.h\"' '$top_srcdir/sdk/include/aksandbox/provider.h'"

done_testing
