#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Topics as sinks: processes that are stopped and go on, that are taken over from, state directories that are older
# copies or another's.
set -u
top=${top_builddir:-.}
. "$(dirname "$0")/../skip.sh"
command -v python3 >/dev/null || skip "python3 is missing (Debian package python3)"
grep -q 'define TOCSIN_FAILPOINTS\|-DTOCSIN_FAILPOINTS' "$top/Makefile" ||
    skip "this needs configure --enable-failpoints"
exec python3 -B "$(dirname "$0")/sink.py" --tocsind "$top/tocsind" \
    --only "${ONLY:-stopped,taken_over_soon,taken_over_late,two_daemons,older_copy,diverged,other_kind,not_decided}"
