#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Builds tocsin, makes sample logs with incidents in them, and lets the shipped rules find these:
#
#   sh examples/quickstart.sh
#
# On Debian 12 or 13, as root or with sudo. It writes to _build/quickstart only, and may be run again.

set -eu
cd "$(dirname "$0")/.."
top=$(pwd)
build=$top/_build/quickstart

say() { printf '\n== %s\n' "$*"; }

# What `awk' needs to take a member of text out of a JSON line; the first of that name counts.
text_of='function text(name,    rest) {
    rest = $0
    if (!match(rest, "\"" name "\":\""))
        return "?"
    rest = substr(rest, RSTART + RLENGTH)
    gsub(/\\"/, "\001", rest)
    sub(/".*/, "", rest)
    gsub(/\001/, "\"", rest)
    return rest
}'

# Alerts as lines of "TIME  SEVERITY  TITLE".
readable() {
    awk "$text_of"'{ printf "%s  %-8s  %s\n", text("time"), text("severity"), text("title") }' "$1" |
        sort
}

# "RULE TIME" of each alert, or of what was planted.
found() {
    awk "$text_of"'{ print text("rule"), substr(text("time"), 1, 19) }' "$1" | sort
}

cat <<'END'
This installs the Debian packages that tocsin is built from, builds it in _build/quickstart,
writes sample logs there (an SSH server's, CloudTrail's, a directory's logins, an identity
provider's, payments and orders, questions to a name server), and runs those of
the rules in rules/ over them that read such logs.
END

say "Installing what is missing"
sh contrib/debian-packages.sh

say "Building"
autoreconf -i
mkdir -p "$build"
cd "$build"
"$top/configure" --quiet
make -j2 all examples/generate

say "Making sample logs"
examples/generate --seed 1 samples

say "The rules, and their own tests"
./tocsin check "$top/rules"
./tocsin test "$top/rules"

say "Running the rules over the logs"
./tocsin replay -r "$top/rules/identity" -r "$top/rules/cloud/cloudtrail_new_admin_user.rule" \
    -r "$top/rules/network/dns_tunnelling.rule" -r "$top/rules/fraud/card_testing.rule" \
    -r "$top/rules/fraud/spend_velocity.rule" -r "$top/rules/shop/order_settlement.rule" \
    -r "$top/rules/shop/order_unpaid.rule" --time sshd=timestamp --time cloudtrail=eventTime \
    sshd=samples/sshd.ndjson cloudtrail=samples/cloudtrail.ndjson winlog=samples/login.ndjson \
    idp=samples/idp.ndjson payments=samples/payments.ndjson orders=samples/orders.ndjson \
    dns=samples/dns.ndjson >samples/alerts.ndjson
readable samples/alerts.ndjson

found samples/planted.ndjson >samples/planted.txt
found samples/alerts.ndjson >samples/found.txt
if cmp -s samples/planted.txt samples/found.txt; then
    echo
    echo "These are the $(grep -c . samples/planted.txt) incidents that were planted, and nothing else."
else
    echo
    echo "This is not what was planted (<: planted only, >: found only):"
    diff samples/planted.txt samples/found.txt || true
    exit 1
fi

cat <<'END'

== What next
The alerts, with the events that made them: _build/quickstart/samples/alerts.ndjson
Change a rule, say `within 60s' in rules/identity/ssh_brute_force.rule, and see what it finds and what its
tests say then:
  _build/quickstart/tocsin test rules/identity/ssh_brute_force.rule
Run it on a log of your own, one JSON object a line (.gz too, or - for standard input):
  _build/quickstart/tocsin replay -r rules/identity/ssh_brute_force.rule --time timestamp sshd=YOUR.ndjson
Sources, sinks and limits stand in a configuration; examples/tocsin.conf has every key, and reads these logs:
  _build/quickstart/tocsind --check -c examples/tocsin.conf
  _build/quickstart/tocsin replay -c examples/tocsin.conf
END
