#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The tool and servers that are none: remote_hostile.py.
here=$(cd "$(dirname "$0")" && pwd)
TOCSIN=${TOCSIN:-${top_builddir:-.}/tocsin}
case $TOCSIN in
/*) ;;
*) TOCSIN=$(pwd)/$TOCSIN ;;
esac
exec python3 -B "$here/remote_hostile.py" "${TOCSIND:-$(dirname "$TOCSIN")/tocsind}" "$TOCSIN" "$@"
