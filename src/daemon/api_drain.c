// SPDX-License-Identifier: Apache-2.0
/*
 * POST /v1/drain and /v1/resume.
 *
 *   boot_drain: a last checkpoint, nothing is taken in --> DELIVERING --the sinks have taken all, or the
 *   time is over--> SETTLING --what they took is durable--> answered
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/failpoint.h"
#include "config/config.h"
#include "daemon/api_priv.h"
#include "daemon/api_wait.h"
#include "flow/courier.h"
#include "flow/position.h"
#include "flow/saved.h"
#include "state/checkpoint.h"
#include "state/outbox.h"
#include "state/store.h"

#define SECOND INT64_C(1000000000)
#define DURABLE_WITHIN (60 * SECOND)

enum { WITHIN_MOST = 86400, PARTITIONS = 1000 };

struct draining {
    struct api_wait wait;
    int64_t until; /* monotonic: then it is told what is left */
    struct api_audit *audit;
    bool settling, delivered;
};

/* ---- the report --------------------------------------------------------------------------------- */

static uint64_t waiting(const struct api_host *host)
{
    uint64_t n = 0;

    for (uint32_t i = 0; i < host->config->n_sinks; i++) {
        struct outbox_stats stats;
        outbox_stats(checkpoint_outbox(*host->cp), i, &stats);
        n += stats.waiting;
    }
    return n;
}

static void add_sinks(const struct api_host *host, struct buf *out)
{
    buf_adds(out, ",\"sinks\":[");
    for (uint32_t i = 0; i < host->config->n_sinks; i++) {
        const struct config_sink *sink = &host->config->sink[i];
        struct outbox_stats stats;
        outbox_stats(checkpoint_outbox(*host->cp), i, &stats);
        buf_adds(out, i ? ",{" : "{");
        api_add_text(out, "name", sink->name);
        buf_printf(out, ",\"kind\":\"%s\",\"waiting\":%" PRIu64 ",\"waiting_bytes\":%" PRIu64 "}",
                   api_sink_kind(sink->kind), stats.waiting, stats.waiting_bytes);
    }
    buf_addc(out, ']');
}

static void add_partitions(const char *source, const struct saved_positions *all, struct buf *out)
{
    uint64_t n = 0;

    buf_adds(out, ",\"partitions\":[");
    for (size_t i = 0; i < all->n; i++) {
        const struct position *pos = &all->position[i];
        if (strcmp(pos->source, source) != 0 || n++ >= PARTITIONS)
            continue;
        buf_adds(out, n > 1 ? ",{" : "{");
        api_add_text(out, "partition", pos->partition);
        buf_printf(out, ",\"generation\":%" PRIu32 ",\"read\":%" PRIu64 ",\"resume\":%" PRIu64 "}",
                   pos->generation, pos->read, pos->resume);
    }
    buf_printf(out, "],\"n_partitions\":%" PRIu64, n);
}

static void add_sources(const struct api_host *host, const struct saved_positions *all,
                        struct buf *out)
{
    buf_adds(out, ",\"sources\":[");
    for (size_t i = 0; i < host->config->n_sources; i++) {
        const struct config_source *source = &host->config->source[i];
        buf_adds(out, i ? ",{" : "{");
        api_add_text(out, "name", source->name);
        buf_printf(out, ",\"kind\":\"%s\"", api_source_kind(source->kind));
        add_partitions(source->name, all, out);
        buf_addc(out, '}');
    }
    buf_addc(out, ']');
}

static void answer_drained(struct draining *dr)
{
    struct api_wait *w = &dr->wait;
    struct saved_positions all;
    struct buf b, why;

    buf_init(&b);
    buf_init(&why);
    if (saved_positions_read(checkpoint_store(*w->api->host->cp), &all, &why)) {
        buf_printf(&b, "{\"drained\":true,\"delivered\":%s,\"seconds\":%.6f,\"checkpoint\":{",
                   dr->delivered ? "true" : "false", api_wait_seconds(w));
        api_add_checkpoint(w->api, &b);
        buf_addc(&b, '}');
        add_sources(w->api->host, &all, &b);
        add_sinks(w->api->host, &b);
        buf_adds(&b, "}\n");
        http_answer_json(w->rq, 200, &b);
    } else {
        http_answer_problem(w->rq, HTTP_INTERNAL, "it is drained; its positions cannot be read: %s", why.data);
    }
    saved_positions_fini(&all);
    buf_fini(&why);
    buf_fini(&b);
}

