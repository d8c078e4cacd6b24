#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Routes: sinks by severity (constant and computed), tags, names, `to` and default_to, each alert once in
# each sink; changes of rules; windows of mute over kills: what is muted is passed over for good, nothing
# else is lost or told twice.
. "$(cd "$(dirname "$0")" && pwd)/lib.sh"

# in_sink FILE RULE:N...: these alerts, each once, in any order (n is the event's number)
in_sink() {
    file=$1
    shift
    checks=$((checks + 1))
    sed 's/.*"rule":"\([^"]*\)".*"fields":{"n":\([0-9]*\)}.*/\1:\2/' "$file" | sort >got
    printf '%s\n' "$@" | sed '/^$/d' | sort >expected
    cmp -s got expected || fault "$file: $(diff expected got | tr '\n' ';')"
}
ev() { echo "{\"ts\":$1,\"k\":\"a\",\"n\":$2}" >>ev.ndjson; }
sinks='
sink disk  { file "disk.ndjson" }
sink soc   { file "soc.ndjson" }
sink pager { file "pager.ndjson" }
sink net   { file "net.ndjson" }
'
rule() { echo "rule $1 { severity $2 tags [$3] match by k { a: ev where n % 10 == $4 } emit { n = n } ${5-} }"; }

# ---- where alerts go

mkdir rules
{
    rule ssh_low low '"attack.t1110", "net"' 1
    rule ssh_high high '"other"' 2
    rule web_to high '"attack.x"' 3 'to [pager, soc]'
    rule computed 'if(n > 50, "critical", "info")' '' 4
    rule plain medium '"attack"' 5
    rule limited high '"late"' 6 'limit alerts 2 per 1h'
} >rules/all.rule
cat >tocsin.conf <<END
engine { rules "rules" state "state" checkpoint 50ms alert_delay 5ms }
source ev { file "ev.ndjson" time ts }
$sinks
default_to [disk]
route { severity [high, critical]  to [soc] }
route { severity critical  to [pager] }
route { tags "attack.*"  to [net] }
route { rules ["*_low", "web_??"]  tags ["net", "attack.x"]  to [net, soc] }
END
"$TOCSIND" --check -c tocsin.conf >out 2>err
prints '^  info, low, medium: disk; high: disk, soc (route); critical: disk, soc (route), pager (route)$' \
    '^      computed$' \
    '^  disk, soc (route), net (route)$' '^      ssh_low$' '^  soc, pager, net (route)$' '^      web_to$' \
    '^      limited, ssh_high$'

# what often is a mistake
cat >wrong.conf <<END
engine { rules "rules" state "state" }
source ev { file "ev.ndjson" time ts }
$sinks
sink idle { file "idle.ndjson" }
default_to [disk]
route { rules "sshd*"  to [soc] }
route { tags ["net", "nte"]  to [pager] }
route { severity [low, medium]  tags "late"  to [soc] }
route { rules "ssh_low"  to [disk, net]  mute "22:00-06:00" }
END
"$TOCSIND" --check -c wrong.conf >out 2>err || fault "--check ended with $?"
says '^wrong.conf:[0-9]*:1: warning: no alert can go by this route: no rule has such a name$' \
    '^wrong.conf:[0-9]*:1: warning: no rule has a tag like `nte`$' \
    '^wrong.conf:[0-9]*:1: warning: no alert can go by this route: no rule has all that it asks for$' \
    '^wrong.conf:[0-9]*:1: warning: `mute` changes nothing for sink `disk`$'
prints '^no alert goes to idle$'
: >log
: >ev.ndjson
for n in 1 2 3 4 5 6 14 16 26 36 54 64; do
    ev $((1000 + n)) $n
done
ev 9000 1001
start
until_true "the last alert" grep -q '"n":1001' net.ndjson 2>/dev/null
until_true "the last alert" grep -q '"n":1001' soc.ndjson 2>/dev/null
until_true "the last alert" grep -q '"n":1001' disk.ndjson 2>/dev/null
stop
want 0
# `limit alerts` tells by an alert of its own how many it held: it has the rule's severity
grep -c '"limited":2' soc.ndjson >count || :
[ "$(cat count)" -eq 1 ] || fault "the alert of limit alerts is $(cat count) times in soc.ndjson"
for file in disk soc; do
    grep -v '"limited":2' $file.ndjson >t
    mv t $file.plain
done
in_sink disk.plain ssh_low:1 ssh_high:2 computed:4 plain:5 computed:14 computed:54 computed:64 limited:6 \
    limited:16 ssh_low:1001
in_sink soc.plain ssh_low:1 ssh_high:2 web_to:3 computed:54 computed:64 limited:6 limited:16 ssh_low:1001
in_sink pager.ndjson web_to:3 computed:54 computed:64
in_sink net.ndjson ssh_low:1 web_to:3 ssh_low:1001

# ---- rules change while it runs: severity, tags, and a rule that goes by its name

begin() {
    ready=$(grep -c 'msg="ready"' log)
    start "$@"
    until_true "ready" logged $((ready + 1)) 'msg="ready"'
}
begin
{
    rule ssh_low critical '"net"' 1
    rule ssh_high low '"attack.t1"' 2
} >rules/all.rule
kill -HUP "$daemon"
until_true "swapped" logged 1 'msg="swapped"'
rm -f disk.plain soc.plain
for file in disk soc pager net; do
    cp $file.ndjson $file.before
