#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A change of rules while tocsind runs: what each body's old version still tells, where the new one begins,
# over kills, quick changes, refusals, late events, several groups of sources.
. "$(cd "$(dirname "$0")/../cli" && pwd)/lib.sh"
TOCSIND=${TOCSIND:-$(dirname "$TOCSIN")/tocsind}

start() {
    command_line="tocsind -c tocsin.conf"
    ready=$(grep -c 'msg="ready"' log)
    "$TOCSIND" -c tocsin.conf >>stdout 2>>log &
    daemon=$!
    until_true "ready" logged $((ready + 1)) 'msg="ready"'
}
stop() {
    kill -TERM "$daemon"
    code=0
    wait "$daemon" || code=$?
    want 0
}
kill_it() {
    kill -KILL "$daemon"
    wait "$daemon" 2>/dev/null
}
until_true() {
    what=$1
    shift
    checks=$((checks + 1))
    for _ in $(seq 4800); do
        "$@" && return
        sleep 0.05
    done
    fault "never: $what"
    cp log err
}
logged() { [ "$(grep -c "$2" log)" -ge "$1" ]; }
# A swap also ends what has drained: the one that is wanted comes behind the message of the reload.
swapped() {
    logged "$1" 'msg="reload"' && awk '/msg="reload"/ { n = 0 } /msg="swapped"/ { n = 1 } END { exit !n }' log
}
hup() {
    reloads=$(grep -c 'msg="reload"' log)
    kill -HUP "$daemon"
    until_true "swapped" swapped $((reloads + 1))
}
# ev TIME KEY N: one line more
ev() { echo "{\"ts\":$1,\"k\":\"$2\",\"n\":$3}" >>ev.ndjson; }
# sync TIME: all that was written so far was given to the rules, and is durable
marks=0
sync_at() {
    marks=$((marks + 1))
    ev "$1" "m$marks" 99
    until_true "mark $marks" grep -q "\"rule\":\"mark\".*\"k\":\"m$marks\"" alerts.ndjson
}
# told RULE LINE...: its alerts are those, as "time key version n" (n: if it emits one), in any order
told() {
    rule=$1
    shift
    checks=$((checks + 1))
    grep "\"rule\":\"$rule\"" alerts.ndjson |
        sed 's/.*"time":"\([^"]*\)".*"key":{"k":"\([^"]*\)"},"fields":{"v":"\([^"]*\)"\(,"n":\([0-9]*\)\)*\(,"more":[0-9]*\)*}.*/\1 \2 \3 \5/; s/1970-01-01T//; s/ $//' |
        sort >got
    printf '%s\n' "$@" | sort | sed '/^$/d' >expected
    cmp -s got expected && return
    fault "alerts of $rule: $(diff expected got | tr '\n' ';')"
}

MARK='rule mark { match by k { a: ev where n == 99 } }'
old_rules() {
    cat >rules/all.rule <<END
rule seq { match by k within 100s { a: ev where n == 1  b: ev where n == 2  c: ev where n == 3 } emit { v = "old" } }
rule gone { match by k within 100s { a: ev where n == 1  b: ev where n == 3 } emit { v = "old" } }
rule tum { window tumbling 60s by k { s: ev where n < 90 } emit { v = "old"  n = count() } }
rule hop { window hopping 60s every 20s by k { s: ev where n == 8 } emit { v = "old"  n = count() } }
rule pair { join by k within 50s { a: ev where n == 5  b: ev where n == 6 } emit { v = "old" } }
rule sess { window session 30s by k { s: ev where n == 7 } emit { v = "old"  n = count() } }
rule slide { window sliding 60s by k { s: ev where n == 9 having count() >= 2 fire on every match } on_reload drain emit { v = "old"  n = count() } }
$MARK
END
}
new_rules() {
    cat >rules/other.rule <<END
rule seq { match by k within 100s { x: ev where n == 1  y: ev where n == 2  z: ev where n == 3 } emit { v = "new" } }
rule tum { window tumbling 60s by k { s: ev where n < 90 } emit { v = "new"  n = count()  more = sum(n) } }
rule hop { window hopping 60s every 20s by k { s: ev where n == 8 } emit { v = "new"  n = count()  more = sum(n) } }
rule pair { join by k within 50s { x: ev where n == 5  y: ev where n == 6 } emit { v = "new" } }
rule sess { window session 30s by k { s: ev where n == 7 } emit { v = "new"  n = count()  more = sum(n) } }
rule slide { window sliding 60s by k { s: ev where n == 9 having count() >= 2 fire on every match } on_reload drain emit { v = "new"  n = count()  more = sum(n) } }
$MARK
END
    rm rules/all.rule
}