/* ---- draining ----------------------------------------------------------------------------------- */

static void settle(struct draining *dr, uint64_t left)
{
    struct store_batch *batch = store_batch_new();
    char result[40] = "all is delivered";

    if (left > 0)
        snprintf(result, sizeof result, "%" PRIu64 " messages wait", left);
    else
        failpoint_hit(FAILPOINT_drain_delivered);
    dr->delivered = left == 0;
    dr->settling = true;
    dr->wait.until = clock_monotonic() + DURABLE_WITHIN;
    api_audit_put(dr->audit, batch, result);
    api_wait_submit(&dr->wait, batch); /* what was acknowledged before is durable with it */
}

static bool draining_look(struct api_wait *w)
{
    struct draining *dr = (struct draining *)w;

    if (!w->api->drained) {
        http_answer_problem(w->rq, HTTP_CONFLICT, "it was resumed meanwhile");
        return true;
    }
    if (!dr->settling) {
        uint64_t left = waiting(w->api->host);
        if (left == 0 || clock_monotonic() >= dr->until)
            settle(dr, left);
        return false;
    }
    switch (atomic_load(&w->epoch)) {
    case API_EPOCH_DURABLE: answer_drained(dr); return true;
    case API_EPOCH_DROPPED:
        http_answer_problem(w->rq, HTTP_UNAVAILABLE, "it is drained, and what the sinks took could not be noted");
        return true;
    }
    return false;
}

static void draining_fini(struct api_wait *w)
{
    api_audit_free(&((struct draining *)w)->audit);
}

static const struct api_wait_ops draining_ops = {sizeof(struct draining), draining_look, NULL, draining_fini};

bool api_drain(struct api_call *call)
{
    const struct api_host *host = call->host;
    uint64_t least = (uint64_t)(host->config->stop_within / SECOND);
    uint64_t within = http_request_count(call->rq, "within", least);
    struct api_audit *audit = api_audit_new(call, "drain", NULL, NULL, NULL);
    struct store_batch *extra = store_batch_new();
    struct draining *dr;

    api_audit_put(audit, extra, "");
    if (!host->drain(host->ctx, extra, call->why)) {
        http_answer_problem(call->rq, HTTP_INTERNAL, "the daemon ends: the last checkpoint could not be made");
        api_audit_free(&audit);
        return false;
    }
    if (*host->courier)
        courier_flush(*host->courier);
    dr = (struct draining *)api_wait_new(call, &draining_ops);
    dr->audit = audit;
    dr->until = clock_monotonic() + (int64_t)(within < WITHIN_MOST ? within : WITHIN_MOST) * SECOND;
    return true;
}

/* ---- resuming ----------------------------------------------------------------------------------- */

static bool resumed_look(struct api_wait *w)
{
    struct buf b;

    if (atomic_load(&w->epoch) == API_EPOCH_OPEN)
        return false;
    buf_init(&b);
    buf_adds(&b, "{\"changed\":true}\n");
    http_answer_json(w->rq, 200, &b);
    return true;
}

static const struct api_wait_ops resumed_ops = {sizeof(struct api_wait), resumed_look, NULL, NULL};

bool api_resume(struct api_call *call)
{
    struct store_batch *batch;
    struct api_audit *audit;
    struct buf b;

    if (!call->api->drained) {
        buf_init(&b);
        buf_adds(&b, "{\"changed\":false}\n");
        http_answer_json(call->rq, 200, &b);
        return true;
    }
    audit = api_audit_new(call, "resume", NULL, NULL, NULL);
    batch = store_batch_new();
    api_audit_put(audit, batch, "");
    api_audit_free(&audit);
    call->host->resume(call->host->ctx);
    struct api_wait *w = api_wait_new(call, &resumed_ops);
    w->until = clock_monotonic() + DURABLE_WITHIN;
    api_wait_submit(w, batch);
    return true;
}
