// SPDX-License-Identifier: Apache-2.0
/* source_kafka_news - what the scout brings: topics and partitions that come and go, offsets; what waits to be
 * asked again. */
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "io/source_kafka_priv.h"

#define MS INT64_C(1000000)
#define LOOK_EVERY (200 * MS)      /* at partitions that wait to be asked again */
#define GONE_FOR (30 * KAFKA_SECOND) /* before a topic that is not there is taken for deleted */

static void log_topic(const struct source_kafka *s, enum log_level level, const char *msg, const char *topic,
                      const char *why)
{
    struct buf b;

    buf_init(&b);
    log_field(&b, "source", s->name);
    log_field(&b, "topic", topic);
    if (why)
        log_field(&b, "why", why);
    log_line(level, LOG_source, msg, "%s", b.data);
    buf_fini(&b);
}

/* The latest generation; NULL: none. */
struct kafka_part *kafka_find_part(const struct source_kafka *s, const struct kafka_topic *topic,
                                    int32_t number)
{
    struct kafka_part *found = NULL;

    for (size_t i = 0; i < s->n_parts; i++) {
        struct kafka_part *part = s->part[i];
        if (part->topic == topic && part->number == number &&
            (!found || part->part.generation > found->part.generation))
            found = part;
    }
    return found;
}

static struct kafka_topic *find_topic(const struct source_kafka *s, const char *name, size_t len)
{
    for (size_t i = 0; i < s->n_topics; i++)
        if (strlen(s->topic[i]->name) == len && memcmp(s->topic[i]->name, name, len) == 0)
            return s->topic[i];
    return NULL;
}

struct kafka_topic *kafka_want_topic(struct source_kafka *s, const char *name, size_t len)
{
    struct kafka_topic *topic = find_topic(s, name, len);

    if (topic)
        return topic;
    topic = mem_calloc(1, sizeof *topic);
    topic->name = mem_strndup(name, len);
    topic->rkt = rd_kafka_topic_new(s->rk, topic->name, NULL);
    s->topic = vec_reserve(s->topic, &s->cap_topics, s->n_topics + 1, sizeof *s->topic);
    s->topic[s->n_topics++] = topic;
    return topic;
}

/* ---- what the scout brings ------------------------------------------------------------------------------ */

static bool is_read(const struct kafka_part *part)
{
    return part->state != KAFKA_ENDED && part->state != KAFKA_LOST && part->state != KAFKA_LEFT;
}

/* It is not there, or nobody leads it. */
static void take_absence(struct source_kafka *s, struct kafka_part *part, const char *why, bool gone)
{
    int64_t now = clock_monotonic();

    if (!is_read(part))
        return;
    if (part->state == KAFKA_READS) {
        kafka_part_close(part);
        part->state = KAFKA_FOUND;
    }
    part->retry = now + KAFKA_SECOND;
    kafka_part_stall(part, why);
    if (!gone) {
        part->gone_since = 0;
        return;
    }
    if (part->gone_since == 0)
        part->gone_since = now;
    if (s->on_reset != KAFKA_RESET_FAIL && now - part->gone_since >= GONE_FOR && part->opened && !s->rows) {
        log_topic(s, LOG_ERROR, "a topic is gone: its partitions are over", part->topic->name, why);
        kafka_part_end(part);
    }
}

static void take_part(struct source_kafka *s, struct kafka_topic *topic, int32_t number, bool leaderless)
{
    struct kafka_part *part = kafka_find_part(s, topic, number);

    if (!part || (part->state == KAFKA_ENDED && s->follow && part->gone_since > 0)) {
        uint32_t generation = part ? part->part.generation + 1 : 0;
        part = kafka_add_part(s, topic, number, generation);
        part->initial = !s->reported;
        part->from_start = s->had_positions || s->reported;
        s->unopened += part->initial;
    }
    if (leaderless) {
        take_absence(s, part, "it has no leader: none of its brokers is there", false);
        return;
    }
    part->gone_since = 0;
    if (part->state == KAFKA_FOUND && clock_monotonic() >= part->retry)
        kafka_part_ask(part);
}

/* A topic that has fewer partitions is another one: what this one brought is no more. */
static void end_of_rows(struct kafka_part *part)
{
    if (!part->opened || part->state == KAFKA_ENDED || part->state == KAFKA_LOST)
        return;
    log_topic(part->s, LOG_ERROR, "a topic has fewer partitions than it had", part->topic->name, NULL);
    part->forgettable = true;
    part->gone_since = clock_monotonic();
    kafka_part_end(part);
}

