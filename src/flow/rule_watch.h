// SPDX-License-Identifier: Apache-2.0
/*
 * rule_watch - what an engine counts of its rules and of tables that events feed, for other threads: the engine's thread looks about
 * once a second, others read what it saw last. A rule's limit that cuts is said in the log.
 */
#ifndef FLOW_RULE_WATCH_H
#define FLOW_RULE_WATCH_H

#include "engine/engine.h"

struct program;
struct rule_watch;

struct rule_watch *rule_watch_new(const struct program *prog); /* borrowed until _free */
void rule_watch_free(struct rule_watch **rw);
/* The engine's thread. Says which rules were cut since the last look; the first says nothing. */
void rule_watch_look(struct rule_watch *rw, const struct engine *en);

typedef void rule_watch_fn(void *ctx, const char *rule, const struct engine_rule_stats *stats);
/* Any thread: all rules, as of the last look. */
void rule_watch_each(struct rule_watch *rw, rule_watch_fn *found, void *ctx);

struct rule_watch_table {
    uint64_t rows, bytes;
    uint64_t refused; /* rows that the limits of a table cut, events without its key */
};
typedef void rule_watch_table_fn(void *ctx, const char *table, const struct rule_watch_table *stats);
/* Likewise: the tables that events feed. */
void rule_watch_each_table(struct rule_watch *rw, rule_watch_table_fn *found, void *ctx);

#endif
