#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The daemon on the real logs, growing, with kills; daemon_numbers.py says more. SEED: of pieces and moments; `make
# check' sets it, else it is another one each time.

here=$(cd "$(dirname "$0")" && pwd)
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE

. "$here/../skip.sh"
command -v python3 >/dev/null || skip "the daemon on the real logs: python3 is missing (Debian package python3)"
exec python3 "$here/daemon_numbers.py" "${TOCSIN:-./tocsin}" "${TOCSIND:-./tocsind}"
