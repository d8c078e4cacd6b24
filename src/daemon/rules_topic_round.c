// SPDX-License-Identifier: Apache-2.0
/* rules_topic_round - what was gathered becomes rules: judged, searched, written in one batch, made, told. */
#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "base/failpoint.h"
#include "base/log.h"
#include "base/mem.h"
#include "config/config.h"
#include "daemon/api_priv.h"
#include "daemon/rules_topic_priv.h"
#include "flow/pipeline.h"
#include "io/topic_writer.h"
#include "plan/program.h"
#include "state/audit.h"
#include "state/checkpoint.h"
#include "state/module_version.h"
#include "state/store.h"

enum { LINES_MOST = 20 }; /* in the log, of a round and of a kind */

/* ---- what can be said without compiling ------------------------------------------------------------------ */

static const struct generation *running(const struct rules_topic *rt)
{
    return rt->d->rules.mods.n > 0 ? &rt->d->rules.mods.generation[0] : NULL;
}

/* The number of the next version. False: it cannot be read. */
static bool next_version(const struct rules_topic *rt, const struct module_text *text, struct rules_item *item)
{
    struct buf why;

    buf_init(&why);
    bool ok = module_version_last(checkpoint_store(rt->d->cp), item->wish.name, &item->version, &why) == STORE_OK;
    buf_fini(&why);
    if (text && text->version > item->version)
        item->version = text->version;
    item->version++;
    return ok;
}

static void judge(struct rules_round *round, struct rules_item *item)
{
    const struct generation *gen = running(round->rt);
    const struct module_text *text = gen ? generation_text(gen, item->wish.name) : NULL;

    buf_clear(&item->detail);
    buf_clear(&item->json);
    if (text && text->origin != MODULE_TOPIC) {
        buf_printf(&item->detail, "the module %s %s: a name belongs to one side", item->wish.name,
                   text->origin == MODULE_FILE ? "is in the rules directory" : "came over the HTTP interface");
        item->problem = HTTP_CONFLICT;
        item->state = RULES_WAITS;
        return;
    }
    if (text)
        api_etag(text->text, text->len, item->before);
    if (item->wish.text)
        api_etag(item->wish.text, item->wish.len, item->after);
    if (strcmp(item->before, item->after) == 0) {
        item->state = RULES_UNCHANGED;
        item->version = text ? text->version : 0;
    } else if (!next_version(round->rt, text, item)) {
        buf_adds(&item->detail, "the database cannot be read now");
        item->problem = HTTP_UNAVAILABLE;
        item->state = RULES_WAITS;
        item->undecided = true;
    }
}

/* ---- the batch ------------------------------------------------------------------------------------------- */

static void add_version(struct rules_round *round, const struct rules_item *item, struct store_batch *batch)
{
    const struct rules_wish *wish = &item->wish;
    const char *who = wish->author ? wish->author : "";
    struct module_version version = {.number = item->version,
                                     .time = round->wall,
                                     .removed = !wish->text,
                                     .who = who,
                                     .who_len = strlen(who),
                                     .text = wish->text ? wish->text : "",
                                     .len = wish->len};

    module_version_put(batch, wish->name, &version, round->rt->d->config->http.versions);
}

/* Who wrote it is what the record says: nobody has checked it. */
static void add_audit(struct rules_round *round, const struct rules_item *item, const char *result, bool tell,
                      struct store_batch *batch)
{
    const struct rules_wish *wish = &item->wish;
    struct buf who, from, line;

    buf_init(&who);
    buf_init(&from);
    buf_init(&line);
    buf_printf(&who, "%s%s", wish->author ? "unproven: " : "", wish->author ? wish->author : "");
    buf_printf(&from, "topic %s, partition %" PRId32 ", offset %" PRIu64, round->rt->topic, wish->partition,
               wish->offset);
    struct audit_entry entry = {.time = round->wall,
                                .who = who.data,
                                .from = from.data,
                                .what = wish->text ? "put module" : "delete module",
                                .name = wish->name,
                                .before = item->before,
                                .after = item->after,
                                .result = result};
    audit_add(round->rt->d->audit, batch, &entry);
    if (tell) {
        log_field(&line, "what", entry.what);
        log_field(&line, "name", wish->name);
        log_field(&line, "who", entry.who);
        log_field(&line, "from", entry.from);
        log_field(&line, "rules", result);
        log_always(LOG_INFO, LOG_rules, "a change of rules", line.data);
    }
    buf_fini(&who);
    buf_fini(&from);
    buf_fini(&line);
}

