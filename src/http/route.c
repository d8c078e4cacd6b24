// SPDX-License-Identifier: Apache-2.0
#include "http/route.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/suggest.h"
#include "http/uri.h"

const struct http_route http_routes[N_HTTP_ROUTES] = {
#define ROUTE(method_, path_, role_, operation_, body_, answer_, doc_) \
    {.method = HTTP_##method_, \
     .path = (path_), \
     .role = HTTP_ROLE_##role_, \
     .operation = HTTP_OP_##operation_, \
     .body = HTTP_BODY_##body_, \
     .answer = #answer_, \
     .doc = (doc_)},
#define QUERY(operation, key, type, doc)
#include "http/routes.def"
#undef ROUTE
#undef QUERY
};

const struct http_query http_queries[N_HTTP_QUERIES] = {
#define ROUTE(method, path, role, operation, body, answer, doc)
#define QUERY(operation_, key_, type_, doc_) \
    {HTTP_OP_##operation_, #key_, HTTP_QUERY_##type_, (doc_)},
#include "http/routes.def"
#undef ROUTE
#undef QUERY
};

const struct http_query_kind http_query_kinds[N_HTTP_QUERY_TYPES] = {
#define QUERY_TYPE(type, what_, words_, schema_) {.what = (what_), .words = (words_), .schema = (schema_)},
#include "http/query_type.def"
#undef QUERY_TYPE
};

const char *const http_method_names[N_HTTP_METHODS] = {"GET", "PUT", "POST", "DELETE"};

/* ---- which one it is ------------------------------------------------------------------------- */

/* One segment: pattern[0..len) against text. *name gets what stands for {name}: [start, end) of text. */
static bool segment_fits(const char *pattern, size_t len, const char *text, const char **name,
                         size_t *name_len)
{
    const char *brace = memchr(pattern, '}', len);
    size_t text_len = strlen(text);

    if (pattern[0] != '{' || !brace)
        return text_len == len && memcmp(pattern, text, len) == 0;
    const char *behind = brace + 1;
    size_t behind_len = len - (size_t)(behind - pattern);
    if (text_len <= behind_len ||
        memcmp(text + text_len - behind_len, behind, behind_len) != 0)
        return false;
    *name = text;
    *name_len = text_len - behind_len;
    return true;
}

/* How many segments are literal; -1: it does not fit. */
static int path_fits(const char *pattern, const struct http_uri *uri, const char **name,
                     size_t *name_len)
{
    int literal = 0;

    *name = NULL;
    for (size_t i = 0; i < uri->n_segments; i++) {
        if (*pattern != '/')
            return -1;
        size_t len = strcspn(pattern + 1, "/");
        if (!segment_fits(pattern + 1, len, uri->segment[i], name, name_len))
            return -1;
        literal += pattern[1] != '{' ? 2 : pattern[len] != '}'; /* `{name}:enable` before `{name}` */
        pattern += len + 1;
    }
    return *pattern ? -1 : literal;
}

static int method_named(const char *text)
{
    if (strcmp(text, "HEAD") == 0)
        return HTTP_GET;
    for (int i = 0; i < N_HTTP_METHODS; i++)
        if (strcmp(http_method_names[i], text) == 0)
            return i;
    return -1;
}

const struct http_route *http_route_find(const char *method, const struct http_uri *uri,
                                         char **name_out, unsigned *allowed_out)
{
    const struct http_route *found = NULL;
    int wanted = method_named(method), best = -1;

    *name_out = NULL;
    *allowed_out = 0;
    for (int i = 0; i < N_HTTP_ROUTES; i++) {
        const char *name;
        size_t len = 0;
        int fits = path_fits(http_routes[i].path, uri, &name, &len);
        if (fits < 0 || fits < best)
            continue;
        if (fits > best) {
            found = NULL;
            *allowed_out = 0;
            mem_free(*name_out);
            *name_out = name ? mem_strndup(name, len) : NULL;
        }
        best = fits;
        *allowed_out |= 1U << http_routes[i].method;
        if ((int)http_routes[i].method == wanted)
            found = &http_routes[i];
    }
    return found;
}

void http_route_add_allow(struct buf *out, unsigned allowed)
{
    bool any = false;

    for (int i = 0; i < N_HTTP_METHODS; i++) {
        if (!(allowed & (1U << i)))
            continue;
        buf_printf(out, "%s%s", any ? ", " : "", http_method_names[i]);
        any = true;
        if (i == HTTP_GET)
            buf_adds(out, ", HEAD");
    }
}

/* ---- its query ------------------------------------------------------------------------------- */

static bool is_count(const char *text)
{
    size_t len = strlen(text);

    return len > 0 && len < 16 && strspn(text, "0123456789") == len;
}

/* words: with | between them. */
static bool is_among(const char *words, const char *text, size_t len)
{
    for (const char *at = words;;) {
        size_t n = strcspn(at, "|");
        if (n == len && memcmp(at, text, n) == 0)
            return true;
        if (!at[n])
            return false;
        at += n + 1;
    }
}

/* "17", "17-20", "17-", "all" */
static bool is_numbers(const char *text)
{
    size_t first = strspn(text, "0123456789"), last;

    if (strcmp(text, "all") == 0)
        return true;
    if (first == 0 || first > 15 || (text[first] && text[first] != '-'))
        return false;
    if (!text[first])
        return true;
    last = strspn(text + first + 1, "0123456789");
    return last <= 15 && !text[first + 1 + last];
}

/* Does it begin as a time of RFC 3339 does? Who reads it looks at the rest. */
static bool is_time(const char *text)
{
    static const char form[] = "0000-00-00T00:00:00";

    for (size_t i = 0; form[i]; i++)
        if (form[i] == '0' ? text[i] < '0' || text[i] > '9'
                           : form[i] == 'T' ? text[i] != 'T' && text[i] != 't' : text[i] != form[i])
            return false;
    return true;
}

static bool are_severities(const char *text)
{
    for (;; text++) {
        size_t len = strcspn(text, ",");
        if (!is_among(http_query_kinds[HTTP_QUERY_SEVERITY].words, text, len))
            return false;
        text += len;
        if (!*text)
            return true;
    }
}

static bool query_fits(enum http_query_type type, const char *value)
{
    uint64_t count = is_count(value) ? strtoull(value, NULL, 10) : UINT64_MAX;

    switch (type) {
    case HTTP_QUERY_COUNT: return count != UINT64_MAX;
    case HTTP_QUERY_LIMIT: return count >= 1 && count <= 1000;
    case HTTP_QUERY_NUMBERS: return is_numbers(value);
    case HTTP_QUERY_TIME: return is_time(value);
    case HTTP_QUERY_WORD:
    case HTTP_QUERY_MODULE: return *value != '\0';
    case HTTP_QUERY_SEVERITIES: return are_severities(value);
    default: return is_among(http_query_kinds[type].words, value, strlen(value));
    }
}

static const struct http_query *query_named(enum http_operation operation, const char *key)
{
    for (int i = 0; i < N_HTTP_QUERIES; i++)
        if (http_queries[i].operation == operation && strcmp(http_queries[i].key, key) == 0)
            return &http_queries[i];
    return NULL;
}

static void tell_unknown(enum http_operation operation, const char *key, struct buf *why)
{
    struct suggest s;

    buf_printf(why, "there is no query parameter `%.64s` here", key);
    suggest_init(&s, key);
    for (int i = 0; i < N_HTTP_QUERIES; i++)
        if (http_queries[i].operation == operation)
            suggest_try(&s, http_queries[i].key);
    if (suggest_result(&s))
        buf_printf(why, ", did you mean `%s`?", suggest_result(&s));
}

bool http_route_check_query(enum http_operation operation, const struct http_uri *uri,
                            struct buf *why)
{
    for (size_t i = 0; i < uri->n_queries; i++) {
        const char *key = uri->query[i].key, *value = uri->query[i].value;
        const struct http_query *query = query_named(operation, key);
        if (!query) {
            tell_unknown(operation, key, why);
            return false;
        }
        for (size_t j = 0; j < i; j++)
            if (strcmp(uri->query[j].key, key) == 0) {
                buf_printf(why, "`%s` is given twice", key);
                return false;
            }
        if (!query_fits(query->type, value)) {
            buf_printf(why, "`%s` is %s", key, http_query_kinds[query->type].what);
            return false;
        }
    }
    return true;
}

/* ---- the reference --------------------------------------------------------------------------- */

void http_route_markdown(struct buf *out)
{
    buf_adds(out, "| request | role | |\n|---|---|---|\n");
    for (int i = 0; i < N_HTTP_ROUTES; i++) {
        const struct http_route *route = &http_routes[i];
        bool any = false;
        buf_printf(out, "| `%s %s` | %s | %s", http_method_names[route->method], route->path,
                   http_role_name(route->role), route->doc);
        for (int q = 0; q < N_HTTP_QUERIES; q++) {
            if (http_queries[q].operation != route->operation)
                continue;
            buf_printf(out, "%s `%s`: %s", any ? ";" : ". Query:", http_queries[q].key,
                       http_queries[q].doc);
            any = true;
        }
        buf_adds(out, " |\n");
    }
}
