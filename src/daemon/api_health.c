// SPDX-License-Identifier: Apache-2.0
/* What is told without main, from the figures (figures.h): health, metrics, sources, sinks. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/histogram.h"
#include "base/mem.h"
#include "base/metrics.h"
#include "base/metrics_text.h"
#include "base/version.h"
#include "config/config.h"
#include "daemon/api_priv.h"
#include "daemon/figures.h"
#include "plan/program.h"

enum { MOST_PARTITIONS = 1000 }; /* of a source that are listed */

static struct metrics *take_figures(struct api *api)
{
    struct metrics *m = metrics_new();

    figures_fill(api->host->figures, m);
    return m;
}

/* ---- ready ----------------------------------------------------------------------------------- */

struct reasons {
    struct buf out;
    bool any, fatal;
};

static void add_reason(struct reasons *r, bool fatal, const char *reason, const char *subject,
                       const char *detail)
{
    buf_adds(&r->out, r->any ? ",{" : "{");
    api_add_text(&r->out, "reason", reason);
    buf_addc(&r->out, ',');
    if (subject) {
        api_add_text(&r->out, "subject", subject);
        buf_addc(&r->out, ',');
    }
    api_add_text(&r->out, "detail", detail);
    buf_printf(&r->out, ",\"fatal\":%s}", fatal ? "true" : "false");
    r->any = true;
    r->fatal |= fatal;
}

/* With what the topic's clients say. */
static void add_topic_reason(struct reasons *r, struct figures *figures, const char *reason, const char *what)
{
    struct buf detail;

    buf_init(&detail);
    buf_printf(&detail, "%s: ", what);
    if (!figures_rules_topic_why(figures, &detail))
        buf_truncate(&detail, detail.len - 2);
    add_reason(r, false, reason, NULL, detail.data);
    buf_fini(&detail);
}

static void add_loading(struct reasons *r, struct figures *figures, const char *source)
{
    struct buf detail;

    buf_init(&detail);
    if (figures_source_loading(figures, source, &detail)) {
        buf_adds(&detail, ": the rules that read it see no event before it was read to its end");
        add_reason(r, true, "table_loading", source, detail.data);
    }
    buf_fini(&detail);
}

static void look_at(struct reasons *r, struct figures *figures, const struct metric_sample *sample)
{
    const char *subject = sample->label[0];

    if (sample->value == 0)
        return;
    switch (sample->metric) {
    case METRIC_checkpoint_failing:
        add_reason(r, true, "checkpoint", NULL, "nothing can be written: input waits");
        break;
    case METRIC_order_input_waits:
        add_reason(r, true, "input_waits", NULL,
                   "no input is taken: the database, or a sink that is to be waited for, cannot follow");
        break;
    case METRIC_daemon_reload_failing:
        add_reason(r, false, "rules", NULL, "rules or configuration were refused, at the last reload or at the start: what ran goes on, the log says why");
        break;
    case METRIC_daemon_drained:
        add_reason(r, true, "drained", NULL, "no input is taken until POST /v1/resume, or a start");
        break;
    case METRIC_rules_topic_failing:
        add_topic_reason(r, figures, "rules_topic", "no rules come from the topic");
        break;
    case METRIC_rules_topic_waiting:
        add_reason(r, false, "rules_refused", NULL,
                   "modules of the topic of rules were refused, and wait: what runs is not what the topic says");
        break;
    case METRIC_rules_topic_answers_failing:
        add_topic_reason(r, figures, "rules_results", "answers to the topic of rules wait");
        break;
    case METRIC_source_partitions_stalled:
        add_reason(r, false, "source_stalled", subject,
                   program_is_table_source(subject) ? "some of it cannot be read: rows stay as they are"
                                                    : "some of it cannot be read: event time stands still");
        break;
    case METRIC_source_loading:
        add_loading(r, figures, subject);
        break;
    case METRIC_source_spool_failing:
        add_reason(r, true, "spool", subject, "its spool cannot be written: what comes is not taken");
        break;
    case METRIC_sink_failing:
        add_reason(r, false, "sink_failing", subject, "what is delivered fails, and is tried again");
        break;
    case METRIC_sink_undecided:
        add_reason(r, true, "sink_undecided", subject,
                   "another state directory, or a later state of this one, wrote to its topic: nothing is sent (the "
                   "sink's last error says what can be done)");
        break;
    case METRIC_sink_disabled:
        add_reason(r, true, "sink_gone", subject,
                   "it answered 410 Gone: what is for it becomes dead letters (`tocsin sinks enable`)");
        break;
    default:
        break;
    }
}

