// SPDX-License-Identifier: Apache-2.0
/* change_told - what is told of a change of rules, as JSON: to who asked over HTTP, and in a topic of results. */
#ifndef DAEMON_CHANGE_TOLD_H
#define DAEMON_CHANGE_TOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "http/ops.h"

struct buf;
struct config;
struct diag;
struct ruleset_outcome;
struct swap;

/* What was made, or would be. Texts are borrowed. */
struct change_told {
    bool changed, dry;
    const char *name;       /* of the module or rule; "" */
    uint64_t version;       /* 0: it has none */
    const char *etag;       /* or "" */
    const char *table;      /* what is told of rows: a JSON object; or NULL */
    uint32_t generation;
    const struct ruleset_outcome *outcome; /* NULL: nothing was looked at */
    /* Of a change of several modules, what belongs to this one: its file as diagnostics have it, NULL: all; and is
     * the rule told of, NULL: each is. */
    const char *file;
    bool (*is_told)(void *ctx, size_t at); /* in outcome->swap.rule */
    void *ctx;
};

/* Appends `"changed":true,...,"warnings":[]`: members without braces. */
void change_told_add(struct buf *out, const struct config *config, const struct change_told *told);
/* What was refused: the problem, what it is in this case, and the member that says more, or NULL. file: what is wrong
 * in it alone; NULL: all. */
enum http_problem change_told_refused(const struct config *config, const struct ruleset_outcome *outcome,
                                      const char *file, struct buf *detail, const char **member_out,
                                      struct buf *json);

#endif
