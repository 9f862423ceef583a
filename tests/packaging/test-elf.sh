#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What was linked: hardening, no search paths of this tree, no more exported and needed than is meant.
. "${top_srcdir:?}/tests/functions.sh"
skip_unless_command readelf
cd "$top_builddir" || exit 99

library=core/.libs/libaksandbox.so
plugins=$(ls plugins/.libs/*.so 2>/dev/null)
if [ -n "$plugins" ]; then ok "there are providers"; else skip "there are providers" "none is built"; fi

exports_of ()
{
  nm -D --defined-only "$1" | sed 's/@.*//' | awk '$2 != "A" { print $3 }' | sort
}

needs_of ()
{
  readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort
}

for file in aksandbox $library $plugins; do
  is "$file has no run path" "$(readelf -d "$file" | grep -E 'R(UN)?PATH' || :)" ""
  like "$file is bound when it is loaded" "$(readelf -d "$file")" 'BIND_NOW|FLAGS_1.*NOW'
  like "$file makes its relocated data read-only" "$(readelf -lW "$file")" 'GNU_RELRO'
  like "$file has no executable stack" "$(readelf -lW "$file")" 'GNU_STACK .* RW  '
  is "$file needs no relocation of its code" "$(readelf -d "$file" | grep TEXTREL || :)" ""
done

is "./aksandbox is the program itself" "$(head -c 4 aksandbox | tail -c 3)" ELF
is "the library has its soname" "$(readelf -d $library | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p')" libaksandbox.so.0

header=$top_srcdir/core/include/aksandbox.h
declared=$(tr '\n' ' ' <"$header" | sed 's/AKSANDBOX_API/\n&/g' | sed -n 's/^AKSANDBOX_API[^(]*[ *]\(ak_[a-z_]*\) (.*/\1/p' | sort)
check "the header declares functions" test -n "$declared"
is "the library exports the functions of its header and no others" "$(exports_of $library)" "$declared"
is "the version script lists the functions of the header" \
  "$(sed -n 's/^ *\(ak_[a-z_]*\);/\1/p' "$top_srcdir/core/libaksandbox.map" | sort)" "$declared"

for file in $plugins; do
  name=$(basename "$file" .so)
  is "$name exports its descriptor and nothing else" "$(exports_of "$file")" "ak1_provider_$name"
  is "$name needs nothing of the host's libraries" \
    "$(needs_of "$file" | grep -E 'aksandbox|ltdl|json-c|yaml' || :)" ""
done

for file in aksandbox $library; do
  is "$file needs its three libraries and the C library" \
    "$(needs_of $file | grep -v -E '^(lib(c|m|pthread|dl|asan|ubsan|tsan|lsan|gcc_s)\.so|ld-)' | sed 's/\.so.*//' | tr '\n' ' ')" \
    "libjson-c libltdl libyaml-0 "
done

is "the runner needs no library and no loader" \
  "$(readelf -lWd core/aksandbox-runner | grep -E 'NEEDED|INTERP' || :)" ""

archive=sdk/libaksandbox-sdk.a
is "the archive's symbols are all hidden" \
  "$(readelf -sW $archive | awk '$5 == "GLOBAL" && $6 == "DEFAULT" && $7 ~ /^[0-9]+$/ { print $8 }')" ""
check "the archive goes into a shared object whole" "${CC%% *}" -shared -o "$tmp/whole.so" \
  -Wl,--whole-archive $archive -Wl,--no-whole-archive

done_testing
