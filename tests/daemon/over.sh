#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# All input has ended and its end was decided: wherever the daemon is killed then, and however often it is
# started again, what was told is not told again. With something new it goes on behind what was there.
. "$(cd "$(dirname "$0")" && pwd)/lib.sh"
has_failpoints || skip "this needs configure --enable-failpoints"

mkdir rules
cat >rules/r.rule <<'END'
table hosts = file "hosts.csv" key host
rule silent {
  window tumbling 10s by host in hosts { b: net where k == 1 having count() == 0 }
  emit { host = host }
}
rule no_answer { match by host { a: auth where k == 2  not n: net where k == 3 within 20s } }
rule both { match by host within 20s { a: auth where k == 2  n: net where k == 1 } }
rule first { match by host { not before: auth within 30s  a: auth where k == 2 } }
END
printf 'host\nh1\nh2\n' >rules/hosts.csv
cat >tocsin.conf <<'END'
engine { rules "rules" state "state" checkpoint 1h alert_delay 1h }
source auth { stdin {} time ts lateness 1s late late }
source net { file "net.ndjson" follow false time ts lateness 3s }
sink disk { file "alerts.ndjson" }
sink late { file "late.ndjson" }
default_to disk
END
for t in 100 110 119; do echo "{\"ts\":$t,\"k\":1,\"host\":\"h1\"}"; done >net.ndjson
for t in 101 112 139; do echo "{\"ts\":$t,\"k\":2,\"host\":\"h1\"}"; done >auth.ndjson
# one_life FILE [NAME=VALUE...]: standard input is the file
one_life() {
    given=$1
    shift
    code=0
    command_line="$* tocsind -c tocsin.conf <$given"
    env "$@" "$TOCSIND" -c tocsin.conf <"$given" >>stdout 2>>log || code=$?
    cp log err
}
told() {
    plain alerts.ndjson >got
    same got expected
}
"$TOCSIN" replay -c tocsin.conf auth=- net=net.ndjson <auth.ndjson >out 2>err
code=$?
want 0
plain out >expected
lines 12 expected

# ---- started again and again

for _ in 1 2 3; do
    one_life auth.ndjson
    want 0
    told
    : >auth.ndjson # it has been given
done
says 'its input had ended: time goes on'

# ---- killed on the way: before the checkpoint that holds the end is durable, behind it, and again behind that

for t in 101 112 139; do echo "{\"ts\":$t,\"k\":2,\"host\":\"h1\"}"; done >auth.ndjson
: >nothing
# what of auth.ndjson, whose lines have one length, is not in the spool
not_spooled() {
    size=$(cat state/spool/auth/*.spool 2>/dev/null | wc -c)
    record=$(($(head -n 1 auth.ndjson | wc -c) + 31))
    tail -n +$(((size > 48 ? size - 48 : 0) / record + 1)) auth.ndjson >rest
}
for step in barrier_placed epoch_closed epoch_written epoch_done deliver_acked ack_written sink_written; do
    for at in 1 2; do # the first one may be that of the start
        rm -rf state alerts.ndjson
        one_life auth.ndjson "TOCSIN_FAILPOINTS=$step=kill@$at" 2>/dev/null
        not_spooled
        one_life rest TOCSIN_FAILPOINTS=epoch_done=kill@1 2>/dev/null
        not_spooled
        one_life rest
        want 0
        told
    done
done

# ---- something new: behind what all sources had shown, and only then; killed while it waits

plain alerts.ndjson >before
echo '{"ts":130,"k":2,"host":"h3"}' >late_one
one_life late_one
want 0
told
same late.ndjson late_one
for t in 151 170; do echo "{\"ts\":$t,\"k\":2,\"host\":\"h3\"}"; done >more
one_life more TOCSIN_FAILPOINTS=epoch_done=kill@1 2>/dev/null
want 137
one_life nothing
want 0
plain alerts.ndjson >got
checks=$((checks + 1))
[ -z "$(uniq -d got)" ] || fault "some are told twice"
comm -13 before got | sed 's/.*"rule":"\([a-z_]*\)".*"time":"\([^"]*\)".*/\1 \2/' | sort >new
cat >expected <<'END'
first 1970-01-01T00:02:31Z
no_answer 1970-01-01T00:02:51Z
no_answer 1970-01-01T00:03:10Z
silent 1970-01-01T00:02:40Z
silent 1970-01-01T00:02:40Z
silent 1970-01-01T00:02:50Z
silent 1970-01-01T00:02:50Z
silent 1970-01-01T00:03:00Z
silent 1970-01-01T00:03:00Z
END
same new expected
one_life nothing
want 0
plain alerts.ndjson >again
same again got
same late.ndjson late_one

# ---- a window that the end has decided, with something new in it: that is told as an alert of its own; and a new
# version of a rule begins behind what was there

mkdir anew
cd anew || exit 99
mkdir rules
echo 'rule n { window tumbling 10s { a: auth } emit { n = count() } }' >rules/n.rule
cat >tocsin.conf <<'END'
engine { rules "rules" state "state" }
source auth { stdin {} time ts }
sink disk { file "alerts.ndjson" }
default_to disk
END
windows() {
    for t in "$@"; do echo "{\"ts\":$t}"; done >some
    one_life some
    want 0
    sed 's/.*"fields":{\([^}]*\)}.*"start":"1970-01-01T00:\([0-9:]*\).*/\2 \1/' alerts.ndjson >got
}
windows 100 101 112
windows 113 114
windows 115 125
cat >expected <<'END'
01:40 "n":2
01:50 "n":1
01:50 "n":2
01:50 "n":1
02:00 "n":1
END
same got expected
cut -d, -f1 alerts.ndjson | sort | uniq -d >doubled
checks=$((checks + 1))
[ ! -s doubled ] || fault 'two alerts have one id'
echo 'rule n { window tumbling 10s { a: auth } emit { n = count() s = sum(ts) } on_reload drain }' >rules/n.rule
windows 126 131 151
cat >>expected <<'END'
02:00 "n":1
02:10 "n":1,"s":131
02:30 "n":1,"s":151
END
sort got >sorted
sort expected >expected.sorted
same sorted expected.sorted

# ---- nor does `suppress` reach over the end, whether it held something or not

echo 'rule n { match { a: auth } suppress 1h }' >rules/n.rule
: >alerts.ndjson
for given in '160 161' '162' '163 164 165' '166'; do
    # shellcheck disable=SC2086
    windows $given
done
sed 's/.*"time":"[^"]*:\([0-9]*\)Z".*"suppressed":\([0-9]*\).*/\1 \2/' alerts.ndjson >got
printf '%s\n' '40 0' '42 1' '43 0' '46 2' >expected
same got expected

done_testing
