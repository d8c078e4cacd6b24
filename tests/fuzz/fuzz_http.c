// SPDX-License-Identifier: Apache-2.0
/* What comes over HTTP beside what other targets parse. The first byte says what it is: a target, a
 * tokens file, a header, a packed body, posted events. */
#include <fuzz/fuzz.h>

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/gunzip.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "http/auth.h"
#include "http/route.h"
#include "http/uri.h"
#include "io/posted.h"

static void target(const char *text, size_t len)
{
    struct http_uri uri;
    struct buf why;
    unsigned allowed;
    char *name;
    size_t bad;

    if (http_uri_parse(&uri, text, len) == NULL) {
        buf_init(&why);
        for (size_t i = 0; i < uri.n_segments; i++)
            if (!utf8_valid(uri.segment[i], strlen(uri.segment[i]), &bad) ||
                strcmp(uri.segment[i], "..") == 0)
                fuzz_fail("segment `%s'", uri.segment[i]);
        const struct http_route *route = http_route_find("GET", &uri, &name, &allowed);
        if (route && !(allowed & (1U << HTTP_GET)))
            fuzz_fail("a route that is not allowed");
        if (route && !http_route_check_query(route->operation, &uri, &why) && why.len == 0)
            fuzz_fail("refused without a reason");
        mem_free(name);
        buf_fini(&why);
    }
    http_uri_fini(&uri);
}

static void tokens(const char *text)
{
    char name[HTTP_TOKEN_NAME + 1];
    uint8_t hash[HTTP_TOKEN_HASH];
    struct buf why;

    buf_init(&why);
    struct http_tokens *tokens = http_tokens_parse(text, &why);
    if (!tokens && why.len == 0)
        fuzz_fail("refused without a reason");
    if (tokens && http_tokens_find(tokens, text, name, hash) != HTTP_ROLE_OPEN)
        fuzz_fail("a file that holds its own hash");
    http_tokens_free(&tokens);
    buf_fini(&why);
}

static void packed(const char *data, size_t len)
{
    enum { MOST = 100000, STEP = 65536 };
    struct buf out;
    char why[160] = "";

    buf_init(&out);
    enum gunzip_result result = gunzip_memory(data, len, MOST, &out, why, sizeof why);
    if (out.len > MOST + STEP || (result == GUNZIP_OK && out.len > MOST))
        fuzz_fail("%zu bytes of at most %d", out.len, (int)MOST);
    if (result == GUNZIP_BROKEN && !*why)
        fuzz_fail("broken without a reason");
    buf_fini(&out);
}

/* In order, within the text, none empty; what is not given holds no event. */
static void posted(const char *data, size_t len, bool is_json)
{
    struct posted p;
    const char *text, *why = NULL, *end = data;
    enum posted_got got;
    uint64_t number = 0;
    size_t n;

    posted_init(&p, data, len, is_json);
    while ((got = posted_next(&p, &text, &n, &why)) == POSTED_EVENT) {
        if (text < end || n == 0 || (size_t)(text - data) + n > len || p.number <= number)
            fuzz_fail("event %llu", (unsigned long long)p.number);
        end = text + n;
        number = p.number;
    }
    if (p.at > len || (got == POSTED_BROKEN && (!why || p.form != POSTED_ARRAY)))
        fuzz_fail("broken at %zu", p.at);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    char *text = mem_strndup((const char *)data + 1, size - 1);
    switch (data[0] % 6) {
    case 0:
        target((const char *)data + 1, size - 1);
        break;
    case 1:
        tokens(text);
        break;
    case 4:
    case 5:
        posted((const char *)data + 1, size - 1, data[0] % 6 == 5);
        break;
    case 2:
        http_etag_listed(text, "\"0123\"");
        http_bearer(text);
        http_host_is_loopback(text);
        break;
    default:
        packed((const char *)data + 1, size - 1);
    }
    mem_free(text);
    return 0;
}
