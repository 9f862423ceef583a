# SPDX-License-Identifier: Apache-2.0
# The tests, all of them TAP: programs of tests/unit/ with cmocka, scripts with tests/functions.sh.

TEST_EXTENSIONS = .sh
LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
LOG_COMPILER = $(SHELL) $(top_srcdir)/tests/run-test
SH_LOG_DRIVER = $(LOG_DRIVER)
SH_LOG_COMPILER = $(LOG_COMPILER)
AM_TESTS_ENVIRONMENT = \
  top_srcdir='$(abs_top_srcdir)'; top_builddir='$(abs_top_builddir)'; \
  CC='$(CC)'; MAKE='$(MAKE)'; RUNNER_ARCH='$(RUNNER_ARCH)'; VERSION='$(VERSION)'; SANITIZERS='$(SANITIZERS)'; \
  export CC MAKE RUNNER_ARCH VERSION SANITIZERS; \
  . $(top_srcdir)/tests/environment.sh;

EXTRA_DIST += tests/KNOWN-SKIPS tests/environment.sh tests/functions.sh tests/run-test tests/summary.sh \
  tests/packaging/chroot
TESTS =

# What a test program is linked with, where it says nothing else: the inside of the core.
LDADD = core/libcore.la $(CMOCKA_LIBS)
AM_DEFAULT_SOURCE_EXT = .c

include tests/unit/local.mk
include tests/plugins/local.mk
include tests/integration/local.mk
include tests/packaging/local.mk
include tests/bench/local.mk
include tests/fuzz/local.mk

# What came of them, whichever way they ended: the summary decides, not check-TESTS.
check-local: check-TESTS
	@$(SHELL) $(srcdir)/tests/summary.sh $(TEST_LOGS)
.IGNORE: check-TESTS

if !HAVE_CMOCKA
$(check_PROGRAMS): require-cmocka
require-cmocka:
	@echo 'make check needs cmocka, which configure did not find: package libcmocka-dev' >&2; exit 1
endif

clean-local: clean-tests
clean-tests:
	rm -rf tests/home asan tsan valgrind fuzz

# The same tests in builds of their own, each in a folder below this one. Warnings are no errors there: gcc
# has false ones where it adds code of its own.
SUB_CONFIGURE = $(SHELL) '$(abs_top_srcdir)/configure' CC='$(CC)' RUNNER_CFLAGS='$(RUNNER_CFLAGS)'

check-asan:
	$(MKDIR_P) asan
	test -f asan/config.status || (cd asan && $(SUB_CONFIGURE) --enable-sanitizers=address,undefined CFLAGS='-g -O1')
	cd asan && $(MAKE) $(AM_MAKEFLAGS) all && $(MAKE) $(AM_MAKEFLAGS) check

check-tsan:
	$(MKDIR_P) tsan
	test -f tsan/config.status || (cd tsan && $(SUB_CONFIGURE) --enable-sanitizers=thread CFLAGS='-g -O1')
	cd tsan && $(MAKE) $(AM_MAKEFLAGS) all && \
	  $(NO_ASLR) $(MAKE) $(AM_MAKEFLAGS) check TESTS='$(TSAN_TESTS)'
# gcc's thread sanitizer knows fewer places for the stack than newer kernels choose from.
NO_ASLR = `setarch -R true 2>/dev/null && echo setarch -R`
# What has threads.
TSAN_TESTS = \
  tests/unit/test-cli-write \
  tests/unit/test-library \
  tests/unit/test-manners \
  tests/unit/test-module \
  tests/unit/test-operation \
  tests/unit/test-pool \
  tests/unit/test-runner-busy \
  tests/unit/test-runner-client \
  tests/unit/test-runner-files \
  tests/unit/test-runner-hostile \
  tests/unit/test-runner-pair \
  tests/unit/test-runner-stall \
  tests/unit/test-runtime \
  tests/unit/test-sdk-process \
  tests/unit/test-stop \
  tests/unit/test-threads \
  tests/unit/test-worker

check-valgrind:
	@command -v valgrind >/dev/null || { echo 'check-valgrind needs valgrind: package valgrind' >&2; exit 1; }
	$(MKDIR_P) valgrind
	test -f valgrind/config.status || (cd valgrind && $(SUB_CONFIGURE) CFLAGS='-g -O1')
	cd valgrind && $(MAKE) $(AM_MAKEFLAGS) all && \
	  $(MAKE) $(AM_MAKEFLAGS) check TESTS='$(VALGRIND_TESTS)' LOG_FLAGS='$(LIBTOOL) --mode=execute $(VALGRIND_COMMAND)'
VALGRIND_COMMAND = valgrind --quiet --error-exitcode=119 --leak-check=full --show-leak-kinds=definite,indirect \
  --errors-for-leak-kinds=definite,indirect --child-silent-after-fork=yes
# What manages memory in this process; not what is about other processes, where valgrind knows too few of the
# kernel's calls.
VALGRIND_TESTS = \
  tests/unit/test-cli-args \
  tests/unit/test-cli-number \
  tests/unit/test-config \
  tests/unit/test-config-sources \
  tests/unit/test-environ \
  tests/unit/test-error \
  tests/unit/test-escape \
  tests/unit/test-library \
  tests/unit/test-manifest \
  tests/unit/test-module \
  tests/unit/test-operation \
  tests/unit/test-options \
  tests/unit/test-outbox \
  tests/unit/test-pool \
  tests/unit/test-principal \
  tests/unit/test-result \
  tests/unit/test-runner-client \
  tests/unit/test-runner-files \
  tests/unit/test-runner-hostile \
  tests/unit/test-runtime \
  tests/unit/test-sdk-folder \
  tests/unit/test-stop \
  tests/unit/test-suggest \
  tests/unit/test-trust \
  tests/unit/test-typename \
  tests/unit/test-value \
  tests/unit/test-worker

.PHONY: require-cmocka clean-tests check-asan check-tsan check-valgrind
