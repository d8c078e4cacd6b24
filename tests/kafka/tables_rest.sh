#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What takes longer of tables from topics: compaction that has really run, brokers that are away.
exec sh "$(dirname "$0")/tables.sh" ${*:-compacted away}
