# SPDX-License-Identifier: Apache-2.0
# Program, manual and completion know the same commands and options.
. "$top_srcdir/tests/functions.sh"
cd "$tmp" || exit 99
manual=$top_srcdir/core/aksandbox.1
completion=$top_srcdir/core/completion

status_of ()
{
  status=0
  "$@" >out 2>err || status=$?
  echo "$status"
}

# The words "--name" of a text, one a line, sorted, once.
long_options ()
{
  grep -oE -e '--[a-z][a-z-]*' | LC_ALL=C sort -u
}

# --- the help itself
is "--help answers 0" "$(status_of "$AKSANDBOX" --help)" 0
is "and writes to standard output" "$(cat err)" ""
commands=$(sed -n '/^Commands:/,/^$/s/^  \([a-z-]*\) .*/\1/p' out)
like "it lists commands" "$commands" '^run$'
is "help is the same" "$("$AKSANDBOX" help)" "$("$AKSANDBOX" --help)"
is "so is -h" "$("$AKSANDBOX" -h)" "$("$AKSANDBOX" --help)"
is "no line is wider than a terminal" "$("$AKSANDBOX" --help | awk 'length > 90')" ""
"$AKSANDBOX" --help | sed -n '/^Options/,$p' | grep -E '^  ' | long_options >all
for command in $commands; do
  is "$command --help answers 0" "$(status_of "$AKSANDBOX" "$command" --help)" 0
  cp out "help.$command"
  is "help $command is the same" "$("$AKSANDBOX" help "$command")" "$(cat out)"
  like "it begins with the usage" "$(sed -n 1p out)" "^Usage: aksandbox $command"
  is "$command: no line is wider than 80" "$(awk 'length > 80' out)" ""
  sed -n '/^Options/,$p' out | grep -E '^  +-' | long_options >"options.$command"
done
cat all options.* | LC_ALL=C sort -u >options

# --- the tables of the source
sed -n 's/^ *{ *[^,{]*, "\([a-z-]*\)", \(NULL\|"[^"]*"\),.*/--\1/p' "$top_srcdir"/core/cli/*.c |
  LC_ALL=C sort -u >tables
is "every option of the tables is in the help" "$(cat options)" "$(cat tables)"

# --- the manual
sed 's/\\-/-/g; s/\\f[BIR]//g' "$manual" >manual
is "the manual has the same options" "$(sed -n '/^\.SH OPTIONS/,/^\.SH "WHAT/p' manual | grep '^\.B' | long_options)" \
  "$(cat options)"
for letter in $(cat help.* | grep -oE '^  -[a-zA-Z]' | LC_ALL=C sort -u); do
  check "the manual has $letter" grep -q "^\\.BR $letter " manual
done
for command in $commands; do
  check "the manual has the command $command" grep -q "^\\.B $command\$" manual
done
is "it has no other commands" "$(sed -n '/^\.SH COMMANDS/,/^\.PP/s/^\.B \([a-z][a-z-]*\)$/\1/p' manual | LC_ALL=C sort -u)" \
  "$(printf '%s\n' $commands | LC_ALL=C sort)"
for name in AKSANDBOX_CONFIG AKSANDBOX_PLUGIN_PATH AK_SANDBOX__ XDG_CONFIG_HOME; do
  check "the manual has $name" grep -q "$name" manual
done
sed -n '/^\.SH CONFIGURATION/,/^\.SH SECURITY/p' manual >keys
for key in $(sed -n 's/^ *{ \.name = "\([a-z_]*\)",.*/\1/p' "$top_srcdir/core/configuration-profile.c" |
  grep -vx -e mode -e options | LC_ALL=C sort -u); do
  check "the manual has the key $key" grep -qw "$key" keys
done
if command -v mandoc >/dev/null 2>&1; then
  for page in "$manual" "$top_srcdir/core/aksandbox.yaml.5" "$top_srcdir"/plugins/*/aksandbox-*.7; do
    check "${page##*/} is well-formed" mandoc -T lint -W warning "$page"
    mandoc -T ascii -O width=80 "$page" | sed "s/.$(printf '\b')//g" | awk 'length > 80' >wide
    is "the tables of ${page##*/} fit a terminal" "$(grep -E '[^ ] {3,}[^ ]' wide)" ""
  done
