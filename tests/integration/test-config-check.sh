# SPDX-License-Identifier: Apache-2.0
# config check: every fault of every profile, nothing loaded, and files that were made to hurt.
. "$top_srcdir/tests/functions.sh"
: "${CC:=cc}"
skip_unless_command "${CC%% *}"
skip_unless_command python3
cd "$tmp" || exit 99
tmp=$(pwd -P)
installed=$(cd "$top_builddir" && pwd -P)/plugins/.libs

checked ()
{
  status=0
  "$AKSANDBOX" config check "$@" >out 2>err || status=$?
}

value ()
{
  python3 -c 'import json, sys
text = open("out", "rb").read()
assert text.endswith(b"\n") and text.count(b"\n") == 1, text
o = json.loads(text.decode("utf-8"))
r = eval(sys.argv[1])
print(r if isinstance(r, str) else ascii(r))' "$1" 2>&1
}

zoo ()
{
  out_=$1
  shift
  $CC -shared -fPIC -w -I"$top_srcdir/sdk/include" -o "$out_" "$top_srcdir/tests/plugins/zoo.c" "$@" ||
    { printf 'Bail out! cannot compile %s\n' "$out_"; exit 99; }
}

# --- what is right
checked
is "without a configuration" "$status:$(sed -n 1p out)" \
  "0:ok    configuration              there is none, and the built-in profile is in force"
cat >good.yaml <<'END'
sandbox:
  enabled: true
  default_profile: a
  profiles:
    a: {type: local_subprocess, local_subprocess: {nofile: 64}}
END
checked --config good.yaml
is "a good one" "$status:$(cat out)$(cat err)" "0:ok    configuration              $tmp/good.yaml
ok    profile a                  $tmp/good.yaml:5: type local_subprocess, version $VERSION"
checked --json --config good.yaml
is "as an object" "$status:$(value '[o["file"], o["enabled"], [(c["name"], c["verdict"], c["remedy"]) for c in o["checks"]]]')" \
  "0:['$tmp/good.yaml', True, [('configuration', 'ok', None), ('profile a', 'ok', None)]]"
