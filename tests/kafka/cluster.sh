#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Three brokers: one killed and one restarted under load, then two down at once; with LONG each of them three times.
# cluster.py.
set -u
top=${top_builddir:-.}
. "$(dirname "$0")/../skip.sh"
command -v python3 >/dev/null || skip "python3 is missing (Debian package python3)"
exec python3 -B "$(dirname "$0")/cluster.py" --tocsind "$top/tocsind" --turns $((${LONG:+8} + 1))
