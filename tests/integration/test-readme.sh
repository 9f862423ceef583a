# SPDX-License-Identifier: Apache-2.0
# Every example of the README and of the manuals is run, and prints what it says. Lines behind "$ " are
# commands, "> " continues one, what follows is all that is printed.
. "$top_srcdir/tests/functions.sh"
skip_unless_provider local_subprocess
skip_unless_command python3
mkdir "$tmp/bin" "$tmp/work"
ln -s "$AKSANDBOX" "$tmp/bin/aksandbox"
PATH=$tmp/bin:$PATH

# The examples of a file as "$ " and ordinary lines; an empty line ends each.
examples ()
{
  case $1 in
  *.md) awk '/^```console$/ { inside = 1; next } /^```$/ { if (inside) print ""; inside = 0 } inside' "$1" ;;
  *) awk '/^\.EX$/ { inside = 1; next } /^\.EE$/ { if (inside) print ""; inside = 0 } inside' "$1" |
      sed "s/\\\\-/-/g; s/\\\\(aq/'/g; s/\\\\e/\\\\/g; s/^\\\\&//" ;;
  esac
}

try ()
{
  [ -n "$command_" ] || return 0
  got_=$(cd "$tmp/work" && eval "$command_" 2>&1)
  is "$file_: $(printf '%s' "$command_" | sed -n 1p)" "$got_" "$want_"
  ran_=$((ran_ + 1))
  command_= want_=
}

newline='
'
for file in README.md core/aksandbox.1 core/aksandbox.yaml.5; do
  file_=$file command_= want_= ran_=0
  examples "$top_srcdir/$file" >"$tmp/examples"
  while IFS= read -r line; do
    case $line in
    '$ '*)
      try
      command_=${line#??}
      ;;
    '> '*) command_=$command_$newline${line#??} ;;
    '') try ;;
    *) want_=$want_${want_:+$newline}$line ;;
    esac
  done <"$tmp/examples"
  try
  if [ "$ran_" -ge 5 ]; then ok "$file: $ran_ examples"; else not_ok "$file: only $ran_ examples"; fi
done

# The first two commands that a reader sees.
is "the README begins with the two commands" \
  "$(awk '/^```sh$/ { inside = 1; next } /^```$/ { exit } inside { print $1, $2 }' "$top_srcdir/README.md")" \
  "./bootstrap run
./bootstrap check"
check "and bootstrap has them" sh -c '"$0" 2>&1 | grep -q "^  run " && "$0" 2>&1 | grep -q "^  check "' \
  "$top_srcdir/bootstrap"

done_testing
