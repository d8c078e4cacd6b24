// SPDX-License-Identifier: Apache-2.0
/*
 * What a sink of kind webhook says: URL, secrets, headers, body, TLS, networks. No message holds what a
 * secret is.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#include "base/buf.h"
#include "base/cidr.h"
#include "base/mem.h"
#include "base/suggest.h"
#include "config/setting.h"
#include "io/address_policy.h"
#include "io/body.h"
#include "io/web.h"
#include "io/web_sign.h"
#include "io/web_url.h"

enum { MAX_HEADERS = 100, MAX_NETWORKS = 1000 };

static bool is_written_out(const struct ast_expr *value)
{
    return value->kind == AST_LITERAL && value->value.type == VALUE_TEXT;
}

/* ---- URLs ------------------------------------------------------------------------------------ */

/* The host of an URL that is right, without the brackets of an IPv6 address. */
static const char *host_of(const char *url, size_t *len_out)
{
    const char *host = strstr(url, "://") + 3;

    if (*host == '[') {
        *len_out = strcspn(++host, "]");
        return host;
    }
    *len_out = strcspn(host, ":/?#");
    return host;
}

static bool in_network(const char *text, size_t len, const char *network)
{
    struct cidr_set *set = cidr_set_new();
    const char *why;

    cidr_set_add(set, network, strlen(network), &why);
    cidr_set_seal(set);
    bool has = cidr_set_has(set, text, len);
    cidr_set_free(&set);
    return has;
}

static bool is_loopback(const char *host, size_t len)
{
    static const char local[] = "localhost";
    size_t n = sizeof local - 1;

    if (len >= n && strncasecmp(host + len - n, local, n) == 0 && (len == n || host[len - n - 1] == '.'))
        return true;
    return in_network(host, len, "127.0.0.0/8") || in_network(host, len, "::1");
}

static void warn_of_plain_http(struct reading *rd, const struct setting *s, const char *url)
{
    size_t len;
    const char *host = host_of(url, &len);

    if (strncasecmp(url, "http:", 5) != 0 || is_loopback(host, len))
        return;
    diag_add(rd->diag, DIAG_WARNING, s->value->span,
             "`http://`: alerts, and headers, can be read and changed on their way");
    diag_hint(rd->diag, "use `https://`");
}

void webhook_read_url(struct reading *rd, const struct setting *s)
{
    char **field = setting_field(s);
    char *url = config_secret_text(rd, s->option->key, s->value, "https://not-read.invalid/");
    struct buf why;

    if (!url)
        return;
    buf_init(&why);
    if (web_url_check(url, &why)) {
        warn_of_plain_http(rd, s, url);
        *field = url;
    } else {
        diag_add(rd->diag, DIAG_ERROR, s->value->span, "%s", why.data);
        mem_free(url);
    }
    buf_fini(&why);
}

void webhook_read_proxy(struct reading *rd, const struct setting *s)
{
    char **field = setting_field(s);
    char *url = config_secret_text(rd, s->option->key, s->value, "http://not-read.invalid:1");
    struct buf why;

    if (!url)
        return;
    buf_init(&why);
    if (web_proxy_check(url, &why)) {
        *field = url;
    } else {
        diag_add(rd->diag, DIAG_ERROR, s->value->span, "%s", why.data);
        mem_free(url);
    }
    buf_fini(&why);
}

/* ---- secrets --------------------------------------------------------------------------------- */

static void warn_written_out(struct reading *rd, const struct ast_expr *value)
{
    if (!is_written_out(value))
        return;
    diag_add(rd->diag, DIAG_WARNING, value->span, "a secret stands in the configuration itself");
    diag_hint(rd->diag, "better: env(\"NAME\") or file(\"path\")");
}

/* Owned, not empty; NULL and a diagnostic. */
static char *secret_text(struct reading *rd, const struct setting *s, const struct ast_expr *value)
{
    char *text = config_secret_text(rd, s->option->key, value, "not read");

    if (text && text[strspn(text, " \t\r\n")] == '\0') {
        diag_add(rd->diag, DIAG_ERROR, value->span, "`%s` is empty", s->option->key);
        mem_free(text);
        return NULL;
    }
    if (text)
        warn_written_out(rd, value);
    return text;
}

void webhook_read_secret(struct reading *rd, const struct setting *s)
{
    char **field = setting_field(s);

    *field = secret_text(rd, s, s->value);
}

