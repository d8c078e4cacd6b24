#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Slow clients, and requests that are written to be misread, against the HTTP server: slow.py.
here=$(cd "$(dirname "$0")" && pwd)
exec python3 "$here/slow.py" "${top_builddir:-.}/tests/http/serve" "$@"
