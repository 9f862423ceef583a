# SPDX-License-Identifier: Apache-2.0
# make bench: one line for each measure, NAME ours floor ratio goal ok|short.

bench_programs = \
  tests/bench/config-200 \
  tests/bench/exec-true \
  tests/bench/run-python \
  tests/bench/dispatch \
  tests/bench/output \
  tests/bench/threads
EXTRA_PROGRAMS += $(bench_programs)
EXTRA_DIST += tests/bench/bench.h
bench_libs = core/libaksandbox.la -ldl
# It measures what is behind the library's interface.
tests_bench_config_200_CPPFLAGS = $(AM_CPPFLAGS) $(YAML_CFLAGS)
tests_bench_config_200_LDADD = core/libcore.la $(YAML_LIBS)
tests_bench_exec_true_LDADD = $(bench_libs)
tests_bench_run_python_LDADD = $(bench_libs)
tests_bench_dispatch_LDADD = $(bench_libs)
tests_bench_output_LDADD = $(bench_libs)
tests_bench_threads_LDADD = $(bench_libs) -lpthread

EXTRA_LTLIBRARIES += tests/bench/noop.la
tests_bench_noop_la_SOURCES = tests/bench/noop.c
tests_bench_noop_la_CPPFLAGS = $(TEST_PLUGIN_CPPFLAGS)
tests_bench_noop_la_LDFLAGS = -module $(TEST_PLUGIN_LDFLAGS)
CLEANFILES += $(bench_programs) $(fuzz_programs) tests/bench/noop.la

bench: all $(bench_programs) tests/bench/noop.la
	@passed=0; failed=0; \
	for bench in $(bench_programs); do \
	  if AKSANDBOX=./aksandbox ./$$bench; then passed=`expr $$passed + 1`; else failed=`expr $$failed + 1`; fi; \
	done; \
	echo "$$passed passed, $$failed failed"; test $$failed -eq 0

.PHONY: bench
