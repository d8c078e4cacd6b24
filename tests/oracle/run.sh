#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The oracle against the vectors and golden cases, then random rules against the engine.
#
#   sh tests/oracle/run.sh                  the fixed seeds of `make check', about 2,000 cases of
#                                           match, 1,300 of windows, joins and first sightings; 700
#                                           that are not judged, but all ways must agree on
#   SEEDS=1000000-1100000 BODY_SEEDS=5000-90000 WAY_SEEDS=1000-9000 sh tests/oracle/run.sh
#
# A failing case is printed as it is and then shrunk. Needs python3 (its standard library) and the
# built tests/golden/run_golden, in $top_builddir.

set -u
here=$(cd "$(dirname "$0")" && pwd)
top_builddir=${top_builddir:-.}
golden=$top_builddir/tests/golden/run_golden
seeds=${SEEDS:-0-3700}
body_seeds=${BODY_SEEDS:-0-550}
way_seeds=${WAY_SEEDS:-0-700}
jobs=${JOBS:-2}
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE

. "$here/../skip.sh"
command -v python3 >/dev/null || skip "the oracle judges nothing: python3 is missing (Debian package python3)"

work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

failed=0
python3 "$here/test_oracle.py" || failed=1
python3 "$here/test_body_oracle.py" || failed=1

first=${seeds%-*}
last=${seeds#*-}
step=$(((last - first + jobs - 1) / jobs))
for job in $(seq 1 "$jobs"); do
    from=$((first + (job - 1) * step))
    to=$((from + step))
    [ "$to" -gt "$last" ] && to=$last
    {
        python3 "$here/generate.py" "$from" "$to" "$work/$job.t" &&
            "$golden" -q "$work/$job.t"
        echo "ended with $?"
    } >"$work/$job.log" 2>&1 &
done
wait

for kind in windows joins novels; do
    {
        python3 "$here/generate_$kind.py" "${body_seeds%-*}" "${body_seeds#*-}" "$work/$kind.t" &&
            "$golden" -q "$work/$kind.t"
        echo "ended with $?"
    } >"$work/$kind.log" 2>&1 &
done
{
    python3 "$here/generate_ways.py" "${way_seeds%-*}" "${way_seeds#*-}" "$work/ways.t" &&
        "$golden" -qw "$work/ways.t"
    echo "ended with $?"
} >"$work/ways.log" 2>&1 &
wait

for job in $(seq 1 "$jobs") windows joins novels ways; do
    sed "s,$work/,," "$work/$job.log"
    grep -q '^ended with 0' "$work/$job.log" || failed=1
done

small=$(sed -n 's/^FAIL [^ ]*: seed \([0-9][0-9]*\).*/\1/p' "$work"/*.log | head -n "${SHRINK:-3}")
if [ -n "$small" ]; then
    python3 "$here/shrink.py" "$golden" $small
fi
small=$(sed -n 's/^FAIL [^ ]*: seed \([a-z][a-z]*\) \([0-9]*\).*/\1:\2/p' "$work"/*.log | head -n "${SHRINK:-3}")
if [ -n "$small" ]; then
    python3 "$here/shrink_bodies.py" "$golden" $small
fi
exit $failed
