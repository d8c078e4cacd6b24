#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The rules of the source text that a compiler does not check: `make lint', and part of `make check'.
#
#   sh tests/lint.sh [TOP]       CC and CPPFLAGS say how headers are compiled
#
# - folders and third-party headers are included only as src/LAYERS allows; NOUN_priv.h only by
#   its own folder; banned functions (also in src/LAYERS) are not called
# - a file has at most 600 lines, a function 80, those of scripts too; in C its opening brace stands
#   alone in column 1
# - each header compiles alone
# - an SPDX line stands in the first three lines of each source
# - what is marked [tag:NAME] is marked so in two places at least
# - no typedef of struct, union or enum; no trailing blanks; no tabs in C
# - each file of src, each unit test and each rule of rules/ is named in the makefile
# - nothing unexpected at the top of the tree
#
# Each fault is one line, FILE:LINE: what is wrong. Needs a POSIX shell, awk, find, xargs and CC.

set -u
LC_ALL=C
export LC_ALL

top=${1:-${top_srcdir:-.}}
cd "$top" || exit 2
top=$(pwd)

work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
: >"$work/faults"

# ---- the files ------------------------------------------------------------------------------------

find src grammar tests examples contrib -type f \
    \( -name '*.[chly]' -o -name '*.cc' -o -name '*.def' \) 2>/dev/null |
    grep -v -e '^grammar/rule_parser\.' -e '^grammar/rule_lexer\.' | sort >"$work/code"
{
    cat "$work/code"
    find src grammar tests examples contrib rules -type f \
        \( -name '*.sh' -o -name '*.py' -o -name 'local.mk' -o -name '*.rule' -o -name 'LAYERS' \) 2>/dev/null
    find configure.ac Makefile.am .ci/run 2>/dev/null
} | sort -u >"$work/text"

# ---- what can be seen line by line ----------------------------------------------------------------

cat >"$work/code.awk" <<'AWK'
function fault(line, what) { printf "%s:%d: %s\n", file, line, what }

# The text of a line without comments and with strings emptied; in_comment goes on over lines.
function code_of(s,    out, c, two, quote) {
    out = ""
    while (s != "") {
        two = substr(s, 1, 2)
        if (in_comment) {
            if (two == "*/") { in_comment = 0; s = substr(s, 3) } else s = substr(s, 2)
            continue
        }
        c = substr(s, 1, 1)
        if (two == "/*") { in_comment = 1; s = substr(s, 3); out = out " "; continue }
        if (two == "//") break
        if (c == "\"" || c == "'") {
            quote = c
            s = substr(s, 2)
            while (s != "" && substr(s, 1, 1) != quote)
                s = substr(s, substr(s, 1, 1) == "\\" ? 3 : 2)
            s = substr(s, 2)
            out = out quote quote
            continue
        }
        out = out c
        s = substr(s, 2)
    }
    return out
}

