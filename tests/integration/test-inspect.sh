# SPDX-License-Identifier: Apache-2.0
# inspect: what a file says of its providers, and that nothing of it is run.
. "$top_srcdir/tests/functions.sh"
: "${CC:=cc}"
skip_unless_command "${CC%% *}"
skip_unless_command python3
cd "$tmp" || exit 99
tmp=$(pwd -P)

# zoo FILE FLAGS...: compile the provider of tests/plugins/zoo.c.
zoo ()
{
  out_=$1
  shift
  $CC -shared -fPIC -w -I"$top_srcdir/sdk/include" -o "$out_" "$top_srcdir/tests/plugins/zoo.c" "$@" ||
    { printf 'Bail out! cannot compile %s\n' "$out_"; exit 99; }
}

# inspect ARGUMENT...: status in $status, output in ./out and ./err.
inspect ()
{
  status=0
  "$AKSANDBOX" inspect "$@" >out 2>err || status=$?
}

# Python reads the object of ./out as o; the rest is an expression.
value ()
{
  python3 -c 'import json, sys
text = open("out", "rb").read()
assert text.endswith(b"\n") and text.count(b"\n") == 1, text
o = json.loads(text.decode("utf-8"))
r = eval(sys.argv[1])
print(r if isinstance(r, str) else ascii(r))' "$1" 2>&1
}

zoo zoo.so -DZOO_LOUD
chmod 755 zoo.so

inspect --json "$tmp/zoo.so"
is "a file is inspected" "$status $(cat err)" "0 "
is "nothing of it is run" "$(grep -c 'zoo: loaded' out)" 0
is "the names of the object" "$(value 'sorted(o)')" "['file', 'mode', 'needed', 'owner', 'providers', 'runpath']"
is "the file" "$(value 'o["file"]')" "$tmp/zoo.so"
is "its owner and mode" "$(value '[o["owner"], o["mode"]]')" "[$(id -u), '0755']"
like "the libraries that it needs" "$(value 'o["needed"]')" "'libc\\.so"
is "one provider" "$(value 'len(o["providers"])')" 1
is "the names of a provider" "$(value 'sorted(o["providers"][0])')" \
  "['abi', 'capabilities', 'env', 'isolation', 'languages', 'license', 'name', 'options', 'origin', 'package', 'summary', 'threads', 'version']"
is "who it is" "$(value '[o["providers"][0][k] for k in ("name", "version", "summary", "license", "origin", "package")]')" \
  "['zoo', '1.2.3', 'a zoo', 'Apache-2.0', 'https://example.org/zoo', 'acme-zoo']"
is "its version of the ABI" "$(value 'o["providers"][0]["abi"]')" "{'major': 1, 'minor': 0}"
is "isolation, threads, environment" \
  "$(value '[o["providers"][0][k] for k in ("isolation", "threads", "env", "languages")]')" \
  "['container', 'parallel', ['ZOO_KEY', 'ZOO_URL'], ['python', 'echo']]"
is "thirteen capabilities in order" "$(value 'list(o["providers"][0]["capabilities"])')" \
  "['isolation', 'shell', 'languages', 'files', 'package_install', 'stateful', 'attach', 'provisions', 'attaches_external', 'principal_user', 'policy_network', 'policy_filesystem', 'policy_resources']"
is "those that it has" "$(value '[k for k, v in o["providers"][0]["capabilities"].items() if v is True]')" \
  "['shell', 'provisions']"
is "its options, sorted" "$(value '[p["key"] for p in o["providers"][0]["options"]]')" \
  "['animal', 'cages', 'fence', 'isolation', 'key']"
is "an option in full" "$(value '[o["providers"][0]["options"][1][k] for k in ("key", "type", "required", "secret", "default", "min", "max", "choices", "asserts", "help")]')" \
  "['cages', 'int', True, False, '4', '1', '99', None, [], 'how many there are']"
is "an option with choices that excludes another" \
  "$(value '[o["providers"][0]["options"][0][k] for k in ("choices", "excludes")]')" "[['ape', 'bear', 'cat'], ['fence']]"
