#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Rules that change under load, and kills in the middle: load.py.
here=$(cd "$(dirname "$0")" && pwd)
TOCSIN=${TOCSIN:-${top_builddir:-.}/tocsin}
exec python3 "$here/load.py" "${TOCSIND:-$(dirname "$TOCSIN")/tocsind}" "$TOCSIN" "$@"
