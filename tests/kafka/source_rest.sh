#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Sources of kafka: partitions that rest, brokers that are away, topics that are made anew; replays of those.
exec sh "$(dirname "$0")/source.sh" rest down_at_start recreated broker_killed away broker_killed_under_it
