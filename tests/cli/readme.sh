#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# README.md: the commands of its blocks marked `sh' end well, in order; the block marked `json' is the
# one alert that they leave in alerts.ndjson; the shipped rules' command compiles; links lead somewhere.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
top=$here/../..

block() { awk -v mark="\`\`\`$1" '$0 == mark { on = 1; next } /^```/ { on = 0 } on' "$top/README.md"; }

check_it() { # check_it WHAT COMMAND...
    command_line=$1
    shift
    checks=$((checks + 1))
    "$@" >out 2>err || fault "ended with $?"
}

block sh >block.sh
PATH=$(dirname "$TOCSIN"):$PATH
export PATH
check_it "the sh blocks of README.md" sh -e block.sh
prints '^1 rule, 2 tests: no errors$' '^2 passed, 0 failed$'
cp guessed.rule was.rule
tocsin fmt guessed.rule >out 2>err
same guessed.rule was.rule
block json >said.json
check_it "the json block of README.md" python3 -c 'import json
said, wrote = json.load(open("said.json")), json.load(open("alerts.ndjson"))
assert said == wrote and list(said) == list(wrote), wrote'

# Each link to a file, and to a heading of the reference.
sed -n 's/.*](\([a-zA-Z/.]*\)[#)].*/\1/p' "$top/README.md" | sort -u >files
while read -r file; do
    check_it "the link to $file" test -e "$top/$file"
done <files
sed -n '/^## /{s/^## //; s/[,:.]//g; s/ /-/g; p;}' "$top/grammar/README.md" | tr 'A-Z' 'a-z' >anchors
grep -oh '](\(grammar/README.md\)\{0,1\}#[^)]*)' "$top/README.md" "$top/grammar/README.md" |
    sed 's/.*#//; s/)//' | sort -u >links
while read -r link; do
    check_it "the link to #$link of grammar/README.md" grep -q -x -e "$link" anchors
done <links
done_testing