static void take_signing_secret(struct reading *rd, const struct setting *s,
                                const struct ast_expr *value)
{
    char **field = setting_field(s);
    char *text = secret_text(rd, s, value);
    struct buf key, why;

    if (!text)
        return;
    buf_init(&key);
    buf_init(&why);
    if (web_secret_decode(text, &key, &why)) {
        field[field[0] != NULL] = text;
    } else {
        diag_add(rd->diag, DIAG_ERROR, value->span, "%s", why.data);
        mem_free(text);
    }
    if (key.len > 0)
        explicit_bzero(key.data, key.len);
    buf_fini(&key);
    buf_fini(&why);
}

void webhook_read_secrets(struct reading *rd, const struct setting *s)
{
    setting_each(rd, s, 2, take_signing_secret);
}

/* ---- headers --------------------------------------------------------------------------------- */

/* May its value be a secret? */
static bool is_secret_name(const char *name)
{
    static const char *const parts[] = {"auth", "token", "key", "secret", "cookie", "password"};

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strcasestr(name, parts[i]))
            return true;
    return false;
}

static void header_name(const struct ast_config *entry, struct buf *out)
{
    buf_adds(out, "");
    for (uint32_t i = 0; i < entry->n_key; i++)
        buf_printf(out, "%s%s", i ? "." : "", entry->key[i].name ? entry->key[i].name : "");
}

/* Takes the value. */
static void add_header(struct reading *rd, struct config_webhook *web, const struct ast_config *entry,
                       const char *name, char *value)
{
    struct web_header header = {name, value};
    struct buf why;
    size_t same = 0;

    buf_init(&why);
    while (same < web->n_headers && strcasecmp(web->header[same].name, name) != 0)
        same++;
    if (same < web->n_headers)
        diag_add(rd->diag, DIAG_ERROR, entry->key_span, "the header `%s` is given twice", name);
    else if (!web_header_check(&header, &why))
        diag_add(rd->diag, DIAG_ERROR, entry->key_span, "%s", why.data);
    else if (web->n_headers == MAX_HEADERS)
        diag_add(rd->diag, DIAG_ERROR, entry->key_span, "more than %d headers", (int)MAX_HEADERS);
    if (same < web->n_headers || why.len > 0 || web->n_headers == MAX_HEADERS) {
        mem_free(value);
    } else {
        if (is_secret_name(name))
            warn_written_out(rd, entry->value);
        web->header = mem_realloc(web->header, (web->n_headers + 1) * sizeof *web->header);
        web->header[web->n_headers++] =
            (struct web_header){mem_strndup(name, strlen(name)), value};
    }
    buf_fini(&why);
}

void webhook_read_headers(struct reading *rd, const struct setting *s)
{
    struct config_sink *sink = s->block;

    for (const struct ast_config *entry = s->entry->block; entry; entry = entry->next) {
        struct buf name;
        buf_init(&name);
        header_name(entry, &name);
        char *value = entry->value ? config_secret_text(rd, name.data, entry->value, "not read") : NULL;
        if (value)
            add_header(rd, &sink->web, entry, name.data, value);
        else if (!entry->value)
            diag_add(rd->diag, DIAG_ERROR, entry->key_span, "a header has a text, no block");
        buf_fini(&name);
    }
}

/* ---- body, TLS, networks --------------------------------------------------------------------- */

static void hint_bodies(struct reading *rd)
{
    struct buf words;

    buf_init(&words);
    for (int i = 0; i < BODY_N_KINDS; i++)
        buf_printf(&words, "%s %s", i > 0 ? "," : "", body_kind_word((enum body_kind)i));
    diag_hint(rd->diag, "there are:%s", words.data);
    buf_fini(&words);
}

void webhook_read_body(struct reading *rd, const struct setting *s)
{
    enum body_kind *kind = setting_field(s);
    const char *word = setting_word(s->value);
    struct suggest suggest;

    if (word && body_kind_named(word, kind))
        return;
    setting_refuse(rd, s, "the name of a form", NULL);
    suggest_init(&suggest, word ? word : "");
    for (int i = 0; i < BODY_N_KINDS; i++)
        suggest_try(&suggest, body_kind_word((enum body_kind)i));
    if (!word || !config_did_you_mean(rd, &suggest))
        hint_bodies(rd);
}

