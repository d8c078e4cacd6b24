// SPDX-License-Identifier: Apache-2.0
#include "daemon/boot.h"

#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "config/config.h"
#include "daemon/boot_priv.h"
#include "daemon/figures.h"
#include "daemon/options.h"
#include "daemon/rules_topic.h"
#include "daemon/ruleset.h"
#include "daemon/uploads.h"
#include "daemon/wiring.h"
#include "flow/courier.h"
#include "flow/deliver.h"
#include "flow/pipeline.h"
#include "flow/reaper.h"
#include "flow/route.h"
#include "flow/time_field.h"
#include "io/sink.h"
#include "plan/program.h"
#include "state/audit.h"
#include "state/checkpoint.h"
#include "state/module_history.h"
#include "state/modules.h"

#define PERIOD INT64_C(20000000) /* ns between two looks */
#define AHEAD_BYTES (UINT64_C(1) << 20) /* of state that changed: written before events stand still, */
#define AHEAD_WITHIN INT64_C(1000000000) /* ns: and so long it is waited for */
#define SOON INT64_C(500000)     /* the same while events stand still */
#define ANSWER_WITHIN INT64_C(2000000000) /* ns: of a stop, for answers to the topic of rules */

static const int taken_signals[] = {SIGHUP, SIGTERM, SIGINT, SIGUSR1, API_SIGNAL};

static void signal_set(sigset_t *set)
{
    sigemptyset(set);
    for (size_t i = 0; i < sizeof taken_signals / sizeof *taken_signals; i++)
        sigaddset(set, taken_signals[i]);
}

/* ---- sinks ----------------------------------------------------------------------------------- */

bool boot_begin_sinks(struct daemon *d, struct buf *why)
{
    struct database_meta meta = checkpoint_meta(d->cp);

    _Static_assert(sizeof meta.id == SINK_IDENTITY_BYTES, "sinks know the state directory by what its database is called");
    d->sink = wiring_sinks(d->config);
    d->deliver = deliver_start(checkpoint_outbox(d->cp), meta.id, d->sink, (uint32_t)d->config->n_sinks,
                               d->config->routes);
    if (!wiring_courier(d->config, d->cp, &d->courier, why))
        return false;
    figures_set_sinks(d->figures, d->config, d->deliver, d->courier);
    return true;
}

bool boot_end_sinks(struct daemon *d, int64_t within)
{
    int64_t until = clock_monotonic() + within;

    figures_set_sinks(d->figures, NULL, NULL, NULL);
    bool all = deliver_stop(&d->deliver, within); /* the courier goes on meanwhile */
    int64_t left = until - clock_monotonic();
    all &= courier_stop(&d->courier, left > 0 ? left : 0);
    route_end(d->config->routes);
    for (size_t i = 0; d->sink && i < d->config->n_sinks; i++)
        sink_free(&d->sink[i]);
    mem_free(d->sink);
    d->sink = NULL;
    return all;
}

/* The signal that came within that time (ns, less than a second), or 0. ends_only: the others stay pending. */
static int next_signal(bool ends_only, int64_t within)
{
    struct timespec period = {.tv_nsec = within};
    sigset_t set;
    int number;

    signal_set(&set);
    if (ends_only) {
        sigdelset(&set, SIGHUP);
        sigdelset(&set, SIGUSR1);
        sigdelset(&set, API_SIGNAL);
    }
    number = sigtimedwait(&set, NULL, &period);
    return number > 0 ? number : 0;
}

/* ---- the start ------------------------------------------------------------------------------- */

static bool open_state(struct daemon *d, struct buf *why)
{
    const struct config_http *http = &d->config->http;
    struct checkpoint_options opt = {.dir = d->config->state,
                                     .create = true,
                                     .dead_letter_bytes = d->config->dead_letter_bytes,
                                     .dead_letter_count = d->config->dead_letter_count};

    if (http->given) /* nobody else looks at them */
        opt.alerts = (struct alert_log_options){.max_count = http->alerts_count,
                                                .max_bytes = http->alerts_bytes,
                                                .keep = http->alerts_keep};
    d->cp = checkpoint_open(&opt, why);
    if (!d->cp || !wiring_outbox(d->config, d->cp, why))
        return false;
    checkpoint_start(d->cp);
    figures_set_checkpoint(d->figures, d->cp);
    d->uploads = uploads_open(d->cp, why);
    return d->uploads != NULL;
}

/* What changes leave behind, and the topic that they come from. */
static bool open_changes(struct daemon *d, struct buf *why)
{
    if (!d->config->http.given && !d->config->rules_topic.given)
        return true;
    d->audit = audit_open(checkpoint_store(d->cp), why);
    d->history = d->audit ? module_history_open(checkpoint_store(d->cp), why) : NULL;
    d->host.audit = d->audit;
    d->host.history = d->history;
    if (!d->history)
        return false;
    if (!d->config->rules_topic.given)
        return true;
    d->topic = rules_topic_start(d, why);
    figures_set_rules_topic(d->figures, d->topic);
    return d->topic != NULL;
}

