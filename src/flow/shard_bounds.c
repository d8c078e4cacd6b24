// SPDX-License-Identifier: Apache-2.0
/* shard_bounds - what the engine thread looks at now and then: memory, what rules count. */
#include "base/clock.h"
#include "base/failpoint.h"
#include "engine/engine.h"
#include "flow/shard_priv.h"

/* Of what changed, in memory, at most so many times checkpoint_bytes, or memory_limit: then sources wait. At
 * half of that a barrier is asked for. */
enum { CROWD = 6 };
#define LEAST_CROWD (UINT64_C(16) << 20)
#define EVICT_BYTES (UINT64_C(1) << 20) /* of state let go between two batches */

/* What readers' threads found out of the rules. */
static void shard_count(struct shard *sh)
{
    for (size_t i = 0; i < sh->n_fed; i++)
        if (!sh->fed[i].is.draining)
            sh->opt.count(sh->opt.ctx, sh->fed[i].is.group, sh->fed[i].is.en);
}

void shard_look(struct shard *sh, bool now)
{
    if (!now && clock_monotonic() - sh->last_look < SHARD_LOOK_EVERY)
        return;
    sh->last_look = clock_monotonic();
    sh->looks -= sh->looks > 0;
    shard_count(sh);
    for (size_t i = 0; i < sh->n_fed; i++) {
        rule_watch_look(sh->fed[i].watch, sh->fed[i].is.en);
        if (sh->fed[i].is.draining)
            atomic_store(&sh->fed[i].drained, engine_drained(sh->fed[i].is.en));
    }
}

/* What is counted once the last barrier closes is in no record: it would be told, and then be gone. */
void shard_count_last(struct shard *sh)
{
    shard_count(sh);
    for (size_t i = 0; i < sh->n_fed; i++)
        engine_time(sh->fed[i].is.en, NULL);
}

/* Bit by bit: what is let go at once is a pause. */
static void let_go(struct shard *sh, uint64_t memory)
{
    for (size_t i = 0; i < sh->n_fed; i++) {
        struct engine *en = sh->fed[i].is.en;
        uint64_t has = engine_memory(en);
        double share = (double)has / (double)memory;
        uint64_t target = (uint64_t)(share * 0.9 * (double)sh->opt.memory_limit);
        uint64_t least = has > EVICT_BYTES ? has - EVICT_BYTES : 0;
        engine_evict(en, target > least ? target : least);
    }
}

static uint64_t crowd_of(const struct shard *sh)
{
    uint64_t most = CROWD * sh->opt.checkpoint_bytes;
    uint64_t limit = sh->opt.memory_limit > LEAST_CROWD ? sh->opt.memory_limit : LEAST_CROWD;

    return most < limit ? most : limit;
}

void shard_check_bounds(struct shard *sh)
{
    uint64_t memory = 0, changed = 0, loads = 0, held = 0, most = crowd_of(sh);

    sh->last_bounds = clock_monotonic();
    for (size_t i = 0; i < sh->n_fed; i++) {
        memory += engine_memory(sh->fed[i].is.en);
        changed += engine_changed_bytes(sh->fed[i].is.en);
        held += engine_changed_memory(sh->fed[i].is.en);
        loads += engine_loads(sh->fed[i].is.en);
    }
    atomic_store_explicit(&sh->loads, loads, memory_order_relaxed);
    atomic_store_explicit(&sh->memory, memory, memory_order_relaxed);
    atomic_store_explicit(&sh->changed, changed, memory_order_relaxed);
    if ((changed >= sh->opt.checkpoint_bytes || held >= most / 2) && !sh->closing)
        sh->opt.ask(sh->opt.ctx, sh->last_bounds);
    /* alerts of the open epoch are memory, too, when the database is slower than they are found */
    if (sh->crowded != (held + sh->alert_bytes >= most)) {
        sh->crowded = !sh->crowded;
        sh->opt.crowd(sh->opt.ctx, sh->crowded);
    }
    if (memory > sh->opt.memory_limit)
        let_go(sh, memory);
}

void shard_let_all_go(struct shard *sh)
{
    for (size_t i = 0; i < sh->n_fed && failpoint_hit(FAILPOINT_small_memory); i++)
        engine_evict(sh->fed[i].is.en, 0);
}
