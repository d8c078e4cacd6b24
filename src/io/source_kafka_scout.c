// SPDX-License-Identifier: Apache-2.0
/*
 * source_kafka_scout - the thread that asks brokers what has to be waited for: which topics and partitions
 * there are (every third of `idle`, at most 5 s apart), offsets of a partition when the reader wants them;
 * it tells positions to the group once in a second, and serves librdkafka's callbacks.
 */
#include <string.h>

#include "base/clock.h"
#include "base/cond.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/regex.h"
#include "io/source_kafka_priv.h"

#define MS INT64_C(1000000)
#define PATIENCE (5 * KAFKA_SECOND) /* until brokers that do not answer are away */
#define TELL_AGAIN (300 * KAFKA_SECOND)
enum { ASK_MS = 2000, LAST_COMMIT_MS = 1000, STEP_MS = 100 };

struct question {
    struct question *next;
    struct kafka_part *part;
};

struct kafka_scout {
    struct source_kafka *s;
    pthread_t thread;
    _Atomic bool stopping;
    int64_t every, look;       /* ns; monotonic: the next look at topics */
    int64_t commit;            /* monotonic: the next commit */
    int64_t answered;          /* monotonic: when a broker last did */
    struct regex_scratch *scratch;
    rd_kafka_queue_t *committed; /* answers to commits */
    bool committing;             /* one was not answered yet */
    rd_kafka_resp_err_t untold;  /* why the group is not told; 0: it is */
    int64_t untold_at;           /* monotonic: when that was in the log */
    rd_kafka_queue_t *beside;    /* what the client says of the group; NULL: there is none */
    /* under lock */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool hurry;
    struct question *first_question, **last_question;
    struct scout_report *report;
    struct scout_answer *first_answer, **last_answer;
};

/* ---- reports and answers -------------------------------------------------------------------------- */

static char *copy_of(const char *text)
{
    return mem_strndup(text, strlen(text));
}

void scout_report_free(struct scout_report **report)
{
    struct scout_report *r = *report;

    *report = NULL;
    if (!r)
        return;
    for (size_t i = 0; i < r->n_topics; i++) {
        mem_free(r->topic[i].name);
        mem_free(r->topic[i].why);
        mem_free(r->topic[i].leaderless);
    }
    mem_free(r->topic);
    mem_free(r->why);
    mem_free(r);
}

void scout_answer_free(struct scout_answer **answer)
{
    if (*answer)
        mem_free((*answer)->why);
    mem_free(*answer);
    *answer = NULL;
}

struct scout_report *kafka_scout_report(struct kafka_scout *scout)
{
    pthread_mutex_lock(&scout->lock);
    struct scout_report *report = scout->report;
    scout->report = NULL;
    pthread_mutex_unlock(&scout->lock);
    return report;
}

struct scout_answer *kafka_scout_answer(struct kafka_scout *scout)
{
    pthread_mutex_lock(&scout->lock);
    struct scout_answer *answer = scout->first_answer;
    if (answer) {
        scout->first_answer = answer->next;
        if (!scout->first_answer)
            scout->last_answer = &scout->first_answer;
    }
    pthread_mutex_unlock(&scout->lock);
    return answer;
}

void kafka_scout_ask(struct kafka_scout *scout, struct kafka_part *part)
{
    struct question *q = mem_calloc(1, sizeof *q);

    q->part = part;
    pthread_mutex_lock(&scout->lock);
    *scout->last_question = q;
    scout->last_question = &q->next;
    pthread_cond_signal(&scout->changed);
    pthread_mutex_unlock(&scout->lock);
}

void kafka_scout_hurry(struct kafka_scout *scout)
{
    pthread_mutex_lock(&scout->lock);
    scout->hurry = true;
    pthread_cond_signal(&scout->changed);
    pthread_mutex_unlock(&scout->lock);
}

