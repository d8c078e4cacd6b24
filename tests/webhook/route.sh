#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Routes to webhooks: by severity, grouped, muted, over a kill; `to` and default_to are neither. No secret of
# the configuration in log, figures or --check.
. "$(cd "$(dirname "$0")/../daemon" && pwd)/lib.sh"
has_failpoints || skip "windows of mute: this needs configure --enable-failpoints"
top=$(cd "$(dirname "$0")/../.." && pwd)

python3 "$top/tests/webhook/receiver.py" --log got.ndjson --port-file port \
    >receiver.log 2>&1 &
receiver=$!
trap '[ -z "$daemon" ] || kill -9 "$daemon" 2>/dev/null; kill "$receiver" 2>/dev/null; rm -rf "$work"' EXIT
until_true "the receiver" test -s port
url=http://127.0.0.1:$(cat port)

mkdir rules
cat >rules/all.rule <<'END'
rule loud  { severity if(n % 10 == 1, "high", "low") tags ["t"] match by k { a: ev where n % 10 < 3 } emit { n = n } }
rule other { severity high match by k { a: ev where n % 10 == 4 } emit { n = n } }
rule to_it { severity high to [grouped] match by k { a: ev where n % 10 == 5 } emit { n = n } }
END
cat >tocsin.conf <<END
engine { rules "rules" state "state" checkpoint 50ms alert_delay 5ms }
source ev { file "ev.ndjson" time ts quiet hold }
sink disk    { file "disk.ndjson" }
sink plain   { webhook "$url/plain"    allow "127.0.0.0/8"  secret env("SIGN") }
sink grouped { webhook "$url/grouped"  allow "127.0.0.0/8"  secret env("SIGN") }
sink nightly { webhook "$url/nightly"  allow "127.0.0.0/8"  secret "plain-hidden-token"
  headers { Authorization file("token") } }
default_to [disk]
route { severity high  to [plain] }
route { severity high  to [grouped]  group 2s }
route { tags "t"       to [nightly]  mute "18:00-24:00" }
END
echo 'Bearer hidden-token' >token
SIGN=whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw
export SIGN

clock() {
    now=$(date +%s)
    echo "$((now - now % 86400 + $1 * 3600 - now))000000000" >offset.new
    mv offset.new offset
}
begin() {
    ready=$(grep -c 'msg="ready"' log)
    start TOCSIN_CLOCK_OFFSET="$work/offset"
    until_true "ready" logged $((ready + 1)) 'msg="ready"'
}
ev() { echo "{\"ts\":$((1000 + $1)),\"k\":\"a\",\"n\":$1}" >>ev.ndjson; }
# numbers PATH: of the alerts that came there, sorted, each once
numbers() {
    python3 - "$1" <<'END'
import json, sys
seen, n = set(), []
def alerts(x):
    if isinstance(x, dict) and "rule" in x and "fields" in x:
        yield x
    elif isinstance(x, dict):
        for v in x.values():
            yield from alerts(v)
    elif isinstance(x, list):
        for v in x:
            yield from alerts(v)
for line in open("got.ndjson"):
    r = json.loads(line)
    if r["path"] != "/" + sys.argv[1] or r["id"] in seen:
        continue
    seen.add(r["id"])
    n += [a["fields"]["n"] for a in alerts(json.loads(r["body"]))]
print(" ".join(map(str, sorted(n))))
END
}
messages() { grep -c "\"path\": *\"/$1\"" got.ndjson; }
has() { [ "$(numbers "$1")" = "$2" ]; }
want_there() { # PATH "N N ..."
    until_true "$1 has $2" has "$1" "$2"
}

: >log
: >ev.ndjson
: >got.ndjson
clock 12
begin
for n in 1 2 4 11 14 21; do
    ev $n
done
want_there plain "1 4 11 14 21"
want_there nightly "1 2 11 21"
want_there grouped "1 4 11 14 21"
count=$(messages grouped)
[ "$count" -eq 2 ] || fault "$count messages of two groups"
# `to`: at once, each alone
ev 25
ev 35
until_true "two alone" has grouped "1 4 11 14 21 25 35"
[ "$(messages grouped)" -eq 4 ] || fault "what \`to' sends was grouped"
# a group that is open at a kill is told after it
ev 44
until_true "found" grep -q '"n":44}' disk.ndjson
murder
begin
want_there grouped "1 4 11 14 21 25 35 44"
# the night
clock 19
until_true "silent" logged 1 'msg="a route is silent from now on"'
ev 51
ev 52
want_there plain "1 4 11 14 21 25 35 44 51"
murder
begin
ev 61
want_there plain "1 4 11 14 21 25 35 44 51 61"
until_true "found" grep -q '"n":61}' disk.ndjson
ev 62
until_true "found" grep -q '"n":62}' disk.ndjson
kill -USR1 "$daemon"
until_true "figures" logged 1 'msg="figures" sink="nightly".* muted=[1-9]'
clock 12
until_true "speaks" logged 1 'msg="a route is silent no more" line=[0-9]* muted=[1-9]'
ev 71
want_there nightly "1 2 11 21 71"
stop
want 0
until_true "warnings are told" logged 1 'category=config msg="the configuration has warnings.*warnings=1$'
checks=$((checks + 1))
grep -l 'hidden-token\|whsec_' log stdout && fault "a secret is told"
"$TOCSIND" --check -c tocsin.conf >out 2>err || fault "--check ends with $?"
cat out err | grep 'hidden-token\|whsec_' && fault "a secret is told"
done_testing
