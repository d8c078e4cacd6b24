#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Events that wait on disk: while they cannot be written their source waits, and goes on when they can; when they cannot
# be read back the daemon begins again from what is durable, also when the database cannot be written just then. Each
# alert is told once.
. "$(cd "$(dirname "$0")" && pwd)/lib.sh"

has_failpoints || skip "needs a build with --enable-failpoints"

mkdir rules
echo 'rule each { match by k { a: auth where n >= 0 } emit { long = upper(pad) } }' >rules/each.rule
cat >tocsin.conf <<'END'
engine { rules "rules" state "state" buffer_limit 1MiB checkpoint 1h }
source auth { file "auth-*.ndjson" time ts idle 1h }
sink disk { file "alerts.ndjson" }
END
awk 'BEGIN { pad = "x"; while (length(pad) < 8000) pad = pad pad
    for (i = 0; i < 300; i++) printf "{\"ts\":%d,\"k\":\"k%d\",\"n\":%d,\"pad\":\"%s\"}\n", 1000 + i, i, i, pad }' >auth-first.ndjson

# one_life FAILPOINTS: events wait for a file that says nothing
one_life() {
    rm -rf state alerts.ndjson
    : >auth-last.ndjson
    : >log
    start TOCSIN_FAILPOINTS="$1"
}
# then it says something
the_end() {
    echo '{"ts":2000,"k":"end","n":-1}' >>auth-last.ndjson
    until_true "all alerts" has_lines 300 alerts.ndjson
    stop
    want 0
    plain alerts.ndjson >got
    same got expected
}
# What is written is looked at first: it hangs on when which events come whether it is that which fails, or reading back.
began_again() { grep -q 'msg="begun again' log; }

echo '{"ts":2000,"k":"end","n":-1}' >auth-last.ndjson
run replay -c tocsin.conf
want 0
plain out >expected
lines 300 expected

for failing in spill_write=error@1-2 spill_read=error@1; do
    one_life $failing
    until_true "there is no room" logged 1 'msg="events that wait find no room'
    the_end
    says 'msg="events that wait find room again'
    not_logged 'msg="begun again'
done

spilled() { [ -n "$(find state/spill -name '*.spill' 2>/dev/null)" ]; }
for nth in 2 3 4 2 3 4; do
    one_life spill_read=error@$nth
    until_true "events are on disk" spilled
    the_end
    ! began_again || break
done

# The second epoch has the first alerts. It is under way when events cannot be read back, and is not written for some
# seconds: who began again without it would tell them twice.
settled() {
    kill -USR1 "$daemon"
    sleep 0.05
    logged 1 'msg="figures" epochs=[1-9][0-9]* waiting=0'
}
under_way() {
    kill -USR1 "$daemon"
    sleep 0.05
    logged 1 'msg="figures" epochs=[0-9]* waiting=[1-9]' || has_lines 1 alerts.ndjson
}
for nth in 2 3 4; do
    one_life epoch_numbered=delay:3000@2,store_write=error@4-10,spill_read=error@$nth
    until_true "events are on disk" spilled
    until_true "what the start has to say is durable" settled
    : >log
    echo '{"ts":1010,"k":"some","n":-1}' >>auth-last.ndjson
    until_true "an epoch is under way" under_way
    the_end
    ! began_again || break
done
if began_again; then
    says 'msg="events that wait on disk cannot be read"' 'msg="the state is written again"'
    checks=$((checks + 1))
    [ "$(grep -n 'msg="the state is written again"' log | head -n 1 | cut -d : -f 1)" -lt \
        "$(grep -n 'msg="begun again' log | head -n 1 | cut -d : -f 1)" ] || fault "it began again before it knew what is durable"
fi

done_testing
