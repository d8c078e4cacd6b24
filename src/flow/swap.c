// SPDX-License-Identifier: Apache-2.0
#include "flow/swap.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "plan/program.h"
#include "plan/window_plan.h"
#include "state/modules.h"

static const char *const fate_name[] = {
    [SWAP_UNCHANGED] = "unchanged", [SWAP_KEPT] = "kept",       [SWAP_ADDED] = "added",
    [SWAP_DRAINED] = "drained",     [SWAP_FRESH] = "fresh",     [SWAP_REMOVED] = "removed",
    [SWAP_REFUSED] = "refused"};

/* Why, for those who did nothing but change a rule. */
static const char *const fate_reason[SWAP_REFUSED + 1] = {
    [SWAP_DRAINED] = "drained: its keys, elements or windows are others, so what is open does not fit: "
                     "the old version begins nothing new and ends what it has open",
    [SWAP_FRESH] = "fresh: its keys, elements or windows are others, so its state does not fit: it is "
                   "dropped, as `on_reload` says, or since the old version cannot end it"};

const char *swap_fate_name(enum swap_fate fate)
{
    return fate_name[fate];
}

static bool same16(const uint8_t a[16], const uint8_t b[16])
{
    return memcmp(a, b, 16) == 0;
}

/* That runs. */
static const struct program_rule *rule_named(const struct program *prog, const char *name)
{
    uint32_t number = program_rule_named(prog, name);

    return number == UINT32_MAX || prog->rule[number].disabled ? NULL : &prog->rule[number];
}

/* ---- can it be drained? ------------------------------------------------------------------------ */

/* Does any rule make events of the stream? */
static bool is_made(const struct program *prog, uint32_t number)
{
    const struct program_stream *stream = &prog->stream[number];

    if (stream->is_derived)
        return true;
    for (uint32_t i = 0; i < stream->n_inputs && number > 0; i++)
        if (is_made(prog, stream->input[i]))
            return true;
    return false;
}

static bool reads_made(const struct program *prog, const struct program_rule *rule)
{
    for (uint32_t p = rule->first_probe; p < rule->first_probe + rule->n_probes; p++)
        for (uint32_t i = 0; i < prog->probe[p].n_streams; i++)
            if (is_made(prog, prog->probe[p].stream[i]))
                return true;
    for (uint32_t i = 0; i < rule->n_tables; i++)
        if (!prog->table[rule->table[i]].rows && is_made(prog, prog->table[rule->table[i]].stream))
            return true;
    return false;
}

static bool can_drain(const struct program *prog, const struct program_rule *rule)
{
    if (rule->body == BODY_NOVEL)
        return false;
    if (rule->body == BODY_WINDOW && (rule->window->kind == WINDOW_SLIDING || rule->window->kind == WINDOW_GLOBAL))
        return false;
    return !reads_made(prog, rule);
}

/* ---- fates ----------------------------------------------------------------------------------- */

static enum swap_fate fate_of(const struct swap_policy *all, const struct generation *old,
                              const struct program *prog, const struct program_rule *rule)
{
    const struct module_state *was = old ? generation_rule(old, rule->name) : NULL;
    const struct swap_policy *policy = all && all->of_rule ? all->of_rule(all->ctx, rule) : all;
    bool forced = policy && policy->on_reload >= 0, allow = policy && policy->allow_drop;

    if (!was)
        return SWAP_ADDED;
    if (same16(was->shape, rule->shape))
        return same16(was->text_hash, rule->text_hash) &&
                       same16(old->declared_hash, prog->declared_hash)
                   ? SWAP_UNCHANGED
                   : SWAP_KEPT;
    switch (forced ? (enum program_reload)policy->on_reload : rule->on_reload) {
    case RELOAD_DRAIN:
        if (was->drains)
            return SWAP_DRAINED;
        return forced && !allow ? SWAP_REFUSED : SWAP_FRESH;
    case RELOAD_FRESH:
        return SWAP_FRESH;
    case RELOAD_REFUSE:
        break;
    }
    return allow ? SWAP_FRESH : SWAP_REFUSED;
}

