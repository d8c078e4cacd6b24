#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fields that rules read and no event has: told once, with the one that was meant; and over HTTP.
. "$(cd "$(dirname "$0")" && pwd)/lib.sh"
command -v curl >/dev/null || skip "curl is missing"

mkdir rules
cat >rules/pair.rule <<'END'
rule pair {
  match by k within 10s { a: auth where n == 1  b: auth where n == 2 and usr.name == "x" and whatever > 1 }
  emit { k = k }
}
rule named { match by user.name within 10s { a: pair  b: auth where k == "u1" and k == user.name } }
END
cat >tocsin.conf <<'END'
engine { rules "rules" state "state" }
source auth { file "auth.ndjson" time ts }
sink disk { file "alerts.ndjson" }
http { listen "127.0.0.1:0" }
END
asked() {
    port=$(sed -n 's/.*msg="listening".*address=[^ ]*:\([0-9]*\).*/\1/p' log | tail -n 1)
    curl -sS "http://127.0.0.1:$port/v1/rules" >rules.json && grep -q -e "$1" rules.json
}
lines_of() { events "$1" "$2" | sed 's/}$/,"user":{"name":"joe"}}/'; }

lines_of 0 500 >auth.ndjson
: >log
start
until_true "ready" logged 1 'msg="ready"'
until_true "nothing is said of few events" asked '"rules":\[.*\]}$'
checks=$((checks + 1))
grep -q unseen rules.json && fault "500 events say nothing yet"
lines_of 500 5000 >>auth.ndjson
until_true "over HTTP" asked '"unseen_fields":\[{"field":"usr.name","near":"user.name"},{"field":"whatever"}\]'
not_logged 'no event so far'
lines_of 5000 12000 >>auth.ndjson
until_true "in the log" logged 1 'no event so far has a field that rules read" field="usr.name" near="user.name"'
until_true "in the log" logged 1 'no event so far has a field that rules read" field="whatever"'
# one that comes late, where no longer each event is looked at
events 12000 90000 >>auth.ndjson
lines_of 90000 90200 | sed 's/}$/,"whatever":1}/' >>auth.ndjson
until_true "it came" asked '"unseen_fields":\[{"field":"usr.name","near":"user.name"}\]'
checks=$((checks + 1))
[ "$(grep -c 'no event so far' log)" -eq 2 ] || fault "it is told once"
stop
want 0
done_testing
