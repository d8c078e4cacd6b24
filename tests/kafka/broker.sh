#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# A real broker for tests: one node of Kafka on loopback, with its data in a directory.
#
#   broker.sh fetch                  the jars (pom.xml) into the cache, once; prints where they are
#   broker.sh start DIR PORT [KEY=VALUE...]
#                                    a new broker at 127.0.0.1:PORT; ready when this ends. DIR is made;
#                                    KEY=VALUE are further lines of its properties, but for these:
#                 listener=NAME:PROTOCOL:PORT   listens there, too; NAME in capitals
#                 controller=PORT               that of its controller, else any
#                 node=ID voters=ID@HOST:PORT,...  one of several: all are begun at once
#   broker.sh restart DIR            starts it again on the same data and port; from now on it ends no transaction that is
#                                    over its time: a broker (4.3) that does so while it starts may know no partition yet, and
#                                    ends the transaction without writing that into them, where it hangs for ever
#   broker.sh stop DIR               SIGTERM, and waits until it has ended
#   broker.sh kill DIR               SIGKILL, likewise
#   broker.sh tool CLASS ARGS...     one of Kafka's console tools, such as
#                                    org.apache.kafka.tools.TopicCommand
#
# TOCSIN_KAFKA: the address of a broker that tests share (broker.py, shared=True), if whoever runs them has begun one:
# tests/run.sh does, since each costs some seconds. Without it each test begins its own.
#
# DIR/pid is the broker's process, DIR/log what it says. Needs Java 17, Maven (for `fetch` alone) and
# python3; ends with 77 where something is missing (75: the port was taken, try another one).
# The cache is ${TOCSIN_KAFKA_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/tocsin-kafka}, a folder in it for
# each state of pom.xml; may be used by many at once.

set -eu
here=$(cd "$(dirname "$0")" && pwd)
cache=${TOCSIN_KAFKA_CACHE:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/tocsin-kafka}
small="-Xmx512m -Xms64m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xshare:auto"

missing() {
    echo "broker.sh: $*" >&2
    exit 77
}

fail() {
    echo "broker.sh: $*" >&2
    exit 1
}

# ---- the jars ------------------------------------------------------------------------------------

# Into $lib, which is there whole or not at all.
fetch() {
    command -v java >/dev/null || missing "no Java: Debian has it in default-jre-headless"
    lib=$cache/$(cksum <"$here/pom.xml" | tr ' ' -)
    [ -d "$lib" ] && return
    command -v mvn >/dev/null || missing "no Maven: Debian has it in the package maven"
    mkdir -p "$cache" || missing "$cache cannot be made"
    exec 9>"$cache/lock"
    flock 9
    if [ ! -d "$lib" ]; then
        rm -rf "$cache/new"
        mkdir "$cache/new"
        mvn -q -B -f "$here/pom.xml" dependency:copy-dependencies -DoutputDirectory="$cache/new" >&2 ||
            missing "Maven could not fetch the broker"
        mv "$cache/new" "$lib"
    fi
    exec 9>&-
}

run_java() {
    java $small -cp "$here/log4j:$lib/*" "$@"
}

# ---- a broker ------------------------------------------------------------------------------------

is_running() {
    [ -s "$dir/pid" ] && kill -0 "$(cat "$dir/pid")" 2>/dev/null
}

# The line that a broker writes last when it starts.
is_ready() {
    grep -q 'Kafka Server started' "$dir/log"
}

begin() {
    : >"$dir/log"
    java $small -Dtocsin.dir="$dir" -cp "$here/log4j:$lib/*" kafka.Kafka "$dir/properties" \
        >>"$dir/log" 2>&1 </dev/null 9>&- &
    echo $! >"$dir/pid"
    tries=0
    until is_ready; do
        if ! is_running; then
            grep -q 'Address already in use' "$dir/log" && exit 75
            tail -n 20 "$dir/log" >&2
            fail "it ended at once"
        fi
        tries=$((tries + 1))
        [ $tries -lt 3000 ] || fail "not ready after five minutes: $dir/log"
        sleep 0.1
    done
}

free_port() {
    python3 -B "$here/../port.py"
}

# What is no property but says where it listens: into listeners, protocols, controller.
take_places() {
    listeners=PLAINTEXT://127.0.0.1:$port
    protocols=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
    controller= node=1 voters=
    for line in "$@"; do
        case $line in
        listener=*)
            place=${line#listener=}
            listeners=$listeners,${place%%:*}://127.0.0.1:${place##*:}
            protocols=$protocols,${place%:*}
            ;;
        controller=*) controller=${line#controller=} ;;
        node=*) node=${line#node=} ;;
        voters=*) voters=${line#voters=} ;;
        esac
    done
    [ -n "$controller" ] || controller=$(free_port)
    [ -n "$voters" ] || voters=$node@127.0.0.1:$controller
}

properties() {
    take_places "$@"
    cat <<END
process.roles=broker,controller
node.id=$node
controller.quorum.voters=$voters
listeners=$listeners,CONTROLLER://127.0.0.1:$controller
advertised.listeners=$listeners
controller.listener.names=CONTROLLER
inter.broker.listener.name=PLAINTEXT
listener.security.protocol.map=$protocols
log.dirs=$dir/data
num.partitions=4
auto.create.topics.enable=false
num.network.threads=2
num.io.threads=4
background.threads=2
num.recovery.threads.per.data.dir=1
log.cleaner.dedupe.buffer.size=4000000
log.cleaner.backoff.ms=500
log.retention.check.interval.ms=500
log.retention.ms=-1
file.delete.delay.ms=500
offsets.topic.replication.factor=1
offsets.topic.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=1
transaction.abort.timed.out.transaction.cleanup.interval.ms=500
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
share.coordinator.state.topic.num.partitions=1
group.initial.rebalance.delay.ms=0
broker.session.timeout.ms=3000
broker.heartbeat.interval.ms=500
END
    for line in "$@"; do
        case $line in
        listener=* | controller=* | node=* | voters=*) ;;
        *) printf '%s\n' "$line" ;;
        esac
    done
}

start() {
    mkdir -p "$dir"
    dir=$(cd "$dir" && pwd)
    properties "$@" >"$dir/properties"
    # a fixed id: formatting needs no second tool
    run_java kafka.tools.StorageTool format -t MkU3OEVBNTcwNTJENDM2Qg -c "$dir/properties" \
        >"$dir/format" 2>&1 || { cat "$dir/format" >&2; fail "it could not be formatted"; }
    begin
}

end() {
    [ -s "$dir/pid" ] || return 0
    pid=$(cat "$dir/pid")
    kill "$1" "$pid" 2>/dev/null || true
    while kill -0 "$pid" 2>/dev/null; do
        sleep 0.05
    done
    rm -f "$dir/pid"
}

# ---- what is asked ---------------------------------------------------------------------------------

[ $# -gt 0 ] || fail "start, restart, stop, kill, fetch or tool"
what=$1
shift
case $what in
fetch)
    fetch
    echo "$lib"
    ;;
start)
    dir=$1
    port=$2
    shift 2
    fetch
    start "$@"
    ;;
restart)
    dir=$1
    fetch
    is_running && fail "it is running"
    echo transaction.abort.timed.out.transaction.cleanup.interval.ms=86400000 >>"$dir/properties"
    begin
    ;;
stop | kill)
    dir=$1
    [ "$what" = stop ] && end -TERM || end -KILL
    ;;
tool)
    fetch
    run_java "$@"
    ;;
*)
    fail "unknown: $what"
    ;;
esac
