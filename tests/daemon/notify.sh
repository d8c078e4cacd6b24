#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What the service manager is told: ready, reloading, stopping, that it is alive while its threads get on and not
# when one hangs, how it is; a second SIGTERM ends at once.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
grep -q 'DHAVE_LIBSYSTEMD' "$top_build/Makefile" ||
    skip "what systemd is told: this needs libsystemd (Debian package libsystemd-dev)"

manager=
listen() {
    python3 "$here/notify.py" "$work/socket" "$work/told" &
    manager=$!
    until_true "a service manager" test -S socket
}
unmount() { [ -z "$manager" ] || kill "$manager" 2>/dev/null; }
managed() { start NOTIFY_SOCKET="$work/socket" "$@"; }
says_to_manager() { grep -q -e "$1" told; }
told_times() { [ "$(grep -c -e "$2" told)" -ge "$1" ]; }

plain_rules
cat >tocsin.conf <<'END'
engine { rules "rules" state "state" stop_within 20s }
source auth { file "ev*.ndjson" time ts idle 1s }
sink disk { file "alerts.ndjson" }
END
: >log
listen

# ---- a life

events 0 100 >ev.ndjson
managed
until_true "ready" says_to_manager ' READY=1$'
until_true "a status" says_to_manager ' STATUS=3 rules, [0-9]* events/s'
kill -HUP "$daemon"
until_true "reloading" says_to_manager ' RELOADING=1|MONOTONIC_USEC=[1-9][0-9]*$'
until_true "ready again" told_times 2 ' READY=1$'
stop
want 0
until_true "stopping" says_to_manager ' STOPPING=1|STATUS=stopping|EXTEND_TIMEOUT_USEC=50000000$'
checks=$((checks + 1))
grep -q 'WATCHDOG' told && fault "the watchdog was fed, and nobody asked for it"

# ---- state is read back: it takes its time

: >told
managed
until_true "ready" says_to_manager ' READY=1$'
checks=$((checks + 1))
[ "$(sed -n '/READY=1/q; /EXTEND_TIMEOUT_USEC=30000000/p' told | grep -c .)" -ge 1 ] || fault "no more time was asked for"
stop
want 0

# ---- a reload that is refused ends in READY, too

: >told
managed
until_true "ready" says_to_manager ' READY=1$'
echo 'rule broken {' >rules/broken.rule
kill -HUP "$daemon"
until_true "ready again" told_times 2 ' READY=1$'
rm rules/broken.rule
stop
want 0

# ---- the watchdog

: >told
managed WATCHDOG_USEC=400000
until_true "it is fed" says_to_manager ' WATCHDOG=1$'
until_true "it is fed on" told_times 5 ' WATCHDOG=1$'
stop
want 0

# the longest time between two messages that it is alive, ms
longest_gap() {
    awk '/ WATCHDOG=1$/ { if (last && $1 - last > most) most = $1 - last; last = $1 } END { print most + 0 }' told
}
hangs() { [ "$(longest_gap)" -ge 1000 ]; }
if has_failpoints; then
    for point in epoch_encoding epoch_numbered; do # in the engine's thread, in that of the checkpoints
        rm -rf state alerts.ndjson
        : >told
        : >log
        managed WATCHDOG_USEC=400000 TOCSIN_FAILPOINTS="$point=delay:3000@2"
        until_true "ready" says_to_manager ' READY=1$'
        events 100 110 >>ev.ndjson
        until_true "a thread hangs ($point)" logged 1 'msg="a thread hangs"'
        until_true "it is alive again ($point)" hangs
        stop
        want 0
    done
fi

# ---- a second SIGTERM while a sink is waited for

rm -rf state
: >told
: >log
cat >tocsin.conf <<'END'
engine { rules "rules" state "state" stop_within 1h }
source auth { file "ev*.ndjson" time ts idle 1s }
sink disk { file "missing/alerts.ndjson" }
END
managed WATCHDOG_USEC=400000
until_true "it fails" logged 1 'category=sink.*missing'
until_true "the status says so" says_to_manager 'failing sinks: disk'
kill -TERM "$daemon"
until_true "stopping" says_to_manager ' STOPPING=1'
until_true "figures at the end" logged 1 'msg="figures" sink="disk"'
until_true "so long as it may take" says_to_manager ' WATCHDOG_USEC=3630000000$'
sleep 0.2
kill -TERM "$daemon"
ended
checks=$((checks + 1))
[ "$code" -ne 1 ] || fault "it ended with $code"
mkdir missing
start
until_true "what waited comes" has_lines 30 missing/alerts.ndjson
stop
want 0
done_testing
