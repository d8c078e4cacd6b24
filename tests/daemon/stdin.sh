#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tocsind without a configuration: rules in ./rules, events on standard input, alerts on standard output.
# The alerts and their ids are those of `tocsin replay` of the same stream, whatever kills come between.
. "$(cd "$(dirname "$0")" && pwd)/lib.sh"

plain_rules
sed -i 's/auth/events/g' rules/pair.rule
# reads standard input as tocsind does, and remembers the answer
answer() {
    "$TOCSIN" replay -r rules events=- <"$1" >out 2>err
    code=$?
    want 0
    plain out >expected
}
# spooled N FILE: all of the file, N lines of text, is on disk
spooled() {
    size=$(cat tocsin-state/spool/events/*.spool 2>/dev/null | wc -c)
    [ "$size" -eq $(($(wc -c <"$2") + 31 * $1 + 48)) ]
}

# ---- lines of all kinds: offsets, and so ids, are those of the stream

{
    printf '\357\273\277'
    events 0 300
    printf '\n  \n\r\nno json\r\n'
    head -c 20000000 /dev/zero | tr '\0' x
    echo
    events 300 600 | sed 's/$/\r/'
    printf '\n\n'
    events 600 1000
} >all
answer all
command_line=tocsind
"$TOCSIND" <all >stdout 2>log
code=$?
cp log err
want 0
plain stdout >got
same got expected
says 'all input was read' 'longer than max_line' 'a line is no event'
run state inspect tocsin-state
want 0

# ---- killed in the middle; the rest of the stream comes on another standard input

rm -rf tocsin-state
: >stdout
events 0 2000 >all
answer all
head -n 900 all >first
head -n 1300 all | tail -n +901 >second
tail -n +1301 all >third
mkfifo pipe
# half N LINES FILE: a life that gets the file and is killed; the spool then has LINES lines
half() {
    "$TOCSIND" <pipe >>stdout 2>>log &
    daemon=$!
    exec 9>pipe
    cat "$2" >&9
    head -n "$1" all >so_far
    until_true "all is in the spool" spooled "$1" so_far
    murder
    exec 9>&-
}
half 900 first
half 1300 second
"$TOCSIND" <third >>stdout 2>>log
code=$?
cp log err
want 0
plain stdout | uniq >got # standard output is told at least once
same got expected

# ---- a stop, and on with the rest: no alert is lost at the seam

rm -rf tocsin-state
: >stdout
"$TOCSIND" <pipe >>stdout 2>>log &
daemon=$!
exec 9>pipe
cat first >&9
until_true "all is in the spool" spooled 900 first
stop
want 0
exec 9>&-
tail -n +901 all >rest
"$TOCSIND" <rest >>stdout 2>>log
code=$?
cp log err
want 0
plain stdout >got
same got expected

# ---- its end decides what is open; with the next process time goes on behind what was there

cat >tocsin.conf <<'END1'
engine { rules "rules" state "tocsin-state" }
source events { stdin {} time ts late late }
sink disk { file "alerts.ndjson" }
sink late { file "late.ndjson" }
default_to disk
END1
rm -rf tocsin-state alerts.ndjson late.ndjson
mkdir one_rule && mv rules kept_rules && mv one_rule rules
echo 'rule one { match { a: events where exists(ts) } }' >rules/one.rule
for at in 10 20 15 30; do
    echo "{\"ts\":$at}" | "$TOCSIND" -c tocsin.conf >>stdout 2>log
    code=$?
    cp log err
    want 0
    cat log >>all_logs
done
says 'its input had ended: time goes on'
checks=$((checks + 1))
[ "$(grep -c '"rule":"one"' alerts.ndjson)" -eq 3 ] || fault "not three alerts"
echo '{"ts":15}' >expected
same late.ndjson expected
"$TOCSIND" -c tocsin.conf </dev/null >>stdout 2>log
code=$?
cp log err
want 0
same late.ndjson expected
rm -r rules && mv kept_rules rules

# ---- the reader of the alerts goes away: nothing is acknowledged, all is told to the next one

rm -rf tocsin-state late.ndjson
sed 's/file "alerts.ndjson"/stdout {}/; s/^engine {/& stop_within 2s/' tocsin.conf >next.conf
mv next.conf tocsin.conf
answer all
"$TOCSIND" -c tocsin.conf <all 2>log | head -n 0
cp log err
says 'a sink fails'
sed 's/ stop_within 2s//' tocsin.conf >next.conf # who reads has time
mv next.conf tocsin.conf
"$TOCSIND" -c tocsin.conf </dev/null >stdout 2>log
code=$?
cp log err
want 0
plain stdout >got
same got expected

done_testing
