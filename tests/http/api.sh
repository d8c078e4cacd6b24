#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The HTTP interface of the daemon: api.py.
here=$(cd "$(dirname "$0")" && pwd)
TOCSIN=${TOCSIN:-${top_builddir:-.}/tocsin}
exec python3 "$here/api.py" "${TOCSIND:-$(dirname "$TOCSIN")/tocsind}" "$TOCSIN"