void webhook_read_tls_version(struct reading *rd, const struct setting *s)
{
    const struct ast_expr *v = s->value;
    bool *tls_1_3 = setting_field(s);
    double number = v->kind == AST_LITERAL && v->value.type == VALUE_DOUBLE ? v->value.u.d : 0;

    if (is_written_out(v) && v->value.len == 3)
        number = memcmp(v->value.u.text, "1.2", 3) == 0   ? 1.2
                 : memcmp(v->value.u.text, "1.3", 3) == 0 ? 1.3
                                                          : 0;
    if (number != 1.2 && number != 1.3)
        setting_refuse(rd, s, "1.2 or 1.3", NULL);
    else
        *tls_1_3 = number == 1.3;
}

static void take_network(struct reading *rd, const struct setting *s, const struct ast_expr *value)
{
    char *text = config_text(rd, s->option->key, value);
    struct cidr_set *set = cidr_set_new();
    const char *why;

    if (text && cidr_set_add(set, text, strlen(text), &why)) {
        setting_add_text(s, text);
    } else if (text) {
        diag_add(rd->diag, DIAG_ERROR, value->span, "this is no network: %s", why);
        diag_hint(rd->diag, "write it as 10.1.0.0/16, 2001:db8::/32 or a single address");
        mem_free(text);
    }
    cidr_set_free(&set);
}

void webhook_read_networks(struct reading *rd, const struct setting *s)
{
    setting_each(rd, s, MAX_NETWORKS, take_network);
}

/* ---- what must fit together ------------------------------------------------------------------ */

/* It is there, and could not be read: that was told. */
static bool is_unread(const struct config_block *block, enum config_option_id option, const char *text)
{
    return text == NULL && config_is_given(block, option);
}

struct body *config_webhook_body(const struct config_sink *sink, struct buf *why)
{
    const struct config_webhook *web = &sink->web;
    struct body_options opt = {.kind = web->body,
                               .sink = sink->name,
                               .url = web->link,
                               .max_bytes = web->max_body,
                               .routing_key = web->routing_key,
                               .template = web->template,
                               .content_type = web->content_type};

    return body_new(&opt, why);
}

static void check_body(struct reading *rd, struct config_sink *sink,
                       const struct config_block *block)
{
    struct config_webhook *web = &sink->web;
    enum config_option_id at = CONFIG_OPTION_sink_webhook;
    struct buf why;

    if (config_is_given(block, CONFIG_OPTION_sink_webhook_template))
        at = CONFIG_OPTION_sink_webhook_template;
    else if (config_is_given(block, CONFIG_OPTION_sink_webhook_body))
        at = CONFIG_OPTION_sink_webhook_body;
    web->template_span = block->given[CONFIG_OPTION_sink_webhook_template];
    web->link_span = block->given[CONFIG_OPTION_sink_webhook_link];
    if (is_unread(block, CONFIG_OPTION_sink_webhook_routing_key, web->routing_key) ||
        is_unread(block, CONFIG_OPTION_sink_webhook_template, web->template))
        return;
    buf_init(&why);
    struct body *body = config_webhook_body(sink, &why);
    if (!body)
        diag_add(rd->diag, DIAG_ERROR, block->given[at], "%s", why.data);
    else if (web->batch_count > body_most(body, false))
        diag_add(rd->diag, DIAG_ERROR, block->given[CONFIG_OPTION_sink_webhook_batch_count],
                 "a message of `body %s` holds at most %u alert%s", body_kind_word(web->body),
                 body_most(body, false), body_most(body, false) == 1 ? "" : "s");
    body_free(&body);
    buf_fini(&why);
}

/* Keys that only one form of body reads. */
static void check_body_keys(struct reading *rd, const struct config_webhook *web,
                            const struct config_block *block)
{
    static const struct {
        enum config_option_id option;
        enum body_kind kind;
    } only[] = {{CONFIG_OPTION_sink_webhook_template, BODY_KIND_template},
                {CONFIG_OPTION_sink_webhook_content_type, BODY_KIND_template},
                {CONFIG_OPTION_sink_webhook_routing_key, BODY_KIND_pagerduty}};

    for (size_t i = 0; i < sizeof only / sizeof *only; i++) {
        if (web->body == only[i].kind || !config_is_given(block, only[i].option))
            continue;
        diag_add(rd->diag, DIAG_ERROR, block->given[only[i].option], "`%s` is for `body %s`",
                 config_options[only[i].option].key, body_kind_word(only[i].kind));
        if (!config_is_given(block, CONFIG_OPTION_sink_webhook_body))
            diag_hint(rd->diag, "add `body %s`", body_kind_word(only[i].kind));
    }
}

/* The first of the two that is given. */
static struct span span_of(const struct config_block *block, enum config_option_id a,
                           enum config_option_id b)
{
    return block->given[config_is_given(block, a) ? a : b];
}

