// SPDX-License-Identifier: Apache-2.0
#include "base/metrics.h"

#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/histogram.h"
#include "base/mem.h"

const char *const metric_group_prefix[N_METRIC_GROUPS] = {
#define METRIC_GROUP(group, category, prefix) prefix,
#define METRIC(group, id, type, unit, labels, doc)
#include "base/metrics.def"
#undef METRIC_GROUP
#undef METRIC
};

const enum log_category metric_group_category[N_METRIC_GROUPS] = {
#define METRIC_GROUP(group, category, prefix) LOG_##category,
#define METRIC(group, id, type, unit, labels, doc)
#include "base/metrics.def"
#undef METRIC_GROUP
#undef METRIC
};

const struct metric_spec metric_specs[N_METRICS] = {
#define METRIC_GROUP(group, category, prefix)
#define METRIC(group, id, type, unit, labels, doc) \
    {METRIC_GROUP_##group, #id, METRIC_##type, unit, labels, doc},
#include "base/metrics.def"
#undef METRIC_GROUP
#undef METRIC
};

struct sample {
    enum metric metric;
    bool is_time;
    int64_t value;
    const char *label[METRIC_LABELS]; /* in `texts`, or NULL */
    struct histogram *histogram;      /* likewise */
};

struct metrics {
    struct sample *sample; /* in the order in which they were put */
    size_t n, cap;
    size_t *place;         /* [n_placed] after metrics_sort: of the first, the second ... in `sample` */
    size_t n_placed;
    struct arena *texts;
    struct hash_index *index; /* of places in sample */
};

/* ---- labels ---------------------------------------------------------------------------------- */

unsigned metric_label_count(enum metric metric)
{
    const char *labels = metric_specs[metric].labels;

    return !*labels ? 0 : strchr(labels, ',') ? 2 : 1;
}

const char *metric_label_name(enum metric metric, unsigned at, size_t *len_out)
{
    const char *name = metric_specs[metric].labels;

    if (at > 0)
        name = strchr(name, ',') + 1;
    *len_out = strcspn(name, ",");
    return name;
}

/* ---- samples --------------------------------------------------------------------------------- */

struct metrics *metrics_new(void)
{
    struct metrics *m = mem_calloc(1, sizeof *m);

    m->index = hash_index_new();
    m->texts = arena_new(0);
    return m;
}

void metrics_free(struct metrics **mp)
{
    struct metrics *m = *mp;

    if (!m)
        return;
    *mp = NULL;
    hash_index_free(&m->index);
    arena_free(&m->texts);
    mem_free(m->place);
    mem_free(m->sample);
    mem_free(m);
}

struct place {
    enum metric metric;
    const char *label[METRIC_LABELS];
};

static uint64_t place_hash(const struct place *place)
{
    uint64_t hash = hash_mix(place->metric, 0);

    for (unsigned k = 0; k < METRIC_LABELS && place->label[k]; k++)
        hash = hash64(place->label[k], strlen(place->label[k]), hash);
    return hash;
}

static bool is_place(uint64_t value, const void *key, void *ctx)
{
    const struct sample *sample = &((const struct metrics *)ctx)->sample[value];
    const struct place *place = key;

    if (sample->metric != place->metric)
        return false;
    for (unsigned k = 0; k < METRIC_LABELS; k++)
        if (!sample->label[k] != !place->label[k] ||
            (sample->label[k] && strcmp(sample->label[k], place->label[k]) != 0))
            return false;
    return true;
}

static struct sample *sample_find(struct metrics *m, const struct place *place, uint64_t hash)
{
    uint64_t at;

    return hash_index_get(m->index, hash, is_place, place, m, &at) ? &m->sample[at] : NULL;
}

/* Samples of one rule, or sink, come one behind the other: they share its name. */
static const char *keep_label(struct metrics *m, const char *label, unsigned k)
{
    const char *last = m->n > 0 ? m->sample[m->n - 1].label[k] : NULL;

    if (!label)
        return NULL;
    return last && strcmp(last, label) == 0 ? last : arena_strndup(m->texts, label, strlen(label));
}

static struct sample *sample_get(struct metrics *m, const struct place *place)
{
    uint64_t hash = place_hash(place);
    struct sample *sample = sample_find(m, place, hash), one = {.metric = place->metric};

    if (sample)
        return sample;
    for (unsigned k = 0; k < METRIC_LABELS; k++)
        one.label[k] = keep_label(m, place->label[k], k);
    hash_index_add(m->index, hash, m->n);
    m->sample = vec_reserve(m->sample, &m->cap, m->n + 1, sizeof *m->sample);
    m->sample[m->n] = one;
    return &m->sample[m->n++];
}

void metrics_count(struct metrics *m, enum metric metric, const char *label0, const char *label1,
                   uint64_t n)
{
    struct sample *sample = sample_get(m, &(struct place){metric, {label0, label1}});

    sample->value = (int64_t)((uint64_t)sample->value + n);
}

void metrics_time(struct metrics *m, enum metric metric, const char *label0, const char *label1,
                  int64_t ns)
{
    struct sample *sample = sample_get(m, &(struct place){metric, {label0, label1}});

    sample->is_time = true;
    sample->value = (int64_t)((uint64_t)sample->value + (uint64_t)ns);
}

void metrics_histogram(struct metrics *m, enum metric metric, const char *label0, const char *label1,
                       const struct histogram *h)
{
    struct sample *sample = sample_get(m, &(struct place){metric, {label0, label1}});

    if (!sample->histogram) {
        sample->histogram = arena_alloc(m->texts, sizeof *h);
        *sample->histogram = (struct histogram){.sum = 0};
    }
    histogram_add_all(sample->histogram, h);
}

void metrics_carry(struct metrics *m, const struct metrics *before)
{
    for (size_t i = 0; i < before->n; i++) {
        const struct sample *was = &before->sample[i];
        struct place place = {was->metric, {was->label[0], was->label[1]}};
        struct sample *sample = sample_find(m, &place, place_hash(&place));
        if (sample && sample->histogram && was->histogram)
            histogram_add_all(sample->histogram, was->histogram);
        if (sample && metric_specs[was->metric].type == METRIC_COUNTER)
            sample->value = (int64_t)((uint64_t)sample->value + (uint64_t)was->value);
    }
}

void metrics_fallen(struct metrics *m, const struct metrics *now, const struct metrics *before)
{
    for (size_t i = 0; i < now->n; i++) {
        const struct sample *is = &now->sample[i];
        struct place place = {is->metric, {is->label[0], is->label[1]}};
        const struct sample *was = sample_find((struct metrics *)(uintptr_t)before, &place, place_hash(&place));
        if (!was || metric_specs[is->metric].type != METRIC_COUNTER || (uint64_t)was->value <= (uint64_t)is->value)
            continue;
        struct sample *sample = sample_get(m, &place);
        sample->is_time = is->is_time;
        sample->value = (int64_t)((uint64_t)was->value - (uint64_t)is->value);
    }
}

void metrics_stand_in(struct metrics *m, const struct metrics *before)
{
    for (size_t i = 0; i < before->n; i++) {
        const struct sample *was = &before->sample[i];
        if (was->histogram)
            metrics_histogram(m, was->metric, was->label[0], was->label[1], was->histogram);
        else if (was->is_time)
            metrics_time(m, was->metric, was->label[0], was->label[1], was->value);
        else
            metrics_count(m, was->metric, was->label[0], was->label[1], (uint64_t)was->value);
    }
}

/* ---- reading --------------------------------------------------------------------------------- */

size_t metrics_n(const struct metrics *m)
{
    return m->n;
}

/* By metric; those of one stay in the order in which they were put. */
void metrics_sort(struct metrics *m)
{
    size_t begin[N_METRICS + 1] = {0};

    m->place = mem_realloc(m->place, (m->n + 1) * sizeof *m->place);
    for (size_t i = 0; i < m->n; i++)
        begin[m->sample[i].metric + 1]++;
    for (int i = 0; i < N_METRICS; i++)
        begin[i + 1] += begin[i];
    for (size_t i = 0; i < m->n; i++)
        m->place[begin[m->sample[i].metric]++] = i;
    m->n_placed = m->n;
}

struct metric_sample metrics_sample(const struct metrics *m, size_t at)
{
    const struct sample *sample = &m->sample[at < m->n_placed ? m->place[at] : at];

    return (struct metric_sample){.metric = sample->metric,
                                  .label = {sample->label[0], sample->label[1]},
                                  .is_time = sample->is_time,
                                  .histogram = sample->histogram,
                                  .value = sample->value};
}
