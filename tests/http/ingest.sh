#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Events over HTTP: ingest.py.
here=$(cd "$(dirname "$0")" && pwd)
TOCSIN=${TOCSIN:-${top_builddir:-.}/tocsin}
exec python3 "$here/ingest.py" "${TOCSIND:-$(dirname "$TOCSIN")/tocsind}" "$TOCSIN"
