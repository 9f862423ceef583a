# SPDX-License-Identifier: Apache-2.0
# The cmocka programs. Each is made of the one file of its name, unless it says more below, and sees the
# inside of the core.

unit_tests = \
  tests/unit/test-cli-args \
  tests/unit/test-cli-number \
  tests/unit/test-cli-write \
  tests/unit/test-config \
  tests/unit/test-config-sources \
  tests/unit/test-environ \
  tests/unit/test-error \
  tests/unit/test-escape \
  tests/unit/test-manifest \
  tests/unit/test-module \
  tests/unit/test-options \
  tests/unit/test-outbox \
  tests/unit/test-pool \
  tests/unit/test-principal \
  tests/unit/test-provider-header \
  tests/unit/test-result \
  tests/unit/test-runner \
  tests/unit/test-runner-busy \
  tests/unit/test-runner-client \
  tests/unit/test-runner-files \
  tests/unit/test-runner-hostile \
  tests/unit/test-runner-kill \
  tests/unit/test-runner-pair \
  tests/unit/test-runner-protect \
  tests/unit/test-runner-protocol \
  tests/unit/test-runner-stall \
  tests/unit/test-runner-workspace \
  tests/unit/test-runtime \
  tests/unit/test-sdk-folder \
  tests/unit/test-sdk-process \
  tests/unit/test-stop \
  tests/unit/test-suggest \
  tests/unit/test-torture \
  tests/unit/test-torture-config \
  tests/unit/test-trust \
  tests/unit/test-typename \
  tests/unit/test-value \
  tests/unit/test-worker
if PROVIDER_LOCAL_SUBPROCESS
unit_tests += \
  tests/unit/test-library \
  tests/unit/test-local-subprocess \
  tests/unit/test-manners \
  tests/unit/test-operation \
  tests/unit/test-threads
endif
check_PROGRAMS += $(unit_tests)
TESTS += $(unit_tests)
EXTRA_DIST += tests/unit/config-tools.h tests/unit/plugin-tools.h
EXTRA_DIST += \
  tests/data/config/agent-kernel.yaml \
  tests/data/config/no-sandbox.yaml \
  tests/data/config/sugar.yaml

# The program's own objects.
cli_test_libs = core/libcli.la $(CMOCKA_LIBS)
tests_unit_test_cli_args_LDADD = $(cli_test_libs)
tests_unit_test_cli_number_LDADD = $(cli_test_libs)
tests_unit_test_cli_write_LDADD = $(cli_test_libs)
tests_unit_test_escape_LDADD = $(cli_test_libs)

# The library alone, as an application sees it.
library_test_libs = core/libaksandbox.la $(CMOCKA_LIBS) -lpthread
tests_unit_test_library_LDADD = $(library_test_libs)
tests_unit_test_manners_LDADD = $(library_test_libs)
tests_unit_test_operation_LDADD = $(library_test_libs)
tests_unit_test_threads_LDADD = $(library_test_libs)

# A provider inside the test program.
fake_module = tests/unit/fake-module.c tests/unit/fake-module.h
tests_unit_test_principal_SOURCES = tests/unit/test-principal.c $(fake_module)
tests_unit_test_worker_SOURCES = tests/unit/test-worker.c $(fake_module)

# The core's objects, whose allocations fail when the test says so.
wrapped = malloc calloc realloc free strdup strndup asprintf vasprintf __asprintf_chk __vasprintf_chk realpath \
  open_memstream fdopendir yaml_parser_initialize json_object_new_object json_object_new_string \
  json_tokener_parse json_tokener_new_ex json_object_to_json_string_ext
torture_ldflags = $(AM_LDFLAGS) $(addprefix -Wl$(comma)--wrap=,$(wrapped))
torture_cppflags = $(AM_CPPFLAGS) $(YAML_CFLAGS) $(JSONC_CFLAGS)
tests_unit_test_torture_SOURCES = tests/unit/test-torture.c tests/unit/torture.c tests/unit/torture.h \
  $(fake_module)
tests_unit_test_torture_CPPFLAGS = $(torture_cppflags)
tests_unit_test_torture_LDFLAGS = $(torture_ldflags)
tests_unit_test_torture_config_SOURCES = tests/unit/test-torture-config.c tests/unit/torture.c \
  tests/unit/torture.h
tests_unit_test_torture_config_CPPFLAGS = $(torture_cppflags)
tests_unit_test_torture_config_LDFLAGS = $(torture_ldflags)
comma = ,

# The runner's client, against a runner inside the test program and the real one.
fake_runner = tests/unit/fake-runner.c tests/unit/fake-runner.h
tests_unit_test_runner_busy_SOURCES = tests/unit/test-runner-busy.c $(fake_runner)
tests_unit_test_runner_client_SOURCES = tests/unit/test-runner-client.c $(fake_runner)
tests_unit_test_runner_files_SOURCES = tests/unit/test-runner-files.c $(fake_runner)
tests_unit_test_runner_hostile_SOURCES = tests/unit/test-runner-hostile.c $(fake_runner)
tests_unit_test_runner_pair_SOURCES = tests/unit/test-runner-pair.c $(fake_runner)
tests_unit_test_runner_stall_SOURCES = tests/unit/test-runner-stall.c $(fake_runner)

# The runner, against a host inside the test program.
runner_harness = tests/unit/runner-harness.c tests/unit/runner-harness.h
tests_unit_test_runner_SOURCES = tests/unit/test-runner.c $(runner_harness)
tests_unit_test_runner_kill_SOURCES = tests/unit/test-runner-kill.c $(runner_harness)
tests_unit_test_runner_protect_SOURCES = tests/unit/test-runner-protect.c $(runner_harness)
tests_unit_test_runner_protocol_SOURCES = tests/unit/test-runner-protocol.c $(runner_harness)
tests_unit_test_runner_workspace_SOURCES = tests/unit/test-runner-workspace.c $(runner_harness)

# The SDK's archive, as a provider sees it.
sdk_test_libs = $(SDK_LIBS) $(CMOCKA_LIBS)
tests_unit_test_sdk_folder_CPPFLAGS = -I$(top_srcdir)/sdk/include
tests_unit_test_sdk_folder_LDADD = $(sdk_test_libs)
EXTRA_tests_unit_test_sdk_folder_DEPENDENCIES = $(sdk_dependencies)
tests_unit_test_sdk_process_CPPFLAGS = -I$(top_srcdir)/sdk/include
tests_unit_test_sdk_process_LDADD = $(sdk_test_libs)
EXTRA_tests_unit_test_sdk_process_DEPENDENCIES = $(sdk_dependencies)

# A provider's objects inside the test program.
tests_unit_test_local_subprocess_SOURCES = tests/unit/test-local-subprocess.c $(local_subprocess_sources)
tests_unit_test_local_subprocess_CPPFLAGS = $(PLUGIN_CPPFLAGS) -I$(top_srcdir)/plugins/local_subprocess
tests_unit_test_local_subprocess_LDADD = $(sdk_test_libs)
EXTRA_tests_unit_test_local_subprocess_DEPENDENCIES = $(sdk_dependencies)

# The conformance kit, driven by this host: a program at the top of the build tree, since that is where a
# program finds the plugins and the runner of the build tree. tests/integration/test-contract.sh runs it.
check_PROGRAMS += contract
contract_SOURCES = tests/unit/test-contract.c sdk/kit/contract.c sdk/kit/kit.h
contract_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/sdk/kit
