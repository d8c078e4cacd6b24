#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The manual page names every command and, in its section, every option.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
cli=$here/../../src/cli

run --man
want 0
prints '^\.TH TOCSIN 1' '^\.SH NAME$' '^\.SH EXIT STATUS$'
for command in $(sed -n 's/^\(COMMAND\|REMOTE\)(\([a-z_]*\),.*/\2/p' "$cli/command.def"); do
    name=$(echo "$command" | tr _ -)
    prints "^\.SS tocsin $name\$"
    awk -v head=".SS tocsin $name" '/^\.S[SH] /{ inside = $0 == head } inside' out | tr -d '\\' >section
    for option in $(sed -n "s/^OPTION($command, [A-Z_]*, [^,]*, \"\([a-z-]*\)\".*/\1/p" "$cli/option.def"); do
        in_file section "fB--${option}fR"
    done
done
for option in $(sed -n 's/^REMOTE([A-Z_]*, [^,]*, "\([a-z-]*\)".*/\1/p' "$cli/option.def"); do
    prints "fB\\\\-\\\\-$(echo "$option" | sed 's/-/\\\\-/g')"
done
done_testing
