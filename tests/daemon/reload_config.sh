#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# SIGHUP reads the whole configuration: sinks and sources come and go, lateness, routes and limits change, secrets
# are new; mistakes change nothing; what is read at a start alone is told. Killed in the middle of it: nothing is
# lost, nothing comes twice.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"

receiver=
unmount() { [ -z "$receiver" ] || kill "$receiver" 2>/dev/null; }
mkdir rules
cat >rules/one.rule <<'RULE'
rule one { severity low match by k { a: auth where n == 1 } emit { k = k } }
rule two { severity high match by k within 1h { a: auth where n == 2  b: auth where n == 3 } emit { k = k } }
RULE
conf() { # LATENESS MORE...
    lateness=$1
    shift
    cat >tocsin.conf <<END
engine { rules "rules" state "state" }
source auth { file "ev*.ndjson" time ts lateness $lateness idle 1h }
sink disk { file "alerts.ndjson" }
END
    printf '%s\n' "$@" >>tocsin.conf
}
hup() { # waits for PATTERN once more
    seen=$(grep -c -e "$1" log)
    kill -HUP "$daemon"
    until_true "$1" logged $((seen + 1)) "$1"
}
changed() { # and the pipeline runs again
    swaps=$(grep -c 'msg="swapped"' log)
    hup 'msg="the configuration has changed"'
    until_true "it runs again" logged $((swaps + 1)) 'msg="swapped"'
}
ev() { echo "{\"ts\":$1,\"k\":\"$2\",\"n\":$3}" >>ev.ndjson; }
told() { # N FILE KEY
    until_true "$3 in $2" sh -c "[ \"\$(grep -c '\"k\":\"$3\"' '$2' 2>/dev/null)\" = $1 ]"
}
never() { # FILE KEY
    checks=$((checks + 1))
    [ ! -e "$1" ] || ! grep -q "\"k\":\"$2\"" "$1" || fault "$2 is in $1"
}

# ---- a sink more; a source with a rule; routes; a sink less

: >ev.ndjson
: >log
conf 0s
start
until_true "ready" logged 1 'msg="ready"'
ev 100 a 1
told 1 alerts.ndjson a
conf 0s 'sink second { file "second.ndjson" }'
changed
ev 101 b 1
told 1 alerts.ndjson b
told 1 second.ndjson b
never second.ndjson a

ev 102 open 2 # a match that is open over all that follows
echo 'rule three { match by k { a: other where n == 5 } emit { k = k } }' >rules/three.rule
conf 0s 'sink second { file "second.ndjson" }' 'source other { file "other.ndjson" time ts idle 1h }'
changed
echo '{"ts":200,"k":"c","n":5}' >>other.ndjson
told 1 alerts.ndjson c
told 1 second.ndjson c

conf 0s 'sink second { file "second.ndjson" }' 'default_to [disk]' 'route { severity [high] to [second] }' \
    'source other { file "other.ndjson" time ts idle 1h }'
changed
ev 103 open 3
ev 104 d 1
told 1 alerts.ndjson d
told 1 second.ndjson open
never second.ndjson d

rm rules/three.rule
conf 0s
changed
ev 105 e 1
told 1 alerts.ndjson e
never second.ndjson e
in_file log 'positions of a source that is configured no more are kept" source="other"'
told 1 alerts.ndjson a

# ---- nothing that is different; comments

hup 'reload: nothing has changed'
echo '# a comment' >>tocsin.conf
hup 'reload: nothing has changed'

# ---- lateness

ev 90 late 1
ev 110 f 1
told 1 alerts.ndjson f
never alerts.ndjson late
conf 30s
changed
ev 200 g 1
ev 185 not_late 1
ev 300 h 1
told 1 alerts.ndjson not_late
told 1 alerts.ndjson g

# ---- mistakes change nothing, rules neither; what waits for a start

cp tocsin.conf good
sed 's/n == 1/n == 7/' rules/one.rule >changed
cp changed rules/one.rule
echo 'sink more { file "more.ndjson" colour 3 }' >>tocsin.conf
hup 'reload refused: the configuration and the rules that run go on'
in_file log 'category=config .*tocsin.conf:[0-9].*`colour` is no key of a sink'
ev 400 i 1
ev 500 j 1
told 1 alerts.ndjson i
cp good tocsin.conf
one_rule='rule one { severity low match by k { a: auth where n == 1 } emit { k = k } }'
sed -i "s/^rule one.*/$one_rule/" rules/one.rule
sed -i 's/state "state"/state "elsewhere" dead_letter_count 5/' tocsin.conf
hup 'reload: nothing has changed'
in_file log 'is read at the next start" what="`state`, `dead_letter_count`"'
checks=$((checks + 1))
[ ! -e elsewhere ] || fault "there is another state directory"
rm tocsin.conf
hup 'reload refused: the configuration'
in_file log 'cannot read tocsin.conf'
cp good tocsin.conf

