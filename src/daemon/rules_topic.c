// SPDX-License-Identifier: Apache-2.0
#include "daemon/rules_topic.h"

#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "base/failpoint.h"
#include "base/log.h"
#include "base/mem.h"
#include "config/config.h"
#include "daemon/api_priv.h"
#include "daemon/rules_topic_priv.h"
#include "io/topic_reader.h"
#include "io/topic_writer.h"
#include "plan/program.h"
#include "state/checkpoint.h"
#include "state/store.h"

#define UNREAD_MOST ((size_t)8 << 20) /* bytes of records that main did not take */

/* ---- beginning and end ----------------------------------------------------------------------------------- */

static bool begin_clients(struct rules_topic *rt, const struct rules_saved *saved, struct buf *why)
{
    const struct config_rules_topic *config = &rt->d->config->rules_topic;
    struct topic_reader_options in = {.name = "rules_topic",
                                      .settings = config_kafka_settings(&config->kafka),
                                      .topic = rt->topic,
                                      .saved = saved->position,
                                      .n_saved = saved->n_positions,
                                      .go_on = config->go_on,
                                      .max_value = config->max_module,
                                      .max_waiting = UNREAD_MOST};
    struct topic_writer_options out = {.name = "rules_topic", .settings = in.settings, .topic = config->results,
                                       .max_count = RULES_ANSWERS_MOST, .max_bytes = RULES_BYTES_MOST};

    if (config->results && !(rt->writer = topic_writer_new(&out, why)))
        return false;
    rt->reader = topic_reader_new(&in, why);
    return rt->reader != NULL;
}

/* Of a topic that is not read any more nothing is taken back: its modules run on. */
static void take_saved(struct rules_topic *rt, struct rules_saved *saved)
{
    struct buf b;

    rt->first = saved->n_positions == 0;
    for (size_t i = 0; i < saved->n_positions; i++)
        if ((size_t)saved->position[i].partition >= rt->n_positions)
            rt->n_positions = (size_t)saved->position[i].partition + 1;
    rt->position = mem_calloc(rt->n_positions + 1, sizeof *rt->position);
    rt->moved = mem_calloc(rt->n_positions + 1, sizeof *rt->moved);
    for (size_t i = 0; i < rt->n_positions; i++)
        rt->position[i].partition = (int32_t)i;
    for (size_t i = 0; i < saved->n_positions; i++)
        rt->position[saved->position[i].partition] = saved->position[i];
    rt->wish = saved->wish;
    rt->n_wishes = rt->stats.waiting = saved->n_wishes;
    saved->wish = NULL;
    saved->n_wishes = 0;
    rt->next_answer = saved->n_answers > 0 ? saved->answer[saved->n_answers - 1].number + 1 : 1;
    rt->forgotten = saved->n_answers > 0 ? saved->answer[0].number - 1 : 0;
    if (!saved->others)
        return;
    buf_init(&b);
    log_field(&b, "topic", rt->topic);
    log_line(LOG_WARNING, LOG_rules, "rules came from another topic before: its modules stay until a record of this one "
                                     "changes them", "%s", b.data);
    buf_fini(&b);
}

struct rules_topic *rules_topic_start(struct daemon *d, struct buf *why)
{
    const struct config_rules_topic *config = &d->config->rules_topic;
    struct rules_topic *rt = mem_calloc(1, sizeof *rt);
    struct rules_saved saved;

    rt->d = d;
    rt->topic = mem_strndup(config->kafka.topic, strlen(config->kafka.topic));
    pthread_mutex_init(&rt->lock, NULL);
    if (rules_saved_read(checkpoint_store(d->cp), rt->topic, &saved, why)) {
        bool ok = begin_clients(rt, &saved, why);
        take_saved(rt, &saved);
        for (size_t i = 0; ok && rt->writer && i < saved.n_answers; i++)
            topic_writer_put(rt->writer, saved.answer[i].number, saved.answer[i].key, saved.answer[i].key_len,
                             saved.answer[i].text, saved.answer[i].len);
        rules_saved_fini(&saved);
        if (ok)
            return rt;
    }
    rules_topic_end(rt, 0);
    rules_topic_free(&rt);
    return NULL;
}

/* Out of the database. */
static void forget_answers(struct rules_topic *rt)
{
    uint64_t settled = rt->writer ? topic_writer_settled(rt->writer) : 0;
    struct epoch *ep;

    if (settled <= rt->forgotten)
        return;
    failpoint_hit(FAILPOINT_topic_answered);
    ep = epoch_new();
    while (rt->forgotten < settled)
        rules_saved_remove_answer(ep->batch, ++rt->forgotten);
    checkpoint_submit(rt->d->cp, ep);
}

