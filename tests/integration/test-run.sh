# SPDX-License-Identifier: Apache-2.0
# aksandbox run: code, streams, signals, exit status.
. "$top_srcdir/tests/functions.sh"
skip_unless_provider local_subprocess
skip_unless_command python3

run ()
{
  "$AKSANDBOX" run -q -t local_subprocess "$@"
}
note='aksandbox: local_subprocess: no isolation: the program runs with your rights'

# status_of COMMAND...: its exit status; standard output and error are in $tmp/out and $tmp/err.
status_of ()
{
  status=0
  "$@" >"$tmp/out" 2>"$tmp/err" || status=$?
  echo "$status"
}

cd "$tmp" || exit 99

# --- the first program
is "python is the default language" "$(run 'print(6 * 7)')" 42
is "exit status of a success" "$(status_of "$AKSANDBOX" run -t local_subprocess 'print(42)')" 0
is "output goes to standard output" "$(cat "$tmp/out")" 42
is "the missing boundary is told once" "$(cat "$tmp/err")" "$note"
status_of run 'print(42)' >/dev/null
is "--quiet says nothing" "$(cat "$tmp/err")" ""
is "options may follow the code" "$(run 'echo $((6 * 7))' -l sh)" 42
is "sh" "$(run -l sh 'echo $0 >/dev/null; echo $((6 * 7))')" 42
is "bash" "$(run -l bash 'a=(4 2); echo "${a[0]}${a[1]}"')" 42
is "code may begin with a dash" "$(run -l sh -- '-x 2>/dev/null; echo on')" on
is "empty code is a program that does nothing" "$(status_of run '')" 0
is "the streams stay apart" "$(run -l sh 'echo out; echo err >&2' 2>"$tmp/err"; cat "$tmp/err")" "out
err"

# --- exit status
is "the program's own status" "$(status_of run -l sh 'exit 3')" 3
is "a failing program is no error of ours" "$(status_of run 'raise SystemExit(9)'; cat "$tmp/err")" 9
is "killed by itself" "$(status_of run -l sh 'kill -9 $$')" 137
is "a signal that is none of ours" "$(status_of run -l sh 'kill -SEGV $$')" 139
is "the deadline" "$(status_of run --timeout 0.5 -l sh 'echo begun; sleep 60')" 124
is "what was printed before the deadline is there" "$(cat "$tmp/out")" begun
is "an unknown type" "$(status_of "$AKSANDBOX" run -t no_such_type 'print(1)')" 125
like "its first line names it" "$(sed -n 1p "$tmp/err")" '^aksandbox: .*no_such_type'
is "nothing is printed" "$(cat "$tmp/out")" ""
is "a language that is not there" "$(status_of "$AKSANDBOX" run -t local_subprocess -l cobol x)" 126
like "its first line names it" "$(sed -n 1p "$tmp/err")" '^aksandbox: .*cobol'
cat >languages.yaml <<END
sandbox:
  enabled: true
  default_profile: none
  profiles:
    none:
      type: local_subprocess
      local_subprocess: {path: /nowhere}
END
cat >missing.yaml <<END
sandbox:
  enabled: true
  default_profile: there
  profiles:
    there: {type: local_subprocess, local_subprocess: {}}
    gone: {type: ec2_ssm, ec2_ssm: {}}
END
if [ -e "$top_builddir/plugins/.libs/ec2_ssm.so" ]; then
  skip "a profile whose provider is not installed" "ec2_ssm was built"
else
  "$AKSANDBOX" --config missing.yaml run 'print(1)' >"$tmp/out" 2>"$tmp/err"
  is "a profile whose provider is not installed is a warning to others" \
    "$(grep -c "^aksandbox: warning: profile 'gone': .*ec2_ssm" "$tmp/err")" 1
  is "its own use is an error" "$(status_of "$AKSANDBOX" --config missing.yaml run -p gone 'print(1)')" 125
  is "and that is told once" "$(grep -c ec2_ssm "$tmp/err")" 1
fi
is "no language at all" "$(status_of "$AKSANDBOX" --config languages.yaml run 'print(1)'):$(cat "$tmp/err")" \
  "126:aksandbox: local_subprocess: does not have the capability 'language:python' (it has none)"
is "a limit that cannot be enforced" "$(status_of "$AKSANDBOX" run -t local_subprocess --memory 64 x)" 126
is "processors likewise" "$(status_of "$AKSANDBOX" run -t local_subprocess --cpu 1 x)" 126
is "a network that cannot be denied" "$(status_of "$AKSANDBOX" run -t local_subprocess --network deny x)" 126
like "its first line is the error" "$(sed -n 1p "$tmp/err")" '^aksandbox: [^:]+: .'
is "a network that is allowed" "$(status_of run --network allow 'print(1)')" 0
is "a timeout above the policy's default is ours to choose" "$(status_of run --timeout 100000 'print(1)')" 0
is "a configuration that is not there" "$(status_of "$AKSANDBOX" --config "$tmp/none.yaml" run x)" 125

