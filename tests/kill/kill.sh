#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The kill test (kill.py) in `make check': KILLS kills (60) of the daemon over bounded files, some more with
# reloads, with files that grow, with standard input, with little room for events that wait and for state. `make check-long' sets KILLS=1000. A
# SEED: of input, steps and moments; `make check' sets it, else it is another one each time. A
# part of it by hand: sh tests/kill/kill.sh [files] [reload] [grow] [stdin] [narrow]

set -u
here=$(cd "$(dirname "$0")" && pwd)
top=${top_builddir:-.}
kills=${KILLS:-60}
few=$(((kills + 3) / 4))
seed=${SEED:-$(date +%s)}
failed=0

. "$here/../skip.sh"
command -v python3 >/dev/null || skip "python3 is missing (Debian package python3)"
grep -q 'define TOCSIN_FAILPOINTS\|-DTOCSIN_FAILPOINTS' "$top/Makefile" ||
    skip "kills: this needs configure --enable-failpoints"

part() {
    name=$1
    shift
    echo "== $name"
    python3 -B "$here/kill.py" --tocsind "$top/tocsind" --tocsin "$top/tocsin" \
        --def "$here/../../src/base/failpoint.def" --seed "$seed" "$@" || failed=1
}

[ $# -gt 0 ] || set -- files reload grow stdin narrow
for name in "$@"; do
    case $name in
    files) part files --kills "$kills" ;;
    reload) part reload --kills "$few" --reload ;;
    grow) part grow --kills "$few" --grow --events 12000 ;;
    stdin) part stdin --kills "$few" --stdin --events 12000 ;;
    narrow) part narrow --kills "$few" --narrow ;;
    *) echo "no part \`$name'"; failed=1 ;;
    esac
done
exit $failed
