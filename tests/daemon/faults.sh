#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The daemon on disks that are full or fail, and with state that it must not touch: what it does is told,
# and nothing is lost or doubled.
. "$(cd "$(dirname "$0")" && pwd)/lib.sh"

plain_rules
cat >tocsin.conf <<'END1'
engine { rules "rules" state "state" checkpoint 20ms }
source auth { file "auth.ndjson" follow false time ts lateness 2s }
sink disk { file "alerts.ndjson" }
END1
events 0 3000 >auth.ndjson
run replay -c tocsin.conf
want 0
plain out >expected

fresh() {
    rm -rf state alerts.ndjson
    : >log
}
# finishes: it ends by itself, and the alerts are those of the replay
finishes() {
    ended
    want 0
    plain alerts.ndjson >got
    same got expected
}

# ---- a disk that is full for a while, in the build that can say so

if has_failpoints; then
    for fault in store_write=full@2-5 store_write=error@3-6 store_written=full@2-5; do
        fresh
        start TOCSIN_FAILPOINTS="$fault"
        until_true "input waits" logged 1 'nothing can be written: input waits'
        finishes
        says 'it can be written again'
    done
    # one failure is nobody's business but the log's
    for fault in store_write=error@2 store_written=error@3 sink_write=full@1 sink_sync=error@1-2 \
        sink_written=error@1; do
        fresh
        start TOCSIN_FAILPOINTS="$fault"
        finishes
        not_logged 'input waits" why'
    done
    fresh
    start TOCSIN_FAILPOINTS="store_write=full@3+"
    until_true "input waits" logged 1 'nothing can be written: input waits" why=.*[Nn]o space'
    kill -TERM "$daemon" # stops at the second SIGTERM, when nothing can be written
    until_true "stopping" logged 1 'msg="stopping"'
    until_true "why it does not end" logged 1 'the last checkpoint cannot be written'
    stop
    want 1
    says 'ended without a last checkpoint'
    start
    finishes
fi

# ---- standard input: its spool on a disk that is full or fails

