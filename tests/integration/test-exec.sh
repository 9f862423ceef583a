# SPDX-License-Identifier: Apache-2.0
# aksandbox exec: the command line arrives as it is.
. "$top_srcdir/tests/functions.sh"
skip_unless_provider local_subprocess

run ()
{
  "$AKSANDBOX" exec -q -t local_subprocess "$@"
}

status_of ()
{
  status=0
  "$@" >"$tmp/out" 2>"$tmp/err" || status=$?
  echo "$status"
}
cd "$tmp" || exit 99

is "a command" "$(run -- echo on)" on
is "without the dashes" "$(run echo on)" on
is "what follows the command is its own" "$(run echo -q --json -t -- x)" "-q --json -t -- x"
is "also behind the dashes" "$(run -- echo -- --help)" "-- --help"
is "no shell reads it" "$(run -- printf '%s\n' '$HOME' '`id`' '; exit 1' '*')" '$HOME
`id`
; exit 1
*'
is "empty words and newlines stay" "$(run -- printf '<%s>' '' 'a
b' ' ' "it's")" "<><a
b>< ><it's>"
printf 'a\377\001b' >want
run -- printf '%s' "$(cat want)" >got
check "any byte but NUL" cmp got want
is "a status" "$(status_of run -- sh -c 'exit 42')" 42
is "a pipeline's" "$(status_of run -- sh -c 'false | true')" 0
is "a command that is not there" "$(status_of run -- no_such_command_zz)" 127
is "a path that is not there" "$(status_of run -- /no/such/command)" 127
is "a file that is not executable" "$(status_of run -- /etc/passwd)" 126
is "a folder" "$(status_of run -- /usr)" 126
is "a signal" "$(status_of run -- sh -c 'kill -TERM $$')" 143
is "the caller's PATH is not used" "$(mkdir bin; printf '#!/bin/sh\necho evil\n' >bin/true; chmod +x bin/true
  PATH=$tmp/bin:$PATH run -- true)" ""
is "standard input is at its end" "$(echo x | run -- cat)" ""
is "--stdin" "$(echo x | run --stdin -- cat)" x
is "--timeout" "$(status_of run --timeout 0.5 -- sleep 60)" 124
is "pipes that a child holds do not keep us" "$(status_of run --timeout 30 -- sh -c 'sleep 300 & echo on')" 0
is "and what was printed came" "$(cat out)" on

usage ()
{
  want=$1
  shift
  is "exec $*: status 2" "$(status_of "$AKSANDBOX" exec "$@"):$(sed -n 1p err)" "2:aksandbox: $want"
}
usage 'exec: no command'
usage 'exec: no command' -t local_subprocess --
usage "exec: the command's name is empty" -t local_subprocess -- ''
usage '--language: unknown option' --language sh -- x
usage '--type: needs a value, TYPE' --type

done_testing
