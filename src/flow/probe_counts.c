// SPDX-License-Identifier: Apache-2.0
#include "flow/probe_counts.h"

#include <stdatomic.h>

#include "base/mem.h"
#include "engine/engine.h"

struct probe_counts {
    uint32_t n_rules;
    struct added {
        _Atomic uint64_t type_clash, regex_limit, ns;
    } *added;                 /* [n_rules] and not taken yet */
    struct probe_tally *last; /* [n_rules] the reader's: what the scratch said when it was asked last */
};

struct probe_counts *probe_counts_new(uint32_t n_rules)
{
    struct probe_counts *pc = mem_calloc(1, sizeof *pc);

    pc->n_rules = n_rules;
    pc->added = mem_calloc(n_rules + 1, sizeof *pc->added);
    pc->last = mem_calloc(n_rules + 1, sizeof *pc->last);
    return pc;
}

void probe_counts_free(struct probe_counts **pc)
{
    if (!*pc)
        return;
    mem_free((*pc)->added);
    mem_free((*pc)->last);
    mem_free(*pc);
    *pc = NULL;
}

static void add(_Atomic uint64_t *to, uint64_t is, uint64_t was)
{
    if (is != was)
        atomic_fetch_add_explicit(to, is - was, memory_order_relaxed);
}

void probe_counts_add(struct probe_counts *pc, const struct probe_scratch *ps)
{
    for (uint32_t r = 0; r < pc->n_rules; r++) {
        struct probe_tally is = probe_tally_of(ps, r);
        add(&pc->added[r].type_clash, is.type_clash, pc->last[r].type_clash);
        add(&pc->added[r].regex_limit, is.regex_limit, pc->last[r].regex_limit);
        add(&pc->added[r].ns, is.ns, pc->last[r].ns);
        pc->last[r] = is;
    }
}

static uint64_t take(_Atomic uint64_t *from)
{
    if (atomic_load_explicit(from, memory_order_relaxed) == 0)
        return 0;
    return atomic_exchange_explicit(from, 0, memory_order_relaxed);
}

void probe_counts_take(struct probe_counts *pc, struct engine *en)
{
    for (uint32_t r = 0; r < pc->n_rules; r++) {
        struct probe_tally more = {.type_clash = take(&pc->added[r].type_clash),
                                   .regex_limit = take(&pc->added[r].regex_limit),
                                   .ns = take(&pc->added[r].ns)};
        if (more.type_clash + more.regex_limit + more.ns > 0)
            engine_count_probed(en, r, &more);
    }
}
