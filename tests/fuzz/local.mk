# SPDX-License-Identifier: Apache-2.0
# make fuzz: each fuzzer for FUZZ_SECONDS, in a build of its own by clang. What it finds lies in fuzz/found/.

fuzz_programs = \
  tests/fuzz/fuzz-config \
  tests/fuzz/fuzz-manifest \
  tests/fuzz/fuzz-options \
  tests/fuzz/fuzz-runner-client \
  tests/fuzz/fuzz-runner-frames \
  tests/fuzz/fuzz-value
EXTRA_PROGRAMS += $(fuzz_programs)
EXTRA_DIST += tests/fuzz/replay.h tests/fuzz/seeds

# The same without a fuzzer, for make check: what the fuzzers start from, once each.
check_PROGRAMS += \
  tests/fuzz/replay-config \
  tests/fuzz/replay-manifest \
  tests/fuzz/replay-options \
  tests/fuzz/replay-runner-client \
  tests/fuzz/replay-runner-frames \
  tests/fuzz/replay-value
TESTS += tests/fuzz/test-replay.sh
EXTRA_DIST += tests/fuzz/test-replay.sh
replay_cppflags = $(AM_CPPFLAGS) -DAK_FUZZ_REPLAY
tests_fuzz_replay_config_SOURCES = tests/fuzz/fuzz-config.c
tests_fuzz_replay_config_CPPFLAGS = $(replay_cppflags)
tests_fuzz_replay_manifest_SOURCES = tests/fuzz/fuzz-manifest.c
tests_fuzz_replay_manifest_CPPFLAGS = $(replay_cppflags)
tests_fuzz_replay_options_SOURCES = tests/fuzz/fuzz-options.c
tests_fuzz_replay_options_CPPFLAGS = $(replay_cppflags)
tests_fuzz_replay_runner_client_SOURCES = tests/fuzz/fuzz-runner-client.c
tests_fuzz_replay_runner_client_CPPFLAGS = $(replay_cppflags)
tests_fuzz_replay_runner_frames_SOURCES = $(tests_fuzz_fuzz_runner_frames_SOURCES)
tests_fuzz_replay_runner_frames_CPPFLAGS = $(replay_cppflags)
tests_fuzz_replay_value_SOURCES = tests/fuzz/fuzz-value.c
tests_fuzz_replay_value_CPPFLAGS = $(replay_cppflags)

fuzz_libs = core/libcore.la
fuzz_ldflags = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_fuzz_config_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_config_LDADD = $(fuzz_libs)
tests_fuzz_fuzz_manifest_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_manifest_LDADD = $(fuzz_libs)
tests_fuzz_fuzz_options_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_options_LDADD = $(fuzz_libs)
tests_fuzz_fuzz_runner_client_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_runner_client_LDADD = $(fuzz_libs)
tests_fuzz_fuzz_runner_frames_SOURCES = tests/fuzz/fuzz-runner-frames.c \
  core/runner/frame.c core/runner/queue.c core/runner/spec.c
tests_fuzz_fuzz_runner_frames_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_runner_frames_LDADD =
tests_fuzz_fuzz_value_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_value_LDADD = $(fuzz_libs)

FUZZ_SECONDS = 30

fuzz:
	@command -v clang >/dev/null || { echo 'fuzz needs clang: package clang' >&2; exit 1; }
	$(MKDIR_P) fuzz/found
	test -f fuzz/config.status || (cd fuzz && $(SHELL) '$(abs_top_srcdir)/configure' CC=clang CFLAGS='-g -O1' \
	  --enable-sanitizers=fuzzer-no-link,address,undefined)
	cd fuzz && $(MAKE) $(AM_MAKEFLAGS) fuzz-all

# In that build, which keeps what it finds in its corpus.
fuzz-all: $(fuzz_programs)
	@passed=0; failed=0; \
	top_srcdir='$(abs_top_srcdir)' CC='$(CC)' $(SHELL) $(srcdir)/tests/fuzz/seeds corpus || exit 1; \
	for program in $(fuzz_programs); do \
	  name=$${program#tests/fuzz/fuzz-}; \
	  if ./$$program -max_total_time=$(FUZZ_SECONDS) -max_len=65536 -timeout=10 -rss_limit_mb=2048 \
	      -artifact_prefix=found/$$name- corpus/$$name >found/$$name.log 2>&1; then \
	    passed=`expr $$passed + 1`; echo "fuzz: $$name: `grep '^Done ' found/$$name.log`"; \
	  else failed=`expr $$failed + 1`; echo "fuzz: $$name: FAILED"; tail -n 60 found/$$name.log; fi; \
	done; \
	echo "$$passed passed, $$failed failed"; test $$failed -eq 0

.PHONY: fuzz fuzz-all
