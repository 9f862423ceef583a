# SPDX-License-Identifier: Apache-2.0
# The environment of every test, sourced by make check: nothing of the caller's settings reaches a test.

for name_ in $(env | sed -n 's/^\(AK_SANDBOX__[A-Za-z0-9_]*\|AKSANDBOX_[A-Z_]*\)=.*/\1/p'); do
  unset "$name_"
done
unset name_ XDG_RUNTIME_DIR XDG_DATA_HOME XDG_CONFIG_DIRS CDPATH

HOME=$top_builddir/tests/home
XDG_CONFIG_HOME=$HOME/.config
XDG_STATE_HOME=$HOME/.local/state
export HOME XDG_CONFIG_HOME XDG_STATE_HOME
mkdir -p "$HOME"

AKSANDBOX=${TEST_AKSANDBOX:-$top_builddir/aksandbox}
LC_ALL=C
CMOCKA_MESSAGE_OUTPUT=TAP
# Freed memory never looks valid, and never looks zeroed.
MALLOC_PERTURB_=${MALLOC_PERTURB_:-165}
export top_srcdir top_builddir AKSANDBOX LC_ALL CMOCKA_MESSAGE_OUTPUT MALLOC_PERTURB_
umask 022
