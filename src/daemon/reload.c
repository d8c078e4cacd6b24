// SPDX-License-Identifier: Apache-2.0
/*
 * reload - what changes while the daemon runs.
 *
 *   SIGHUP   configuration, rules and secrets are read
 *              mistakes                 nothing changes, the log says what is wrong
 *              nothing but secrets      the webhooks get them
 *              rules, sources, limits   the pipeline ends with a checkpoint and begins anew from what is durable
 *              sinks, routes            so do those who deliver
 *   old rules of which nothing is left: the pipeline begins anew without them
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/failpoint.h"
#include "config/compare.h"
#include "config/config.h"
#include "daemon/boot_priv.h"
#include "daemon/figures.h"
#include "daemon/uploads.h"
#include "daemon/wiring.h"
#include "flow/pipeline.h"
#include "io/sink.h"
#include "state/checkpoint.h"
#include "state/store.h"

#define DELIVER_WITHIN INT64_C(1000000000) /* ns: what is under way may arrive, when sinks are made anew */

/* ---- the change ------------------------------------------------------------------------------ */

/* d->config gives way to `now` (taken); nothing runs that it was made for but sinks. */
static bool take_config(struct daemon *d, struct config *now, const struct config_difference *diff,
                        struct buf *why)
{
    bool ok = true;

    api_hold_config(d->api);
    if (diff->sinks)
        boot_end_sinks(d, DELIVER_WITHIN);
    if (diff->in) {
        api_set_spooler(d->api, NULL);
        wiring_spooler_keep(d->in, now);
    }
    struct config *was = d->config;
    config_keep(was, now);
    if (!diff->sinks) { /* who delivers goes on with the table, and counts in it */
        struct route_table *same = was->routes;
        was->routes = now->routes;
        now->routes = same;
    }
    d->config = now;
    d->host.config = now;
    api_set_config(d->api, now);
    if (diff->sinks)
        ok = boot_settle_epochs(d, why) && wiring_outbox(now, d->cp, why) && boot_begin_sinks(d, why);
    else
        figures_set_sinks(d->figures, now, d->deliver, d->courier);
    if (ok && diff->in)
        ok = wiring_spooler(now, d->cp, &d->in, why);
    if (d->drained)
        wiring_spooler_pause(d->in, true); /* those that are new, too */
    api_set_spooler(d->api, d->in);
    time_specs_fini(&d->times);
    time_specs_init(&d->times);
    config_times(now, &d->times);
    config_apply_log(now);
    boot_tell_warnings(now);
    config_free(&was);
    return ok;
}

/* To other rules (next is taken), or to another configuration too (now, taken; or NULL): the pipeline ends
 * with a checkpoint that holds the new set and extra (taken), and begins anew from what is durable. False: it
 * cannot go on. */
static bool change(struct daemon *d, struct ruleset *next, struct store_batch *extra,
                   struct config *now, const struct config_difference *diff, struct buf *why)
{
    boot_settle_ahead(d);
    int64_t begin = clock_monotonic();

    ruleset_save(next, extra);
    failpoint_hit(FAILPOINT_swap_decided);
    pipeline_stop(d->pipeline, extra);
    if (!boot_settle(d, why)) {
        ruleset_fini(next);
        config_free(&now);
        return false;
    }
    failpoint_hit(FAILPOINT_swap_stopped);
    boot_end_pipeline(d);
    ruleset_fini(&d->rules); /* rows that were uploaded stay until events flow again */
    d->rules = *next;
    bool ok = (!now || take_config(d, now, diff, why)) && boot_begin_pipeline(d, why);
    failpoint_hit(FAILPOINT_swap_begun);
    uploads_keep_only(d->uploads, &d->rules.mods);
    char ms[40];
    snprintf(ms, sizeof ms, "ms=%.1f", (double)(clock_monotonic() - begin) / 1e6);
    if (ok)
        log_always(LOG_INFO, LOG_rules, "swapped", ms);
    return ok;
}

bool boot_swap_for_api(void *ctx, struct ruleset *next, struct store_batch *extra, struct buf *why)
{
    return change(ctx, next, extra, NULL, NULL, why);
}

void boot_keep_texts(struct daemon *d, struct ruleset *next)
{
    struct epoch *ep = epoch_new();

    ruleset_take_texts(&d->rules, next);
    ruleset_save(&d->rules, ep->batch);
    checkpoint_submit(d->cp, ep);
}

/* ---- SIGHUP ---------------------------------------------------------------------------------- */

/* The configuration as it is now; NULL: it has mistakes, which are in why. */
static struct config *read_config(const struct daemon *d, struct buf *why)
{
    struct diag *diag = diag_new();
    struct config *now = config_read(d->config->path, diag);

    if (!now) {
        diag_print_brief(diag, why);
    } else if (!wiring_courier_check(now, why) || !wiring_kafka_check(now, why) || !api_secrets_check(now, why)) {
        config_free(&now);
    }
    diag_free(&diag);
    return now;
}

/* What became of secrets and certificates: all were looked at before, but a file may have changed since. */
struct renewal {
    bool webhooks; /* they have them, and had others before */
    bool http;     /* its tokens or certificates, likewise */
    bool failed;   /* the old ones stay; that is in the log */
};

