#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `tocsin check`: exit codes, directories, messages, JSON.
. "$(cd "$(dirname "$0")" && pwd)/lib.sh"

mkdir -p rules/deep rules/.hidden
echo 'rule a { match { x: s where f == 1 } }' >rules/a.rule
echo 'rule b { match { x: s where f == 1 } }' >rules/deep/b.rule
echo 'this is none' >rules/.hidden/c.rule
echo 'nor is this' >rules/notes.txt
printf 'rule bad {\n  match { x: s wher f == 1 }\n}\n' >bad.rule

run check rules
want 0
prints '^2 rules, 0 tests: no errors'
run check -r rules/a.rule --rules=rules/deep/b.rule
want 0
prints '^2 rules'
# A file that is named twice is read once.
run check rules rules/a.rule ./rules
want 0
prints '^2 rules'

run check bad.rule rules
want 2
says '^bad.rule:2:[0-9]*: error: '
run check --json bad.rule
want 2
prints '^\[{' '"file":"bad.rule"' '"line":2' '"level":"error"'
run check --json rules
want 0
prints '^\[\]$'

run check
want 2
says 'no rules are named'
run check no-such.rule
want 2
says 'no-such.rule: No such file'
run check ''
want 2
mkdir empty
run check empty
want 2
says 'no \*.rule file below'
run check rules --jsn
want 2
says 'did you mean --json'

# Two files that go against each other.
cp rules/a.rule twice.rule
run check rules/a.rule twice.rule
want 2
says 'error: '
: >empty.rule
run check empty.rule
want 0
prints '^0 rules'
# What the rows of a file can never be is told as it is of rows that are put.
printf 'host,tier\nh1,1\nh2,2\n' >owners.csv
printf 'host,tier\nh1,A\nh2,2\n' >mixed.csv
cat >owners.rule <<'END'
table owners = file "owners.csv" key host
table mixed  = file "mixed.csv" key host
rule r { match { a: s where owners[host].tier == "1" or owners[host].tier > 1 or mixed[host].tier == "A" }
  test "t" { 0s s {"host": "h2"}  expect alert }
}
END
for how in check test; do
    run $how owners.rule
    want 0
    says '^owners.rule:3:29: warning: this comparison can never be true$' 'a number is compared with a text$'
    [ "$(grep -c warning err)" -eq 1 ] || fault 'another warning'
done
done_testing
