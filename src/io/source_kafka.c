// SPDX-License-Identifier: Apache-2.0
/* source_kafka - what the reader pulls: what became of partitions, then records of those that have some, in
 * turn, SLICE bytes each. */
#include "io/source_kafka.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/cond.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/regex.h"
#include "io/source_kafka_priv.h"

#define MS INT64_C(1000000)
#define WAIT_SLICE (20 * MS)       /* of source_wait: wakes and pauses are looked for this often */
enum { SLICE = 64 * 1024, LOOK_AFTER = 1024 /* lines */ };

/* ---- what is told ------------------------------------------------------------------------------------ */

void kafka_tell(struct source_kafka *s, enum source_event what, struct kafka_part *part, uint64_t offset,
                const char *text)
{
    if (s->at_pending == s->n_pending)
        s->at_pending = s->n_pending = 0;
    s->pending = vec_reserve(s->pending, &s->cap_pending, s->n_pending + 1, sizeof *s->pending);
    s->pending[s->n_pending++] = (struct kafka_pending){
        .what = what, .part = part, .offset = offset, .text = text ? mem_strndup(text, strlen(text)) : NULL};
}

bool kafka_is_news(char known[48], const char *why)
{
    char begins[48];

    snprintf(begins, sizeof begins, "%.*s", (int)strcspn(why, ":"), why);
    if (strcmp(known, begins) == 0)
        return false;
    memcpy(known, begins, sizeof begins);
    return true;
}

static bool take_pending(struct source_kafka *s, struct source_item *item)
{
    mem_free(s->shown);
    s->shown = NULL;
    if (s->at_pending == s->n_pending)
        return false;

    struct kafka_pending *p = &s->pending[s->at_pending++];
    s->shown = p->text;
    *item = (struct source_item){.what = p->what,
                                 .partition = p->part ? &p->part->part : NULL,
                                 .text = p->text,
                                 .len = p->text ? strlen(p->text) : 0,
                                 .offset = p->offset,
                                 .next = p->offset,
                                 .arrival = clock_wall()};
    return true;
}

/* ---- partitions -------------------------------------------------------------------------------------- */

