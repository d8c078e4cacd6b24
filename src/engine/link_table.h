// SPDX-License-Identifier: Apache-2.0
/*
 * link_table - runs of one list by the values that they are linked with: `field == earlier.field`
 * finds the runs that it may concern by hash, not by looking at each.
 *
 * Built once a list is long (LINK_TABLE_FROM runs); one chained hash over (link, value). A run whose
 * value is a list, or missing, is filed as *odd*: look-ups give it too, and the condition decides.
 */
#ifndef ENGINE_LINK_TABLE_H
#define ENGINE_LINK_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/value.h"

struct link_node;
struct link_table;
struct nfa;
struct run;
struct run_list;

enum { LINK_TABLE_FROM = 16 };

/* The value that link `link` compares in this run: missing when its step is not bound. */
struct value link_value(const struct nfa *nfa, const struct run *run, uint16_t link);
/* Do two runs agree in every linked value that both have? */
bool link_agree(const struct nfa *nfa, const struct run *a, const struct run *b);

void link_table_add(struct run_list *list, const struct nfa *nfa, struct run *run);
void link_table_remove(struct run_list *list, const struct nfa *nfa, struct run *run);
/* Appends to found[] the runs of the list that may have the value v for the link (and the odd ones).
 * found is a growing array of the caller. */
struct run_found {
    struct run **run;
    size_t n, cap;
};
void link_table_find(const struct run_list *list, uint16_t link, struct value v,
                     struct run_found *found);

#endif
