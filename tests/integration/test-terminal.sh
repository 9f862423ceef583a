# SPDX-License-Identifier: Apache-2.0
# What others wrote does not command a terminal; what a program prints is its own affair.
. "$top_srcdir/tests/functions.sh"
skip_unless_provider local_subprocess
cd "$tmp" || exit 99

escape=$(printf '\033]0;title\007\233\302\233\342\200\256\177')
shown='\x1b]0;title\x07\x9b\u009b\u202e\x7f'

# escaped DESC COMMAND...: the message shows the text, and holds no control byte but its newlines.
escaped ()
{
  desc=$1
  shift
  "$@" >out 2>err
  like "$desc: is legible" "$(grep -cF "$shown" err)" '^[1-9]'
  is "$desc: no control byte" "$(LC_ALL=C tr -d '\n' <err | LC_ALL=C tr -dc '\000-\037\177-\377' | wc -c)" 0
  is "$desc: nothing on standard output" "$(cat out)" ""
}
escaped "unknown command" "$AKSANDBOX" "$escape"
escaped "unknown option" "$AKSANDBOX" run "--$escape"
escaped "type" "$AKSANDBOX" run -t "x$escape" 1
escaped "profile" env AK_SANDBOX__ENABLED=true AK_SANDBOX__TYPE=local_subprocess AK_SANDBOX__LOCAL_SUBPROCESS='{}' \
  "$AKSANDBOX" run -p "x$escape" 1
escaped "file" "$AKSANDBOX" run -t local_subprocess -f "$tmp/$escape"
escaped "language" "$AKSANDBOX" run -t local_subprocess -l "$escape" 1
escaped "configuration" "$AKSANDBOX" --config "$tmp/$escape" run 1
escaped "help" "$AKSANDBOX" help "$escape"
escaped "value" "$AKSANDBOX" run --env "$escape" 1

newline=$("$AKSANDBOX" "a
aksandbox: b" 2>&1 | sed -n 1p)
is "a name cannot begin a line of ours" "$newline" 'aksandbox: a\naksandbox: b: unknown command'

long=$(head -c 20000 /dev/zero | tr '\0' a)
like "a long text is cut" "$("$AKSANDBOX" "$long" 2>&1 | wc -c)" '^4[0-9][0-9][0-9]$'

printf '%s' "$escape" >want
"$AKSANDBOX" exec -q -t local_subprocess -- printf '%s' "$escape" >got
check "the program's own output is untouched" cmp got want

# On a terminal nothing is different but the progress of long work.
if script -qec true /dev/null >/dev/null 2>&1; then
  TERMINAL=$AKSANDBOX
  export TERMINAL
  is "output on a terminal" \
    "$(script -qec '"$TERMINAL" run -q -t local_subprocess -l sh "test -t 1; echo \$?"' /dev/null </dev/null | tr -d '\r')" 1
  is "a terminal that does not block" \
    "$(script -qec '"$TERMINAL" exec -q -t local_subprocess -- head -c 300000 /dev/zero' /dev/null </dev/null | wc -c)" \
    300000
else
  skip "output on a terminal" "script of util-linux is not here"
fi

done_testing
