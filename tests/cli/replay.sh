#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `tocsin replay`: alerts, exit codes, bad input, late events, order, memory.
. "$(cd "$(dirname "$0")" && pwd)/lib.sh"

cat >pair.rule <<'END'
rule pair {
  match by k within 10s { a: auth where n == 1  b: web where n == 2 }
  emit { k = k }
}
END
cat >one.rule <<'END'
rule one { match { a: any where n == 1 } emit { k = k } }
END
printf '%s\n' '{"ts":100,"k":"x","n":1}' '{"ts":103,"k":"y","n":1}' '{"ts":120,"k":"z","n":1}' >a.ndjson
printf '%s\r\n' '{"ts":101,"k":"x","n":2}' '{"ts":104,"k":"y","n":2}' '{"ts":140,"k":"z","n":2}' >b.ndjson

# ---- alerts come in the order of time, whatever the order of files and the lateness

run replay -r pair.rule auth=a.ndjson web=b.ndjson
want 0
alerts 2
says '^6 events (0 late, 0 rejected), 2 alerts' 'source auth: 3 events' 'rule pair: 2 alerts'
prints '"time":"1970-01-01T00:01:41Z".*"fields":{"k":"x"}'
cp out first
run replay web=b.ndjson auth=a.ndjson -r pair.rule
same out first
for lateness in 0s 1s 1h; do
    run replay web=b.ndjson auth=a.ndjson -r pair.rule --lateness "$lateness"
    want 0
    same out first
done
run replay -r pair.rule --no-opt auth=a.ndjson web=b.ndjson
same out first
gzip -k b.ndjson
mkdir packed && mv b.ndjson.gz packed/b.ndjson
run replay -r pair.rule auth=a.ndjson web=packed/b.ndjson
want 0
same out first
run replay -r pair.rule --stats auth=a.ndjson web=b.ndjson
says '^rule  *events' '^pair  *6 ' 'waited to be put in order'
printf '%s\n' 'stream s = auth expect n == 1 else drop' 'stream t = web expect exists(n) else quarantine bad' \
    'rule r { match { a: [s, t] } }' >expect.rule
run replay -r expect.rule --stats auth=a.ndjson web=b.ndjson
want 0
says 'stream s: [0-9]* events* did not satisfy `expect`, dropped' \
    'stream t: [0-9]* events* did not satisfy `expect`, quarantined for bad'

# ---- sources

run replay -r one.rule a.ndjson
want 0
alerts 3
"$TOCSIN" replay -r one.rule - <a.ndjson >out 2>err
code=$?
want 0
alerts 3
run replay -r pair.rule auth=a.ndjson wbe=b.ndjson
want 2
alerts 0
says 'error: .*`web`' 'did you mean `wbe`'
run replay -r one.rule -r pair.rule auth=a.ndjson web=b.ndjson
want 0
alerts 5
printf 'rule auths { match { a: auth where n == 1 } }\n' >auths.rule
run replay -r auths.rule auth=a.ndjson web=b.ndjson
want 0
alerts 3
says 'no rule reads the source web'
run replay -r one.rule s= a.ndjson
want 2
alerts 0
says '^tocsin: the source `s` has no file$'
run replay -r one.rule ''
want 2
says 'the name of a file of events is empty'
# A file is the same however it is spelled; for two sources it may be given twice.
ln -s a.ndjson link.ndjson
ln a.ndjson hard.ndjson
for again in a.ndjson ./a.ndjson "$work/a.ndjson" link.ndjson hard.ndjson; do
    run replay -r one.rule s=a.ndjson "s=$again"
    want 2
    alerts 0
    says 'a.ndjson is given twice\|same file as a.ndjson'
done
"$TOCSIN" replay -r one.rule - a.ndjson <a.ndjson >out 2>err
code=$?
want 2
says 'same file as -'
run replay -r one.rule s=a.ndjson t=./a.ndjson
want 0
alerts 6
# Two files of one source and one name are two partitions.
mkdir d1 d2
cp a.ndjson d1/x
cp a.ndjson d2/x
run replay -r one.rule d1/x d2/x
want 0
alerts 6
checks=$((checks + 1))
[ "$(sed 's/.*"id":"\([0-9a-f]*\)".*/\1/' out | sort -u | wc -l)" -eq 6 ] || fault 'ids are not different'

# ---- input that cannot be read