# --- options that only the provider itself can judge
cat >options.yaml <<END
sandbox:
  enabled: true
  default_profile: here
  profiles:
    here:
      type: local_subprocess
      local_subprocess: {workdir: relative}
END
is "a TMPDIR that is not there" "$(TMPDIR=/no/such/folder status_of run 'print(1)'):$(sed -n 1p "$tmp/err")" \
  "125:aksandbox: local_subprocess: /no/such/folder: No such file or directory"
is "an option that the provider refuses" "$(status_of "$AKSANDBOX" --config options.yaml run 'print(1)')" 125
is "its message comes whole" "$(cat "$tmp/err")" "aksandbox: local_subprocess: workdir: not an absolute path
Write the whole path of the folder."

# --- without a configuration the default is bubblewrap and nothing else
if [ -e "$top_builddir/plugins/.libs/bubblewrap.so" ]; then
  skip "without a configuration and without bubblewrap" "bubblewrap was built"
else
  is "without a configuration and without bubblewrap" "$(status_of "$AKSANDBOX" run 'print(1)')" 125
  like "it names what is missing" "$(sed -n 1p "$tmp/err")" '^aksandbox: .*bubblewrap'
  like "and the way on without isolation" "$(sed 1d "$tmp/err")" 'local_subprocess'
  is "nothing ran" "$(cat "$tmp/out")" ""
  is "with a policy option it is the same" "$(status_of "$AKSANDBOX" run --network deny 'print(1)')" 125
  like "and names the same" "$(sed -n 1p "$tmp/err")" '^aksandbox: .*bubblewrap'
fi

# --- a command line that cannot be understood
usage ()
{
  want=$1
  shift
  got=$(status_of "$AKSANDBOX" run "$@")
  is "run $*: status 2, '$want'" "$got:$(sed -n 1p "$tmp/err")" "2:aksandbox: $want"
}
usage 'run: no code'
usage 'b: comes after the code' a b
usage '--file: cannot be used together with code on the command line' -f x y
usage '--stdin: standard input is already the code' --stdin -
usage '--stdin: standard input is already the code' --stdin -f -
usage '--type: cannot be used together with --profile' -p a -t b x
usage '--memory: cannot be used together with --profile' -p a --memory 5 x
usage "--env: 'A' is not NAME=VALUE" --env A x
usage "--env: '=A' is not NAME=VALUE" --env =A x
usage "--network: 'maybe' is neither allow nor deny" --network maybe x
usage '--type: is empty' --type '' x
usage '--language: is empty' --language '' x
usage '--sesion: unknown option' --sesion x
usage '--mount: unknown option' --mount /:/x x
usage '-s: unknown option' -s id x
for value in 0 -1 nan inf 1e18 2592001 0x10 ''; do
  usage "--timeout: '$value' is not in the range 0.001 to 2592000 seconds (30 days)" --timeout "$value" x
done
usage "--memory: '0' is not in the range 4 MiB to 16 TiB (512, 512m or 2g)" --memory 0 x
usage "--memory: '3' is not in the range 4 MiB to 16 TiB (512, 512m or 2g)" --memory 3 x
usage "--memory: '2t' is not in the range 4 MiB to 16 TiB (512, 512m or 2g)" --memory 2t x
usage "--cpu: '-2' is not in the range 0.001 to 4096 processors" --cpu -2 x

# --- code of every kind
printf 'print("from a file")\n' >code.py
is "-f" "$(run -f code.py)" "from a file"
is "standard input" "$(echo 'print("from input")' | run -)" "from input"
is "-f -" "$(echo 'print("from input")' | run -f -)" "from input"
{ echo 'print(len("""'; head -c 5000000 /dev/zero | tr '\0' a; echo '"""))'; } >big.py
is "5 MB of code" "$(run -f big.py)" 5000001
printf 'exit 4\n\000\377 never read' >bytes.sh
is "code with NUL and bytes that are no UTF-8" "$(status_of run -l sh -f bytes.sh)" 4
is "a file that is not there" "$(status_of run -f "$tmp/nothing")" 125
is "and its message" "$(cat "$tmp/err")" "aksandbox: $tmp/nothing: No such file or directory"
is "a folder" "$(status_of run -f "$tmp"):$(cat "$tmp/err")" "125:aksandbox: $tmp: Is a directory"
head -c 67108865 /dev/zero >toobig
is "more than 64 MiB" "$(status_of run -f toobig)" 125
is "and its message" "$(cat "$tmp/err")" "aksandbox: toobig: is longer than 64 MiB, the most that code can have"
rm toobig

