# SPDX-License-Identifier: Apache-2.0
# providers: the table, and one provider asked whether it works here.
. "$top_srcdir/tests/functions.sh"
skip_unless_provider local_subprocess
: "${CC:=cc}"
skip_unless_command "${CC%% *}"
skip_unless_command python3
cd "$tmp" || exit 99
tmp=$(pwd -P)
installed=$(cd "$top_builddir" && pwd -P)/plugins/.libs

zoo ()
{
  out_=$1
  shift
  $CC -shared -fPIC -w -I"$top_srcdir/sdk/include" -o "$out_" "$top_srcdir/tests/plugins/zoo.c" "$@" ||
    { printf 'Bail out! cannot compile %s\n' "$out_"; exit 99; }
}

providers ()
{
  status=0
  "$AKSANDBOX" providers "$@" >out 2>err || status=$?
}

value ()
{
  python3 -c 'import json, sys
text = open("out", "rb").read()
assert text.endswith(b"\n") and text.count(b"\n") == 1, text
o = json.loads(text.decode("utf-8"))
p = {x["name"]: x for x in o["providers"]} if "providers" in o else None
r = eval(sys.argv[1])
print(r if isinstance(r, str) else ascii(r))' "$1" 2>&1
}

eight="'local_subprocess', 'bubblewrap', 'docker', 'kubernetes', 'e2b', 'daytona', 'ec2_ssm', 'bedrock_agentcore'"

providers --json
is "the table" "$status $(cat err)" "0 "
is "the eight bundled ones" "$(value '[x["name"] for x in o["providers"]]')" "[$eight]"
is "the names of a row" "$(value 'list(o["providers"][0])')" \
  "['name', 'installed', 'file', 'package', 'version', 'abi', 'isolation', 'capabilities', 'options', 'usable', 'why']"
is "packages have dashes" "$(value 'p["ec2_ssm"]["package"]')" aksandbox-provider-ec2-ssm
is "what is installed" "$(value '[p["local_subprocess"][k] for k in ("installed", "usable", "why", "isolation")]')" \
  "[True, True, None, 'none']"
is "and where" "$(value 'p["local_subprocess"]["file"]')" "$installed/local_subprocess.so"
is "what is not" "$(value '[p["e2b"][k] for k in ("installed", "file", "version", "abi", "isolation", "capabilities", "options", "usable")] if not p["e2b"]["installed"] else "skip"')" \
  "[False, None, None, None, None, {}, [], False]"
is "what to do about it" "$(value 'p["e2b"]["why"]')" \
  "provider 'e2b' is not installed: looked for e2b.so in $installed; install the package aksandbox-provider-e2b"
providers
is "for people a header and eight lines" "$status $(wc -l <out)" "0 9"
like "one has the version" "$(cat out)" "^local_subprocess +installed +[^ ]+ +none +shell, files"
like "the others a package" "$(cat out)" "^ec2_ssm +not installed +- +aksandbox-provider-ec2-ssm\$"

# Others on the path: good, wrong, and what is no provider at all.
mkdir plugins more
zoo plugins/acme.park.so -DZOO_TWO
zoo plugins/acme.loud.so -DZOO_LOUD
zoo plugins/major.so -DZOO_MAJOR=9
zoo plugins/docker.so
zoo more/loose.so
chmod 777 more/loose.so
printf text >plugins/text.so
printf text >plugins/README
echo 'int x;' >x.c
$CC -shared -fPIC -o plugins/libhelper.so x.c
AKSANDBOX_PLUGIN_PATH=$tmp/plugins:$tmp/more
export AKSANDBOX_PLUGIN_PATH
providers --json
is "installed modules come after them" "$status $(value '[x["name"] for x in o["providers"]][8:]')" \
  "0 ['acme.loud:zoo', 'acme.park:zebra', 'acme.park:zoo', 'docker:zoo', 'major:zoo', 'text', 'loose']"
is "a module's provider" "$(value '[p["acme.park:zoo"][k] for k in ("installed", "package", "version", "usable", "why")]')" \
  "[True, 'acme-zoo', '1.2.3', True, None]"
is "one that cannot be loaded" "$(value 'p["major:zoo"]["usable"], p["major:zoo"]["why"].split(chr(10))[0]')" \
  "(False, \"$tmp/plugins/major.so: incompatible: provider 'zoo' needs version 9.0 of the plugin ABI, this aksandbox has 1.0\")"
