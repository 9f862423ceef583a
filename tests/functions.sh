# SPDX-License-Identifier: Apache-2.0
# For the shell tests: TAP lines, and a folder of their own that goes away at the end.
#
#   . "$top_srcdir/tests/functions.sh"
#   check "the program says its version" "$AKSANDBOX" --version
#   done_testing
#
# $tmp         a fresh folder with mode 0700, removed at exit; HOME is $tmp/home
# $AKSANDBOX   the program under test; $top_srcdir and $top_builddir are absolute

: "${top_srcdir:?run it by make check}" "${top_builddir:?}" "${AKSANDBOX:?}"

tests_done=0
tests_failed=0

tmp=$(mktemp -d "${TMPDIR:-/tmp}/aksandbox-test.XXXXXX") || exit 99
HOME=$tmp/home
XDG_CONFIG_HOME=$HOME/.config
XDG_STATE_HOME=$HOME/.local/state
export HOME XDG_CONFIG_HOME XDG_STATE_HOME
mkdir "$HOME"

# Commands for the end of the test, run in order of registration: cleanup_fn kill "$pid"
cleanup_commands=
cleanup_fn ()
{
  for word_ in "$@"; do
    cleanup_commands="$cleanup_commands '$(printf '%s' "$word_" | sed "s/'/'\\\\''/g")'"
  done
  cleanup_commands="$cleanup_commands
"
}

cleanup_ ()
{
  status_=$?
  trap - EXIT
  eval "$cleanup_commands" 2>/dev/null
  cd /
  chmod -R u+rwX "$tmp" 2>/dev/null
  rm -rf "$tmp"
  exit "$status_"
}
trap cleanup_ EXIT
trap 'exit 99' HUP INT TERM

# What a description must not hold: a '#' would begin a directive.
describe_ ()
{
  printf '%s' "$*" | tr '\n#' ' +'
}

ok ()
{
  tests_done=$((tests_done + 1))
  printf 'ok %d - %s\n' "$tests_done" "$(describe_ "$@")"
}

not_ok ()
{
  tests_done=$((tests_done + 1))
  tests_failed=$((tests_failed + 1))
  printf 'not ok %d - %s\n' "$tests_done" "$(describe_ "$@")"
}

# Lines for people, part of no result.
diag ()
{
  printf '%s\n' "$*" | sed 's/^/# /'
}

# check DESC COMMAND...: passes when the command answers 0; what it printed is shown when it does not.
check ()
{
  desc_=$1
  shift
  if "$@" >"$tmp/.out" 2>&1; then
    ok "$desc_"
  else
    status_=$?
    not_ok "$desc_"
    diag "status $status_ of: $*"
    head -c 4000 "$tmp/.out" | sed 's/^/#   /'
  fi
}

# check_status DESC STATUS COMMAND...: the command answers exactly STATUS.
check_status ()
{
  desc_=$1 want_=$2
  shift 2
  status_=0
  "$@" >"$tmp/.out" 2>&1 || status_=$?
  if [ "$status_" -eq "$want_" ]; then
    ok "$desc_"
  else
    not_ok "$desc_"
    diag "status $status_, not $want_, of: $*"
    head -c 4000 "$tmp/.out" | sed 's/^/#   /'
  fi
}

# is DESC GOT WANTED: two texts are the same.
is ()
{
  if [ "$2" = "$3" ]; then
    ok "$1"
  else
    not_ok "$1"
    diag "     got: $2"
    diag "expected: $3"
  fi
}

# like DESC TEXT PATTERN: the text has a match of the extended regular expression.
like ()
{
  if printf '%s\n' "$2" | grep -Eq -e "$3"; then
    ok "$1"
  else
    not_ok "$1"
    diag "     got: $2"
    diag "no match: $3"
  fi
}

# One case cannot run here: skip DESC REASON
skip ()
{
  tests_done=$((tests_done + 1))
  printf 'ok %d - %s # SKIP %s\n' "$tests_done" "$(describe_ "$1")" "$2"
}

# The whole test cannot run here; before any result.
skip_all ()
{
  printf '1..0 # SKIP %s\n' "$*"
  exit 0
}

# skip_unless_command NAME: for a tool that the test needs.
skip_unless_command ()
{
  command -v "$1" >/dev/null 2>&1 || skip_all "$1 is not installed"
}

# skip_unless_provider NAME: for what needs a bundled provider, in a build that may be --without-provider-NAME.
skip_unless_provider ()
{
  [ -e "$top_builddir/plugins/.libs/$1.so" ] || skip_all "the provider $1 is not built"
}

# The plan, and the end.
done_testing ()
{
  printf '1..%d\n' "$tests_done"
  [ "$tests_failed" -eq 0 ]
  exit
}
