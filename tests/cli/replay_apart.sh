#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What rules of one group of sources tell does not depend on the others (replay_apart.py). SEED: of the
# input; `make check' sets it, else it is another one each time.

set -u
here=$(cd "$(dirname "$0")" && pwd)
top=${top_builddir:-.}

. "$here/../skip.sh"
command -v python3 >/dev/null || skip "python3 is missing (Debian package python3)"
exec python3 -B "$here/replay_apart.py" --tocsin "$top/tocsin" --seed "${SEED:-$(date +%s)}" "$@"
