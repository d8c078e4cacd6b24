#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Installs the Debian packages that tocsin is built from, and those that are named besides:
#
#   sh contrib/debian-packages.sh [--fuzzing] [PACKAGE...]
#
# --fuzzing: those of tests/fuzz too (clang, and its sanitizers and libFuzzer).
# As root or with sudo. Does nothing when all are there.

set -eu

fuzzing=
if [ "${1:-}" = --fuzzing ]; then
    shift
    case $(. /etc/os-release && echo "${VERSION_ID:-}") in
    12) clang=14 ;;
    13) clang=19 ;;
    *) clang=$(apt-cache depends clang | sed -n 's/.*Depends: clang-\([0-9]*\)$/\1/p') ;;
    esac
    fuzzing="clang llvm libclang-rt-$clang-dev"
fi

packages="autoconf automake make gcc g++ flex bison pkg-config
  libsimdjson-dev libpcre2-dev zlib1g-dev libssl-dev libicu-dev libxxhash-dev libjansson-dev
  libleveldb-dev libsystemd-dev libcurl4-openssl-dev libmicrohttpd-dev libgnutls28-dev librdkafka-dev $fuzzing $*"

missing=
for package in $packages; do
    dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null | grep -q '^ii' ||
        missing="$missing $package"
done
if [ -z "$missing" ]; then
    echo "Debian packages: all there"
    exit 0
fi

if [ "$(id -u)" -eq 0 ]; then
    sudo=
elif command -v sudo >/dev/null 2>&1; then
    sudo=sudo
else
    echo "neither root nor sudo: please install$missing" >&2
    exit 1
fi

echo "Debian packages: installing$missing"
$sudo env DEBIAN_FRONTEND=noninteractive apt-get update -q
$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $missing