static void tell_refused(const struct rules_round *round, const struct rules_item *item)
{
    struct buf line;

    buf_init(&line);
    log_field(&line, "name", item->wish.name ? item->wish.name : "");
    buf_printf(&line, " topic=%s partition=%" PRId32 " offset=%" PRIu64, round->rt->topic, item->wish.partition,
               item->wish.offset);
    log_field(&line, "why", item->detail.len ? item->detail.data : "");
    if (item->member)
        log_field(&line, item->member, item->json.data);
    log_always(LOG_WARNING, LOG_rules,
               item->state == RULES_WAITS ? "a record is refused; it is tried again when other rules change"
                                          : "a record is refused",
               line.data);
    buf_fini(&line);
}

static void add_changes(struct rules_round *round, struct store_batch *batch)
{
    struct buf result;
    size_t told = 0, refused = 0;

    buf_init(&result);
    if (round->made)
        swap_describe(&round->outcome.swap, &result);
    for (size_t i = 0; i < round->n; i++) {
        const struct rules_item *item = &round->item[i];
        if (item->state == RULES_APPLIED) {
            add_version(round, item, batch);
            add_audit(round, item, result.data, told++ < LINES_MOST, batch);
        } else if ((item->state == RULES_REFUSED || (item->state == RULES_WAITS && !item->wish.answered)) &&
                   !item->undecided && refused++ < LINES_MOST) {
            tell_refused(round, item);
        }
    }
    buf_fini(&result);
}

static void add_wishes(struct rules_round *round, struct store_batch *batch)
{
    const char *topic = round->rt->topic;

    for (size_t i = 0; i < round->n; i++)
        if (round->item[i].waited && round->item[i].state != RULES_WAITS)
            rules_saved_remove_wish(batch, topic, round->item[i].wish.name);
    for (size_t i = 0; i < round->n; i++) {
        struct rules_item *item = &round->item[i];
        if (item->state != RULES_WAITS)
            continue;
        bool new = !item->waited || (!item->wish.answered && !item->undecided);
        item->wish.answered |= !item->undecided;
        if (new)
            rules_saved_put_wish(batch, topic, &item->wish);
    }
}

static void add_positions(struct rules_topic *rt, struct store_batch *batch)
{
    for (size_t i = 0; i < rt->n_positions; i++) {
        if (rt->moved[i])
            rules_saved_put_position(batch, rt->topic, &rt->position[i]);
        rt->moved[i] = false;
    }
}

/* ---- when it is durable ---------------------------------------------------------------------------------- */

struct made {
    struct rules_topic *rt;
    struct rules_answer *answer; /* owned */
    size_t n;
};

/* Main, or the checkpoint thread. */
static void end_made(struct made *made, bool durable)
{
    if (durable)
        failpoint_hit(FAILPOINT_topic_durable);
    for (size_t i = 0; i < made->n; i++) {
        const struct rules_answer *a = &made->answer[i];
        if (durable)
            topic_writer_put(made->rt->writer, a->number, a->key, a->key_len, a->text, a->len);
        rules_answer_fini(&made->answer[i]);
    }
    atomic_fetch_sub(&made->rt->under_way, 1);
    mem_free(made->answer);
    mem_free(made);
}

static void is_durable(void *ctx, struct epoch *ep)
{
    (void)ep;
    end_made(ctx, true);
}

static void is_dropped(void *ctx)
{
    end_made(ctx, false);
}

/* ---- making it ------------------------------------------------------------------------------------------- */

/* Without a pipeline, or where none has to be begun anew. Takes batch and made. */
static void submit(struct rules_topic *rt, struct store_batch *batch, struct made *made)
{
    struct epoch *ep = epoch_new();

    store_batch_append(ep->batch, batch);
    store_batch_free(&batch);
    ep->done = is_durable;
    ep->dropped = is_dropped;
    ep->ctx = made;
    checkpoint_submit(rt->d->cp, ep);
}

