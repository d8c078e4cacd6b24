// SPDX-License-Identifier: Apache-2.0
#include "daemon/figures_priv.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/metrics.h"
#include "base/metrics_text.h"
#include "base/version.h"
#include "config/config.h"
#include "daemon/rules_topic.h"
#include "flow/courier.h"
#include "flow/deliver.h"
#include "flow/pipeline.h"
#include "http/server.h"
#include "plan/program.h"
#include "state/checkpoint.h"
#include "state/outbox.h"

/* ---- what the parts say ---------------------------------------------------------------------- */

#define COUNT(metric, label, value) metrics_count(m, METRIC_##metric, label, NULL, value)
#define TIME(metric, label, value) metrics_time(m, METRIC_##metric, label, NULL, value)

static void fill_http(const struct figures *f, struct metrics *m)
{
    static const char *const answer[] = {NULL, NULL, "2xx", NULL, "4xx", "5xx"};
    struct http_stats stats;

    http_server_stats(f->http, &stats);
    for (size_t i = 0; i < sizeof answer / sizeof *answer; i++)
        if (answer[i])
            COUNT(http_requests, answer[i], stats.answers[i]);
    for (size_t i = 0; i < sizeof answer / sizeof *answer; i++)
        if (answer[i])
            metrics_histogram(m, METRIC_http_request_seconds, answer[i], NULL, &stats.seconds[i]);
    COUNT(http_refused, NULL, stats.refused);
    COUNT(http_connections, NULL, stats.connections);
    COUNT(http_streams, NULL, stats.streams);
    COUNT(http_slow, NULL, stats.slow);
}

static void fill_rules_topic(const struct figures *f, struct metrics *m)
{
    struct rules_topic_stats stats;
    struct buf why;

    buf_init(&why);
    rules_topic_stats(f->topic, &stats, &why);
    buf_fini(&why);
    COUNT(rules_topic_records, "applied", stats.applied);
    COUNT(rules_topic_records, "unchanged", stats.unchanged);
    COUNT(rules_topic_records, "superseded", stats.superseded);
    COUNT(rules_topic_records, "refused", stats.refused);
    COUNT(rules_topic_waiting, NULL, stats.waiting);
    COUNT(rules_topic_behind_records, NULL, stats.behind);
    COUNT(rules_topic_failing, NULL, stats.failing);
    COUNT(rules_topic_answers, NULL, stats.answered);
    COUNT(rules_topic_answers_waiting, NULL, stats.answers_waiting);
    COUNT(rules_topic_answers_dropped, NULL, stats.answers_dropped);
    COUNT(rules_topic_answers_failing, NULL, stats.answers_failing);
}

