#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The reference, grammar/README.md: each block marked `tocsin' is a rule file that compiles, and its
# tests pass. Those marked `tocsin-later' are refused, as not supported or as no part of a rule file.
readme=$(cd "$(dirname "$0")/../.." && pwd)/grammar/README.md
. "$(cd "$(dirname "$0")" && pwd)/lib.sh"

awk '/^```tocsin$/ { name = "block"; line = NR; next }
    /^```tocsin-later$/ { name = "later"; line = NR; next }
    /^```/ { line = 0 }
    line { print > (name "-line" line ".rule") }' "$readme"

for block in block-*.rule; do
    run test "$block"
    want 0
    prints '^[1-9][0-9]* passed, 0 failed$'
done
for block in later-*.rule; do
    run check "$block"
    want 2
    says 'not supported by this version\|belongs into the configuration file'
done
done_testing