else
  skip "the manuals are well-formed" "mandoc is not installed"
fi

# --- the manual of the configuration: each key of the tables, and none besides
sed 's/\\-/-/g; s/\\f[BIR]//g' "$top_srcdir/core/aksandbox.yaml.5" >manual5
keys=$(sed -n 's/^ *{ *\.name = "\([a-z_]*\)".*/\1/p; s/^  { "\([a-z_]*\)", FIELD_.*/\1/p' "$top_srcdir"/core/configuration-*.c |
  LC_ALL=C sort -u)
like "the configuration has keys" "$keys" '^network_egress$'
for key in $keys; do
  [ "$key" = options ] || check "its manual has the key $key" grep -qw -e "$key" manual5
done
is "it names no key that there is not" \
  "$(sed -n 's/^\.BR \([a-z_.]*\) *"* (.*default.*/\1/p' manual5 | sed 's/.*\.//' | LC_ALL=C sort -u |
    grep -vxF -e "$keys" || :)" ""

# --- completion
if command -v bash >/dev/null 2>&1; then
  # completed WORD...: what may follow, the last word being begun.
  cat >complete.sh <<'END'
. "$1"; shift
COMP_WORDS=(aksandbox "$@"); COMP_CWORD=$#; COMP_LINE="aksandbox $*"; COMP_POINT=${#COMP_LINE}
_aksandbox 2>/dev/null
printf '%s\n' "${COMPREPLY[@]}"
END
  completed ()
  {
    bash --norc complete.sh "$completion/aksandbox.bash" "$@" | LC_ALL=C sort -u
  }
  is "bash completes the commands" "$(completed '')" "$(printf '%s\n' $commands | LC_ALL=C sort)"
  is "bash completes options before the command" "$(completed --)" "$(cat all)"
  for command in $commands; do
    is "bash completes the options of $command" "$(completed "$command" --)" "$(cat "options.$command")"
  done
  is "bash completes what config does" "$(completed config '')" "check
show"
  is "bash completes a value" "$(completed run --network '')" "allow
deny"
  is "bash completes a value behind =" "$(completed run --network = d)" deny
else
  skip "bash completion" "bash is not installed"
fi
is "zsh has the same options" "$(long_options <"$completion/_aksandbox")" "$(cat options)"
is "fish has the same options" \
  "$(grep '^complete ' "$completion/aksandbox.fish" | grep -oE -e ' -l [a-z-]+' | sed 's/^ -l /--/' | LC_ALL=C sort -u)" \
  "$(cat options)"

# --- what cannot be understood
wrong ()
{
  want=$1
  shift
  is "aksandbox $*: status" "$(status_of "$AKSANDBOX" "$@")" 2
  is "aksandbox $*: message" "$(cat err)" "$want"
  is "aksandbox $*: nothing on standard output" "$(cat out)" ""
}
wrong "aksandbox: command: none is given
'aksandbox --help' lists the commands"
wrong "aksandbox: rnu: unknown command
did you mean 'run'?
'aksandbox --help' lists the commands" rnu
wrong "aksandbox: xyzzy: unknown command
'aksandbox --help' lists the commands" xyzzy
wrong "aksandbox: rnu: unknown command
did you mean 'run'?
'aksandbox --help' lists the commands" help rnu
wrong "aksandbox: --tiemout: unknown option
did you mean '--timeout'?
see 'aksandbox run --help'" run --tiemout 5 x
wrong "aksandbox: --verison: unknown option
did you mean '--version'?
see 'aksandbox --help'" --verison
wrong "aksandbox: -Z: unknown option
see 'aksandbox run --help'" run -Z
wrong "aksandbox: --version: no command can follow" --version run
wrong "aksandbox: --json: takes no value" --json=yes run

# --- version
is "--version answers 0" "$(status_of "$AKSANDBOX" --version)" 0
like "its first line" "$(sed -n 1p out)" "^aksandbox $VERSION( \(.*\))?\$"
is "its second line" "$(sed -n 2p out)" "library $VERSION, provider interface 1.0"
if [ -c /dev/full ]; then
  status=0
  "$AKSANDBOX" --version >/dev/full 2>err || status=$?
  is "a full disk is no success" "$status:$(cat err)" "125:aksandbox: standard output: No space left on device"
fi

done_testing
