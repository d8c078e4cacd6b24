#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The alerting rules and the dashboard for tocsin itself: what they name is what the daemon tells
# (dashboards.py); promtool says what it thinks of the rules, of their tests, and of the daemon's /metrics.
# promtool comes with Debian's prometheus, whose installation starts a server; promtool.sh gets it alone.
. "$(cd "$(dirname "$0")/../daemon" && pwd)/lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../.." && pwd)
PROMTOOL=${PROMTOOL:-promtool}

python3 -c 'import yaml' 2>/dev/null || skip "the alerting rules and the dashboard: python3-yaml is not installed"

# one of each kind of what has figures
mkdir rules
cat >rules/cut.rule <<'RULE'
table last = from auth key k
rule looks { match by k { a: auth where n == 3 and k in last } }
rule cut { limit runs 1 per key match by k within 1h { a: auth where n == 1  b: auth where n == 77 } }
RULE
cat >tocsin.conf <<'END'
engine { rules "rules" state "state" stop_within 1s }
source auth { file "ev*.ndjson" time ts lateness 5s idle 1h }
source web { http {} time ts idle 10ms }
sink disk { file "alerts.ndjson" }
sink hook { webhook "http://127.0.0.1:1/"  allow ["127.0.0.1"] }
sink topic { kafka { brokers "127.0.0.1:1"  topic "alerts" } }
http { listen "127.0.0.1:0" }
END
: >log
start
until_true "ready" logged 1 'msg="ready"'
events 0 700 >ev.ndjson
port=$(sed -n 's/.*address=127\.0\.0\.1:\([0-9]*\).*/\1/p' log | head -1)
get_metrics() { # ACCEPT FILE
    python3 - "$port" "$1" >"$2" <<'PY'
import sys, urllib.request
request = urllib.request.Request(f'http://127.0.0.1:{sys.argv[1]}/metrics', headers={'Accept': sys.argv[2]})
sys.stdout.write(urllib.request.urlopen(request, timeout=60).read().decode())
PY
}
# each family is told, also those that say when something happened: some are there only after it did
all_told() {
    get_metrics text/plain plain.txt
    get_metrics application/openmetrics-text open.txt
    grep -q '^tocsin_source_events_total{source="auth"} 700$' plain.txt &&
        python3 "$here/dashboards.py" --told "$source" plain.txt open.txt >out
}
until_true "all figures" all_told
stop
want 0

# dashboards.py prints a line for each fault, and how many things it looked at last
python3 "$here/dashboards.py" "$source" plain.txt open.txt >found || { cp found err; fault "dashboards.py"; }
cat found
checks=$((checks + $(sed -n 's/^\([0-9]*\) checks$/\1/p' found)))
# what is broken is found
python3 "$here/dashboards.py" --test "$source" || fault "dashboards.py --test"

if ! command -v "$PROMTOOL" >/dev/null 2>&1; then
    echo "NOT TESTED: promtool (Debian package prometheus; tests/contrib/promtool.sh) is not here: the alerting" \
        "rules were not run against their tests, and /metrics was not read by it. All else was tested."
    [ -z "${CI:-}" ] || fault "CI must run promtool"
    done_testing
fi
with_promtool() { # COMMAND...
    checks=$((checks + 1))
    "$PROMTOOL" "$@" >out 2>err || { cat out >>err; fault "promtool $*"; }
}
cp "$source"/contrib/prometheus/*.yml .
with_promtool check rules tocsin.rules.yml
with_promtool test rules tocsin.rules.test.yml
# its style guide objects to nothing
checks=$((checks + 1))
"$PROMTOOL" check metrics <plain.txt >out 2>err || fault "promtool check metrics"
[ ! -s out ] && [ ! -s err ] || fault "promtool check metrics has remarks"
done_testing
