// SPDX-License-Identifier: Apache-2.0
/* stage_figures - what the order stage counts, for other threads: published now and then by its own. */
#include "base/clock.h"
#include "base/queue.h"
#include "flow/order.h"
#include "flow/stage_priv.h"

/* ns; without more input who has just posted an event need not wait to see it counted */
#define PUBLISH_EVERY INT64_C(250000000)
#define PUBLISH_IDLE INT64_C(50000000)

/* Into what is known of its source. */
static void add_partition(struct stage_stats *stats, const struct live_partition *lp,
                          const struct order_figures *figures)
{
    stats->waiting += figures->waiting;
    if (figures->newest > stats->newest)
        stats->newest = figures->newest;
    if (lp->ended)
        return;
    stats->partitions++;
    stats->idle += !figures->active;
    stats->stalled += lp->stalled;
    stats->paused += lp->paused;
    if (figures->active && figures->watermark < stats->watermark)
        stats->watermark = figures->watermark;
}

static void publish(struct stage *st)
{
    struct stage_order_stats order = {.waits = st->blocked, .queued_bytes = queue_weight(st->opt.in)};

    for (size_t i = 0; i < st->opt.n_sources; i++) {
        struct stage_stats *stats = &st->input[i].stats;
        stats->partitions = stats->idle = stats->stalled = stats->paused = stats->waiting = 0;
        stats->watermark = INT64_MAX;
        stats->stalled = st->input[i].stalled;
        stats->loading = st->input[i].is.rows && !st->input[i].ready;
        stats->frontier = order_frontier(st->group[st->input[i].is.group].order);
    }
    for (size_t i = 0; i < st->n_lp; i++) {
        const struct live_partition *lp = st->lp[i];
        struct stage_input *input = &st->input[lp->source_number];
        if (!lp->forgotten) {
            struct order_figures figures = order_figures(st->group[input->is.group].order, lp->number);
            add_partition(&input->stats, lp, &figures);
            input->stats.loading |= input->is.rows && figures.loading;
        }
    }
    for (size_t i = 0; i < st->opt.n_sources; i++)
        if (st->input[i].stats.stalled == 0)
            st->input[i].stats.stalled_why[0] = '\0';
    for (uint32_t g = 0; g < st->opt.n_groups; g++) {
        order.memory += order_bytes(st->group[g].order);
        order.spilled += order_spilled_bytes(st->group[g].order);
    }
    pthread_mutex_lock(&st->lock);
    for (size_t i = 0; i < st->opt.n_sources; i++)
        st->published[i] = st->input[i].stats;
    st->published_order = order;
    pthread_mutex_unlock(&st->lock);
}

int64_t stage_publish_due(const struct stage *st)
{
    if (!st->unpublished)
        return INT64_MAX;
    return st->last_publish + (queue_weight(st->opt.in) == 0 ? PUBLISH_IDLE : PUBLISH_EVERY);
}

void stage_publish(struct stage *st, bool now)
{
    int64_t at = clock_monotonic();

    if (!now && at - st->last_publish < PUBLISH_EVERY && at < stage_publish_due(st))
        return;
    st->last_publish = at;
    st->unpublished = false;
    publish(st);
}

void stage_stats(struct stage *st, uint32_t source, struct stage_stats *stats_out)
{
    pthread_mutex_lock(&st->lock);
    *stats_out = st->published[source];
    pthread_mutex_unlock(&st->lock);
}

void stage_order_stats(struct stage *st, struct stage_order_stats *stats_out)
{
    pthread_mutex_lock(&st->lock);
    *stats_out = st->published_order;
    pthread_mutex_unlock(&st->lock);
}
