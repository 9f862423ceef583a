# SPDX-License-Identifier: Apache-2.0
# doctor: what works here, with a verdict and a remedy for each.
. "$top_srcdir/tests/functions.sh"
: "${CC:=cc}"
skip_unless_command "${CC%% *}"
skip_unless_command python3
cd "$tmp" || exit 99
tmp=$(pwd -P)
installed=$(cd "$top_builddir" && pwd -P)/plugins/.libs

doctor ()
{
  status=0
  "$AKSANDBOX" doctor "$@" >out 2>err || status=$?
}

# v(NAME): the verdicts of a name; t(NAME): its texts.
value ()
{
  python3 -c 'import json, sys
text = open("out", "rb").read()
assert text.endswith(b"\n") and text.count(b"\n") == 1, text
o = json.loads(text.decode("utf-8"))
v = lambda n: [c["verdict"] for c in o["checks"] if c["name"] == n]
t = lambda n: [c["text"] for c in o["checks"] if c["name"] == n]
m = lambda n: [c["remedy"] for c in o["checks"] if c["name"] == n]
r = eval(sys.argv[1])
print(r if isinstance(r, str) else ascii(r))' "$1" 2>&1
}

cat >works.yaml <<'END'
sandbox:
  enabled: true
  default_profile: a
  profiles:
    a: {type: local_subprocess, local_subprocess: {}}
    b: {type: e2b, e2b: {}}
END
doctor --json --config works.yaml
is "where the default works the answer is 0" "$status:$(cat err)" "0:"
is "and it is said" "$(value '[v("default"), t("default")]')" \
  "[['ok'], [\"run works: profile 'a', type local_subprocess\"]]"
is "a check has four keys" "$(value 'sorted(set(tuple(c) for c in o["checks"]))')" \
  "[('name', 'verdict', 'text', 'remedy')]"
is "there are three verdicts" "$(value '[c for c in o["checks"] if c["verdict"] not in ("ok", "warn", "fail")]')" "[]"
is "everything is looked at" "$(value '[c for c in ("configuration", "profile a", "profile b", "plugin path", "runner", "user namespaces", "landlock", "seccomp", "cgroups", "placement") if not v(c)]')" "[]"
is "each bundled provider, too" "$(value 'sorted(set(c["name"][9:] for c in o["checks"] if c["name"].startswith("provider ")))')" \
  "['bedrock_agentcore', 'bubblewrap', 'daytona', 'docker', 'e2b', 'ec2_ssm', 'kubernetes', 'local_subprocess']"
is "the configuration" "$(value 't("configuration")')" "['$tmp/works.yaml']"
is "the folders of the plugins" "$(value '[v("plugin path"), t("plugin path")]')" "[['ok'], ['$installed']]"
is "the runner" "$(value 'v("runner")')" "['ok']"
is "a provider that works" "$(value '[v("provider local_subprocess")[0], t("provider local_subprocess")[0]]')" \
  "['ok', 'version $VERSION, isolation none']"
like "with what it found" "$(value 't("provider local_subprocess")[1]')" "^NO isolation: "
python3 - "$installed" >gone <<'END'
import os, sys
names = "bubblewrap docker kubernetes e2b daytona ec2_ssm bedrock_agentcore".split()
print("\n".join(n for n in names if not os.path.exists(sys.argv[1] + "/" + n + ".so")))
END
for name in $(cat gone); do
  is "$name, which is not installed, with the package" "$(value "v('provider $name') + t('provider $name')")" \
    "['warn', \"provider '$name' is not installed: looked for $name.so in $installed; install the package aksandbox-provider-$(echo "$name" | tr _ -)\"]"
done
# What this kernel gives, asked another way.
if [ -r /proc/sys/kernel/seccomp/actions_avail ]; then
  is "seccomp as the kernel says" "$(value 'v("seccomp")')" \
    "$(grep -q kill_process /proc/sys/kernel/seccomp/actions_avail && echo "['ok']" || echo "['warn']")"
