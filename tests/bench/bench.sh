#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The benchmarks: `make bench'. Prints figures of one run beside each other and a table of ratios at
# the end; judges nothing. A few minutes.
#
# BENCH: the folder of the built programs. ROUNDS (3) and SECONDS_A_ROW (0.5) make it more exact and
# longer.

set -u
here=$(cd "$(dirname "$0")" && pwd)
bench=${BENCH:-tests/bench}
top=$(dirname "$(dirname "$bench")")
rounds=${ROUNDS:-3}
seconds=${SECONDS_A_ROW:-0.5}

# Memory, if there is enough: the file is read again and again, and disks differ.
room=/dev/shm
[ -d "$room" ] && [ -w "$room" ] && [ "$(df -Pk "$room" | awk 'NR == 2 { print $4 }')" -gt 500000 ] ||
    room=${TMPDIR:-/tmp}
work=$(mktemp -d "$room/tocsin-bench-XXXXXX") || exit 2
disk=$(mktemp -d "${TMPDIR:-/tmp}/tocsin-bench-XXXXXX") || exit 2 # where syncs are real
trap 'rm -rf "$work" "$disk"' EXIT
trap 'exit 130' INT TERM
: >"$work/ratios"

# Shows what a benchmark prints, but keeps its ratios for the end.
section()
{
    echo
    echo "$1"
    shift
    "$@" >"$work/out" || exit 1
    grep -v '^RATIO ' "$work/out"
    grep '^RATIO ' "$work/out" | sed 's/^RATIO //' >>"$work/ratios"
}

echo "times are CPU times of one core; $(uname -m), $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo 2>/dev/null | head -n 1)"

for of in '250 300000' '1100 120000' '2800 70000'; do
    # shellcheck disable=SC2086
    "$bench/bench_events" $of >"$work/events.ndjson" || exit 1
    section "Replay: 10 sequence rules, 100,000 keys" \
        "$bench/bench_replay" "$here/ten.rule" "$work/events.ndjson" "$rounds"
done
rm -f "$work/events.ndjson"
section "Many open runs on one key" "$bench/bench_runs" "$seconds"
section "What it costs to know what rules cost" "$bench/bench_rules" "$seconds"
section "Records of keys" "$bench/bench_record"
section "Memory, and many keys" "$bench/bench_state"
section "The database ($work; wall times)" "$bench/bench_store" "$work/state"
if command -v python3 >/dev/null && [ -x "$top/tocsind" ]; then
    section "The daemon ($disk; DAEMON=ARGUMENTS: more, see daemon.py)" \
        python3 -B "$here/daemon.py" --tocsind "$top/tocsind" --tocsin "$top/tocsin" --work "$disk/daemon" \
        --rounds "$rounds" ${DAEMON:-}
fi
if command -v python3 >/dev/null && command -v java >/dev/null && command -v kcat >/dev/null && [ -x "$top/tests/kafka/admin" ]; then
    section "Topics of Kafka ($disk)" env top_builddir="$top" \
        python3 -B "$here/kafka.py" --tocsind "$top/tocsind" --bench "$bench" --rounds "$rounds" ${KAFKA:-}
fi
section "Webhooks: the client on loopback (wall times)" "$bench/bench_web"
if command -v python3 >/dev/null && [ -x "$top/tocsind" ]; then
    section "Webhooks: the daemon ($disk; WEBHOOK=ARGUMENTS: more, see webhook.py)" \
        python3 -B "$here/webhook.py" --tocsind "$top/tocsind" --bench-web "$bench/bench_web" --work "$disk/webhook" \
        ${WEBHOOK:-}
fi
if command -v python3 >/dev/null && [ -x "$top/tocsind" ]; then
    section "The HTTP interface ($disk; wall times; HTTP=ARGUMENTS: more, see http_bench.py)" \
        python3 -B "$here/http_bench.py" --tocsind "$top/tocsind" --tocsin "$top/tocsin" --work "$disk/http" ${HTTP:-}
fi
section "Windows" "$bench/bench_window"
section "Bodies of webhooks" "$bench/bench_body" "$seconds"
section "Memory of windows and of remembered values" "$bench/bench_window_memory"

echo
echo "Ratios of this run (aims: replay 50% or more, open runs, sliding and hopping count to max 1.5x or less)"
awk -F ' [|] ' '{ printf "    %-100s %s\n", $1, $2 }' "$work/ratios"
