# SPDX-License-Identifier: Apache-2.0
# What the tests of the daemon share, besides tests/cli/lib.sh; read by each of them with `.`.
#
#   start [NAME=VALUE...]    tocsind in the background, with these in its environment; its log is log
#   stop                     SIGTERM; its code is in code
#   ended                    waits until it ends by itself; its code is in code
#   refused PATTERN...       it does not start (code 1), and its log, in err, says each of these
#   until_true WHAT COMMAND...   within some minutes
#   logged N PATTERN         N lines of the log say so
#   plain FILE               its alerts, sorted, without what is delivery's
#   events FROM TO           lines for the rules of plain_rules, with these numbers
. "$(cd "$(dirname "$0")/../cli" && pwd)/lib.sh"
. "$(cd "$(dirname "$0")/.." && pwd)/skip.sh"
TOCSIND=${TOCSIND:-$(dirname "$TOCSIN")/tocsind}
top_build=$(dirname "$TOCSIN")
daemon=
: >out
: >err
trap '[ -z "$daemon" ] || kill -9 "$daemon" 2>/dev/null; unmount; rm -rf "$work"' EXIT
unmount() { :; }

has_failpoints() { grep -q 'define TOCSIN_FAILPOINTS\|-DTOCSIN_FAILPOINTS' "$top_build/Makefile"; }

start() {
    command_line="$* tocsind -c tocsin.conf"
    env "$@" "$TOCSIND" -c tocsin.conf >>stdout 2>>log &
    daemon=$!
}
ended() {
    code=0
    wait "$daemon" || code=$?
    daemon=
    cp log err
}
stop() {
    kill -TERM "$daemon"
    ended
}
# kill -9, and the shell says nothing of it
murder() {
    kill -KILL "$daemon"
    wait "$daemon" 2>/dev/null
    daemon=
}
refused() {
    command_line="tocsind -c tocsin.conf"
    "$TOCSIND" -c tocsin.conf >out 2>err </dev/null
    code=$?
    want 1
    says 'cannot start' "$@"
}
until_true() {
    what=$1
    shift
    checks=$((checks + 1))
    for _ in $(seq "${TRIES:-4800}"); do
        "$@" && return
        sleep 0.05
    done
    cp log err
    fault "never: $what"
}
has_lines() { [ -f "$2" ] && [ "$(wc -l <"$2")" -ge "$1" ]; }
logged() { [ "$(grep -c -e "$2" log)" -ge "$1" ]; }
not_logged() {
    checks=$((checks + 1))
    ! grep -q -e "$1" log || { cp log err; fault "the log says \`$1'"; }
}
plain() { sed 's/"detected_at":"[^"]*",//' "$1" | sort; }
lines() {
    checks=$((checks + 1))
    [ "$(wc -l <"$2")" -eq "$1" ] || fault "$(wc -l <"$2") lines in $2 instead of $1"
}

plain_rules() {
    mkdir -p rules
    cat >rules/pair.rule <<'RULE'
rule pair {
  match by k within 10s { a: auth where n == 1  b: auth where n == 2 }
  emit { k = k }
}
rule silent { match by k { a: auth where n == 3  not b: auth where n == 4 within 5s } }
rule many { window tumbling 1m by k { a: auth having count() > 3 } emit { n = count() } }
RULE
}
events() {
    awk -v from="$1" -v to="$2" 'BEGIN { for (i = from; i < to; i++)
        printf "{\"ts\":%d,\"k\":\"u%d\",\"n\":%d}\n", 1000 + i * 2, i % 7, i % 5 }'
}
