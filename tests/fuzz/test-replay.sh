# SPDX-License-Identifier: Apache-2.0
# What the fuzzers start from goes through their programs, whatever they are built with; and so does each of it
# cut short, and with a byte changed.
. "$top_srcdir/tests/functions.sh"
: "${CC:=cc}"
skip_unless_command "${CC%% *}"
cd "$tmp" || exit 99
CC=$CC sh "$top_srcdir/tests/fuzz/seeds" corpus || { echo 'Bail out! no seeds'; exit 99; }

for name in config manifest options runner-client runner-frames value; do
  for seed in "corpus/$name"/*; do
    size=$(wc -c <"$seed")
    for part in 1 2 3; do
      head -c $((size * part / 4)) "$seed" >"$seed.cut$part"
      cp "$seed" "$seed.bad$part"
      printf '\377' | dd of="$seed.bad$part" bs=1 seek=$((size * part / 4)) conv=notrunc 2>/dev/null
    done
  done
  check "$name" "$top_builddir/tests/fuzz/replay-$name" "corpus/$name"/*
done
check_status "a file that is not there is told" 1 "$top_builddir/tests/fuzz/replay-value" corpus/none
done_testing
