// SPDX-License-Identifier: Apache-2.0
/* link_table - see link_table.h: chained hash of (link, value) -> runs of one list. */
#include "engine/link_table.h"

#include "base/hash.h"
#include "base/mem.h"
#include "engine/partition.h"
#include "engine/run.h"
#include "event/event.h"
#include "plan/nfa.h"

struct link_table {
    struct link_node **bucket;
    size_t n, mask;
};

enum { ODD = 1 };

struct value link_value(const struct nfa *nfa, const struct run *run, uint16_t link)
{
    const struct bind *bind = run->bound[nfa->link[link].from_step].last;
    return bind != NULL ? bind->ev->slot[nfa->link[link].from_slot] : value_missing();
}

static bool values_agree(struct value a, struct value b)
{
    if (a.type == VALUE_LIST) {
        for (uint32_t i = 0; i < a.len; i++) {
            if (values_agree(a.u.list[i], b))
                return true;
        }
        return false;
    }
    if (b.type == VALUE_LIST)
        return values_agree(b, a);
    return value_same(a, b);
}

bool link_agree(const struct nfa *nfa, const struct run *a, const struct run *b)
{
    for (uint16_t l = 0; l < nfa->n_links; l++) {
        struct value x = link_value(nfa, a, l), y = link_value(nfa, b, l);
        if (!value_is_missing(x) && !value_is_missing(y) && !values_agree(x, y))
            return false;
    }
    return true;
}

static uint64_t node_hash(uint16_t link, struct value v)
{
    bool odd = v.type == VALUE_LIST || v.type == VALUE_MISSING;
    return odd ? hash_mix(ODD, link) : value_hash(v, link);
}

static void chain_node(struct link_table *table, struct link_node *node)
{
    struct link_node **bucket = &table->bucket[node->hash & table->mask];
    node->prev = NULL;
    node->next = *bucket;
    if (*bucket != NULL)
        (*bucket)->prev = node;
    *bucket = node;
}

static void grow(struct link_table *table)
{
    struct link_table old = *table;
    table->mask = old.mask * 2 + 1;
    table->bucket = mem_calloc(table->mask + 1, sizeof *table->bucket);
    for (size_t i = 0; i <= old.mask; i++) {
        for (struct link_node *node = old.bucket[i], *next; node != NULL; node = next) {
            next = node->next;
            chain_node(table, node);
        }
    }
    mem_free(old.bucket);
}

static void add_run(struct link_table *table, const struct nfa *nfa, struct run *run)
{
    for (uint16_t l = 0; l < nfa->n_links; l++) {
        struct link_node *node = run_node(run, l);
        node->run = run;
        node->hash = node_hash(l, link_value(nfa, run, l));
        if (table->n++ > table->mask)
            grow(table);
        chain_node(table, node);
    }
}

void link_table_add(struct run_list *list, const struct nfa *nfa, struct run *run)
{
    if (list->links != NULL) {
        add_run(list->links, nfa, run);
        return;
    }
    if (nfa->n_links == 0 || list->n < LINK_TABLE_FROM)
        return;
    list->links = mem_calloc(1, sizeof *list->links);
    list->links->mask = 4 * LINK_TABLE_FROM - 1;
    list->links->bucket = mem_calloc(list->links->mask + 1, sizeof *list->links->bucket);
    for (struct run *each = list->first; each != NULL; each = each->next)
        add_run(list->links, nfa, each);
}

static void link_table_free(struct run_list *list)
{
    if (list->links == NULL)
        return;
    mem_free(list->links->bucket);
    mem_free(list->links);
    list->links = NULL;
}

void link_table_remove(struct run_list *list, const struct nfa *nfa, struct run *run)
{
    struct link_table *table = list->links;
    if (table == NULL)
        return;
    for (uint16_t l = 0; l < nfa->n_links; l++) {
        struct link_node *node = run_node(run, l);
        if (node->prev != NULL)
            node->prev->next = node->next;
        else
            table->bucket[node->hash & table->mask] = node->next;
        if (node->next != NULL)
            node->next->prev = node->prev;
        table->n--;
    }
    if (table->n == 0)
        link_table_free(list);
}

static void find_hash(const struct link_table *table, uint16_t link, uint64_t hash,
                      struct run_found *found)
{
    for (struct link_node *node = table->bucket[hash & table->mask]; node != NULL;
         node = node->next) {
        if (node->hash != hash || node != run_node(node->run, link))
            continue;
        found->run = vec_reserve(found->run, &found->cap, found->n + 1, sizeof *found->run);
        found->run[found->n++] = node->run;
    }
}

/* A list stands for its elements, also nested ones. */
static void find_value(const struct link_table *table, uint16_t link, struct value v,
                       struct run_found *found)
{
    for (uint32_t i = 0; v.type == VALUE_LIST && i < v.len; i++)
        find_value(table, link, v.u.list[i], found);
    if (v.type != VALUE_LIST && v.type != VALUE_MISSING)
        find_hash(table, link, node_hash(link, v), found);
}

void link_table_find(const struct run_list *list, uint16_t link, struct value v,
                     struct run_found *found)
{
    find_value(list->links, link, v, found);
    find_hash(list->links, link, node_hash(link, value_missing()), found);
}
