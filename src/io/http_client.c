// SPDX-License-Identifier: Apache-2.0
#include "io/http_client.h"
#include "io/http_header.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/version.h"

#define MS INT64_C(1000000)
#define SECOND (1000 * MS)
enum { LONGEST_HEAD = 65536, LONGEST_URL = 8192, LONGEST_WAIT = 3600 };

struct http_client {
    CURL *easy;
    char *base; /* SCHEME://HOST:PORT/PATH without a `/` at its end */
    char *token;
    char *ca;
    int64_t timeout;
    size_t max_answer;
};

struct exchange { /* one request */
    struct http_client *client;
    const struct http_client_request *rq;
    struct http_client_answer *answer;
    size_t head_bytes;
    bool too_long, ended, silent;
    curl_off_t bytes; /* that came, when last looked at */
    int64_t since;    /* monotonic: since when no more came */
    char error[CURL_ERROR_SIZE];
};

static _Noreturn void broken(const char *what)
{
    fprintf(stderr, "tocsin: libcurl: %s failed\n", what);
    abort();
}

void http_client_answer_init(struct http_client_answer *a)
{
    *a = (struct http_client_answer){0};
    buf_init(&a->body);
}

void http_client_answer_fini(struct http_client_answer *a)
{
    buf_fini(&a->body);
}

/* ---- settings ---------------------------------------------------------------------------------- */

static bool is_loopback(const char *host)
{
    struct in_addr four;

    if (strcasecmp(host, "localhost") == 0 || strcmp(host, "[::1]") == 0)
        return true;
    return inet_pton(AF_INET, host, &four) == 1 && (ntohl(four.s_addr) >> 24) == 127;
}

/* "" if it has none; owned (mem_free). */
static char *part_of(CURLU *u, CURLUPart part, unsigned flags)
{
    char *value = NULL, *copy;

    if (curl_url_get(u, part, &value, flags) != CURLUE_OK || !value)
        return mem_strndup("", 0);
    copy = mem_strndup(value, strlen(value));
    curl_free(value);
    return copy;
}

static bool has_part(CURLU *u, CURLUPart part)
{
    char *value = part_of(u, part, 0);
    bool has = value[0] != '\0';

    mem_free(value);
    return has;
}

/* What is wrong, or NULL. */
static const char *check_url(CURLU *u, const struct http_client_settings *s)
{
    char *scheme = part_of(u, CURLUPART_SCHEME, 0), *host = part_of(u, CURLUPART_HOST, 0);
    bool tls = strcmp(scheme, "https") == 0;
    const char *wrong = NULL;

    if (!tls && strcmp(scheme, "http") != 0)
        wrong = "it begins with `http://` or `https://`";
    else if (has_part(u, CURLUPART_USER) || has_part(u, CURLUPART_PASSWORD))
        wrong = "there is a user name or password in it: a token is in a file (--token-file)";
    else if (has_part(u, CURLUPART_QUERY) || has_part(u, CURLUPART_FRAGMENT))
        wrong = "there is a query or a fragment in it";
    else if (!tls && s->token && !s->plain_token && !is_loopback(host))
        wrong = "the token would go over the network in the clear: use https://, or --plain-token if the way "
                "is safe";
    mem_free(scheme);
    mem_free(host);
    return wrong;
}

static bool set_url(struct http_client *client, const struct http_client_settings *s, struct buf *why)
{
    const char *colon = strchr(s->url, ':'), *wrong = "it is none like http://127.0.0.1:7070";
    CURLU *u = curl_url();

    if (!u)
        broken("curl_url");
    /* libcurl reads any number of slashes; and takes a host alone for one of http */
    if (strlen(s->url) < LONGEST_URL && colon && strncmp(colon, "://", 3) == 0 && colon[3] != '/' &&
        curl_url_set(u, CURLUPART_URL, s->url, CURLU_NON_SUPPORT_SCHEME) == CURLUE_OK)
        wrong = check_url(u, s);
    if (wrong)
        buf_printf(why, "the URL %s: %s", s->url, wrong);
    else
        client->base = part_of(u, CURLUPART_URL, 0);
    curl_url_cleanup(u);
    for (size_t len = wrong ? 0 : strlen(client->base); len > 0 && client->base[len - 1] == '/'; len--)
        client->base[len - 1] = '\0';
    return !wrong;
}

static bool set_token(struct http_client *client, const char *token, struct buf *why)
{
    for (const char *p = token; p && *p; p++)
        if (*p <= ' ' || *p >= 0x7f) {
            buf_adds(why, "the token has a blank or another odd byte in it: it is the one line that `tocsin token new` "
                          "prints first");
            return false;
        }
    if (token && !*token) {
        buf_adds(why, "the token is empty");
        return false;
    }
    client->token = token ? mem_strndup(token, strlen(token)) : NULL;
    return true;
}

