// SPDX-License-Identifier: Apache-2.0
/*
 * ruleset - the rules that run, or are to: what the database says of them (modules.h), the program of
 * each generation, and where the alerts of each rule go.
 */
#ifndef DAEMON_RULESET_H
#define DAEMON_RULESET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "flow/pipeline.h"
#include "state/modules.h"

struct buf;
struct config;
struct store;
struct store_batch;

struct ruleset { /* embedded: _load or _init, _fini */
    struct modules mods;
    struct program **prog;         /* [mods.n] owned references */
    struct shard_route **route;    /* [mods.n][rules] owned */
    struct pipeline_rules *rules;  /* [mods.n] for the pipeline */
    uint32_t *quarantine;          /* [streams of prog[0]] sink, or READER_NO_SINK */
};

enum ruleset_result {
    RULESET_OK,
    RULESET_SAME,     /* a change that changes nothing: ruleset_out is empty */
    RULESET_REFUSED,  /* mistakes, or state would be lost; the messages are in why */
    RULESET_FAILED,   /* the database cannot be read, or its record is damaged */
};

void ruleset_fini(struct ruleset *rs);
/* What the database says runs, compiled from its texts; empty (mods.n 0) if it says nothing. */
enum ruleset_result ruleset_load(struct ruleset *rs, const struct config *config, struct store *st,
                                 struct buf *why);
/* The rules directory as it is now, against what runs: a new set in next_out, what becomes of each rule
 * described in said. */
enum ruleset_result ruleset_change(const struct ruleset *rs, const struct config *config,
                                   int64_t frontier, int64_t wall, struct ruleset *next_out,
                                   struct buf *said, struct buf *why);
/* The same set without the generation at `at`, which has been drained. */
enum ruleset_result ruleset_without(const struct ruleset *rs, const struct config *config, size_t at,
                                    struct ruleset *next_out, struct buf *why);
/* Puts the record. */
void ruleset_save(const struct ruleset *rs, struct store_batch *batch);

#endif
