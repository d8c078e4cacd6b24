// SPDX-License-Identifier: Apache-2.0
#include "config/compare.h"

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "config/config.h"
#include "config/option.h"

/* ---- values ---------------------------------------------------------------------------------- */

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_list(char *const *a, size_t n_a, char *const *b, size_t n_b)
{
    for (size_t i = 0; n_a == n_b && i < n_a; i++)
        if (strcmp(a[i], b[i]) != 0)
            return false;
    return n_a == n_b;
}

static bool same_headers(const struct config_webhook *a, const struct config_webhook *b)
{
    for (size_t i = 0; a->n_headers == b->n_headers && i < a->n_headers; i++)
        if (strcmp(a->header[i].name, b->header[i].name) != 0 ||
            strcmp(a->header[i].value, b->header[i].value) != 0)
            return false;
    return a->n_headers == b->n_headers;
}

static bool same_options(const struct config_kafka *a, const struct config_kafka *b)
{
    for (size_t i = 0; a->n_options == b->n_options && i < a->n_options; i++)
        if (strcmp(a->option[i].name, b->option[i].name) != 0 ||
            strcmp(a->option[i].value, b->option[i].value) != 0)
            return false;
    return a->n_options == b->n_options && a->files == b->files;
}

/* a, b: blocks of the option's kind. */
static bool same_value(const struct config_option *o, const void *a, const void *b)
{
    const void *x = (const char *)a + o->offset, *y = (const char *)b + o->offset;

    switch (o->type) {
    case CONFIG_TYPE_DURATION:
    case CONFIG_TYPE_SIZE:
    case CONFIG_TYPE_COUNT:
    case CONFIG_TYPE_SHARDS:
    case CONFIG_TYPE_FLAG:
    case CONFIG_TYPE_WORD:
    case CONFIG_TYPE_FORMATS:
    case CONFIG_TYPE_BLOCK: /* the kind */
    case CONFIG_TYPE_BODY:
    case CONFIG_TYPE_TLS_VERSION:
    case CONFIG_TYPE_SEVERITIES:
    case CONFIG_TYPE_START:
    case CONFIG_TYPE_RESET:
        return memcmp(x, y, o->size) == 0;
    case CONFIG_TYPE_PATH:
    case CONFIG_TYPE_FIELD:
    case CONFIG_TYPE_SINK:
    case CONFIG_TYPE_TEXT:
    case CONFIG_TYPE_URL:
    case CONFIG_TYPE_PROXY:
    case CONFIG_TYPE_SECRET:
    case CONFIG_TYPE_BROKERS:
        return same_text(*(char *const *)x, *(char *const *)y);
    case CONFIG_TYPE_SECRETS:
        return same_text(((char *const *)x)[0], ((char *const *)y)[0]) &&
               same_text(((char *const *)x)[1], ((char *const *)y)[1]);
    case CONFIG_TYPE_TIME: {
        const struct config_source *s = a, *t = b;
        return same_text(s->time, t->time) && s->time_arrival == t->time_arrival &&
               s->time_record == t->time_record;
    }
    case CONFIG_TYPE_PATHS: {
        const struct config_source *s = a, *t = b;
        return same_list(s->path, s->n_paths, t->path, t->n_paths);
    }
    case CONFIG_TYPE_HEADERS:
        return same_headers(&((const struct config_sink *)a)->web, &((const struct config_sink *)b)->web);
    case CONFIG_TYPE_PROPERTIES:
        return same_options(x, y);
    case CONFIG_TYPE_TEXTS:
    case CONFIG_TYPE_NETWORKS:
    case CONFIG_TYPE_PATTERNS:
    case CONFIG_TYPE_SINKS:
    case CONFIG_TYPE_WINDOWS: {
        const struct config_texts *s = x, *t = y;
        return same_list(s->text, s->n, t->text, t->n);
    }
    case CONFIG_TYPE_KEYS: /* their options are in the table, too */
        return true;
    }
    return false;
}

/* ---- what it takes ----------------------------------------------------------------------------- */

/* A start alone reads these. */
static bool is_of_start(const struct config_option *o)
{
    int id = (int)(o - config_options);

    return id == CONFIG_OPTION_engine_state || id == CONFIG_OPTION_engine_dead_letter_bytes ||
           id == CONFIG_OPTION_engine_dead_letter_count;
}

/* What an endpoint can be given while it runs. */
static bool is_secret(const struct config_option *o)
{
    int id = (int)(o - config_options);

    return o->type == CONFIG_TYPE_SECRETS || o->type == CONFIG_TYPE_HEADERS ||
           id == CONFIG_OPTION_sink_tls_ca || id == CONFIG_OPTION_sink_tls_certificate ||
           id == CONFIG_OPTION_sink_tls_key;
}

/* Is `of` a block of this kind, or one in it? */
static bool is_in(enum config_of of, enum config_of block)
{
    switch (of) {
    case CONFIG_OF_sink_tls:
    case CONFIG_OF_sink_kafka: return block == CONFIG_OF_sink;
    case CONFIG_OF_source_kafka: return block == CONFIG_OF_source;
    default: return config_block_of(of) == block;
    }
}

static bool is_spooled(const struct config_source *source)
{
    return source && config_is_spooled(source);
}