static void fill_process(const struct figures *f, struct metrics *m)
{
    struct rusage usage;
    struct rlimit limit;
    long pages, resident, size = sysconf(_SC_PAGESIZE);

    TIME(process_start_time_seconds, NULL, f->start);
    if (getrusage(RUSAGE_SELF, &usage) == 0)
        TIME(process_cpu_seconds, NULL,
             (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * INT64_C(1000000000) +
                 (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * INT64_C(1000));
    FILE *file = fopen("/proc/self/statm", "re");
    if (file && fscanf(file, "%ld %ld", &pages, &resident) == 2) {
        COUNT(process_virtual_memory_bytes, NULL, (uint64_t)pages * (uint64_t)size);
        COUNT(process_resident_memory_bytes, NULL, (uint64_t)resident * (uint64_t)size);
    }
    if (file)
        fclose(file);
    DIR *dir = opendir("/proc/self/fd");
    uint64_t n = 0;
    while (dir && readdir(dir))
        n++;
    if (dir) { /* without `.', `..' and the directory itself */
        COUNT(process_open_fds, NULL, n > 3 ? n - 3 : 0);
        closedir(dir);
    }
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0)
        COUNT(process_max_fds, NULL, limit.rlim_cur);
}

static void fill_daemon(const struct figures *f, struct metrics *m)
{
    static const char *const result[N_RELOADS] = {"done", "unchanged", "refused"};

    COUNT(daemon_build, version_string(), 1);
    for (int i = 0; i < N_RELOADS; i++)
        COUNT(daemon_reloads, result[i], f->reloads[i]);
    COUNT(daemon_reload_failing, NULL, f->refused);
    COUNT(daemon_drained, NULL, f->drained);
    COUNT(daemon_uploaded_tables, NULL, f->uploaded_tables);
    COUNT(daemon_uploaded_bytes, NULL, f->uploaded_bytes);
    COUNT(daemon_uploaded_limit_bytes, NULL, f->config ? f->config->http.table_bytes : 0);
}

static bool is_time(int64_t time)
{
    return time != INT64_MIN && time != INT64_MAX;
}

static void fill_source(struct metrics *m, const char *name, const struct pipeline_source_stats *stats)
{
    const struct stage_stats *stage = &stats->stage;

    COUNT(source_lines, name, stats->lines);
    COUNT(source_read_bytes, name, stats->bytes);
    COUNT(source_events, name, stage->events);
    COUNT(source_broken, name, stage->broken);
    COUNT(source_late, name, stage->late);
    COUNT(source_set_aside, name, stage->aside);
    COUNT(source_quarantined, name, stage->quarantined);
    COUNT(source_read_again, name, stage->again);
    COUNT(source_partitions, name, stage->partitions);
    COUNT(source_partitions_idle, name, stage->idle);
    COUNT(source_partitions_stalled, name, stage->stalled);
    COUNT(source_partitions_paused, name, stage->paused);
    COUNT(source_waiting_events, name, stage->waiting);
    COUNT(source_behind_records, name, stats->own.behind);
    COUNT(source_behind_most_records, name, stats->own.behind_most);
    TIME(source_behind_seconds, name, stats->own.behind_time);
    COUNT(source_empty_records, name, stats->own.empty);
    COUNT(source_unread_bytes, name, stats->own.unread);
    if (program_is_table_source(name))
        COUNT(source_loading, name, stage->loading);
    if (stats->own.spool_limit > 0) {
        COUNT(source_spool_bytes, name, stats->own.spool_bytes);
        COUNT(source_spool_limit_bytes, name, stats->own.spool_limit);
        COUNT(source_spool_failing, name, stats->own.spool_failing);
    }
    if (is_time(stage->newest)) {
        TIME(source_newest_event_timestamp_seconds, name, stage->newest);
        TIME(source_lag_seconds, name, clock_wall() - stage->newest);
    }
    if (is_time(stage->frontier))
        TIME(source_frontier_timestamp_seconds, name, stage->frontier);
    if (is_time(stage->watermark))
        TIME(source_watermark_timestamp_seconds, name, stage->watermark);
}

struct lag_fill {
    struct metrics *m;      /* NULL: they are counted only */
    const char *source;
    uint64_t n;
};

static void fill_partition(void *ctx, const struct source_lag *lag)
{
    struct lag_fill *fill = ctx;

    fill->n++;
    if (!fill->m)
        return;
    metrics_count(fill->m, METRIC_partition_behind_records, fill->source, lag->partition, lag->behind);
    metrics_time(fill->m, METRIC_partition_behind_seconds, fill->source, lag->partition, lag->time);
}

/* Of few partitions each. */
static void fill_partitions(const struct figures *f, struct metrics *m, size_t source)
{
    const struct config_source *from = &f->config->source[source];
    struct lag_fill fill = {.source = from->name};

    if (from->kind != CONFIG_KAFKA)
        return;
    pipeline_source_lag(f->pipeline, source, fill_partition, &fill);
    fill.m = m;
    if (fill.n <= from->kafka.partition_figures)
        pipeline_source_lag(f->pipeline, source, fill_partition, &fill);
}

static void fill_rule(void *ctx, const char *name, const struct engine_rule_stats *stats)
{
    struct metrics *m = ctx;
    const struct {
        const char *limit;
        uint64_t n;
    } limited[] = {{"runs", stats->limited_runs},       {"events", stats->limited_events},
                   {"state", stats->limited_state},     {"values", stats->limited_values},
                   {"matches", stats->limited_matches}, {"keys", stats->limited_keys},
                   {"alerts", stats->limited_alerts}};

    COUNT(rule_events, name, stats->events);
    COUNT(rule_alerts, name, stats->alerts);
    COUNT(rule_suppressed, name, stats->suppressed);
    COUNT(rule_excepted, name, stats->excepted);
    COUNT(rule_no_key, name, stats->no_key);
    for (size_t i = 0; i < sizeof limited / sizeof *limited; i++)
        metrics_count(m, METRIC_rule_limited, name, limited[i].limit, limited[i].n);
    COUNT(rule_type_clash, name, stats->type_clash);
    COUNT(rule_regex_limit, name, stats->regex_limit);
    COUNT(rule_runs, name, stats->runs);
    COUNT(rule_keys, name, stats->keys);
    COUNT(rule_state_bytes, name, stats->bytes);
    metrics_time(m, METRIC_rule_seconds, name, "conditions", (int64_t)stats->conditions_ns);
    metrics_time(m, METRIC_rule_seconds, name, "engine", (int64_t)stats->engine_ns);
}

static void fill_table(void *ctx, const char *name, const struct rule_watch_table *stats)
{
    struct metrics *m = ctx;

    COUNT(table_rows, name, stats->rows);
    COUNT(table_memory_bytes, name, stats->bytes);
    COUNT(table_refused, name, stats->refused);
}

static void fill_pipeline(const struct figures *f, struct metrics *m)
{
    struct stage_order_stats order;
    struct shard_stats engine;

    for (size_t i = 0; i < pipeline_sources(f->pipeline); i++) {
        struct pipeline_source_stats source;
        pipeline_source_stats(f->pipeline, i, &source);
        fill_source(m, pipeline_source_name(f->pipeline, i), &source);
        if (i < f->config->n_sources) /* tables have none of their own */
            fill_partitions(f, m, i);
    }
    pipeline_order_stats(f->pipeline, &order);
    COUNT(order_memory_bytes, NULL, order.memory);
    COUNT(order_memory_limit_bytes, NULL, f->config->buffer_limit);
    COUNT(order_spilled_bytes, NULL, order.spilled);
    COUNT(order_spilled_limit_bytes, NULL, f->config->spill_limit);
    COUNT(order_queue_bytes, NULL, order.queued_bytes);
    COUNT(order_queue_limit_bytes, NULL, f->config->queue_limit);
    COUNT(order_input_waits, NULL, order.waits);
    pipeline_engine_stats(f->pipeline, &engine);
    COUNT(engine_events, NULL, engine.events);
    COUNT(engine_alerts, NULL, engine.alerts);
    COUNT(engine_state_bytes, NULL, engine.memory);
    COUNT(engine_state_limit_bytes, NULL, f->config->memory_limit);
    COUNT(engine_keys_loaded, NULL, engine.loads);
    TIME(engine_encode_seconds, NULL, engine.encode_ns);
    TIME(engine_longest_pause_seconds, NULL, engine.longest_pause);
    TIME(engine_longest_pause_cpu_seconds, NULL, engine.longest_work);
    metrics_histogram(m, METRIC_engine_alert_durable_seconds, NULL, NULL, &engine.durable);
    COUNT(daemon_rules, NULL, f->n_rules);
}

static void fill_alerts(struct alert_log *log, struct metrics *m)
{
    struct alert_log_stats stats = alert_log_stats(log);

    COUNT(alerts_stored, NULL, stats.count);
    COUNT(alerts_stored_bytes, NULL, stats.bytes);
    COUNT(alerts_numbered, NULL, stats.added);
    COUNT(alerts_expired, NULL, stats.pushed_out);
}

static void fill_checkpoint(const struct figures *f, struct metrics *m)
{
    struct checkpoint_stats stats = checkpoint_stats(f->cp);
    struct dead_letter_stats dead = checkpoint_dead_letters(f->cp);

    COUNT(checkpoint_epochs, NULL, stats.epochs);
    COUNT(checkpoint_waiting, NULL, stats.waiting);
    COUNT(checkpoint_written_bytes, NULL, stats.bytes);
    TIME(checkpoint_write_seconds, NULL, stats.write_ns);
    TIME(checkpoint_last_write_seconds, NULL, stats.last_write_ns);
    metrics_histogram(m, METRIC_checkpoint_duration_seconds, NULL, NULL, &stats.writes);
    if (stats.last != 0) {
        TIME(checkpoint_last_timestamp_seconds, NULL, stats.last);
        TIME(checkpoint_age_seconds, NULL, clock_wall() - stats.last);
    }
    COUNT(checkpoint_failures, NULL, stats.failures);
    COUNT(checkpoint_failing, NULL, stats.failed);
    COUNT(dead_letters_kept, NULL, dead.count);
    COUNT(dead_letters_kept_bytes, NULL, dead.bytes);
    COUNT(dead_letters_added, NULL, dead.added);
    COUNT(dead_letters_pushed_out, NULL, dead.pushed_out);
    if (checkpoint_alerts(f->cp))
        fill_alerts(checkpoint_alerts(f->cp), m);
}

static void fill_webhook(const struct figures *f, struct metrics *m, uint32_t sink, const char *name)
{
    struct courier_stats stats;
    int64_t now = clock_wall();

    courier_stats(f->courier, sink, &stats);
    COUNT(sink_delivered, name, stats.delivered);
    metrics_histogram(m, METRIC_sink_delivery_seconds, name, NULL, &stats.took);
    COUNT(sink_failures, name, stats.failures);
    COUNT(sink_failing, name, stats.failing_since != 0);
    TIME(sink_failing_seconds, name, stats.failing_since ? now - stats.failing_since : 0);
    TIME(sink_oldest_seconds, name, stats.oldest ? now - stats.oldest : 0);
    COUNT(sink_requests, name, stats.requests);
    COUNT(sink_retries, name, stats.retries);
    COUNT(sink_in_flight, name, stats.in_flight);
    COUNT(sink_muted, name, stats.muted);
    COUNT(sink_disabled, name, stats.disabled_since != 0);
}

static void fill_kafka(struct metrics *m, const char *name, const struct sink_figures *figures)
{
    COUNT(sink_transactions, name, figures->transactions);
    COUNT(sink_aborts, name, figures->aborts);
    COUNT(sink_producers, name, figures->producers);
    COUNT(sink_undecided, name, figures->undecided);
}

/* What the sinks' threads count; they end when sinks change. */
static void fill_sinks(const struct figures *f, struct metrics *m)
{
    for (uint32_t i = 0; i < f->sink_config->n_sinks; i++) {
        const char *name = f->sink_config->sink[i].name;
        struct deliver_stats stats;
        if (f->sink_config->sink[i].kind == CONFIG_SINK_WEBHOOK) {
            fill_webhook(f, m, i, name);
            continue;
        }
        deliver_stats(f->deliver, i, &stats);
        COUNT(sink_delivered, name, stats.delivered);
        metrics_histogram(m, METRIC_sink_delivery_seconds, name, NULL, &stats.took);
        COUNT(sink_muted, name, stats.muted);
        COUNT(sink_failures, name, stats.failures);
        COUNT(sink_failing, name, stats.failing);
        if (f->sink_config->sink[i].kind == CONFIG_SINK_KAFKA)
            fill_kafka(m, name, &stats.sink);
        TIME(sink_oldest_seconds, name, stats.waits);
    }
}

static void fill_queues(const struct figures *f, struct metrics *m)
{
    for (uint32_t i = 0; i < f->sink_config->n_sinks; i++) {
        const char *name = f->sink_config->sink[i].name;
        struct outbox_stats stats;
        outbox_stats(checkpoint_outbox(f->cp), i, &stats);
        COUNT(sink_waiting, name, stats.waiting);
        COUNT(sink_waiting_limit, name, f->sink_config->sink[i].max_count);
        COUNT(sink_waiting_bytes, name, stats.waiting_bytes);
        COUNT(sink_waiting_limit_bytes, name, f->sink_config->sink[i].max_bytes);
        COUNT(sink_rejected, name, stats.rejected);
        COUNT(sink_overflowed, name, stats.overflowed);
    }
}

/* ---- parts come and go ----------------------------------------------------------------------- */

struct figures *figures_new(void)
{
    struct figures *f = mem_calloc(1, sizeof *f);

    pthread_mutex_init(&f->lock, NULL);
    f->start = clock_wall();
    f->past_pipeline = metrics_new();
    f->past_sinks = metrics_new();
    f->last_rules = metrics_new();
    f->past_rules = metrics_new();
    return f;
}

void figures_free(struct figures **f)
{
    if (!*f)
        return;
    metrics_free(&(*f)->past_pipeline);
    metrics_free(&(*f)->past_sinks);
    metrics_free(&(*f)->last_rules);
    metrics_free(&(*f)->past_rules);
    pthread_mutex_destroy(&(*f)->lock);
    mem_free(*f);
    *f = NULL;
}

void figures_set_checkpoint(struct figures *f, struct checkpoint *cp)
{
    pthread_mutex_lock(&f->lock);
    f->cp = cp;
    pthread_mutex_unlock(&f->lock);
}

/* What one that ends has counted, with what those before it had. */
static void keep(struct figures *f, struct metrics **past,
                 void (*fill)(const struct figures *f, struct metrics *m))
{
    struct metrics *m = metrics_new();

    fill(f, m);
    metrics_carry(m, *past);
    metrics_free(past);
    *past = m;
}

/* A pipeline goes on with what the state of its rules says. */
static void fill_rules(const struct figures *f, struct metrics *m)
{
    pipeline_each_rule(f->pipeline, fill_rule, m);
    pipeline_each_table(f->pipeline, fill_table, m);
}

static void keep_rules(struct figures *f)
{
    metrics_free(&f->last_rules);
    f->last_rules = metrics_new();
    fill_rules(f, f->last_rules);
    metrics_carry(f->last_rules, f->past_rules);
}

/* A version that is drained, or given up for another one, takes what it counted with it: its rule's counters go on. */
static void go_on_with_rules(struct figures *f)
{
    struct metrics *now = metrics_new(), *past = metrics_new();

    fill_rules(f, now);
    metrics_fallen(past, now, f->last_rules);
    metrics_free(&now);
    metrics_free(&f->past_rules);
    f->past_rules = past;
}

void figures_set_pipeline(struct figures *f, const struct config *config, struct pipeline *p,
                          uint32_t n_rules)
{
    pthread_mutex_lock(&f->lock);
    if (f->pipeline) {
        keep(f, &f->past_pipeline, fill_pipeline);
        keep_rules(f);
    }
    f->config = config;
    f->pipeline = p;
    f->n_rules = n_rules;
    if (p)
        go_on_with_rules(f);
    pthread_mutex_unlock(&f->lock);
}

void figures_set_sinks(struct figures *f, const struct config *config, struct deliver *deliver,
                       struct courier *courier)
{
    pthread_mutex_lock(&f->lock);
    if (f->deliver)
        keep(f, &f->past_sinks, fill_sinks);
    f->sink_config = config;
    f->deliver = deliver;
    f->courier = courier;
    pthread_mutex_unlock(&f->lock);
}

void figures_set_http(struct figures *f, struct http_server *http)
{
    pthread_mutex_lock(&f->lock);
    f->http = http;
    pthread_mutex_unlock(&f->lock);
}

void figures_set_rules_topic(struct figures *f, struct rules_topic *topic)
{
    pthread_mutex_lock(&f->lock);
    f->topic = topic;
    pthread_mutex_unlock(&f->lock);
}

void figures_note_reload(struct figures *f, enum figures_reload what)
{
    pthread_mutex_lock(&f->lock);
    f->reloads[what]++;
    f->refused = what == FIGURES_RELOAD_REFUSED;
    pthread_mutex_unlock(&f->lock);
}

void figures_note_refused(struct figures *f)
{
    pthread_mutex_lock(&f->lock);
    f->refused = true;
    pthread_mutex_unlock(&f->lock);
}

void figures_note_uploads(struct figures *f, uint64_t tables, uint64_t bytes)
{
    pthread_mutex_lock(&f->lock);
    f->uploaded_tables = tables;
    f->uploaded_bytes = bytes;
    pthread_mutex_unlock(&f->lock);
}

void figures_note_drained(struct figures *f, bool drained)
{
    pthread_mutex_lock(&f->lock);
    f->drained = drained;
    pthread_mutex_unlock(&f->lock);
}

/* ---- all of them ------------------------------------------------------------------------------ */

void figures_fill(struct figures *f, struct metrics *m)
{
    pthread_mutex_lock(&f->lock);
    if (f->pipeline) {
        fill_pipeline(f, m);
        metrics_carry(m, f->past_pipeline);
        struct metrics *rules = metrics_new();
        fill_rules(f, rules);
        metrics_carry(rules, f->past_rules);
        metrics_stand_in(m, rules);
        metrics_free(&rules);
    } else { /* rules change: a gap would look as if they were gone, and alerts on figures would begin anew */
        metrics_stand_in(m, f->past_pipeline);
        metrics_stand_in(m, f->last_rules);
    }
    if (f->deliver) { /* before what is no sinks' thread's: that is not carried */
        fill_sinks(f, m);
        metrics_carry(m, f->past_sinks);
        fill_queues(f, m);
    }
    if (f->cp)
        fill_checkpoint(f, m);
    if (f->http)
        fill_http(f, m);
    if (f->topic)
        fill_rules_topic(f, m);
    fill_daemon(f, m);
    pthread_mutex_unlock(&f->lock);
    fill_process(f, m);
}

static void tell_line(void *ctx, enum log_category category, const char *fields)
{
    (void)ctx;
    log_always(LOG_INFO, category, "figures", fields);
}

void figures_tell(struct figures *f)
{
    struct metrics *m = metrics_new();

    figures_fill(f, m);
    metrics_lines(m, tell_line, NULL);
    metrics_free(&m);
}
