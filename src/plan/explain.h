// SPDX-License-Identifier: Apache-2.0
/*
 * explain - what a program does not keep and people ask for: its rules as they were written, and the
 * condition by which events find each step. The texts are compiled once more for it, since a program
 * that runs has no use for either.
 */
#ifndef PLAN_EXPLAIN_H
#define PLAN_EXPLAIN_H

#include <stddef.h>
#include <stdint.h>

#include "plan/necessary.h"

struct ast_expr;
struct ast_rule;
struct ast_step;
struct ast_stream;
struct buf;
struct program_options;
struct program_source_text;

struct explain;

/* Of texts that program_compile took with these options; returns owned. NULL if it does not now. */
struct explain *explain_new(const struct program_source_text *text, size_t n,
                            const struct program_options *opt);
void explain_free(struct explain **ex);

/* Rules, steps and aggregates have the numbers that they have in the program. As written: */
const struct ast_rule *explain_rule(const struct explain *ex, uint32_t rule);
const struct ast_step *explain_step(const struct explain *ex, uint32_t rule, uint32_t step);
const struct ast_stream *explain_stream(const struct explain *ex, const char *name); /* or NULL */
/* The call; `def`s are written out in it. */
const struct ast_expr *explain_aggregate(const struct explain *ex, uint32_t rule, uint32_t aggregate);

/* By what the index files the step: `field == "value"`, `field in [...]`, `exists(field)`. Nothing
 * for NECESSARY_NONE: every event of its sources is tried. */
int explain_necessary(const struct explain *ex, uint32_t rule, uint32_t step, struct buf *out);

#endif
