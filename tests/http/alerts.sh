#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Alerts over HTTP: alerts.py.
here=$(cd "$(dirname "$0")" && pwd)
TOCSIN=${TOCSIN:-${top_builddir:-.}/tocsin}
exec python3 "$here/alerts.py" "${TOCSIND:-$(dirname "$TOCSIN")/tocsind}" "$TOCSIN" "$@"
