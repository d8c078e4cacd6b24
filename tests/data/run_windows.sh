#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Rules of windows, joins and first sightings on the real logs, through the built program;
# window_numbers.py says more.

here=$(cd "$(dirname "$0")" && pwd)
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE

if ! command -v python3 >/dev/null 2>&1; then
    echo "PYTHON3 NOT FOUND: the real logs were not run (Debian package python3)"
    [ "${CI:-}" = true ] && exit 1
    exit 77
fi
exec python3 "$here/window_numbers.py" "${TOCSIN:-./tocsin}"
