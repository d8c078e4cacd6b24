#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The daemon as an operator sees it: bounded and followed files, restarts, reloads, stops.
. "$(cd "$(dirname "$0")" && pwd)/lib.sh"

mkdir rules
cat >rules/pair.rule <<'END'
rule pair {
  match by k within 10s { a: auth where n == 1  b: auth where n == 2 }
  emit { k = k }
}
rule silent { match by k { a: auth where n == 3  not b: auth where n == 4 within 5s } }
END
cat >tocsin.conf <<'END'
engine { rules "rules" state "state" }
source auth { file "auth-*.ndjson" follow false time ts lateness 2s }
sink disk { file "alerts.ndjson" }
END
for i in $(seq 0 499); do
    echo "{\"ts\":$((1000 + i * 2)),\"k\":\"u$((i % 7))\",\"n\":$((i % 5))}"
done >auth-1.ndjson
echo 'no json' >>auth-1.ndjson

# ---- bounded: the same alerts as a replay, then over; again: nothing is read or told twice

run replay -c tocsin.conf
want 0
plain out >expected
start
wait "$daemon"
code=$?
want 0
cp log err
plain alerts.ndjson >got
same got expected
grep -q '"detected_at":"20' alerts.ndjson || fault "no detected_at"
run state inspect state
want 0
start
wait "$daemon"
code=$?
want 0
plain alerts.ndjson >got
same got expected
in_file log 'its input had ended: time goes on'

# ---- followed: lines that come, a file that comes, a stop that decides nothing

rm -rf state alerts.ndjson
sed -i 's/follow false/idle 1h/' tocsin.conf
: >log
start
until_true "ready" logged 1 'msg="ready"'
echo '{"ts":3000,"k":"x","n":1}' >>auth-1.ndjson
echo '{"ts":3001,"k":"x","n":2}' >>auth-1.ndjson
echo '{"ts":3010,"k":"y","n":3}' >>auth-1.ndjson
printf '{"ts":3012,"k":' >>auth-1.ndjson
until_true "the alert of x" grep -q '"key":{"k":"x"}' alerts.ndjson
stop
want 0
if grep -q '"key":{"k":"y"}.*silent\|silent.*"key":{"k":"y"}' alerts.ndjson; then
    fault "a stop decided what was open"
fi
start
echo '"z","n":0}' >>auth-1.ndjson
echo '{"ts":3030,"k":"z","n":0}' >>auth-1.ndjson
until_true "the alert of y" grep -q '"rule":"silent".*"k":"y"' alerts.ndjson
cp alerts.ndjson before

# ---- SIGHUP: kept, added, refused by mistakes, refused for state

cat >rules/more.rule <<'END'
rule zed { match by k { a: auth where n == 9 } }
END
sed -i 's/within 10s/within 20s/' rules/pair.rule
kill -HUP "$daemon"
until_true "swapped" logged 1 'msg="swapped"'
in_file log '1 kept (pair)\|2 kept' '1 added (zed)'
echo '{"ts":3040,"k":"q","n":9}' >>auth-1.ndjson
echo '{"ts":3050,"k":"q","n":9}' >>auth-1.ndjson
until_true "alerts of the new rule" grep -q '"rule":"zed"' alerts.ndjson
echo 'rule broken {' >rules/broken.rule
kill -HUP "$daemon"
until_true "refused" logged 1 'reload refused'
in_file log 'broken.rule'
rm rules/broken.rule
if grep -q 'the configuration has changed' log; then
    fault "the configuration is said to have changed"
fi
echo '# one more line' >>tocsin.conf
kill -HUP "$daemon"
until_true "no change" logged 1 'nothing has changed'
if grep -q 'the configuration has changed' log; then
    fault "a comment is said to be a change"
fi
stop
want 0

# ---- a broken directory at the start: the rules that ran go on

echo 'rule broken {' >rules/broken.rule
: >log
start
until_true "ready" logged 1 'msg="ready"'
in_file log 'the rules that ran go on'
stop
want 0
rm rules/broken.rule

# ---- beyond `limit alerts`: the rule's dead letters

