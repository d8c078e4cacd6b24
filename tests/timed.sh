#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Runs a test and says last how long it took, and how long it computed: `make check' runs all of them so,
# and tests/run.sh lists the longest. What takes long and computes little waits: for what?
#
#   timed.sh COMMAND...

began=$(date +%s%N)
code=0
"$@" || code=$?
tenths=$((($(date +%s%N) - began) / 100000000))
# of a process of its own, in a pipe, `times' would know nothing; its second line is that of the children: MmS.SSs MmS.SSs
said=$(mktemp)
times >"$said"
computed=$(awk 'NR == 2 { for (i = 1; i <= 2; i++) { split($i, t, /[ms]/); n += 60 * t[1] + t[2] } printf "%.1f", n }' "$said")
rm -f "$said"
echo "== took $((tenths / 10)).$((tenths % 10)) s, $computed s of them computing"
exit "$code"
