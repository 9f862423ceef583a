# SPDX-License-Identifier: Apache-2.0
# Scripts that run the program and its providers.

integration_tests = \
  tests/integration/test-config-check.sh \
  tests/integration/test-config-show.sh \
  tests/integration/test-contract.sh \
  tests/integration/test-doctor.sh \
  tests/integration/test-examples.sh \
  tests/integration/test-exec.sh \
  tests/integration/test-growth.sh \
  tests/integration/test-help.sh \
  tests/integration/test-inspect.sh \
  tests/integration/test-json.sh \
  tests/integration/test-loader.sh \
  tests/integration/test-outcomes.sh \
  tests/integration/test-providers.sh \
  tests/integration/test-readme.sh \
  tests/integration/test-run.sh \
  tests/integration/test-secure.sh \
  tests/integration/test-terminal.sh \
  tests/integration/test-zoo.sh
EXTRA_DIST += $(integration_tests)
# An application, compiled by a test.
EXTRA_DIST += tests/integration/secure.c
# They run on the one provider that every machine can have.
if PROVIDER_LOCAL_SUBPROCESS
TESTS += $(integration_tests)
endif
