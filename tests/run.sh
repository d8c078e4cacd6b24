#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Installs what the tests need, builds tocsin with the sanitizers, and runs every test:
#
#   sh tests/run.sh
#
# On Debian 12 or 13, as root or with sudo. It writes to _build only, and may be run again. At the
# end what has threads runs under the thread sanitizer (tests/tsan.sh), and the fuzz targets over a fixed
# number of inputs; without clang's libFuzzer that is said, and a failure where CI is set. What is random
# has a fixed seed (SEED=1) in all of it: `make check-long' takes others.
# What failed beside other tests is tried once more alone, and told as UNSTEADY (try_again).
# The last line is `N passed, N failed'; the exit code is 0 only if nothing failed.

set -eu
cd "$(dirname "$0")/.."
top=$(pwd)
build=$top/_build/check

began=$(date +%s)
say() { printf '\n== %s (after %d s)\n' "$*" $(($(date +%s) - began)); }

# Ends the run as one failed test: what could not even be built has passed nothing.
give_up() {
    say "$*"
    echo "0 passed, 1 failed"
    exit 1
}

build_all() {
    say "Building in _build/check (sanitizers on, warnings are errors)"
    autoreconf -i || return 1
    mkdir -p "$build" || return 1
    cd "$build" || return 1
    # -g1: lines and names are what a sanitizer's report says; the rest would be a third of the time
    "$top/configure" --quiet --enable-werror --enable-sanitizers --enable-failpoints \
        CFLAGS='-O1 -g1' CXXFLAGS='-O1 -g1' || return 1
    make -j2
}

# What takes longest, so that it does not begin last, with the processors idle beside it.
longest="tests/kafka/sink.sh tests/kill/kill.sh tests/kafka/both.sh tests/oracle/run.sh tests/kafka/away.sh
    tests/kafka/source_rest.sh tests/unit/test_window_pane tests/kafka/source.sh tests/kafka/rules.sh tests/daemon/sources.sh
    tests/kafka/sink_lives.sh tests/http/schema.sh tests/cli/remote.sh tests/webhook/deliver.sh tests/webhook/kill.sh"

# All tests of the makefile, those first.
list_tests() {
    printf 'include Makefile\nlist-tests:\n\t@printf "%%s\\n" $(TESTS)\n' | make -s -f - list-tests >tests.all
    for test in $longest; do
        grep -x -e "$test" tests.all || true
    done
    for test in $longest; do
        echo "$test"
    done | grep -v -x -f - tests.all
}

# One line of result per .trs file; `make check' removes those of tests that are gone.
count_results() {
    find "$build" -name '*.trs' -exec sed -n 's/^:test-result: //p' {} + | grep -c -E "^($1)"
}

# What a log says of a failure: lines that look like it, then the last ones.
show_failure() {
    grep -n -a -E '(ERROR|LINE)   ?\] ---|[Aa]ssert|^FAIL|Traceback|Sanitizer' "$1" | head -n 20 || true
    echo "..."
    tail -n 40 "$1"
}

# Up to six tests that failed beside others, and in which no sanitizer spoke, are run once more, alone: what
# passes then is told as unsteady, with what it said first.
try_again() {
    trs_failed=$(grep -l -E '^:test-result: (FAIL|ERROR)' $(find . -name '*.trs') /dev/null || true)
    [ -n "$trs_failed" ] && [ "$(echo "$trs_failed" | wc -l)" -le 6 ] || return 0
    for trs in $trs_failed; do
        ! grep -q -E 'Sanitizer|runtime error' "${trs%.trs}.log" || return 0
        say "UNSTEADY: ${trs%.trs} failed; what it said, before it is run again alone:"
        show_failure "${trs%.trs}.log"
    done
    check=0
    make -j1 recheck || check=$?
}