static void take_topic(struct source_kafka *s, const struct scout_topic *from)
{
    struct kafka_topic *topic = kafka_want_topic(s, from->name, strlen(from->name));

    if (from->why && !topic->told_missing) {
        topic->told_missing = true;
        log_topic(s, LOG_WARNING, "a topic cannot be read", topic->name, from->why);
    }
    if (!from->why)
        topic->told_missing = false;
    topic->seen = true;
    for (int32_t i = 0; i < from->n_partitions; i++)
        take_part(s, topic, i, from->leaderless[i]);
    for (size_t i = 0; i < s->n_parts; i++)
        if (s->part[i]->topic == topic && s->part[i]->number >= from->n_partitions && s->rows && !from->why)
            end_of_rows(s->part[i]);
        else if (s->part[i]->topic == topic && s->part[i]->number >= from->n_partitions)
            take_absence(s, s->part[i], from->why ? from->why : "the topic has fewer partitions than it had",
                         !from->why || from->missing);
}

/* The source as a whole. */
static void stall(struct source_kafka *s, const char *why)
{
    if (s->stalled && !kafka_is_news(s->why, why))
        return;
    (void)kafka_is_news(s->why, why);
    s->stalled = true;
    kafka_tell(s, SOURCE_EVENT_STALLED, NULL, 0, why);
}

static void stall_all(struct source_kafka *s, const char *why)
{
    for (size_t i = 0; i < s->n_parts; i++)
        take_absence(s, s->part[i], why, false);
    if (!s->is_ready)
        stall(s, why);
}

/* A topic that is there, and may not be read: time does not begin without it. */
static bool is_denied(struct source_kafka *s, const struct scout_report *report)
{
    struct buf b;

    for (size_t i = 0; i < report->n_topics; i++) {
        const struct scout_topic *topic = &report->topic[i];
        if (!topic->why || (topic->missing && !s->rows))
            continue;
        buf_init(&b);
        buf_printf(&b, "topic %s: %s", topic->name, topic->why);
        stall(s, b.data);
        buf_fini(&b);
        return true;
    }
    return false;
}

static void take_report(struct source_kafka *s, const struct scout_report *report)
{
    s->away = !report->reachable;
    if (!report->reachable) {
        stall_all(s, report->why);
        return;
    }
    for (size_t i = 0; i < s->n_topics; i++)
        s->topic[i]->seen = false;
    for (size_t i = 0; i < report->n_topics; i++)
        take_topic(s, &report->topic[i]);
    for (size_t i = 0; i < s->n_parts; i++)
        if (!s->part[i]->topic->seen)
            take_absence(s, s->part[i], "there is no such topic", true);
    s->reported = s->is_ready || !is_denied(s, report);
}

static void become_ready(struct source_kafka *s)
{
    s->is_ready = true;
    if (s->stalled)
        kafka_tell(s, SOURCE_EVENT_RESUMED, NULL, 0, NULL);
    s->stalled = false;
}

void kafka_take_news(struct source_kafka *s)
{
    struct scout_report *report;
    struct scout_answer *answer;

    atomic_store(&s->news, false);
    if ((report = kafka_scout_report(s->scout)) != NULL)
        take_report(s, report);
    scout_report_free(&report);
    while ((answer = kafka_scout_answer(s->scout)) != NULL) {
        kafka_part_answered(answer->part, answer);
        scout_answer_free(&answer);
    }
    if (!s->is_ready && s->reported && s->unopened == 0)
        become_ready(s);
}

bool source_kafka_complete(const struct source *source, struct buf *why)
{
    const struct source_kafka *s = (const struct source_kafka *)source;
    size_t before = why->len;

    for (size_t i = 0; i < s->n_fixed; i++) {
        const struct kafka_topic *topic = find_topic(s, s->fixed[i], strlen(s->fixed[i]));
        if (!topic || !topic->seen || topic->told_missing)
            buf_printf(why, "%sthere is no topic %s", why->len > before ? ", " : "", s->fixed[i]);
    }
    return why->len == before;
}

/* Those that wait to be asked again; ends that are durable. */
void kafka_look(struct source_kafka *s)
{
    int64_t now = clock_monotonic();

    if (now < s->look)
        return;
    s->look = now + LOOK_EVERY;
    for (size_t i = 0; i < s->n_parts; i++) {
        struct kafka_part *part = s->part[i];
        if (part->state == KAFKA_FOUND && part->retry > 0 && now >= part->retry && !s->away &&
            part->gone_since == 0)
            kafka_part_ask(part);
        kafka_part_look(part);
        if (part->forgettable && !part->forgotten && atomic_load(&part->settled)) {
            part->forgotten = true;
            kafka_tell(s, SOURCE_EVENT_FORGET, part, 0, NULL);
        }
    }
}
