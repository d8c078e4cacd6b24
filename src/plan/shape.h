// SPDX-License-Identifier: Apache-2.0
/*
 * shape - what decides whether a new version of a rule can go on with the state of the old one
 * (language section 9): keys, names and kinds of elements, streams' names, window kind and sizes,
 * aggregates, novel's fields. Not conditions, `within`, counts, emit or texts.
 */
#ifndef PLAN_SHAPE_H
#define PLAN_SHAPE_H

#include <stdint.h>

struct ast_rule;
struct lang_table;

/* Of a checked rule whose aggregates are numbered. */
void shape_of_rule(const struct ast_rule *ast, uint8_t shape_out[16]);
/* Of a table that events feed: its stream, its key; not `keep`. */
void shape_of_table(const struct lang_table *table, uint8_t shape_out[16]);

#endif
