#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Who may include, name and link whom: the rules of the source tree.
. "${top_srcdir:?}/tests/functions.sh"
cd "$top_srcdir" || exit 99

sources_of ()
{
  find "$@" -name '*.[ch]' | sort
}

# Includes of the given files, as FILE WHAT with the quotes or brackets.
includes_of ()
{
  sources_of "$@" | while read -r file; do
    sed -n 's/^[[:space:]]*#[[:space:]]*include[[:space:]]*\([<"][^>"]*[>"]\).*/\1/p' "$file" | sed "s|^|$file |"
  done
}

# none DESC LINES: passes when there are none.
none ()
{
  is "$1" "$2" ""
}

none "plugins include their own headers and the SDK's, nothing else of this tree" "$(
  includes_of plugins | while read -r file what; do
    name=${what#?} name=${name%?}
    case $what in
    '<aksandbox/'*) [ -f "sdk/include/$name" ] || echo "$file $what" ;;
    '<aksandbox.h>' | *core/* | *..*) echo "$file $what" ;;
    '"'*) [ -f "$(dirname "$file")/$name" ] || echo "$file $what" ;;
    esac
  done)"

none "the SDK includes only the SDK" "$(
  includes_of sdk | while read -r file what; do
    name=${what#?} name=${name%?}
    case $what in
    '<aksandbox/'*) [ -f "sdk/include/$name" ] || echo "$file $what" ;;
    '<aksandbox.h>' | *core/* | *plugins/* | *..*) echo "$file $what" ;;
    '"'*) [ -f "$(dirname "$file")/$name" ] || echo "$file $what" ;;
    esac
  done)"

none "the core includes no plugin, and nothing of the SDK that needs a library" "$(
  includes_of core | grep -E 'plugins/|aksandbox/[^>"]*(http|aws|curl|tar|websocket)' || :)"

none "the runner includes nothing but itself" "$(
  includes_of core/runner | while read -r file what; do
    name=${what#?} name=${name%?}
    case $what in
    '"'*) [ -f "core/runner/$name" ] || echo "$file $what" ;;
    '<aksandbox'*) echo "$file $what" ;;
    esac
  done)"

# Without comments, which may tell examples.
code_of ()
{
  "${CC%% *}" -fpreprocessed -dD -E -P "$1" 2>/dev/null
}

names=$(sed -n 's/^[[:space:]]*{ *"\([a-z0-9_]*\)".*/\1/p' core/factory.c)
check "the factory has a table of providers" test -n "$names"
none "the core names no provider outside the factory's table" "$(
  for file in $(sources_of core); do
    [ "$file" = core/factory.c ] && continue
    for name in $names; do
      code_of "$file" | grep -n -w -e "$name" | sed "s|^|$file: |"
    done
  done)"

# only DESC PATTERN FILES...: no other file of the core has it
only ()
{
  desc=$1 pattern=$2
  shift 2
  found=
  for file in $(sources_of core); do
    case " $* " in
    *" $file "*) continue ;;
    esac
    code_of "$file" | grep -q -E -e "$pattern" && found="$found $file"
  done
  none "$desc" "$found"
}
only "libltdl appears in one file" '(^|[^a-z_])lt_dl|ltdl\.h' core/module.c core/module-load.c core/module-open.c
only "one file reads the environment" '(^|[^a-z_])(secure_)?getenv *\(|(^|[^a-z_])environ[^a-z_.]' core/environ.c core/runner/*.c

for file in aksandbox core/.libs/libaksandbox.so; do
  none "$file needs no library of a provider" "$(
    readelf -d "$top_builddir/$file" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
      grep -E 'curl|ssl|crypto|archive|seccomp|wslay' || :)"
done

none "every source file is built or distributed" "$(
  for file in $(sources_of core sdk plugins tests); do
    name=$file
    case $file in
    tests/unit/test-*.c | tests/bench/*.c | tests/fuzz/*.c) name=${file%.c} ;;
    esac
    cat core/local.mk sdk/local.mk plugins/local.mk plugins/*/local.mk tests/local.mk tests/*/local.mk |
      tr -s ' =' '\n' | grep -q -F -x -e "$name" -e "$file" || echo "$file"
  done)"

none "every source file says its licence and its purpose" "$(
  for file in $(sources_of core sdk plugins tests); do
    case $(head -n 1 "$file") in
    '/* SPDX-License-Identifier: Apache-2.0 '*) ;;
    *) echo "$file"; continue ;;
    esac
    case $file:$(head -n 1 "$file") in
    sdk/*' OR MIT '*) ;;
    sdk/*) echo "$file: also MIT" ;;
    esac
    case $(sed -n 2p "$file") in
    '/* '?*) ;;
    *) echo "$file: no purpose" ;;
    esac
  done)"

# What git knows is what the tarball has; only a checkout can tell.
if [ -e .git ] && command -v git >/dev/null 2>&1 && git -c safe.directory="*" rev-parse HEAD >/dev/null 2>&1; then
  git -c safe.directory="*" ls-files | sort >"$tmp/tracked"
  unset MAKEFLAGS MFLAGS MAKELEVEL
  if "${MAKE:-make}" -C "$top_builddir" distdir distdir="$tmp/dist" >"$tmp/log" 2>&1; then
    none "every file of the repository is in the tarball" "$(
      while read -r file; do [ -e "$tmp/dist/$file" ] || echo "$file"; done <"$tmp/tracked")"
  else
    not_ok "every file of the repository is in the tarball"
    diag "$(tail -n 20 "$tmp/log")"
  fi
else
  skip "every file of the repository is in the tarball" "not in a checkout"
fi

done_testing