run replay -r one.rule no-such.ndjson d1
want 1
alerts 0
says 'no-such.ndjson: cannot open' 'd1: is a directory'
i=0
while [ $i -lt 5000 ]; do
    echo "{\"ts\":$((1000 + i)),\"k\":\"k$i\",\"n\":1}"
    i=$((i + 1))
done >many.ndjson
gzip -k many.ndjson
head -c 10000 many.ndjson.gz >cut.ndjson.gz
run replay -r one.rule cut.ndjson.gz
want 1
says 'cut.ndjson.gz: gzip: truncated'
checks=$((checks + 1))
head -n "$(wc -l <out)" many.ndjson | tail -n 1 | sed 's/.*"k":\("k[0-9]*"\).*/"fields":{"k":\1}/' >last
{ [ -s last ] && tail -n 1 out | grep -q -F -f last; } || fault 'not all lines before the fault'
printf 'garbage' >>packed/b.ndjson
run replay -r one.rule packed/b.ndjson a.ndjson
want 1
alerts 3
says 'packed/b.ndjson: gzip: '

# ---- lines that cannot be read

cat a.ndjson >bad.ndjson
printf '%s\n' '{"ts":1' '{"n":1}' '{"ts":"noon","n":1}' '[1]' '' '{"ts":1,"x":"\xff"}' '{}x' '{}y' >>bad.ndjson
printf '{"ts":130,"n":1}' >>bad.ndjson
run replay -r one.rule bad.ndjson
want 0
alerts 4
says '7 rejected' 'bad.ndjson:4: ' 'bad.ndjson:5: no time' 'unreadable time in ts: "noon"' \
    'and 2 more'
echo '{"ts":1,"n":1e999}' >range.ndjson
run replay -r one.rule range.ndjson
want 0
says 'range.ndjson:1: number out of range$'
run replay -r one.rule --max-line 20 bad.ndjson
want 0
says 'longer than --max-line allows'
printf '{"@timestamp":"2027-01-01T00:00:00.5Z","a":{"when":1000},"n":1}\n' >t.ndjson
run replay -r one.rule t.ndjson
prints '"time":"2027-01-01T00:00:00.500Z"'
run replay -r one.rule --time a.when,epoch_ms t.ndjson
prints '"time":"1970-01-01T00:00:01Z"'
run replay -r one.rule --time s=a.when,epoch_s --time ts s=t.ndjson
prints '"time":"1970-01-01T00:16:40Z"'

# ---- late events

printf '%s\n' '{"ts":100,"n":1}' '{"ts":90,"n":1}' '{"ts":89,"n":1}' '{"ts":101,"n":1}' >late.ndjson
run replay -r one.rule late.ndjson
alerts 4
run replay -r one.rule --lateness 10s --late late.out late.ndjson
want 0
alerts 3
says '(1 late, 0 rejected)'
echo '{"ts":89,"n":1}' >late.want
same late.out late.want
run replay -r one.rule --lateness 0s late.ndjson
alerts 2
says '(2 late, 0 rejected)'

# Sources that no rule reads together: each rule tells what it tells of its own source alone, also where the
# place of a late event is the time of an event of the other; and all alerts come in the order of time.
cat >apart.rule <<'END'
rule of_a { match { x: a where n == 1 } }
rule of_b { window tumbling 10s { y: b allow late 1h } emit { n = count() } }
END
printf '%s\n' '{"ts":99}' '{"ts":111,"n":1}' '{"ts":112,"n":1}' '{"ts":113,"n":1}' '{"ts":120}' '{"ts":140}' >a.apart
printf '%s\n' '{"ts":100}' '{"ts":116}' '{"ts":101}' '{"ts":130}' >b.apart
: >empty
run replay -r apart.rule --lateness 5s a=empty b=b.apart
want 0
alerts 4
prints '"fields":{"n":1}.*"start":"1970-01-01T00:01:40Z".*"revision":0' \
    '"fields":{"n":2}.*"start":"1970-01-01T00:01:40Z".*"revision":1'
sort out >b.out
run replay -r apart.rule --lateness 5s a=a.apart b=b.apart
want 0
alerts 7
grep '"rule":"of_b"' out | sort >b.both
same b.both b.out
grep '"revision":0' out | sed 's/.*"time":"\([^"]*\).*/\1/' >times
sort times >times.sorted
same times times.sorted

