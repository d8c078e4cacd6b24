#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Help, version, and command lines that are wrong.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"

echo 'rule r { match { a: any where x == 1 } }' >r.rule
echo '{"ts":1,"x":1}' >e.ndjson

run --version
want 0
prints '^tocsin [0-9]' 'simdjson' 'pcre2' 'zlib' 'libcrypto' 'libcurl'
run --help
want 0
prints 'replay' 'check' 'test'
run --completion
want 0
prints '^complete .*tocsin$' '2:modules) words=" list get put'
if command -v bash >/dev/null; then
    cp out completion
    command_line="what bash completes"
    bash -c '. ./completion; COMP_WORDS=(tocsin modules rol) COMP_CWORD=2; _tocsin; echo "${COMPREPLY[@]}"' >out 2>err
    prints '^rollback$'
fi
run
want 2
says 'usage: tocsin'
run --hlep
want 2
says 'unknown option --hlep, did you mean `tocsin --help`'
run repaly
want 2
says 'did you mean `tocsin replay`'

# The help of each command names each of its options.
for command in replay check test explain fmt; do
    run "$command" --help
    want 0
    prints "usage: tocsin $command" '--help'
    options=$(sed -n "s/^OPTION($command, [A-Z_]*, [^,]*, \"\([a-z-]*\)\".*/\1/p" "$here/../../src/cli/option.def")
    for option in $options; do
        prints "  -.*--$option\|  --$option"
        run "$command" "--${option}x"
        want 2
        says "did you mean --$option"
        run "$command" --help
    done
done

# What asks a daemon: the actions and options of each are in its help, and each is told a wrong one.
cli=$here/../../src/cli
for command in $(sed -n 's/^REMOTE(\([a-z_]*\),.*/\1/p' "$cli/command.def"); do
    name=$(echo "$command" | tr _ -)
    run "$name" --help
    want 0
    prints "usage: tocsin $name" '--token-file FILE'
    for option in $(sed -n "s/^OPTION($command, [A-Z_]*, [^,]*, \"\([a-z-]*\)\".*/\1/p" "$cli/option.def"); do
        prints "  -.*--$option\|  --$option"
    done
    run "$name" --tokn-file x
    want 2
    says 'did you mean --token-file'
done

run replay
want 2
says 'no rules are named'
run replay r.rule events=e.ndjson
want 2
says 'did you mean -r r.rule'
run replay -r r.rule
want 2
says 'no file of events is named'
run replay -r
want 2
says '--rules needs an argument'
run replay --stats=yes -r r.rule e.ndjson
want 2
says '--stats takes no argument'
run replay -x -r r.rule e.ndjson
want 2
says 'unknown option -x'
for bad in 5x -1s '' 5; do
    run replay -r r.rule --lateness "$bad" e.ndjson
    want 2
    says 'not a duration'
done
for bad in 5x -1 '' 0 10KiBB 99999999999999TiB; do
    run replay -r r.rule --memory "$bad" e.ndjson
    want 2
    says 'not a size'
done
run replay -r r.rule --max-line 1GiB e.ndjson
want 2
says 'more than there may be'
run replay -r r.rule --time a.,rfc3339 e.ndjson
want 2
says 'must be a path'
run replay -r r.rule --time ts,rfc3338 e.ndjson
want 2
says 'did you mean rfc3339'
run replay -r r.rule --time eventz=ts e.ndjson
want 2
says 'there is no source eventz, did you mean events'
run replay -r r.rule e.ndjson e.ndjson
want 2
says 'given twice'

# All ways to write an option.
run replay -rr.rule e.ndjson
want 0
alerts 1
run replay --rules=r.rule --lateness=0s -- e.ndjson
want 0
alerts 1
run replay e.ndjson --rules r.rule --memory=1M --max-line 64KiB
want 0
alerts 1
cp e.ndjson ./-e
run replay -r r.rule -- -e
want 0
alerts 1

# A token in a file is for its owner alone; what is printed is the line for the daemon's file of them.
run token new --role rules --name ann --output ann.token
want 0
prints '^ann rules [0-9a-f]\{64\}$'
[ "$(wc -l <out)" -eq 1 ] || fault 'more than the line is printed'
in_file ann.token '^tocsin_[0-9a-f]\{64\}$'
[ "$(stat -c %a ann.token)" = 600 ] || fault 'others can read the token'
cp ann.token was.token
run token new --role rules --output ann.token
want 1
says 'ann.token: File exists'
same ann.token was.token
run token new --role rules --output nowhere/token
want 1
says 'nowhere/token: No such file'
done_testing