/* Before there is a state directory: rules with mistakes make none. Those of a topic may be what they need. */
static bool first_rules_fit(struct daemon *d, struct buf *why)
{
    struct ruleset none = {0}, next;
    struct buf said;

    if (d->config->rules_topic.given || access(d->config->state, F_OK) == 0)
        return true;
    modules_init(&none.mods);
    buf_init(&said);
    bool fit = ruleset_change(&none, d->config, INT64_MIN, clock_wall(), &next, &said, why) !=
               RULESET_REFUSED;
    buf_fini(&said);
    ruleset_fini(&next);
    ruleset_fini(&none);
    return fit;
}

/* Nothing was read yet: what runs is what the database says, or what the directory says if it can be
 * gone over to. */
static bool choose_rules(struct daemon *d, struct buf *why)
{
    struct ruleset next;
    struct buf said;
    enum ruleset_result ran = ruleset_load(&d->rules, d->config, checkpoint_store(d->cp), d->uploads,
                                             why);

    if (ran == RULESET_FAILED)
        return false;
    if (ran == RULESET_REFUSED)
        boot_say(LOG_WARNING, LOG_rules, "the rules that ran do not compile any more", why);
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
        boot_say(LOG_INFO, LOG_rules, "rules", &said);
    } else if (now == RULESET_TEXTS) {
        boot_keep_texts(d, &next);
        now = RULESET_SAME;
    } else if (now == RULESET_REFUSED && d->rules.mods.n > 0 && ran == RULESET_OK) {
        boot_say(LOG_ERROR, LOG_rules, "the rules directory is refused; the rules that ran go on", why);
        figures_note_refused(d->figures);
        now = RULESET_SAME;
    }
    buf_fini(&said);
    return now == RULESET_OK || now == RULESET_SAME;
}

/* All that the topic has is one set with the files before an event is looked at. A signal ends that: d->ending. */
static bool await_topic(struct daemon *d, struct buf *why)
{
    bool failed = false;

    log_line(LOG_INFO, LOG_rules, "the topic of rules is read, before any event is", NULL);
    while (!d->ending && !rules_topic_begin(d->topic, &failed, why)) {
        if (failed)
            return false;
        int number = next_signal(true, PERIOD);
        d->ending = number == SIGTERM || number == SIGINT;
        notify_busy(&d->notify);
    }
    return true;
}

static bool begin_rules(struct daemon *d, struct buf *why)
{
    bool first = d->topic && rules_topic_is_first(d->topic);
    bool chosen = choose_rules(d, why);

    if (!chosen && !(first && d->rules.mods.n == 0)) /* files may need what the topic has */
        return false;
    if (first && !await_topic(d, why))
        return false;
    if (!d->ending && d->rules.mods.n == 0) {
        buf_clear(why);
        if (!choose_rules(d, why))
            return false;
    }
    uploads_keep_only(d->uploads, &d->rules.mods);
    if (d->rules.mods.n > 0)
        figures_note_uploads(d->figures, d->rules.mods.generation[0].n_uploads,
                             uploads_bytes(d->uploads, &d->rules.mods.generation[0], NULL));
    return true;
}

