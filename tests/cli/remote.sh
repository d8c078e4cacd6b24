#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The tool as a client of the daemon: remote.py.
here=$(cd "$(dirname "$0")" && pwd)
TOCSIN=${TOCSIN:-${top_builddir:-.}/tocsin}
case $TOCSIN in
/*) ;;
*) TOCSIN=$(pwd)/$TOCSIN ;;
esac
exec python3 "$here/remote.py" "${TOCSIND:-$(dirname "$TOCSIN")/tocsind}" "$TOCSIN" "$@"