cat >rules/much.rule <<'END'
rule much { match { a: auth where n == 70 } limit alerts 2 per 1h }
END
: >log
start
until_true "ready" logged 1 'msg="ready"'
sleep 1.2 # limits are looked at once a second
much=$(for i in 1 2 3 4 5; do echo "{\"ts\":$((4000 + i)),\"k\":\"m$i\",\"n\":70}"; done)
printf '%s\n{"ts":4100,"k":"z","n":0}\n' "$much" >>auth-1.ndjson
for i in $(seq 1 600); do
    grep -q 'a limit of a rule cuts' log && break
    sleep 0.2
    echo "{\"ts\":$((4100 + i)),\"k\":\"z\",\"n\":0}" >>auth-1.ndjson
done
in_file log 'a limit of a rule cuts.*rule="much".*alerts=[1-3]' # it may look between two of them
until_true "two alerts" grep -q '"rule":"much".*"k":"m2"\|"k":"m2".*"rule":"much"' alerts.ndjson
stop
want 0
run state dead-letters list state
want 0
checks=$((checks + 1))
[ "$(grep -c 'limit alerts' out)" -eq 3 ] || fault "not three dead letters of the rule much"
rm rules/much.rule

# ---- two daemons of one state directory, a directory of something else

start
until_true "ready" logged 2 'msg="ready"'
"$TOCSIND" -c tocsin.conf >out 2>err
code=$?
want 1
says 'cannot start'
stop
want 0
mkdir foreign && echo 1 >foreign/file
sed 's/state "state"/state "foreign"/' tocsin.conf >foreign.conf
"$TOCSIND" -c foreign.conf >out 2>err
code=$?
want 1
says 'cannot start'

# ---- a first start that is refused leaves nothing; no file yet; what a reload brings

rm -rf state alerts.ndjson rules foreign.conf
mkdir rules
echo 'rule x { match { a: auth where } }' >rules/x.rule
"$TOCSIND" -c tocsin.conf >out 2>err </dev/null
code=$?
want 2
says 'cannot start' 'expected an expression'
checks=$((checks + 1))
[ ! -e state ] || fault "a state directory was made: $(find state)"
echo 'rule x { match { a: auth where n == 1 } }' >rules/x.rule
sed -i 's/auth-\*/none-*/; s/lateness 2s/lateness 5s/' tocsin.conf
: >log
start
until_true "that there is no file" logged 1 'no file matches.*source="auth" path="none-\*.ndjson"'
echo 'source other { file "other.ndjson" }' >>tocsin.conf
echo 'rule y { match { a: other where n == 1 } }' >rules/y.rule
kill -HUP "$daemon"
until_true "the source is there" logged 1 'the configuration has changed" sources=2'
until_true "and its rule" logged 1 'msg="swapped"'
printf '{"ts":100,"n":0}\n{"ts":88.5,"n":1}\n' >none-1.ndjson
until_true "how late" logged 1 'late events.*12s behind the latest of its partition, and `lateness` is 5s'
until_true "what would help" logged 1 'late events.*with `lateness 12s` in the source'
stop
want 0

# ---- what a rule keeps of a key, of a daemon that does not run

rm -rf state rules auth-* alerts.ndjson
: >log
mkdir rules
cat >rules/kept.rule <<'END'
rule kept { match by k within 10s { a: auth where n == 1  b: auth where n == 2 } emit { k = k } }
END
cat >tocsin.conf <<'END'
engine { rules "rules" state "state" }
source auth { file "auth-*.ndjson" time ts idle 1h }
sink disk { file "alerts.ndjson" }
END
printf '{"ts":%s,"k":"%s","n":%s}\n' 100 open 1 101 told 1 102 told 2 103 later 9 >auth-1.ndjson
start
until_true "the alert of told" grep -q '"key":{"k":"told"}' alerts.ndjson
stop
want 0
run state inspect --rule kept --key open state
want 0
prints '^  "open": 1 run, ' '"runs":\[{"at":\["a"\],"next":\["b"\],.*"event":{"ts":100,"k":"open","n":1}}\]'
echo 'rule kept {' >rules/kept.rule # the rules are those of the state
run state inspect --rule kept --key '"open"' state
want 0
prints '"runs":'
done_testing
