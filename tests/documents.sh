#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What is written for people leads somewhere, and the reference is whole (documents.py).
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/skip.sh"
command -v python3 >/dev/null || skip "python3 is missing (Debian package python3)"
exec python3 -B "$here/documents.py"
