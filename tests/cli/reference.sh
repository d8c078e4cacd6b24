#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The reference, grammar/*.md: each block marked `tocsin' is a rule file that compiles, and its
# tests pass. Those marked `tocsin-refused' are no part of a rule file.
grammar=$(cd "$(dirname "$0")/../.." && pwd)/grammar
. "$(cd "$(dirname "$0")" && pwd)/lib.sh"

command_line='the blocks of the reference'
: >out
: >err
# Cuts the blocks out: KIND-CHAPTER-line12.rule, of `conf' .conf.
awk 'FNR == 1 { chapter = FILENAME; sub(/.*\//, "", chapter); sub(/\.md$/, "", chapter); file = "" }
    /^```tocsin$/ { file = "block-" chapter "-line" FNR ".rule"; next }
    /^```tocsin-refused$/ { file = "refused-" chapter "-line" FNR ".rule"; next }
    /^```conf$/ { file = "conf-" chapter "-line" FNR ".conf"; next }
    /^```/ { if (file) close(file); file = "" }
    file { print > file }' "$grammar"/*.md
ls block-*.rule conf-*.conf refused-*.rule >blocks 2>/dev/null
grep -h -c -e '^```tocsin$' -e '^```tocsin-refused$' -e '^```conf$' "$grammar"/*.md | awk '{ n += $1 } END { print n }' >count
[ "$(cat count)" -gt 30 ] && [ "$(wc -l <blocks)" -eq "$(cat count)" ] || fault "not all blocks of $grammar were read"

for block in block-*.rule; do
    run test "$block"
    want 0
    prints '^[1-9][0-9]* passed, 0 failed$'
done
for block in refused-*.rule; do
    run check "$block"
    want 2
    says 'belongs into the configuration file'
done

# Those marked `conf' are configurations, for some rules.
mkdir -p rules
echo 'rule ssh_guessed { severity high  tags ["attack.t1110"]  match { a: any where exists(user) } emit { user = a.user } }' >rules/r.rule
echo token >token
TOCSIN=${TOCSIND:-$(dirname "$TOCSIN")/tocsind}
SOC_SECRET=whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw PAGER_KEY=key
export SOC_SECRET PAGER_KEY
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -passout "pass:$SOC_SECRET" -keyout tocsin.key \
    -out tocsin.pem -subj /CN=tocsin 2>/dev/null || fault 'no certificate without openssl'
cp tocsin.pem ca.pem
for block in conf-*.conf; do
    run --check -c "$block"
    want 0
    prints '^ok: 1 rule'
    grep -v ': there is no such file$' err && fault 'something else was said'
done
done_testing
