# SPDX-License-Identifier: Apache-2.0
# Providers for the tests. -rpath makes libtool build shared objects of them although they are never installed;
# they lie in tests/plugins/.libs/. The pattern is four lines for tests/plugins/NAME.c.

TEST_PLUGIN_CPPFLAGS = -I$(top_srcdir)/sdk/include
TEST_PLUGIN_LDFLAGS = $(OWN_LDFLAGS) -avoid-version -shared -rpath /nowhere \
  -Wl,--version-script=$(top_srcdir)/sdk/provider.map

check_LTLIBRARIES += tests/plugins/fake.la
tests_plugins_fake_la_SOURCES = tests/plugins/fake.c
tests_plugins_fake_la_CPPFLAGS = $(TEST_PLUGIN_CPPFLAGS)
tests_plugins_fake_la_LDFLAGS = -module $(TEST_PLUGIN_LDFLAGS)
tests_plugins_fake_la_LIBADD = -lpthread

check_LTLIBRARIES += tests/plugins/fly.la
tests_plugins_fly_la_SOURCES = tests/plugins/fly.c
tests_plugins_fly_la_CPPFLAGS = $(TEST_PLUGIN_CPPFLAGS)
tests_plugins_fly_la_LDFLAGS = -module $(TEST_PLUGIN_LDFLAGS)

# Compiled by the tests, each time wrong in another way; and a host of another version.
EXTRA_DIST += tests/plugins/growth.c tests/plugins/zoo.c
