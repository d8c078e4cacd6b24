#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Gets promtool without the server that Debian's package prometheus starts when it is installed: the
# package is unpacked in DIR, once. Prints where promtool is.
#
#   promtool.sh DIR

set -eu
tool=$1/usr/bin/promtool
if [ ! -x "$tool" ]; then
    mkdir -p "$1"
    cd "$1"
    apt-get download -q prometheus >&2 || { apt-get update -q && apt-get download -q prometheus; } >&2
    dpkg-deb -x prometheus_*.deb .
    rm -f prometheus_*.deb usr/bin/prometheus
fi
"$tool" --version >&2
echo "$tool"
