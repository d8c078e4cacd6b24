#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Installs what the tests need, builds tocsin with the sanitizers, and runs every test:
#
#   sh tests/run.sh
#
# On Debian 12 or 13, as root or with sudo. It writes to _build only, and may be run again. At the
# end the fuzz targets run for FUZZ_SECONDS (30) each; without clang's libFuzzer that is said, and a
# failure where CI is set.
# The last line is `N passed, N failed'; the exit code is 0 only if nothing failed.

set -eu
cd "$(dirname "$0")/.."
top=$(pwd)
build=$top/_build/check

say() { printf '\n== %s\n' "$*"; }

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
    "$top/configure" --quiet --enable-werror --enable-sanitizers --enable-failpoints \
        CFLAGS='-O1 -g' CXXFLAGS='-O1 -g' || return 1
    make -j2
}

# One line of result per .trs file; `make check' removes those of tests that are gone.
count_results() {
    find "$build" -name '*.trs' -exec sed -n 's/^:test-result: //p' {} + | grep -c -E "^($1)"
}

say "Installing what is missing"
sh contrib/debian-packages.sh libcmocka-dev python3 tzdata || give_up "The packages could not be installed."
build_all || give_up "The build failed."

say "Running the tests"
cd "$build"
find . -name '*.trs' -exec rm -f {} +
check=0
make -j2 check || check=$?

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
        say "Failed: ${log#./}, its last lines:"
        tail -n 40 "$log"
    done
fi
if [ "$check" -ne 0 ] && [ "$failed" -eq 0 ]; then
    say "make check ended with $check, though no test failed"
    failed=1
fi

say "Fuzzing"
fuzz=0
if sh "$top/contrib/debian-packages.sh" --fuzzing; then
    sh "$top/tests/fuzz/run.sh" >"$build/fuzz.log" 2>&1 || fuzz=$?
    cat "$build/fuzz.log"
else
    fuzz=77
fi
if [ "$fuzz" -eq 77 ] && [ -z "${CI:-}" ]; then
    say "NOT FUZZED: clang's libFuzzer cannot be had here. All else was tested."
    skipped=$((skipped + 1))
elif [ "$fuzz" -eq 77 ]; then
    say "Failed: clang's libFuzzer cannot be had, and CI must fuzz"
    failed=$((failed + 1))
else
    counts=$(sed -n '$s/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$build/fuzz.log")
    [ -n "$counts" ] || counts="0 1" # it was not even built
    passed=$((passed + ${counts% *}))
    failed=$((failed + ${counts#* }))
fi

echo
if [ "$skipped" -gt 0 ]; then
    echo "$passed passed, $failed failed, $skipped skipped"
else
    echo "$passed passed, $failed failed"
fi
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