is "one that is not trusted" "$(value 'p["loose"]["why"].split(chr(10))')" \
  "['$tmp/more/loose.so: refused for its permissions: it is writable by everybody', \"Run: chmod o-w '$tmp/more/loose.so'\"]"
is "the path does not serve a built-in name" "$(value 'p["docker"]["installed"]')" False
providers
is "none of them is loaded for that" "$(grep -c 'zoo: loaded' out)" 0
is "and each has a line" "$status $(wc -l <out)" "0 16"

# One of them.
providers local_subprocess
is "one that works" "$status $(cat err)" "0 "
like "is shown in full" "$(cat out)" "^  usable +yes\$"
like "with its options" "$(cat out)" "^  options\$"
like "and what it found here" "$(cat out)" "^  (ok|warn) +[^ ]"
providers local_subprocess --json
is "as an object" "$status $(value '[len(o["providers"]), p["local_subprocess"]["usable"], p["local_subprocess"]["asserted"]]')" \
  "0 [1, True, []]"
providers e2b
is "one that is not installed" "$status $(cat err)" \
  "125 aksandbox: provider 'e2b' is not installed: looked for e2b.so in $installed; install the package aksandbox-provider-e2b"
is "says so alone" "$(cat out)" ""
providers e2b --json
is "as an object, too" "$status $(value '[p["e2b"]["installed"], p["e2b"]["usable"]]') $(cat err)" "125 [False, False] "
providers major:zoo
like "one that cannot be loaded, with the remedy" "$status $(cat err | tr '\n' ' ')" \
  "^125 aksandbox: .*: incompatible: .* Install a newer aksandbox"
providers nonsense
like "one that nobody knows" "$status $(cat err)" "^125 aksandbox: type 'nonsense': no such provider; built in: local_subprocess, "
like "lists the installed modules" "$(cat err)" "installed modules: acme.loud:zoo, acme.park:zebra, acme.park:zoo, docker:zoo, major:zoo"
providers zebra
like "and suggests the one that was meant" "$(cat err)" "^Write 'acme.park:zebra'\\.\$"
providers acme.park:zoo
is "one of a module" "$status $(head -n 1 out)" "0 zoo 1.2.3"
zoo plugins/disagree.so -DZOO_WITHOUT_list
providers disagree:zoo --json
is "one that is not what it says" "$status $(value 'p["disagree:zoo"]["installed"], p["disagree:zoo"]["why"].split(chr(10))[0]')" \
  "125 (True, \"$tmp/plugins/disagree.so: note and code of provider 'zoo' disagree: it declares provisions and has no operation list\")"
providers a b
is "two are too many" "$status" 2

# Of a profile.
cat >config.yaml <<END
sandbox:
  enabled: true
  default_profile: here
  plugin_path: [$tmp/more]
  profiles:
    here:
      type: local_subprocess
      local_subprocess: {}
    park:
      type: acme.park:zoo
      params: {cages: 3, fence: true, isolation: micro_vm}
    absent:
      type: e2b
      e2b: {}
END
chmod 600 config.yaml
providers --config config.yaml -p park --json
is "a profile's capabilities are its instance's" \
  "$status $(value '[p["acme.park:zoo"]["isolation"], p["acme.park:zoo"]["capabilities"]["policy_network"]]')" \
  "0 ['micro_vm', True]"
is "and what the operator asserts is marked" "$(value 'p["acme.park:zoo"]["asserted"]')" "['isolation', 'policy_network']"
providers --config config.yaml -p park
like "for people, too" "$(cat out)" "^  isolation +micro_vm \\(asserted\\)\$"
like "in both places" "$(cat out)" "^  capabilities .*policy_network \\(asserted\\)"
providers --config config.yaml -p park docker
is "a profile of another provider" "$status $(cat err)" \
  "125 aksandbox: profile 'park': its type is 'acme.park:zoo', not 'docker'"
providers --config config.yaml -p none
is "a profile that is not there" "$status" 125
providers --config config.yaml -p absent
like "a profile whose provider is not installed" "$status $(cat err)" "^125 aksandbox: provider 'e2b' is not installed"

AKSANDBOX_PLUGIN_PATH=relative
providers
is "a relative plugin path" "$status $(head -n 1 err)" \
  "125 aksandbox: AKSANDBOX_PLUGIN_PATH: 'relative' is not an absolute path"
done_testing
