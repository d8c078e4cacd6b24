#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The rules of this folder on the real logs, through the built program; real_numbers.py says more.

here=$(cd "$(dirname "$0")" && pwd)
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE

. "$here/../skip.sh"
command -v python3 >/dev/null || skip "the real logs: python3 is missing (Debian package python3)"
exec python3 "$here/real_numbers.py" "${TOCSIN:-./tocsin}"