# ---- a sink that goes with what waits for it, and comes back

conf 30s 'sink slow { file "missing/slow.ndjson" }'
changed
until_true "it fails" logged 1 'sink="slow"'
ev 600 k 1
ev 700 l 1
told 1 alerts.ndjson k
conf 30s
changed
in_file log 'slow'
ev 800 m 1
told 1 alerts.ndjson l
mkdir missing
conf 30s 'sink slow { file "missing/slow.ndjson" }'
changed
told 1 missing/slow.ndjson k
ev 900 n 1
told 1 alerts.ndjson m
told 1 missing/slow.ndjson m
never missing/slow.ndjson l

# ---- a new secret, from a file

secret() { printf 'whsec_%s' "$(printf '%s-%s' "$1" 0123456789abcdef0123456789ab | base64 -w0)"; }
secret one >secret
python3 "$top_srcdir/tests/webhook/receiver.py" --log got.ndjson --port-file port --secret "$(secret two)" \
    >/dev/null 2>&1 &
receiver=$!
until_true "a receiver" test -s port
hook="sink hook { webhook \"http://127.0.0.1:$(cat port)/\" allow [\"127.0.0.1\"] secret file(\"secret\") retry_least 50ms }"
conf 30s "$hook"
changed
ev 1000 o 1
ev 1100 p 1
until_true "signed with the old secret" sh -c 'grep -q "\"signature\": *\"bad\"" got.ndjson'
secret two >secret
hup 'msg="webhooks have new secrets"'
ev 1200 q 1
ev 1300 r 1
until_true "signed with the new one" sh -c 'grep -q "\"signature\": *\"good\"" got.ndjson'
not_logged 'whsec\|MDEyMzQ1'
hup 'msg="reload: nothing has changed"' # they are not new twice
printf '\n\n' >>secret # nor by line ends behind them
hup 'msg="reload: nothing has changed"'
checks=$((checks + 1))
[ "$(grep -c 'msg="webhooks have new secrets"' log)" = 1 ] || fault "the same secrets are told as new"
stop
want 0
checks=$((checks + 1))
[ "$(grep -c '"k"' alerts.ndjson)" = "$(sed 's/.*"k":"\([^"]*\)".*/\1/' alerts.ndjson | sort -u | wc -l)" ] ||
    fault "an alert was told twice"
kill "$receiver"
receiver=

# ---- killed in the middle of it

rm -rf state alerts.ndjson second.ndjson ev.ndjson other.ndjson
: >log
: >ev.ndjson
line=0
more() {
    awk -v from=$line 'BEGIN { for (i = from; i < from + 40; i++)
        printf "{\"ts\":%d,\"k\":\"u%d\",\"n\":%d}\n", 2000 + i, i % 11, 1 + i % 3 }' >>ev.ndjson
    line=$((line + 40))
}
more
conf 0s
start
rounds=${KILLS:-${TSAN_KILLS:-24}}
for round in $(seq "$rounds"); do
    more
    case $((round % 4)) in
    0) conf 5s 'sink second { file "second.ndjson" }' 'default_to [disk]' ;;
    1) conf 0s 'source other { file "other.ndjson" time ts idle 1h }' ;;
    2) conf 5s 'sink second { file "second.ndjson" }' 'default_to [disk]' 'route { severity [high] to [second] }' ;;
    3) conf 0s ;;
    esac
    kill -HUP "$daemon"
    [ $((round % 3)) -ne 0 ] || { more; kill -HUP "$daemon"; }
    sleep "0.0$((round * 7 % 10))"
    murder
    start
    [ $((round % 2)) -ne 0 ] || until_true "ready" logged $((round / 2)) 'msg="ready"'
done
conf 0s
until_true "ready" logged 1 'msg="ready"'
kill -HUP "$daemon"
"$TOCSIN" replay -c tocsin.conf >expected 2>replayed
plain expected >wanted
all() { plain alerts.ndjson >have && [ "$(wc -l <have)" -ge "$(($(wc -l <wanted) - 3))" ]; }
until_true "all alerts" all
echo '{"ts":900000,"k":"end","n":1}' >>ev.ndjson
told 1 alerts.ndjson end
stop
want 0
checks=$((checks + 1))
grep -v '"k":"end"' alerts.ndjson >told_alerts
plain told_alerts >have
cmp -s have wanted || fault "alerts differ from a replay: $(diff wanted have | head -5 | tr '\n' ';')"
checks=$((checks + 1))
[ "$(wc -l <wanted)" -gt $((rounds * 20)) ] || fault "only $(wc -l <wanted) alerts"
done_testing