static void raise_file_limit(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

/* State is being read back. */
static void gets_on(void *ctx)
{
    notify_busy(&((struct daemon *)ctx)->notify);
}

bool boot_begin_pipeline(struct daemon *d, struct buf *why)
{
    d->pipelines++;
    /* It points into d->rules. */
    d->pipeline = wiring_pipeline(d->config, &d->rules, &d->times, d->cp, d->in, d->reaper, d->drained,
                                  gets_on, d, why);
    if (d->pipeline)
        figures_set_pipeline(d->figures, d->config, d->pipeline, d->rules.prog[0]->n_rules);
    return d->pipeline != NULL;
}

void boot_end_pipeline(struct daemon *d)
{
    figures_set_pipeline(d->figures, NULL, NULL, 0);
    pipeline_free(&d->pipeline);
}

/* Nobody can change them over HTTP when it does not start. */
static void tell_modules(const struct daemon *d)
{
    const struct modules *mods = &d->rules.mods;
    bool any = false;

    for (size_t i = 0; mods->n > 0 && i < mods->generation[0].n_texts; i++)
        any |= mods->generation[0].text[i].origin != MODULE_FILE;
    if (any)
        log_line(LOG_ERROR, LOG_rules,
                 "`tocsin state module` lists and drops modules that came over HTTP, or from a topic", NULL);
}

static bool listen_http(struct daemon *d, struct buf *why)
{
    d->host = (struct api_host){.config = d->config,
                                .figures = d->figures,
                                .cp = &d->cp,
                                .pipeline = &d->pipeline,
                                .pipelines = &d->pipelines,
                                .courier = &d->courier,
                                .rules = &d->rules,
                                .uploads = &d->uploads,
                                .topic = &d->topic,
                                .swap = boot_swap_for_api,
                                .drain = boot_drain,
                                .resume = boot_resume,
                                .ctx = d};
    if (d->config->http.given)
        d->api = api_start(&d->host, why);
    return d->api || !d->config->http.given;
}

static int start(struct daemon *d, struct buf *why)
{
    if (!first_rules_fit(d, why)) {
        boot_say(LOG_ERROR, LOG_rules, "cannot start", why);
        return DAEMON_WRONG;
    }
    if (!open_state(d, why)) { /* locked from here on: another daemon would listen in vain */
        boot_say(LOG_ERROR, LOG_daemon, "cannot start", why);
        return DAEMON_FAILED;
    }
    if (!listen_http(d, why)) {
        boot_say(LOG_ERROR, LOG_http, "cannot start", why);
        return DAEMON_FAILED;
    }
    if (!boot_begin_sinks(d, why)) {
        boot_say(LOG_ERROR, LOG_daemon, "cannot start", why);
        return DAEMON_FAILED;
    }
    if (!open_changes(d, why)) {
        boot_say(LOG_ERROR, LOG_daemon, "cannot start", why);
        return DAEMON_FAILED;
    }
    if (!begin_rules(d, why)) {
        boot_say(LOG_ERROR, LOG_rules, "cannot start", why);
        tell_modules(d);
        return DAEMON_WRONG;
    }
    if (d->ending)
        return DAEMON_OK;
    buf_clear(why);
    if (!wiring_spooler(d->config, d->cp, &d->in, why)) {
        boot_say(LOG_ERROR, LOG_source, "cannot start", why);
        return DAEMON_FAILED;
    }
    if (!boot_begin_pipeline(d, why)) {
        boot_say(LOG_ERROR, LOG_daemon, "cannot start", why);
        return DAEMON_FAILED;
    }
    api_set_spooler(d->api, d->in);
    if (d->api)
        api_open(d->api);
    log_line(LOG_INFO, LOG_daemon, "ready", "rules=%" PRIu32 " sources=%zu sinks=%zu",
             d->rules.prog[0]->n_rules, d->config->n_sources, d->config->n_sinks);
    notify_ready(&d->notify);
    return DAEMON_OK;
}

/* ---- while it runs ---------------------------------------------------------------------------- */

void boot_settle_ahead(struct daemon *d)
{
    struct shard_stats stats;
    struct buf why;

    pipeline_engine_stats(d->pipeline, &stats);
    if (stats.changed < AHEAD_BYTES)
        return;
    int64_t until = clock_monotonic() + AHEAD_WITHIN;
    uint64_t number = pipeline_checkpoint(d->pipeline);
    buf_init(&why);
    while (!pipeline_checkpointed(d->pipeline, number) && clock_monotonic() < until &&
           !pipeline_broken(d->pipeline, &why)) {
        int asked = next_signal(true, SOON);
        d->ending |= asked == SIGTERM || asked == SIGINT;
        notify_busy(&d->notify);
    }
    buf_fini(&why);
}

/* Once more, while something is not durable. *told: monotonic, when it was said last that it cannot be. False: it is
 * not to be waited for, by a second signal. */
static bool wait_for_durable(struct daemon *d, int64_t *told, struct buf *why)
{
    int number = next_signal(true, SOON);
    bool asked = number == SIGTERM || number == SIGINT;

    notify_busy(&d->notify);
    if (asked && d->ending)
        return false;
    d->ending |= asked;
    if (clock_monotonic() - *told > INT64_C(5000000000)) {
        *told = clock_monotonic();
        buf_clear(why);
        if (checkpoint_failed(d->cp, why))
            boot_say(LOG_ERROR, LOG_checkpoint, "the last checkpoint cannot be written", why);
    }
    return true;
}

bool boot_settle(struct daemon *d, struct buf *why)
{
    int64_t told = clock_monotonic();

    while (!pipeline_stopped(d->pipeline))
        if (!wait_for_durable(d, &told, why) || pipeline_broken(d->pipeline, why))
            return false;
    return true;
}

bool boot_settle_epochs(struct daemon *d, struct buf *why)
{
    int64_t told = clock_monotonic();

    while (!checkpoint_settle(d->cp, SOON)) /* at once, while nothing can be written */
        if (!wait_for_durable(d, &told, why))
            return false;
    return true;
}

/* From what is durable, with the same rules. What was under way is waited for, also while the database fails: of that
 * nobody else knows, and written later it would say of input which is read again that it was read. */
static bool begin_again(struct daemon *d, struct buf *why)
{
    boot_end_pipeline(d);
    if (!boot_settle_epochs(d, why))
        return false;
    log_line(LOG_WARNING, LOG_daemon, "begun again from the last checkpoint", NULL);
    return boot_begin_pipeline(d, why);
}

/* Until a signal, or the end of bounded input. */
static int run(struct daemon *d, struct buf *why)
{
    for (;;) {
        bool ok = true;
        buf_clear(why);
        switch (next_signal(false, PERIOD)) {
        case SIGTERM:
        case SIGINT:
            log_line(LOG_INFO, LOG_daemon, "stopping", NULL);
            return DAEMON_OK;
        case SIGHUP:
            notify_reloading(&d->notify);
            ok = boot_reload(d, why);
            notify_ready(&d->notify);
            break;
        case SIGUSR1:
            figures_tell(d->figures);
            break;
        default:
            ok = boot_end_drained(d, why);
        }
        ok = ok && api_serve(d->api, why) && rules_topic_look(d->topic, why);
        if (ok && pipeline_lost(d->pipeline))
            ok = begin_again(d, why);
        if (!ok || pipeline_broken(d->pipeline, why)) {
            boot_say(LOG_ERROR, LOG_engine, "cannot go on", why);
            return DAEMON_FAILED;
        }
        if (d->ending) { /* it came while a change was made, which is whole now */
            log_line(LOG_INFO, LOG_daemon, "stopping", NULL);
            return DAEMON_OK;
        }
        if (deliver_over(d->deliver, why)) {
            boot_say(LOG_ERROR, LOG_sink, "stopping, for good", why);
            d->over = true;
            return DAEMON_OK;
        }
        boot_watch(d);
        if (pipeline_finished(d->pipeline)) {
            log_line(LOG_INFO, LOG_daemon, "all input was read", NULL);
            return DAEMON_OK;
        }
    }
}

/* ---- the end --------------------------------------------------------------------------------- */

/* All is durable: who does not want to wait for sinks ends it by a second signal. */
static void let_signals_end(void)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
}