# So do windows of a table's rows: the last holds the last time that their own source showed, be it of an event
# that no rule wants, though time goes on for the other.
cat >rows.rule <<'END'
table hosts = file "hosts.csv" key host
rule of_a { match { x: a where n == 1 } }
rule silent { window tumbling 10s by host in hosts { y: b where n == 1 having count() == 0 } emit { host = host } }
END
printf 'host\nh1\nh2\n' >hosts.csv
printf '%s\n' '{"ts":100}' '{"ts":150,"n":1}' '{"ts":190,"n":1}' >a.apart
printf '%s\n' '{"ts":101,"n":1,"host":"h1"}' '{"ts":112,"n":1,"host":"h1"}' '{"ts":123}' >b.apart
for lateness in 0s 5s 1h; do
    run replay -r rows.rule --lateness $lateness a=empty b=b.apart
    want 0
    alerts 4
    prints '"host":"h1".*"start":"1970-01-01T00:02:00Z"'
    sort out >b.out
    run replay -r rows.rule --lateness $lateness a=a.apart b=b.apart
    want 0
    alerts 6
    grep '"rule":"silent"' out | sort >b.both
    same b.both b.out
done
run replay -r rows.rule a=a.apart b=b.apart
want 0
alerts 6

# What is read, and what the alerts go to, is not written over.
cp late.ndjson kept.late
cp one.rule kept.rule
ln -s late.ndjson late.link
ln -s one.rule rule.link
mkdir rules.d
cp one.rule rules.d/r.rule
for late in late.ndjson ./late.ndjson late.link; do
    run replay -r one.rule --lateness 0s --late "$late" late.ndjson
    want 2
    alerts 0
    says '^tocsin: --late .*: this is a file of events that is read: late.ndjson$'
done
for late in one.rule rule.link rules.d/r.rule; do
    run replay -r one.rule -r rules.d --lateness 0s --late "$late" late.ndjson
    want 2
    alerts 0
    says '^tocsin: --late .*: this is a file of rules: '
done
"$TOCSIN" replay -r one.rule --lateness 0s --late late.ndjson - <late.ndjson >out 2>err
code=$?
want 2
says 'this is a file of events that is read: -'
ln -s out out.link
for late in out out.link /dev/stdout; do
    run replay -r one.rule --lateness 0s --late "$late" late.ndjson
    want 2
    says 'where the alerts go, standard output$'
done
same late.ndjson kept.late
same one.rule kept.rule
same rules.d/r.rule kept.rule
"$TOCSIN" replay -r one.rule --lateness 0s --late /dev/null late.ndjson >/dev/null 2>err
code=$?
want 0

# ---- output that cannot be written

if [ -w /dev/full ]; then
    run replay -r one.rule --lateness 0s --late /dev/full late.ndjson
    want 1
    says '/dev/full: cannot write: No space'
    "$TOCSIN" replay -r one.rule many.ndjson >/dev/full 2>err
    code=$?
    want 1
    says 'standard output: cannot write: No space'
fi
run replay -r one.rule --late no/such/place late.ndjson
want 1
alerts 0
says 'no/such/place: cannot write'
# A reader that has gone is no reason for a message.
{
    "$TOCSIN" replay -r one.rule many.ndjson 2>err
    echo $? >code
} | head -n 1 >out
code=$(cat code)
want 1
alerts 1
checks=$((checks + 1))
grep -q 'cannot write' err && fault 'complains of a reader that has gone'

# ---- signals

# interrupted SIGNAL [ARGUMENT...]: 3 lines and a piece of one are in a pipe that stays open; the signal
# comes when the program has read them and waits for more.
interrupted() {
    command_line="tocsin $*, interrupted"
    name=$1
    shift
    rm -f fifo pid fed
    mkfifo fifo
    { cat "$piped"; echo >fed; exec sleep 300; } >fifo 2>/dev/null &
    writer=$!
    {
        i=0
        while [ ! -f fed ] && [ $i -lt 1200 ]; do
            sleep 0.05
            i=$((i + 1))
        done
        # where the kernel says where it waits: in the pipe
        while [ $i -lt 1200 ] && ! grep -q pipe "/proc/$(cat pid)/wchan"; do
            [ "$(cat "/proc/$(cat pid)/wchan")" != 0 ] || grep -q '^State:.R' "/proc/$(cat pid)/status" || break
            sleep 0.05
            i=$((i + 1))
        done
        sleep 0.5
        kill -s "$name" "$(cat pid)"
        sleep 120
        kill -s KILL "$(cat pid)"
    } >/dev/null 2>&1 &
    killer=$!
    # Not in the background: a shell makes such a command ignore SIGINT.
    sh -c 'echo $$ >pid; exec "$0" "$@"' "$TOCSIN" replay -r one.rule "$@" >out 2>err
    code=$?
    kill $killer $writer 2>/dev/null
    wait $killer $writer 2>/dev/null
}

