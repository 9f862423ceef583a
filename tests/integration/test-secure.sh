# SPDX-License-Identifier: Apache-2.0
# A program with rights that its caller has not got takes no word of the environment, whatever it says.
. "$top_srcdir/tests/functions.sh"
: "${CC:=cc}"
skip_unless_command "${CC%% *}"
[ "$(id -u)" -eq 0 ] || skip_all "only root makes a program that has another group"
chmod 755 "$tmp"
cd "$tmp" || exit 99
tmp=$(pwd -P)
library=$(cd "$top_builddir/core/.libs" && pwd -P)

# shellcheck disable=SC2086
$CC ${SANITIZERS:+-fsanitize=$SANITIZERS} -I"$top_srcdir/core/include" -o plain "$top_srcdir/tests/integration/secure.c" \
  -L"$library" -laksandbox "-Wl,-rpath,$library" || { echo 'Bail out! cannot compile an application'; exit 99; }
mkdir plugins home home/.config home/.config/aksandbox
$CC -shared -fPIC -w -I"$top_srcdir/sdk/include" -DZOO_TELLS_ENV -o plugins/acme.so "$top_srcdir/tests/plugins/zoo.c" ||
  { echo 'Bail out! cannot compile a provider'; exit 99; }
cp plain secure
chgrp 12345 secure
chmod 2755 secure
case $(./secure) in
*'secure: 1'*) ;;
*) skip_all "only root on a file system without nosuid makes a program that has another group" ;;
esac

cat >home/.config/aksandbox/config.yaml <<END
sandbox:
  enabled: true
  profiles:
    default: {type: "$tmp/plugins/acme.so:zoo", params: {}}
END

# both DESC LINE VARIABLE...: the variables make an ordinary program tell LINE, and the other one not.
both ()
{
  desc_=$1 line_=$2
  shift 2
  told_=$(env HOME=/nonexistent XDG_CONFIG_HOME=/nonexistent "$@" ./plain acme:zoo 2>&1)
  like "$desc_ counts for an ordinary program" "$told_" "^$line_\$"
  told_=$(env HOME=/nonexistent XDG_CONFIG_HOME=/nonexistent "$@" ./secure acme:zoo 2>&1)
  case $told_ in
  *secure:\ 1*) check "$desc_ does not for one with other rights" sh -c '! printf "%s\n" "$1" | grep -x "$2"' x "$told_" "$line_" ;;
  *) not_ok "$desc_: $told_" ;;
  esac
}

both AKSANDBOX_CONFIG "default: zoo" "AKSANDBOX_CONFIG=$tmp/home/.config/aksandbox/config.yaml"
both XDG_CONFIG_HOME "default: zoo" "XDG_CONFIG_HOME=$tmp/home/.config"
both HOME "default: zoo" "HOME=$tmp/home" XDG_CONFIG_HOME=
both "an override" "default: zoo" "AK_SANDBOX__PROFILES__DEFAULT__TYPE=$tmp/plugins/acme.so:zoo" \
  'AK_SANDBOX__PROFILES__DEFAULT__PARAMS={}'
both AKSANDBOX_PLUGIN_PATH "type: none" "AKSANDBOX_PLUGIN_PATH=$tmp/plugins"

is "a provider's own variable is served" \
  "$(ZOO_URL=http://a ./plain "$tmp/plugins/acme.so:zoo" | sed -n 's/^type: //p')" "http://a"
is "but not in a program with other rights" \
  "$(ZOO_URL=http://a ./secure "$tmp/plugins/acme.so:zoo" | sed -n 's/^type: //p')" none
done_testing
