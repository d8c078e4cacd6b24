#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The unit: systemd finds no mistake in it, and it leaves the daemon little (systemd-analyze security).
set -u
top=${top_srcdir:-.}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT

. "$top/tests/skip.sh"
command -v systemd-analyze >/dev/null || skip "the unit: this needs systemd-analyze (Debian package systemd)"
# verify wants the program to be there
mkdir -p "$work/bin"
cp /bin/true "$work/bin/tocsind"
sed -e "s|@bindir@|$work/bin|; s|@sysconfdir@|/etc|; s|@localstatedir@|/var|" \
    "$top/contrib/systemd/tocsind.service.in" >"$work/tocsind.service"
# what it cannot find here (a user, a manual page) is no mistake of the unit
systemd-analyze verify --man=no "$work/tocsind.service" 2>&1 | tee "$work/said" | sed 's/^/verify: /'
if grep -q -e 'tocsind.service:.*\(Unknown\|Failed to parse\|Invalid\|ignoring\)' "$work/said"; then
    echo "FAIL: the unit has mistakes"
    exit 1
fi
systemd-analyze security --offline=true --threshold=20 --no-pager "$work/tocsind.service" >"$work/security" 2>&1
code=$?
tail -1 "$work/security"
if [ "$code" -ne 0 ]; then
    grep -v '✓' "$work/security"
    echo "FAIL: exposed more than 2.0, or it could not be judged"
    exit 1
fi
