#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# State larger than its memory, and keys that come and go (large.py). `make check-long' sets LONG=1: 10^6
# keys, ten times over. SEED: of the events; `make check' sets it, else it is another one each time.

set -u
here=$(cd "$(dirname "$0")" && pwd)
top=${top_builddir:-.}

. "$(dirname "$0")/../skip.sh"
command -v python3 >/dev/null || skip "python3 is missing (Debian package python3)"
if [ "${LONG:-0}" = 1 ]; then
    set -- --events 300000 --keys 1000000 "$@"
fi
exec python3 -B "$here/large.py" --tocsind "$top/tocsind" --tocsin "$top/tocsin" --seed "${SEED:-$(date +%s)}" "$@"
