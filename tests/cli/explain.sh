#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `tocsin explain`: the text for one rule of each kind (bytes apart: tests/unit/test_explain.c), rules
# by name, --json, --dot.
. "$(cd "$(dirname "$0")" && pwd)/lib.sh"

cat >r.rule <<'END'
stream auth = winlog, radius where event.category == "authentication"
rule child_of_office {
  match by host within 5m select last {
    office: endpoint where name in ["winword.exe", "excel.exe"] and kind == "start"
    not closed: endpoint where kind == "stop" and pid == office.pid
    shell{2}: endpoint where name like "*sh*" and ppid == office.pid
  }
  emit { shell = name }
  suppress 10m
}
rule guesses {
  window sliding 10m by user.id {
    fail: auth where not ok
    having count() > 5 and count_distinct(source.ip) > 2
  }
  emit { last = last(source.ip) }
  to soc
}
rule paid {
  join by order within 0s..1h {
    placed: orders where state == "placed"
    not pay: payments where amount > 0
  }
}
rule new_country {
  novel geo.country by user within 14d after 3d {
    login: auth
  }
  limit values 50 per key
  disabled
}
END

# Lines that go on joined, bytes left out.
plain() {
    awk '/^      [^ ]/ { sub(/^      /, " "); line = line $0; next }
         NR > 1 { print line }
         { line = $0 }
         END { print line }' out | sed 's/[0-9][0-9,.]* \(bytes\|[KMGT]iB\)/N \1/g; s/N [KMGT]iB/N bytes/g' >plain
}

cat >want <<'END'
rule child_of_office: match, severity medium
  What it looks for
    events in this order, the last at most 5m behind the first:
    1. office: an event of endpoint where name in ["winword.exe", "excel.exe"] and kind == "start"
    - no closed: no event of endpoint where kind == "stop" and pid == office.pid, in between
    2. shell: 2 events of endpoint where name like "*sh*" and ppid == office.pid
    select last: at each place one run of a key, the newest; an older one gives way
    then an alert
    after one, further ones are held back for 10m for each key
  Key
    host; each is looked at by itself, and an event without it is left out (`no key` in --stats)
  How events find it
    office: events of source endpoint with kind == "start" (by the index); its whole condition is tried on them
    closed: events of source endpoint with kind == "stop" (by the index); its whole condition is tried on them
    shell: events of source endpoint with exists(name) (by the index); its whole condition is tried on them
  Links
    closed.pid == office.pid
    shell.ppid == office.pid
    runs are looked up by these values, not one by one; `select` takes them as part of the key
  How it is run
    as runs: its conditions compare steps with one another: each run is decided by itself
  What it keeps
    at most 10000 runs for each key of at most 10000 events; a run takes its last event 5m after its first at the latest
    a key N bytes and its texts; an event that is kept N bytes (14 fields that rules read) and its text, as read
    an open run N bytes, and each event in it N bytes and its text
    the longest run, of 3 events: N bytes, and their texts
    a key at worst, with 10,000 such runs: N bytes, and the texts
    the rule never holds more than N bytes: then new keys, runs and values are refused, and counted (`limit state`)
  What it does as time passes
    5m behind a run's first event: the run ends
    10m behind an alert: the next is let through
  Code (fields are those of the event, stepN.field of the last one bound to step N)
    step0 is office
    step1 is closed
    step2 is shell
    office, tried once an event:
       0  FIELD_MATCH    name in ["winword.exe", "excel.exe"]
       1  JUMP_AND       to 3
       2  FIELD_EQ       kind == "start"
       3  RETURN
    closed, tried once an event:
       0  FIELD_EQ       kind == "stop"
       1  RETURN
    closed, tried on each run:
       0  FIELD_STEP     pid == step0.pid
       1  RETURN
    shell, tried once an event:
       0  FIELD_MATCH    name like ["*sh*"]
       1  RETURN
    shell, tried on each run:
       0  FIELD_STEP     ppid == step0.pid
       1  RETURN
    shell, emitted:
       0  FIELD          name
       1  RETURN

