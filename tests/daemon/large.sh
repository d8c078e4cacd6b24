#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# State larger than its memory, and keys that come and go (large.py). `make check-long' sets LONG=1: 10^6
# keys, ten times over.

set -u
here=$(cd "$(dirname "$0")" && pwd)
top=${top_builddir:-.}

command -v python3 >/dev/null || { echo "python3 is missing"; exit 77; }
if [ "${LONG:-0}" = 1 ]; then
    set -- --events 300000 --keys 1000000 "$@"
fi
exec python3 -B "$here/large.py" --tocsind "$top/tocsind" --tocsin "$top/tocsin" --seed "${SEED:-$(date +%s)}" "$@"