/* Older versions go, by themselves. */
static void keep_history(struct rules_round *round)
{
    struct daemon *d = round->rt->d;
    struct epoch *ep = epoch_new();

    for (size_t i = 0; i < round->n; i++) {
        const struct rules_item *item = &round->item[i];
        struct module_mark mark = {.name = item->wish.name, .number = item->version, .time = round->wall,
                                   .len = item->wish.len, .removed = !item->wish.text};
        if (item->state == RULES_APPLIED)
            module_history_add(d->history, &mark, d->config->http.versions, ep->batch);
    }
    module_history_prune(d->history, d->config->http.versions_bytes, ep->batch);
    if (store_batch_bytes(ep->batch) > 0)
        checkpoint_submit(d->cp, ep);
    else
        epoch_free(&ep);
}

/* Takes batch and made, and what the round has made. */
static bool go_over(struct rules_round *round, struct store_batch *batch, struct made *made, struct buf *why)
{
    struct rules_topic *rt = round->rt;
    struct daemon *d = rt->d;
    enum ruleset_result result = round->made ? round->result : RULESET_SAME;

    if (result == RULESET_OK && d->pipeline) {
        round->made = false;
        ruleset_outcome_fini(&round->outcome);
        bool ok = boot_swap_for_api(d, &round->next, batch, why);
        end_made(made, ok);
        return ok;
    }
    if (result == RULESET_OK) {
        ruleset_save(&round->next, batch);
        ruleset_fini(&d->rules);
        d->rules = round->next;
        round->next = (struct ruleset){0};
    } else if (result == RULESET_TEXTS) {
        ruleset_take_texts(&d->rules, &round->next);
        ruleset_save(&d->rules, batch);
    }
    submit(rt, batch, made);
    return true;
}

static void count(struct rules_round *round)
{
    struct rules_topic *rt = round->rt;
    struct rules_topic_stats *stats = &rt->stats;

    pthread_mutex_lock(&rt->lock);
    stats->waiting = 0;
    for (size_t i = 0; i < round->n; i++) {
        const struct rules_item *item = &round->item[i];
        stats->waiting += item->state == RULES_WAITS;
        stats->applied += item->state == RULES_APPLIED;
        stats->unchanged += item->state == RULES_UNCHANGED;
        stats->superseded += item->state == RULES_SUPERSEDED;
        stats->refused += item->state == RULES_REFUSED || (item->state == RULES_WAITS && !item->waited);
    }
    stats->answers_dropped += rt->writer ? round->dropped : 0;
    pthread_mutex_unlock(&rt->lock);
}

/* A swap that is not made has no effect on rules: what waits need not be tried again for it. */
static void note_tried(struct rules_round *round)
{
    struct rules_topic *rt = round->rt;
    bool again = false;

    for (size_t i = 0; i < round->n; i++)
        again |= round->item[i].undecided;
    if (rt->tried)
        program_unref(&rt->tried);
    rt->tried = again || !rt->d->rules.told ? NULL : program_ref(rt->d->rules.told);
}

bool rules_round_make(struct rules_round *round, struct buf *why)
{
    struct rules_topic *rt = round->rt;
    struct store_batch *batch = store_batch_new();
    struct made *made = mem_calloc(1, sizeof *made);

    round->wall = clock_wall();
    round->frontier = rt->d->pipeline ? pipeline_frontier(rt->d->pipeline) : INT64_MIN;
    for (size_t i = 0; i < round->n; i++)
        if (round->item[i].state == RULES_OPEN)
            judge(round, &round->item[i]);
    rules_round_search(round);
    add_changes(round, batch);
    *made = (struct made){.rt = rt};
    made->answer = rules_round_answer(round, batch, &made->n);
    add_wishes(round, batch);
    add_positions(rt, batch);
    count(round);
    atomic_fetch_add(&rt->under_way, 1);
    failpoint_hit(FAILPOINT_topic_decided);
    if (!go_over(round, batch, made, why))
        return false;
    keep_history(round);
    note_tried(round);
    return true;
}
