#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The Debian package in a clean chroot: installed, run, upgraded, removed, purged: `make check-package'.
#
#   sh contrib/check-package.sh [DEB]     DEB: a package that was built; else it is built first
#
# As root, with mmdebstrap and what contrib/build-deb.sh needs, and with a mirror (that of this machine's
# apt). Takes minutes. There is no systemd in the chroot: the daemon is started by hand, as its user.

set -eu

top=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
root=$work/root
daemon=
stop_all() {
    [ -z "$daemon" ] || kill -9 "$daemon" 2>/dev/null || :
    rm -rf --one-file-system "$work"
}
trap stop_all EXIT
trap 'exit 130' INT TERM

fault() {
    echo "FAIL: $*" >&2
    [ ! -s "$work/log" ] || tail -20 "$work/log" >&2
    exit 1
}
[ "$(id -u)" -eq 0 ] || fault "a chroot needs root"
command -v mmdebstrap >/dev/null || fault "mmdebstrap is missing (Debian package mmdebstrap)"

in_root() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive LC_ALL=C "$@"; }
quietly() { "$@" >"$work/said" 2>&1 || { cat "$work/said" >&2; fault "$*"; }; }
until_true() {
    what=$1
    shift
    for _ in $(seq 600); do
        "$@" && return
        sleep 0.1
    done
    fault "never: $what"
}
has_lines() { [ -f "$2" ] && [ "$(wc -l <"$2")" -ge "$1" ]; }
start() {
    : >"$work/log"
    chroot --userspec=tocsin:tocsin "$root" /usr/bin/tocsind -c /etc/tocsin/tocsin.conf >"$work/stdout" 2>"$work/log" &
    daemon=$!
    until_true "ready" grep -q 'msg="ready"' "$work/log"
}
stop() {
    kill -TERM "$daemon"
    wait "$daemon" || fault "it ended with $?"
    daemon=
}
# event TIME USER
event() { printf '{"time":"2026-11-29T10:%s:%sZ","user":"%s","outcome":"failure"}\n' "${1%:*}" "${1#*:}" "$2"; }

# ---- built

if [ $# -gt 0 ]; then
    cp "$1" "$work/"
else
    quietly sh "$top/contrib/build-deb.sh" "$work"
fi
deb=$(echo "$work"/tocsin_*.deb)
if command -v lintian >/dev/null; then
    lintian --fail-on error "$deb" || fault "lintian finds errors"
fi
echo "built: $(dpkg-deb -f "$deb" Version), $(dpkg-deb -f "$deb" Installed-Size) KiB installed"

# ---- installed into a clean chroot

suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
mirror=$(ls /etc/apt/sources.list.d/*.sources 2>/dev/null | head -1)
[ -n "$mirror" ] || mirror=/etc/apt/sources.list
quietly mmdebstrap --variant=apt "$suite" "$root" "$mirror"
cp "$deb" "$root/tmp/first.deb"
printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
chmod 755 "$root/usr/sbin/policy-rc.d"
quietly in_root apt-get update
quietly in_root apt-get install -y --no-install-recommends systemd-standalone-sysusers
quietly in_root apt-get install -y --no-install-recommends /tmp/first.deb
in_root id tocsin >/dev/null || fault "there is no user tocsin"
# without systemd-tmpfiles the directories are made by hand, as the service's manager would
if ! in_root sh -c 'command -v systemd-tmpfiles' >/dev/null; then
    quietly in_root install -d -o root -g tocsin -m 2770 /var/spool/tocsin
    quietly in_root install -d -o tocsin -g tocsin -m 0750 /var/lib/tocsin /var/log/tocsin
fi
for file in /usr/bin/tocsind /usr/bin/tocsin /etc/tocsin/tocsin.conf /etc/tocsin/rules/example.rule \
    /usr/lib/systemd/system/tocsind.service /usr/lib/sysusers.d/tocsin.conf /usr/lib/tmpfiles.d/tocsin.conf; do
    [ -e "$root$file" ] || [ -e "$root${file#/usr}" ] || fault "$file is missing"
done
[ "$(stat -c %a "$root/etc/tocsin")" = 750 ] || fault "/etc/tocsin is open to all"
quietly in_root /usr/bin/tocsind --check -c /etc/tocsin/tocsin.conf
quietly in_root /usr/bin/tocsin test /etc/tocsin/rules/example.rule
echo "installed"

# ---- run as its user

alerts=$root/var/log/tocsin/alerts.ndjson
start
for i in 1 2 3 4 5; do event "00:0$i" ada; done >"$root/var/spool/tocsin/a.ndjson"
event "00:20" bob >>"$root/var/spool/tocsin/a.ndjson"
event "00:21" bob >>"$root/var/spool/tocsin/a.ndjson"
until_true "an alert" has_lines 1 "$alerts"
grep -q '"user":"ada"' "$alerts" || fault "the alert is another: $(cat "$alerts")"
stop
echo "runs"

# ---- upgraded: what the administrator changed and the state are kept

echo '# changed by hand' >>"$root/etc/tocsin/tocsin.conf"
dpkg-deb -R "$deb" "$work/next"
version=$(dpkg-deb -f "$deb" Version)
sed -i "s/^Version: .*/Version: $version+1/" "$work/next/DEBIAN/control"
quietly dpkg-deb --root-owner-group -b "$work/next" "$root/tmp/next.deb"
quietly in_root apt-get install -y --no-install-recommends /tmp/next.deb
[ "$(in_root dpkg-query -W -f '${Version}' tocsin)" = "$version+1" ] || fault "it is not upgraded"
tail -1 "$root/etc/tocsin/tocsin.conf" | grep -q 'changed by hand' || fault "the configuration was not kept"
start
for i in 3 4 5; do event "00:2$i" bob; done >>"$root/var/spool/tocsin/a.ndjson"
until_true "an alert of what began before the upgrade" has_lines 2 "$alerts"
grep -q '"user":"bob"' "$alerts" || fault "the alert is another: $(cat "$alerts")"
stop
[ "$(grep -c '"user":"ada"' "$alerts")" -eq 1 ] || fault "an alert was told twice"
echo "upgraded"

# ---- removed, purged

quietly in_root apt-get remove -y tocsin
[ ! -e "$root/usr/bin/tocsind" ] || fault "removed, and the program is there"
[ -e "$root/etc/tocsin/tocsin.conf" ] || fault "removed, and the configuration is gone"
[ -d "$root/var/lib/tocsin/state" ] || fault "removed, and the state is gone"
quietly in_root apt-get purge -y tocsin
left=$(find "$root" -xdev -iname '*tocsin*' ! -path '*/var/log/apt/*' ! -path '*/var/log/dpkg*' | sed "s|^$root||")
[ -z "$left" ] || fault "purged, and this is left: $left"
echo "removed and purged: nothing is left but the user"
