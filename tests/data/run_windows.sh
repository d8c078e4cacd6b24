#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Rules of windows, joins and first sightings on the real logs, through the built program;
# window_numbers.py says more.

here=$(cd "$(dirname "$0")" && pwd)
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE

. "$here/../skip.sh"
command -v python3 >/dev/null || skip "the real logs: python3 is missing (Debian package python3)"
exec python3 "$here/window_numbers.py" "${TOCSIN:-./tocsin}"