(
  AK_SANDBOX__TYPE=local_subprocess AK_SANDBOX__LOCAL_SUBPROCESS='{}'
  export AK_SANDBOX__TYPE AK_SANDBOX__LOCAL_SUBPROCESS
  checked
  printf '%s:%s\n' "$status" "$(cat out)" >said
)
is "one of the environment alone" "$(cat said)" "0:ok    configuration              of the environment
ok    profile default            environment variable AK_SANDBOX__TYPE: type local_subprocess, version $VERSION"
printf 'sandbox:\n  enabled: false\n' >off.yaml
checked --config off.yaml
is "one that is off" "$status:$(cat out)" \
  "0:warn  configuration              $tmp/off.yaml:2: sandboxes are disabled (enabled: false), and so are the profiles
                                   $tmp/off.yaml:2: set \`enabled: true\`"

# --- a whole file of Agent Kernel, unchanged
cp "$top_srcdir/tests/data/config/agent-kernel.yaml" whole.yaml
chmod 600 whole.yaml
checked --json --config whole.yaml
is "a whole configuration of Agent Kernel" "$status:$(value '[c["verdict"] for c in o["checks"] if c["verdict"] == "fail"]')" "0:[]"
is "has every provider's block" "$(value 'len(set(c["name"] for c in o["checks"] if c["name"].startswith("profile ")))')" 8
is "and what is not installed is a warning" \
  "$(value '[c["text"] for c in o["checks"] if c["name"] == "profile own"]')" \
  "[\"provider 'fly' is not installed: looked for acme.cloud.so in $installed\"]"

# --- faults of every profile, in one look
mkdir plugins
zoo plugins/acme.park.so
zoo plugins/acme.only.so -DZOO_CAPS='(AK_CAP_EXTERNAL|AK_CAP_ATTACH|AK_CAP_SHELL)' -DZOO_WITHOUT_list -DZOO_WITH_ATTACH
zoo plugins/acme.major.so -DZOO_MAJOR=9
printf text >plugins/acme.text.so
cat >faults.yaml <<END
sandbox:
  enabled: true
  default_profile: good
  plugin_path: [$tmp/plugins]
  profiles:
    good: {type: local_subprocess, local_subprocess: {}}
    typo: {type: local_subprocess, local_subprocess: {nofiles: 7, api_key: abc123}}
    range: {type: local_subprocess, local_subprocess: {nofile: 2}}
    external: {type: local_subprocess, environment: attached, local_subprocess: {attach_to: x}}
    target: {type: acme.park:zoo, params: {cages: 1, attach_to: y}}
    only: {type: acme.only:zoo, params: {cages: 1}}
    major: {type: acme.major:zoo, params: {}}
    text: {type: acme.text:zoo, params: {}}
    other: {type: acme.park:lion, params: {}}
    nobody: {type: nonsense, params: {}}
    absent: {type: acme.gone:zoo, params: {}}
END
checked --json --config faults.yaml
is "a broken one" "$status" 125
is "each profile that is wrong is told" \
  "$(value 'sorted(c["name"] for c in o["checks"] if c["verdict"] == "fail")')" \
  "['configuration', 'profile external', 'profile major', 'profile nobody', 'profile only', 'profile other', 'profile range', 'profile target', 'profile text', 'profile typo']"
said ()
{
  value "[c['text'] for c in o['checks'] if c['name'] == '$1'][0]"
}
is "attach_to in a managed environment" "$(said configuration)" \
  "$tmp/faults.yaml:10:5: profile 'target': attach_to is set, but the environment is managed"
is "an unknown option, with the nearest" "$(said 'profile typo')" \
  "$tmp/faults.yaml:7:55: local_subprocess has no option 'nofiles' (did you mean 'nofile'?)"
like "an option out of range" "$(said 'profile range')" "^$tmp/faults.yaml:8:64: nofile: must be at least 16"
is "attached needs a provider that attaches" "$(said 'profile external')" \
  "$tmp/faults.yaml:9: profile 'external': local_subprocess: environment: attached, but it does not attach to what others made"
like "besides what is wrong with its options" "$(value "[c['remedy'] for c in o['checks'] if c['name'] == 'profile external'][0]")" \
  "^also: $tmp/faults.yaml:9:82: local_subprocess has no option 'attach_to'"
is "attach-only providers provision nothing" "$(said 'profile only')" \
  "$tmp/faults.yaml:11: profile 'only': zoo: environment: managed, but it is attach-only and provisions nothing"
like "another version of the interface" "$(said 'profile major')" "incompatible: provider 'zoo' needs version 9.0"
like "what is no provider" "$(said 'profile text')" "acme.text.so: "
like "what the file does not have" "$(said 'profile other')" "provider 'lion' is not in this file: it has zoo"
like "a type that nobody has" "$(said 'profile nobody')" "^type 'nonsense': no such provider"
is "what is not installed is a warning" \
  "$(value '[c["verdict"] for c in o["checks"] if c["name"] == "profile absent"]')" "['warn']"
is "nothing is called good" "$(value '[c["name"] for c in o["checks"] if c["verdict"] == "ok"]')" "[]"
is "no secret in it" "$(grep -c abc123 out)" 0
checked --config faults.yaml
is "for people the first line is an error" "$status:$(sed -n 1p err)" \
  "125:aksandbox: $tmp/faults.yaml:10:5: profile 'target': attach_to is set, but the environment is managed"
is "and every fault has a line" "$(grep -c '^aksandbox: ' err)" 10
is "no secret in that either" "$(cat out err | grep -c abc123)" 0
cat >attached.yaml <<END
sandbox:
  enabled: true
  default_profile: one
  plugin_path: [$tmp/plugins]
  profiles:
    one: {type: acme.only:zoo, environment: attached, params: {cages: 1, attach_to: x}}
    two: {type: acme.park:zoo, environment: attached, params: {cages: 1}}
END
checked --json --config attached.yaml
is "both faults of one" "$status:$(value '[c["name"] for c in o["checks"] if c["verdict"] == "fail"]')" \
  "125:['configuration', 'profile two']"
like "and a provider that attaches to external things" "$(said 'profile two')" \
  "environment: attached, but it does not attach to what others made"
sed -i 's/acme.park:zoo/acme.only:zoo/' attached.yaml
checked --json --config attached.yaml
is "attached needs attach_to, said once" "$status:$(value '[c["name"] for c in o["checks"] if c["verdict"] == "fail"]')" \
  "125:['configuration']"
sed -i '/ two:/d' attached.yaml
checked --json --config attached.yaml
is "an attached one can be good" "$status:$(value '[c["verdict"] for c in o["checks"] if c["name"] == "profile one"]')" "0:['ok']"
printf 'sandbox:\n  enabled: true\n  type: docker\n' >block.yaml
checked --config block.yaml
is "a block that is missing" "$status:$(cat err)" \
  "125:aksandbox: $tmp/block.yaml:3:3: profile 'default' of type docker has no block \`docker:\`
Add \`docker: {}\` to it, with options where they are needed."
printf 'sandbox:\n  enabled: true\n  type: local_subprocess\n  local_subprocess: {nofiles: 1}\n  tipe: x\n' >both.yaml
checked --config both.yaml
is "faults of the file and of options come together" "$status:$(grep '^aksandbox: ' err)" \
  "125:aksandbox: $tmp/both.yaml:5:3: unknown key 'tipe' (did you mean 'type'?)
aksandbox: $tmp/both.yaml:4:22: local_subprocess has no option 'nofiles' (did you mean 'nofile'?)"
printf 'sandbox:\n  enabled: true\n  type: local_subprocess\n  local_subprocess: {}\n' >loose.yaml
chmod 666 loose.yaml
checked --config loose.yaml
like "a file that everybody can write" "$status:$(sed -n 1p err)" "^125:aksandbox: $tmp/loose.yaml: refused for its permissions"

# --- files that were made to hurt: one error each, in bounded time and memory
within=
[ -n "$SANITIZERS" ] || within='ulimit -v 300000;'
hostile ()
{
  status=0
  sh -c "$within"' exec timeout 10 "$0" config check --config "$1"' "$AKSANDBOX" "$2" >out 2>err || status=$?
  is "$1" "$status:$(sed -n 1p err)" "125:aksandbox: $tmp/$2$3"
  is "$1: one error" "$(grep -c '^aksandbox: ' err)$(cat out)" 1
}
mkdir folder
hostile "a folder" folder ": a folder, not a file"
mkfifo fifo
hostile "a FIFO" fifo ": a FIFO, not a file"
{ printf 'sandbox: "'; head -c 104857600 /dev/zero | tr '\0' a; printf '"\n'; } >huge.yaml
hostile "a scalar of 100 MiB" huge.yaml ": larger than 4194304 bytes"
rm huge.yaml
{
  echo 'a0: &a0 [x, x, x, x, x, x, x, x, x]'
  for i in 1 2 3 4 5 6 7 8 9; do
    j=$((i - 1))
    echo "a$i: &a$i [*a$j, *a$j, *a$j, *a$j, *a$j, *a$j, *a$j, *a$j, *a$j]"
  done
} >bomb.yaml
hostile "an alias bomb" bomb.yaml ":6:10: more than 100000 values, those that aliases stand for among them"
{ printf 'sandbox: '; head -c 100000 /dev/zero | tr '\0' '['; } >deep.yaml
hostile "brackets without end" deep.yaml ":1:73: nested more than 64 levels deep"
printf 'sandbox:\n  enabled: true\n  type: x\n  enabled: false\n' >twice.yaml
hostile "a key that stands twice" twice.yaml ":4:3: the key 'enabled' is already at 2:3"
printf 'sandbox:\n\tenabled: true\n' >tab.yaml
hostile "a tab" tab.yaml \
  ":2:1: found character that cannot start any token, while scanning for the next token that starts at line 2"
printf 'sandbox:\n  enabled: tr\0ue\n' >nul.yaml
hostile "a NUL" nul.yaml ":2:14: a NUL byte"
printf 'sandbox:\n  enabled: true\n---\nsandbox: {}\n' >two.yaml
hostile "two documents" two.yaml ":3:1: a second document starts here"
hostile "no file" none.yaml ": No such file or directory"
printf '\357\273\277sandbox:\r\n  enabled: true\r\n  type: local_subprocess\r\n  local_subprocess: {}\r\n' >windows.yaml
checked --config windows.yaml
is "a byte order mark and CRLF are read" "$status:$(cat err)" "0:"

# --- a folder full of traps: what says what it would do when it is loaded
mkdir trap
cat >canary.c <<END
#include <fcntl.h>
#include <unistd.h>
__attribute__ ((constructor)) static void
sing (void)
{
  close (open ("$tmp/sang", O_CREAT | O_WRONLY, 0600));
}
#include "$top_srcdir/tests/plugins/zoo.c"
END
$CC -shared -fPIC -w -I"$top_srcdir/sdk/include" -o trap/zoo.so canary.c || exit 99
for name in acme.park docker bubblewrap local_subprocess libltdl libyaml-0 libc.so aksandbox; do
  cp trap/zoo.so "trap/$name.so"
done
mkdir trap/plugins trap/.libs trap/aksandbox
cp trap/*.so trap/plugins
cp trap/*.so trap/.libs
for name in config.yaml config.yml aksandbox.yaml .aksandbox.yaml aksandbox/config.yaml .config.yaml; do
  cat >"trap/$name" <<END
sandbox:
  enabled: true
  default_profile: trap
  plugin_path: [$tmp/trap]
  profiles: {trap: {type: "acme.park:zoo", params: {cages: 1}}}
END
done
: >trap/.aksandbox-uninstalled
ran ()
{
  status=0
  (cd trap && exec "$AKSANDBOX" "$@") >out 2>err || status=$?
}
for command in 'config check' 'config show' doctor providers 'run 1' 'providers docker' 'inspect docker'; do
  ran $command
  is "in a folder of traps, $command loads nothing of it" "$(ls sang 2>&1 >/dev/null | wc -l)$(cat out err | grep -c "$tmp/trap")" 10
done
ran run -q -t local_subprocess 'print(42)'
is "and what was asked for works" "$status:$(cat out):$(ls sang 2>/dev/null)" "0:42:"
checked --config trap/config.yaml
is "config check loads nothing of a configuration that is named" "$status:$(ls sang 2>/dev/null)" "0:"
"$AKSANDBOX" config show --config trap/config.yaml >out 2>err
is "nor does config show" "$?:$(ls sang 2>/dev/null)" "0:"
"$AKSANDBOX" run --config trap/config.yaml 1 >out 2>err
is "a run does: the traps are real" "$(ls sang)" sang

# --- the command line
checked all
is "nothing follows" "$status:$(sed -n 1p err)" "2:aksandbox: all: nothing can follow"
status=0
"$AKSANDBOX" config >out 2>err || status=$?
is "something is to be done" "$status:$(sed -n 1p err)" "2:aksandbox: config: what to do is not given"
status=0
"$AKSANDBOX" config chekc >out 2>err || status=$?
is "something that there is" "$status:$(sed -n 1p err)" "2:aksandbox: config chekc: unknown"
done_testing