mkdir rules
cat >tocsin.conf <<'END'
engine { rules "rules" state "state" }
source ev { file "ev*.ndjson" time ts lateness 0s idle 1h }
sink disk { file "alerts.ndjson" }
END
: >log; : >out; : >err

# ---- each body; killed while it drains

old_rules
: >ev.ndjson
start
ev 1205 a 1; ev 1206 a 2      # seq is open
ev 1207 a 5                   # pair, too
ev 1208 a 7                   # a session
ev 1209 a 8
ev 1209 a 9; ev 1209 a 9
sync_at 1210
new_rules
hup
in_file log '4 drained (hop pair seq sess\|5 drained (hop pair seq sess tum)' '1 fresh (slide)' '1 removed (gone)' \
    'what="drained: its keys, elements or windows are others' 'what="fresh: '
ev 1215 a 3                   # the old run is complete
ev 1216 b 1; ev 1217 b 2; ev 1218 b 3
ev 1219 a 6; ev 1220 b 5; ev 1221 b 6
ev 1222 a 7
ev 1222 a 8
ev 1223 a 9; ev 1223 a 9
sync_at 1224
kill_it
start
ev 1225 a 3
ev 1230 a 6; ev 1235 a 7
ev 1241 a 8
ev 1262 a 0; ev 1300 a 0
sync_at 1301
kill_it
start
ev 1400 a 0
ev 1600 a 0
sync_at 1700
told seq "00:20:15Z a old" "00:20:18Z b new"
told gone ""
told tum "00:21:00Z a old 17" "00:21:00Z b old 5" "00:22:00Z a new 2" "00:24:00Z a new 1" "00:27:00Z a new 1"
told hop "00:20:20Z a old 1" "00:20:40Z a old 2" "00:21:00Z a old 3" "00:21:20Z a new 2" "00:21:40Z a new 1"
told pair "00:20:19Z a old" "00:20:30Z a old" "00:20:21Z b new"
told sess "00:21:05Z a old 3" "00:21:05Z a new 2"
told slide "00:20:09Z a old 2" "00:20:23Z a new 2"
until_true "the old set has ended" logged 1 'an old set of rules has ended'
stop
run state inspect state
want 0
start
if grep -q drained out; then fault "something is still drained"; fi

# ---- quick changes: two old generations, then a removal that takes all versions along

change() { # VERSION NAMES...
    sed -i "s/^rule twice.*/rule twice { match by k within 1000s { $2: ev where n == 1  $3: ev where n == 2 } emit { v = \"$1\" } }/" rules/other.rule
}
echo 'rule twice { disabled match by k { a: ev } }' >>rules/other.rule
change one p q
hup
ev 1701 c 1
sync_at 1702
change two r s
kill -HUP "$daemon"
change three t u
kill -HUP "$daemon" # two signals may become one, and both may find the last text
same=$(grep -c 'nothing has changed' log)
again() { kill -HUP "$daemon" && logged $((same + 1)) 'nothing has changed'; }
until_true "all is read" again
ev 1703 d 1
sync_at 1704
change four v w
hup
ev 1705 e 1
sync_at 1706
ev 1707 c 2; ev 1708 d 2; ev 1709 e 2
sync_at 1710
told twice "00:28:27Z c one" "00:28:28Z d three" "00:28:29Z e four"
ev 1711 f 1
sync_at 1712
change five x y
hup
sed -i '/^rule twice/d' rules/other.rule
hup
in_file log '1 removed (twice)'
ev 1713 f 2
sync_at 1714
told twice "00:28:27Z c one" "00:28:28Z d three" "00:28:29Z e four"

# ---- refused: nothing changes, what drains goes on draining

