# SPDX-License-Identifier: Apache-2.0
# libaksandbox, the program, and the runner. A file of core/ is of the library, one of core/cli/ of the
# program alone, one of core/runner/ of the runner alone.

include_HEADERS = core/include/aksandbox.h
pkgconfig_DATA += core/aksandbox.pc
dist_man1_MANS += core/aksandbox.1
dist_man5_MANS += core/aksandbox.yaml.5
dist_man3_MANS += core/aksandbox.3

bashcompletiondir = $(datadir)/bash-completion/completions
dist_bashcompletion_DATA = core/completion/aksandbox.bash
fishcompletiondir = $(datadir)/fish/vendor_completions.d
dist_fishcompletion_DATA = core/completion/aksandbox.fish
zshcompletiondir = $(datadir)/zsh/site-functions
dist_zshcompletion_DATA = core/completion/_aksandbox

# Everything of the core as one archive: for the library, and for the program and the tests, which know more
# of it than its API.
noinst_LTLIBRARIES += core/libcore.la
core_libcore_la_SOURCES = \
  core/acquire.c \
  core/admit.c \
  core/api-operation.c \
  core/api-run.c \
  core/api-session.c \
  core/broker-embedded.c \
  core/broker.h \
  core/call.c \
  core/call.h \
  core/capabilities.c \
  core/cleanup.h \
  core/configuration-adhoc.c \
  core/configuration-environment.c \
  core/configuration-fields.c \
  core/configuration-file.c \
  core/configuration-internal.h \
  core/configuration-profile.c \
  core/configuration-report.c \
  core/configuration-sandbox.c \
  core/configuration.c \
  core/configuration.h \
  core/elf-file.c \
  core/elf-file.h \
  core/environ.c \
  core/environ.h \
  core/error.c \
  core/error.h \
  core/factory.c \
  core/factory.h \
  core/instance.c \
  core/instance.h \
  core/language.c \
  core/lifecycle.c \
  core/lifecycle.h \
  core/log.c \
  core/log.h \
  core/manifest.c \
  core/manifest.h \
  core/module-check.c \
  core/module-check.h \
  core/module-list.c \
  core/module-path.c \
  core/module-path.h \
  core/module.c \
  core/module.h \
  core/note-text.c \
  core/note-text.h \
  core/options-internal.h \
  core/options-read.c \
  core/options-redact.c \
  core/options.c \
  core/options.h \
  core/owner.c \
  core/owner.h \
  core/outbox.c \
  core/outbox.h \
  core/paths.c \
  core/paths.h \
  core/profile-check.c \
  core/profile-check.h \
  core/pool.c \
  core/pool.h \
  core/principal.c \
  core/principal.h \
  core/request.h \
  core/resource-limits.c \
  core/resource-limits.h \
  core/result-json.c \
  core/result.c \
  core/result.h \
  core/runner-client.c \
  core/runner-client.h \
  core/runner-dispatch.c \
  core/runner-execute.c \
  core/runner-files.c \
  core/runner-io.c \
  core/runner-op.c \
  core/runner-private.h \
  core/runner-wait.c \
  core/runner-wire.c \
  core/runtime.c \
  core/runtime.h \
  core/sandbox.c \
  core/sandbox.h \
  core/gate.c \
  core/gate.h \
  core/session.c \
  core/session.h \
  core/stop.c \
  core/stop.h \
  core/struct-copy.c \
  core/struct-copy.h \
  core/strv.c \
  core/strv.h \
  core/suggest.c \
  core/suggest.h \
  core/trust.c \
  core/trust.h \
  core/typename.c \
  core/value-as.c \
  core/value-build.h \
  core/value-json.c \
  core/value-scalar.c \
  core/value-yaml-map.c \
  core/value-yaml.c \
  core/value-yaml.h \
  core/value.c \
  core/value.h \
  core/worker.c \
  core/worker.h
core_libcore_la_LIBADD = $(LTDL_LIBS) $(YAML_LIBS) $(JSONC_LIBS) -lpthread -ldl
core_libcore_la_CPPFLAGS = $(AM_CPPFLAGS) $(YAML_CFLAGS) $(JSONC_CFLAGS)

