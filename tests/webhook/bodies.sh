#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What webhooks say (src/io/body.h), against the schemas of those who read it: bodies.py. The alerts are
# made up (alerts.ndjson), found in the sample logs by the rules of rules/, and in the real logs.
set -u
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
build=${top_builddir:-.}
make=$build/tests/webhook/make_bodies

. "$here/../skip.sh"
python=
for try in python3 /usr/bin/python3; do
    "$try" -c 'import jsonschema; jsonschema.Draft202012Validator' 2>/dev/null && python=$try && break
done
[ -n "$python" ] || skip "python3 with jsonschema (Debian package python3-jsonschema) is missing"
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

"$python" -B "$here/bodies.py" golden "$make" || exit 1

# The example of the reference.
block() { awk -v mark="\`\`\`$1" '$0 == mark { on = 1; next } /^```/ { on = 0 } on' "$top/grammar/webhooks.md"; }
block webhook-template >"$work/template"
block webhook-alert >"$work/alert"
block webhook-body >"$work/said"
"$make" --template "$work/template" "$work/alert" | "$python" -c '
import json, sys
body = json.loads(sys.stdin.readline())["body"]
said = open(sys.argv[1]).read()
assert body == said and json.loads(body), "grammar/webhooks.md has another body than:\n" + body' "$work/said" || exit 1

# The template that examples/ has, over all alerts.
cat "$here/alerts.ndjson" >"$work/all"
"$make" --template "$top/examples/opsgenie.json" "$work/all" | "$python" -c '
import json, sys
for line in sys.stdin:
    body = json.loads(json.loads(line)["body"])
    assert 0 < len(body["message"].encode("utf-16-le")) // 2 <= 130, body["message"]
    assert body["priority"] in ("P1", "P2", "P3", "P4", "P5") and len(body["alias"]) == 32, body
    assert all(isinstance(value, str) and value for value in body["details"].values()) and body["entity"], body
' || exit 1

"$build/examples/generate" --seed 1 "$work/samples" >/dev/null || exit 1
rules=$top/rules
s=$work/samples
"$build/tocsin" replay -r "$rules/identity" -r "$rules/cloud/cloudtrail_new_admin_user.rule" \
    -r "$rules/network/dns_tunnelling.rule" -r "$rules/fraud/card_testing.rule" \
    -r "$rules/fraud/spend_velocity.rule" -r "$rules/shop/order_settlement.rule" \
    -r "$rules/shop/order_unpaid.rule" --time sshd=timestamp --time cloudtrail=eventTime \
    "sshd=$s/sshd.ndjson" "cloudtrail=$s/cloudtrail.ndjson" "winlog=$s/login.ndjson" \
    "idp=$s/idp.ndjson" "payments=$s/payments.ndjson" "orders=$s/orders.ndjson" "dns=$s/dns.ndjson" \
    >"$work/sample_alerts.ndjson" 2>/dev/null || exit 1
[ "$(wc -l <"$work/sample_alerts.ndjson")" -ge 20 ] || { echo "hardly an alert in the samples"; exit 1; }

# Of the real logs, if they are at hand (tests/data/real_numbers.py), every 9th alert.
data=${TOCSIN_DATA:-$top/../shared/data}
real=
find_real() {
    "$build/tocsin" replay -r "$top/tests/data/$1.rule" --time "$2=$3" $4 "$2=$data/$2.ndjson.gz" \
        2>/dev/null | awk 'NR % 9 == 1' >"$work/$1.ndjson"
    [ -s "$work/$1.ndjson" ] || { echo "no alerts of $1 in $2"; exit 1; }
    real="$real $work/$1.ndjson"
}
if [ -f "$data/linux_auth.ndjson.gz" ]; then
    find_real ssh_brute_force linux_auth timestamp ''
    find_real ssh_login_session linux_auth timestamp ''
    find_real ssh_never_closed linux_auth timestamp ''
    find_real cloudtrail_user_key cloudtrail eventTime '--lateness 10m'
    find_real cloudtrail_parameter cloudtrail eventTime '--lateness 10m'
else
    echo "NOT TESTED on alerts of real logs: no $data/linux_auth.ndjson.gz (TOCSIN_DATA)"
fi
# shellcheck disable=SC2086
"$python" -B "$here/bodies.py" check "$make" "$work" "$work/sample_alerts.ndjson" $real || exit 1
mkdir "$work/daemon"
"$python" -B "$here/bodies.py" daemon "$(cd "$build" && pwd)/tocsind" "$work/daemon" || exit 1