cat >>rules/other.rule <<'END'
rule news { novel n by k within 1d { s: ev where n == 20 } emit { v = "old" } }
rule last { match by k within 1000s { a: ev where n == 1  b: ev where n == 2 } emit { v = "old" } }
END
hup
ev 1715 g 1
sync_at 1716
sed -i 's/^rule last.*/rule last { match by k within 1000s { c: ev where n == 1  d: ev where n == 2 } emit { v = "new" } }/' rules/other.rule
hup
refused=$(grep -c 'reload refused' log)
cp rules/other.rule kept
sed -i 's/novel n by k/novel n, k by k/; s/v = "new" } }$/v = "never" } }/' rules/other.rule
kill -HUP "$daemon"
until_true "refused" logged $((refused + 1)) 'reload refused'
in_file log '1 refused (news)'
cp kept rules/other.rule
echo 'rule broken {' >rules/broken.rule
kill -HUP "$daemon"
until_true "refused again" logged $((refused + 2)) 'reload refused'
in_file log 'why=".*broken\.rule:1:13: error: this `{` is not closed (the file ends before `}`)"$'
rm rules/broken.rule
ev 1717 h 1; ev 1718 g 2; ev 1719 h 2
sync_at 1720
told last "00:28:38Z g old" "00:28:39Z h new"

# ---- a change while it is down; rules that move, are renamed, are disabled

ev 1721 i 1
sync_at 1722
stop
grep '^rule last' rules/other.rule | sed 's/ c: / e: /; s/"new"/"newest"/' >rules/moved.rule
sed -i '/^rule last/d' rules/other.rule
start
ev 1723 i 2; ev 1724 k 1; ev 1725 k 2
sync_at 1726
told last "00:28:38Z g old" "00:28:39Z h new" "00:28:43Z i new" "00:28:45Z k newest"
ev 1727 l 1
sync_at 1728
sed -i 's/^rule last {/rule last { disabled/' rules/moved.rule
hup
ev 1729 l 2
sync_at 1730
sed -i 's/disabled//' rules/moved.rule
hup
ev 1731 l 2; ev 1732 o 1
sync_at 1733
sed -i 's/^rule last/rule renamed/' rules/moved.rule
hup
in_file log '1 added (renamed)'
ev 1734 o 2
sync_at 1735
told last "00:28:38Z g old" "00:28:39Z h new" "00:28:43Z i new" "00:28:45Z k newest"
told renamed ""
stop

# ---- late events find their version; several groups: each rule has its own group's time

rm -rf state rules alerts.ndjson ev.ndjson
mkdir rules
cat >tocsin.conf <<'END'
engine { rules "rules" state "state" }
source ev { file "ev*.ndjson" time ts lateness 0s idle 1h }
source far { file "far*.ndjson" time ts lateness 0s idle 1h }
sink disk { file "alerts.ndjson" }
END
cat >rules/a.rule <<END
rule lates { window tumbling 60s by k { s: ev where n < 90  allow late 1000s } emit { v = "old"  n = count() } }
rule dist { window tumbling 60s by k { s: far where n < 90 } emit { v = "old"  n = count() } }
$MARK
rule far_mark { match by k { a: far where n == 99 } }
END
sed -i 's/where n < 90  allow/where n < 90 allow/' rules/a.rule
: >far.ndjson
: >ev.ndjson
start
ev 1205 a 1
echo '{"ts":90005,"k":"a","n":1}' >>far.ndjson
echo '{"ts":90006,"k":"fm1","n":99}' >>far.ndjson
until_true "far mark" grep -q '"k":"fm1"' alerts.ndjson
sync_at 1210
sed -i 's/n = count() }/n = count()  more = sum(n) }/; s/"old"/"new"/' rules/a.rule
hup
ev 1220 a 1; ev 1262 a 1
ev 1211 a 1      # late: the old version's window, which was told
ev 1261 b 1      # late: the new version's, open
ev 1310 a 1
ev 1330 a 1
ev 1212 c 1      # a key that it had not
ev 1263 a 1      # the new version's, which was told
echo '{"ts":90010,"k":"a","n":1}' >>far.ndjson
echo '{"ts":90025,"k":"a","n":1}' >>far.ndjson
echo '{"ts":90100,"k":"a","n":1}' >>far.ndjson
echo '{"ts":90200,"k":"fm2","n":99}' >>far.ndjson
until_true "far mark" grep -q '"k":"fm2"' alerts.ndjson
sync_at 1400
told lates "00:21:00Z a old 2" "00:21:00Z a old 3" "00:21:00Z c old 1" "00:22:00Z a new 2" \
    "00:22:00Z b new 1" "00:22:00Z a new 3" "00:23:00Z a new 1"