static void tell_news(struct kafka_scout *scout)
{
    struct source_kafka *s = scout->s;

    atomic_store(&s->news, true);
    pthread_mutex_lock(&s->lock);
    pthread_cond_signal(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

static void put_report(struct kafka_scout *scout, struct scout_report *report)
{
    pthread_mutex_lock(&scout->lock);
    struct scout_report *old = scout->report;
    scout->report = report;
    pthread_mutex_unlock(&scout->lock);
    scout_report_free(&old);
    tell_news(scout);
}

static void put_answer(struct kafka_scout *scout, struct scout_answer *answer)
{
    pthread_mutex_lock(&scout->lock);
    *scout->last_answer = answer;
    scout->last_answer = &answer->next;
    pthread_mutex_unlock(&scout->lock);
    tell_news(scout);
}

/* Owned. */
static char *why_not(rd_kafka_resp_err_t err, const char *topic)
{
    struct buf why;

    buf_init(&why);
    kafka_add_read_error(err, topic, &why);
    return buf_take(&why);
}

/* ---- topics ------------------------------------------------------------------------------------------ */

/* Patterns find no topics that are the brokers' own. */
static bool is_wanted(struct kafka_scout *scout, const struct rd_kafka_metadata_topic *topic)
{
    const struct source_kafka *s = scout->s;
    const char *name = topic->topic;

    for (size_t i = 0; i < s->n_fixed; i++)
        if (strcmp(s->fixed[i], name) == 0)
            return true;
    bool may_fit = topic->err == RD_KAFKA_RESP_ERR_NO_ERROR && !kafka_is_internal(name);
    for (size_t i = 0; i < s->n_patterns && may_fit; i++)
        if (regex_match(s->pattern[i], scout->scratch, name, strlen(name)) == REGEX_YES)
            return true;
    return false;
}

static void add_topic(struct scout_report *report, const struct rd_kafka_metadata_topic *from)
{
    struct scout_topic *topic = &report->topic[report->n_topics++];

    topic->name = copy_of(from->topic);
    topic->missing = from->err == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART ||
                     from->err == RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC;
    if (from->err != RD_KAFKA_RESP_ERR_NO_ERROR && from->err != RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE) {
        topic->why = why_not(from->err, from->topic);
        return;
    }
    topic->n_partitions = from->partition_cnt;
    topic->leaderless = mem_calloc((size_t)from->partition_cnt + 1, sizeof *topic->leaderless);
    for (int i = 0; i < from->partition_cnt; i++)
        if (from->partitions[i].id >= 0 && from->partitions[i].id < from->partition_cnt)
            topic->leaderless[from->partitions[i].id] = from->partitions[i].leader < 0;
}

/* Fixed topics that are missing are in the answer, those of patterns are not. */
static void look_at_topics(struct kafka_scout *scout)
{
    struct source_kafka *s = scout->s;
    const struct rd_kafka_metadata *found;
    struct scout_report *report = mem_calloc(1, sizeof *report);
    rd_kafka_resp_err_t err = rd_kafka_metadata(s->rk, s->n_patterns > 0, NULL, &found, ASK_MS);
    int64_t now = clock_monotonic();

    scout->look = now + (err ? KAFKA_SECOND / 2 : scout->every);
    if (err) {
        struct buf why;
        buf_init(&why);
        kafka_told_why(&s->told, err, &why);
        report->why = buf_take(&why);
        if (now - scout->answered >= PATIENCE)
            put_report(scout, report);
        else
            scout_report_free(&report);
        return;
    }
    scout->answered = now;
    kafka_told_forget(&s->told);
    report->reachable = true;
    report->topic = mem_calloc((size_t)found->topic_cnt + 1, sizeof *report->topic);
    for (int i = 0; i < found->topic_cnt; i++)
        if (is_wanted(scout, &found->topics[i]))
            add_topic(report, &found->topics[i]);
    rd_kafka_metadata_destroy(found);
    put_report(scout, report);
}

/* ---- offsets ------------------------------------------------------------------------------------------ */

/* The first offset whose record is not older than `time`, and is below high; else high. */
static rd_kafka_resp_err_t find_time(struct source_kafka *s, const struct kafka_part *part, int64_t time, int64_t high,
                                     int64_t *offset_out)
{
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(1);
    rd_kafka_topic_partition_t *of = rd_kafka_topic_partition_list_add(list, part->topic->name, part->number);

    of->offset = time < 0 ? 0 : time / MS + (time % MS > 0);
    rd_kafka_resp_err_t err = rd_kafka_offsets_for_times(s->rk, list, ASK_MS);
    if (!err)
        err = of->err;
    *offset_out = of->offset < 0 || of->offset > high ? high : of->offset;
    rd_kafka_topic_partition_list_destroy(list);
    return err;
}

static void answer(struct kafka_scout *scout, const struct question *q)
{
    struct source_kafka *s = scout->s;
    struct scout_answer *a = mem_calloc(1, sizeof *a);
    const struct kafka_part *part = q->part; /* what is read of it does not change */
    rd_kafka_resp_err_t err = rd_kafka_query_watermark_offsets(s->rk, part->topic->name, part->number, &a->low,
                                                               &a->high, ASK_MS);

    a->part = q->part;
    a->start = s->start == KAFKA_LATEST ? a->high : a->low;
    a->end = a->high;
    if (!err && s->start != KAFKA_LATEST && s->start != KAFKA_EARLIEST)
        err = find_time(s, part, s->start, a->high, &a->start);
    if (!err && !s->follow && s->until != KAFKA_LATEST)
        err = find_time(s, part, s->until, a->high, &a->end);
    if (err)
        a->why = why_not(err, part->topic->name);
    put_answer(scout, a);
}

static struct question *take_question(struct kafka_scout *scout)
{
    pthread_mutex_lock(&scout->lock);
    struct question *q = scout->first_question;
    if (q) {
        scout->first_question = q->next;
        if (!scout->first_question)
            scout->last_question = &scout->first_question;
    }
    pthread_mutex_unlock(&scout->lock);
    return q;
}

/* ---- positions for the group -------------------------------------------------------------------------- */

static rd_kafka_topic_partition_list_t *find_released(struct source_kafka *s)
{
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(0);

    pthread_mutex_lock(&s->lock); /* the array may grow */
    for (size_t i = 0; i < s->n_parts; i++) {
        struct kafka_part *part = s->part[i];
        uint64_t released = atomic_load(&part->released);
        if (released == UINT64_MAX || released == part->committed)
            continue;
        part->committed = released;
        rd_kafka_topic_partition_list_add(list, part->topic->name, part->number)->offset = (int64_t)released;
    }
    pthread_mutex_unlock(&s->lock);
    return list;
}

/* How far partitions are from their ends, as far as fetches showed them. */
static void find_behind(struct source_kafka *s)
{
    for (size_t i = 0;; i++) {
        pthread_mutex_lock(&s->lock); /* the array may grow */
        struct kafka_part *part = i < s->n_parts ? s->part[i] : NULL;
        pthread_mutex_unlock(&s->lock);
        if (!part)
            return;
        int64_t low, high, next = (int64_t)atomic_load(&part->shown_next);
        bool known = rd_kafka_get_watermark_offsets(s->rk, part->topic->name, part->number, &low, &high) ==
                     RD_KAFKA_RESP_ERR_NO_ERROR;
        atomic_store(&part->behind, known && high > next && !atomic_load(&part->settled) ? (uint64_t)(high - next) : 0);
    }
}

/* One at a time. */
static void commit_positions(struct kafka_scout *scout)
{
    struct source_kafka *s = scout->s;

    scout->commit = clock_monotonic() + KAFKA_SECOND;
    find_behind(s);
    if (!s->group || scout->committing)
        return;
    rd_kafka_topic_partition_list_t *list = find_released(s);
    scout->committing = list->cnt > 0 &&
                        rd_kafka_commit_queue(s->rk, list, scout->committed, NULL, NULL) == RD_KAFKA_RESP_ERR_NO_ERROR;
    rd_kafka_topic_partition_list_destroy(list);
}

/* What it was not told it is told again. */
static void forget_committed(struct source_kafka *s)
{
    pthread_mutex_lock(&s->lock); /* the array may grow */
    for (size_t i = 0; i < s->n_parts; i++)
        s->part[i]->committed = UINT64_MAX;
    pthread_mutex_unlock(&s->lock);
}

/* It is tried again each second, perhaps for ever: in the log it is when it begins, or is another reason, and now and
 * then. */
static void tell_uncommitted(struct kafka_scout *scout, rd_kafka_resp_err_t err)
{
    const struct kafka_need need = {.group = scout->s->group};
    int64_t now = clock_monotonic();
    struct buf b, why;

    if (err == scout->untold && now - scout->untold_at < TELL_AGAIN)
        return;
    scout->untold = err;
    scout->untold_at = now;
    buf_init(&b);
    buf_init(&why);
    if (!kafka_add_missing(err, &need, &why))
        buf_adds(&why, rd_kafka_err2str(err));
    log_field(&b, "source", scout->s->name);
    log_field(&b, "group", scout->s->group);
    log_field(&b, "why", why.data);
    log_line(LOG_WARNING, LOG_kafka, "the group is not told how far reading is (reading goes on)", "%s", b.data);
    buf_fini(&why);
    buf_fini(&b);
}

static void tell_committed(struct kafka_scout *scout)
{
    struct buf b;

    if (!scout->untold)
        return;
    scout->untold = RD_KAFKA_RESP_ERR_NO_ERROR;
    buf_init(&b);
    log_field(&b, "source", scout->s->name);
    log_field(&b, "group", scout->s->group);
    log_line(LOG_INFO, LOG_kafka, "the group is told again how far reading is", "%s", b.data);
    buf_fini(&b);
}

/* That a right is missing the client says beside; a commit then waits for long, in vain. */
static void hear_group(struct kafka_scout *scout)
{
    rd_kafka_event_t *ev;

    while (scout->beside && (ev = rd_kafka_queue_poll(scout->beside, 0)) != NULL) {
        if (rd_kafka_event_error(ev) == RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED)
            tell_uncommitted(scout, RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED);
        rd_kafka_event_destroy(ev);
    }
}

static void tell_commits(struct kafka_scout *scout, int wait_ms)
{
    rd_kafka_event_t *ev;

    while ((ev = rd_kafka_queue_poll(scout->committed, wait_ms)) != NULL) {
        rd_kafka_resp_err_t err = rd_kafka_event_error(ev);
        if (!err)
            tell_committed(scout);
        else if (err != RD_KAFKA_RESP_ERR__NO_OFFSET && err != RD_KAFKA_RESP_ERR__DESTROY) {
            tell_uncommitted(scout, err);
            forget_committed(scout->s);
        }
        rd_kafka_event_destroy(ev);
        scout->committing = false;
        wait_ms = 0;
    }
}

/* ---- the thread ---------------------------------------------------------------------------------------- */

static void wait_step(struct kafka_scout *scout)
{
    pthread_mutex_lock(&scout->lock);
    if (!scout->hurry && !scout->first_question && !atomic_load(&scout->stopping))
        cond_wait_until(&scout->changed, &scout->lock, clock_monotonic() + STEP_MS * MS);
    if (scout->hurry)
        scout->look = INT64_MIN;
    scout->hurry = false;
    pthread_mutex_unlock(&scout->lock);
}

static void *run(void *ctx)
{
    struct kafka_scout *scout = ctx;

    while (!atomic_load(&scout->stopping)) {
        struct question *q;
        rd_kafka_poll(scout->s->rk, 0);
        tell_commits(scout, 0);
        hear_group(scout);
        if (clock_monotonic() >= scout->look)
            look_at_topics(scout);
        if (clock_monotonic() >= scout->commit)
            commit_positions(scout);
        for (int i = 0; i < 100 && !atomic_load(&scout->stopping) && (q = take_question(scout)); i++) {
            answer(scout, q);
            mem_free(q);
        }
        wait_step(scout);
    }
    return NULL;
}

struct kafka_scout *kafka_scout_new(struct source_kafka *s)
{
    struct kafka_scout *scout = mem_calloc(1, sizeof *scout);

    scout->s = s;
    scout->every = s->idle / 3 < PATIENCE ? s->idle / 3 : PATIENCE;
    if (scout->every < KAFKA_SECOND)
        scout->every = KAFKA_SECOND;
    scout->answered = clock_monotonic();
    scout->look = scout->commit = INT64_MIN;
    scout->scratch = regex_scratch_new();
    scout->committed = rd_kafka_queue_new(s->rk);
    scout->beside = s->group ? rd_kafka_queue_get_consumer(s->rk) : NULL;
    scout->last_question = &scout->first_question;
    scout->last_answer = &scout->first_answer;
    pthread_mutex_init(&scout->lock, NULL);
    cond_init(&scout->changed);
    pthread_create(&scout->thread, NULL, run, scout);
    return scout;
}

bool kafka_scout_free(struct kafka_scout **scoutp)
{
    struct kafka_scout *scout = *scoutp;
    struct scout_answer *a;
    struct question *q;

    *scoutp = NULL;
    if (!scout)
        return true;
    atomic_store(&scout->stopping, true);
    kafka_scout_hurry(scout);
    pthread_join(scout->thread, NULL);
    tell_commits(scout, scout->committing ? LAST_COMMIT_MS : 0);
    if (!scout->committing) {
        commit_positions(scout);
        tell_commits(scout, scout->committing ? LAST_COMMIT_MS : 0);
    }
    bool answered = !scout->committing;
    while ((q = take_question(scout)) != NULL)
        mem_free(q);
    while ((a = kafka_scout_answer(scout)) != NULL)
        scout_answer_free(&a);
    scout_report_free(&scout->report);
    rd_kafka_queue_destroy(scout->committed);
    if (scout->beside)
        rd_kafka_queue_destroy(scout->beside);
    regex_scratch_free(&scout->scratch);
    pthread_cond_destroy(&scout->changed);
    pthread_mutex_destroy(&scout->lock);
    mem_free(scout);
    return answered;
}
