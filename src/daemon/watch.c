// SPDX-License-Identifier: Apache-2.0
/* watch - what the main thread looks at now and then, between signals. */
#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/metrics.h"
#include "config/config.h"
#include "daemon/boot_priv.h"
#include "daemon/figures.h"
#include "flow/pipeline.h"
#include "flow/route.h"
#include "flow/unseen.h"
#include "state/checkpoint.h"

#define LOOK_AT_ROUTES INT64_C(500000000) /* ns: do windows of mute begin or end? */
#define STATUS_EVERY INT64_C(5000000000)
enum { FIELDS_EVENTS = 10000, FIELDS_TOLD = 20 }; /* events of each source, then fields */
#define LONGEST_WORK INT64_C(60000000000) /* then a thread hangs, if nobody says what is long */

/* Message with several lines: one each. */
void boot_say(enum log_level level, enum log_category category, const char *msg,
                const struct buf *why)
{
    const char *text = why->len ? why->data : "";
    size_t left = why->len;

    while (left > 0) {
        const char *end = memchr(text, '\n', left);
        size_t len = end ? (size_t)(end - text) : left;
        char *line = mem_strndup(text, len);
        struct buf b;
        buf_init(&b);
        log_field(&b, level == LOG_INFO ? "what" : "why", line);
        log_always(level, category, msg, b.data);
        buf_fini(&b);
        mem_free(line);
        text += len + (end != NULL);
        left -= len + (end != NULL);
    }
}

void boot_tell_warnings(const struct config *config)
{
    if (config->warnings > 0)
        log_line(LOG_WARNING, LOG_config, "the configuration has warnings: `tocsind --check` tells them",
                 "warnings=%zu", config->warnings);
}

static void watch_checkpoint(struct daemon *d)
{
    struct buf why;

    buf_init(&why);
    bool failed = checkpoint_failed(d->cp, &why);
    if (failed && !d->cannot_write)
        boot_say(LOG_ERROR, LOG_checkpoint, "nothing can be written: input waits", &why);
    if (!failed && d->cannot_write)
        log_line(LOG_INFO, LOG_checkpoint, "it can be written again", NULL);
    d->cannot_write = failed;
    buf_fini(&why);
}

static void watch_routes(struct daemon *d)
{
    int64_t now = clock_monotonic();

    if (now - d->routes_at < LOOK_AT_ROUTES)
        return;
    d->routes_at = now;
    route_look(d->config->routes, clock_wall());
}

/* A thread that hangs is told, and the service manager hears nothing until it gets on. */
static void watch_threads(struct daemon *d)
{
    int64_t longest = d->notify.watchdog > 0 ? d->notify.watchdog : LONGEST_WORK;
    const char *stuck = checkpoint_stuck(d->cp, longest) ? "checkpoint"
                                                         : pipeline_stuck(d->pipeline, longest);

    if (stuck)
        log_line(LOG_ERROR, LOG_daemon, "a thread hangs", "thread=%s", stuck);
    else
        notify_alive(&d->notify);
}

/* "12 rules, 250 events/s, lag 1.2 s, failing sinks: hook pager" */
static void add_status(struct daemon *d, struct metrics *m, int64_t passed, struct buf *out)
{
    uint64_t events = 0;
    int64_t lag = INT64_MIN, rules = 0;
    struct buf failing;

    buf_init(&failing);
    for (size_t i = 0; i < metrics_n(m); i++) {
        struct metric_sample sample = metrics_sample(m, i);
        if (sample.metric == METRIC_source_events)
            events += (uint64_t)sample.value;
        else if (sample.metric == METRIC_source_lag_seconds && sample.value > lag)
            lag = sample.value;
        else if (sample.metric == METRIC_daemon_rules)
            rules = sample.value;
        else if (sample.metric == METRIC_sink_failing && sample.value != 0)
            buf_printf(&failing, " %s", sample.label[0]);
    }
    buf_printf(out, "%" PRId64 " rule%s, %.0f events/s", rules, rules == 1 ? "" : "s",
               passed > 0 && events >= d->status.events
                   ? (double)(events - d->status.events) * 1e9 / (double)passed
                   : 0.0);
    if (lag != INT64_MIN)
        buf_printf(out, ", lag %.1f s", (double)lag / 1e9);
    if (d->cannot_write)
        buf_adds(out, ", nothing can be written");
    if (failing.len > 0)
        buf_printf(out, ", failing sinks:%s", failing.data);
    d->status.events = events;
    buf_fini(&failing);
}

static void watch_status(struct daemon *d)
{
    int64_t now = clock_monotonic(), passed = d->status.at ? now - d->status.at : 0;
    struct buf text;

    if (!d->notify.on || (d->status.at && passed < STATUS_EVERY))
        return;
    d->status.at = now;
    buf_init(&text);
    struct metrics *m = metrics_new();
    figures_fill(d->figures, m);
    add_status(d, m, passed, &text);
    notify_status(&d->notify, text.data);
    metrics_free(&m);
    buf_fini(&text);
}

/* A field that no event has is mistyped, most likely: told once of each set of rules. */
static void watch_fields(struct daemon *d)
{
    const struct program *prog = d->rules.prog[0];
    struct unseen unseen;
    const char *near;

    if (d->fields_of == prog || !pipeline_unseen(d->pipeline, FIELDS_EVENTS, &unseen))
        return;
    d->fields_of = prog;
    for (size_t i = 0; i < unseen.n && i < FIELDS_TOLD; i++) {
        struct buf b;
        buf_init(&b);
        log_field(&b, "field", unseen_path(&unseen, prog, i, &near));
        if (near)
            log_field(&b, "near", near);
        log_line(LOG_WARNING, LOG_rules, "no event so far has a field that rules read", "%s", b.data);
        buf_fini(&b);
    }
    unseen_fini(&unseen);
}

void boot_watch(struct daemon *d)
{
    watch_fields(d);
    watch_checkpoint(d);
    watch_routes(d);
    watch_threads(d);
    watch_status(d);
}
