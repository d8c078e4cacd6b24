#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Rows of tables over HTTP: tables.py.
here=$(cd "$(dirname "$0")" && pwd)
TOCSIN=${TOCSIN:-${top_builddir:-.}/tocsin}
exec python3 "$here/tables.py" "${TOCSIND:-$(dirname "$TOCSIN")/tocsind}" "$TOCSIN" "$@"
