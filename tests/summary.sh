#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The last lines of make check: each case that failed or was skipped, and how many passed and failed.
#
#   summary.sh LOG...    the .log files of the tests; their results lie beside them in .trs files

for log in "$@"; do
  test=${log%.log}
  if [ -r "$test.trs" ]; then
    sed -n 's/^:test-result: \([A-Z]*\).*/count \1/p' "$test.trs"
    sed -n "s|^not ok [0-9]* *\(- \)\{0,1\}|text FAIL: $test: |p; s|^ERROR: $test[^ ]* \(- \)\{0,1\}|text FAIL: $test: |p" "$log"
    sed -n "s|^ok [0-9]* *\(- \)\{0,1\}\(.*[^ ]\) *# SKIP *\(.*\)|text SKIP: $test: \3 (\2)|p; s|^1\.\.0 *# *SKIP *|text SKIP: $test: |p" "$log"
  else
    printf 'count ERROR\ntext FAIL: %s: was not run\n' "$test"
  fi
done | awk '
  /^text / { texts[++n] = substr ($0, 6); next }
  $2 == "PASS" || $2 == "XFAIL" { passed++; next }
  $2 == "SKIP" { skipped++; next }
  { failed++ }
  END {
    for (i = 1; i <= n; i++) print texts[i]
    printf "%d passed, %d failed%s\n", passed, failed, skipped ? ", " skipped " skipped" : ""
    exit failed > 0
  }'
