#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A line of 100 MB against the limit: rejected with its place, in bounded memory; the rest goes on.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"

echo 'rule r { match { a: s where x == 1 } }' >r.rule
{
    echo '{"ts":1,"x":1}'
    printf '{"ts":2,"x":1,"text":"'
    head -c 100000000 /dev/zero | tr '\0' 'a'
    echo '"}'
    echo '{"ts":3,"x":1}'
} >s.ndjson

run replay -r r.rule s=s.ndjson
want 0
says '2 events (0 late, 1 rejected), 2 alerts' 'longer than --max-line allows' ':2'
run replay -r r.rule --max-line 1KiB s=s.ndjson
want 0
says '1 rejected'

done_testing
