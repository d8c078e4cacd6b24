#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The webhook client against receivers that misbehave: web.py. A part of it: sh web.sh tls http2
set -u
here=$(cd "$(dirname "$0")" && pwd)
post=${top_builddir:-.}/tests/webhook/post

. "$here/../skip.sh"
command -v openssl >/dev/null || skip "the openssl command is missing"
for python in python3 /usr/bin/python3; do # h2 is Debian's, for Debian's python
    "$python" -c 'import h2' 2>/dev/null && exec "$python" -B "$here/web.py" "$post" "$@"
done
skip "python3 with h2 (Debian package python3-h2) is missing"
