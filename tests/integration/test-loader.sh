# SPDX-License-Identifier: Apache-2.0
# Somebody else's provider, used in each way there is, and refused in each way: by its status and first line.
. "$top_srcdir/tests/functions.sh"
: "${CC:=cc}"
skip_unless_command "${CC%% *}"
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

run ()
{
  status=0
  "$AKSANDBOX" run -t "$1" code >out 2>err || status=$?
}

# refused DESC TYPE LINE: status 125, nothing on standard output, and the first line on standard error.
refused ()
{
  run "$2"
  is "$1" "$status $(cat out) $(head -n 1 err)" "125  aksandbox: $3"
}

mkdir plugins
AKSANDBOX_PLUGIN_PATH=$tmp/plugins
export AKSANDBOX_PLUGIN_PATH

zoo plugins/acme.park.so
for type in acme.park:zoo acme.park.zoo "$tmp/plugins/acme.park.so:zoo"; do
  run "$type"
  is "used as ${type#"$tmp"}" "$status $(cat out)" "0 zoo"
done
cp plugins/acme.park.so plugins/zoo.so
run zoo:zoo
is "used as zoo:zoo" "$status $(cat out)" "0 zoo"
ln -s acme.park.so plugins/link.so
run link:zoo
is "used by a link" "$status $(cat out)" "0 zoo"
zoo plugins/two.so -DZOO_TWO
run two:zebra
is "used as one of two" "$status $(cat out)" "0 zoo"
zoo plugins/older.so "-DZOO_OPS_SIZE=offsetof(struct ak_ops,upload)"
run older:zoo
is "an older one" "$status $(cat out)" "0 zoo"
zoo plugins/newer.so -DZOO_BIGGER_OPS -DAK_USE_MINOR=0
run newer:zoo
is "a newer one that uses nothing newer" "$status $(cat out)" "0 zoo"

zoo plugins/major.so -DZOO_MAJOR=2
refused "another major version" major:zoo \
  "$tmp/plugins/major.so: incompatible: provider 'zoo' needs version 2.0 of the plugin ABI, this aksandbox has 1.0"
zoo plugins/minor.so -DAK_USE_MINOR=3
refused "a newer minor version" minor:zoo \
  "$tmp/plugins/minor.so: incompatible: provider 'zoo' needs version 1.3 of the plugin ABI, this aksandbox has 1.0"

refused "not installed" acme.none:zoo \
  "provider 'zoo' is not installed: looked for acme.none.so in $tmp/plugins, $installed"
refused "not in this file" acme.park:ape "$tmp/plugins/acme.park.so: provider 'ape' is not in this file: it has zoo"
refused "a file that is not there" "$tmp/none.so:zoo" "$tmp/none.so: not found"
ln -s nowhere plugins/dangling.so
refused "a link to nowhere" dangling:zoo \
  "$tmp/plugins/dangling.so: not found: a link on the way leads to nowhere, and there is no $tmp/plugins/nowhere"
cp plugins/acme.park.so plugins/ec2_ssm.so
refused "a built-in name on the path" ec2_ssm \
  "provider 'ec2_ssm' is not installed: looked for ec2_ssm.so in $installed; install the package aksandbox-provider-ec2-ssm"

cat >text <<END
This is a text, and what it is called does not make it a provider, however long it is.
END
cp text plugins/text.so
refused "a text" text:zoo "$tmp/plugins/text.so: not a shared object"
mkdir plugins/folder.so
refused "a folder" folder:zoo "$tmp/plugins/folder.so: not a regular file, but a folder"
echo 'int x;' >x.c
$CC -shared -fPIC -o plugins/other.so x.c
refused "a shared object that is no provider" other:zoo \
  "$tmp/plugins/other.so: not a provider: it has no aksandbox note"
head -c "$(($(wc -c <plugins/zoo.so) / 2))" plugins/zoo.so >plugins/cut.so
run cut:zoo
like "a truncated one" "$status $(cat err)" "^125 aksandbox: $tmp/plugins/cut.so: truncated: it has "

cp plugins/zoo.so plugins/class.so
class=$(od -An -tu1 -j4 -N1 plugins/zoo.so)
printf "\\$((3 - class))" | dd of=plugins/class.so bs=1 seek=4 conv=notrunc 2>/dev/null
run class:zoo
like "another ELF class" "$status $(cat err)" \
  "^125 aksandbox: $tmp/plugins/class.so: a shared object for another kind of machine \(ELF class $((3 - class)), "

zoo libgone.so -Wl,-soname,libgone.so
zoo plugins/needy.so -L. -Wl,--no-as-needed -lgone
rm libgone.so
refused "a library of its own is missing" needy:zoo \
  "$tmp/plugins/needy.so: a library that it needs is missing: libgone.so"
LC_ALL=de_DE.UTF-8 run needy:zoo
like "in any language" "$status $(cat err)" "missing: libgone.so"
zoo plugins/undefined.so -DZOO_UNDEFINED
refused "an undefined symbol" undefined:zoo "$tmp/plugins/undefined.so: undefined symbol: zoo_nobody_has_this"
zoo plugins/relative.so -Wl,-rpath,lib
refused "libraries of the current directory" relative:zoo \
  "$tmp/plugins/relative.so: refused: its libraries are looked up in the current directory (RUNPATH entry 'lib')"