static void compare_sources(const struct config *was, const struct config *now,
                            struct config_difference *diff)
{
    for (size_t i = 0; i < was->n_sources || i < now->n_sources; i++) {
        const struct config_source *a = i < was->n_sources ? &was->source[i] : NULL;
        const struct config_source *b = i < now->n_sources ? &now->source[i] : NULL;
        bool same = a && b && strcmp(a->name, b->name) == 0 && a->kind == b->kind;
        for (int k = 0; same && k < CONFIG_OPTION_COUNT; k++)
            same = !is_in(config_options[k].of, CONFIG_OF_source) ||
                   same_value(&config_options[k], a, b);
        diff->flow |= !same;
        diff->in |= !same && (is_spooled(a) || is_spooled(b));
    }
}

static void compare_sinks(const struct config *was, const struct config *now,
                          struct config_difference *diff)
{
    diff->sinks |= was->n_sinks != now->n_sinks;
    for (size_t i = 0; !diff->sinks && i < was->n_sinks; i++) {
        const struct config_sink *a = &was->sink[i], *b = &now->sink[i];
        diff->sinks |= strcmp(a->name, b->name) != 0 || a->kind != b->kind;
        for (int k = 0; k < CONFIG_OPTION_COUNT; k++) {
            const struct config_option *o = &config_options[k];
            if (!is_in(o->of, CONFIG_OF_sink) || same_value(o, a, b))
                continue;
            if (is_secret(o))
                diff->secrets = true;
            else
                diff->sinks = true;
        }
    }
}

static void compare_routes(const struct config *was, const struct config *now,
                           struct config_difference *diff)
{
    bool same = was->n_routes == now->n_routes &&
                same_list(was->default_to, was->n_default_to, now->default_to, now->n_default_to);

    for (size_t i = 0; same && i < was->n_routes; i++)
        for (int k = 0; same && k < CONFIG_OPTION_COUNT; k++)
            same = config_options[k].of != CONFIG_OF_route ||
                   same_value(&config_options[k], &was->route[i], &now->route[i]);
    diff->sinks |= !same; /* they look at routes when they deliver */
}

static void compare_engine(const struct config *was, const struct config *now,
                           struct config_difference *diff, struct buf *later)
{
    for (int k = 0; k < CONFIG_OPTION_COUNT; k++) {
        const struct config_option *o = &config_options[k];
        if (o->of != CONFIG_OF_engine || same_value(o, was, now))
            continue;
        if (is_of_start(o))
            buf_printf(later, "%s`%s`", later->len ? ", " : "", o->key);
        else
            diff->flow = true;
    }
}

static void compare_rules_topic(const struct config *was, const struct config *now, struct buf *later)
{
    bool same = was->rules_topic.given == now->rules_topic.given;

    for (int k = 0; same && k < CONFIG_OPTION_COUNT; k++)
        same = config_options[k].of != CONFIG_OF_rules_topic || same_value(&config_options[k], was, now);
    if (!same)
        buf_printf(later, "%s`rules_topic`", later->len ? ", " : "");
}

/* Its tokens and certificates are renewed at each reload (daemon/api.h), if there were some. */
static void compare_http(const struct config *was, const struct config *now, struct config_difference *diff,
                         struct buf *later)
{
    const struct config_http *a = &was->http, *b = &now->http;

    diff->no_renewal = a->given != b->given || !a->tokens != !b->tokens || !a->certificate != !b->certificate;
    diff->http = !diff->no_renewal && !(same_text(a->tokens, b->tokens) &&
                                        same_text(a->certificate, b->certificate) && same_text(a->key, b->key));
    bool same = !diff->no_renewal;
    for (int k = 0; same && k < CONFIG_OPTION_COUNT; k++)
        same = config_options[k].of != CONFIG_OF_http || k == CONFIG_OPTION_http_tokens ||
               same_value(&config_options[k], &was->http, &now->http);
    if (!same)
        buf_printf(later, "%s`http`", later->len ? ", " : "");
}

void config_compare(const struct config *was, const struct config *now,
                    struct config_difference *difference_out, struct buf *later_out)
{
    *difference_out = (struct config_difference){0};
    compare_engine(was, now, difference_out, later_out);
    compare_rules_topic(was, now, later_out);
    compare_http(was, now, difference_out, later_out);
    compare_sources(was, now, difference_out);
    compare_sinks(was, now, difference_out);
    compare_routes(was, now, difference_out);
    difference_out->flow |= difference_out->sinks; /* they have numbers */
}

static void exchange(char **a, char **b)
{
    char *text = *a;

    *a = *b;
    *b = text;
}

void config_take_http(struct config *was, struct config *now)
{
    exchange(&was->http.tokens, &now->http.tokens);
    exchange(&was->http.certificate, &now->http.certificate);
    exchange(&was->http.key, &now->http.key);
}

void config_take_secrets(struct config *was, struct config *now)
{
    for (size_t i = 0; i < was->n_sinks && i < now->n_sinks; i++) {
        struct config_webhook *a = &was->sink[i].web, *b = &now->sink[i].web;
        struct web_header *header = a->header;
        size_t n = a->n_headers;
        a->header = b->header;
        a->n_headers = b->n_headers;
        b->header = header;
        b->n_headers = n;
        exchange(&a->secret[0], &b->secret[0]);
        exchange(&a->secret[1], &b->secret[1]);
        exchange(&a->ca, &b->ca);
        exchange(&a->certificate, &b->certificate);
        exchange(&a->key, &b->key);
    }
}

void config_keep(struct config *was, struct config *now)
{
    struct config_http http = now->http;
    struct config_rules_topic rules_topic = now->rules_topic;
    char *state = now->state;

    now->http = was->http;
    was->http = http;
    now->rules_topic = was->rules_topic;
    was->rules_topic = rules_topic;
    now->state = was->state;
    was->state = state;
    now->dead_letter_bytes = was->dead_letter_bytes;
    now->dead_letter_count = was->dead_letter_count;
}
