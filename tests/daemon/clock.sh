#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The wall clock is stepped a day both ways while the daemon runs: idle, quiet, checkpoints and alert_delay
# go by the monotonic clock. `future` is judged by the wall clock at arrival; what is set aside moves no time.
. "$(cd "$(dirname "$0")" && pwd)/lib.sh"
has_failpoints || skip "clocks that step: this needs configure --enable-failpoints"

cat >tocsin.conf <<'END1'
engine { rules "rules" state "state" checkpoint 50ms alert_delay 5ms }
source auth  { file "auth.ndjson"  time ts idle 1s dead_letter dead }
source other { file "other.ndjson" time ts idle 1h dead_letter dead }
sink disk { file "alerts.ndjson" }
sink dead { file "dead.ndjson" }
default_to disk
END1
mkdir rules
cat >rules/all.rule <<'END1'
rule seen { match by k { a: auth where n == 1 } emit { k = k } }
rule silent { match by k { a: auth where n == 3  not b: auth where n == 4 within 3s } }
END1
: >auth.ndjson
: >other.ndjson
day=86400000000000
# step NS: the wall clock is that far off
step() {
    echo "$1" >offset.new
    mv offset.new offset
}
step 0
base=$(($(date +%s) - 5000))
at=0
# line K N [SECONDS]: an event 100 s behind the one before; or so far from now, and the next ones go on as before
line() {
    at=$((at + 100))
    echo "{\"ts\":$((base + ${3:-$at})),\"k\":\"$1\",\"n\":$2}" >>auth.ndjson
}
told() { grep -q "\"rule\":\"$1\".*\"k\":\"$2\"" alerts.ndjson 2>/dev/null; }
not_told() {
    checks=$((checks + 1))
    ! told "$1" "$2" || fault "$1 of $2 was told"
}
begin() {
    ready=$(grep -c 'msg="ready"' log)
    start TOCSIN_CLOCK_OFFSET="$work/offset"
    until_true "ready" logged $((ready + 1)) 'msg="ready"'
}
: >log

# ---- steps: alerts go out, absences are told by quiet time, nothing is told early or waits for a day

begin
line first 1
until_true "an alert" told seen first
for to in $day 0 -$day; do
    line "a$to" 1
    line "b$to" 3
    until_true "an alert before the step" told seen "a$to"
    step "$to"
    until_true "the absence, by quiet time" told silent "b$to"
    line "c$to" 1
    [ "$to" = "-$day" ] || until_true "an alert after the step" told seen "c$to"
done
# with the clock a day back, an event of `now' was far ahead
until_true "set aside" grep -q "c-$day" dead.ndjson
in_file dead.ndjson 'too far ahead of its arrival'
step 0

# ---- a year ahead: set aside, time stays, before and after a restart

line year 1 31536000
until_true "the year is set aside" grep -q '"k\\":\\"year' dead.ndjson
line after 1
until_true "an alert after it" told seen after
figures() { kill -USR1 "$daemon" && logged "$@"; } # they are a moment old
until_true "figures" figures 1 'msg="figures" source=.* events=.* late=0 .*set_aside=[2-9]'
murder
begin
line again 1
until_true "an alert after the restart" told seen again
stop
want 0
begin
line year 1 31536001
line last 1
until_true "an alert after the stop" told seen last
stop
want 0
not_told seen year
checks=$((checks + 1))
[ "$(grep -c 'year' dead.ndjson)" -eq 2 ] || fault "$(grep -c year dead.ndjson) dead letters of two years ahead"
checks=$((checks + 1))
[ "$(grep -c 'seen' alerts.ndjson)" -eq "$(grep -o '"rule":"seen".*' alerts.ndjson | sort -u | wc -l)" ] ||
    fault "an alert was told twice"

# ---- a clock that was ahead and is put right: what waits does not wait until then

step $day
begin
line ahead 1 89000
until_true "an alert of tomorrow" told seen ahead
step 0
line silent 3 89001
until_true "the event is set aside now" grep -q '"k\\":\\"silent' dead.ndjson
stop
want 0

done_testing
