#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The daemon's figures: each row of the table (base/metrics.def, as the manual page has it) is told; what is
# counted is right, and goes on over changes of rules.
. "$(cd "$(dirname "$0")" && pwd)/lib.sh"

plain_rules
cat >rules/limits.rule <<'RULE'
rule cut { limit runs 1 per key match by k within 1h { a: auth where n == 1  b: auth where n == 77 } }
rule quiet { suppress 1h match by k { a: auth where n == 0 } }
table last = from auth key k
rule clash { match by k { a: auth where n < "x" } }
rule looks { match by k { a: auth where n == 78 and k in last } }
RULE
cat >tocsin.conf <<'END'
engine { rules "rules" state "state" }
source auth { file "ev*.ndjson" time ts lateness 0s idle 1h }
source other { file "other*.ndjson" time ts idle 10ms }
source web { http {} time ts idle 10ms }
sink disk { file "alerts.ndjson" }
sink second { file "second.ndjson" }
sink hook { webhook "http://127.0.0.1:1/"  allow ["127.0.0.1"]  retry_least 50ms  retry_most 200ms }
sink topic { kafka { brokers "127.0.0.1:1"  topic "alerts" } }
http { listen "127.0.0.1:0" }
END
: >log
start
until_true "ready" logged 1 'msg="ready"'
events 0 700 >ev.ndjson
{ echo 'no event'; echo '{"ts":1,"k":"late","n":1}'; } >>ev.ndjson
until_true "alerts" has_lines 100 alerts.ndjson

# figures: all of them, as they are now; two signals may become one, and sinks that change are not told
asked() { grep -c 'msg="figures".* rules=' log; }
whole() {
    [ "$(asked)" -gt "$before" ] &&
        awk '/msg="figures".* rules=/ { n = 0 } /msg="figures" sink=/ { n++ } END { exit n < 4 }' log
}
ask() {
    before=$(asked)
    kill -USR1 "$daemon"
    for _ in $(seq 40); do
        whole && return
        sleep 0.05
    done
    return 1
}
figures() { until_true "figures" ask; }
# value PATTERN NAME: of the last line that has the pattern
value() { sed -n "s/.*msg=\"figures\"$1.* $2=\([0-9.-]*\).*/\1/p" log | tail -1; }
is() {
    checks=$((checks + 1))
    cp log err
    [ "$(value "$1" "$2")" = "$3" ] || fault "$2 of $1 is $(value "$1" "$2"), not $3"
}
counted() { # what other threads publish is a second old
    figures
    [ "$(value ' source="auth"' events)" = 701 ] && [ "$(value ' rule="quiet"' suppressed)" = 133 ] &&
        [ "$(value ' source="auth"' waiting_events)" = 0 ]
}
until_true "the published figures" counted
is ' source="auth"' lines 702
is ' source="auth"' broken 1
is ' source="auth"' late 1
is ' source="auth"' partitions 1
is ' source="other"' lines 0
is ' rule="quiet"' alerts 7
is ' rule="quiet"' suppressed 133
is ' rule="cut"' runs 7
is ' rule="cut"' keys 7
is ' rule="pair"' alerts "$(grep -c '"rule":"pair"' alerts.ndjson)"
is ' sink="disk"' delivered "$(wc -l <alerts.ndjson)"
is ' sink="hook"' delivered 0
is ' sink="hook"' failing 1
is '' kept 1
is '' rules 7
is ' table="last"' rows 7
checks=$((checks + 1))
[ "$(value ' source="auth"' read_bytes)" -eq "$(wc -c <ev.ndjson)" ] || fault "read_bytes"
[ "$(value ' rule="cut"' limited_runs)" -gt 0 ] || fault "limited_runs"

# what readers find out of rules comes to them, too: comparisons of different types, in conditions, and time
probed() {
    figures
    [ "$(value ' rule="clash"' type_clash)" -ge 700 ]
}
until_true "what conditions found" probed
spent() { # RULE FIGURE SECONDS, as told last
    awk '/msg="figures" rule=/ { match($0, / rule="[^"]*"/); rule = substr($0, RSTART, RLENGTH)
             for (i = 1; i <= NF; i++) if ($i ~ /^seconds_/) { split($i, part, "="); last[rule " " part[1]] = part[2] } }
         END { for (key in last) print key, last[key] }' "$1" | sort
}
spent log >before
checks=$((checks + 1))
[ -s before ] || fault "no rule took any time"

# each row is told, and each that is told is a row
"$TOCSIND" --man | awk '/^\.SH FIGURES/ { on = 1 } /^\.SH EXIT/ { on = 0 }
    on && sub(/^\\fB/, "") { sub(/\\fR.*/, ""); gsub(/\\/, ""); print }' >rows
echo 'rule more { match by k { a: auth where n == 88 } }' >rules/more.rule
kill -HUP "$daemon"
until_true "swapped" logged 1 'msg="swapped"'
until_true "again" counted
checks=$((checks + 1))
[ "$(wc -l <rows)" -gt 60 ] || fault "the manual page has $(wc -l <rows) rows"
grep -h 'msg="figures"' log | tr ' ' '\n' | sed -n 's/^\([a-z_]*\)=.*/\1/p' | sort -u >told
while read -r row; do
    checks=$((checks + 1))
    case $row in *_info) continue ;; esac # what is always 1 is no figure
    # with a broker alone: rules.py, tables.py and source.py of tests/kafka
    case $row in tocsin_rules_topic_* | tocsin_source_loading | tocsin_partition_behind_*) continue ;; esac
    id=${row%_total}
    for prefix in tocsin_source tocsin_order tocsin_engine tocsin_rule tocsin_table tocsin_checkpoint tocsin_dead_letters \
        tocsin_alerts tocsin_sink tocsin_http process tocsin; do
        case $id in ${prefix}_*) id=${id#"${prefix}_"}; break ;; esac
    done
    grep -q "^$id\(_[a-z]*\)*\$" told || fault "$row is told nowhere"
done <rows

# over the change of rules it was counted on; what was read again is not counted twice
is ' source="auth"' broken 1
is ' rule="quiet"' alerts 7
is ' rule="quiet"' suppressed 133
is ' rule="cut"' runs 7
is ' rule="more"' alerts 0
checks=$((checks + 1))
[ "$(value ' rule="clash"' type_clash)" -ge 700 ] || fault "type_clash went back"
sed '1,/msg="swapped"/d' log >log.after
spent log.after >after
checks=$((checks + 1))
awk 'NR == FNR { was[$1 " " $2] = $3; next } { if ($3 + 0 < was[$1 " " $2] + 0) bad = 1; seen[$1 " " $2] = 1 }
     END { for (key in was) if (!(key in seen)) bad = 1; exit bad }' before after || fault "what rules took went back"
is '' rules 8
is '' reloads_done 1
events 700 800 >>ev.ndjson
more() { # each figure is as old as its thread published it: one that waits for its time is not counted yet
    figures
    [ "$(value ' source="auth"' events)" = 801 ] && [ "$(value ' source="auth"' waiting_events)" = 0 ] &&
        [ "$(value ' rule="quiet"' suppressed)" = 153 ]
}
until_true "the new ones" more
stop
want 0
is ' source="auth"' events 801
is ' rule="quiet"' alerts 7
is ' rule="quiet"' suppressed 153
is ' sink="second"' delivered "$(wc -l <second.ndjson)"
done_testing
