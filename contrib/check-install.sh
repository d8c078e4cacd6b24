#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `make install' puts everything where the GNU directories say, and what it puts there works: the programs, the
# manual pages, the shipped rules, the configuration to begin with and its rule. `make uninstall' leaves nothing.
set -u
build=${top_builddir:-.}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT

fault() {
    echo "FAIL: $*"
    [ ! -f "$work/said" ] || tail -20 "$work/said"
    exit 1
}
quietly() { "$@" >"$work/said" 2>&1 || fault "$*"; }
# of a make that runs this: no jobs of its own, none of its overrides
unset MAKEFLAGS MFLAGS MAKELEVEL
places="prefix=/usr sysconfdir=/etc localstatedir=/var"
quietly make -C "$build" install DESTDIR="$work/root" $places
for file in bin/tocsin bin/tocsind share/man/man1/tocsin.1 share/man/man1/tocsind.1 \
    share/man/man5/tocsin.conf.5 share/bash-completion/completions/tocsin share/tocsin/rules/identity/ssh_brute_force.rule \
    share/doc/tocsin/examples/tocsin.conf share/doc/tocsin/examples/rules/example.rule \
    share/doc/tocsin/examples/webhooks.conf share/doc/tocsin/examples/opsgenie.json \
    share/doc/tocsin/README.md share/doc/tocsin/grammar/README.md share/doc/tocsin/grammar/match.md; do
    [ -s "$work/root/usr/$file" ] || fault "$file is not installed"
done
mkdir -p "$work/etc"
cp -r "$work/root/usr/share/doc/tocsin/examples/." "$work/etc/"
quietly "$work/root/usr/bin/tocsind" --check -c "$work/etc/tocsin.conf"
grep -q '^ok: 1 rule, 1 source, 1 sink' "$work/said" || fault "the configuration to begin with"
quietly "$work/root/usr/bin/tocsin" test "$work/etc/rules/example.rule"
quietly make -C "$build" uninstall DESTDIR="$work/root" $places
left=$(find "$work/root" -type f)
[ -z "$left" ] || fault "left after make uninstall: $left"