# A log whose last line is `N passed, N failed'.
add_counts() {
    counts=$(sed -n '$s/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$1")
    [ -n "$counts" ] || counts="0 1" # it was not even built
    passed=$((passed + ${counts% *}))
    failed=$((failed + ${counts#* }))
}

say "Installing what is missing"
sh contrib/debian-packages.sh libcmocka-dev systemd python3 python3-venv python3-h2 python3-jsonschema python3-yaml openssl tzdata || give_up "The packages could not be installed."
sh contrib/debian-packages.sh default-jre-headless maven kcat ||
    say "No Java, Maven or kcat: what speaks with Kafka is not tested, which fails where CI is set."
fuzz=0
sh contrib/debian-packages.sh --fuzzing || fuzz=77
PROMTOOL=$(sh tests/contrib/promtool.sh "$top/_build/promtool") || PROMTOOL=promtool
export PROMTOOL
build_all || give_up "The build failed."

# one broker for what does not stop it
cd "$top"
[ ! -e _build/kafka ] || sh tests/kafka/broker.sh kill "$top/_build/kafka" || true
rm -rf "$top/_build/kafka"
TOCSIN_KAFKA=$(python3 -B "$top/tests/kafka/broker.py" begin "$top/_build/kafka") || TOCSIN_KAFKA=
export TOCSIN_KAFKA
trap 'sh "$top/tests/kafka/broker.sh" kill "$top/_build/kafka" || true' EXIT

# Many tests wait more than they compute: meanwhile the other builds are made, as far as there is room.
say "Running the tests; the builds for the thread sanitizer and for fuzzing are made beside them"
{ nice -n 19 sh tests/tsan.sh --build; [ "$fuzz" -eq 77 ] || nice -n 19 sh tests/fuzz/run.sh --build; } >"$build/beside.log" 2>&1 &
beside=$!
cd "$build"
find . -name '*.trs' -exec rm -f {} +
check=0
make -j4 check TESTS="$(list_tests | tr '\n' ' ')" || check=$?
[ "$check" -eq 0 ] || try_again

for trs in $(find . -name '*.trs' | sort); do
    log=${trs%.trs}.log
    say "${log#./}"
    cat "$log"
done

failed_logs=$(grep -l -E '^:test-result: (FAIL|XPASS|ERROR)' $(find . -name '*.trs') /dev/null || true)
passed=$(count_results 'PASS|XFAIL' || true)
failed=$(count_results 'FAIL|XPASS|ERROR' || true)
skipped=$(count_results 'SKIP' || true)

if [ -n "$failed_logs" ]; then
    for trs in $failed_logs; do
        log=${trs%.trs}.log
        say "Failed: ${log#./}, what it said:"
        show_failure "$log"
    done
fi
if [ "$check" -ne 0 ] && [ "$failed" -eq 0 ]; then
    say "make check ended with $check, though no test failed"
    failed=1
fi

say "The longest tests"
for log in $(find . -name '*.log'); do
    sed -n "s,^== took \([0-9.]* s\)\, \([0-9.]* s\) of them computing\$,\1 (\2 computing)  ${log#./},p" "$log"
done | sort -rn | head -n 20

wait "$beside" || true # what could not be built is told where it is used
say "What has threads, under the thread sanitizer"
sh "$top/tests/tsan.sh" >"$build/tsan.log" 2>&1 || true
cat "$build/tsan.log"
add_counts "$build/tsan.log"

say "Fuzzing"
if [ "$fuzz" -eq 0 ]; then
    sh "$top/tests/fuzz/run.sh" --fixed >"$build/fuzz.log" 2>&1 || fuzz=$?
    cat "$build/fuzz.log"
fi
if [ "$fuzz" -eq 77 ] && [ -z "${CI:-}" ]; then
    say "NOT FUZZED: clang's libFuzzer cannot be had here. All else was tested."
    skipped=$((skipped + 1))
elif [ "$fuzz" -eq 77 ]; then
    say "Failed: clang's libFuzzer cannot be had, and CI must fuzz"
    failed=$((failed + 1))
else
    add_counts "$build/fuzz.log"
fi

echo
if [ "$skipped" -gt 0 ]; then
    echo "$passed passed, $failed failed, $skipped skipped"
else
    echo "$passed passed, $failed failed"
fi
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
