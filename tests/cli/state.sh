#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tocsin state: a directory is inspected, verified, exported and imported; dead letters.
. "$(cd "$(dirname "$0")" && pwd)/lib.sh"

make_state=${top_builddir:-$(dirname "$TOCSIN")}/tests/cli/make_state

# ---- command lines ---------------------------------------------------------------------------------

run state
want 2
says 'no action is named'
run state inspct x
want 2
says 'did you mean `inspect.'
run state dead-letters
want 2
says 'dead-letters what? list | replay | drop'
run state dead-letters lst x
want 2
says 'did you mean `dead-letters list.'
run state inspect
want 2
says 'no state directory is named'
run state inspect a b
want 2
says 'too many arguments'
run state import a
want 2
says 'no savepoint is named'
run state verify --rule r a
want 2
says '--rule is for `inspect'
run state dead-letters drop a x
want 2
says '`x. names no dead letters'
run state dead-letters drop a 7-3
want 2
run state dead-letters replay a
want 2
says 'no dead letters are named'
run state sink enable a
want 2
says 'no sink is named'
run state inspect --sink small a
want 2
says '--sink and --reason are for `dead-letters'
run state --help
want 0
prints 'inspect \[--rule RULE \[--key JSON\]\] DIR' 'dead-letters replay \[--sink SINK\]'

# ---- directories that are none ----------------------------------------------------------------------

run state inspect missing
want 1
says 'missing: cannot read it: No such file'
mkdir empty
run state verify empty
want 1
says 'holds no state'
test -e empty/db && fault "a database was made"

# ---- inspect, verify ---------------------------------------------------------------------------------

"$make_state" state 2>made || { cat made; exit 99; }
run state inspect state
want 0
prints '^state: format 2, database [0-9a-f]\{32\}, made 20' '^epoch 1, written 20' \
    'ENGINE *6 records' 'MODULES *1 record,' '^  brute (incarnation 1): 4 records, .*; of keys 3 records' \
    '^  table known (incarnation 2): 2 records' \
    '^  auth /var/log/auth.ndjson (generation 3): read to 1500, goes on at 1000, given to 2023-11-14T22:13:20Z' \
    '^  file: 2 wait, .*; delivered up to 1 of 3' '^  small: 1 wait, .*; delivered up to 0 of 1' \
    '^  2 of 2, [0-9]* bytes; 0 made room'
run state inspect --rule brute state
want 0
prints 'brute' '^  "alice": 2 runs, next deadline 2023-11-14T22:13:20Z, [0-9]* bytes, in memory 300 bytes$' \
    '^  7: 2 runs, next deadline -, [0-9]* bytes in 2 records, in memory 300 bytes$'
run state inspect --rule brute --key '"alice"' state
want 0
prints alice
grep -q '^  7:' out && fault "another key is shown"
run state inspect --rule brute --key alice state # what is no JSON is a text
want 0
prints '"alice": '
run state inspect --rule brute --key '"bob"' state
want 1
says 'brute. keeps nothing of the key "bob"'
run state inspect --key 1 state
want 2
says '--key needs --rule'
run state inspect --rule nobody state
want 1
says 'no state of a rule `nobody'
run state verify state
want 0
prints '^[0-9]* records: no fault$'

# ---- savepoints ---------------------------------------------------------------------------------------

run state export state
want 0
cp out one.savepoint
run state export --output two.savepoint state
want 0
same one.savepoint two.savepoint
run state export -o two.savepoint state
want 1
says 'two.savepoint: cannot make it: File exists'
run state import copy one.savepoint
want 0
run state export -o copy.savepoint copy
want 0
same one.savepoint copy.savepoint
gzip -k one.savepoint
run state import zipped one.savepoint.gz
want 0
run state export -o zipped.savepoint zipped
want 0
same one.savepoint zipped.savepoint
run state import empty - <one.savepoint
want 0
run state verify empty
want 0
run state import state one.savepoint
want 1
says 'holds a database already'

