#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every provider stands in every list: folders, configure, makefiles, the factory's table, manual pages.
. "${top_srcdir:?}/tests/functions.sh"
cd "$top_srcdir" || exit 99

folders=$(cd plugins && for folder in */; do echo "${folder%/}"; done | sort)
check "there are providers" test -n "$folders"

is "each folder has a switch of configure, and each switch a folder" \
  "$(sed -n 's/^AK_PROVIDER_SWITCH(\[\([a-z0-9_]*\)\].*/\1/p' configure.ac | sort)" "$folders"
is "each folder is included in the build, and nothing else" \
  "$(sed -n 's|^include plugins/\([a-z0-9_]*\)/local\.mk$|\1|p' plugins/local.mk | sort)" "$folders"
is "each folder has the manual page of its name, and no other" \
  "$(for page in plugins/*/*.7; do echo "$page"; done | sort)" \
  "$(for name in $folders; do echo "plugins/$name/aksandbox-$name.7"; done)"
is "each folder has the source of its name" \
  "$(for name in $folders; do ls "plugins/$name/$name.c"; done 2>&1)" \
  "$(for name in $folders; do echo "plugins/$name/$name.c"; done)"

# Rows of the table: { "NAME", "MODULE", "SYMBOL", "PACKAGE", ...
table=$(sed -n 's/^[[:space:]]*{ *"\([a-z0-9_]*\)" *, *"\([^"]*\)" *, *"\([^"]*\)" *, *"\([^"]*\)".*/\1 \2 \3 \4/p' \
  core/factory.c)
for name in $folders; do
  package=aksandbox-provider-$(echo "$name" | tr _ -)
  is "the factory's row of $name says module, symbol and package" "$(echo "$table" | grep "^$name ")" \
    "$name $name $name $package"
  check "the makefile of $name builds the module of its name" grep -q \
    "^pluginexec_LTLIBRARIES += plugins/$name\\.la\$" "plugins/$name/local.mk"
  check "the makefile of $name installs its manual page" grep -q \
    "^dist_man7_MANS += plugins/$name/aksandbox-$name\\.7\$" "plugins/$name/local.mk"
done

is "no name stands twice in the table" "$(echo "$table" | cut -d' ' -f1 | sort | uniq -d)" ""

done_testing
