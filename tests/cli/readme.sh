#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# README.md: the commands of its blocks marked `sh' end well, in order; the block marked `json' is the
# one alert that they leave in alerts.ndjson; the shipped rules' command compiles.
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

# The daemon of the examples is not at the port of everybody, and ends with them.
port=$(python3 -B "$here/../port.py")
TOCSIN_URL=http://127.0.0.1:$port
export TOCSIN_URL
{
    echo 'trap "kill \$! 2>/dev/null || :" EXIT'
    block sh | sed "s/127\.0\.0\.1:7070/127.0.0.1:$port/"
} >block.sh
PATH=$(dirname "$TOCSIN"):$PATH
export PATH
check_it "the sh blocks of README.md" sh -e block.sh
prints '^1 rule, 2 tests: no errors$' '^2 passed, 0 failed$' '^guessed: changed, version 3$' '^20.*high  *ssh_guessed .*logged in over SSH as joe after 3 failures$' '^drained: all is durable and delivered'
cp guessed.rule was.rule
tocsin fmt guessed.rule >out 2>err
same guessed.rule was.rule
block json >said.json
check_it "the json block of README.md" python3 -c 'import json
said, wrote = json.load(open("said.json")), json.load(open("alerts.ndjson"))
assert said == wrote and list(said) == list(wrote), wrote'
done_testing
