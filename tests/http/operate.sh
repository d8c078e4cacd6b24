#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What an operator does over HTTP: operate.py.
here=$(cd "$(dirname "$0")" && pwd)
TOCSIN=${TOCSIN:-${top_builddir:-.}/tocsin}
exec python3 "$here/operate.py" "${TOCSIND:-$(dirname "$TOCSIN")/tocsind}" "$TOCSIN"
