// SPDX-License-Identifier: Apache-2.0
/*
 * What webhooks are answered, and URLs. The first byte is a length; so much is a secret, the rest a
 * Retry-After, a body, an URL, base64: what is read is within its bounds, no message shows the secret.
 */
#include <fuzz/fuzz.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/base64.h"
#include "base/buf.h"
#include "base/utf8.h"
#include "io/http_date.h"
#include "io/web.h"
#include "io/web_answer.h"
#include "io/web_sign.h"
#include "io/web_url.h"

#define NOW INT64_C(1796000000)

static void check_date(const char *text, size_t len)
{
    int64_t seconds, again = 0;
    char back[64];
    struct tm tm;

    if (!http_date_read(text, len, NOW, &seconds))
        return;
    time_t t = seconds;
    if (!gmtime_r(&t, &tm))
        fuzz_fail("the date %.*s is no time", (int)len, text);
    size_t n = strftime(back, sizeof back, "%a, %d %b %Y %H:%M:%S GMT", &tm);
    if (tm.tm_year >= 1000 - 1900 && (!http_date_read(back, n, NOW, &again) || again != seconds))
        fuzz_fail("%.*s is %lld, and as %s %lld", (int)len, text, (long long)seconds, back, (long long)again);
}

static void check_retry_after(const char *text)
{
    int64_t ns = web_retry_after(text, NOW);

    if (ns < -1 || ns > WEB_MOST_RETRY_AFTER)
        fuzz_fail("Retry-After %s is %lld", text, (long long)ns);
}

/* Stars are what stands for a secret; one that is no text may be met in part of what is. */
static bool shows(const char *text, const struct buf *secret)
{
    return secret->len >= 4 && utf8_valid(secret->data, secret->len, NULL) && !strchr(secret->data, '*') &&
           strstr(text, secret->data);
}

static void check_hiding(const struct buf *secret, const char *text, size_t len)
{
    struct buf out;

    buf_init(&out);
    buf_adds(&out, "");
    web_add_hiding(&out, text, len, secret, 1);
    if (shows(out.data, secret))
        fuzz_fail("the secret is shown: %s", out.data);
    buf_fini(&out);
}

static void check_answer(const struct buf *secret, int status, const char *text, size_t len)
{
    struct web_reply reply = {.status = status, .whole = status != 0};
    struct web_answer answer;

    reply.text_len = len < sizeof reply.text ? len : sizeof reply.text;
    memcpy(reply.text, text, reply.text_len);
    snprintf(reply.failure, sizeof reply.failure, "%s", text);
    snprintf(reply.location, sizeof reply.location, "%s", text);
    snprintf(reply.retry_after, sizeof reply.retry_after, "%s", text);
    web_answer_fill(&answer, &reply, NOW, secret, 1);
    if (!utf8_valid(answer.why, strlen(answer.why), NULL))
        fuzz_fail("why is no UTF-8");
    if (status == 0 && shows(answer.why, secret))
        fuzz_fail("why shows the secret: %s", answer.why);
}

static void check_url(const char *text)
{
    struct buf why, shown;
    struct web_url url;

    buf_init(&why);
    buf_init(&shown);
    bool good = web_url_check(text, &why);
    if (!good && why.len == 0)
        fuzz_fail("refused without a reason: %s", text);
    if (good != web_url_init(&url, text, &why))
        fuzz_fail("checked and read differ: %s", text);
    web_url_add_shown(&shown, text);
    if (strchr(shown.data, '?') || strchr(shown.data, '@'))
        fuzz_fail("%s is shown as %s", text, shown.data);
    if (good)
        web_url_fini(&url);
    web_proxy_check(text, &why);
    buf_fini(&why);
    buf_fini(&shown);
}

static void check_base64(const char *text, size_t len)
{
    struct buf bytes, back, why;

    buf_init(&bytes);
    buf_init(&back);
    buf_init(&why);
    buf_adds(&back, "");
    if (base64_decode(text, len, &bytes)) {
        base64_add(&back, bytes.data, bytes.len);
        while (len > 0 && text[len - 1] == '=')
            len--;
        if (back.len < len || (len > 0 && memcmp(back.data, text, len) != 0))
            fuzz_fail("base64 %.*s is written %s", (int)len, text, back.data);
    }
    buf_clear(&bytes);
    if (!web_secret_decode(text, &bytes, &why) && why.len == 0)
        fuzz_fail("a secret is refused without a reason");
    buf_fini(&bytes);
    buf_fini(&back);
    buf_fini(&why);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const int STATUS[] = {0, 200, 307, 404, 410, 503};
    struct fuzz_bytes fb = {data, data + size};
    size_t n = fuzz_below(&fb, 64);
    struct buf secret;

    if (n > (size_t)(fb.end - fb.p))
        n = (size_t)(fb.end - fb.p);
    buf_init(&secret);
    buf_add(&secret, fb.p, n);
    for (size_t i = 0; i < n; i++)
        if (secret.data[i] == '\0')
            secret.data[i] = '0';
    size_t len = size > n + 1 ? size - n - 1 : 0;
    char *text = malloc(len + 1);
    memcpy(text, fb.p + n, len);
    text[len] = '\0';
    check_date(text, strlen(text));
    check_retry_after(text);
    for (size_t i = 0; i < sizeof STATUS / sizeof STATUS[0]; i++)
        check_answer(&secret, STATUS[i], text, len);
    check_hiding(&secret, text, len);
    check_url(text);
    check_base64(text, strlen(text));
    free(text);
    buf_fini(&secret);
    return 0;
}
