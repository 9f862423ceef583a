# SPDX-License-Identifier: Apache-2.0
# What a provider's author gets: the headers, the archive of helpers, what pkg-config tells.

sdkincludedir = $(includedir)/aksandbox
sdkinclude_HEADERS = \
  sdk/include/aksandbox/provider.h \
  sdk/include/aksandbox/sdk-cleanup.h \
  sdk/include/aksandbox/sdk-folder.h \
  sdk/include/aksandbox/sdk-process.h \
  sdk/include/aksandbox/sdk-text.h \
  sdk/include/aksandbox/sdk.h
sdkdatadir = $(datadir)/aksandbox
dist_sdkdata_DATA = sdk/provider.map
pkgconfig_DATA += sdk/aksandbox-provider.pc sdk/aksandbox-sdk.pc
EXTRA_DIST += sdk/COPYING

# It becomes part of other people's shared objects: position-independent whatever libtool thinks of static
# archives, its symbols hidden, and usable by other compilers than the one that made it.
lib_LIBRARIES += sdk/libaksandbox-sdk.a
sdk_libaksandbox_sdk_a_SOURCES = \
  sdk/folder.c \
  sdk/identity.c \
  sdk/process-child.c \
  sdk/process-internal.h \
  sdk/process-stat.h \
  sdk/process.c \
  sdk/removal.c \
  sdk/text.c \
  sdk/tree.c
sdk_libaksandbox_sdk_a_CPPFLAGS = -I$(top_srcdir)/sdk/include
sdk_libaksandbox_sdk_a_CFLAGS = $(AM_CFLAGS) $(SDK_CFLAGS)

# For what links with the archive in this tree, as an author's own build would: by -l, since libtool warns of
# archives that are named by file.
SDK_LIBS = -Lsdk -laksandbox-sdk
sdk_dependencies = sdk/libaksandbox-sdk.a
