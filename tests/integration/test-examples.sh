# SPDX-License-Identifier: Apache-2.0
# The programs of the README are compiled as it says, against the build tree, and do what they say; and the
# manual of the library has what its header has.
. "$top_srcdir/tests/functions.sh"
skip_unless_command pkg-config
skip_unless_command python3
PKG_CONFIG_PATH=$top_builddir/core
LD_LIBRARY_PATH=$top_builddir/core/.libs
export PKG_CONFIG_PATH LD_LIBRARY_PATH
sanitize=${SANITIZERS:+-fsanitize=$SANITIZERS}

awk -v tmp="$tmp" '/^```c$/ { inside = 1; n++; next } /^```$/ { inside = 0 } inside { print >(tmp "/example-" n ".c") }' \
  "$top_srcdir/README.md"
is "the README has two programs" "$(cd "$tmp" && ls example-*.c | tr '\n' ' ')" "example-1.c example-2.c "

# What the first line of a program says behind the name of its file.
flags_of ()
{
  eval "echo $(sed -n '1s|^/\* cc [a-z]*\.c \(.*\) \*/$|\1|p' "$1")"
}

for n in 1 2; do
  # shellcheck disable=SC2046
  check "program $n compiles without a warning" \
    $CC -Wall -Wextra -Werror -g $sanitize -o "$tmp/example-$n" "$tmp/example-$n.c" $(flags_of "$tmp/example-$n.c")
done

is "the first one runs code and prints how it ended" "$("$tmp/example-1" 2>&1; echo $?)" "42
exited with 0
0"
"$tmp/example-2" >"$tmp/out" 2>&1
is "the second one answers 0" $? 0
is "it prints output as it comes, until another thread cancels" "$(uniq "$tmp/out")" "tick
cancelled"

functions=$(sed -n 's/^AKSANDBOX_API .*[ *]\(ak_[a-z_]*\) (.*/\1/p' "$top_srcdir/core/include/aksandbox.h" | sort)
check "the header has functions" test -n "$functions"
is "the library exports the functions of the header, and nothing else" \
  "$(nm -D --defined-only "$top_builddir/core/.libs/libaksandbox.so" | sed -n 's/.* T \([a-z_0-9]*\).*/\1/p' | sort)" "$functions"
is "the manual has the prototype of every function, and of no other" \
  "$(sed -n 's/^\.BI "[^(]*[ *]\(ak_[a-z_]*\) (.*/\1/p' "$top_srcdir/core/aksandbox.3" | sort)" "$functions"
members=$(awk '/^struct ak_(runtime_options|request|start|entry) \{/ { inside = 1; next } /^\};/ { inside = 0 } inside' \
  "$top_srcdir/core/include/aksandbox.h" | sed 's|/\*.*||; /^ \{4,\}/d' | sed -n 's/^  [a-z].*(\*\([a-z_]*\)) (.*/\1/p; s/^  [a-z].*[ *]\([a-z_]*\);.*/\1/p; s/^  int \(has_stdin\), .*/\1/p' | sort -u)
check "its structs have members" test -n "$members"
missing=
for member in $members; do
  grep -q -w -e "$member" "$top_srcdir/core/aksandbox.3" || missing="$missing $member"
done
is "the manual tells of every member of the structs" "$missing" ""
if command -v mandoc >/dev/null 2>&1; then
  check "the manual is well-formed" mandoc -T lint -W warning "$top_srcdir/core/aksandbox.3"
else
  skip "the manual is well-formed" "mandoc is not installed"
fi

done_testing
