#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The daemon and receivers that misbehave: deliver.py. A part of it: sh deliver.sh order gone
set -u
here=$(cd "$(dirname "$0")" && pwd)
top=${top_builddir:-.}

. "$here/../skip.sh"
command -v python3 >/dev/null || skip "python3 is missing (Debian package python3)"
command -v openssl >/dev/null || skip "the openssl command is missing"
exec python3 -B "$here/deliver.py" --tocsind "$top/tocsind" --tocsin "$top/tocsin" "$@"
