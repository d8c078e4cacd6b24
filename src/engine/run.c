// SPDX-License-Identifier: Apache-2.0
/* run - see run.h: the memory of runs and binds, the lists that runs stand in. */
#include "engine/run.h"

#include <string.h>

#include "base/mem.h"
#include "base/pool.h"
#include "engine/engine_priv.h"
#include "engine/link_table.h"
#include "event/event.h"

enum { BINDS_A_CHUNK = 1024 };

#define RUN_OF_LIFE(dl) ((const struct run *)(const void *)(dl))
_Static_assert(offsetof(struct run, life) == 0, "RUN_OF_LIFE");

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

static struct run_bind *bind_take(struct bind_pool *pool)
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

static void bind_give(struct bind_pool *pool, struct run_bind *bind)
{
    bind->base.prev = (const struct bind *)pool->free;
    pool->free = bind;
}

static bool needs_wait(const struct rule_state *rs)
{
    return rs->n_waits > 0 || rs->rule->nfa->n_trail_nots > 0;
}

static size_t wait_at(const struct nfa *nfa)
{
    return sizeof(struct run) + nfa->n_steps * sizeof(struct bound) +
           nfa->n_links * sizeof(struct link_node);
}

static size_t run_size(const struct rule_state *rs)
{
    return wait_at(rs->rule->nfa) + (needs_wait(rs) ? sizeof(struct run_wait) : 0);
}

size_t run_bytes(const struct rule_state *rs)
{
    return run_size(rs) - sizeof(struct run_bind); /* charged with what it binds */
}

struct run *run_new(struct engine *en, struct partition *part)
{
    struct rule_state *rs = part->rs;
    const struct nfa *nfa = rs->rule->nfa;
    struct run *run = rs->free_runs;
    if (run != NULL) {
        rs->free_runs = run->next;
        for (size_t at = 0; run->next != NULL && at < sizeof *run; at += POOL_LINE)
            __builtin_prefetch((const char *)run->next + at, 1);
    } else {
        run = pool_alloc(en->pool, run_size(rs));
    }
    memset(run, 0, sizeof *run + nfa->n_steps * sizeof run->bound[0]);
    run->part = part;
    run->n_steps = (uint8_t)nfa->n_steps;
    if (needs_wait(rs)) {
        run->wait = (struct run_wait *)(void *)((char *)run + wait_at(nfa));
        *run->wait = (struct run_wait){.run = run};
    }
    run->bytes = (uint32_t)run_bytes(rs);
    rs->stats.bytes += run->bytes;
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
    struct run_bind *bind = run->first.base.ev == NULL ? &run->first : bind_take(en->binds);
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
    if (bind == &run->first)
        bind->base.ev = NULL;
    else
        bind_give(en->binds, bind);
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
    if (run->wait != NULL)
        deadline_clear(&en->heap, &run->wait->due);
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
    /* Kept as a run: who walks what he has found asks first whether it is still in its list. */
    run->next = rs->free_runs;
    rs->free_runs = run;
}

void run_end(struct engine *en, struct run *run)
{
    run_detach(en, run);
    run_free(en, run);
}

/* Deadlines of a queue are decided in its order, so what the next ones need is known: the run three
 * ahead, of the one two ahead (here by now) its partition and event, of the next the place in the
 * table. Nothing waits for a miss. */
void run_look_ahead(const struct run *run)
{
    const struct deadline *head = run->life.queue != NULL ? &run->life.queue->head : NULL;
    const struct deadline *next = run->life.next;
    if (head == NULL || next == NULL || next == head)
        return;
    const struct run *one = RUN_OF_LIFE(next);
    partition_prefetch(&one->part->rs->parts, one->part->hash);
    if ((next = next->next) == head)
        return;
    const struct run *two = RUN_OF_LIFE(next);
    __builtin_prefetch(two->part, 1);
    __builtin_prefetch(two->list, 1);
    __builtin_prefetch(two->first.base.ev, 1);
    if ((next = next->next) == head)
        return;
    const char *three = (const char *)RUN_OF_LIFE(next);
    for (size_t at = 0; at < sizeof *run; at += POOL_LINE)
        __builtin_prefetch(three + at, 1);
}

void run_memory_fini(struct rule_state *rs)
{
    for (struct run *run = rs->free_runs, *next; run != NULL; run = next) {
        next = run->next;
        pool_give(rs->pool, run, run_size(rs));
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