size=$(wc -c <one.savepoint)
for at in 3 40 $((size / 2)) $((size - 3)); do
    cp one.savepoint bad.savepoint
    printf '\377' | dd of=bad.savepoint bs=1 seek="$at" conv=notrunc 2>/dev/null
    rm -rf bad
    run state import bad bad.savepoint
    want 1
    says 'bad.savepoint: .*; what is in bad by now is of no use'
    run state inspect bad # and it is not taken for one
    want 1
    head -c "$at" one.savepoint >bad.savepoint
    rm -rf bad
    run state import bad bad.savepoint
    want 1
    says 'ends too early'
done
cat one.savepoint one.savepoint >bad.savepoint
rm -rf bad
run state import bad bad.savepoint
want 1
says 'behind the end'
run state import bad2 /dev/null
want 1

# ---- dead letters -------------------------------------------------------------------------------------

run state dead-letters list state
want 0
alerts 2
prints '^{"number":1,"time":"20[^"]*","sink":"small","reason":"the queue of the sink is full: 1 messages, 11 bytes","text":"{\\"alert\\":2}"}$' \
    '^{"number":2,"time":"20[^"]*","origin":"auth a 0 99","reason":"it is no JSON","text":"not \\u0001 JSON"}$'
run state dead-letters list state 2
want 0
alerts 1
run state dead-letters list state 3-
want 0
alerts 0
run state dead-letters list --sink small state
want 0
alerts 1
run state dead-letters list --sink file state
want 0
alerts 0
run state dead-letters list --reason 'no JSON' state
want 0
alerts 1
run state dead-letters list --reason 'no JSON' --sink small state all
want 0
alerts 0
run state dead-letters drop --sink file state all
want 0
prints '^0 removed'
run state sink enable state nobody
want 1
says 'there is no sink `nobody'
run state sink enable state small
want 0
prints '^small is not disabled'
run state dead-letters replay state all
want 0
prints '^1 will be sent again' '^1 left: they are of no sink'
run state inspect state
prints '^  small: 2 wait, .*; delivered up to 0 of 2' '^  1 of 2,'
run state dead-letters drop state 1-2
want 0
prints '^1 removed'
run state dead-letters list state
want 0
alerts 0
run state verify state
want 0

# ---- damage ---------------------------------------------------------------------------------------------

spoil() { # HEXKEY [HEXVALUE] what
    rm -rf spoilt
    cp -r state spoilt
    if [ $# -eq 3 ]; then
        "$make_state" spoilt put "$1" "$2"
        shift
    else
        "$make_state" spoilt remove "$1"
    fi
    run state verify spoilt
    want 1
    prints "$2" 'records: damaged'
}
spoil 7a 00 'unknown kind, 0x7a'
spoil 72 00 'MODULES: damaged'
spoil 6559 00 'ENGINE: a record of no known kind'
spoil 655000000009aa 01 'ENGINE P: of incarnation 9'
spoil 655000000001aa 01 'ENGINE P: a key of brute is damaged'
spoil 655700000001aa 01 'ENGINE W: incarnation 1 is a rule'
spoil 6d78 01 'META x: unknown'
spoil 706100620000000000 ff 'POSITION a'
spoil 6f000000000000000000000002 'SINK file: counts 2 that wait'
spoil 6f00000007000000000000000201 0101 'a key of'
spoil 6f000000070000000000000002 0101 'OUTBOX 7 2: of no sink'
spoil 6f000000000000000000000009 0101 'OUTBOX file 9: a number that was not given out'
spoil 6f000000000000000000000003 0901 'OUTBOX 0 3: damaged'
spoil 640000000000000009 01 'a dead letter is damaged'
spoil 7464000000000000000500000000 616263 'TABLE: rows 5: no version has them'
spoil 747674000000000000000001 00 'TABLE: a version of a table is damaged'
head=0100000000000000000005010301030000000000000000000000000000000000016b
spoil 747674000000000000000001 $head 'TABLE t: version 1 has 1 pieces of rows (3 bytes), there are 0 (0 bytes)'
run state inspect spoilt
want 0
for i in 1 2 3; do
    rm -rf spoilt
    cp -r state spoilt
    file=$(ls -S spoilt/db/*.ldb | head -n 1)
    printf '\377\377' | dd of="$file" bs=1 seek=$((i * 30)) conv=notrunc 2>/dev/null
    run state verify spoilt
    want 1
    says 'is damaged'
done

done_testing
