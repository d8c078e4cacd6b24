// SPDX-License-Identifier: Apache-2.0
#include "daemon/api_priv.h"

#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/digest.h"
#include "base/log.h"
#include "base/mem.h"
#include "config/config.h"
#include "daemon/api_dry.h"
#include "daemon/api_wait.h"
#include "daemon/api_streams.h"
#include "daemon/api_worker.h"
#include "daemon/figures.h"
#include "daemon/wiring.h"
#include "event/time_format.h"
#include "http/server.h"
#include "state/checkpoint.h"

enum { WORKER_MOST = 256, DRY_MOST = 16 }; /* requests that wait for a worker; those of api_dry.h hold a copy of the rules */

/* ---- small things ---------------------------------------------------------------------------- */

void api_etag(const void *text, size_t len, char etag_out[40])
{
    static const char digit[] = "0123456789abcdef";
    uint8_t id[16];
    char *at = etag_out;

    digest_id(text, len, id);
    *at++ = '"';
    for (int i = 0; i < 16; i++) {
        *at++ = digit[id[i] >> 4];
        *at++ = digit[id[i] & 15];
    }
    *at++ = '"';
    *at = '\0';
}

void api_add_text(struct buf *out, const char *key, const char *text)
{
    buf_printf(out, "\"%s\":", key);
    buf_add_json_bytes(out, text, strlen(text));
}

void api_add_time(struct buf *out, const char *key, int64_t ns)
{
    buf_printf(out, "\"%s\":\"", key);
    time_add_text(out, ns);
    buf_addc(out, '"');
}

/* ---- who answers what ------------------------------------------------------------------------ */

/* On the server's thread; NULL: main's. */
static void (*any_thread(enum http_operation operation))(struct api *api, struct http_request *rq)
{
    switch (operation) {
    case HTTP_OP_readyz: return api_answer_ready;
    case HTTP_OP_metrics: return api_answer_metrics;
    case HTTP_OP_info: return api_answer_info;
    case HTTP_OP_sources_list: return api_answer_sources;
    case HTTP_OP_sinks_list: return api_answer_sinks;
    case HTTP_OP_checkpoints_list: return api_answer_checkpoints;
    default: return NULL;
    }
}

/* On the worker's thread: what reads much, and needs the database alone; NULL: main's. */
static void (*on_worker(enum http_operation operation))(struct api *api, struct http_request *rq)
{
    switch (operation) {
    case HTTP_OP_alerts_list: return api_answer_alerts;
    case HTTP_OP_letters_list:
    case HTTP_OP_sink_letters_list: return api_answer_letters;
    default: return NULL;
    }
}

static api_handler *handler_of(enum http_operation operation)
{
    switch (operation) {
    case HTTP_OP_rules_list: return api_rules_list;
    case HTTP_OP_rules_check: return api_rules_check;
    case HTTP_OP_rules_test: return api_rules_test;
    case HTTP_OP_rules_reload: return api_rules_reload;
    case HTTP_OP_rule_get: return api_rule_get;
    case HTTP_OP_rule_stats: return api_rule_stats;
    case HTTP_OP_rule_explain: return api_rule_explain;
    case HTTP_OP_rule_enable:
    case HTTP_OP_rule_disable: return api_rule_switch;
    case HTTP_OP_modules_list: return api_modules_list;
    case HTTP_OP_modules_put: return api_modules_put;
    case HTTP_OP_module_get: return api_module_get;
    case HTTP_OP_module_put: return api_module_put;
    case HTTP_OP_module_delete: return api_module_delete;
    case HTTP_OP_module_versions: return api_module_versions;
    case HTTP_OP_module_diff: return api_module_diff;
    case HTTP_OP_module_rollback: return api_module_rollback;
    case HTTP_OP_state_get: return api_state_get;
    case HTTP_OP_audit_list: return api_audit_list;
    case HTTP_OP_tables_list: return api_tables_list;
    case HTTP_OP_table_get: return api_table_get;
    case HTTP_OP_table_put: return api_table_put;
    case HTTP_OP_table_post: return api_table_post;
    case HTTP_OP_table_delete: return api_table_delete;
    case HTTP_OP_table_versions: return api_table_versions;
    case HTTP_OP_table_rollback: return api_table_rollback;
    case HTTP_OP_letters_replay:
    case HTTP_OP_letters_drop:
    case HTTP_OP_sink_letters_replay:
    case HTTP_OP_sink_letters_drop: return api_letters_change;
    case HTTP_OP_sink_enable: return api_sink_enable;
    case HTTP_OP_checkpoint_export: return api_checkpoint_export;
    case HTTP_OP_drain: return api_drain;
    case HTTP_OP_resume: return api_resume;
    case HTTP_OP_checkpoint_make: return api_checkpoint_make;
    case HTTP_OP_events_post: /* the thread of its source */
    case HTTP_OP_alerts_list: /* the worker */
    case HTTP_OP_letters_list:
    case HTTP_OP_sink_letters_list:
    case HTTP_OP_alerts_stream: /* the thread of streams */
    case HTTP_OP_healthz: /* the server's own, or any thread's */
    case HTTP_OP_readyz:
    case HTTP_OP_metrics:
    case HTTP_OP_openapi:
    case HTTP_OP_info:
    case HTTP_OP_sources_list:
    case HTTP_OP_sinks_list:
    case HTTP_OP_checkpoints_list:
    case N_HTTP_OPERATIONS: break;
    }
    return NULL;
}

