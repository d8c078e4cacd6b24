# SPDX-License-Identifier: Apache-2.0
# What the tests of the command line share; read by each of them with `.`.
#
#   run ARGUMENT...        runs tocsin; its output is then in out, err and code
#   want CODE              the last run ended with CODE
#   says PATTERN...        its standard error holds each basic regular expression
#   prints PATTERN...      its standard output does
#   alerts N               its standard output is N lines
#   done_testing           the verdict
#
# Each test works in a directory of its own, which is removed at the end.

set -u
TOCSIN=${TOCSIN:-./tocsin}
case $TOCSIN in
/*) ;;
*) TOCSIN=$(pwd)/$TOCSIN ;;
esac
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
cd "$work" || exit 99

checks=0
failures=0
command_line=

fault() {
    failures=$((failures + 1))
    echo "FAIL: $command_line"
    echo "  $*"
    sed 's/^/  | /' err
    sed 's/^/  > /' out | cut -c1-300 | head -n 20
}

run() {
    command_line="tocsin $*"
    "$TOCSIN" "$@" >out 2>err
    code=$?
}

want() {
    checks=$((checks + 1))
    [ "$code" -eq "$1" ] || fault "ended with $code instead of $1"
}

in_file() {
    file=$1
    shift
    for pattern in "$@"; do
        checks=$((checks + 1))
        grep -q -e "$pattern" "$file" || fault "no \`$pattern' in $file"
    done
}

says() { in_file err "$@"; }
prints() { in_file out "$@"; }

alerts() {
    checks=$((checks + 1))
    n=$(wc -l <out)
    [ "$n" -eq "$1" ] || fault "$n lines of output instead of $1"
}

# same FILE FILE: what was found twice is the same.
same() {
    checks=$((checks + 1))
    cmp -s "$1" "$2" || fault "$1 and $2 differ"
}

done_testing() {
    echo "$checks checks, $failures failures"
    [ "$failures" -eq 0 ]
    exit
}
