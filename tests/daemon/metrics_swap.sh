#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Who asks for figures while rules change is told all that was counted: between two pipelines, and when one has just begun.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"

plain_rules
echo 'table last = from auth key k  rule looks { match by k { a: auth where n == 78 and k in last } }' >rules/looks.rule
cat >tocsin.conf <<'END'
engine { rules "rules" state "state" checkpoint 20ms }
source auth { file "ev*.ndjson" time ts }
sink disk { file "alerts.ndjson" }
http { listen "127.0.0.1:0" }
END
: >log
# keys enough that their records take time that is measured
awk 'BEGIN { for (i = 0; i < 20000; i++) printf "{\"ts\":%d,\"k\":\"u%d\",\"n\":1}\n", 1000 + i / 4000, i }' >ev.ndjson
if has_failpoints; then start TOCSIN_FAILPOINTS=swap_stopped=delay:300@1-2; else start; fi
until_true "ready" logged 1 'msg="ready"'
until_true "its address" logged 1 'msg="listening"'
port=$(sed -n 's/.*msg="listening" address=[^ ]*:\([0-9]*\) .*/\1/p' log | head -1)
checks=$((checks + 1))
python3 -B "$here/metrics_swap.py" "$port" "$daemon" 12 2>swap.err || fault "figures over changes of rules: $(cat swap.err)"
stop
want 0
done_testing