/* Who gives the whole alone, shorter than what its part is by default, means the part as well. */
static void shorten(int64_t *part, int64_t whole, const struct config_block *block,
                    enum config_option_id option)
{
    if (!config_is_given(block, option) && *part > whole)
        *part = whole;
}

static void check_times(struct reading *rd, struct config_webhook *web,
                        const struct config_block *block)
{
    shorten(&web->retry_least, web->retry_most, block, CONFIG_OPTION_sink_webhook_retry_least);
    shorten(&web->connect_timeout, web->timeout, block, CONFIG_OPTION_sink_webhook_connect_timeout);
    if (web->retry_least > web->retry_most)
        diag_add(rd->diag, DIAG_ERROR,
                 span_of(block, CONFIG_OPTION_sink_webhook_retry_least,
                         CONFIG_OPTION_sink_webhook_retry_most),
                 "`retry_least` is more than `retry_most`");
    if (web->connect_timeout > web->timeout)
        diag_add(rd->diag, DIAG_ERROR,
                 span_of(block, CONFIG_OPTION_sink_webhook_connect_timeout,
                         CONFIG_OPTION_sink_webhook_timeout),
                 "`connect_timeout` is more than `timeout`, of which it is a part");
}

/* The kind of an address, as text, that `allow` keeps a webhook from; NULL: none, or it is no address. */
static const char *refused_kind(const struct address_policy *policy, const char *address)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
    bool allowed = true;
    const char *kind;

    if (inet_pton(AF_INET, address, &v4.sin_addr) == 1)
        allowed = address_policy_allows(policy, (const struct sockaddr *)&v4, &kind);
    else if (inet_pton(AF_INET6, address, &v6.sin6_addr) == 1)
        allowed = address_policy_allows(policy, (const struct sockaddr *)&v6, &kind);
    return allowed ? NULL : kind;
}

/* Addresses that stand in the URL: others are known when they are resolved. */
static void check_address(struct reading *rd, const struct config_webhook *web,
                          const struct config_block *block)
{
    const char *const *allow = (const char *const *)web->allow.text;
    size_t len;
    const char *text = host_of(web->url, &len);
    bool local = is_loopback(text, len);
    char *host = mem_strndup(text, len);
    struct buf why;

    buf_init(&why);
    struct address_policy *policy = address_policy_new(allow, web->allow.n, &why);
    const char *kind = policy ? refused_kind(policy, host) : NULL;
    if (policy && local && refused_kind(policy, "127.0.0.1") && refused_kind(policy, "::1"))
        kind = refused_kind(policy, "127.0.0.1");
    if (kind) {
        diag_add(rd->diag, DIAG_ERROR, block->given[CONFIG_OPTION_sink_webhook],
                 "the address is %s: webhooks go there only if `allow` says so", kind);
        diag_hint(rd->diag, "add `allow \"%s\"`", local ? "127.0.0.0/8" : host);
    }
    address_policy_free(&policy);
    buf_fini(&why);
    mem_free(host);
}

void config_check_webhook(struct reading *rd, struct config_sink *sink, const struct config_block *block)
{
    struct config_webhook *web = &sink->web;

    if (web->url)
        check_body(rd, sink, block);
    check_body_keys(rd, web, block);
    if (web->url && !web->proxy)
        check_address(rd, web, block);
    check_times(rd, web, block);
    if (web->key && !web->certificate)
        diag_add(rd->diag, DIAG_ERROR, block->given[CONFIG_OPTION_sink_tls_key],
                 "a `key` without a `certificate`");
    if (web->strict && config_is_given(block, CONFIG_OPTION_sink_webhook_in_flight) &&
        web->in_flight != 1)
        diag_add(rd->diag, DIAG_ERROR, block->given[CONFIG_OPTION_sink_webhook_in_flight],
                 "with `order strict` one message is in flight");
    if (web->strict)
        web->in_flight = 1;
    if (config_is_given(block, CONFIG_OPTION_sink_webhook_batch_wait) && web->batch_count == 1)
        diag_add(rd->diag, DIAG_ERROR, block->given[CONFIG_OPTION_sink_webhook_batch_wait],
                 "`batch_wait` has no sense without `batch_count`");
    if (web->url && strncasecmp(web->url, "http:", 5) == 0 && (web->ca || web->certificate))
        diag_add(rd->diag, DIAG_ERROR,
                 span_of(block, CONFIG_OPTION_sink_tls_ca, CONFIG_OPTION_sink_tls_certificate),
                 "the URL begins with `http://`: there is no TLS");
}