static int stop(struct daemon *d, int code, struct buf *why)
{
    d->ending = true;
    api_stop(&d->api);
    notify_stopping(&d->notify, d->config->stop_within);
    if (d->pipeline && code == DAEMON_OK) {
        pipeline_stop(d->pipeline, NULL);
        buf_clear(why);
        if (!boot_settle(d, why)) {
            boot_say(LOG_ERROR, LOG_checkpoint, "ended without a last checkpoint", why);
            code = DAEMON_FAILED;
        }
        figures_tell(d->figures);
    }
    figures_set_rules_topic(d->figures, NULL);
    rules_topic_end(d->topic, code == DAEMON_OK ? ANSWER_WITHIN : 0);
    if (d->cp && code != DAEMON_OK)
        checkpoint_abandon(d->cp);
    boot_end_pipeline(d);
    reaper_free(&d->reaper);
    wiring_spooler_free(&d->in);
    let_signals_end();
    notify_wait(&d->notify, d->config->stop_within);
    if (!boot_end_sinks(d, code == DAEMON_OK ? d->config->stop_within : 0))
        log_line(LOG_WARNING, LOG_sink, "not everything was delivered: it waits for the next start",
                 NULL);
    figures_set_checkpoint(d->figures, NULL);
    checkpoint_free(&d->cp);
    rules_topic_free(&d->topic);
    audit_free(&d->audit);
    module_history_free(&d->history);
    ruleset_fini(&d->rules);
    uploads_free(&d->uploads);
    return code;
}

int daemon_run(struct config *config)
{
    struct daemon d = {.config = config, .figures = figures_new()};
    struct buf why;
    sigset_t set;
    int code;

    signal_set(&set);
    sigprocmask(SIG_BLOCK, &set, NULL); /* before any thread: main takes them all */
    signal(SIGPIPE, SIG_IGN);
    raise_file_limit();
    d.reaper = reaper_new();
    config_apply_log(config);
    boot_tell_warnings(config);
    buf_init(&why);
    notify_init(&d.notify);
    time_specs_init(&d.times);
    config_times(config, &d.times);
    code = start(&d, &why);
    if (code == DAEMON_OK && !d.ending)
        code = run(&d, &why);
    code = stop(&d, code, &why);
    if (code == DAEMON_OK && d.over)
        code = DAEMON_ENDED;
    buf_fini(&why);
    figures_free(&d.figures);
    time_specs_fini(&d.times);
    config_free(&d.config);
    log_line(LOG_INFO, LOG_daemon, code == DAEMON_OK ? "stopped" : "failed", NULL);
    return code;
}