/* New secrets and certificates go to the webhooks that there are; also those that only files hold. */
static void renew_webhooks(struct daemon *d, const struct config *now,
                           const struct config_difference *diff, struct renewal *done)
{
    struct buf why;

    if (!d->courier || diff->sinks)
        return;
    buf_init(&why);
    if (!wiring_courier_renew(now, d->courier, &why)) {
        boot_say(LOG_ERROR, LOG_config, "secrets or certificates cannot be used: the old ones stay", &why);
        done->failed = true;
    } else if (diff->secrets) {
        log_line(LOG_INFO, LOG_config, "webhooks have new secrets", NULL);
        done->webhooks = true;
    }
    buf_fini(&why);
}

static void renew_http(struct daemon *d, struct config *now, const struct config_difference *diff,
                       struct renewal *done)
{
    struct buf why;

    if (diff->no_renewal)
        return;
    buf_init(&why);
    if (!api_renew(d->api, now, &why)) {
        boot_say(LOG_ERROR, LOG_http, "tokens and certificates stay as they were", &why);
        done->failed = true;
    } else if (diff->http) {
        log_line(LOG_INFO, LOG_http, "there are other tokens, or certificates", NULL);
        config_take_http(d->config, now);
        done->http = true;
    }
    buf_fini(&why);
}

/* now: NULL if there is no configuration. otherwise: what became of the reload if none are renewed. */
static struct renewal renew(struct daemon *d, struct config *now, const struct config_difference *diff,
                            enum figures_reload otherwise)
{
    struct renewal done = {.webhooks = false};

    if (now) {
        renew_webhooks(d, now, diff, &done);
        renew_http(d, now, diff, &done);
    }
    figures_note_reload(d->figures, done.failed                     ? FIGURES_RELOAD_REFUSED
                                    : done.webhooks || done.http ? FIGURES_RELOAD_DONE
                                                                    : otherwise);
    return done;
}

static bool refuse(struct daemon *d, enum log_category category, const char *msg,
                   const struct buf *why)
{
    boot_say(LOG_ERROR, category, msg, why);
    figures_note_reload(d->figures, FIGURES_RELOAD_REFUSED);
    return true;
}

/* What is different, and what of it waits for a start. */
static void compare(struct daemon *d, struct config *now, struct config_difference *diff_out)
{
    struct buf later, field;

    buf_init(&later);
    buf_init(&field);
    config_compare(d->config, now, diff_out, &later);
    if (later.len > 0) {
        log_field(&field, "what", later.data);
        log_line(LOG_WARNING, LOG_config, "what has changed here is read at the next start", "%s",
                 field.data);
    }
    buf_fini(&field);
    buf_fini(&later);
}

/* now (taken): the configuration as it is; NULL: there is no file of one. */
static bool reload_with(struct daemon *d, struct config *now, struct buf *why)
{
    struct config_difference diff = {.flow = false};
    struct config *secrets = NULL; /* all else is as it was */
    struct renewal renewed = {.webhooks = false};
    struct ruleset next;
    struct buf said;
    bool ok = true;

    if (now)
        compare(d, now, &diff);
    if (now && !diff.flow) {
        secrets = now;
        now = NULL;
    }
    buf_init(&said);
    switch (ruleset_change(&d->rules, now ? now : d->config, pipeline_frontier(d->pipeline),
                           clock_wall(), &next, &said, why)) {
    case RULESET_OK:
        if (now)
            log_line(LOG_INFO, LOG_config, "the configuration has changed", "sources=%zu sinks=%zu",
                     now->n_sources, now->n_sinks);
        boot_say(LOG_INFO, LOG_rules, "reload", &said);
        renewed = renew(d, now ? now : secrets, &diff, FIGURES_RELOAD_DONE);
        ok = change(d, &next, store_batch_new(), now, &diff, why);
        break;
    case RULESET_TEXTS:
        renewed = renew(d, secrets, &diff, FIGURES_RELOAD_UNCHANGED);
        boot_keep_texts(d, &next);
        boot_say(LOG_INFO, LOG_rules, "reload: no rule has changed", &said);
        break;
    case RULESET_SAME:
        renewed = renew(d, secrets, &diff, FIGURES_RELOAD_UNCHANGED);
        boot_say(LOG_INFO, LOG_rules,
                 renewed.webhooks || renewed.http ? "reload: no rule has changed" : "reload: nothing has changed", &said);
        break;
    case RULESET_REFUSED:
    case RULESET_FAILED:
        refuse(d, LOG_rules, "reload refused: the rules and the configuration that run go on", why);
        config_free(&now);
        break;
    }
    if (renewed.webhooks && secrets)
        config_take_secrets(d->config, secrets);
    buf_fini(&said);
    config_free(&secrets);
    return ok;
}

bool boot_reload(struct daemon *d, struct buf *why)
{
    struct config *now = NULL;

    for (size_t i = 0; i < d->config->n_sinks; i++)
        if (d->sink[i])
            sink_reopen(d->sink[i]);
    if (d->config->path && !(now = read_config(d, why)))
        return refuse(d, LOG_config, "reload refused: the configuration and the rules that run go on", why);
    return reload_with(d, now, why);
}

/* ---- by itself --------------------------------------------------------------------------------- */

bool boot_end_drained(struct daemon *d, struct buf *why)
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
        return change(d, &next, store_batch_new(), NULL, NULL, why);
    }
    return true;
}
