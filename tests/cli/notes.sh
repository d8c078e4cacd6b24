#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What the summary of a replay says unasked: comparisons of different types, what limits left out.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"

cat >r.rule <<'EOF'
rule clash  { match { a: s where x == "a" } }
rule regexp { match { a: s where m regex "(?:a|aa)+[bc]" } }
rule keys   { match by k within 1m { a: s where x == 1  b: s where x == 2 } }
rule pairs  { join by n within 1h { a: s  b: s } limit matches 1 per event }
rule seen   { novel k within 1d { a: s } }
rule values { window tumbling 1h { a: s } emit { n = count_distinct(k) } limit values 3 per key }
EOF
long=$(printf 'a%.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 \
    31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60)
list=$(seq -s, 1 1500)
{
    echo "{\"ts\":1,\"x\":1,\"n\":1,\"m\":\"$long\",\"k\":[$list]}"
    for i in 1 2 3 4 5; do echo "{\"ts\":$((i + 1)),\"x\":2,\"n\":1,\"k\":$i}"; done
} >s.ndjson

run replay -r r.rule s=s.ndjson
want 0
says 'rule clash: 6 comparisons of different types' 'rule regexp: 1 matches of a regex given up' \
    'rule keys: 500 elements of list-valued keys left out' 'rule pairs: [0-9]* pairs left out' \
    'rule seen: 1400 values left out' 'rule values: [0-9]* values left out'

echo 'rule r { window hopping 100d every 1s { a: s } }' >wide.rule
run check wide.rule
want 2
says 'each event would be in more than 10000 windows'

# Days of a zone at the end of time.
echo 'rule r { window tumbling 1d zone "Europe/Paris" { a: s } }' >zone.rule
echo '{"ts":-9223372036854775808}' >min.ndjson
run replay -r zone.rule --time ts,epoch_ns s=min.ndjson
want 0

# A field that is mistyped; what rules emit for others, and times, are no such.
cat >typo.rule <<'EOF'
rule first  { match { a: s where user.name == "joe" } emit { who = user.name } }
rule second { match { f: first where who == "ann" and key.x != 1 } }
rule third  { match { a: s where user.nam == "ann" and whatever == 1 } }
EOF
echo '{"ts":1,"user":{"name":"kim"}}' >s.ndjson
run replay -r typo.rule s=s.ndjson
want 0
says '^  no event has the field `user.nam`, which rules read; did you mean `user.name`?$' \
    '^  no event has the field `whatever`, which rules read$'
[ "$(grep -c 'no event has' err)" -eq 2 ] || fault 'other fields were named'
: >s.ndjson
run replay -r typo.rule s=s.ndjson
grep 'no event has' err && fault 'there was no event at all'

done_testing
