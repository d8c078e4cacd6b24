#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Sources of kafka against a real broker: source.py [TEST...]; without names those that take little time, the others
# are in source_rest.sh.
set -u
top=${top_builddir:-.}
. "$(dirname "$0")/../skip.sh"
command -v python3 >/dev/null || skip "python3 is missing (Debian package python3)"
exec python3 -B "$(dirname "$0")/source.py" "$top/tocsind" "$top/tocsin" ${*:-as_the_daemon from_until open_transaction records record_time transactions partitions_added trimmed crooked told_to_the_group internal reloaded hung}
