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

#include "base/buf.h"
#include "flow/pipeline.h"
#include "flow/swap.h"
#include "state/modules.h"

struct checkpoint;
struct config;
struct diag;
struct route_rules;
struct store;
struct store_batch;
struct uploads;

struct ruleset { /* embedded: _load or _init, _fini */
    const struct config *config;   /* that the programs were compiled with; borrowed */
    struct uploads *uploads;       /* borrowed; NULL: there are none */
    struct modules mods;
    struct program **prog;         /* [mods.n] owned references */
    struct program *told;          /* owned; of the current texts: differs from prog[0] in what does not run, such
                                    * as lines of rules, and rules that are disabled */
    struct route_rules **route;    /* [mods.n] owned */
    struct pipeline_rules *rules;  /* [mods.n] for the pipeline */
    uint32_t *quarantine;          /* [streams of prog[0]] sink, or READER_NO_SINK */
};

enum ruleset_result {
    RULESET_OK,
    RULESET_SAME,     /* a change that changes nothing: ruleset_out is empty */
    RULESET_TEXTS,    /* one that changes texts, and no rule that runs: only ruleset_out->mods and ->told are there */
    RULESET_REFUSED,  /* mistakes, or state would be lost; the messages are in why */
    RULESET_FAILED,   /* the database cannot be read, or its record is damaged */
};

void ruleset_fini(struct ruleset *rs);
/* What rs says runs, without programs: enough for _try, and for _edit with a wish that `looks`, unless rows came
 * over the HTTP interface. */
void ruleset_copy(const struct ruleset *rs, struct ruleset *copy_out);
/* What the database says runs, compiled from its texts; empty (mods.n 0) if it says nothing. uploads: borrowed by
 * it and all that come after it. */
enum ruleset_result ruleset_load(struct ruleset *rs, const struct config *config, struct store *st,
                                 struct uploads *uploads, struct buf *why);
/* The rules directory as it is now, against what runs: a new set in next_out, what becomes of each rule
 * described in said. Another configuration than before makes a new set of the same rules: they are
 * compiled with where its sources have their times, and go to its sinks. */
enum ruleset_result ruleset_change(const struct ruleset *rs, const struct config *config,
                                   int64_t frontier, int64_t wall, struct ruleset *next_out,
                                   struct buf *said, struct buf *why);

/* A module that is no file, as it is to be. */
struct ruleset_module {
    const char *name, *text;
    size_t len;
    uint64_t version;
};

/* All of one origin. */
struct ruleset_side {
    bool replace;          /* they are these; else as they run */
    const struct ruleset_module *module;
    size_t n;
};

/* Rows of a table, as they are to be. */
struct ruleset_upload {
    const char *table;
    uint64_t version;      /* 0: those of its file again */
};

/* A change that is wanted. */
struct ruleset_wish {
    bool keep_files;       /* files as they run; else as the rules directory is now */
    struct ruleset_side api, topic;
    const struct ruleset_upload *upload; /* NULL: rows are as they are */
    const char *rule;      /* switched on or off; NULL: none */
    bool on;
    struct swap_policy policy;
    int64_t frontier, wall; /* ns */
    bool looks;            /* nothing is to run: a new set has no programs */
};

struct ruleset_outcome { /* embedded: _init, _fini */
    struct swap swap;      /* what becomes of each rule, if it came so far */
    struct diag *diag;     /* mistakes, warnings */
    struct buf why;        /* other reasons */
};
void ruleset_outcome_init(struct ruleset_outcome *outcome);
void ruleset_outcome_fini(struct ruleset_outcome *outcome);
/* What would become of it: a new set in next_out (empty unless RULESET_OK or _TEXTS). */
enum ruleset_result ruleset_edit(const struct ruleset *rs, const struct config *config,
                                 const struct ruleset_wish *wish, struct ruleset *next_out,
                                 struct ruleset_outcome *outcome);
/* The program that it would be, with its tests; NULL: the outcome says why. Owned. */
struct program *ruleset_try(const struct ruleset *rs, const struct config *config,
                            const struct ruleset_wish *wish, struct ruleset_outcome *outcome);
/* After RULESET_TEXTS: takes next's texts and switches over, in place. */
void ruleset_take_texts(struct ruleset *rs, struct ruleset *next);
/* The same set without the generation at `at`, which has been drained. */
enum ruleset_result ruleset_without(const struct ruleset *rs, const struct config *config, size_t at,
                                    struct ruleset *next_out, struct buf *why);
/* Puts the record. */
void ruleset_save(const struct ruleset *rs, struct store_batch *batch);

#endif
