#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The HTTP server from outside, without the daemon: server.py.
here=$(cd "$(dirname "$0")" && pwd)
exec python3 "$here/server.py" "${top_builddir:-.}/tests/http/serve"
