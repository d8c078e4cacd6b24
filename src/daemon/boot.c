// SPDX-License-Identifier: Apache-2.0
#include "daemon/boot.h"

#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "config/config.h"
#include "daemon/options.h"
#include "daemon/ruleset.h"
#include "daemon/wiring.h"
#include "flow/deliver.h"
#include "flow/pipeline.h"
#include "flow/time_field.h"
#include "io/sink.h"
#include "plan/program.h"
#include "state/checkpoint.h"

#define PERIOD INT64_C(20000000) /* ns between two looks */

struct daemon {
    const struct config *config;
    struct checkpoint *cp;
    struct sink **sink;
    struct deliver *deliver;
    struct spooler *in;
    struct time_specs times;
    struct ruleset rules;
    struct pipeline *pipeline;
    bool cannot_write;  /* was told */
};

static const int taken_signals[] = {SIGHUP, SIGTERM, SIGINT, SIGUSR1};

static void signal_set(sigset_t *set)
{
    sigemptyset(set);
    for (size_t i = 0; i < sizeof taken_signals / sizeof *taken_signals; i++)
        sigaddset(set, taken_signals[i]);
}

/* Message with several lines: one each. */
static void say(enum log_level level, enum log_category category, const char *msg,
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

/* ---- the start ------------------------------------------------------------------------------- */

static bool open_state(struct daemon *d, struct buf *why)
{
    struct checkpoint_options opt = {.dir = d->config->state,
                                     .create = true,
                                     .dead_letter_bytes = d->config->dead_letter_bytes,
                                     .dead_letter_count = d->config->dead_letter_count};

    d->cp = checkpoint_open(&opt, why);
    if (!d->cp || !wiring_outbox(d->config, d->cp, why))
        return false;
    checkpoint_start(d->cp);
    d->sink = wiring_sinks(d->config);
    d->deliver = deliver_start(checkpoint_outbox(d->cp), d->sink, (uint32_t)d->config->n_sinks);
    return true;
}

/* Nothing was read yet: what runs is what the database says, or what the directory says if it can be
 * gone over to. */
static bool choose_rules(struct daemon *d, struct buf *why)
{
    struct ruleset next;
    struct buf said;
    enum ruleset_result ran = ruleset_load(&d->rules, d->config, checkpoint_store(d->cp), why);

    if (ran == RULESET_FAILED)
        return false;
    if (ran == RULESET_REFUSED)
        say(LOG_WARNING, LOG_rules, "the rules that ran do not compile any more", why);
    buf_clear(why);
    buf_init(&said);
    enum ruleset_result now = ruleset_change(&d->rules, d->config, INT64_MIN, clock_wall(), &next,
                                             &said, why);
    if (now == RULESET_OK) {
        struct epoch *ep = epoch_new();
        ruleset_save(&next, ep->batch);
        checkpoint_submit(d->cp, ep);
        ruleset_fini(&d->rules);
        d->rules = next;
        say(LOG_INFO, LOG_rules, "rules", &said);
    } else if (now == RULESET_REFUSED && d->rules.mods.n > 0 && ran == RULESET_OK) {
        say(LOG_ERROR, LOG_rules, "the rules directory is refused; the rules that ran go on", why);
        now = RULESET_SAME;
    }
    buf_fini(&said);
    return now == RULESET_OK || now == RULESET_SAME;
}

static void raise_file_limit(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

static int start(struct daemon *d, struct buf *why)
{
    if (!open_state(d, why)) {
        say(LOG_ERROR, LOG_daemon, "cannot start", why);
        return DAEMON_FAILED;
    }
    if (!choose_rules(d, why)) {
        say(LOG_ERROR, LOG_rules, "cannot start", why);
        return DAEMON_WRONG;
    }
    buf_clear(why);
    if (!wiring_spooler(d->config, d->cp, &d->in, why)) {
        say(LOG_ERROR, LOG_source, "cannot start", why);
        return DAEMON_FAILED;
    }
    d->pipeline = wiring_pipeline(d->config, &d->rules, &d->times, d->cp, d->in, why);
    if (!d->pipeline) {
        say(LOG_ERROR, LOG_daemon, "cannot start", why);
        return DAEMON_FAILED;
    }
    log_line(LOG_INFO, LOG_daemon, "ready", "rules=%" PRIu32 " sources=%zu sinks=%zu",
             d->rules.prog[0]->n_rules, d->config->n_sources, d->config->n_sinks);
    return DAEMON_OK;
}

/* ---- while it runs ---------------------------------------------------------------------------- */

/* The signal that came within PERIOD, or 0. ends_only: the others stay pending. */
static int next_signal(bool ends_only)
{
    struct timespec period = {.tv_nsec = PERIOD};
    sigset_t set;
    int number;

    signal_set(&set);
    if (ends_only) {
        sigdelset(&set, SIGHUP);
        sigdelset(&set, SIGUSR1);
    }
    number = sigtimedwait(&set, NULL, &period);
    return number > 0 ? number : 0;
}

/* Waits for the last checkpoint of the pipeline. A second SIGTERM gives up. */
static bool settle(struct daemon *d, struct buf *why)
{
    int64_t told = clock_monotonic();

    while (!pipeline_stopped(d->pipeline)) {
        int number = next_signal(true);
        if (number == SIGTERM || number == SIGINT || pipeline_broken(d->pipeline, why))
            return false;
        if (clock_monotonic() - told > INT64_C(5000000000)) {
            told = clock_monotonic();
            buf_clear(why);
            if (checkpoint_failed(d->cp, why))
                say(LOG_ERROR, LOG_checkpoint, "the last checkpoint cannot be written", why);
        }
    }
    return true;
}

/* From one set of rules to another: the pipeline ends with a checkpoint that holds the new set, and
 * begins anew from what is durable. False: it cannot go on. */
static bool swap(struct daemon *d, struct ruleset *next, struct buf *why)
{
    struct store_batch *extra = store_batch_new();
    int64_t begin = clock_monotonic();

    ruleset_save(next, extra);
    pipeline_stop(d->pipeline, extra);
    if (!settle(d, why)) {
        ruleset_fini(next);
        return false;
    }
    pipeline_free(&d->pipeline);
    ruleset_fini(&d->rules);
    d->rules = *next;
    /* The pipeline points into d->rules. */
    d->pipeline = wiring_pipeline(d->config, &d->rules, &d->times, d->cp, d->in, why);
    char ms[40];
    snprintf(ms, sizeof ms, "ms=%.1f", (double)(clock_monotonic() - begin) / 1e6);
    if (d->pipeline)
        log_always(LOG_INFO, LOG_rules, "swapped", ms);
    return d->pipeline != NULL;
}

static bool reload(struct daemon *d, struct buf *why)
{
    struct ruleset next;
    struct buf said;
    bool ok = true;

    for (size_t i = 0; i < d->config->n_sinks; i++)
        sink_reopen(d->sink[i]);
    if (config_changed(d->config))
        log_line(LOG_WARNING, LOG_daemon, "the configuration has changed: it is read at the next start",
                 NULL);
    buf_init(&said);
    switch (ruleset_change(&d->rules, d->config, pipeline_frontier(d->pipeline), clock_wall(), &next,
                           &said, why)) {
    case RULESET_OK:
        say(LOG_INFO, LOG_rules, "reload", &said);
        ok = swap(d, &next, why);
        break;
    case RULESET_SAME:
        say(LOG_INFO, LOG_rules, "reload: nothing has changed", &said);
        break;
    case RULESET_REFUSED:
    case RULESET_FAILED:
        say(LOG_ERROR, LOG_rules, "reload refused: the rules that run go on", why);
        break;
    }
    buf_fini(&said);
    return ok;
}

/* From what is durable, with the same rules. */
static bool begin_again(struct daemon *d, struct buf *why)
{
    pipeline_free(&d->pipeline);
    checkpoint_settle(d->cp, -1); /* of the one that was under way nobody knows else */
    d->pipeline = wiring_pipeline(d->config, &d->rules, &d->times, d->cp, d->in, why);
    log_line(LOG_WARNING, LOG_daemon, "begun again from the last checkpoint", NULL);
    return d->pipeline != NULL;
}

/* Old rules of which nothing is left. */
static bool end_drained(struct daemon *d, struct buf *why)
{
    struct ruleset next;

    for (size_t i = 1; i < d->rules.mods.n; i++) {
        if (!pipeline_drained(d->pipeline, d->rules.mods.generation[i].number))
            continue;
        if (ruleset_without(&d->rules, d->config, i, &next, why) != RULESET_OK)
            return true; /* they stay, and do nothing */
        char what[40];
        snprintf(what, sizeof what, "generation=%" PRIu32, d->rules.mods.generation[i].number);
        log_always(LOG_INFO, LOG_rules, "an old set of rules has ended", what);
        return swap(d, &next, why);
    }
    return true;
}

static void tell_figures(struct daemon *d)
{
    struct buf b;

    buf_init(&b);
    pipeline_describe(d->pipeline, &b);
    log_line(LOG_INFO, LOG_daemon, "figures", "%s", b.data);
    for (size_t i = 0; i < d->config->n_sinks; i++) {
        struct deliver_stats stats;
        deliver_stats(d->deliver, (uint32_t)i, &stats);
        buf_clear(&b);
        log_field(&b, "sink", d->config->sink[i].name);
        buf_printf(&b, " delivered=%" PRIu64 " failures=%" PRIu64, stats.delivered,
                   stats.failures);
        if (stats.failing)
            log_field(&b, "error", stats.last_error);
        log_line(LOG_INFO, LOG_sink, "figures", "%s", b.data);
    }
    buf_fini(&b);
}

static void watch_checkpoint(struct daemon *d)
{
    struct buf why;

    buf_init(&why);
    bool failed = checkpoint_failed(d->cp, &why);
    if (failed && !d->cannot_write)
        say(LOG_ERROR, LOG_checkpoint, "nothing can be written: input waits", &why);
    if (!failed && d->cannot_write)
        log_line(LOG_INFO, LOG_checkpoint, "it can be written again", NULL);
    d->cannot_write = failed;
    buf_fini(&why);
}

/* Until a signal, or the end of bounded input. */
static int run(struct daemon *d, struct buf *why)
{
    for (;;) {
        bool ok = true;
        buf_clear(why);
        switch (next_signal(false)) {
        case SIGTERM:
        case SIGINT:
            log_line(LOG_INFO, LOG_daemon, "stopping", NULL);
            return DAEMON_OK;
        case SIGHUP:
            ok = reload(d, why);
            break;
        case SIGUSR1:
            tell_figures(d);
            break;
        default:
            ok = end_drained(d, why);
        }
        if (ok && pipeline_lost(d->pipeline))
            ok = begin_again(d, why);
        if (!ok || pipeline_broken(d->pipeline, why)) {
            say(LOG_ERROR, LOG_engine, "cannot go on", why);
            return DAEMON_FAILED;
        }
        watch_checkpoint(d);
        if (pipeline_finished(d->pipeline)) {
            log_line(LOG_INFO, LOG_daemon, "all input was read", NULL);
            return DAEMON_OK;
        }
    }
}

/* ---- the end --------------------------------------------------------------------------------- */

static int stop(struct daemon *d, int code, struct buf *why)
{
    if (d->pipeline && code == DAEMON_OK) {
        pipeline_stop(d->pipeline, NULL);
        buf_clear(why);
        if (!settle(d, why)) {
            say(LOG_ERROR, LOG_checkpoint, "ended without a last checkpoint", why);
            code = DAEMON_FAILED;
        }
        tell_figures(d);
    }
    if (d->cp && code != DAEMON_OK)
        checkpoint_abandon(d->cp);
    pipeline_free(&d->pipeline);
    wiring_spooler_free(&d->in);
    if (d->deliver && !deliver_stop(&d->deliver, code == DAEMON_OK ? d->config->stop_within : 0))
        log_line(LOG_WARNING, LOG_sink, "not everything was delivered: it waits for the next start",
                 NULL);
    checkpoint_free(&d->cp);
    for (size_t i = 0; d->sink && i < d->config->n_sinks; i++)
        sink_free(&d->sink[i]);
    mem_free(d->sink);
    ruleset_fini(&d->rules);
    return code;
}

int daemon_run(struct config *config)
{
    struct daemon d = {.config = config};
    struct buf why;
    sigset_t set;
    int code;

    signal_set(&set);
    sigprocmask(SIG_BLOCK, &set, NULL); /* before any thread: main takes them all */
    signal(SIGPIPE, SIG_IGN);
    raise_file_limit();
    buf_init(&why);
    time_specs_init(&d.times);
    config_times(config, &d.times);
    code = start(&d, &why);
    if (code == DAEMON_OK)
        code = run(&d, &why);
    code = stop(&d, code, &why);
    buf_fini(&why);
    time_specs_fini(&d.times);
    config_free(&config);
    log_line(LOG_INFO, LOG_daemon, code == DAEMON_OK ? "stopped" : "failed", NULL);
    return code;
}
