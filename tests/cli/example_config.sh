#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# examples/tocsin.conf: it is right, with what is commented out too, has every key, and a replay of the
# sample logs by it finds what a replay by the command line finds.
top=$(cd "$(dirname "$0")/../.." && pwd)
. "$top/tests/cli/lib.sh"
generate=$(dirname "$TOCSIN")/examples/generate
tocsin=$TOCSIN

mkdir -p examples _build/quickstart
ln -s "$top/rules" rules
cp "$top/examples/tocsin.conf" examples
TOCSIN=${TOCSIND:-$(dirname "$tocsin")/tocsind}
run --check -c examples/tocsin.conf
want 0
prints '^ok: [1-9][0-9]* rules, 3 sources, 3 sinks$'
says '^warning: source idp: .*idp\.ndjson: there is no such file$'
grep -v ': there is no such file$' err && fault 'something else was said'
sed 's/^\( *\)#\([^ ]\)/\1\2/' examples/tocsin.conf >examples/all.conf
run --check -c examples/all.conf
want 0
prints ' 4 sources, 4 sinks$'
for key in $(sed -n 's/^OPTION([a-z_]*, \([a-z_]*\),.*/\1/p' "$top/src/config/option.def"); do
    in_file examples/all.conf "^[^#]*\\<$key "
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
done_testing