struct work {
    struct api *api;
    struct http_request *rq;
};

static void answer_unavailable(struct http_request *rq, const char *why)
{
    http_answer_problem(rq, HTTP_UNAVAILABLE, "%s", why);
    http_answer_retry_after(rq, 1);
}

/* On the worker's thread. */
static void do_work(void *ctx, bool ended)
{
    struct work *work = ctx;

    if (ended)
        answer_unavailable(work->rq, "the daemon stops");
    else
        on_worker(http_request_operation(work->rq))(work->api, work->rq);
    http_request_done(work->rq);
    mem_free(work);
}

/* False: too much waits. */
static bool put_work(struct api *api, struct http_request *rq)
{
    struct work *work = mem_alloc(sizeof *work);

    *work = (struct work){api, rq};
    bool taken = api_worker_put(api->worker, do_work, work);
    if (!taken)
        mem_free(work);
    return taken;
}

static void call(void *ctx, enum http_operation operation, struct http_request *rq)
{
    void (*answer)(struct api *api, struct http_request *rq) = any_thread(operation);
    struct api *api = ctx;

    if (operation == HTTP_OP_events_post) {
        api_take_events(api, rq);
        return;
    }
    if (answer) {
        answer(api, rq);
        http_request_done(rq);
        return;
    }
    pthread_mutex_lock(&api->lock);
    enum api_state state = api->state;
    bool running = state == API_RUNNING, taken = false;
    if (running && operation == HTTP_OP_alerts_stream) {
        api_stream_alerts(api, rq);
        taken = true;
    } else if (running && on_worker(operation)) {
        taken = put_work(api, rq);
    } else if (running) {
        api->queue = vec_reserve(api->queue, &api->cap, api->n + 1, sizeof(struct http_request *));
        api->queue[api->n++] = rq;
        taken = true;
        kill(getpid(), API_SIGNAL);
    }
    pthread_mutex_unlock(&api->lock);
    if (taken)
        return;
    answer_unavailable(rq, state == API_STARTING ? "the daemon recovers its state"
                           : running             ? "too many requests wait that read much"
                                                 : "the daemon stops");
    http_request_done(rq);
}

/* ---- start and stop -------------------------------------------------------------------------- */

static struct http_secrets secrets_of(const struct config_http *http)
{
    return (struct http_secrets){http->tokens, http->certificate, http->key};
}

/* Clients leave half of the open files that there may be to sources, sinks and the database. */
static uint32_t most_connections(uint32_t wanted)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur / 2 >= wanted)
        return wanted;
    log_line(LOG_WARNING, LOG_http, "fewer connections than configured: the limit of open files is low",
             "connections=%llu files=%llu", (unsigned long long)limit.rlim_cur / 2,
             (unsigned long long)limit.rlim_cur);
    return limit.rlim_cur / 2 > 16 ? (uint32_t)(limit.rlim_cur / 2) : 16;
}

struct api *api_start(const struct api_host *host, struct buf *why)
{
    const struct config_http *http = &host->config->http;
    struct api *api = mem_calloc(1, sizeof *api);
    struct http_options opt = {.listen = http->listen,
                               .secrets = secrets_of(http),
                               .max_header = http->max_header,
                               .max_body = http->max_body,
                               .max_bodies = http->max_bodies,
                               .max_rows = http->table_bytes,
                               .max_connections = most_connections(http->connections),
                               .request_timeout = http->request_timeout,
                               .ops = {api, call}};

    api->host = host;
    api->config = host->config;
    api->started = clock_wall();
    pthread_mutex_init(&api->lock, NULL);
    pthread_cond_init(&api->settled, NULL);
    api->server = http_server_start(&opt, why);
    if (!api->server) {
        api_stop(&api);
        return NULL;
    }
    figures_set_http(host->figures, api->server);
    log_line(LOG_INFO, LOG_http, "listening", "address=%s tls=%s tokens=%s",
             http_server_address(api->server), http->certificate ? "yes" : "no",
             http->tokens ? "yes" : "no");
    return api;
}

void api_set_config(struct api *api, const struct config *config)
{
    if (!api)
        return;
    pthread_mutex_lock(&api->lock);
    api->config = config;
    api->holds = false;
    pthread_cond_broadcast(&api->settled);
    pthread_mutex_unlock(&api->lock);
}

void api_hold_config(struct api *api)
{
    if (!api)
        return;
    pthread_mutex_lock(&api->lock);
    api->holds = true;
    while (api->users > 0)
        pthread_cond_wait(&api->settled, &api->lock);
    pthread_mutex_unlock(&api->lock);
}