static void add_fate(struct swap *swap, const char *name, enum swap_fate fate)
{
    swap->rule[swap->n++] = (struct swap_rule){.name = mem_strndup(name, strlen(name)), .fate = fate};
    swap->refused |= fate == SWAP_REFUSED;
    swap->changes |= fate != SWAP_UNCHANGED;
}

static int by_name(const void *a, const void *b)
{
    const struct swap_rule *x = a, *y = b;

    return strcmp(x->name, y->name);
}

static void find_fates(const struct swap_policy *policy, const struct generation *old,
                       const struct program *prog, struct swap *swap)
{
    swap->rule = mem_calloc(prog->n_rules + (old ? old->n_rules : 0) + 1, sizeof *swap->rule);
    for (uint32_t r = 0; r < prog->n_rules; r++)
        if (!prog->rule[r].disabled)
            add_fate(swap, prog->rule[r].name, fate_of(policy, old, prog, &prog->rule[r]));
    for (size_t i = 0; old && i < old->n_rules; i++)
        if (!rule_named(prog, old->rule[i].name))
            add_fate(swap, old->rule[i].name, SWAP_REMOVED);
    qsort(swap->rule, swap->n, sizeof *swap->rule, by_name);
    /* What else is declared may have changed: it counts if a table's rows or a text did. */
    swap->changes |= !old || !same16(old->declared_hash, prog->declared_hash);
}

static enum swap_fate fate_named(const struct swap *swap, const char *name)
{
    struct swap_rule want = {.name = (char *)(uintptr_t)name};
    const struct swap_rule *rule = bsearch(&want, swap->rule, swap->n, sizeof want, by_name);

    return rule ? rule->fate : SWAP_REMOVED;
}

/* ---- the new generation ----------------------------------------------------------------------- */

static void purge(struct swap *swap, uint32_t incarnation)
{
    swap->purge = mem_realloc(swap->purge, (swap->n_purge + 1) * sizeof *swap->purge);
    swap->purge[swap->n_purge++] = incarnation;
}

/* Is a table's number used by any generation but the one at `except`? */
static bool table_is_used(const struct modules *mods, size_t except, uint32_t incarnation)
{
    for (size_t g = 0; g < mods->n; g++)
        for (size_t i = 0; g != except && i < mods->generation[g].n_tables; i++)
            if (mods->generation[g].table[i].incarnation == incarnation)
                return true;
    return false;
}

static void fill_rules(struct modules *mods, const struct program *prog, const struct swap *swap,
                       struct generation *gen, const struct generation *old)
{
    for (uint32_t r = 0; r < prog->n_rules; r++) {
        const struct program_rule *rule = &prog->rule[r];
        if (rule->disabled)
            continue;
        enum swap_fate fate = fate_named(swap, rule->name);
        struct module_state *state = generation_add_rule(gen, rule->name);
        bool goes_on = fate == SWAP_UNCHANGED || fate == SWAP_KEPT;
        memcpy(state->shape, rule->shape, sizeof state->shape);
        memcpy(state->text_hash, rule->text_hash, sizeof state->text_hash);
        state->drains = can_drain(prog, rule);
        state->incarnation = goes_on ? generation_rule(old, rule->name)->incarnation
                                     : mods->next_incarnation++;
    }
}

static void fill_tables(struct modules *mods, const struct program *prog, struct generation *gen,
                        const struct generation *old)
{
    for (uint32_t t = 0; t < prog->n_tables; t++) {
        const struct program_table *table = &prog->table[t];
        const struct module_state *was = old ? generation_table(old, table->name) : NULL;
        if (table->rows)
            continue;
        struct module_state *state = generation_add_table(gen, table->name);
        memcpy(state->shape, table->shape, sizeof state->shape);
        state->incarnation = was && same16(was->shape, table->shape) ? was->incarnation
                                                                     : mods->next_incarnation++;
    }
}

/* Of the generation that ran only what is drained now stays, of older ones what drains already, but for
 * rules that leave nothing behind. False: nothing does. */
