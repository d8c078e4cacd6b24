#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The OpenAPI document of a daemon, against openapi-spec-validator and schemathesis (schema.py), which come from
# PyPI in these versions and stay in _build/schemathesis. SEED: of what it asks;
# `make check' sets it, else it is another one each time. By hand, for longer: sh tests/http/schema.sh 200
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../.." && pwd)
TOCSIN=${TOCSIN:-${top_builddir:-.}/tocsin}
tools=${SCHEMATHESIS:-$source/_build/schemathesis}
wanted="schemathesis==4.32.5 openapi-spec-validator==0.9.0"
. "$here/../skip.sh"

if [ "$(cat "$tools/is" 2>/dev/null)" != "$wanted" ]; then
    python3 -m venv "$tools" >/dev/null 2>&1 || skip "schemathesis: python3-venv is missing"
    "$tools/bin/pip" install -q --disable-pip-version-check $wanted ||
        skip "schemathesis cannot be had from PyPI"
    echo "$wanted" >"$tools/is"
fi
exec python3 "$here/schema.py" "${TOCSIND:-$(dirname "$TOCSIN")/tocsind}" "$TOCSIN" "$tools/bin" "$@"
