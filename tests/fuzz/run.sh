#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Fuzzes: builds the targets with clang in _build/fuzz and runs each for FUZZ_SECONDS (30), two at a
# time, from its kept corpus and what earlier runs found:
#
#   [FUZZ_SECONDS=N] sh tests/fuzz/run.sh [TARGET...]
#
# The last line is `N passed, N failed'. An input that fails is named, and stays in
# _build/fuzz/failed. Exit code 0: none failed; 1: some did; 77: there is no clang with libFuzzer.

set -eu

# One target, called by the lines below.
if [ "${1:-}" = --one ]; then
    name=$2
    mkdir -p "found/$name"
    case $name in
    parse | compile | config) options="-max_len=4096 -dict=$FUZZ_TOP/tests/fuzz/rules.dict" ;;
    event | gunzip | rules) options="-max_len=600" ;;
    *) options="-max_len=128" ;;
    esac
    result=passed
    UBSAN_OPTIONS=print_stacktrace=1 "tests/fuzz/fuzz_$name" $options -timeout=25 -rss_limit_mb=2048 \
        -max_total_time="$FUZZ_SECONDS" -print_final_stats=1 -artifact_prefix="failed/$name-" \
        "found/$name" "$FUZZ_TOP/tests/fuzz/corpus/$name" >"found/$name.log" 2>&1 || result=FAILED
    speed=$(sed -n 's/^stat::average_exec_per_sec: *//p' "found/$name.log")
    echo "fuzz_$name: $result (${speed:-?} inputs a second)"
    [ "$result" = passed ] && exit 0
    : >"failed/$name.target"
    grep -E 'ERROR|fuzz:|runtime error|SUMMARY' "found/$name.log" || tail -n 20 "found/$name.log"
    sed -n "s,.*Test unit written to ,input: $(pwd)/,p" "found/$name.log"
    exit 0
fi

FUZZ_TOP=$(cd "$(dirname "$0")/../.." && pwd)
FUZZ_SECONDS=${FUZZ_SECONDS:-30}
export FUZZ_TOP FUZZ_SECONDS
build=$FUZZ_TOP/_build/fuzz

if ! command -v clang++ >/dev/null 2>&1 ||
    ! echo 'extern "C" int LLVMFuzzerTestOneInput(const char *, unsigned long) { return 0; }' |
        clang++ -fsanitize=fuzzer,address,undefined -x c++ - -o /dev/null 2>/dev/null; then
    echo "fuzz: no clang++ with libFuzzer (sh contrib/debian-packages.sh --fuzzing)" >&2
    exit 77
fi

[ -x "$FUZZ_TOP/configure" ] || (cd "$FUZZ_TOP" && autoreconf -i)
mkdir -p "$build"
cd "$build"
[ -f Makefile ] || "$FUZZ_TOP/configure" --quiet --enable-fuzzing CC=clang CXX=clang++ \
    CFLAGS='-O1 -g' CXXFLAGS='-O1 -g'

targets=${*:-$(cd "$FUZZ_TOP/tests/fuzz" && ls fuzz_*.c | sed 's/^fuzz_\(.*\)\.c$/\1/')}
make -j2 $(printf 'tests/fuzz/fuzz_%s ' $targets)

rm -rf failed
mkdir -p failed found
printf '%s\n' $targets | xargs -n 1 -P 2 sh "$FUZZ_TOP/tests/fuzz/run.sh" --one
failed=$(find failed -name '*.target' | grep -c . || true)
echo "$(($(echo $targets | wc -w) - failed)) passed, $failed failed"
[ "$failed" -eq 0 ]
