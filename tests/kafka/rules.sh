#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Rules from a topic against a real broker: rules.py [TEST...]; without names those that take little time, all with
# `all`.
set -u
top=${top_builddir:-.}
. "$(dirname "$0")/../skip.sh"
command -v python3 >/dev/null || skip "python3 is missing (Debian package python3)"
exec python3 -B "$(dirname "$0")/rules.py" "$top/tocsind" "$top/tocsin" "$@"
