#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Builds the Debian package:
#
#   sh contrib/build-deb.sh [OUT]      OUT: where the .deb goes; the current directory
#
# The source tree is left as it is: a copy of it is built in a directory of its own. Needs what is in
# contrib/debian/control (mk-build-deps, or apt-get build-dep), dpkg-dev and debhelper.
# DEB_BUILD_OPTIONS as usual (parallel=2, nocheck).

set -eu

top=$(cd "$(dirname "$0")/.." && pwd)
out=$(mkdir -p "${1:-.}" && cd "${1:-.}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

version=$(sed -n '1s/^tocsin (\(.*\)-[^-]*).*/\1/p' "$top/contrib/debian/changelog")
source=$(sed -n 's/^AC_INIT(\[tocsin\], \[\(.*\)\])$/\1/p' "$top/configure.ac")
if [ "$version" != "$source" ]; then
    echo "contrib/debian/changelog is of version $version, configure.ac of $source" >&2
    exit 1
fi

# what belongs to the source: what git knows of, or all that is no build
tree=$work/tocsin-$version
mkdir "$tree"
if [ -e "$top/.git" ]; then
    (cd "$top" && git ls-files -z --cached --others --exclude-standard |
        xargs -0 sh -c 'for f; do [ ! -e "$f" ] || printf "%s\0" "$f"; done' sh |
        tar -c --null -T - -f -) | tar -x -C "$tree" -f -
else
    (cd "$top" && tar -c --exclude='./_*' -f - .) | tar -x -C "$tree" -f -
fi
tar -c -J -C "$work" -f "$work/tocsin_$version.orig.tar.xz" "tocsin-$version"
cp -r "$tree/contrib/debian" "$tree/debian"

cd "$tree"
dpkg-buildpackage -us -uc "${DEB_BUILD:--b}"
cp "$work"/tocsin_*.deb "$out"
for file in "$work"/*.dsc "$work"/*.debian.tar.* "$work"/*.orig.tar.* "$work"/*.changes "$work"/*.buildinfo; do
    [ "${DEB_BUILD:--b}" = -b ] || cp "$file" "$out"
done
ls "$out"/tocsin_*.deb
