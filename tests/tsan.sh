#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What has threads, under the thread sanitizer: builds it in _build/tsan and runs it, two tests at a time:
#
#   [TSAN_KILLS=N] [SEED=N] sh tests/tsan.sh [TEST...]
#   sh tests/tsan.sh --build                             builds alone
#
# A test is what stands in a line of list_tests. One fails if it does, or if any of its processes told
# of a race, also one that was killed later: the reports stay in _build/tsan/report. TSAN_KILLS (8): of
# the kill test; SEED (1): of what is random. The last line is `N passed, N failed'.

set -eu

# a test, and the threads that meet in it; the longest first
list_tests() {
    cat <<'END'
tests/kill/kill.sh                    all: recovery at each step
tests/unit/test_source_follow_load    reader, releases; writers and rotation
tests/daemon/sources.sh               all, with many files
tests/unit/test_source_http           who posts; the thread that appends and answers
tests/webhook/web.sh                  who wakes the webhook client; libcurl's, for names
tests/webhook/deliver.sh              all, with webhooks
tests/unit/test_queue                 any two of them
tests/unit/test_checkpoint            engine, checkpoint
tests/unit/test_outbox                checkpoint, deliver
tests/unit/test_outbox_race           the same, at moments that are made
tests/unit/test_deliver               checkpoint, deliver, a sink that fails
tests/unit/test_spool                 who writes it, who reads it
tests/unit/test_source_spool          reader of standard input, of its spool
tests/daemon/run.sh                   all: start, signals, end
tests/daemon/reload.sh                all: pipelines that give way to others
tests/daemon/reload_config.sh         all: sinks and their threads that give way to others; figures
tests/daemon/stdin.sh                 all, with standard input
tests/unit/test_courier               courier, checkpoint
tests/unit/test_courier_gather        the same, with messages that wait for others
tests/kafka/sink_lives.sh             deliver and the threads of librdkafka
tests/kafka/rules.sh                  who reads a topic of rules, who answers there, main, checkpoint
tests/http/alerts.sh                  checkpoint, who reads for those who watch, the server, the worker
tests/http/api.sh                     the server, main, the engine: changes, questions
tests/http/tables.sh                  who reads rows that are put, main, checkpoint
tests/http/load.sh                    all: changes over HTTP while events come by file and by POST, kills
tests/http/server.sh                  the server, who answers for it, who stops it
END
}

one() {
    name=$(basename "$1" .sh)
    log=$(pwd)/log/$name
    TSAN_OPTIONS="exitcode=66 log_path=$(pwd)/report/$name"
    TOCSIN=$(pwd)/tocsin TOCSIND=$(pwd)/tocsind top_builddir=$(pwd) KILLS=$TSAN_KILLS
    export TSAN_OPTIONS TOCSIN TOCSIND top_builddir KILLS
    case $1 in
    # the parts that are quick, or have threads that the others have not
    */sources.sh) set -- sh "$top_srcdir/$1" copied rest stalled ;;
    */kill.sh) set -- sh "$top_srcdir/$1" files narrow ;;
    */tables.sh) set -- sh "$top_srcdir/$1" race large flow ;;
    */alerts.sh) set -- sh "$top_srcdir/$1" filters watch resume stop ;;
    */deliver.sh) set -- sh "$top_srcdir/$1" misbehaves dies many stops ;;
    */sink_lives.sh)
        TSAN_OPTIONS="$TSAN_OPTIONS suppressions=$top_srcdir/tests/kafka/tsan.supp"
        TOCSIN_PRELOAD="$(ldd ./tocsind | awk '/libtsan/ { print $3 }') $(pwd)/c11_threads.so"
        ONLY=taken_over_soon,two_daemons
        # a broker of its own: the topics are those of the same test elsewhere
        TOCSIN_KAFKA=
        export TSAN_OPTIONS TOCSIN_PRELOAD ONLY TOCSIN_KAFKA
        set -- sh "$top_srcdir/$1"
        ;;
    */kafka/rules.sh)
        TSAN_OPTIONS="$TSAN_OPTIONS suppressions=$top_srcdir/tests/kafka/tsan.supp"
        TOCSIN_PRELOAD="$(ldd ./tocsind | awk '/libtsan/ { print $3 }') $(pwd)/c11_threads.so"
        export TSAN_OPTIONS TOCSIN_PRELOAD
        set -- sh "$top_srcdir/$1" life kills
        ;;
    */load.sh) RELOADS=30 && export RELOADS && set -- sh "$top_srcdir/$1" load ;;
    *.sh) set -- sh "$top_srcdir/$1" ;;
    *) set -- "./$1" ;;
    esac
    began=$(date +%s) code=0
    "$@" >"$log" 2>&1 || code=$?
    result=passed
    if [ "$code" -eq 77 ] && [ -z "${CI:-}" ]; then
        result="SKIPPED: $(tail -n 1 "$log")"
    elif [ "$code" -ne 0 ] || [ -n "$(find report -name "$name.*")" ]; then
        result=FAILED
        : >"failed/$name"
        grep -n -a -E '(ERROR|LINE)   ?\] ---|[Aa]ssert|Traceback' "$log" | head -n 20 || true
        tail -n 40 "$log"
        find report -name "$name.*" -exec head -n 60 {} +
    fi
    echo "$name: $result ($(($(date +%s) - began)) s)"
}

if [ "${1:-}" = --one ]; then
    one "$2"
    exit 0
fi

just_build=no
if [ "${1:-}" = --build ]; then
    just_build=yes
    shift
fi
top_srcdir=$(cd "$(dirname "$0")/.." && pwd)
TSAN_KILLS=${TSAN_KILLS:-8} SEED=${SEED:-1}
export top_srcdir TSAN_KILLS SEED
names=${*:-$(list_tests | awk '{ print $1 }')}

[ -x "$top_srcdir/configure" ] || (cd "$top_srcdir" && autoreconf -i)
mkdir -p "$top_srcdir/_build/tsan"
cd "$top_srcdir/_build/tsan"
[ -f Makefile ] || "$top_srcdir/configure" --quiet --enable-tsan --enable-failpoints --enable-werror \
    CFLAGS='-O1 -g1' CXXFLAGS='-O1 -g1'
${CC:-cc} -shared -fPIC -O1 -g -o c11_threads.so "$top_srcdir/tests/kafka/c11_threads.c"
make -j2 tocsin tocsind tests/webhook/post tests/http/serve tests/kafka/admin $(for name in $names; do echo "${name%%*.sh}"; done)

[ "$just_build" = no ] || exit 0
rm -rf report failed log
mkdir report failed log
printf '%s\n' $names | xargs -n 1 -P 2 sh "$top_srcdir/tests/tsan.sh" --one
# As tests/run.sh does: up to six that failed beside others, and in which no race was told, once more, alone.
again=$(cd failed && ls)
if [ -n "$again" ] && [ "$(echo "$again" | wc -l)" -le 6 ] && [ -z "$(ls report)" ]; then
    for name in $names; do
        base=$(basename "$name" .sh)
        [ -e "failed/$base" ] || continue
        printf '\n== UNSTEADY: %s failed (above); it is run again alone\n' "$base"
        rm "failed/$base"
        sh "$top_srcdir/tests/tsan.sh" --one "$name"
    done
fi
failed=$(find failed -type f | grep -c . || true)
echo "$(($(echo $names | wc -w) - failed)) passed, $failed failed"
[ "$failed" -eq 0 ]
