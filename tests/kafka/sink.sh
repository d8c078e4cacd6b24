#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Topics as sinks, on a real broker: forms of records, what fails, brokers that are killed. What is true of the
# broker by itself: marker.c. Several lives, several daemons: sink_lives.sh; kills: both.sh.
set -u
top=${top_builddir:-.}
. "$(dirname "$0")/../skip.sh"
command -v python3 >/dev/null || skip "python3 is missing (Debian package python3)"
grep -q 'define TOCSIN_FAILPOINTS\|-DTOCSIN_FAILPOINTS' "$top/Makefile" ||
    skip "this needs configure --enable-failpoints"
exec python3 -B "$(dirname "$0")/sink.py" --tocsind "$top/tocsind" \
    --only marker,forms,unknown_topic,too_large,failures,no_marker,broker_down
