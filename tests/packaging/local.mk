# SPDX-License-Identifier: Apache-2.0
# Scripts that look at what was built, what would be installed, and whether the tree says the same everywhere.

packaging_tests = \
  tests/packaging/test-elf.sh \
  tests/packaging/test-header.sh \
  tests/packaging/test-installed.sh \
  tests/packaging/test-layout.sh \
  tests/packaging/test-lists.sh
TESTS += $(packaging_tests)
EXTRA_DIST += $(packaging_tests)
