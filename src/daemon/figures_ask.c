// SPDX-License-Identifier: Apache-2.0
/* figures_ask - what is asked of one source, sink or topic: why it stands still, how far it is. */
#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "config/config.h"
#include "daemon/figures_priv.h"
#include "daemon/rules_topic.h"
#include "flow/courier.h"
#include "flow/deliver.h"
#include "flow/pipeline.h"
#include "plan/program.h"

static void source_stats(const struct figures *f, const char *source, struct pipeline_source_stats *stats_out)
{
    for (size_t i = 0; f->pipeline && i < pipeline_sources(f->pipeline); i++)
        if (strcmp(pipeline_source_name(f->pipeline, i), source) == 0)
            pipeline_source_stats(f->pipeline, i, stats_out);
}

bool figures_source_stalled(struct figures *f, const char *source, struct buf *out)
{
    struct pipeline_source_stats stats = {0};

    pthread_mutex_lock(&f->lock);
    source_stats(f, source, &stats);
    pthread_mutex_unlock(&f->lock);
    buf_adds(out, stats.stage.stalled_why);
    return stats.stage.stalled_why[0] != '\0';
}

bool figures_rules_topic_why(struct figures *f, struct buf *out)
{
    struct rules_topic_stats stats;
    size_t before = out->len;

    pthread_mutex_lock(&f->lock);
    if (f->topic)
        rules_topic_stats(f->topic, &stats, out);
    pthread_mutex_unlock(&f->lock);
    return out->len > before;
}

void figures_source_lag(struct figures *f, const char *source, source_lag_fn *found, void *ctx)
{
    pthread_mutex_lock(&f->lock);
    for (size_t i = 0; f->pipeline && i < pipeline_sources(f->pipeline); i++)
        if (strcmp(pipeline_source_name(f->pipeline, i), source) == 0)
            pipeline_source_lag(f->pipeline, i, found, ctx);
    pthread_mutex_unlock(&f->lock);
}

bool figures_source_loading(struct figures *f, const char *source, struct buf *out)
{
    struct pipeline_source_stats stats = {0};

    pthread_mutex_lock(&f->lock);
    source_stats(f, source, &stats);
    pthread_mutex_unlock(&f->lock);
    if (stats.stage.loading && stats.stage.stalled_why[0] != '\0')
        buf_printf(out, "waiting: %s", stats.stage.stalled_why);
    else if (stats.stage.loading)
        buf_printf(out, "reading, %" PRIu64 " of %" PRIu64, stats.lines, stats.lines + stats.own.behind);
    return stats.stage.loading;
}

char **figures_table_sources(struct figures *f, size_t *n_out)
{
    char **name;
    size_t n = 0;

    pthread_mutex_lock(&f->lock);
    size_t most = f->pipeline ? pipeline_sources(f->pipeline) : 0;
    name = mem_calloc(most + 1, sizeof *name);
    for (size_t i = 0; i < most; i++) {
        const char *is = pipeline_source_name(f->pipeline, i);
        if (program_is_table_source(is))
            name[n++] = mem_strndup(is, strlen(is));
    }
    pthread_mutex_unlock(&f->lock);
    *n_out = n;
    return name;
}

bool figures_sink_error(struct figures *f, const char *sink, struct buf *out)
{
    struct courier_stats web;
    struct deliver_stats stats;
    const char *error = "";

    pthread_mutex_lock(&f->lock);
    uint32_t i = f->deliver ? config_sink_named(f->sink_config, sink) : UINT32_MAX;
    if (i != UINT32_MAX && f->sink_config->sink[i].kind == CONFIG_SINK_WEBHOOK) {
        courier_stats(f->courier, i, &web);
        error = web.last_error;
    } else if (i != UINT32_MAX) {
        deliver_stats(f->deliver, i, &stats);
        error = stats.last_error;
    }
    buf_adds(out, error);
    pthread_mutex_unlock(&f->lock);
    return *error != '\0';
}
