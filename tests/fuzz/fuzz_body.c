// SPDX-License-Identifier: Apache-2.0
/*
 * Bodies of webhooks. Three bytes choose: the kind; how many, a group, no alert, what is made of the text;
 * the content type and the bound. Then a template (or a link) up to a NUL, and a text: an alert, or a value
 * that is put into one, perhaps many times.
 *
 * What comes is UTF-8, within the bound, and JSON where it says so; the same each time; and what
 * json_view takes as JSON is what simdjson takes.
 */
#include <fuzz/fuzz.h>

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "event/json_decode.h"
#include "event/json_view.h"
#include "event/schema.h"
#include "io/body.h"
#include "io/template.h"

#define NOW INT64_C(1800000000123456789)

enum { MAX_TEXT = 1 << 16, LARGE = 30000 };

static void compare_parsers(const char *text, size_t len)
{
    static struct decoder *decoder;
    struct json_view view;
    const char *reason;
    struct event ev = {0};

    if (decoder == NULL) {
        struct schema *schema = schema_new();
        schema_seal(schema);
        decoder = decoder_new(schema, MAX_TEXT);
    }
    bool ours = json_view_parse(text, len, &view);
    bool theirs = decoder_run_copy(decoder, text, len, &ev, &reason);
    if (theirs && !ours)
        fuzz_fail("json_view refuses what simdjson takes: %.*s", (int)len, text);
    /* it also wants an object, not too deep, and numbers that a double can be */
    if (ours && !theirs && json_view_type(view) == JSON_VIEW_OBJECT && !strstr(reason, "range") &&
        !strstr(reason, "deep") && !strstr(reason, "nest") && !strstr(reason, "depth"))
        fuzz_fail("json_view takes what simdjson refuses (%s): %.*s", reason, (int)len, text);
}

/* The alert: the text as it is, or as a value in one. */
static void make_alert(struct buf *out, const char *text, size_t len, uint8_t how)
{
    struct json_view view;

    if (how == 0 || !json_view_parse(text, len, &view)) {
        buf_add(out, text, len);
        return;
    }
    static const char *const members[] = {"title", "fields", "key", "tags", "events", "time", "severity"};
    buf_adds(out, "{\"id\":\"e67200fba4d6139749b7af0f625157a3\",\"rule\":\"r\"");
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        buf_printf(out, ",\"%s\":", members[i]);
        size_t times = how == 3 && view.len < LARGE / 2 ? LARGE / (view.len + 1) : 1;
        if (how == 3)
            buf_adds(out, "{\"a\":[");
        for (size_t k = 0; k < times; k++) {
            if (k > 0)
                buf_addc(out, ',');
            buf_add(out, view.text, view.len);
        }
        if (how == 3)
            buf_adds(out, "]}");
    }
    buf_printf(out, ",\"revision\":%d,\"suppressed\":%d%s}", how, how, how == 2 ? ",\"retracted\":true" : "");
}

static void check(const struct body *b, const char *type, const struct body_alert *alert, size_t n,
                  const struct body_group *group, size_t max)
{
    struct buf out, again, why;
    struct json_view view;
    enum template_mode mode = template_mode_of(type);

    buf_init(&out);
    buf_init(&again);
    buf_init(&why);
    if (!body_write(b, alert, n, group, NOW, &out, &why))
        fuzz_fail("no body: %s", why.data);
    if (out.len > max)
        fuzz_fail("%zu bytes, more than %zu", out.len, max);
    if (out.len > 0 && !utf8_valid(out.data, out.len, NULL))
        fuzz_fail("not UTF-8");
    if (mode == TEMPLATE_JSON && !json_view_parse(out.data, out.len, &view))
        fuzz_fail("not JSON: %.*s", (int)out.len, out.data);
    for (size_t at = 0; mode == TEMPLATE_JSON_LINES && at < out.len;) {
        const char *newline = memchr(out.data + at, '\n', out.len - at);
        if (newline == NULL || !json_view_parse(out.data + at, (size_t)(newline - out.data) - at, &view))
            fuzz_fail("no line of JSON: %.*s", (int)out.len, out.data);
        at = (size_t)(newline - out.data) + 1;
    }
    if (!body_write(b, alert, n, group, NOW, &again, &why) || again.len != out.len ||
        (out.len > 0 && memcmp(again.data, out.data, out.len) != 0))
        fuzz_fail("not the same twice");
    buf_fini(&out);
    buf_fini(&again);
    buf_fini(&why);
}

static void ignore_field(void *ctx, const struct body_field *field)
{
    *(size_t *)ctx += field->path->n_steps;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const types[] = {"application/json", "text/plain", "application/x-ndjson",
                                        "application/x-www-form-urlencoded", "text/html", NULL};
    static const uint64_t maxima[] = {0, 16384, 20000, 150000};
    struct fuzz_bytes fb = {data, data + size};
    enum body_kind kind = (enum body_kind)fuzz_below(&fb, BODY_N_KINDS);
    uint8_t how = fuzz_byte(&fb), more = fuzz_byte(&fb);
    const char *rest = (const char *)fb.p, *nul = size > 3 ? memchr(fb.p, 0, (size_t)(fb.end - fb.p)) : NULL;
    if (nul == NULL || fb.end - fb.p > MAX_TEXT)
        return 0;
    struct body_options opt = {.kind = kind, .sink = "s", .routing_key = "k", .template = rest,
                               .url = kind == BODY_KIND_template || *rest == '\0' ? NULL : rest,
                               .content_type = types[more % 6],
                               .max_bytes = maxima[more / 6 % 4]};
    size_t n = 1 + (how >> 2) % 3, names = 0;
    struct buf text, why;

    buf_init(&text);
    buf_init(&why);
    compare_parsers(nul + 1, (size_t)((const char *)fb.end - nul - 1));
    make_alert(&text, nul + 1, (size_t)((const char *)fb.end - nul - 1), how & 3);
    struct body_alert alert[3];
    for (size_t i = 0; i < 3; i++)
        alert[i] = (struct body_alert){text.len > 0 ? text.data : "", text.len, !(how & 64)};
    struct body_group group = {n + how / 8, NOW - 1000000000, NOW};
    struct body *b = body_new(&opt, &why);
    if (b == NULL && why.len == 0)
        fuzz_fail("refused without a message");
    if (b != NULL) {
        bool grouped = how & 128;
        if (!grouped && n > body_most(b, false))
            n = body_most(b, false);
        size_t max = opt.max_bytes ? (size_t)opt.max_bytes : BODY_MAX_BYTES;
        body_each_field(b, ignore_field, &names);
        check(b, body_content_type(b, n, grouped), alert, n, grouped ? &group : NULL,
              max < body_bytes(b) ? body_bytes(b) : max);
    }
    body_free(&b);
    buf_fini(&text);
    buf_fini(&why);
    return 0;
}