echo '{ local: *; };' >none.map
zoo plugins/nosymbol.so -Wl,--version-script=none.map
refused "a note without its symbol" nosymbol:zoo \
  "$tmp/plugins/nosymbol.so: provider 'zoo' is not in this file: its note is, but no symbol ak1_provider_zoo"
zoo libstray.so -Wl,-soname,libstray.so
zoo plugins/stray.so -Wl,--version-script=none.map -L. -Wl,--no-as-needed -lstray "-Wl,-rpath,$tmp"
refused "a symbol of a library" stray:zoo \
  "$tmp/plugins/stray.so: provider 'zoo' is not in this file: its symbol ak1_provider_zoo is in $tmp/libstray.so"
zoo plugins/shell.so -DZOO_WITHOUT_execute_command
refused "a capability without its operation" shell:zoo \
  "$tmp/plugins/shell.so: note and code of provider 'zoo' disagree: it declares shell and has no operation execute_command"
zoo plugins/modest.so -DZOO_CAPS=0x20
run modest:zoo
is "an operation that is not declared loads" "$status $(cat out)" "0 zoo"
status=0
"$AKSANDBOX" exec -t modest:zoo -- true >out 2>err || status=$?
is "and is not there" "$status $(head -n 1 err)" "126 aksandbox: zoo: does not have the capability 'shell'"
zoo plugins/nolist.so -DZOO_WITHOUT_list
refused "provisions without list" nolist:zoo \
  "$tmp/plugins/nolist.so: note and code of provider 'zoo' disagree: it declares provisions and has no operation list"
zoo plugins/create.so -DZOO_CAPS=1
refused "create without provisions" create:zoo \
  "$tmp/plugins/create.so: note and code of provider 'zoo' disagree: it has the operation create and does not declare provisions"

cp plugins/zoo.so plugins/loose.so
chmod 777 plugins/loose.so
refused "a file that everybody writes" loose:zoo \
  "$tmp/plugins/loose.so: refused for its permissions: it is writable by everybody"
is "with what to do" "$(sed -n 2p err)" "Run: chmod o-w '$tmp/plugins/loose.so'"
mkdir open
cp plugins/zoo.so open/zoo.so
chmod 777 open
refused "a folder that everybody writes" "$tmp/open/zoo.so:zoo" \
  "$tmp/open/zoo.so: refused for its permissions: $tmp/open is writable by everybody"
if [ "$(id -u)" -eq 0 ]; then
  cp plugins/zoo.so plugins/foreign.so
  chown 4242 plugins/foreign.so
  ln -s foreign.so plugins/toforeign.so
  refused "a link to somebody else's file" toforeign:zoo \
    "$tmp/plugins/toforeign.so: refused for its permissions: $tmp/plugins/foreign.so is owned by user 4242, who is not trusted to choose what runs here"
  ln -s acme.park.so plugins/strange.so
  chown -h 4242 plugins/strange.so
  refused "somebody else's link" strange:zoo \
    "$tmp/plugins/strange.so: refused for its permissions: it is owned by user 4242, who is not trusted to choose what runs here"
else
  skip "somebody else's link" "only root gives files away"
  skip "a link to somebody else's file" "only root gives files away"
fi

# Where a refusal is checked before loading, nothing of the file has run.
zoo plugins/loud.so -DZOO_LOUD -DZOO_MAJOR=7
run loud:zoo
is "what is refused by its note is not loaded" "$status $(grep -c 'zoo: loaded' out)" "125 0"
refused "a relative path" ./plugins/zoo.so:zoo \
  "type './plugins/zoo.so:zoo': a name with a slash must be an absolute path"
AKSANDBOX_PLUGIN_PATH=$tmp/plugins:
refused "an empty folder in the path" zoo:zoo "AKSANDBOX_PLUGIN_PATH: an entry is empty"
unset AKSANDBOX_PLUGIN_PATH

# Whoever owns a folder above the program could replace the program itself.
if [ "$(id -u)" -eq 0 ]; then
  mkdir -p theirs/tree/plugins/.libs theirs/tree/core other
  cp "$AKSANDBOX" theirs/tree/aksandbox
  cp "$top_builddir/.aksandbox-uninstalled" theirs/tree
  cp "$top_builddir/core/aksandbox-runner" theirs/tree/core
  cp "$top_builddir/plugins/.libs/local_subprocess.so" theirs/tree/plugins/.libs
  cp "$top_builddir/plugins/.libs/local_subprocess.so" other
  chown 4242 theirs other
  is "root runs what it built in somebody's checkout" \
    "$(theirs/tree/aksandbox exec -q -t local_subprocess -- echo ran 2>&1)" ran
  like "and still loads nothing else of theirs" \
    "$("$AKSANDBOX" run -t "$PWD/other/local_subprocess.so:local_subprocess" x 2>&1)" 'owned by user 4242'
else
  skip "root runs what it built in somebody's checkout" "only root gives files away"
fi

done_testing