void api_answer_ready(struct api *api, struct http_request *rq)
{
    struct metrics *m = take_figures(api);
    struct reasons r = {.any = false};
    struct buf b;

    buf_init(&r.out);
    pthread_mutex_lock(&api->lock);
    enum api_state state = api->state;
    pthread_mutex_unlock(&api->lock);
    if (state != API_RUNNING)
        add_reason(&r, true, state == API_STARTING ? "starting" : "stopping", NULL,
                   state == API_STARTING ? "the state is being recovered" : "the daemon stops");
    for (size_t i = 0; i < metrics_n(m); i++) {
        struct metric_sample sample = metrics_sample(m, i);
        look_at(&r, api->host->figures, &sample);
    }
    bool ready = !r.fatal && !(r.any && http_request_flag(rq, "strict"));
    buf_init(&b);
    buf_printf(&b, "{\"ready\":%s", ready ? "true" : "false");
    if (http_request_may(rq, HTTP_ROLE_READ))
        buf_printf(&b, ",\"reasons\":[%s]", r.out.len ? r.out.data : "");
    buf_adds(&b, "}\n");
    http_answer_json(rq, ready ? 200 : 503, &b);
    buf_fini(&r.out);
    metrics_free(&m);
}

/* ---- figures --------------------------------------------------------------------------------- */

void api_answer_metrics(struct api *api, struct http_request *rq)
{
    enum metrics_format format =
        http_request_wants_openmetrics(rq) ? METRICS_OPENMETRICS : METRICS_PROMETHEUS;
    struct metrics *m = take_figures(api);
    struct buf b;

    buf_init(&b);
    metrics_write(m, format, &b);
    http_answer(rq, 200, metrics_content_type(format), &b);
    metrics_free(&m);
}

static void add_sample(struct buf *out, const struct metric_sample *sample)
{
    const char *id = metric_specs[sample->metric].id;

    if (sample->histogram) {
        buf_printf(out, "\"%s_count\":%" PRIu64 ",\"%s_sum\":", id, histogram_count(sample->histogram), id);
        buf_add_double(out, (double)sample->histogram->sum / 1e9);
        return;
    }
    buf_printf(out, "\"%s", id);
    if (sample->label[1])
        buf_printf(out, "_%s", sample->label[1]);
    buf_adds(out, "\":");
    if (sample->is_time)
        buf_add_double(out, (double)sample->value / 1e9);
    else
        buf_printf(out, "%" PRIu64, (uint64_t)sample->value);
}

/* label: NULL: those without one. first: nothing stands before them. */
static void add_group(const struct metrics *m, int group, const char *label, bool first,
                      struct buf *out)
{
    for (size_t i = 0; i < metrics_n(m); i++) {
        struct metric_sample sample = metrics_sample(m, i);
        if ((int)metric_specs[sample.metric].group != group ||
            metric_specs[sample.metric].type == METRIC_INFO)
            continue;
        if (label ? !sample.label[0] || strcmp(sample.label[0], label) != 0 : sample.label[0] != NULL)
            continue;
        if (!first)
            buf_addc(out, ',');
        add_sample(out, &sample);
        first = false;
    }
}

void api_add_figures(struct api *api, int group, const char *label, struct buf *out)
{
    struct metrics *m = take_figures(api);

    metrics_sort(m);
    buf_addc(out, '{');
    add_group(m, group, label, true, out);
    buf_addc(out, '}');
    metrics_free(&m);
}