void rules_topic_end(struct rules_topic *rt, int64_t within)
{
    if (!rt)
        return;
    topic_reader_free(&rt->reader);
    if (rt->writer && within > 0) { /* what becomes durable meanwhile is sent */
        int64_t until = clock_monotonic() + within;
        struct topic_writer_stats stats;
        bool under_way;
        struct buf why;
        buf_init(&why);
        do {
            checkpoint_settle(rt->d->cp, 100000000);
            under_way = atomic_load(&rt->under_way) > 0; /* first: what is not is with the writer */
            topic_writer_stats(rt->writer, &stats, &why);
        } while ((stats.waiting > 0 || under_way) && !stats.failing && clock_monotonic() < until);
        buf_fini(&why);
        forget_answers(rt);
    }
}

void rules_topic_free(struct rules_topic **rtp)
{
    struct rules_topic *rt = *rtp;

    *rtp = NULL;
    if (!rt)
        return;
    rules_round_free(&rt->gathers);
    topic_writer_free(&rt->writer, 0);
    for (size_t i = 0; i < rt->n_wishes; i++)
        rules_wish_fini(&rt->wish[i]);
    if (rt->tried)
        program_unref(&rt->tried);
    pthread_mutex_destroy(&rt->lock);
    mem_free(rt->wish);
    mem_free(rt->position);
    mem_free(rt->moved);
    mem_free(rt->topic);
    mem_free(rt);
}

bool rules_topic_is_first(const struct rules_topic *rt)
{
    return rt->first;
}

/* ---- what comes ------------------------------------------------------------------------------------------ */

/* Does something wait that was not tried with what runs now? */
static bool is_to_be_tried(const struct rules_topic *rt)
{
    return rt->n_wishes > 0 && rt->tried != rt->d->rules.told;
}

bool rules_topic_begin(struct rules_topic *rt, bool *failed_out, struct buf *why)
{
    struct buf said;

    *failed_out = false;
    if (!rt->gathers)
        rt->gathers = rules_round_new(rt);
    rules_round_gather(rt->gathers, SIZE_MAX);
    buf_init(&said);
    bool all = topic_reader_state(rt->reader, &said) == TOPIC_CAUGHT_UP;
    buf_fini(&said);
    if (!all)
        return false;
    *failed_out = !rules_round_make(rt->gathers, why);
    rules_round_free(&rt->gathers);
    rt->first = false;
    return !*failed_out;
}

bool rules_topic_look(struct rules_topic *rt, struct buf *why)
{
    struct buf said;
    bool ok = true;

    if (!rt || atomic_load(&rt->under_way) > 0)
        return true;
    buf_init(&said);
    bool failing = checkpoint_failed(rt->d->cp, &said);
    buf_fini(&said);
    if (failing)
        return true;
    forget_answers(rt);
    bool tries = is_to_be_tried(rt);
    if (!tries && !topic_reader_has(rt->reader))
        return true;
    struct rules_round *round = rules_round_new(rt);
    rules_round_gather(round, RULES_ROUND_MOST);
    if (round->records > 0 || tries)
        ok = rules_round_make(round, why);
    rules_round_free(&round);
    return ok;
}

void rules_topic_add_waiting(const struct rules_topic *rt, struct buf *out)
{
    buf_addc(out, '[');
    for (size_t i = 0; i < rt->n_wishes; i++) {
        const struct rules_wish *wish = &rt->wish[i];
        buf_adds(out, i > 0 ? ",{" : "{");
        api_add_text(out, "name", wish->name);
        buf_addc(out, ',');
        api_add_text(out, "topic", rt->topic);
        buf_printf(out, ",\"partition\":%" PRId32 ",\"offset\":%" PRIu64 ",\"deleted\":%s}", wish->partition,
                   wish->offset, wish->text ? "false" : "true");
    }
    buf_addc(out, ']');
}

/* ---- figures --------------------------------------------------------------------------------------------- */

void rules_topic_stats(struct rules_topic *rt, struct rules_topic_stats *stats_out, struct buf *why)
{
    struct topic_writer_stats writer = {0};

    pthread_mutex_lock(&rt->lock);
    *stats_out = rt->stats;
    pthread_mutex_unlock(&rt->lock);
    enum topic_state state = topic_reader_state(rt->reader, why);
    stats_out->behind = topic_reader_behind(rt->reader);
    stats_out->failing = state == TOPIC_CONNECTS || state == TOPIC_LOST;
    if (rt->writer)
        topic_writer_stats(rt->writer, &writer, why);
    stats_out->answered = writer.written;
    stats_out->answers_waiting = writer.waiting;
    stats_out->answers_dropped += writer.dropped;
    stats_out->answers_failing = writer.failing;
}
