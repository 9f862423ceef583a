# SPDX-License-Identifier: Apache-2.0
# The provider contract of the conformance kit, against the providers of the build tree.
cd "${top_builddir:?}" || exit 99
providers=
[ ! -e plugins/.libs/local_subprocess.so ] || providers=local_subprocess
# shellcheck disable=SC2086
exec ./contract $providers "$top_builddir/tests/plugins/.libs/fake.so:fake"