cat >stdin.conf <<'END1'
engine { rules "rules" state "state" checkpoint 20ms }
source auth { stdin {} time ts lateness 2s spool_segment 64KiB }
sink disk { file "alerts.ndjson" }
END1
cp tocsin.conf file.conf
cp stdin.conf tocsin.conf
"$TOCSIN" replay -c file.conf auth=- <auth.ndjson >out 2>err
code=$?
want 0
plain out >expected
# what the spool holds; until it holds something else, or cannot be written
spooled() { cat state/spool/auth/*.spool 2>/dev/null | cksum; }
until_spooled() { # WHAT IT HELD
    for _ in $(seq 6000); do
        [ "$(spooled)" = "$1" ] || break
        ! logged 1 'the spool cannot be written: input waits' || break
        sleep 0.02
    done
}
if has_failpoints; then
    for fault in spool_write=full@2-3 spool_sync=error@2-3 spool_roll=full@2; do
        fresh
        mkfifo pipe
        env TOCSIN_FAILPOINTS="$fault" "$TOCSIND" -c tocsin.conf <pipe >>stdout 2>>log &
        daemon=$!
        for i in 0 1 2 3; do
            held=$(spooled)
            events $((i * 750)) $((i * 750 + 750))
            until_spooled "$held"
        done >pipe
        finishes
        rm pipe
        says 'the spool cannot be written: input waits'  'the spool can be written again'
    done
fi
cp file.conf tocsin.conf
"$TOCSIN" replay -c tocsin.conf >out 2>err
plain out >expected

# ---- a small file system that is really full

unmount() { umount "$work/small" 2>/dev/null; }
mkdir small
if mount -t tmpfs -o size=3m tmpfs small 2>/dev/null; then
    fresh
    sed 's/"state"/"small\/state"/' file.conf >tocsin.conf
    dd if=/dev/zero of=small/ballast bs=1k count=2900 2>/dev/null
    dd if=/dev/zero of=small/rest bs=1k 2>/dev/null
    rm -f small/rest
    start
    until_true "no space, or done" grep -q 'No space left\|all input was read\|failed' log
    in_file log 'No space left'
    if kill -0 "$daemon" 2>/dev/null; then
        until_true "input waits" logged 1 'nothing can be written: input waits\|cannot start'
        rm small/ballast
        finishes
    else # it could not even make its database
        ended
        want 1
        rm small/ballast
        start
        finishes
    fi
    rm -rf small/state
    cp file.conf tocsin.conf
    # it fills while it runs
    fresh
    sed 's/"state"/"small\/state"/; s/follow false/idle 1h/' file.conf >tocsin.conf
    head -n 1500 auth.ndjson >part
    mv auth.ndjson whole
    cp part auth.ndjson
    start
    until_true "some alerts" has_lines 50 alerts.ndjson
    dd if=/dev/zero of=small/ballast bs=4k 2>/dev/null
    tail -n +1501 whole >>auth.ndjson
    until_true "input waits" logged 1 'nothing can be written: input waits" why=.*No space left'
    rm small/ballast
    until_true "written again" logged 1 'it can be written again'
    until_true "all alerts but those that time tells" has_lines "$(($(wc -l <expected) - 20))" alerts.ndjson
    stop
    want 0
    sed 's/idle 1h/follow false/' tocsin.conf >next.conf
    mv next.conf tocsin.conf
    start
    finishes
    umount small
    mv whole auth.ndjson
    cp file.conf tocsin.conf
else
    echo "NOT RUN: no tmpfs can be mounted: a disk that is really full"
fi

# ---- what stands where the state should be

fresh
echo text >state
cp state kept
refused 'state directory .*state: cannot make\|cannot read'
same state kept
rm -f state
mkdir state
echo 1 >state/of-another
refused "holds .of-another., which is not of tocsin"
[ "$(ls state)" = of-another ] || fault "something was written into a foreign directory"
rm -rf state
ln -s nowhere/at/all state
refused 'state directory'
rm state

# ---- two daemons of one directory

sed 's/follow false/idle 1h/' file.conf >tocsin.conf
: >log
start
until_true "ready" logged 1 'msg="ready"'
echo 'http { listen "127.0.0.1:0" }' >>tocsin.conf
refused 'in use\|another process'
! grep -q listening err || fault "it listened before it knew that the state is in use"
stop
want 0
cp file.conf tocsin.conf

# ---- state of a newer format, damaged state: refused with advice, and left as it is

fresh
start
finishes
sums() { find state -type f ! -name 'LOG*' ! -name LOCK -exec cksum {} + | sort; }
keep() {
    rm -rf saved
    cp -a state saved
}
back() {
    rm -rf state
    cp -a saved state
}
# untouched PATTERN...: refused, and no byte of it is another
untouched() {
    sums >before
    refused "$@"
    sums >after
    same before after
}
keep
python3 - <<'PY' || fault "the format cannot be changed"
import glob, re, struct, subprocess
def mask(crc): return ((crc >> 15 | crc << 17) + 0xa282ead8) & 0xffffffff
table = []
for i in range(256):
    c = i
    for _ in range(8):
        c = c >> 1 ^ (0x82f63b78 if c & 1 else 0)
    table.append(c)
def crc32c(data):
    c = 0xffffffff
    for b in data:
        c = table[(c ^ b) & 255] ^ c >> 8
    return c ^ 0xffffffff
# the record of the format is appended to the log once more, with a later number
log = sorted(glob.glob("state/db/*.log"))[-1]
key = None
data = b"".join(open(f, "rb").read() for f in sorted(glob.glob("state/db/*.log") + glob.glob("state/db/*.ldb")))
name = data.find(b"database")
key = data[name - 1:name + 8]
value = struct.pack("<I", 99) + bytes(24)
batch = struct.pack("<QI", 1 << 40, 1) + b"\x01" + bytes([len(key)]) + key + bytes([len(value)]) + value
old = open(log, "rb").read()
block = 32768 - len(old) % 32768
pad = b"\0" * block if block < 7 else b""
if block >= 7 and block < 7 + len(batch):
    pad = b"\0" * 0
body = b"\x01" + batch
record = struct.pack("<IH", mask(crc32c(body)), len(batch)) + body
if 7 <= block < 7 + len(batch):
    raise SystemExit("no room in the block")
open(log, "ab").write(pad + record)
PY
refused 'its format is 99' 'later version'
refused 'its format is 99' 'later version' # it still is
back
rm state/db/CURRENT
untouched 'state directory\|state/db' 'backup\|savepoint\|restore'
back
truncate -s 30 state/db/MANIFEST-*
untouched 'backup\|savepoint\|restore'
back
for file in state/db/*.log state/db/*.ldb; do
    [ -s "$file" ] || continue
    python3 -c "
import sys
d = bytearray(open(sys.argv[1], 'rb').read())
for i in range(len(d) // 3, len(d) // 3 + 16):
    d[i] ^= 0x5a
open(sys.argv[1], 'wb').write(d)" "$file"
    untouched 'backup\|savepoint\|restore'
    back
done
rm state/db/*.ldb 2>/dev/null && untouched 'backup\|savepoint\|restore'
back
start
finishes

# ---- sinks: a directory that is not there, or that becomes none; a foreign file in place of ours

fresh
sed 's/"alerts.ndjson"/"there\/alerts.ndjson"/; s/follow false/idle 1h/' file.conf >tocsin.conf
start
until_true "the sink fails" logged 1 'a sink fails.*does not exist'
mkdir there
until_true "all but the last alerts" has_lines 700 there/alerts.ndjson
until_true "it works" logged 1 'a sink works again'
stop
want 0
plain there/alerts.ndjson >got
checks=$((checks + 1))
[ -z "$(comm -23 got expected)" ] || fault "alerts that the replay does not have"

# somebody else's file: it is not cut, and what was ours is told
echo foreign >there/alerts.ndjson
events 3000 3600 >>auth.ndjson
start
until_true "the alerts come" grep -q '"rule"' there/alerts.ndjson
stop
want 0
in_file there/alerts.ndjson '^foreign$'
says 'alerts.ndjson'

[ "$failures" -gt 0 ] || has_failpoints || skip "disks that fail at each step: this needs configure --enable-failpoints"
done_testing
