// SPDX-License-Identifier: Apache-2.0
/* run - see run.h: the memory of runs and binds, the lists that runs stand in. */
#include "engine/run.h"

#include <string.h>

#include "base/mem.h"
#include "engine/engine_priv.h"
#include "engine/link_table.h"
#include "event/event.h"

enum { BINDS_A_CHUNK = 1024 };

struct bind_chunk {
    struct bind_chunk *next;
    struct run_bind bind[BINDS_A_CHUNK];
};

struct bind_pool { /* malloc costs 250-570 ns under churn, this 25 */
    struct bind_chunk *chunks;
    struct run_bind *free; /* linked by base.prev */
};

struct bind_pool *bind_pool_new(void)
{
    return mem_calloc(1, sizeof(struct bind_pool));
}

void bind_pool_free(struct bind_pool **pool)
{
    if (*pool == NULL)
        return;
    for (struct bind_chunk *chunk = (*pool)->chunks, *next; chunk != NULL; chunk = next) {
        next = chunk->next;
        mem_free(chunk);
    }
    mem_free(*pool);
    *pool = NULL;
}

static struct run_bind *pool_take(struct bind_pool *pool)
{
    if (pool->free == NULL) {
        struct bind_chunk *chunk = mem_alloc(sizeof *chunk);
        chunk->next = pool->chunks;
        pool->chunks = chunk;
        for (int i = 0; i < BINDS_A_CHUNK; i++) {
            chunk->bind[i].base.prev = (const struct bind *)pool->free;
            pool->free = &chunk->bind[i];
        }
    }
    struct run_bind *bind = pool->free;
    pool->free = (struct run_bind *)(uintptr_t)bind->base.prev;
    return bind;
}

static void pool_give(struct bind_pool *pool, struct run_bind *bind)
{
    bind->base.prev = (const struct bind *)pool->free;
    pool->free = bind;
}

static size_t run_size(const struct nfa *nfa)
{
    return sizeof(struct run) + nfa->n_steps * sizeof(struct bound) +
           nfa->n_links * sizeof(struct link_node);
}

struct run *run_new(struct engine *en, struct partition *part)
{
    (void)en;
    struct rule_state *rs = part->rs;
    const struct nfa *nfa = rs->rule->nfa;
    size_t size = run_size(nfa);
    struct run *run = rs->free_runs;
    if (run != NULL)
        rs->free_runs = run->next;
    else
        run = mem_alloc(size);
    memset(run, 0, size);
    run->part = part;
    run->node = (struct link_node *)(void *)&run->bound[nfa->n_steps];
    run->bytes = (uint32_t)size;
    rs->stats.bytes += size;
    return run;
}

/* An event's bytes are charged to each run that binds it: an upper bound, and it needs no owner.
 * Without its fits, which a restored event has not: a limit is reached at the same event then. */
size_t run_event_bytes(const struct event *ev)
{
    return event_bytes(ev) - ev->n_fits * sizeof *ev->fits;
}

struct run_bind *run_bind(struct engine *en, struct run *run, uint16_t step, struct event *ev,
                          uint16_t stream, uint64_t seq, uint64_t fits)
{
    struct run_bind *bind = pool_take(en->binds);
    *bind = (struct run_bind){.base = {.prev = run->bound[step].last, .ev = event_ref(ev),
                                       .stream = stream},
                              .seq = seq, .fits = fits};
    run->bound[step].last = &bind->base;
    run->bound[step].count++;
    run->total++;
    run->last = bind;
    run->last_seq = seq;
    uint32_t bytes = (uint32_t)(sizeof *bind + run_event_bytes(ev));
    run->bytes += bytes;
    run->part->rs->stats.bytes += bytes;
    return bind;
}

void run_unbind(struct engine *en, struct run *run, uint16_t step)
{
    struct run_bind *bind = (struct run_bind *)(uintptr_t)run->bound[step].last;
    run->bound[step].last = bind->base.prev;
    run->bound[step].count--;
    run->total--;
    uint32_t bytes = (uint32_t)(sizeof *bind + run_event_bytes(bind->base.ev));
    run->bytes -= bytes;
    run->part->rs->stats.bytes -= bytes;
    event_unref(bind->base.ev);
    pool_give(en->binds, bind);
}

void run_stand(struct run *run, struct run_list *list)
{
    const struct nfa *nfa = run->part->rs->rule->nfa;
    run->list = list;
    run->prev = list->last;
    run->next = NULL;
    if (list->last != NULL)
        list->last->next = run;
    else
        list->first = run;
    list->last = run;
    bool had_links = list->links != NULL;
    list->n++;
    run->part->n_runs++;
    run->part->rs->stats.runs++;
    if (nfa->n_links > 0 && (had_links || list->n >= LINK_TABLE_FROM))
        link_table_add(list, nfa, run);
}

void run_leave(struct run *run)
{
    struct run_list *list = run->list;
    if (list == NULL)
        return;
    link_table_remove(list, run->part->rs->rule->nfa, run);
    if (run->prev != NULL)
        run->prev->next = run->next;
    else
        list->first = run->next;
    if (run->next != NULL)
        run->next->prev = run->prev;
    else
        list->last = run->prev;
    list->n--;
    run->list = NULL;
    run->part->n_runs--;
    run->part->rs->stats.runs--;
}

void run_detach(struct engine *en, struct run *run)
{
    deadline_clear(&en->heap, &run->life);
    deadline_clear(&en->heap, &run->wait);
    run_leave(run);
}

void run_free(struct engine *en, struct run *run)
{
    struct rule_state *rs = run->part->rs;
    const struct nfa *nfa = rs->rule->nfa;
    for (uint16_t s = 0; s < nfa->n_steps; s++) {
        while (run->bound[s].last != NULL)
            run_unbind(en, run, s);
    }
    rs->stats.bytes -= run->bytes;
    run->next = rs->free_runs;
    rs->free_runs = run;
}

void run_end(struct engine *en, struct run *run)
{
    run_detach(en, run);
    run_free(en, run);
}

void run_memory_fini(struct rule_state *rs)
{
    for (struct run *run = rs->free_runs, *next; run != NULL; run = next) {
        next = run->next;
        mem_free(run);
    }
    rs->free_runs = NULL;
}

int64_t run_last_time(const struct run *run)
{
    return run->last->base.ev->time;
}

void run_list_drop(struct engine *en, struct run_list *list)
{
    while (list->first != NULL)
        run_end(en, list->first);
}
