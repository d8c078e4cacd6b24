#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Topics as sinks while the broker is away for long: queues at their bounds, dead letters that are put back, sources
# that wait. A really long time, by hand: away.py --seconds.
set -u
top=${top_builddir:-.}
. "$(dirname "$0")/../skip.sh"
command -v python3 >/dev/null || skip "python3 is missing (Debian package python3)"
exec python3 -B "$(dirname "$0")/away.py" --tocsind "$top/tocsind"
