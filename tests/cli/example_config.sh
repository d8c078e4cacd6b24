#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# examples/tocsin.conf, examples/webhooks.conf, examples/kafka.conf: they are right, with what is commented out too, have every key;
# a replay of the sample logs by the first finds what a replay by the command line finds; the second says which
# alerts go where, and shows none of its secrets.
top=$(cd "$(dirname "$0")/../.." && pwd)
. "$top/tests/cli/lib.sh"
generate=$(dirname "$TOCSIN")/examples/generate
tocsin=$TOCSIN

mkdir -p examples _build/quickstart
ln -s "$top/rules" rules
cp "$top/examples/tocsin.conf" "$top/examples/webhooks.conf" "$top/examples/kafka.conf" examples
TOCSIN=${TOCSIND:-$(dirname "$tocsin")/tocsind}
run --check -c examples/tocsin.conf
want 0
prints '^ok: [1-9][0-9]* rules, 3 sources, 3 sinks$'
says '^warning: source idp: .*idp\.ndjson: there is no such file$'
grep -v ': there is no such file$' err && fault 'something else was said'
sed 's/^\( *\)#\([^ ]\)/\1\2/' examples/tocsin.conf >examples/all.conf
run --check -c examples/all.conf
want 0
prints ' 5 sources, 4 sinks$'
sed 's/^\( *\)#\([^ ]\)/\1\2/' examples/webhooks.conf >examples/more.conf
sed 's/^\( *\)#\([^ ]\)/\1\2/' examples/kafka.conf >examples/topics.conf
cat examples/all.conf examples/more.conf examples/topics.conf >examples/keys.conf
sed '/^ *\(ca\|certificate\|key\)  *"/d' examples/more.conf >t && mv t examples/more.conf # these files are not there
SOC_SECRET=hidden-key SLACK_URL=https://hooks.slack.example/T/hidden-key PAGER_KEY=hidden-key
TICKET_TOKEN="Bearer hidden-key"
export SOC_SECRET SLACK_URL PAGER_KEY TICKET_TOKEN
for file in webhooks more; do
    run --check -c examples/$file.conf
    want 0
    prints '^ok: 7 rules, 3 sources, 5 sinks$' '^  disk, soc (route), tickets (route)$' \
        '^      ssh_brute_force_success$' '^  disk, soc (route), pager (route)$'
    grep -v ': there is no such file$' err && fault 'something else was said'
    cat out err | grep hidden-key && fault 'a secret is shown'
done
KAFKA_PASSWORD=hidden-key
export KAFKA_PASSWORD
sed '/ssl\.ca\.location/d' examples/topics.conf >t && mv t examples/topics.conf # nor is this one everywhere
for file in kafka topics; do
    run --check -c examples/$file.conf
    want 0
    prints '^ok: 7 rules, 3 sources, 1 sink$'
    [ -s err ] && fault 'something else was said'
    cat out err | grep hidden-key && fault 'a secret is shown'
done
for key in $(sed -n 's/^OPTION([a-z_]*, \([a-z_]*\),.*/\1/p' "$top/src/config/option.def"); do
    in_file examples/keys.conf "^[^#]*\\<$key "
done

TOCSIN=$tocsin
[ -x "$generate" ] || done_testing
"$generate" --seed 1 _build/quickstart/samples >out 2>err || fault 'no samples'
run replay -c examples/tocsin.conf
want 0
says ' (0 late, 0 rejected)'
sort out >by_config
run replay -r rules/identity --lateness 5s --time sshd=timestamp sshd=_build/quickstart/samples/sshd.ndjson \
    winlog=_build/quickstart/samples/login.ndjson idp=_build/quickstart/samples/idp.ndjson
want 0
sort out >by_line
same by_config by_line
[ -s by_config ] || fault 'nothing was found'

# A daemon finds the same: the times of the samples are past, so it sets no event aside.
sed 's/lateness *5s/& follow false/' examples/tocsin.conf >examples/once.conf
TOCSIN=$(dirname "$tocsin")/tocsind
run -c examples/once.conf
want 0
sed 's/,"detected_at":"[^"]*"//' _build/quickstart/tocsind-alerts.ndjson | sort >by_daemon
same by_config by_daemon
done_testing
