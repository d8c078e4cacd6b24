#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Sources that are rotated under load, quiet, stalled, or have a line of 1 GB: sources.py [TEST...].
set -u
top=${top_builddir:-.}
. "$(dirname "$0")/../skip.sh"
command -v python3 >/dev/null || skip "python3 is missing (Debian package python3)"
exec python3 -B "$(dirname "$0")/sources.py" "$top/tocsind" "$top/tocsin" "$@"
