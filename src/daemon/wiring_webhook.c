// SPDX-License-Identifier: Apache-2.0
/* wiring_webhook - from the sinks of the configuration that are webhooks to the courier. */
#include "daemon/wiring.h"

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "config/config.h"
#include "flow/courier.h"
#include "io/body.h"
#include "state/checkpoint.h"

static struct web_endpoint_options web_options(const struct config_sink *sink)
{
    const struct config_webhook *web = &sink->web;

    return (struct web_endpoint_options){
        .name = sink->name,
        .url = web->url,
        .secret = {web->secret[0], web->secret[1]},
        .header = web->header,
        .n_headers = web->n_headers,
        .ca_file = web->ca,
        .certificate = web->certificate,
        .key = web->key,
        .tls_least = web->tls_1_3 ? WEB_TLS_1_3 : WEB_TLS_1_2,
        .proxy = web->proxy,
        .allow = (const char *const *)web->allow.text,
        .n_allow = web->allow.n,
        .connect_timeout = web->connect_timeout,
        .timeout = web->timeout,
        .max_response = web->max_response,
        .max_connections = web->in_flight,
    };
}

bool wiring_courier(const struct config *config, struct checkpoint *cp, struct courier **courier_out,
                    struct buf *why)
{
    struct courier_endpoint *ep = mem_calloc(config->n_sinks + 1, sizeof *ep);
    bool good = true;
    size_t n = 0;

    *courier_out = NULL;
    for (size_t i = 0; good && i < config->n_sinks; i++) {
        const struct config_sink *sink = &config->sink[i];
        if (sink->kind != CONFIG_SINK_WEBHOOK)
            continue;
        ep[n] = (struct courier_endpoint){
            .sink = (uint32_t)i,
            .name = sink->name,
            .web = web_options(sink),
            .body = config_webhook_body(sink, why),
            .in_flight = sink->web.strict ? 1 : sink->web.in_flight,
            .batch_count = sink->web.batch_count,
            .batch_wait = sink->web.batch_wait,
            .max_age = sink->web.max_age,
            .retry_least = sink->web.retry_least,
            .retry_most = sink->web.retry_most,
        };
        good = ep[n++].body != NULL;
    }
    if (good && n > 0)
        *courier_out = courier_start(checkpoint_outbox(cp), ep, n, config->routes, why);
    for (size_t i = 0; !good && i < n; i++)
        if (ep[i].body)
            body_free(&ep[i].body);
    good &= n == 0 || *courier_out;
    mem_free(ep);
    return good;
}

bool wiring_courier_renew(const struct config *config, struct courier *courier, struct buf *why)
{
    bool good = true;

    for (size_t i = 0; i < config->n_sinks; i++) {
        const struct config_sink *sink = &config->sink[i];
        if (sink->kind != CONFIG_SINK_WEBHOOK)
            continue;
        struct web_endpoint_options web = web_options(sink);
        good &= courier_renew(courier, (uint32_t)i, &web, why);
    }
    return good;
}

bool wiring_courier_check(const struct config *config, struct buf *why)
{
    struct web *web = web_new();
    size_t before = why->len;

    for (size_t i = 0; i < config->n_sinks; i++) {
        const struct config_sink *sink = &config->sink[i];
        if (sink->kind != CONFIG_SINK_WEBHOOK)
            continue;
        struct web_endpoint_options options = web_options(sink);
        struct buf wrong;
        buf_init(&wrong);
        struct web_endpoint *ep = web_endpoint_new(web, &options, &wrong);
        struct body *body = ep ? config_webhook_body(sink, &wrong) : NULL;
        if (!body)
            buf_printf(why, "%ssink %s%s%s", why->len > before ? "\n" : "", ep ? sink->name : "",
                       ep ? ": " : "", wrong.data); /* web names the endpoint itself */
        body_free(&body);
        web_endpoint_free(&ep);
        buf_fini(&wrong);
    }
    web_free(&web);
    return why->len == before;
}
