#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What an operator does over HTTP, the longer parts: operate.py.
here=$(cd "$(dirname "$0")" && pwd)
TOCSIN=${TOCSIN:-${top_builddir:-.}/tocsin}
exec python3 "$here/operate.py" "${TOCSIND:-$(dirname "$TOCSIN")/tocsind}" "$TOCSIN" long
