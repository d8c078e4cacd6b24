#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The daemon among hostile events, receivers and operators: attacks.py. A part of it: sh attacks.sh groups
set -u
here=$(cd "$(dirname "$0")" && pwd)
top=${top_builddir:-.}

. "$here/../skip.sh"
command -v python3 >/dev/null || skip "python3 is missing (Debian package python3)"
grep -q 'define TOCSIN_FAILPOINTS\|-DTOCSIN_FAILPOINTS' "$top/Makefile" || skip "this needs configure --enable-failpoints"
exec python3 -B "$here/attacks.py" --tocsind "$top/tocsind" --tocsin "$top/tocsin" "$@"
