// SPDX-License-Identifier: Apache-2.0
#include "flow/rule_watch.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>

#include "base/buf.h"
#include "base/log.h"
#include "base/mem.h"
#include "plan/program.h"

struct rule_watch {
    const struct program *prog;
    bool looked;
    pthread_mutex_t lock;
    struct engine_rule_stats *seen; /* [rules] written by the engine's thread alone, with the lock */
    struct rule_watch_table *table; /* [tables] likewise */
};

struct rule_watch *rule_watch_new(const struct program *prog)
{
    struct rule_watch *rw = mem_calloc(1, sizeof *rw);

    rw->prog = prog;
    pthread_mutex_init(&rw->lock, NULL);
    rw->seen = mem_calloc(prog->n_rules + 1, sizeof *rw->seen);
    rw->table = mem_calloc(prog->n_tables + 1, sizeof *rw->table);
    return rw;
}

void rule_watch_free(struct rule_watch **rw)
{
    if (!*rw)
        return;
    pthread_mutex_destroy(&(*rw)->lock);
    mem_free((*rw)->seen);
    mem_free((*rw)->table);
    mem_free(*rw);
    *rw = NULL;
}

static uint64_t cut_by(const struct engine_rule_stats *st)
{
    return st->limited_runs + st->limited_events + st->limited_state + st->limited_values +
           st->limited_matches + st->limited_keys + st->limited_alerts;
}

static void tell(const char *rule, const struct engine_rule_stats *st)
{
    struct buf b;

    buf_init(&b);
    log_field(&b, "rule", rule);
    buf_printf(&b,
               " runs=%" PRIu64 " events=%" PRIu64 " state=%" PRIu64 " values=%" PRIu64
               " matches=%" PRIu64 " keys=%" PRIu64 " alerts=%" PRIu64,
               st->limited_runs, st->limited_events, st->limited_state, st->limited_values,
               st->limited_matches, st->limited_keys, st->limited_alerts);
    log_line(LOG_WARNING, LOG_engine, "a limit of a rule cuts", "%s", b.data);
    buf_fini(&b);
}

void rule_watch_look(struct rule_watch *rw, const struct engine *en)
{
    for (uint32_t r = 0; r < rw->prog->n_rules; r++) {
        struct engine_rule_stats now;
        engine_stats(en, r, &now);
        if (rw->looked && cut_by(&now) > cut_by(&rw->seen[r]))
            tell(rw->prog->rule[r].name, &now);
        pthread_mutex_lock(&rw->lock);
        rw->seen[r] = now;
        pthread_mutex_unlock(&rw->lock);
    }
    rw->looked = true;
    pthread_mutex_lock(&rw->lock);
    for (uint32_t t = 0; t < rw->prog->n_tables; t++)
        if (!rw->prog->table[t].rows)
            engine_table_stats(en, t, &rw->table[t].rows, &rw->table[t].bytes, &rw->table[t].refused);
    pthread_mutex_unlock(&rw->lock);
}

void rule_watch_each_table(struct rule_watch *rw, rule_watch_table_fn *found, void *ctx)
{
    for (uint32_t t = 0; t < rw->prog->n_tables; t++) {
        if (rw->prog->table[t].rows)
            continue;
        pthread_mutex_lock(&rw->lock);
        struct rule_watch_table stats = rw->table[t];
        pthread_mutex_unlock(&rw->lock);
        found(ctx, rw->prog->table[t].name, &stats);
    }
}

void rule_watch_each(struct rule_watch *rw, rule_watch_fn *found, void *ctx)
{
    for (uint32_t r = 0; r < rw->prog->n_rules; r++) {
        pthread_mutex_lock(&rw->lock);
        struct engine_rule_stats stats = rw->seen[r];
        pthread_mutex_unlock(&rw->lock);
        found(ctx, rw->prog->rule[r].name, &stats);
    }
}
