# SPDX-License-Identifier: Apache-2.0
# local_subprocess: programs as plain children of this machine.

local_subprocess_sources = \
  plugins/local_subprocess/base.c \
  plugins/local_subprocess/children.c \
  plugins/local_subprocess/destroy.c \
  plugins/local_subprocess/level.c \
  plugins/local_subprocess/local_subprocess.c \
  plugins/local_subprocess/local_subprocess.h \
  plugins/local_subprocess/meta.c \
  plugins/local_subprocess/options.c \
  plugins/local_subprocess/sandbox.c

if PROVIDER_LOCAL_SUBPROCESS
pluginexec_LTLIBRARIES += plugins/local_subprocess.la
dist_man7_MANS += plugins/local_subprocess/aksandbox-local_subprocess.7
endif

plugins_local_subprocess_la_SOURCES = $(local_subprocess_sources)
plugins_local_subprocess_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
plugins_local_subprocess_la_LDFLAGS = -module $(PLUGIN_LDFLAGS)
plugins_local_subprocess_la_LIBADD = $(SDK_LIBS)
EXTRA_plugins_local_subprocess_la_DEPENDENCIES = $(plugin_dependencies) $(sdk_dependencies)