lib_LTLIBRARIES += core/libaksandbox.la
core_libaksandbox_la_SOURCES =
core_libaksandbox_la_LIBADD = core/libcore.la
core_libaksandbox_la_LDFLAGS = $(AM_LDFLAGS) -version-info $(AKSANDBOX_LT_VERSION) \
  -Wl,--version-script=$(top_srcdir)/core/libaksandbox.map
EXTRA_core_libaksandbox_la_DEPENDENCIES = core/libaksandbox.map
EXTRA_DIST += core/libaksandbox.map

# The program: its objects as an archive too, for their tests.
noinst_LTLIBRARIES += core/libcli.la
core_libcli_la_SOURCES = \
  core/cli/args.c \
  core/cli/checks.c \
  core/cli/checks.h \
  core/cli/cli.h \
  core/cli/config-check.c \
  core/cli/config-commands.h \
  core/cli/config-rows.c \
  core/cli/config-show.c \
  core/cli/config.c \
  core/cli/describe-json.c \
  core/cli/describe.c \
  core/cli/describe.h \
  core/cli/doctor-kernel.c \
  core/cli/doctor.c \
  core/cli/doctor.h \
  core/cli/escape.c \
  core/cli/exec.c \
  core/cli/execute.c \
  core/cli/help.c \
  core/cli/inspect.c \
  core/cli/number.c \
  core/cli/plugins.h \
  core/cli/provider.c \
  core/cli/providers.c \
  core/cli/run.c \
  core/cli/say.c \
  core/cli/signals.c \
  core/cli/stream.c \
  core/cli/where.c
core_libcli_la_LIBADD = core/libcore.la
core_libcli_la_CPPFLAGS = $(AM_CPPFLAGS) $(JSONC_CFLAGS)

bin_PROGRAMS += aksandbox
aksandbox_SOURCES = core/cli/main.c
aksandbox_CPPFLAGS = $(core_libcli_la_CPPFLAGS)
aksandbox_LDADD = core/libcli.la

# The runner goes where no library of this machine is: another compiler, static, and no config.h.
runner_sources = \
  core/runner/deadline.c \
  core/runner/dispatch.c \
  core/runner/exec.c \
  core/runner/fileops.c \
  core/runner/files.c \
  core/runner/filter.c \
  core/runner/frame.c \
  core/runner/helper.c \
  core/runner/kill.c \
  core/runner/launch.c \
  core/runner/link.c \
  core/runner/loop.c \
  core/runner/main.c \
  core/runner/path.c \
  core/runner/program.c \
  core/runner/protect.c \
  core/runner/queue.c \
  core/runner/remove.c \
  core/runner/shepherd.c \
  core/runner/spec.c \
  core/runner/stream.c
runner_headers = \
  core/runner/frame.h \
  core/runner/helper.h \
  core/runner/kernel.h \
  core/runner/kill.h \
  core/runner/launch.h \
  core/runner/link.h \
  core/runner/path.h \
  core/runner/protect.h \
  core/runner/protocol.h \
  core/runner/queue.h \
  core/runner/runner.h \
  core/runner/shepherd.h \
  core/runner/spec.h
EXTRA_DIST += $(runner_sources) $(runner_headers)
all-local: core/aksandbox-runner
CLEANFILES += core/aksandbox-runner
core/aksandbox-runner: $(runner_sources) $(runner_headers) config.status
	@$(MKDIR_P) core
	$(AM_V_CCLD)$(RUNNER_CC) -std=gnu11 $(OWN_RUNNER_CFLAGS) $(RUNNER_CPPFLAGS) -I$(top_srcdir)/core/runner \
	  $(RUNNER_CFLAGS) -static -Wl,--gc-sections -o $@ $(addprefix $(srcdir)/,$(runner_sources))

install-exec-local: core/aksandbox-runner
	$(MKDIR_P) "$(DESTDIR)$(runnerdir)"
	$(INSTALL_PROGRAM) core/aksandbox-runner "$(DESTDIR)$(runnerdir)/runner-$(RUNNER_ARCH)"
uninstall-runner:
	rm -f "$(DESTDIR)$(runnerdir)/runner-$(RUNNER_ARCH)"
	-@rmdir "$(DESTDIR)$(runnerdir)" 2>/dev/null