else
  skip "seccomp as the kernel says" "the kernel does not say it"
fi
if command -v unshare >/dev/null 2>&1; then
  is "user namespaces as unshare finds them" "$(value 'v("user namespaces")')" \
    "$(unshare -Urpm --fork true 2>/dev/null && echo "['ok']" || echo "['warn']")"
else
  skip "user namespaces as unshare finds them" "unshare is not installed"
fi
# Where they are forbidden: a nested namespace may make none.
if unshare -Ur sh -c 'echo 0 >/proc/sys/user/max_user_namespaces' 2>/dev/null; then
  unshare -Ur sh -c 'echo 0 >/proc/sys/user/max_user_namespaces; exec "$0" doctor --json --config "$1"' \
    "$AKSANDBOX" works.yaml >out
  is "where user namespaces are forbidden" "$(value 'v("user namespaces") + m("user namespaces")')" \
    "['warn', 'Set sysctl user.max_user_namespaces to more than 0.']"
else
  skip "where user namespaces are forbidden" "no user namespaces here"
fi

doctor --config works.yaml
is "for people a table" "$status:$(sed -n 1p out)" "0:ok    default                    run works: profile 'a', type local_subprocess"

# --- where the default does not work
printf 'sandbox:\n  enabled: true\n  type: e2b\n  e2b: {}\n' >absent.yaml
if grep -q e2b gone; then
  doctor --config absent.yaml
  is "a default that is not installed" "$status:$(cat err)" \
    "125:aksandbox: provider 'e2b' is not installed: looked for e2b.so in $installed; install the package aksandbox-provider-e2b"
fi
printf 'sandbox:\n  type: e2b\n  e2b: {}\n' >off.yaml
doctor --json --config off.yaml
is "a configuration that is off" "$status:$(value 'v("default") + v("configuration") + t("default") + m("default")')" \
  "125:['fail', 'warn', '$tmp/off.yaml:1: sandboxes are disabled (enabled: false)', '$tmp/off.yaml:1: add \`enabled: true\` below \`sandbox:\`']"
printf 'sandbox:\n  enabled: true\n  tipe: e2b\n' >bad.yaml
doctor --json --config bad.yaml
is "a configuration that is broken" "$status:$(value 'v("default") + v("configuration")')" "125:['fail', 'fail']"
is "does not hide the providers" "$(value 'v("provider local_subprocess")[0]')" ok
doctor --config bad.yaml
is "the first line is the error" "$status:$(sed -n 1p err)" \
  "125:aksandbox: $tmp/bad.yaml:3:3: unknown key 'tipe' (did you mean 'type'?)"
printf 'sandbox:\n  enabled: true\n  type: local_subprocess\n  local_subprocess: {workdir: relative}\n' >refuses.yaml
doctor --json --config refuses.yaml
is "a default that its provider refuses" "$status:$(value 'v("default") + t("default")')" \
  "125:['fail', 'local_subprocess: workdir: not an absolute path']"
(
  AKSANDBOX_PLUGIN_PATH=$tmp/nowhere:$tmp/open
  export AKSANDBOX_PLUGIN_PATH
  mkdir open
  chmod 777 open
  doctor --json --config works.yaml
  value '[status for status in v("plugin path")]'
) >said
is "a folder that is not there, and one that everybody can write" "$(cat said)" "['warn', 'fail', 'ok']"
(
  AKSANDBOX_PLUGIN_PATH=relative
  export AKSANDBOX_PLUGIN_PATH
  doctor --config works.yaml
  printf '%s:%s\n' "$status" "$(sed -n 1p err)"
) >said
is "a plugin path that is wrong" "$(cat said)" \
  "125:aksandbox: AKSANDBOX_PLUGIN_PATH: 'relative' is not an absolute path"
doctor local_subprocess
is "it looks at everything" "$status:$(sed -n 1p err)" "2:aksandbox: local_subprocess: doctor looks at everything"
done_testing
