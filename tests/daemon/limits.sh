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
conf 'checkpoint 20ms queue_limit 1MiB stop_within 100ms' 'on_full wait queue_count 40'
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

done_testing
