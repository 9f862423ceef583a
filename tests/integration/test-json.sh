# SPDX-License-Identifier: Apache-2.0
# --json: one object on standard output, with fixed names, whatever happens.
. "$top_srcdir/tests/functions.sh"
skip_unless_provider local_subprocess
skip_unless_command python3
cd "$tmp" || exit 99

# Python reads the object of $tmp/out as o; the rest is an expression.
value ()
{
  python3 -c 'import json, sys
text = open(sys.argv[1], "rb").read()
assert text.endswith(b"\n") and text.count(b"\n") == 1, text
o = json.loads(text.decode("utf-8"))
r = eval(sys.argv[2])
print(r if isinstance(r, str) else ascii(r))' out "$1" 2>&1
}

run ()
{
  status=0
  "$AKSANDBOX" "$@" >out 2>err || status=$?
}

run run --json -t local_subprocess 'import sys; print("out"); print("err", file=sys.stderr); sys.exit(3)'
is "status" "$status" 3
is "nothing on standard error" "$(cat err)" ""
is "the names, and no others" "$(value 'sorted(o)')" \
  "['duration_ms', 'exit_code', 'isolation', 'outcome', 'provider', 'sandbox_session_id', 'signal', 'stderr', 'stderr_total', 'stdout', 'stdout_total', 'truncated']"
is "what came out" "$(value '[o["stdout"], o["stderr"], o["stdout_total"], o["stderr_total"], o["truncated"]]')" \
  "['out\\n', 'err\\n', 4, 4, False]"
is "how it ended" "$(value '[o["outcome"], o["exit_code"], o["signal"]]')" "['exited', 3, None]"
is "where" "$(value '[o["provider"], o["isolation"]]')" "['local_subprocess', 'none']"
is "a session" "$(value 'len(o["sandbox_session_id"]) > 0')" True
is "how long" "$(value '0 < o["duration_ms"] < 60000')" True

run --json run -t local_subprocess -l sh 'kill -9 $$'
is "a signal" "$status $(value '[o["outcome"], o["exit_code"], o["signal"]]')" "137 ['signalled', 137, 9]"
run run --json -t local_subprocess --timeout 0.5 -l sh 'echo begun; sleep 60'
is "a deadline" "$status $(value '[o["outcome"], o["exit_code"], o["stdout"]]')" "124 ['timed_out', 124, 'begun\\n']"
run run --json -t local_subprocess -l sh 'exit 124'
is "a program that answers 124 itself" "$status $(value '[o["outcome"], o["exit_code"]]')" "124 ['exited', 124]"
run exec --json -t local_subprocess -- no_such_command_zz
is "a command that is not there" "$status $(value '[o["outcome"], o["exit_code"]]')" "127 ['exited', 127]"
run run --json -t local_subprocess 'import sys; sys.stdout.buffer.write(b"a\xff\x00\xc2\x9b\x1b[31m")'
is "bytes that are not UTF-8, and that are flagged" "$(value '[o["stdout"], o["invalid_utf8_replaced"]]')" \
  "['a\\ufffd\\x00\\x9b\\x1b[31m', True]"
is "no byte of the object commands a terminal" "$(LC_ALL=C tr -d ' -~\n' <out | wc -c)" 3    # U+FFFD, in UTF-8
run run --json -t local_subprocess 'print("x" * 3000000)'
is "truncated output" "$(value '[o["truncated"], o["stdout_total"], len(o["stdout"]) < 1100000]')" "[True, 3000001, True]"

# --- errors
keys="['hint', 'operation', 'provider', 'retryable', 'status', 'text']"
wrong ()
{
  desc=$1 want_status=$2 want=$3
  shift 3
  run "$@"
  is "$desc: exit status" "$status" "$want_status"
  is "$desc: the object alone" "$(value '[list(o), sorted(o["error"])]'):$(cat err)" "[['error'], $keys]:"
  is "$desc: status" "$(value 'o["error"]["status"]')" "$want"
}
wrong "unknown type" 125 config run --json -t no_such_type x
like "its text names it" "$(value 'o["error"]["text"]')" 'no_such_type'
wrong "no such language" 126 capability run --json -t local_subprocess -l cobol x
is "provider and retryable" "$(value '[o["error"]["provider"], o["error"]["retryable"]]')" "['local_subprocess', False]"
wrong "policy" 126 policy run --json -t local_subprocess --network deny x
wrong "no file" 125 file_not_found run --json -t local_subprocess -f "$tmp/nothing"
wrong "no configuration" 125 config --config "$tmp/none.yaml" --json run x
wrong "unknown option" 2 usage run --jsonn --json x
is "its hint" "$(value 'o["error"]["hint"]')" "did you mean '--json'?
see 'aksandbox run --help'"
wrong "unknown option before --json" 2 usage run --bogus --json x
wrong "unknown command" 2 usage --json rnu
wrong "bytes that are not UTF-8" 125 config run --json -t "$(printf 'no\377such\033[31m')" x
like "are replaced" "$(value 'o["error"]["text"].isascii()')" False

# --- every command
run --json providers
is "providers" "$status $(value 'sorted(o)')" "0 ['providers']"
run --version --json
is "--version" "$status $(value 'sorted(o)')" "0 ['abi', 'extra', 'library', 'version']"
is "its numbers" "$(value '[o["version"], o["library"], o["abi"]["major"]]')" "['$VERSION', '$VERSION', 1]"

done_testing
