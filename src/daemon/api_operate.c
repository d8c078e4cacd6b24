// SPDX-License-Identifier: Apache-2.0
/* What an operator asks for: a sink enabled, a checkpoint now. */
#include <inttypes.h>

#include "base/mem.h"
#include "config/config.h"
#include "daemon/api_priv.h"
#include "daemon/api_wait.h"
#include "flow/courier.h"
#include "flow/pipeline.h"
#include "state/checkpoint.h"
#include "state/store.h"

#define DURABLE_WITHIN INT64_C(60000000000) /* ns: then it is answered that it is not yet */

/* ---- a webhook that was gone -------------------------------------------------------------------- */

static bool enabled_look(struct api_wait *w)
{
    struct buf b;

    switch (atomic_load(&w->epoch)) {
    case API_EPOCH_DURABLE:
        buf_init(&b);
        buf_addc(&b, '{');
        api_add_text(&b, "name", http_request_name(w->rq));
        buf_adds(&b, ",\"changed\":true}\n");
        http_answer_json(w->rq, 200, &b);
        return true;
    case API_EPOCH_DROPPED:
        http_answer_problem(w->rq, HTTP_UNAVAILABLE, "the daemon stops, and it is not known whether this was done");
        return true;
    }
    return false;
}

static const struct api_wait_ops enabled_ops = {sizeof(struct api_wait), enabled_look, NULL, NULL};

static void keep_enabled(struct api_call *call)
{
    struct api_audit *audit = api_audit_new(call, "enable sink", http_request_name(call->rq), NULL, NULL);
    struct store_batch *batch = store_batch_new();

    api_audit_put(audit, batch, "");
    api_audit_free(&audit);
    api_wait_submit(api_wait_new(call, &enabled_ops), batch);
}

bool api_sink_enable(struct api_call *call)
{
    const struct config *config = call->host->config;
    const char *name = http_request_name(call->rq);
    uint32_t number = config_sink_named(config, name);
    struct buf b;
    bool was = false;

    if (number == UINT32_MAX) {
        http_answer_problem(call->rq, HTTP_NOT_FOUND, "no sink `%s` is configured", name);
        return true;
    }
    if (config->sink[number].kind != CONFIG_SINK_WEBHOOK) {
        http_answer_problem(call->rq, HTTP_CONFLICT, "`%s` is no webhook: nothing disables it", name);
        return true;
    }
    buf_init(&b);
    if (!courier_enable(*call->host->courier, number, &was, &b)) {
        http_answer_problem(call->rq, HTTP_UNAVAILABLE, "%s", b.data);
        buf_fini(&b);
    } else if (was) {
        buf_fini(&b);
        keep_enabled(call); /* behind what the courier has said, so not durable without it */
    } else {
        buf_addc(&b, '{');
        api_add_text(&b, "name", name);
        buf_adds(&b, ",\"changed\":false}\n");
        http_answer_json(call->rq, 200, &b);
    }
    return true;
}

/* ---- a checkpoint now --------------------------------------------------------------------------- */

struct checkpointing {
    struct api_wait wait;
    uint64_t pipeline; /* the how manieth it was asked of */
    uint64_t number;   /* that it gave */
};

static void ask(struct checkpointing *cg)
{
    const struct api_host *host = cg->wait.api->host;

    cg->pipeline = *host->pipelines;
    cg->number = pipeline_checkpoint(*host->pipeline);
}

void api_add_checkpoint(struct api *api, struct buf *out)
{
    struct database_meta meta = checkpoint_meta(*api->host->cp);

    buf_printf(out, "\"number\":%" PRIu64 ",", meta.epoch);
    api_add_time(out, "time", meta.epoch_time);
    buf_printf(out, ",\"bytes\":%" PRIu64, checkpoint_stats(*api->host->cp).last_bytes);
}

static bool checkpoint_look(struct api_wait *w)
{
    struct checkpointing *cg = (struct checkpointing *)w;
    const struct api_host *host = w->api->host;
    struct buf b;

    if (cg->pipeline != *host->pipelines)
        ask(cg); /* rules were changed meanwhile, or it began again */
    if (!pipeline_checkpointed(*host->pipeline, cg->number))
        return false;
    buf_init(&b);
    buf_addc(&b, '{');
    api_add_checkpoint(w->api, &b);
    buf_printf(&b, ",\"seconds\":%.6f}\n", api_wait_seconds(w));
    http_answer_json(w->rq, 200, &b);
    return true;
}

static const struct api_wait_ops checkpoint_ops = {sizeof(struct checkpointing), checkpoint_look, NULL, NULL};

bool api_checkpoint_make(struct api_call *call)
{
    struct api_audit *audit = api_audit_new(call, "checkpoint", NULL, NULL, NULL);
    struct epoch *ep = epoch_new();

    api_audit_put(audit, ep->batch, "");
    api_audit_free(&audit);
    checkpoint_submit(*call->host->cp, ep); /* before the checkpoint, so durable with it */
    struct api_wait *w = api_wait_new(call, &checkpoint_ops);
    w->until = w->begun + DURABLE_WITHIN;
    ask((struct checkpointing *)w);
    return true;
}
