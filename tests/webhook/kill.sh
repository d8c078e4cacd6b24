#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The daemon is killed while it delivers to receivers that misbehave (kill.py): WEBHOOK_KILLS times (15; `make
# check-long' sets 60). SEED: of steps and moments; `make check' sets it, else it is another one each time.
set -u
here=$(cd "$(dirname "$0")" && pwd)
top=${top_builddir:-.}

. "$here/../skip.sh"
command -v python3 >/dev/null || skip "python3 is missing (Debian package python3)"
grep -q 'define TOCSIN_FAILPOINTS\|-DTOCSIN_FAILPOINTS' "$top/Makefile" ||
    skip "not a build with --enable-failpoints"
exec python3 -B "$here/kill.py" --tocsind "$top/tocsind" --tocsin "$top/tocsin" \
    --def "$here/../../src/base/failpoint.def" --seed "${SEED:-$(date +%s)}" --kills "${WEBHOOK_KILLS:-15}" "$@"