cp a.ndjson piped.plain
printf '{"ts":130,"n":1}' >>piped.plain
gzip -k piped.plain
head -c "$(($(wc -c <piped.plain.gz) - 8))" piped.plain.gz >piped.cut
for piped in piped.plain piped.cut; do
    interrupted INT --lateness 0s fifo
    want 130
    says '^tocsin: interrupted by SIGINT' '^3 events (0 late, 0 rejected), [23] alerts'
    prints '"fields":{"k":"x"}' '"fields":{"k":"y"}'
    checks=$((checks + 1))
    grep -q 'truncated\|130' err out && fault 'took a piece for the whole'
done
piped=piped.plain
interrupted TERM --lateness 0s fifo
want 143
says '^tocsin: interrupted by SIGTERM' '^3 events (0 late, 0 rejected), 3 alerts'
alerts 3
# Without a lateness nothing was put in order yet.
interrupted TERM fifo
want 143
alerts 0
says '^tocsin: interrupted by SIGTERM' '^3 events '

# ---- memory

run replay -r one.rule --memory 100KiB many.ndjson
want 1
says 'do not fit in memory' '--lateness'
run replay -r one.rule --memory 100KiB --lateness 1m many.ndjson
want 0
alerts 5000
run replay -r one.rule --memory 100KiB --lateness 2h many.ndjson
want 1
says 'lower --lateness'
# Alerts of one time wait for each other.
awk 'BEGIN { print "{\"ts\":1,\"k\":\"first\",\"n\":1}"
    for (i = 0; i < 5000; i++) printf "{\"ts\":2,\"k\":\"k%d\",\"n\":1}\n", i }' >same.ndjson
for input in same.ndjson -; do
    "$TOCSIN" replay -r one.rule --memory 100KiB --lateness 0s "$input" <same.ndjson >out 2>err
    code=$?
    want 1
    says 'the alerts of one event time do not fit in memory: raise --memory'
    prints '"fields":{"k":"first"}'
    checks=$((checks + 1))
    { [ "$(wc -l <out)" -gt 10 ] && [ "$(wc -l <out)" -lt 1000 ]; } || fault 'not stopped in time'
done
run replay -r one.rule --memory 10MiB --lateness 0s same.ndjson
want 0
alerts 5001
# What was written is not counted.
run replay -r one.rule --memory 30KiB --lateness 0s many.ndjson
want 0
alerts 5000
printf 'rule none { match { a: any where n == 2 } }\n' >none.rule
run replay -r none.rule --memory 100KiB many.ndjson
want 0
alerts 0
# ---- sources that no rule reads together have engines of their own: none tells for the other

printf 'host\nh1\nh2\n' >hosts.csv
cat >silent.rule <<'END'
table hosts = file "hosts.csv" key host
rule silent { window tumbling 10s by host in hosts { b: beats having count() == 0 } }
rule other { match { a: auth where n == 1 } }
END
printf '%s\n' '{"ts":1,"host":"h1"}' '{"ts":11,"host":"h1"}' '{"ts":21,"host":"h1"}' >beats.ndjson
printf '%s\n' '{"ts":1,"n":1}' '{"ts":29,"n":2}' >other.ndjson
run replay -r silent.rule beats=beats.ndjson auth=other.ndjson
want 0
alerts 4 # h2 three times, and other
says 'rule silent: 3 alerts'

# Where the time may be is said: at the top, or in an object there.
echo 'rule r { match { a: s where n == 1 } }' >where.rule
echo '{"label":"0","n":1,"when":{"created":"2027-01-01T00:00:00Z"},"EVENT_TIME":"2027-01-01 00:00:00"}' >where.ndjson
run replay -r where.rule s=where.ndjson
want 0
says 'no time: none of the fields .* is there; `when.created` holds one: --time s=when.created$'
run replay -r where.rule s=where.ndjson --time s=when.created
want 0
alerts 1
echo '{"n":1,"when":"soon","a b":"2027-01-01T00:00:00Z","list":["2027-01-01T00:00:00Z"]}' >where.ndjson
run replay -r where.rule s=where.ndjson --time t
want 0
says 'no time: the field t is not there$'
done_testing
