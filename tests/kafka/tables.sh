#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tables from topics, against a real broker: tables.py [TEST...]; without names those that take little time, the others
# are in tables_rest.sh.
set -u
top=${top_builddir:-.}
. "$(dirname "$0")/../skip.sh"
command -v python3 >/dev/null || skip "python3 is missing (Debian package python3)"
command -v curl >/dev/null || skip "curl is missing (Debian package curl)"
exec python3 -B "$(dirname "$0")/tables.py" "$top/tocsind" "$top/tocsin" ${*:-first keys latest crowded killed recreated forgotten module missing replayed}
