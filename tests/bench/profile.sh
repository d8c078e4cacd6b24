#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The ten functions in which the replay of bench_replay spends most, with their share.
#
#   sh tests/bench/profile.sh [SIZE [COUNT]]     events of SIZE bytes (default 1100)
#
# By perf where it can count, else by valgrind's callgrind (instructions, fewer events). Needs the
# programs that `make bench' builds, in BENCH (default tests/bench), built with -g.

set -u
here=$(cd "$(dirname "$0")" && pwd)
bench=${BENCH:-tests/bench}
size=${1:-1100}

work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

events()
{
    "$bench/bench_events" "$size" "$1" >"$work/events.ndjson" || exit 1
}

by_perf()
{
    events "${1:-100000}"
    for event in cycles:u cpu-clock:u; do
        perf record -q -e "$event" -F 1999 -o "$work/perf.data" \
            "$bench/bench_replay" --replay "$here/ten.rule" "$work/events.ndjson" 5 \
            >/dev/null 2>&1 || continue
        perf report -i "$work/perf.data" --stdio --no-children -g none --percent-limit 0 \
            --sort symbol 2>/dev/null | awk '/%/ { print "    " $1, $3; if (++n == 10) exit }' >"$work/top"
        [ -s "$work/top" ] || continue
        echo "perf, $event, events of $size bytes"
        cat "$work/top"
        return 0
    done
    return 1
}

by_callgrind()
{
    events "${1:-10000}"
    valgrind -q --tool=callgrind --callgrind-out-file="$work/callgrind" \
        "$bench/bench_replay" --replay "$here/ten.rule" "$work/events.ndjson" >"$work/log" 2>&1 || {
        cat "$work/log" >&2
        return 1
    }
    echo "callgrind, instructions, events of $size bytes"
    callgrind_annotate "$work/callgrind" 2>/dev/null |
        sed -n 's/^ *[0-9,]* (\( *[0-9.]*%\)) *[^:]*:\([^[]*\).*/    \1 \2/p' | head -n 10
}

if command -v perf >/dev/null 2>&1 && by_perf "${2:-}"; then
    exit 0
fi
if command -v valgrind >/dev/null 2>&1; then
    by_callgrind "${2:-}"
else
    echo "profile.sh: neither perf nor valgrind is there" >&2
    exit 1
fi