void api_set_spooler(struct api *api, struct spooler *in)
{
    if (!api)
        return;
    pthread_mutex_lock(&api->lock);
    api->spooler = in;
    pthread_mutex_unlock(&api->lock);
}

void api_set_drained(struct api *api, bool drained)
{
    if (!api)
        return;
    pthread_mutex_lock(&api->lock);
    api->drained = drained;
    pthread_mutex_unlock(&api->lock);
}

static void set_state(struct api *api, enum api_state state)
{
    pthread_mutex_lock(&api->lock);
    api->state = state;
    pthread_cond_broadcast(&api->settled);
    pthread_mutex_unlock(&api->lock);
}

void api_open(struct api *api)
{
    api->audit = api->host->audit;
    api->history = api->host->history;
    api->worker = api_worker_new(WORKER_MOST);
    api->dry_worker = api_worker_new(DRY_MOST);
    if (checkpoint_alerts(*api->host->cp))
        api->streams = api_streams_new(checkpoint_alerts(*api->host->cp),
                                       checkpoint_store(*api->host->cp), api->host->config->http.streams,
                                       api->host->config->http.heartbeat);
    set_state(api, API_RUNNING);
}

/* The oldest, or NULL. */
static struct http_request *take(struct api *api)
{
    struct http_request *rq = NULL;

    pthread_mutex_lock(&api->lock);
    if (api->n > 0) {
        rq = api->queue[0];
        memmove(api->queue, api->queue + 1, --api->n * sizeof(struct http_request *));
    }
    pthread_mutex_unlock(&api->lock);
    return rq;
}

/* Of what runs, from memory: answered also while the database cannot be used. */
static bool needs_no_database(const struct http_request *rq)
{
    switch (http_request_operation(rq)) {
    case HTTP_OP_rules_list:
    case HTTP_OP_rule_get:
    case HTTP_OP_rule_stats:
    case HTTP_OP_rule_explain:
    case HTTP_OP_rules_test:
    case HTTP_OP_modules_list:
    case HTTP_OP_tables_list:
    case HTTP_OP_table_get: return true;
    case HTTP_OP_module_get: return !http_request_query(rq, "version");
    default: return false;
    }
}

/* While nothing can be written a change would wait, and main with it. */
static bool refuse_while_failing(struct api *api, struct http_request *rq)
{
    struct buf why;

    buf_init(&why);
    bool failing = !needs_no_database(rq) && checkpoint_failed(*api->host->cp, &why);
    if (failing) {
        http_answer_problem(rq, HTTP_UNAVAILABLE, "the database cannot be written: %s",
                            why.len ? why.data : "?");
        http_answer_retry_after(rq, 5);
    }
    buf_fini(&why);
    return failing;
}

/* False: the daemon cannot go on. */
static bool answer_one(struct api_call *call)
{
    api_handler *handler = handler_of(http_request_operation(call->rq));

    if (!api_dry_is(call))
        return handler(call);
    call->later = api_dry_put(call, handler);
    if (!call->later)
        answer_unavailable(call->rq, "too many checks, tests and dry runs wait");
    return true;
}

bool api_serve(struct api *api, struct buf *why)
{
    struct http_request *rq;
    bool ok = true;

    while (api && ok && (rq = take(api)) != NULL) {
        struct api_call one = {.api = api, .host = api->host, .rq = rq, .why = why};
        one.frontier = pipeline_frontier(*api->host->pipeline);
        if (!refuse_while_failing(api, rq))
            ok = answer_one(&one);
        if (!one.later)
            http_request_done(rq);
    }
    if (api && ok)
        api_wait_look(api);
    ok = ok && (!api || api_table_jobs_look(api, why));
    return ok;
}

bool api_secrets_check(const struct config *config, struct buf *why)
{
    struct http_secrets secrets = secrets_of(&config->http);

    return !config->http.given || http_secrets_check(&secrets, why);
}

bool api_renew(struct api *api, const struct config *config, struct buf *why)
{
    struct http_secrets secrets = secrets_of(&config->http);

    return !api || !config->http.given || http_server_renew(api->server, &secrets, why);
}

void api_stop(struct api **api)
{
    struct http_request *rq;

    if (!*api)
        return;
    set_state(*api, API_STOPPING);
    while ((rq = take(*api)) != NULL) {
        http_answer_problem(rq, HTTP_UNAVAILABLE, "the daemon stops");
        http_request_done(rq);
    }
    api_wait_end(*api);
    api_worker_free(&(*api)->worker);
    api_table_jobs_end(*api);
    api_worker_free(&(*api)->dry_worker);
    api_streams_end((*api)->streams);
    wiring_spooler_settle((*api)->spooler);
    figures_set_http((*api)->host->figures, NULL);
    http_server_stop(&(*api)->server);
    api_streams_free(&(*api)->streams);
    pthread_cond_destroy(&(*api)->settled);
    pthread_mutex_destroy(&(*api)->lock);
    mem_free((*api)->queue);
    mem_free(*api);
    *api = NULL;
}