struct http_client *http_client_new(const struct http_client_settings *s, struct buf *why)
{
    struct http_client *client = mem_calloc(1, sizeof *client);
    FILE *ca = NULL;

    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        broken("curl_global_init");
    client->timeout = s->timeout;
    client->max_answer = s->max_answer;
    bool ok = set_url(client, s, why) && set_token(client, s->token, why);
    if (ok && s->ca && !(ca = fopen(s->ca, "re"))) {
        buf_printf(why, "%s: cannot be read", s->ca);
        ok = false;
    }
    if (ca)
        fclose(ca);
    client->ca = s->ca ? mem_strndup(s->ca, strlen(s->ca)) : NULL;
    client->easy = curl_easy_init();
    if (!client->easy)
        broken("curl_easy_init");
    if (!ok)
        http_client_free(&client);
    return client;
}

void http_client_free(struct http_client **cp)
{
    struct http_client *client = *cp;

    if (!client)
        return;
    *cp = NULL;
    curl_easy_cleanup(client->easy);
    mem_free(client->base);
    mem_free(client->token);
    mem_free(client->ca);
    mem_free(client);
}

const char *http_client_version(void)
{
    return curl_version_info(CURLVERSION_NOW)->version;
}

/* ---- what libcurl calls -------------------------------------------------------------------------- */

static bool goes_on(struct exchange *x)
{
    if (!x->ended && x->rq->go_on && !x->rq->go_on(x->rq->ctx))
        x->ended = true;
    return !x->ended;
}

static int64_t timeout_of(const struct exchange *x)
{
    return x->rq->timeout ? x->rq->timeout : x->client->timeout;
}

/* Of what is taken piece by piece only silence is bounded. Not by libcurl's lowest speed: that is whole bytes a
 * second, and a heartbeat now and then is less. */
static bool is_silent(struct exchange *x, curl_off_t bytes)
{
    int64_t now = clock_monotonic();

    if (bytes != x->bytes || x->since == 0) {
        x->bytes = bytes;
        x->since = now;
    }
    x->silent = x->rq->take && now - x->since > timeout_of(x);
    return x->silent;
}

static int progress(void *ctx, curl_off_t down_total, curl_off_t down, curl_off_t up_total, curl_off_t up)
{
    struct exchange *x = ctx;

    (void)down_total, (void)up_total;
    return goes_on(x) && !is_silent(x, down + up) ? 0 : 1;
}

static size_t take_header(char *line, size_t one, size_t len, void *ctx)
{
    struct exchange *x = ctx;
    struct http_client_answer *a = x->answer;
    char seconds[16] = "";

    (void)one;
    x->head_bytes += len;
    if (x->head_bytes > LONGEST_HEAD) {
        x->too_long = true;
        return 0;
    }
    http_header_take(line, len, "content-type", a->type, sizeof a->type);
    http_header_take(line, len, "etag", a->etag, sizeof a->etag);
    http_header_take(line, len, "tocsin-next", a->next, sizeof a->next);
    http_header_take(line, len, "retry-after", seconds, sizeof seconds);
    if (seconds[0] >= '0' && seconds[0] <= '9') {
        unsigned long wait = strtoul(seconds, NULL, 10);
        a->retry_after = (int64_t)(wait < LONGEST_WAIT ? wait : LONGEST_WAIT) * SECOND;
    }
    return len;
}

static size_t take_body(char *data, size_t one, size_t len, void *ctx)
{
    struct exchange *x = ctx;
    long status = 0;

    (void)one;
    if (!goes_on(x))
        return 0;
    curl_easy_getinfo(x->client->easy, CURLINFO_RESPONSE_CODE, &status);
    if (x->rq->take && status / 100 == 2) {
        x->ended = !x->rq->take(x->rq->ctx, data, len);
        return x->ended ? 0 : len;
    }
    if (len > x->client->max_answer - x->answer->body.len) {
        x->too_long = true;
        return 0;
    }
    buf_add(&x->answer->body, data, len);
    return len;
}

/* ---- one request --------------------------------------------------------------------------------- */

static struct curl_slist *add_header(struct curl_slist *list, const char *line)
{
    struct curl_slist *longer = curl_slist_append(list, line);

    if (!longer)
        broken("curl_slist_append");
    return longer;
}

static struct curl_slist *headers_of(const struct exchange *x)
{
    struct curl_slist *list = add_header(NULL, "Expect:"); /* no pause before a long body */
    struct buf line;

    buf_init(&line);
    if (x->client->token) {
        buf_printf(&line, "Authorization: Bearer %s", x->client->token);
        list = add_header(list, line.data);
    }
    buf_fini(&line);
    for (size_t i = 0; i < x->rq->n_headers; i++)
        list = add_header(list, x->rq->header[i]);
    return list;
}