function read_layers(path,    line, n, w, i, in_at) {
    while ((getline line < path) > 0) {
        sub(/#.*/, "", line)
        n = split(line, w, " ")
        if (n == 0)
            continue
        if (w[1] == "header") {
            header_seen[w[2]] = 1
            for (i = 3; i <= n; i++) header_of[w[2], w[i]] = 1
            header_files[w[2]] = substr(line, index(line, w[3]))
        } else if (w[1] == "only") {
            only_seen[w[2], w[3]] = 1
            for (i = 4; i <= n; i++) only_of[w[2], w[3], w[i]] = 1
        } else if (w[1] == "ban") {
            in_at = n + 1
            for (i = 2; i <= n; i++) if (w[i] == "in") in_at = i
            for (i = 2; i < in_at; i++) ban_where[w[i]] = ban_list(w, in_at + 1, n)
        } else if (w[1] == "long") {
            long_ok["src/" w[2], w[3]] = 1
        } else if (w[1] ~ /:$/) {
            sub(/:$/, "", w[1])
            layer[w[1]] = 1
            may[w[1], w[1]] = 1
            for (i = 2; i <= n; i++) may[w[1], w[i]] = 1
        } else {
            printf "src/LAYERS: cannot make sense of `%s'\n", line
        }
    }
    close(path)
}

function ban_list(w, from, to,    i, list) {
    list = " "
    for (i = from; i <= to; i++) list = list w[i] " "
    return list
}

function check_own_include(target,    other) {
    if (target !~ /\//) {
        fault(FNR, "#include \"" target "\": name it with its folder")
        return
    }
    other = target
    sub(/\/.*/, "", other)
    if (!(other in layer)) {
        fault(FNR, "#include \"" target "\": src/LAYERS knows no folder `" other "'")
        return
    }
    if (folder == "")
        return
    if (target ~ /_priv\.h$/ && other != folder)
        fault(FNR, "#include \"" target "\": private to src/" other)
    if (!((folder, other) in may))
        fault(FNR, "#include \"" target "\": " folder " may not include " other " (src/LAYERS)")
    else if (((other, folder) in only_seen) && !((other, folder, short) in only_of))
        fault(FNR, "#include \"" target "\": another file of " folder " is the one that may include " other " (src/LAYERS)")
}

function check_foreign_include(target,    h) {
    if (folder == "")
        return
    for (h in header_seen)
        if ((target == h || (h ~ /\/$/ && index(target, h) == 1)) && !((h, short) in header_of))
            fault(FNR, "#include <" target ">: only " header_files[h] " may include it (src/LAYERS)")
}

function check_include(text,    target) {
    target = text
    sub(/^[ \t]*#[ \t]*include[ \t]*/, "", target)
    if (target ~ /^"/) {
        target = substr(target, 2)
        sub(/".*/, "", target)
        check_own_include(target)
    } else if (target ~ /^</) {
        target = substr(target, 2)
        sub(/>.*/, "", target)
        check_foreign_include(target)
    }
}

# Calls are names before a parenthesis, but not members (x.read(), x->read()).
function check_bans(code,    rest, name, before) {
    rest = code
    before = ""
    while (match(rest, /[A-Za-z_][A-Za-z0-9_]*[ \t]*\(/)) {
        name = substr(rest, RSTART, RLENGTH - 1)
        sub(/[ \t]+$/, "", name)
        before = RSTART > 1 ? substr(rest, RSTART - 1, 1) : " "
        if ((name in ban_where) && before != "." && before != ">" && banned_here(ban_where[name]))
            fault(FNR, "calls " name "(), which is banned here (src/LAYERS)")
        rest = substr(rest, RSTART + RLENGTH)
    }
}

function banned_here(where) {
    if (where == " ")
        return 1
    return folder != "" && (index(where, " src ") > 0 || index(where, " " folder " ") > 0)
}

# The name of the function that the text before its opening brace declares.
function name_of(text) {
    if (!match(text, /[A-Za-z_][A-Za-z0-9_]*[ \t]*\(/))
        return "?"
    text = substr(text, RSTART, RLENGTH - 1)
    sub(/[ \t]+$/, "", text)
    return text
}

function check_function(raw, code) {
    if (file ~ /\.[ly]$/)
        return
    if (raw ~ /^\{/) {
        body_at = head_at ? head_at : FNR
        body_name = name_of(head)
    } else if (raw ~ /^\}/) {
        if (body_at && FNR - body_at + 1 > 80 && !((file, body_name) in long_ok))
            fault(body_at, body_name "() has " (FNR - body_at + 1) " lines, 80 are the most")
        body_at = head_at = 0
        head = ""
    } else if (raw ~ /^[A-Za-z_].*\)[ \t]*\{[ \t]*$/ && code !~ /^(extern|namespace|struct [a-z_0-9]+ \{)/) {
        fault(FNR, "the opening brace of a function stands on a line of its own")
    }
    if (body_at || raw ~ /^#/)
        return
    if (code ~ /[;}][ \t]*$/ || code ~ /^[ \t]*$/) {
        head = ""
    } else {
        if (head == "")
            head_at = FNR
        head = head " " code
    }
}

function finish_file() {
    if (file != "" && lines > 600)
        fault(lines, "the file has " lines " lines, 600 are the most")
}

BEGIN { read_layers("src/LAYERS") }

FNR == 1 {
    finish_file()
    file = FILENAME
    in_comment = 0
    body_at = head_at = 0
    head = ""
    folder = short = ""
    if (file ~ /^src\/[^\/]+\//) {
        short = substr(file, 5)
        folder = short
        sub(/\/.*/, "", folder)
        if (!(folder in layer))
            fault(1, "src/LAYERS has no line for the folder " folder)
    } else if (file ~ /^grammar\//) {
        folder = "grammar"
        short = file
    }
}

{
    lines = FNR
    is_include = $0 ~ /^[ \t]*#[ \t]*include/ && !in_comment
    code = code_of($0)
    if (is_include)
        check_include($0)
    check_bans(code)
    if (code ~ /typedef[ \t]+(struct|union|enum)/ && code !~ /\(\*/)
        fault(FNR, "a typedef of a struct, union or enum: write the keyword where it is used")
    if (index($0, "\t"))
        fault(FNR, "a tab: indent by 4 blanks")
    check_function($0, code)
}

END { finish_file() }
AWK

cat >"$work/text.awk" <<'AWK'
function end_of_file() {
    if (file != "" && !licensed)
        printf "%s:1: no SPDX-License-Identifier in the first three lines\n", file
}

FNR == 1 { end_of_file(); file = FILENAME; licensed = file ~ /\/golden\// && file ~ /\.rule$/ }
FNR <= 3 && /SPDX-License-Identifier: Apache-2\.0/ { licensed = 1 }
/[ \t\r]$/ { printf "%s:%d: blanks at the end of the line\n", FILENAME, FNR }
{
    rest = $0
    while (match(rest, /\[tag:[a-z0-9-]+\]/)) {
        tag = substr(rest, RSTART, RLENGTH)
        seen[tag]++
        at[tag] = FILENAME ":" FNR
        rest = substr(rest, RSTART + RLENGTH)
    }
}
END {
    end_of_file()
    for (tag in seen)
        if (seen[tag] < 2)
            printf "%s: %s stands nowhere else: what must agree with this place?\n", at[tag], tag
}
AWK

cat >"$work/script.awk" <<'AWK'
function end_of_function() {
    if (begins && last - begins + 1 > 80)
        printf "%s:%d: %s() has %d lines, 80 are the most\n", file, begins, name, last - begins + 1
    begins = 0
}

function end_of_file() {
    end_of_function()
    if (file != "" && lines > 600)
        printf "%s:%d: the file has %d lines, 600 are the most\n", file, lines, lines
}

# Does an odd number of """ stand in it?
function opens_text(s,    n) {
    n = gsub(/"""/, "", s)
    return n % 2
}

FNR == 1 { end_of_file(); file = FILENAME; python = file ~ /\.py$/; in_text = 0 }
{ lines = FNR; match($0, /^ */); indent = RLENGTH }

# a function of Python ends before the next line that is no deeper; one in another is part of it
python && !in_text && begins && /[^ ]/ && !/^ *[)\]}]/ && indent <= depth { end_of_function() }
python && !in_text && !begins && /^ *(async )?def / {
    begins = FNR; depth = indent; name = $2; sub(/\(.*/, "", name)
}
python && opens_text($0) { in_text = !in_text }
python && /[^ ]/ && !/^#/ { last = FNR }

!python && /^[a-zA-Z_0-9]+\(\)/ { begins = FNR; name = $1; sub(/\(.*/, "", name) }
!python && begins { last = FNR }
!python && (/^[})]/ || (begins == FNR && /}$/)) { end_of_function() }

END { end_of_file() }
AWK

xargs awk -f "$work/code.awk" <"$work/code" >>"$work/faults" || exit 2
grep -e '\.sh$' -e '\.py$' "$work/text" | xargs awk -f "$work/script.awk" >>"$work/faults" || exit 2
xargs awk -f "$work/text.awk" <"$work/text" >>"$work/faults" || exit 2

# ---- each header compiles alone -------------------------------------------------------------------

CC=${CC:-cc}
CPPFLAGS=${CPPFLAGS:--D_GNU_SOURCE -Isrc}
export CC CPPFLAGS
grep '\.h$' "$work/code" |
    xargs -P 2 -I '{}' sh -c \
        '$CC $CPPFLAGS -I. -std=gnu11 -fsyntax-only -x c "$1" 2>&1 || echo "$1:1: does not compile alone"' \
        lint '{}' >"$work/headers"
grep -v 'pragma once in main file' "$work/headers" >>"$work/faults"

# ---- nothing is left out of the makefile ---------------------------------------------------------

cat Makefile.am src/*/local.mk grammar/local.mk tests/local.mk | grep -v '^#' | tr -s ' \t\\' '\n' |
    sort -u >"$work/named"
{
    grep '^src/' "$work/code"
    find tests/unit -name 'test_*.c' 2>/dev/null | sed 's/\.c$//'
    find rules -name '*.rule' 2>/dev/null
} | sort -u | comm -23 - "$work/named" | sed 's,$,:1: named in no local.mk nor in Makefile.am,' >>"$work/faults"

# ---- the top of the tree --------------------------------------------------------------------------

if [ -e .git ] && command -v git >/dev/null 2>&1; then
    git ls-files 2>/dev/null | sed 's,/.*,,' | sort -u |
        grep -v -x -e 'configure\.ac' -e 'Makefile\.am' -e 'README\.md' -e LICENSE -e src \
            -e rules -e grammar -e tests -e examples -e contrib -e '\..*' |
        sed 's,$,:1: has no place at the top of the tree,' >>"$work/faults"
fi

# ---- the verdict ----------------------------------------------------------------------------------

if [ -s "$work/faults" ]; then
    cat "$work/faults"
    echo "lint: $(grep -c '^[^ :]*:[0-9]*:' "$work/faults") faults"
    exit 1
fi
echo "lint: $(grep -c . "$work/text") files, no fault"
