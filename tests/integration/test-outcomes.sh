#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# How a program ended is told exactly, and nothing that it started outlives it.
. "$top_srcdir/tests/functions.sh"
skip_unless_provider local_subprocess

number=$$                       # makes the sleeps of this run tell apart from everybody else's
left ()                         # 0, or 1: whether processes of this run are still there
{
  cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\0' ' ' | grep -c "sleep 3[0-9]*\.$number" || :
}

nothing_left ()                 # within 2 s
{
  for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    [ "$(left)" = 0 ] && return 0
    sleep 0.1
  done
  ps -ef | grep "$number"
  return 1
}

# outcome CODE LANGUAGE TIMEOUT: one line "outcome exit_code stdout" of a run
outcome ()
{
  "$AKSANDBOX" run -t local_subprocess --json --timeout "$3" -l "$2" "$1" >"$tmp/json" 2>"$tmp/err" </dev/null || :
  python3 -c 'import json, sys
r = json.load(open(sys.argv[1]))
print(r["outcome"], r["exit_code"], repr(r["stdout"])) if "outcome" in r else print(r)' "$tmp/json"
}

skip_unless_command python3
skip_unless_command bash

ends ()                         # DESC WANTED CODE [TIMEOUT]: and nothing is left
{
  is "$1" "$(outcome "$3" bash "${4:-30}")" "$2"
  check "$1: nothing is left" nothing_left
}

ends "a program that ends"                  "exited 0 'hi\\n'"    'echo hi'
ends "its status is its own"                "exited 42 ''"        'exit 42'
ends "124 of its own is no timeout"         "exited 124 ''"       'exit 124'
ends "137 of its own is no signal"          "exited 137 ''"       'exit 137'
ends "a failing last command of a pipe"     "exited 1 ''"         'true | false'
ends "a signal is told"                     "signalled 137 ''"    'kill -9 $$'
ends "so is SIGSEGV"                        "signalled 139 ''"    'kill -SEGV $$'
ends "what was printed before a signal"     "signalled 137 'a\\n'" 'echo a; kill -9 $$'
ends "a deadline, with what was printed"    "timed_out 124 'a\\n'" "echo a; sleep 300.$number" 0.5
ends "pipes held by a child do not hold the return" "exited 0 'hi\\n'" "sleep 301.$number & echo hi"
ends "process substitution holds nothing"   "exited 0 ''"         "exec > >(sleep 302.$number); echo hi"
ends "SIGTERM ignored"                      "timed_out 124 ''"    "trap '' TERM; while :; do sleep 303.$number; done" 0.5
ends "children of a child"                  "timed_out 124 ''"    "sh -c 'sleep 304.$number & sleep 305.$number & wait'" 0.5
ends "a stopped group"                      "timed_out 124 ''"    "sleep 306.$number & kill -STOP 0" 0.5
ends "setsid"                               "timed_out 124 ''"    "setsid sleep 307.$number & sleep 308.$number" 0.5
ends "a double fork"                        "timed_out 124 ''"    "(setsid sh -c 'sleep 309.$number &' &) ; sleep 310.$number" 0.5
ends "a background child at the end"        "exited 0 ''"         "setsid sleep 311.$number >/dev/null 2>&1 & exit 0"
ends "output after its streams are closed"  "exited 9 ''"         'exec >&- 2>&-; sleep 0.3; exit 9'
# These two reach everything of this user where there is no pid namespace between.
if [ "$("$AKSANDBOX" exec -q -t local_subprocess -- cat /proc/1/comm)" = aksandbox-runne ]; then
  ends "everything it can reach is stopped"   "timed_out 124 ''" \
       'p=$PPID; while [ "${p:-0}" -gt 0 ]; do kill -STOP $p 2>/dev/null; p=$(sed -n "s/^PPid:[^0-9]*//p" /proc/$p/status); done; sleep 312.'$number 0.5
  ends "everything it can reach is killed"    "signalled 137 ''"    'kill -9 -1; kill -9 $$'
else
  skip "everything it can reach is stopped" "no pid namespace can be had"
  skip "everything it can reach is killed" "no pid namespace can be had"
fi
is "python: an exception is a result" "$(outcome 'raise SystemExit(3)' python 30)" "exited 3 ''"
is "sh: a command that does not exist" "$(outcome 'no_such_cmd_zz' sh 30)" "exited 127 ''"
like "and its message is there" "$(cat "$tmp/json")" 'no_such_cmd_zz'

# The death of the client
"$AKSANDBOX" exec -t local_subprocess -- sh -c "setsid sleep 313.$number & sleep 314.$number" >/dev/null 2>&1 &
client=$!
for _ in 1 2 3 4 5 6 7 8 9 10; do [ "$(left)" != 0 ] && break; sleep 0.2; done
check "a client at work" [ "$(left)" != 0 ]
kill -9 $client
check "kill -9 of the client leaves nothing" nothing_left

# Signals to the client
for signal in INT:130 TERM:143; do
  expected=${signal#*:} signal=${signal%:*}
  rm -f "$tmp/out"
  env --default-signal="$signal" "$AKSANDBOX" exec -t local_subprocess -- sh -c "echo partial; exec sleep 315.$number" >"$tmp/out" 2>/dev/null &
  client=$!
  for _ in 1 2 3 4 5 6 7 8 9 10; do [ -s "$tmp/out" ] && break; sleep 0.2; done
  kill -$signal $client
  status=0
  wait $client || status=$?
  is "SIG$signal ends the client with 128 and its number" "$status" "$expected"
  is "SIG$signal delivers what was printed" "$(cat "$tmp/out")" "partial"
  check "SIG$signal leaves nothing" nothing_left
done

# Sandboxes of one-off runs
mkdir "$tmp/sandboxes"
TMPDIR=$tmp/sandboxes "$AKSANDBOX" run -t local_subprocess 'open("f", "w").write("x")' >/dev/null 2>&1
is "a one-off sandbox is gone when the program exits" "$(ls -A "$tmp/sandboxes")" ""

done_testing
