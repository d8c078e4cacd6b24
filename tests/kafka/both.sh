#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# From topics to topics, exactly once, as a replay of the topics has it: kills of the daemon at each step and at random,
# KAFKA_KILLS of them (15), and of the broker, with KAFKA_EVENTS events a round.
# SEED: of input, steps and moments; `make check' sets it, else it is another one each time.
set -u
top=${top_builddir:-.}
. "$(dirname "$0")/../skip.sh"
command -v python3 >/dev/null || skip "python3 is missing (Debian package python3)"
grep -q 'define TOCSIN_FAILPOINTS\|-DTOCSIN_FAILPOINTS' "$top/Makefile" ||
    skip "this needs configure --enable-failpoints"
exec python3 -B "$(dirname "$0")/both.py" --tocsind "$top/tocsind" --tocsin "$top/tocsin" \
    --def "${top_srcdir:-.}/src/base/failpoint.def" --kills "${KAFKA_KILLS:-15}" --brokers "$((${KAFKA_KILLS:-15} / 15))" \
    --events "${KAFKA_EVENTS:-2000}"