rule guesses: window, severity medium
  What it looks for
    at each event, the window of the 10m that end with it:
    - fail: events of auth where not ok
    fires at the event that makes it true, again only once it was false: count() > 5 and count_distinct(source.ip) > 2
    then an alert to soc
  Key
    user.id; each is looked at by itself, and an event without it is left out (`no key` in --stats)
  Streams
    auth: events of winlog and radius where event.category == "authentication"
  How events find it
    fail: every event of source winlog or radius (its `where` has no `field == constant` to look it up by)
  Aggregates
    0: count(), N bytes and what hangs from it
    1: count_distinct(source.ip), N bytes and what hangs from it
    2: last(source.ip), N bytes and what hangs from it
  What it keeps
    the events for each key of the last 10m, and as far as an aggregate has its own `within`; an aggregate holds at most 100000 different values
    a key N bytes and its texts; an event that is kept N bytes (14 fields that rules read) and its text, as read
    a window with one event N bytes, and the event's text
    its last 10 events of each input, kept for alerts: at most N bytes and their texts (`keep`)
    each further event about N bytes: what aggregates keep of it
    the rule never holds more than N bytes: then new keys, runs and values are refused, and counted (`limit state`)
  What it does as time passes
    10m behind the key's last event: the key is dropped
  Code (fields are those of the event, stepN.field of the last one bound to step N)
    fail, tried once an event:
       0  FIELD          ok
       1  NOT
       2  RETURN
    aggregate 1, what it takes:
       0  FIELD          source.ip
       1  RETURN
    aggregate 2, what it takes:
       0  FIELD          source.ip
       1  RETURN
    having, tried when the window may fire:
       0  WINDOW_AGGREGATE 0
       1  COMPARE_CONST   > 5
       2  JUMP_AND       to 5
       3  WINDOW_AGGREGATE 1
       4  COMPARE_CONST   > 2
       5  RETURN
    last, emitted:
       0  WINDOW_AGGREGATE 2
       1  RETURN

rule new_country: novel, severity medium, disabled
  What it looks for
    a value of geo.country that the key has not shown for 14d:
    - login: events of auth
    told only once the key has been known for 3d
    then an alert
  Key
    user; each is looked at by itself, and an event without it is left out (`no key` in --stats)
  Streams
    auth: events of winlog and radius where event.category == "authentication"
  How events find it
    not at all: it is disabled
  What it keeps
    at most 50 values for each key, each until it was not seen for 14d
    a key N bytes and its texts; an event that is kept N bytes (14 fields that rules read) and its text, as read
    each value that is remembered about N bytes (texts of N bytes)
    a key at worst, with 50 values: about N bytes
    the rule never holds more than N bytes: then new keys, runs and values are refused, and counted (`limit state`)
  What it does as time passes
    14d behind a value's last sighting: it is forgotten

rule paid: join, severity medium
  What it looks for
    pairs of events, time(pay) - time(placed) from 0s to 1h:
    - placed: events of orders where state == "placed"
    - pay: events of payments where amount > 0
    only placed without pay is told, when no pay can come any more
    then an alert
  Key
    order; each is looked at by itself, and an event without it is left out (`no key` in --stats)
  How events find it
    placed: events of source orders with state == "placed" (by the index); its whole condition is tried on them
    pay: events of source payments with exists(amount) (by the index); its whole condition is tried on them
  What it keeps
    events for each key: of `placed` those of the last 1h, of `pay` those of the last 0s
    a key N bytes and its texts; an event that is kept N bytes (14 fields that rules read) and its text, as read
    each event that waits for a partner about N bytes, and its text
    the rule never holds more than N bytes: then new keys, runs and values are refused, and counted (`limit state`)
  What it does as time passes
    1h behind an event of placed: it is told alone if it has no partner, and dropped
    0s behind an event of pay: it is dropped
  Code (fields are those of the event, stepN.field of the last one bound to step N)
    step0 is placed
    step1 is pay
    placed, tried once an event:
       0  FIELD_EQ       state == "placed"
       1  RETURN
    pay, tried once an event:
       0  FIELD_COMPARE  amount > 0
       1  RETURN
END
run explain r.rule
want 0
plain
same plain want

# By name; -r takes files alone.
run explain r.rule paid guesses
want 0
prints '^rule paid: ' '^rule guesses: '
checks=$((checks + 1))
[ "$(grep -c '^rule ' out)" -eq 2 ] || fault 'other rules are told of'
run explain -r r.rule paid
want 0
prints '^rule paid: '
run explain r.rule pais
want 2
says 'pais is neither a file nor the name of a rule, did you mean paid'
alerts 0

run explain --json r.rule
want 0
alerts 1
prints '^{"rules":\[{"name":"child_of_office","body":"match"' '"by":"kind == \\"start\\""' '"links":\["closed.pid == office.pid"' \
    '"run_events_most":3' '"severity":"medium","disabled":true'
run explain --json r.rule paid
want 0
prints '^{"rules":\[{"name":"paid","body":"join"'

run explain --dot r.rule
want 0
prints '^digraph rules {$' 'r0_e0 -> r0_e1;' 'not closed' 'shell{2}' '^}$'

run explain
want 2
says 'no rules are named'
run explain no-such.rule
want 2
says 'no-such.rule: No such file'
run explain --json --dot r.rule
want 2
says 'do not go together'
echo 'rule {' >bad.rule
run explain bad.rule
want 2
says '^bad.rule:1:6: error: '
done_testing
