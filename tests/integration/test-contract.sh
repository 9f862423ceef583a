# SPDX-License-Identifier: Apache-2.0
# The provider contract of the conformance kit, against the providers of the build tree.
cd "${top_builddir:?}" || exit 99
exec ./contract local_subprocess "$top_builddir/tests/plugins/.libs/fake.so:fake"
