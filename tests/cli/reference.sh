#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The reference, grammar/README.md: each block marked `tocsin' is a rule file that compiles, and its
# tests pass.
readme=$(cd "$(dirname "$0")/../.." && pwd)/grammar/README.md
. "$(cd "$(dirname "$0")" && pwd)/lib.sh"

awk '/^```tocsin$/ { n++; line = NR; next }
    /^```/ { line = 0 }
    line { print > ("block" n "-line" line ".rule") }' "$readme"

for block in block*.rule; do
    run test "$block"
    want 0
    prints '^[1-9][0-9]* passed, 0 failed$'
done
done_testing
