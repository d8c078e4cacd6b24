#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The shipped rules: no warning, together or each file alone; their own tests.
. "$(cd "$(dirname "$0")" && pwd)/lib.sh"

run check "$top_srcdir/rules"
want 0
checks=$((checks + 1))
grep -q -e warning -e error: out err && fault "a warning"
run test "$top_srcdir/rules"
want 0
prints ' passed, 0 failed$'

for file in "$top_srcdir"/rules/*/*.rule; do
    run test "$file"
    want 0
done

done_testing