static bool reduce(struct swap *swap, struct generation *old, bool ran)
{
    size_t kept = 0;

    for (size_t i = 0; i < old->n_rules; i++) {
        struct module_state *state = &old->rule[i];
        enum swap_fate fate = fate_named(swap, state->name);
        bool ends = fate == SWAP_FRESH || fate == SWAP_REMOVED;
        if (fate == SWAP_DRAINED || (!ran && !ends)) {
            old->rule[kept++] = *state;
            continue;
        }
        if (ends)
            purge(swap, state->incarnation);
        mem_free(state->name);
    }
    old->n_rules = kept;
    return kept > 0;
}

static void retire(struct modules *mods, struct swap *swap, size_t at, int64_t frontier,
                   int64_t wall)
{
    struct generation *old = &mods->generation[at];
    bool ran = at == 1; /* behind the new one */

    if (reduce(swap, old, ran)) {
        old->frontier = ran ? frontier : old->frontier;
        old->since = ran ? wall : old->since;
        return;
    }
    for (size_t i = 0; i < old->n_tables; i++)
        if (!table_is_used(mods, at, old->table[i].incarnation))
            purge(swap, old->table[i].incarnation);
    modules_generation_remove(mods, at);
}

void swap_plan(const struct swap_policy *policy, struct modules *mods,
               const struct program *prog, const struct program_source_text *text,
               size_t n_texts, int64_t frontier, int64_t wall, struct swap *swap_out)
{
    bool first = mods->n == 0;

    *swap_out = (struct swap){0};
    find_fates(policy, first ? NULL : &mods->generation[0], prog, swap_out);
    if (swap_out->refused)
        return;

    struct generation *gen = modules_generation_add(mods, 0);
    const struct generation *old = first ? NULL : &mods->generation[1];
    memcpy(gen->declared_hash, prog->declared_hash, sizeof gen->declared_hash);
    for (size_t i = 0; i < n_texts; i++)
        generation_add_text(gen, text[i].name, text[i].text, text[i].len);
    fill_rules(mods, prog, swap_out, gen, old);
    fill_tables(mods, prog, gen, old);
    for (size_t i = mods->n; i-- > 1;)
        retire(mods, swap_out, i, frontier, wall);
}

void swap_fini(struct swap *swap)
{
    for (size_t i = 0; i < swap->n; i++)
        mem_free(swap->rule[i].name);
    mem_free(swap->rule);
    mem_free(swap->purge);
    *swap = (struct swap){0};
}

static size_t count_fate(const struct swap *swap, int fate)
{
    size_t n = 0;

    for (size_t i = 0; i < swap->n; i++)
        n += swap->rule[i].fate == (enum swap_fate)fate;
    return n;
}

static void add_names(const struct swap *swap, int fate, struct buf *out)
{
    enum { MOST_NAMES = 10 };
    size_t named = 0;

    for (size_t i = 0; i < swap->n && named <= MOST_NAMES; i++) {
        if (swap->rule[i].fate != (enum swap_fate)fate)
            continue;
        if (named++ == MOST_NAMES)
            buf_adds(out, " ...");
        else
            buf_printf(out, "%s%s", named == 1 ? " (" : " ", swap->rule[i].name);
    }
    buf_addc(out, ')');
}

void swap_describe(const struct swap *swap, struct buf *out)
{
    bool any = false;

    for (int fate = SWAP_UNCHANGED; fate <= SWAP_REFUSED; fate++) {
        size_t n = count_fate(swap, fate);
        if (n == 0)
            continue;
        buf_printf(out, "%s%zu %s", any ? ", " : "", n, fate_name[fate]);
        any = true;
        if (fate != SWAP_UNCHANGED)
            add_names(swap, fate, out);
    }
    if (!any)
        buf_adds(out, "no rules");
}

void swap_explain(const struct swap *swap, struct buf *out)
{
    for (int fate = SWAP_UNCHANGED; fate <= SWAP_REFUSED; fate++)
        if (fate_reason[fate] && count_fate(swap, fate) > 0)
            buf_printf(out, "\n%s", fate_reason[fate]);
}
