# SPDX-License-Identifier: Apache-2.0
# Providers that load, and then behave as they should not: while they are loaded, while they work, at the end.
. "$top_srcdir/tests/functions.sh"
: "${CC:=cc}"
skip_unless_command "${CC%% *}"
cd "$tmp" || exit 99
tmp=$(pwd -P)
mkdir plugins
AKSANDBOX_PLUGIN_PATH=$tmp/plugins
export AKSANDBOX_PLUGIN_PATH

zoo ()
{
  out_=$1
  shift
  $CC -shared -fPIC -w -I"$top_srcdir/sdk/include" -o "$out_" "$top_srcdir/tests/plugins/zoo.c" "$@" ||
    { printf 'Bail out! cannot compile %s\n' "$out_"; exit 99; }
}

run ()
{
  status=0
  "$AKSANDBOX" "$@" >out 2>err || status=$?
}

# --- constructors
zoo plugins/closed.so -DZOO_OPEN_FAILS
run run -t closed:zoo code
is "a provider whose constructor fails" "$status $(cat out) $(cat err)" \
  "125  aksandbox: zoo: it rains
Take an umbrella."
run run --json -t closed:zoo code
is "and as JSON, once" "$status $(grep -c '"text":"zoo: it rains"' out) $(grep -c . out)" "125 1 1"
run providers closed:zoo
like "and when it is asked what it can do" "$status $(cat err)" "^125 aksandbox: zoo: it rains"

zoo plugins/loud.so -DZOO_LOUD
run run --json -t loud:zoo code
is "what a constructor prints is in no result" "$status $(tail -n 1 out | grep -o '"stdout":"[^"]*"')" \
  '0 "stdout":"zoo\n"'

zoo plugins/leak.so -DZOO_LEAK "-DZOO_MARK=\"$tmp/leaked\""
cat >leak.yaml <<END
sandbox:
  enabled: true
  default_profile: plain
  profiles:
    leak: {type: "leak:zoo", params: {}}
    plain: {type: local_subprocess, local_subprocess: {}}
END
run --config "$tmp/leak.yaml" run -p plain -l sh 'ls /proc/$$/fd'
leaked=$(cat out)
check "a provider that opens files is loaded beside another" test -e leaked
zoo plugins/leak.so
run --config "$tmp/leak.yaml" run -p plain -l sh 'ls /proc/$$/fd'
is "what a constructor opens is no program's" "$status $leaked" "0 $(cat out)"

# --- neighbours
zoo plugins/one.so -DZOO_HELPER=1
zoo plugins/two.so -DZOO_HELPER=2
cat >both.yaml <<END
sandbox:
  enabled: true
  default_profile: one
  profiles:
    one: {type: "one:zoo", params: {}}
    two: {type: "two:zoo", params: {}}
END
run --config "$tmp/both.yaml" run -p one code
is "two providers with the same helper: the first has its own" "$status $(cat out)" "0 1"
run --config "$tmp/both.yaml" run -p two code
is "and the second its own" "$status $(cat out)" "0 2"

# --- the end
zoo plugins/thread.so -DZOO_THREAD "-DZOO_MARK=\"$tmp/mark\""
run run -t thread:zoo code
is "destructors of threads and of the process run in a provider that stays" \
  "$status $(cat out) $(grep -c . mark)" "0 zoo 2"

# --- no end: the broker works in the caller's thread, so that the second signal ends the program
zoo plugins/hang.so -DZOO_HANG
"$AKSANDBOX" run -t hang:zoo --timeout 0.2 code >out 2>err &
hung=$!
cleanup_fn kill -9 "$hung"
for _ in $(seq 300); do
  [ ! -s out ] || break
  sleep 0.1
done
sleep 1
check "a provider that ignores its deadline is waited for" kill -0 "$hung"
kill -TERM "$hung"
sleep 0.5
check "one signal asks it to end" kill -0 "$hung"
kill -TERM "$hung"
status=0
wait "$hung" || status=$?
is "the second one ends the program" "$status" 143

# --- started among hostile files, none of which it was told of
unset AKSANDBOX_PLUGIN_PATH
mkdir -p hostile/plugins/.libs hostile/core/.libs hostile/.config/aksandbox hostile/aksandbox hostile/lib
zoo evil.so "-DZOO_MARK=\"$tmp/evil\""
for name in zoo bubblewrap docker local_subprocess libyaml-0.so.2 libltdl.so.7 libc.so.6 libaksandbox; do
  file=$name.so
  case $name in *.so.*) file=$name ;; esac
  for folder in . plugins plugins/.libs core/.libs lib; do
    cp evil.so "hostile/$folder/$file"
  done
done
for file in config.yaml aksandbox.yaml .aksandbox.yaml .config/aksandbox/config.yaml aksandbox/config.yaml; do
  cat >"hostile/$file" <<END
plugin_path: [$tmp/hostile]
sandbox:
  enabled: true
  plugin_path: [$tmp/hostile]
  default_profile: default
  profiles:
    default: {type: "zoo:zoo", params: {}}
END
done
: >hostile/.aksandbox-uninstalled
printf '#!/bin/sh\necho hostile >%s\n' "$tmp/evil" >hostile/aksandbox-runner
chmod 755 hostile/aksandbox-runner
cp hostile/aksandbox-runner hostile/core/aksandbox-runner
cp hostile/aksandbox-runner hostile/python3
cp hostile/aksandbox-runner hostile/sh
cd hostile || exit 99
"$AKSANDBOX" run -q -t local_subprocess -l sh 'echo good' >../out 2>../err
is "in a folder of hostile files a program runs" "$(cat ../out ../err)" good
for command in 'run code' 'run -p default code' 'run -t zoo:zoo code' 'exec -- true' 'exec -t docker -- true' providers \
  'providers zoo' 'providers local_subprocess' 'inspect zoo:zoo' 'inspect local_subprocess'; do
  # shellcheck disable=SC2086
  "$AKSANDBOX" $command >>../out 2>>../err
done
"$AKSANDBOX" run code >../out 2>../err
cd ..
check "none of them was loaded, or run" test ! -e evil
check "no configuration was read there" sh -c '! grep -i zoo out err'
AKSANDBOX_PLUGIN_PATH=$tmp/hostile "$AKSANDBOX" run -t zoo:zoo code >out 2>err
check "what is named is loaded, wherever it lies" test -e evil
done_testing