sed -i 's/1970-01-02T//' alerts.ndjson
told dist "01:01:00Z a old 3" "01:02:00Z a new 1"
stop

# ---- an event that only the old version wants; streams that have other numbers; groups that become one,
# whose times are far apart; a table that both versions are fed

rm -rf state rules alerts.ndjson ev.ndjson far.ndjson
mkdir rules
cat >rules/a.rule <<END
table seen = from ev key k
rule only { match by k within 1000s { a: ev where n == 1  b: ev where n == 30 and k in seen } emit { v = "old" } }
rule keeps { match by k within 1000s { a: ev where n == 3  b: ev where n == 4 } emit { v = "same" } }
rule there { match by k within 1000s { a: far where n == 3  b: far where n == 4 } emit { v = "same" } }
rule wide { window tumbling 60s by k { s: far where n == 5 } emit { v = "old"  n = count() } }
$MARK
rule far_mark { match by k { a: far where n == 99 } }
END
: >far.ndjson
: >ev.ndjson
far() { echo "{\"ts\":$1,\"k\":\"$2\",\"n\":$3}" >>far.ndjson; }
start
far 5000 a 3
far 5001 a 5
far 5002 fm1 99
until_true "far mark" grep -q '"k":"fm1"' alerts.ndjson
ev 1000 a 1; ev 1001 a 3
sync_at 1002
cat >rules/b.rule <<END
stream aaa = far where n == 7
rule both { match by k within 9000s { a: ev where n == 6  b: aaa } emit { v = "both" } }
END
sed -i 's/^rule only.*/rule only { match by k within 1000s { c: ev where n == 1  d: ev where n == 40 and k in seen } emit { v = "new" } }/
    s/^\(rule wide.*\)n = count() }/\1n = count()  more = sum(n) }/; /^rule wide/s/"old"/"new"/' rules/a.rule
hup
ev 1003 a 30
ev 1004 a 4
ev 1005 a 6
far 5003 a 4; far 5004 a 5; far 5005 a 7; far 5050 a 5
sync_at 4990    # one stream now: far waits for ev
kill_it
start
ev 5200 a 0; far 5200 fm2 99; ev 5201 a 0; far 5210 a 0
until_true "far mark" grep -q '"k":"fm2"' alerts.ndjson
sync_at 5202
told only "00:16:43Z a old"
told keeps "00:16:44Z a same"
told there "01:23:23Z a same"
told both "01:23:25Z a both"
told wide "01:24:00Z a old 2" "01:25:00Z a new 1"
stop

# ---- files that rules read: only their contents change, while it runs and while it does not

rm -rf state rules alerts.ndjson ev.ndjson far.ndjson
mkdir rules
cat >rules/a.rule <<END
table owners = file "owners.csv" key k
list hot = file "hot.txt"
rule owned { match by k { a: ev where n == 1 and k in owners } emit { v = owners[k].who } }
rule listed { match by k { a: ev where n == 2 and k in hot } emit { v = "hot" } }
rule open { match by k within 1000s { a: ev where n == 3  b: ev where n == 4 } emit { v = owners[k].who } }
$MARK
END
printf 'k,who\na,one\n' >rules/owners.csv
echo a >rules/hot.txt
: >far.ndjson
: >ev.ndjson
start
ev 1000 a 1; ev 1000 b 1; ev 1000 b 2; ev 1000 a 3
sync_at 1001
printf 'k,who\na,two\nb,new\n' >rules/owners.csv
echo b >rules/hot.txt
hup
in_file log '4 kept'
ev 1002 a 1; ev 1002 b 1; ev 1002 b 2; ev 1003 a 4
sync_at 1004
printf 'k,who\na,two\nb,new\nb,twice\n' >rules/owners.csv
kill -HUP "$daemon"
until_true "refused" grep -q "owners.csv:4: the key .b. is there already" log
ev 1005 a 1
sync_at 1006
stop
printf 'k,who\na,three\n' >rules/owners.csv
start
ev 1007 a 1
sync_at 1008
kill -HUP "$daemon"
until_true "the same" grep -q 'nothing has changed' log
told owned "00:16:40Z a one" "00:16:42Z a two" "00:16:42Z b new" "00:16:45Z a two" "00:16:47Z a three"
told listed "00:16:42Z b hot"
told open "00:16:43Z a two"
stop

done_testing