struct labelled { /* a figure of the group */
    const char *label; /* in the metrics */
    size_t at;
};

struct api_figures {
    struct metrics *m;
    struct labelled *figure; /* owned; by label, then as they are sorted */
    size_t n;
};

static int by_label(const void *a, const void *b)
{
    const struct labelled *x = a, *y = b;
    int order = strcmp(x->label, y->label);

    return order ? order : (x->at > y->at) - (x->at < y->at);
}

struct api_figures *api_figures_take(struct api *api, int group)
{
    struct api_figures *f = mem_calloc(1, sizeof *f);

    f->m = take_figures(api);
    metrics_sort(f->m);
    f->figure = mem_calloc(metrics_n(f->m) + 1, sizeof *f->figure);
    for (size_t i = 0; i < metrics_n(f->m); i++) {
        struct metric_sample sample = metrics_sample(f->m, i);
        if ((int)metric_specs[sample.metric].group == group && metric_specs[sample.metric].type != METRIC_INFO &&
            sample.label[0])
            f->figure[f->n++] = (struct labelled){sample.label[0], i};
    }
    qsort(f->figure, f->n, sizeof *f->figure, by_label);
    return f;
}

void api_figures_add(const struct api_figures *f, const char *label, struct buf *out)
{
    size_t low = 0, high = f->n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(f->figure[middle].label, label) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    buf_addc(out, '{');
    for (size_t i = low; i < f->n && strcmp(f->figure[i].label, label) == 0; i++) {
        struct metric_sample sample = metrics_sample(f->m, f->figure[i].at);
        if (i > low)
            buf_addc(out, ',');
        add_sample(out, &sample);
    }
    buf_addc(out, '}');
}

void api_figures_free(struct api_figures **f)
{
    if (!*f)
        return;
    metrics_free(&(*f)->m);
    mem_free((*f)->figure);
    mem_free(*f);
    *f = NULL;
}

void api_answer_info(struct api *api, struct http_request *rq)
{
    struct buf b;

    buf_init(&b);
    buf_addc(&b, '{');
    api_add_text(&b, "version", version_string());
    buf_addc(&b, ',');
    api_add_time(&b, "started", api->started);
    buf_adds(&b, "}\n");
    http_answer_json(rq, 200, &b);
}

const char *api_source_kind(enum config_source_kind kind)
{
    static const char *const word[] = {[CONFIG_FILE] = "file", [CONFIG_STDIN] = "stdin", [CONFIG_HTTP] = "http",
                                       [CONFIG_KAFKA] = "kafka"};

    return word[kind];
}

static void add_stalled(struct api *api, const char *source, struct buf *b)
{
    struct buf why;

    buf_init(&why);
    if (figures_source_stalled(api->host->figures, source, &why)) {
        buf_addc(b, ',');
        api_add_text(b, "stalled", why.data);
    }
    buf_fini(&why);
}

struct lag_list {
    struct buf *out;
    size_t n;
};

static void add_partition(void *ctx, const struct source_lag *lag)
{
    struct lag_list *list = ctx;

    if (list->n == MOST_PARTITIONS)
        return;
    buf_adds(list->out, list->n++ ? ",{" : "{");
    api_add_text(list->out, "partition", lag->partition);
    buf_printf(list->out, ",\"generation\":%" PRIu32 ",\"position\":%" PRIu64 ",\"behind_records\":%" PRIu64
                          ",\"behind_seconds\":", lag->generation, lag->position, lag->behind);
    buf_add_double(list->out, (double)lag->time / 1e9);
    buf_addc(list->out, '}');
}

/* Of topics. */
static void add_lag(struct api *api, const char *source, struct buf *b)
{
    struct lag_list list = {.out = b};

    buf_adds(b, ",\"lag\":[");
    figures_source_lag(api->host->figures, source, add_partition, &list);
    buf_addc(b, ']');
}

