#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Kafka over TLS, with logins and with rights (ACLs): what is wrong is told, what is made right goes on by itself, secrets
# are not shown. secure.py.
set -u
top=${top_builddir:-.}
. "$(dirname "$0")/../skip.sh"
command -v python3 >/dev/null || skip "python3 is missing (Debian package python3)"
command -v openssl >/dev/null || skip "openssl is missing (Debian package openssl)"
exec python3 -B "$(dirname "$0")/secure.py" --tocsind "$top/tocsind" ${ONLY:+--only "$ONLY"}