is "options that assert" "$(value '[p["asserts"] for p in o["providers"][0]["options"][2:4]]')" \
  "[['policy_network'], ['isolation']]"
is "a variable's name is a secret's" "$(value 'o["providers"][0]["options"][4]["secret"]')" True

inspect zoo.so
is "a file of this folder" "$status $(head -n 1 out)" "0 $tmp/zoo.so"
like "its text has the provider" "$(cat out)" "^zoo 1\\.2\\.3\$"
like "and its options" "$(cat out)" "^    cages +int  required  default 4  min 1  max 99\$"
is "no line ends with a space" "$(grep -c ' $' out)" 0
inspect ./zoo.so:zoo
is "a relative path with a symbol" "$status" 0
inspect "$tmp/zoo.so:ape"
is "a symbol that it has not" "$status $(cat err)" \
  "125 aksandbox: $tmp/zoo.so: provider 'ape' is not in this file: it has zoo"
is "then nothing is on standard output" "$(cat out)" ""

zoo two.so -DZOO_TWO
inspect --json two.so
is "all providers of a file" "$(value '[p["name"] for p in o["providers"]]')" "['zebra', 'zoo']"
inspect --json two.so:zebra
is "or one of them" "$(value '[p["name"] for p in o["providers"]]')" "['zebra']"

mkdir plugins
cp two.so plugins/acme.park.so
AKSANDBOX_PLUGIN_PATH=$tmp/plugins
export AKSANDBOX_PLUGIN_PATH
inspect --json acme.park:zoo
is "a type with a colon" "$status $(value '[p["name"] for p in o["providers"]]')" "0 ['zoo']"
inspect --json acme.park.zebra
is "a type without" "$status $(value '[p["name"] for p in o["providers"]]')" "0 ['zebra']"
is "is a file of the plugin path" "$(value 'o["file"]')" "$tmp/plugins/acme.park.so"

# Another version of the ABI is no secret, it only cannot be loaded.
zoo major.so -DZOO_MAJOR=9
inspect --json major.so
is "a foreign version is shown" "$status $(value 'o["providers"][0]["abi"]')" "0 {'major': 9, 'minor': 0}"

zoo hostile.so -DZOO_HOSTILE
inspect hostile.so
is "text that steers a terminal is refused" "$status $(cat err)" \
  "125 aksandbox: $tmp/hostile.so: malformed: a provider's note: a value has control characters"
inspect "$(printf 'x\033]0;owned\007.so')"
is "a name that steers a terminal is escaped" "$status $(cat err)" \
  "125 aksandbox: $tmp/x\\x1b]0;owned\\x07.so: not found"

printf 'not a provider' >text.so
inspect text.so
is "a text is none" "$status $(head -n 1 err)" "125 aksandbox: $tmp/text.so: not a shared object: it has only 14 bytes"
inspect --json text.so
is "which --json says as an object" "$status $(value 'o["error"]["status"]') $(cat err)" "125 plugin "
inspect plugins
is "a word without a slash is a type" "$status $(head -n 1 err | cut -d: -f1-3)" \
  "125 aksandbox: type 'plugins': no such provider; built in"
inspect ./plugins
is "a folder is none" "$status $(head -n 1 err)" \
  "125 aksandbox: $tmp/./plugins: not a regular file, but a folder"
inspect
is "nothing to inspect" "$status $(head -n 1 err)" "2 aksandbox: inspect: nothing to inspect"
inspect a b
is "too much to inspect" "$status" 2

# Files cut short, at many lengths: never more than an error.
size=$(wc -c <zoo.so)
bad=
for n in 0 1 15 16 63 64 65 100 $((size / 8)) $((size / 4)) $((size / 2)) $((size * 3 / 4)); do
  head -c "$n" zoo.so >short.so
  inspect short.so
  [ "$status" -eq 125 ] && grep -q 'not a shared object\|truncated' err || bad="$bad $n:$status"
done
is "a truncated file is refused" "$bad" ""
done_testing