static void add_loading_of(struct api *api, const char *source, struct buf *b)
{
    struct buf how;

    buf_init(&how);
    if (figures_source_loading(api->host->figures, source, &how)) {
        buf_addc(b, ',');
        api_add_text(b, "loading", how.data);
    }
    buf_fini(&how);
}

static void add_table_sources(struct api *api, const struct metrics *m, bool any, struct buf *b)
{
    size_t n;
    char **name = figures_table_sources(api->host->figures, &n);

    for (size_t i = 0; i < n; i++) {
        buf_adds(b, any || i > 0 ? ",{" : "{");
        api_add_text(b, "name", name[i]);
        buf_adds(b, ",\"kind\":\"table\"");
        add_group(m, METRIC_GROUP_source, name[i], false, b);
        add_stalled(api, name[i], b);
        add_loading_of(api, name[i], b);
        add_lag(api, name[i], b);
        buf_addc(b, '}');
        mem_free(name[i]);
    }
    mem_free(name);
}

void api_answer_sources(struct api *api, struct http_request *rq)
{
    struct metrics *m = take_figures(api);
    struct buf b;

    metrics_sort(m);
    buf_init(&b);
    buf_adds(&b, "{\"sources\":[");
    pthread_mutex_lock(&api->lock);
    const struct config *config = api->config;
    for (size_t i = 0; i < config->n_sources; i++) {
        buf_adds(&b, i ? ",{" : "{");
        api_add_text(&b, "name", config->source[i].name);
        buf_printf(&b, ",\"kind\":\"%s\"",
                   api_source_kind(config->source[i].kind));
        add_group(m, METRIC_GROUP_source, config->source[i].name, false, &b);
        add_stalled(api, config->source[i].name, &b);
        if (config->source[i].kind == CONFIG_KAFKA)
            add_lag(api, config->source[i].name, &b);
        buf_addc(&b, '}');
    }
    bool any = config->n_sources > 0;
    pthread_mutex_unlock(&api->lock);
    add_table_sources(api, m, any, &b);
    buf_adds(&b, "]}\n");
    http_answer_json(rq, 200, &b);
    metrics_free(&m);
}

const char *api_sink_kind(enum config_sink_kind kind)
{
    static const char *const word[] = {"file", "stdout", "webhook", "kafka"};

    return word[kind];
}

/* That of a sink which works again, too: `failing` says which it is. */
static void add_last_error(struct api *api, const char *sink, struct buf *b)
{
    struct buf error;

    buf_init(&error);
    if (figures_sink_error(api->host->figures, sink, &error)) {
        buf_addc(b, ',');
        api_add_text(b, "last_error", error.data);
    }
    buf_fini(&error);
}

void api_answer_sinks(struct api *api, struct http_request *rq)
{
    struct metrics *m = take_figures(api);
    struct buf b;

    metrics_sort(m);
    buf_init(&b);
    buf_adds(&b, "{\"sinks\":[");
    pthread_mutex_lock(&api->lock);
    const struct config *config = api->config;
    for (size_t i = 0; i < config->n_sinks; i++) {
        buf_adds(&b, i ? ",{" : "{");
        api_add_text(&b, "name", config->sink[i].name);
        buf_printf(&b, ",\"kind\":\"%s\"", api_sink_kind(config->sink[i].kind));
        add_group(m, METRIC_GROUP_sink, config->sink[i].name, false, &b);
        add_last_error(api, config->sink[i].name, &b);
        buf_addc(&b, '}');
    }
    pthread_mutex_unlock(&api->lock);
    buf_adds(&b, "]}\n");
    http_answer_json(rq, 200, &b);
    metrics_free(&m);
}

void api_answer_checkpoints(struct api *api, struct http_request *rq)
{
    struct buf b;

    buf_init(&b);
    api_add_figures(api, METRIC_GROUP_checkpoint, NULL, &b);
    buf_addc(&b, '\n');
    http_answer_json(rq, 200, &b);
}
