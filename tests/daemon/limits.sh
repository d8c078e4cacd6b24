#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Bounds: queues of sinks that cannot write, dead letters and their replay, alerts and state that are limited,
# memory that is too small for the state. Nothing goes but what may go, and that is told.
. "$(cd "$(dirname "$0")" && pwd)/lib.sh"

plain_rules
events 0 3000 >auth.ndjson
# conf ENGINE SINK: what stands in the two blocks
conf() {
    cat >tocsin.conf <<END1
engine { rules "rules" state "state" $1 }
source auth { file "auth.ndjson" follow false time ts lateness 2s }
sink disk { file "there/alerts.ndjson" $2 }
END1
}
fresh() {
    rm -rf state there
    : >log
}

# ---- on_full wait: sources wait until the sink works again

events 0 40000 >auth.ndjson
conf 'checkpoint 20ms queue_limit 1MiB' 'on_full wait queue_count 40'
run replay -c tocsin.conf
want 0
plain out >expected
fresh
start
until_true "input waits" logged 1 'input waits'
mkdir there
ended
want 0
plain there/alerts.ndjson >got
same got expected
says 'a sink fails' 'a sink works again' 'input goes on'

# stopped and killed while it waits
conf 'checkpoint 20ms queue_limit 1MiB stop_within 100ms' 'on_full wait queue_count 40'
fresh
start
until_true "input waits" logged 1 'input waits'
murder
start
until_true "input waits" logged 2 'input waits'
stop
mkdir there
sed -i 's/stop_within 100ms//' tocsin.conf
start
ended
want 0
plain there/alerts.ndjson >got
same got expected

events 0 3000 >auth.ndjson
run replay -c tocsin.conf
want 0
plain out >expected

# ---- alerts that are found faster than the database takes them: input waits, memory does not grow

if has_failpoints; then
    mv rules rules.kept
    mkdir rules
    echo 'rule each { match { a: auth where n >= 0 } }' >rules/each.rule
    events 0 30000 >auth.ndjson
    conf 'checkpoint 20ms checkpoint_bytes 64KiB queue_limit 1MiB' ''
    run replay -c tocsin.conf
    want 0
    plain out >expected
    fresh
    mkdir there
    start TOCSIN_FAILPOINTS=store_write=delay:1500@4-5
    ended
    want 0
    plain there/alerts.ndjson >got
    same got expected
    says 'input waits' 'input goes on'
    rm -rf rules
    mv rules.kept rules
    events 0 3000 >auth.ndjson
    conf '' ''
    run replay -c tocsin.conf
    want 0
    plain out >expected
fi

# ---- on_full dead_letter: what does not fit is a dead letter, and comes with a replay of those

conf 'checkpoint 20ms stop_within 100ms' 'queue_count 40'
fresh
start
ended
want 0
run state dead-letters list state
want 0
prints 'disk'
waits=$(wc -l <expected)
alerts $((waits - 40))
mkdir there
conf 'checkpoint 20ms' ''
run state dead-letters replay state all
want 0
start
ended
want 0
plain there/alerts.ndjson >got
same got expected
run state dead-letters list state
want 0
alerts 0

# ---- limits of rules: the same as in a replay

cat >rules/limited.rule <<'END1'
rule few { match by k { a: auth where n == 1 } limit alerts 3 per 1m }
rule small { match by k { a: auth where n == 1  b: auth where n == 9 within 1h } limit runs 2 per key }
END1
run check rules
want 0
fresh
mkdir there
run replay -c tocsin.conf
want 0
plain out >expected
start
ended
want 0
plain there/alerts.ndjson >got
same got expected
rm rules/limited.rule

# ---- state larger than memory

cat >rules/pair.rule <<'END1'
rule pair { match by k within 20h { a: auth where n == 1  b: auth where n == 2 } emit { k = k } }
END1
awk 'BEGIN { for (i = 0; i < 60000; i++)
    printf "{\"ts\":%d,\"k\":\"key-%d-%060d\",\"n\":%d}\n", 1000 + i, i % 30000, i % 30000, i < 30000 ? 1 : 2 }' >auth.ndjson
conf 'memory_limit 16MiB buffer_limit 1MiB queue_limit 1MiB checkpoint_bytes 1MiB' ''
fresh
mkdir there
run replay -c tocsin.conf
want 0
plain out >expected
lines 30000 expected
start
ended
want 0
plain there/alerts.ndjson >got
same got expected

# ---- events that wait for a file that says nothing go to disk, of each group to its own place; killed, too

rm -rf rules state alerts.ndjson
mkdir rules
for source in auth net web; do # three groups: what one may keep is less than one intake
    echo "rule each_$source { match by k { a: $source where n >= 0 } emit { long = upper(pad) } }" >rules/$source.rule
    : >$source-last.ndjson
    awk 'BEGIN { pad = "x"; while (length(pad) < 8000) pad = pad pad
        for (i = 0; i < 120; i++) printf "{\"ts\":%d,\"k\":\"k%d\",\"n\":%d,\"pad\":\"%s\"}\n", 1000 + i, i, i, pad }' >$source-first.ndjson
done
cat >tocsin.conf <<'END1'
engine { rules "rules" state "state" buffer_limit 1MiB checkpoint 50ms }
source auth { file "auth-*.ndjson" time ts idle 1h }
source net  { file "net-*.ndjson" time ts idle 1h }
source web  { file "web-*.ndjson" time ts idle 1h }
sink disk { file "alerts.ndjson" }
END1
: >log
spilled() {
    for group in 0 1 2; do
        [ -n "$(find state/spill -path "*/$group/*.spill" 2>/dev/null)" ] || return 1
    done
}
start
until_true "all groups have events on disk" spilled
murder
mkdir -p state/spill/7 && echo left >state/spill/7/3.spill
start
until_true "all groups have events on disk, again" spilled
for source in auth net web; do echo '{"ts":2000,"k":"end","n":-1}' >>$source-last.ndjson; done
until_true "all alerts" has_lines 360 alerts.ndjson
stop
want 0
run replay -c tocsin.conf
want 0
plain out >expected
plain alerts.ndjson >got
same got expected
checks=$((checks + 1))
[ -z "$(find state/spill -type f)" ] || fault "left on disk: $(find state/spill)"

done_testing
