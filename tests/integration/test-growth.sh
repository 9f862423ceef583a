# SPDX-License-Identifier: Apache-2.0
# The contract grows: providers and hosts of two minor versions, each with each. The next version is this one with
# one more operation, and one more member in each struct that a host or a provider reads.
. "$top_srcdir/tests/functions.sh"
: "${CC:=cc}"
skip_unless_command "${CC%% *}"
cd "$tmp" || exit 99
tmp=$(pwd -P)

mkdir -p next/aksandbox
header=$top_srcdir/sdk/include/aksandbox/provider.h
minor=$(sed -n 's/^#define AK_PROVIDER_MINOR \([0-9]*\).*/\1/p' "$header")
major=$(sed -n 's/^#define AK_PROVIDER_MAJOR \([0-9]*\).*/\1/p' "$header")
next=$((minor + 1))
# A member in front of the brace that ends each of these structs.
awk -v next_minor="$next" '
  /^#define AK_PROVIDER_MINOR / { $3 = next_minor }
  /^struct ak_(call|spec|exec|outcome|host|ops) \{/ { inside = $2 }
  inside && /^};/ {
    if (inside == "ak_ops")
      print "  int32_t (*snapshot) (void *sandbox, struct ak_call *, const char *name);"
    else
      print "  uint64_t grown;"
    inside = ""
  }
  { print }' "$header" >next/aksandbox/provider.h
is "the next header differs in seven lines" "$(diff "$header" next/aksandbox/provider.h | grep -c '^>')" 7

# provider FILE INCLUDE FLAG...
provider ()
{
  out_=$1 include_=$2
  shift 2
  $CC -shared -fPIC -w -I"$include_" -o "$out_" "$top_srcdir/tests/plugins/zoo.c" "$@" ||
    { printf 'Bail out! cannot compile %s\n' "$out_"; exit 99; }
}

# The objects that know the table of operations are compiled anew, and stand in front of the archive.
# host FILE INCLUDE FLAG...
host ()
{
  out_=$1 include_=$2
  shift 2
  # shellcheck disable=SC2086
  $CC ${SANITIZERS:+-fsanitize=$SANITIZERS} -std=gnu11 -w -D_GNU_SOURCE -I"$include_" -I"$top_builddir" -I"$top_srcdir/core" \
    -I"$top_srcdir/core/include" -o "$out_" "$top_srcdir/tests/plugins/growth.c" "$top_srcdir/core/module.c" \
    "$top_srcdir/core/module-check.c" "$top_srcdir/core/manifest.c" "$@" "$top_builddir/core/.libs/libcore.a" \
    -lltdl -lyaml -ljson-c -lpthread -ldl || { printf 'Bail out! cannot compile %s\n' "$out_"; exit 99; }
}

# told FILE PROVIDER: what the host says of it, and its status.
told ()
{
  status=0
  text=$("./$1" "$tmp/$2:zoo") || status=$?
  printf '%s\n%s\n' "$text" "$status"
}

provider old.so "$top_srcdir/sdk/include"
provider new.so next
provider new-for-old.so next "-DAK_USE_MINOR=$minor"
provider newest.so next -DZOO_BIGGER_OPS "-DAK_USE_MINOR=$minor"
# Whose first operation behind the old table is where the new one has its snapshot.
provider fuller.so "$top_srcdir/sdk/include" -DZOO_BIGGER_OPS
host old "$top_srcdir/sdk/include"
host new next -DGROWN

is "an old provider in an old host" "$(told old old.so)" "host $major.$minor, provider $major.$minor, operations whole
zoo
0"
is "an old provider in a new host: what it is too old to have is absent" "$(told new old.so)" \
  "host $major.$next, provider $major.$minor, operations whole
snapshot: absent
zoo
0"
is "a new provider in a new host" "$(told new new.so)" "host $major.$next, provider $major.$next, operations whole
snapshot: absent
zoo
0"
is "a new provider in an old host is refused, with both numbers" "$(told old new.so)" \
  "$tmp/new.so: incompatible: provider 'zoo' needs version $major.$next of the plugin ABI, this aksandbox has $major.$minor
1"
is "a new provider that can do with an old host says so, and works" "$(told old new-for-old.so)" \
  "host $major.$minor, provider $major.$minor, operations whole
zoo
0"
is "and in a new one" "$(told new new-for-old.so)" \
  "host $major.$next, provider $major.$minor, operations whole
snapshot: absent
zoo
0"
is "an operation that a host does not know is cut" "$(told old fuller.so)" \
  "host $major.$minor, provider $major.$minor, operations whole
zoo
0"
is "and is there in the host that knows it" "$(told new fuller.so)" \
  "host $major.$next, provider $major.$minor, operations whole
snapshot: there
zoo
0"
is "what is newer than that is cut again" "$(told new newest.so)" \
  "host $major.$next, provider $major.$minor, operations whole
snapshot: absent
zoo
0"
AKSANDBOX_PLUGIN_PATH=$tmp
export AKSANDBOX_PLUGIN_PATH
is "the program runs a new provider that can do with it" "$("$AKSANDBOX" run -t new-for-old:zoo code 2>&1)" zoo
done_testing