done
ev 9001 2001
ev 9002 2002
until_true "an alert" grep -q '"n":2002' net.ndjson
until_true "an alert" grep -q '"n":2001' pager.ndjson
stop
want 0
since() { # FILE: what came since
    tail -n +$(($(wc -l <"$1.before") + 1)) "$1.ndjson" >"$1.new"
}
for file in disk soc pager net; do
    since $file
done
in_sink disk.new ssh_low:2001 ssh_high:2002
in_sink soc.new ssh_low:2001
in_sink pager.new ssh_low:2001
in_sink net.new ssh_low:2001 ssh_high:2002

# ---- windows of mute

if ! has_failpoints; then
    skip "windows of mute: this needs configure --enable-failpoints"
fi
rm -rf state ./*.ndjson rules/all.rule
rule seen high '"t"' 1 >rules/all.rule
rule direct high '"t"' 2 'to [net]' >>rules/all.rule
cat >tocsin.conf <<END
engine { rules "rules" state "state" checkpoint 50ms alert_delay 5ms }
source ev { file "ev.ndjson" time ts }
$sinks
default_to [disk]
route { rules "*"  to [soc, net]  mute "23:00-03:00 Asia/Kolkata" }
route { rules "seen"  to [pager]  mute ["17:30-18:00", "18:00-21:30"] }
route { tags "t"  to [pager]  mute "Mon-Sun 17:30-21:30" }
END
# clock HH: the wall clock shows this hour (UTC), of today; 17:30 is 23:00 in Kolkata
clock() {
    now=$(date +%s)
    echo "$((now - now % 86400 + $1 * 3600 - now))000000000" >offset.new
    mv offset.new offset
}
number=0
# burst COUNT: so many events, until each is where it goes in any case
burst() {
    i=0
    while [ $i -lt "$1" ]; do
        number=$((number + 10))
        ev $((1000 + number)) $((number + 1))
        ev $((1000 + number)) $((number + 2))
        i=$((i + 1))
    done
    until_true "alert $number" grep -q "\"n\":$((number + 1))}" disk.ndjson
    until_true "alert $number" grep -q "\"n\":$((number + 2))}" net.ndjson
}
: >log
: >ev.ndjson
clock 12
begin TOCSIN_CLOCK_OFFSET="$work/offset"
burst 20
until_true "by the route" grep -q "\"n\":$((number + 1))}" soc.ndjson
until_true "by the route" grep -q "\"n\":$((number + 1))}" net.ndjson
until_true "by two routes" grep -q "\"n\":$((number + 1))}" pager.ndjson
by_day=$number
clock 19
until_true "the night begins" logged 3 'msg="a route is silent from now on"'
burst 30
murder
begin TOCSIN_CLOCK_OFFSET="$work/offset"
burst 30
kill -USR1 "$daemon"
until_true "figures" logged 1 'msg="figures" sink="soc".* muted=[1-9]'
# a change of something else does not end a window
sed 's/ time ts / time ts future 10m /' tocsin.conf >changed.conf
mv changed.conf tocsin.conf
kill -HUP "$daemon"
until_true "the change" logged 1 'msg="swapped"'
burst 10
clock 12
until_true "the day begins" logged 3 'msg="a route is silent no more" line=[0-9]* muted=[1-9]'
muted=$(sed -n 's/.*is silent no more" line=10 muted=//p' log)
[ "$muted" -ge 120 ] || fault "$muted were muted in line 10 of 40 twice in soc, and once in net"
checks=$((checks + 1))
by_night=$number
burst 20
until_true "by the route" grep -q "\"n\":$((number + 1))}" soc.ndjson
until_true "by two routes" grep -q "\"n\":$((number + 2))}" pager.ndjson
stop
want 0
numbers() { # RULE ADD FROM TO: alerts of a rule behind FROM
    seq $(($3 + 10)) 10 "$4" | awk -v r="$1" -v a="$2" '{ print r ":" $1 + a }'
}
all() { numbers "$1" "$2" 0 $number; }
day() {
    numbers "$1" "$2" 0 $by_day
    numbers "$1" "$2" $by_night $number
}
in_sink disk.ndjson $(all seen 1)
in_sink soc.ndjson $(day seen 1) $(day direct 2)
in_sink net.ndjson $(day seen 1) $(all direct 2) # `to` is never muted
in_sink pager.ndjson $(day seen 1) $(day direct 2)

# ---- kills while windows begin and end: what is told is told once

clock 12
for round in 1 2 3 4 5 6; do
    begin TOCSIN_CLOCK_OFFSET="$work/offset"
    i=0
    while [ $i -lt 400 ]; do
        number=$((number + 10))
        ev $((1000 + number)) $((number + 1))
        [ $((i % 100)) -ne 50 ] || clock $((round % 2 ? 19 : 12))
        i=$((i + 1))
    done
    murder
done
clock 12
begin TOCSIN_CLOCK_OFFSET="$work/offset"
burst 1
until_true "by the route" grep -q "\"n\":$((number + 2))}" soc.ndjson
stop
want 0
in_sink disk.ndjson $(all seen 1)
for file in soc net pager; do
    checks=$((checks + 1))
    grep '"rule":"seen"' $file.ndjson | sed 's/.*"id":"\([^"]*\)".*/\1/' | sort >ids
    uniq -d ids >twice
    [ ! -s twice ] || fault "$file.ndjson tells $(wc -l <twice) alerts twice"
    sed 's/.*"id":"\([^"]*\)".*/\1/' disk.ndjson | sort >known
    comm -23 ids known >unknown
    [ ! -s unknown ] || fault "$file.ndjson tells what was not found"
done
done_testing
