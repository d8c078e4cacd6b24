#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What has threads, with unlucky moments: a library that is preloaded lets threads sleep where they could meet
# (tests/delays/delays.c). Builds tocsin in _build/delays, without sanitizers, and runs it, two tests at a time:
#
#   [SEED=N] [DELAYS_RUNS=N] [DELAYS_KILLS=N] sh tests/delays.sh [TEST...]
#
# A test is what stands in a line of list_tests, and runs as often as it says there (or DELAYS_RUNS), each time with
# another seed, from SEED (1) on: which places are slow hangs on it. DELAYS_KILLS (8): of the kill tests. A failure is
# a bug, of tocsin or of the test: `SEED=N DELAYS_RUNS=1 sh tests/delays.sh TEST' is likely to show it again.
# The last line is `N passed, N failed'.

set -eu

# a test, its runs, and the threads that meet in it
list_tests() {
    cat <<'END'
tests/kill/kill.sh                  2   all: recovery at each step
tests/kafka/rules.sh                2   who reads a topic of rules, who answers there, main, checkpoint
tests/kafka/sink.sh                 1   deliver and the threads of librdkafka
tests/kafka/source.sh               1   reader, scout, the threads of librdkafka
tests/kafka/tables.sh               1   the same, of tables
tests/webhook/deliver.sh            3   all, with webhooks
tests/webhook/kill.sh               3   all, with webhooks, killed
tests/webhook/web.sh                3   who wakes the webhook client; libcurl's, for names
tests/webhook/route.sh              3   all, with many sinks
tests/daemon/sources.sh             2   all, with many files
tests/daemon/run.sh                 3   all: start, signals, end
tests/daemon/reload.sh              3   all: pipelines that give way to others
tests/daemon/reload_config.sh       3   all: sinks and their threads that give way to others; figures
tests/daemon/route.sh               3   deliver; what is muted and grouped
tests/daemon/stdin.sh               3   all, with standard input
tests/daemon/faults.sh              3   all, on disks that fail
tests/daemon/limits.sh              3   all, at their limits
tests/daemon/log.sh                 3   who logs
tests/daemon/metrics.sh             3   who counts, who asks
tests/daemon/metrics_swap.sh        3   the same, while pipelines give way
tests/daemon/notify.sh              3   watchdog
tests/daemon/over.sh                2   readers that come to an end
tests/daemon/begun_again.sh         3   order stage, checkpoint, main: begun again
tests/daemon/fields.sh              3   all
tests/http/alerts.sh                3   checkpoint, who reads for those who watch, the server, the worker
tests/http/api.sh                   3   the server, main, the engine: changes, questions
tests/http/ingest.sh                3   who posts, who reads
tests/http/load.sh                  1   all: changes over HTTP while events come by file and by POST, kills
tests/http/operate.sh               3   savepoints, draining, checkpoints, dead letters
tests/http/server.sh                3   the server, who answers for it, who stops it
tests/http/tables.sh                3   who reads rows that are put, main, checkpoint
tests/cli/remote.sh                 2   all, asked by `tocsin'
tests/cli/tocsind.sh                5   start and end
tests/unit/test_alert_log           20  checkpoint, who reads alerts
tests/unit/test_checkpoint          5   engine, checkpoint
tests/unit/test_courier             10  courier, checkpoint
tests/unit/test_courier_gather      10  the same, with messages that wait for others
tests/unit/test_dead_letter         20  checkpoint
tests/unit/test_deliver             20  checkpoint, deliver, a sink that fails
tests/unit/test_outbox              5   checkpoint, deliver
tests/unit/test_outbox_race         20  the same, at moments that are made
tests/unit/test_queue               2   any two of them
tests/unit/test_reader              20  reader, stage
tests/unit/test_reaper              20  engine, who frees
tests/unit/test_source_follow       10  reader
tests/unit/test_source_follow_load  2   reader, releases; writers and rotation
tests/unit/test_source_http         10  who posts; the thread that appends and answers
tests/unit/test_source_spool        10  reader of standard input, of its spool
tests/unit/test_spool               10  who writes it, who reads it
tests/unit/test_spool_fail          10  the same, on disks that fail
tests/unit/test_swap                10  pipelines that give way to others
END
}

# Once, with one seed. Says nothing of what passes.
once() {
    name=$(basename "$1" .sh).$2
    log=$(pwd)/log/$name
    case $1 in
    *.sh)
        DELAYS_SEED=$2 KILLS=$DELAYS_KILLS WEBHOOK_KILLS=$DELAYS_KILLS KAFKA_KILLS=$DELAYS_KILLS RELOADS=30
        top_builddir=$(pwd)/late TOCSIN=$(pwd)/late/tocsin TOCSIND=$(pwd)/late/tocsind
        export DELAYS_SEED KILLS WEBHOOK_KILLS KAFKA_KILLS RELOADS top_builddir TOCSIN TOCSIND
        set -- sh "$top_srcdir/$1"
        ;;
    *) set -- env DELAYS_SEED="$2" LD_PRELOAD="$(pwd)/delays.so" top_builddir="$(pwd)" "./$1" ;;
    esac
    began=$(date +%s) code=0
    "$@" >"$log" 2>&1 || code=$?
    if [ "$code" -eq 77 ] && [ -z "${CI:-}" ]; then
        echo "$name: SKIPPED: $(tail -n 1 "$log")"
    elif [ "$code" -ne 0 ]; then
        : >"failed/$name"
        grep -n -a -E '(ERROR|LINE)   ?\] ---|[Aa]ssert|Traceback' "$log" | head -n 20 || true
        tail -n 40 "$log"
        echo "$name: FAILED ($(($(date +%s) - began)) s)"
    fi
}

one() {
    runs=${DELAYS_RUNS:-$(list_tests | awk -v test="$1" '$1 == test { print $2 }')}
    start=$(date +%s) i=0
    while [ "$i" -lt "${runs:-1}" ]; do
        once "$1" $((SEED + i))
        i=$((i + 1))
    done
    echo "$1: ran ${runs:-1} times ($(($(date +%s) - start)) s)"
}

if [ "${1:-}" = --one ]; then
    one "$2"
    exit 0
fi

top_srcdir=$(cd "$(dirname "$0")/.." && pwd)
DELAYS_KILLS=${DELAYS_KILLS:-8} SEED=${SEED:-1}
export top_srcdir DELAYS_KILLS SEED
names=${*:-$(list_tests | awk '{ print $1 }')}

[ -x "$top_srcdir/configure" ] || (cd "$top_srcdir" && autoreconf -i)
mkdir -p "$top_srcdir/_build/delays"
cd "$top_srcdir/_build/delays"
[ -f Makefile ] || "$top_srcdir/configure" --quiet --enable-failpoints --enable-werror CFLAGS='-O1 -g1' CXXFLAGS='-O1 -g1'
${CC:-cc} -D_GNU_SOURCE -shared -fPIC -O1 -o delays.so "$top_srcdir/tests/delays/delays.c"
make -s -j2 tocsin tocsind tests/cli/make_state tests/webhook/post tests/http/serve tests/kafka/admin tests/kafka/marker \
    $(for name in $names; do echo "${name%%*.sh}"; done)

# this build with a tocsind that is late; all else of it is as it is
rm -rf late failed log
mkdir late failed log
for file in *; do
    [ "$file" = tocsind ] || ln -s "../$file" late/
done
cat >late/tocsind <<END
#!/bin/sh
LD_PRELOAD='$(pwd)/delays.so'
export LD_PRELOAD
exec '$(pwd)/tocsind' "\$@"
END
chmod +x late/tocsind

printf '%s\n' $names | xargs -n 1 -P 2 sh "$top_srcdir/tests/delays.sh" --one
failed=$(find failed -type f | grep -c . || true)
echo "$(($(find log -type f | grep -c .) - failed)) passed, $failed failed"
[ "$failed" -eq 0 ]