# --- standard input, environment, folder
is "the program reads end-of-file" "$(echo secret | run 'import sys; print(repr(sys.stdin.read()))')" "''"
is "--stdin passes ours" "$(echo words | run --stdin 'print(input())')" words
is "10 MiB of it" "$(head -c 10485760 /dev/zero | run --stdin 'import sys; print(len(sys.stdin.buffer.read()))')" 10485760
is "a program that does not read it" "$(head -c 10485760 /dev/zero | status_of run --stdin pass)" 0
is "nothing of our environment" "$(SECRET_PROBE=1 run -l sh 'echo "<$SECRET_PROBE>"')" "<>"
is "--env, the last of a name" "$(run --env A=1 --env B= --env 'A=x
=y' -l sh 'echo "$A,$B"')" "x
=y,"
is "--cwd" "$(run --cwd /usr -l sh pwd)" /usr
mkdir hostile
cd hostile || exit 99
printf 'sandbox: {enabled: true, type: no_such_type}\n' >config.yaml
cp config.yaml aksandbox.yaml
mkdir aksandbox .config
cp config.yaml aksandbox/
cp config.yaml .config/
is "nothing is read from the current directory" "$(run 'print(1)')" 1
status_of "$AKSANDBOX" run x >/dev/null
like "not for the default profile either" "$(cat "$tmp/err")" '^[^_]*bubblewrap|^$'
cd "$tmp" || exit 99

# --- bytes
run 'import sys; sys.stdout.buffer.write(bytes(range(256)) * 1000)' >bytes.out
python3 -c 'import sys; sys.stdout.buffer.write(bytes(range(256)) * 1000)' >bytes.want
check "every byte arrives as it was" cmp bytes.out bytes.want
is "a last line without its end" "$(run -l sh 'printf tail'; echo .)" tail.
if [ -n "$SANITIZERS" ]; then
  skip "1 GiB of output in bounded memory" "a sanitizer needs the address space"
else
  is "1 GiB of output in bounded memory" \
    "$(ulimit -v 262144; "$AKSANDBOX" exec -q -t local_subprocess -- head -c 1073741824 /dev/zero | wc -c)" 1073741824
fi

# --- output that cannot be written
if [ -c /dev/full ]; then
  status=0
  run 'print(1)' >/dev/full 2>"$tmp/err" || status=$?
  is "a full disk" "$status:$(cat "$tmp/err")" "125:aksandbox: standard output: No space left on device"
else
  skip "a full disk" "no /dev/full"
fi
status=0
run 'print(1)' >&- 2>"$tmp/err" || status=$?
is "a closed standard output" "$status:$(cat "$tmp/err")" "125:aksandbox: standard output: Bad file descriptor"
status=0
run 'print(1)' >"$tmp/out" 2>&- <&- || status=$?
is "closed others" "$status:$(cat "$tmp/out")" 0:1
{
  status=0
  run -l sh 'echo first; while :; do echo more; done' 2>"$tmp/err" || status=$?
  echo "$status" >"$tmp/status"
} | head -n 1 >"$tmp/out"
for second in 1 2 3 4 5 6 7 8 9 10; do
  [ -s "$tmp/status" ] && break
  sleep 1
done
is "nobody reads any more" "$(cat "$tmp/status"):$(cat "$tmp/out"):$(cat "$tmp/err")" "141:first:"

# --- its sandbox is gone afterwards, however it ends
gone ()
{
  where=$(sed -n 1p "$tmp/out")
  if [ -n "$where" ] && [ "$where" != / ] && [ ! -e "$where" ]; then ok "$1"; else not_ok "$1: $where"; fi
}
status_of run -l sh pwd >/dev/null
gone "after a success"
status_of run -l sh 'pwd; exit 1' >/dev/null
gone "after a failure"
status_of run --timeout 0.5 -l sh 'pwd; sleep 60' >/dev/null
gone "after the deadline"

# stopped SIGNAL CODE OPTION...: the exit status of a run that got the signal once its code had said that it is
# ready; env undoes what a shell ignores for its background.
stopped ()
{
  name=$1 code=$2
  shift 2
  rm -f "$tmp/ready"
  env --default-signal="$name" "$AKSANDBOX" run -t local_subprocess -l sh "$@" "$code; : >'$tmp/ready'; sleep 60" \
    >"$tmp/out" 2>"$tmp/err" &
  client=$!
  tries=300
  while [ ! -e "$tmp/ready" ] && [ $((tries -= 1)) -gt 0 ]; do sleep 0.1; done
  kill -s "$name" "$client"
  status=0
  wait "$client" || status=$?
}
for signal in INT:130 TERM:143 HUP:129; do
  stopped "${signal%:*}" 'pwd; sleep 60 & :' -q
  is "SIG${signal%:*}: status" "$status" "${signal#*:}"
  is "SIG${signal%:*}: what was printed" "$(sed 1d "$tmp/out")" ""
  gone "SIG${signal%:*}: the sandbox is gone"
done
stopped TERM 'echo begun' --json
is "with --json the object comes all the same" "$status" 143
like "and says how it ended" "$(cat "$tmp/out")" '^\{.*"stdout":"begun\\n".*"outcome":"cancelled"'

done_testing