static void set_limits(CURL *e, const struct exchange *x)
{
    int64_t ms = timeout_of(x) / MS;

    curl_easy_setopt(e, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(e, CURLOPT_QUICK_EXIT, 1L);
    curl_easy_setopt(e, CURLOPT_CONNECTTIMEOUT_MS, (long)(ms > 0 ? ms : 1));
    curl_easy_setopt(e, CURLOPT_TCP_KEEPALIVE, 1L);
    if (!x->rq->take)
        curl_easy_setopt(e, CURLOPT_TIMEOUT_MS, (long)(ms > 0 ? ms : 1));
}

static void set_callbacks(CURL *e, struct exchange *x)
{
    curl_easy_setopt(e, CURLOPT_ERRORBUFFER, x->error);
    curl_easy_setopt(e, CURLOPT_HEADERFUNCTION, take_header);
    curl_easy_setopt(e, CURLOPT_HEADERDATA, x);
    curl_easy_setopt(e, CURLOPT_WRITEFUNCTION, take_body);
    curl_easy_setopt(e, CURLOPT_WRITEDATA, x);
    curl_easy_setopt(e, CURLOPT_XFERINFOFUNCTION, progress);
    curl_easy_setopt(e, CURLOPT_XFERINFODATA, x);
    curl_easy_setopt(e, CURLOPT_NOPROGRESS, x->rq->go_on || x->rq->take ? 0L : 1L);
}

static void set_request(CURL *e, const struct exchange *x, const char *url, struct curl_slist *headers)
{
    const struct http_client_request *rq = x->rq;
    char agent[64];

    snprintf(agent, sizeof agent, "tocsin/%s", version_string());
    curl_easy_reset(e);
    if (curl_easy_setopt(e, CURLOPT_URL, url) != CURLE_OK ||
        curl_easy_setopt(e, CURLOPT_PROTOCOLS_STR, "http,https") != CURLE_OK ||
        curl_easy_setopt(e, CURLOPT_PROXY, "") != CURLE_OK ||
        curl_easy_setopt(e, CURLOPT_USERAGENT, agent) != CURLE_OK ||
        curl_easy_setopt(e, CURLOPT_CUSTOMREQUEST, rq->method) != CURLE_OK ||
        curl_easy_setopt(e, CURLOPT_HTTPHEADER, headers) != CURLE_OK)
        broken("curl_easy_setopt");
    curl_easy_setopt(e, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(e, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(e, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
    if (rq->body) {
        curl_easy_setopt(e, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)rq->len);
        curl_easy_setopt(e, CURLOPT_POSTFIELDS, rq->body);
    }
    if (x->client->ca) {
        curl_easy_setopt(e, CURLOPT_CAINFO, x->client->ca);
        curl_easy_setopt(e, CURLOPT_CAPATH, NULL); /* nobody but the given ones */
    }
}

static enum http_client_result result_of(const struct exchange *x, CURLcode code, struct buf *why)
{
    if (code == CURLE_OK)
        return HTTP_CLIENT_ANSWERED;
    if (x->too_long) {
        buf_printf(why, "%s: the answer is longer than %zu bytes (--max-answer)", x->client->base,
                   x->client->max_answer);
        return HTTP_CLIENT_TOO_LONG;
    }
    if (x->ended)
        return HTTP_CLIENT_ENDED;
    if (x->silent) {
        buf_printf(why, "%s: nothing came for %g s", x->client->base, (double)timeout_of(x) / SECOND);
        return HTTP_CLIENT_UNREACHABLE;
    }
    buf_printf(why, "%s: %s", x->client->base, x->error[0] ? x->error : curl_easy_strerror(code));
    switch (code) {
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_URL_MALFORMAT: return HTTP_CLIENT_REFUSED;
    default: return HTTP_CLIENT_UNREACHABLE;
    }
}

enum http_client_result http_client_ask(struct http_client *client, const struct http_client_request *rq,
                                        struct http_client_answer *answer, struct buf *why)
{
    struct exchange x = {.client = client, .rq = rq, .answer = answer};
    struct curl_slist *headers = headers_of(&x);
    struct buf url;
    long status = 0;

    http_client_answer_fini(answer);
    http_client_answer_init(answer);
    buf_init(&url);
    buf_printf(&url, "%s%s", client->base, rq->path);
    set_request(client->easy, &x, url.data, headers);
    set_limits(client->easy, &x);
    set_callbacks(client->easy, &x);
    CURLcode code = curl_easy_perform(client->easy);
    curl_easy_getinfo(client->easy, CURLINFO_RESPONSE_CODE, &status);
    answer->status = (int)status;
    curl_slist_free_all(headers);
    buf_fini(&url);
    return result_of(&x, code, why);
}