void kafka_part_ready(struct kafka_part *part)
{
    struct source_kafka *s = part->s;

    pthread_mutex_lock(&s->lock);
    if (!part->ready) {
        part->ready = true;
        part->next_ready = NULL;
        *s->last_ready = part;
        s->last_ready = &part->next_ready;
    }
    pthread_cond_signal(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

/* The first one that is not paused; the paused ones before it go to the end. */
static struct kafka_part *take_ready(struct source_kafka *s)
{
    struct kafka_part *part, *first_paused = NULL;

    pthread_mutex_lock(&s->lock);
    while ((part = s->first_ready) != NULL && part != first_paused) {
        s->first_ready = part->next_ready;
        if (!s->first_ready)
            s->last_ready = &s->first_ready;
        part->next_ready = NULL;
        if (!atomic_load_explicit(&part->part.paused, memory_order_relaxed)) {
            part->ready = false;
            break;
        }
        first_paused = first_paused ? first_paused : part;
        *s->last_ready = part;
        s->last_ready = &part->next_ready;
    }
    pthread_mutex_unlock(&s->lock);
    return part == first_paused ? NULL : part;
}

struct kafka_part *kafka_add_part(struct source_kafka *s, struct kafka_topic *topic, int32_t number,
                                  uint32_t generation)
{
    struct kafka_part *part = mem_calloc(1, sizeof *part);
    struct buf name;

    buf_init(&name);
    buf_printf(&name, "%s/%" PRId32, topic->name, number);
    part->part.name = buf_take(&name);
    part->part.generation = generation;
    part->s = s;
    part->topic = topic;
    part->number = number;
    part->is_new = true;
    atomic_init(&part->released, UINT64_MAX);
    atomic_init(&part->shown_time, SOURCE_NO_TIME);
    part->committed = UINT64_MAX;
    pthread_mutex_lock(&s->lock);
    s->part = vec_reserve(s->part, &s->cap_parts, s->n_parts + 1, sizeof *s->part);
    s->part[s->n_parts++] = part;
    pthread_mutex_unlock(&s->lock);
    s->n_live++;
    return part;
}

/* ---- the reader's ------------------------------------------------------------------------------------------ */

static bool give_line(struct source_kafka *s, struct source_item *item)
{
    for (;;) {
        struct kafka_part *part = s->current;
        if (part && (s->slice == 0 || atomic_load_explicit(&part->part.paused, memory_order_relaxed))) {
            kafka_part_ready(part); /* there may be more */
            s->current = part = NULL;
        }
        if (!part) {
            s->current = part = take_ready(s);
            s->slice = SLICE;
        }
        if (!part)
            return false;
        if (kafka_part_line(part, item)) {
            s->slice -= item->size < s->slice ? item->size : s->slice;
            return true;
        }
        if (s->at_pending < s->n_pending) { /* it was interrupted: there may be more */
            if (part->state == KAFKA_READS)
                kafka_part_ready(part);
            s->current = NULL;
            return false;
        }
        s->current = NULL;
    }
}

static void kafka_source_next(struct source *source, struct source_item *item_out)
{
    struct source_kafka *s = (struct source_kafka *)source;

    *item_out = (struct source_item){.what = SOURCE_EVENT_NOTHING, .record_time = SOURCE_NO_TIME};
    if (take_pending(s, item_out))
        return;
    if (atomic_load_explicit(&s->news, memory_order_relaxed))
        kafka_take_news(s);
    if (take_pending(s, item_out))
        return;
    if (!s->is_ready) {
        kafka_look(s);
        if (!take_pending(s, item_out))
            item_out->what = SOURCE_EVENT_UNREADY;
        return;
    }
    if (give_line(s, item_out)) {
        item_out->arrival = clock_wall();
        if (++s->given % LOOK_AFTER == 0)
            kafka_look(s); /* others may wait for it while there is always a line */
        return;
    }
    if (take_pending(s, item_out))
        return;
    kafka_look(s);
    if (!take_pending(s, item_out) && !s->follow && s->n_live == 0)
        item_out->what = SOURCE_EVENT_FINISHED;
}

static void wait_slice(struct source_kafka *s, int64_t ns)
{
    pthread_mutex_lock(&s->lock);
    bool any = false;
    for (struct kafka_part *part = s->first_ready; part && !any; part = part->next_ready)
        any = !atomic_load_explicit(&part->part.paused, memory_order_relaxed);
    if (!any && !atomic_load(&s->news))
        cond_wait_until(&s->changed, &s->lock, clock_monotonic() + ns);
    pthread_mutex_unlock(&s->lock);
}

static bool may_give(struct source_kafka *s)
{
    bool any = s->at_pending < s->n_pending || atomic_load(&s->news);

    pthread_mutex_lock(&s->lock);
    for (struct kafka_part *part = s->first_ready; s->is_ready && part && !any; part = part->next_ready)
        any = !atomic_load_explicit(&part->part.paused, memory_order_relaxed);
    pthread_mutex_unlock(&s->lock);
    return any;
}

static void kafka_source_wait(struct source *source, int64_t timeout)
{
    struct source_kafka *s = (struct source_kafka *)source;
    int64_t until = clock_monotonic() + timeout;

    for (int64_t left = timeout; left > 0; left = until - clock_monotonic()) {
        if (atomic_exchange(&source->woken, false) || may_give(s))
            return;
        wait_slice(s, left < WAIT_SLICE ? left : WAIT_SLICE);
    }
}

static void kafka_source_release(struct source *source, const struct source_position *position)
{
    struct source_kafka *s = (struct source_kafka *)source;
    struct kafka_part *part = NULL;

    pthread_mutex_lock(&s->lock); /* the array may grow */
    for (size_t i = 0; i < s->n_parts && !part; i++) {
        s->at_release = s->at_release + 1 < s->n_parts ? s->at_release + 1 : 0; /* they come in order */
        struct kafka_part *other = s->part[s->at_release];
        if (other->part.generation == position->generation &&
            strcmp(other->part.name, position->partition) == 0)
            part = other;
    }
    pthread_mutex_unlock(&s->lock);
    if (!part)
        return;
    atomic_store(&part->released, position->resume);
    if (position->ended)
        atomic_store(&part->settled, true);
}

static void kafka_source_identify(struct source *source, struct source_partition *partition, uint64_t resume,
                                  uint64_t identity_out[2])
{
    (void)source;
    kafka_part_identify((struct kafka_part *)partition, resume, identity_out);
}

static void kafka_source_lag(struct source *source, source_lag_fn *found, void *ctx)
{
    struct source_kafka *s = (struct source_kafka *)source;
    int64_t now = clock_wall();

    pthread_mutex_lock(&s->lock); /* the array may grow */
    for (size_t i = 0; i < s->n_parts; i++) {
        const struct kafka_part *part = s->part[i];
        int64_t shown = atomic_load(&part->shown_time);
        struct source_lag lag = {.partition = part->part.name,
                                 .generation = part->part.generation,
                                 .position = atomic_load(&part->shown_next),
                                 .behind = atomic_load(&part->behind)};
        if (lag.behind > 0 && shown != SOURCE_NO_TIME && shown < now)
            lag.time = now - shown;
        if (atomic_load(&part->shown))
            found(ctx, &lag);
    }
    pthread_mutex_unlock(&s->lock);
}

static void add_lag(void *ctx, const struct source_lag *lag)
{
    struct source_figures *figures = ctx;

    figures->behind += lag->behind;
    if (lag->behind > figures->behind_most)
        figures->behind_most = lag->behind;
    if (lag->time > figures->behind_time)
        figures->behind_time = lag->time;
}

static void kafka_source_figures(struct source *source, struct source_figures *figures_out)
{
    struct source_kafka *s = (struct source_kafka *)source;

    *figures_out = (struct source_figures){.empty = atomic_load(&s->empty)};
    kafka_source_lag(source, add_lag, figures_out);
}

/* ---- lifetime -------------------------------------------------------------------------------------------- */

/* A thread's too. */
static void *end_client(void *ctx)
{
    struct source_kafka *s = ctx;

    if (s->rk) /* until then its threads may call back, and look at partitions */
        rd_kafka_destroy_flags(s->rk, RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE);
    for (size_t i = 0; i < s->n_parts; i++) {
        mem_free((char *)(uintptr_t)s->part[i]->part.name);
        mem_free(s->part[i]);
    }
    for (size_t i = 0; i < s->n_topics; i++) {
        mem_free(s->topic[i]->name);
        mem_free(s->topic[i]);
    }
    while (s->at_pending < s->n_pending)
        mem_free(s->pending[s->at_pending++].text);
    for (size_t i = 0; i < s->n_patterns; i++)
        regex_free(&s->pattern[i]);
    for (size_t i = 0; i < s->n_fixed; i++)
        mem_free(s->fixed[i]);
    kafka_told_fini(&s->told);
    pthread_mutex_destroy(&s->lock);
    pthread_cond_destroy(&s->changed);
    buf_fini(&s->line);
    mem_free(s->shown);
    mem_free(s->pending);
    mem_free(s->pattern);
    mem_free(s->fixed);
    mem_free(s->topic);
    mem_free(s->part);
    mem_free(s->group);
    mem_free(s->name);
    mem_free(s);
    return NULL;
}

static void tell_unanswered(const struct source_kafka *s)
{
    struct buf b;

    buf_init(&b);
    log_field(&b, "source", s->name);
    log_field(&b, "group", s->group);
    log_line(LOG_WARNING, LOG_kafka, "brokers do not answer what the group was told: their client ends by itself", "%s",
             b.data);
    buf_fini(&b);
}

/* A client waits for the answer to its last commit, for a minute if brokers hang: nobody waits with it. */
static void kafka_source_free(struct source *source)
{
    struct source_kafka *s = (struct source_kafka *)source;
    pthread_t thread;

    for (size_t i = 0; i < s->n_parts; i++)
        kafka_part_close(s->part[i]);
    bool answered = kafka_scout_free(&s->scout);
    for (size_t i = 0; i < s->n_topics; i++)
        if (s->topic[i]->rkt)
            rd_kafka_topic_destroy(s->topic[i]->rkt);
    if (!answered)
        tell_unanswered(s);
    if (answered || pthread_create(&thread, NULL, end_client, s) != 0)
        end_client(s);
    else
        pthread_detach(thread);
}

static const struct source_ops ops = {kafka_source_next, kafka_source_wait, kafka_source_release,
                                      kafka_source_free, kafka_source_identify, kafka_source_figures,
                                      kafka_source_lag};

/* Does the line speak of "TOPIC [NUMBER]"? */
static bool is_named(const struct kafka_part *part, const char *text)
{
    char number[16];
    const char *at = strstr(text, part->topic->name);
    size_t len = strlen(part->topic->name);

    snprintf(number, sizeof number, " [%" PRId32 "]", part->number);
    for (; at; at = strstr(at + 1, part->topic->name))
        if (strncmp(at + len, number, strlen(number)) == 0)
            return true;
    return false;
}

static void doubt(void *ctx, const char *text)
{
    struct source_kafka *s = ctx;

    pthread_mutex_lock(&s->lock);
    for (size_t i = 0; i < s->n_parts; i++)
        if (!text || is_named(s->part[i], text))
            atomic_store(&s->part[i]->doubtful, true);
    pthread_mutex_unlock(&s->lock);
}

static bool begin_client(struct source_kafka *s, const struct source_kafka_options *opt, struct buf *why)
{
    rd_kafka_conf_t *conf = kafka_conf_new(&opt->settings, &s->told, why);

    if (!conf)
        return false;
    if (s->group)
        kafka_conf_set(conf, "group.id", s->group);
    kafka_conf_set(conf, "enable.auto.commit", "false");
    kafka_conf_set(conf, "enable.auto.offset.store", "false");
    kafka_conf_set(conf, "auto.offset.reset", "error");
    kafka_conf_set(conf, "isolation.level", "read_committed");
    kafka_conf_set(conf, "enable.partition.eof", "true");
    s->rk = kafka_new(RD_KAFKA_CONSUMER, conf, why);
    return s->rk != NULL;
}

static bool take_topics(struct source_kafka *s, const struct source_kafka_options *opt, struct buf *why)
{
    s->pattern = mem_calloc(opt->n_topics + 1, sizeof(struct regex *));
    s->fixed = mem_calloc(opt->n_topics + 1, sizeof *s->fixed);
    for (size_t i = 0; i < opt->n_topics; i++) {
        const char *topic = opt->topic[i];
        char *error;
        size_t at;
        if (*topic != '^') {
            s->fixed[s->n_fixed++] = mem_strndup(topic, strlen(topic));
            kafka_want_topic(s, topic, strlen(topic));
            continue;
        }
        struct regex *re = regex_new(topic, strlen(topic), false, &error, &at);
        if (!re) {
            buf_printf(why, "`%s` is no regular expression: %s", topic, error);
            mem_free(error);
            return false;
        }
        s->pattern[s->n_patterns++] = re;
    }
    return true;
}

static bool is_wanted(const struct source_kafka *s, const char *topic)
{
    struct regex_scratch *scratch = regex_scratch_new();
    bool wanted = false;

    for (size_t i = 0; i < s->n_fixed; i++)
        wanted |= strcmp(s->fixed[i], topic) == 0;
    for (size_t i = 0; i < s->n_patterns && !wanted && !kafka_is_internal(topic); i++)
        wanted = regex_match(s->pattern[i], scratch, topic, strlen(topic)) == REGEX_YES;
    regex_scratch_free(&scratch);
    return wanted;
}

bool kafka_is_internal(const char *topic)
{
    return strncmp(topic, "__", 2) == 0;
}

/* "TOPIC/NUMBER"; -1: it is none. */
static int32_t number_of(const char *name, size_t *len_out)
{
    const char *slash = strrchr(name, '/');
    int64_t number = 0;

    if (!slash || slash == name || !slash[1])
        return -1;
    for (const char *c = slash + 1; *c; c++) {
        if (*c < '0' || *c > '9' || number > INT32_MAX / 10)
            return -1;
        number = number * 10 + (*c - '0');
    }
    *len_out = (size_t)(slash - name);
    return (int32_t)number;
}

/* Those that are known from before are there at once, whether brokers answer or not. Of a topic that the source
 * does not read any more the position is kept, but nobody waits for it. */
static void restore(struct source_kafka *s, const struct source_position *saved)
{
    size_t len;
    int32_t number = number_of(saved->partition, &len);

    if (number < 0)
        return;
    s->had_positions = true;
    char *name = mem_strndup(saved->partition, len);
    if (is_wanted(s, name)) {
        struct kafka_part *part = kafka_add_part(s, kafka_want_topic(s, name, len), number, saved->generation);
        kafka_part_restore(part, saved);
    }
    mem_free(name);
}

/* Of several generations the last one is read; those before it are over, and were succeeded. */
static void sort_out_generations(struct source_kafka *s)
{
    for (size_t i = 0; i < s->n_parts; i++) {
        struct kafka_part *part = s->part[i];
        if (kafka_find_part(s, part->topic, part->number) == part) {
            part->opened = true;
            atomic_store(&part->shown, true);
            kafka_tell(s, SOURCE_EVENT_OPENED, part, part->next, NULL);
            continue;
        }
        part->state = KAFKA_ENDED;
        part->forgotten = true;
        s->n_live--;
        kafka_tell(s, SOURCE_EVENT_FORGET, part, 0, NULL);
    }
}

struct source *source_kafka_new(const struct source_kafka_options *opt, struct buf *why)
{
    struct source_kafka *s = mem_calloc(1, sizeof *s);

    s->name = mem_strndup(opt->name, strlen(opt->name));
    s->source.ops = &ops;
    s->source.name = s->name;
    s->source.meta = opt->rows ? "@row" : "@kafka";
    s->source.wants_meta = opt->rows;
    s->group = opt->group ? mem_strndup(opt->group, strlen(opt->group)) : NULL;
    s->start = opt->start;
    s->until = opt->until;
    s->on_reset = opt->on_reset;
    s->follow = opt->follow;
    s->rows = opt->rows;
    s->reread_after = opt->reread_after;
    s->idle = opt->idle;
    s->max_line = opt->max_line;
    s->padding = opt->padding;
    s->last_ready = &s->first_ready;
    buf_init(&s->line);
    kafka_told_init(&s->told, s->name, KAFKA_SOURCE);
    s->told.doubt = doubt;
    s->told.doubt_ctx = s;
    pthread_mutex_init(&s->lock, NULL);
    cond_init(&s->changed);
    if (!begin_client(s, opt, why) || !take_topics(s, opt, why)) {
        kafka_source_free(&s->source);
        return NULL;
    }
    for (size_t i = 0; i < opt->n_saved; i++)
        restore(s, &opt->saved[i]);
    sort_out_generations(s);
    s->scout = kafka_scout_new(s);
    return &s->source;
}
