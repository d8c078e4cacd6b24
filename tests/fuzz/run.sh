#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Fuzzes: builds the targets with clang in _build/fuzz and runs each, two at a time:
#
#   [FUZZ_SECONDS=N] [SEED=N] sh tests/fuzz/run.sh [TARGET...]
#   sh tests/fuzz/run.sh --fixed [TARGET...]
#   sh tests/fuzz/run.sh --build [TARGET...]      builds alone
#
# The first for FUZZ_SECONDS (10) each, from the kept corpus and what earlier runs found, another way each time
# (SEED=N: that way). --fixed is what CI does (tests/run.sh): a fixed seed and number of inputs, from the kept
# corpus alone, so that each run tries the same; a change is judged by what it does, not by its luck. Some
# seconds a target; FUZZ_MOST (60) seconds are the end of one in any case.
#
# The last line is `N passed, N failed'. An input that fails is named, and stays in
# _build/fuzz/failed. Exit code 0: none failed; 1: some did; 77: there is no clang with libFuzzer.

set -eu

# How many inputs --fixed tries beside the corpus: what takes 3 to 4 seconds on a small machine.
fixed_runs() {
    case $1 in
    alert | event | gunzip | sse) echo 120000 ;;
    topic_line) echo 60000 ;;
    body | spool) echo 12000 ;;
    compile | rows) echo 4000 ;;
    config) echo 8000 ;;
    http | marker | post_key | record) echo 300000 ;;
    key_record | rules | snapshot) echo 350 ;;
    parse) echo 6000 ;;
    pattern | time) echo 200000 ;;
    request | web) echo 25000 ;;
    route) echo 80000 ;;
    *) echo 10000 ;;
    esac
}

# One target, called by the lines below.
if [ "${1:-}" = --one ]; then
    name=$2
    corpus=$FUZZ_TOP/tests/fuzz/corpus/$name
    if [ "$FUZZ_FIXED" = yes ]; then
        rm -rf "fixed/$name"
        found=fixed/$name
        how="-seed=1 -runs=$(($(fixed_runs "$name") + $(find "$corpus" -type f | wc -l))) -max_total_time=$FUZZ_MOST"
    else
        found=found/$name
        how="-max_total_time=$FUZZ_SECONDS ${SEED:+-seed=$SEED}"
    fi
    mkdir -p "$found"
    case $name in
    parse | compile | config) options="-max_len=4096 -dict=$FUZZ_TOP/tests/fuzz/rules.dict" ;;
    request) options="-max_len=2048 -dict=$FUZZ_TOP/tests/fuzz/http.dict" ;;
    event | gunzip | rules | route | body | rows | topic_line) options="-max_len=600" ;;
    *) options="-max_len=128" ;;
    esac
    result=passed
    UBSAN_OPTIONS=print_stacktrace=1 "tests/fuzz/fuzz_$name" $options $how -timeout=120 -rss_limit_mb=2048 \
        -print_final_stats=1 -artifact_prefix="failed/$name-" "$found" "$corpus" >"$found.log" 2>&1 || result=FAILED
    tried=$(sed -n 's/^stat::number_of_executed_units: *//p' "$found.log")
    speed=$(sed -n 's/^stat::average_exec_per_sec: *//p' "$found.log")
    echo "fuzz_$name: $result (${tried:-?} inputs, ${speed:-?} a second)"
    [ "$result" = passed ] && exit 0
    : >"failed/$name.target"
    grep -E 'ERROR|fuzz:|runtime error|SUMMARY' "$found.log" || tail -n 20 "$found.log"
    sed -n "s,.*Test unit written to ,input: $(pwd)/,p" "$found.log"
    # where the file does not outlive the machine
    for input in "failed/$name-"*; do
        [ -f "$input" ] && [ "$(wc -c <"$input")" -le 4096 ] && echo "base64: $(base64 -w 0 "$input")"
    done
    exit 0
fi

FUZZ_FIXED=no just_build=no
case ${1:-} in
--fixed) FUZZ_FIXED=yes && shift ;;
--build) just_build=yes && shift ;;
esac
FUZZ_TOP=$(cd "$(dirname "$0")/../.." && pwd)
FUZZ_SECONDS=${FUZZ_SECONDS:-10} FUZZ_MOST=${FUZZ_MOST:-60}
export FUZZ_TOP FUZZ_SECONDS FUZZ_MOST FUZZ_FIXED
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
    CFLAGS='-O1 -g1' CXXFLAGS='-O1 -g1'

targets=${*:-$(cd "$FUZZ_TOP/tests/fuzz" && ls fuzz_*.c | sed 's/^fuzz_\(.*\)\.c$/\1/')}
make -j2 $(printf 'tests/fuzz/fuzz_%s ' $targets)

[ "$just_build" = no ] || exit 0
rm -rf failed
mkdir -p failed found fixed
printf '%s\n' $targets | xargs -n 1 -P 2 sh "$FUZZ_TOP/tests/fuzz/run.sh" --one
failed=$(find failed -name '*.target' | grep -c . || true)
echo "$(($(echo $targets | wc -w) - failed)) passed, $failed failed"
[ "$failed" -eq 0 ]
