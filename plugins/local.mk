# SPDX-License-Identifier: Apache-2.0
# The bundled providers, one folder and one line each.

# A provider sees what any author of one sees: the SDK's headers, and nothing of the core.
PLUGIN_CPPFLAGS = -DPACKAGE_VERSION='"$(PACKAGE_VERSION)"' -I$(top_srcdir)/sdk/include
PLUGIN_LDFLAGS = $(OWN_LDFLAGS) -avoid-version -shared -Wl,--version-script=$(top_srcdir)/sdk/provider.map
plugin_dependencies = sdk/provider.map

EXTRA_DIST += plugins/README.md

include plugins/local_subprocess/local.mk

# libltdl would believe a .la file beside a provider more than the path it was given.
install-plugins-hook:
	@for la in $(pluginexec_LTLIBRARIES); do \
	  rm -f "$(DESTDIR)$(pluginexecdir)/$${la##*/}"; \
	done
# libtool's uninstall needs those .la files.
uninstall-plugins:
	@for la in $(pluginexec_LTLIBRARIES); do \
	  so=$${la##*/}; so=$${so%.la}.so; \
	  echo " rm -f '$(DESTDIR)$(pluginexecdir)/$$so'"; \
	  rm -f "$(DESTDIR)$(pluginexecdir)/$$so"; \
	done
	@rmdir "$(DESTDIR)$(pluginexecdir)" 2>/dev/null || :
