#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Sources that are rotated under load, quiet, or have a line of 1 GB: sources.py.
set -u
top=${top_builddir:-.}
command -v python3 >/dev/null || { echo "python3 is missing"; exit 77; }
exec python3 -B "$(dirname "$0")/sources.py" "$top/tocsind" "$top/tocsin"
