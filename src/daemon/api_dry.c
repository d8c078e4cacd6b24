// SPDX-License-Identifier: Apache-2.0
#include "daemon/api_dry.h"

#include "base/mem.h"
#include "daemon/api_priv.h"
#include "daemon/api_worker.h"

struct api_dry {
    struct api_call call;
    struct api_host host;  /* of call: the configuration and the rules are those below */
    struct ruleset rules;
    api_handler *handler;
    struct buf why;
    bool has_config;
};

static bool has_uploads(const struct ruleset *rules)
{
    bool any = false;

    for (size_t i = 0; i < rules->mods.n; i++)
        any |= rules->mods.generation[i].n_uploads > 0;
    return any;
}

bool api_dry_is(const struct api_call *call)
{
    if (has_uploads(call->host->rules))
        return false;
    switch (http_request_operation(call->rq)) {
    case HTTP_OP_rules_check:
    case HTTP_OP_rules_test: return true;
    case HTTP_OP_rules_reload:
    case HTTP_OP_modules_put:
    case HTTP_OP_module_put:
    case HTTP_OP_module_delete:
    case HTTP_OP_module_rollback: return http_request_flag(call->rq, "dry_run");
    default: return false;
    }
}

/* ---- the configuration ------------------------------------------------------------------------- */

/* False: there will be none any more. */
static bool take_config(struct api_dry *dry)
{
    struct api *api = dry->call.api;

    pthread_mutex_lock(&api->lock);
    while (api->holds && api->state == API_RUNNING)
        pthread_cond_wait(&api->settled, &api->lock);
    dry->has_config = api->state == API_RUNNING;
    api->users += dry->has_config;
    dry->host.config = dry->rules.config = api->config;
    pthread_mutex_unlock(&api->lock);
    return dry->has_config;
}

static void let_config(struct api_dry *dry)
{
    struct api *api = dry->call.api;

    if (!dry->has_config)
        return;
    dry->has_config = false;
    dry->host.config = NULL;
    pthread_mutex_lock(&api->lock);
    api->users--;
    pthread_cond_broadcast(&api->settled);
    pthread_mutex_unlock(&api->lock);
}

void api_dry_let_config(struct api_call *call)
{
    if (call->dry)
        let_config(call->dry);
}

bool api_dry_ending(const struct api_call *call)
{
    return call->dry && api_worker_ending(call->api->dry_worker);
}

/* ---- one of them ------------------------------------------------------------------------------- */

/* On the worker's thread. */
static void work(void *ctx, bool ended)
{
    struct api_dry *dry = ctx;
    struct http_request *rq = dry->call.rq;

    if (ended || !take_config(dry)) {
        http_answer_problem(rq, HTTP_UNAVAILABLE, "the daemon stops");
    } else {
        dry->handler(&dry->call);
        let_config(dry);
    }
    http_request_done(rq);
    ruleset_fini(&dry->rules);
    buf_fini(&dry->why);
    mem_free(dry);
}

bool api_dry_put(const struct api_call *call, api_handler *handler)
{
    struct api_dry *dry = mem_calloc(1, sizeof *dry);

    dry->host = *call->host;
    dry->host.rules = &dry->rules;
    dry->host.pipeline = NULL; /* main's alone */
    dry->call = *call;
    dry->call.host = &dry->host;
    dry->call.why = &dry->why;
    dry->call.dry = dry;
    dry->handler = handler;
    buf_init(&dry->why);
    ruleset_copy(call->host->rules, &dry->rules);
    if (api_worker_put(call->api->dry_worker, work, dry))
        return true;
    ruleset_fini(&dry->rules);
    buf_fini(&dry->why);
    mem_free(dry);
    return false;
}
