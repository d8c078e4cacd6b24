#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The daemon on the real logs, growing, with kills; daemon_numbers.py says more.

here=$(cd "$(dirname "$0")" && pwd)
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE

if ! command -v python3 >/dev/null 2>&1; then
    echo "PYTHON3 NOT FOUND: the daemon was not run on the real logs (Debian package python3)"
    [ "${CI:-}" = true ] && exit 1
    exit 77
fi
exec python3 "$here/daemon_numbers.py" "${TOCSIN:-./tocsin}" "${TOCSIND:-./tocsind}"
