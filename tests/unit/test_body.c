// SPDX-License-Identifier: Apache-2.0
/* body: the message of the kind tocsin, batches, groups, what is no alert, and the bound. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "event/json_view.h"
#include "io/body.h"
#include "io/template.h"

enum { LEAST = 16 << 10 };
#define NOW INT64_C(1800000000123456789)
#define ALERT                                                                                     \
    "{\"id\":\"00112233445566778899aabbccddeeff\",\"rule\":\"r\",\"severity\":\"high\","          \
    "\"time\":\"2027-01-01T00:00:00Z\",\"title\":\"t\",\"tags\":[],\"key\":{\"user\":\"a\"},"     \
    "\"fields\":{\"n\":12345678901234567890123},\"events\":{\"e\":{\"x\":1.50}},"                 \
    "\"revision\":0,\"suppressed\":0}"

static struct body *tocsin_body(uint64_t max_bytes)
{
    struct body_options opt = {.kind = BODY_KIND_tocsin, .sink = "s", .max_bytes = max_bytes};
    return body_new(&opt, NULL);
}

/* Writes, and checks what holds of every message. */
static void write_all(const struct body *b, const struct body_alert *alert, size_t n,
                      const struct body_group *group, size_t max, struct buf *out)
{
    struct json_view view;
    struct buf why;

    buf_init(&why);
    buf_clear(out);
    assert_true(body_write(b, alert, n, group, NOW, out, &why));
    if (out->len > max)
        fail_msg("%zu bytes, more than %zu", out->len, max);
    if (!json_view_parse(out->data, out->len, &view))
        fail_msg("no JSON: %.400s", out->data);
    buf_fini(&why);
}

static void one(void **state)
{
    struct body *b = tocsin_body(0);
    struct body_alert alert = {ALERT, strlen(ALERT), true};
    struct buf out;

    (void)state;
    buf_init(&out);
    write_all(b, &alert, 1, NULL, BODY_MAX_BYTES, &out);
    assert_string_equal(out.data,
                        "{\"type\":\"alert.created\",\"timestamp\":\"2027-01-01T00:00:00Z\",\"data\":"
                        "{\"id\":\"00112233445566778899aabbccddeeff\",\"rule\":\"r\","
                        "\"severity\":\"high\",\"time\":\"2027-01-01T00:00:00Z\","
                        "\"detected_at\":\"2027-01-15T08:00:00.123Z\",\"title\":\"t\",\"tags\":[],"
                        "\"key\":{\"user\":\"a\"},\"fields\":{\"n\":12345678901234567890123},"
                        "\"events\":{\"e\":{\"x\":1.50}},\"revision\":0,\"suppressed\":0}}");
    assert_string_equal(body_content_type(b, 1, false), "application/json");
    assert_true(body_most(b, false) > 100);
    body_free(&b);
    buf_fini(&out);
}

static void several(void **state)
{
    struct body *b = tocsin_body(0);
    struct body_alert alert[3] = {
        {ALERT, strlen(ALERT), true}, {"{\"late\":1}", 10, false}, {"no json \xff\"", 10, false}};
    struct body_group group = {7, NOW - 5000000000, NOW};
    struct buf out;

    (void)state;
    buf_init(&out);
    write_all(b, alert, 3, NULL, BODY_MAX_BYTES, &out);
    assert_non_null(strstr(out.data, "{\"type\":\"alert.batch\",\"timestamp\":"));
    assert_non_null(strstr(out.data, "\"data\":{\"count\":3,\"alerts\":[{\"id\""));
    assert_non_null(strstr(out.data, ",{\"event\":{\"late\":1}},{\"line\":\"no json \xef\xbf\xbd\\\"\"}]}}"));
    write_all(b, alert, 1, &group, BODY_MAX_BYTES, &out);
    assert_non_null(strstr(out.data, "{\"type\":\"alert.group\""));
    assert_non_null(strstr(out.data, "\"count\":7,\"first\":\"2027-01-15T07:59:55.123456789Z\""));
    write_all(b, alert + 1, 1, NULL, BODY_MAX_BYTES, &out);
    assert_non_null(strstr(out.data, "\"type\":\"event\""));
    assert_non_null(strstr(out.data, "\"data\":{\"event\":{\"late\":1}}"));
    write_all(b, alert + 2, 1, NULL, BODY_MAX_BYTES, &out);
    assert_non_null(strstr(out.data, "\"data\":{\"line\":\"no json \xef\xbf\xbd\\\"\"}"));
    body_free(&b);
    buf_fini(&out);
}

/* An alert whose `where` has so many bytes of text, in events of 1,000 bytes. */
static void add_large(struct buf *b, const char *where, size_t bytes)
{
    buf_clear(b);
    buf_adds(b, "{\"id\":\"00112233445566778899aabbccddeeff\",\"rule\":\"r\",\"severity\":\"high\","
                "\"time\":\"2027-01-01T00:00:00Z\",\"title\":\"t\",\"tags\":[],\"key\":{},");
    if (strcmp(where, "events") != 0)
        buf_adds(b, "\"events\":{\"e\":{\"x\":1}},");
    buf_printf(b, "\"%s\":{\"a\":[", where);
    for (size_t n = 0; n < bytes; n += 1000) {
        buf_adds(b, n ? ",{\"text\":\"" : "{\"text\":\"");
        for (int i = 0; i < 160; i++)
            buf_adds(b, i % 3 ? "\xf0\x9f\x98\x80\\n" : "\\ud83d\\ude00");
        buf_adds(b, "\"}");
    }
    buf_adds(b, "]},\"revision\":3,\"suppressed\":0}");
}

static void check_trimmed(const struct body *b, const char *text, size_t len, size_t max)
{
    struct body_alert alert = {text, len, true};
    struct json_view view, data;
    struct buf out;

    buf_init(&out);
    write_all(b, &alert, 1, NULL, max, &out);
    assert_true(out.len > max / 2);
    (void)json_view_parse(out.data, out.len, &view);
    data = json_view_member(view, "data", 4);
    assert_true(json_view_is(json_view_member(data, "id", 2), "00112233445566778899aabbccddeeff", 32));
    assert_int_equal(json_view_type(json_view_member(data, "truncated", 9)), JSON_VIEW_TRUE);
    assert_int_equal(json_view_member(data, "revision", 8).text[0], '3');
    assert_int_equal(json_view_type(json_view_member(data, "events", 6)), JSON_VIEW_OBJECT);
    buf_fini(&out);
}

static void bound(void **state)
{
    static const char *const where[] = {"events", "fields", "meta"};
    static const size_t max[] = {LEAST, 50000, BODY_MAX_BYTES};
    struct buf alert;

    (void)state;
    buf_init(&alert);
    for (size_t i = 0; i < 3; i++) {
        for (size_t k = 0; k < 3; k++) {
            struct body *b = tocsin_body(max[k]);
            for (size_t more = 1; more <= 8; more *= 2) {
                add_large(&alert, where[i], max[k] * more);
                check_trimmed(b, alert.data, alert.len, max[k]);
            }
            body_free(&b);
        }
    }
    buf_fini(&alert);
}

static void bound_of_several(void **state)
{
    struct body *b = tocsin_body(LEAST);
    struct body_alert alert[8];
    struct buf large, out;

    (void)state;
    buf_init(&large);
    buf_init(&out);
    assert_int_equal(body_most(b, false), 8);
    add_large(&large, "events", 100000);
    for (size_t i = 0; i < 8; i++)
        alert[i] = (struct body_alert){large.data, large.len, true};
    for (size_t n = 1; n <= 8; n++) {
        write_all(b, alert, n, NULL, LEAST, &out);
        alert[n - 1] = (struct body_alert){ALERT, strlen(ALERT), true};
    }
    write_all(b, alert, 8, NULL, LEAST, &out);
    assert_null(strstr(out.data, "truncated"));
    /* lines that are no events, larger than all */
    memset(large.data, 0xc3, large.len);
    alert[0] = (struct body_alert){large.data, large.len, false};
    write_all(b, alert, 1, NULL, LEAST, &out);
    write_all(b, alert, 8, NULL, LEAST, &out);
    body_free(&b);
    buf_fini(&out);
    buf_fini(&large);
}

static void check_refused(const struct body_options *opt, const char *want)
{
    struct buf why;

    buf_init(&why);
    struct body *b = body_new(opt, &why);
    assert_null(b);
    if (strstr(why.data, want) == NULL)
        fail_msg("want %s, have %s", want, why.data);
    buf_fini(&why);
}

static void refused(void **state)
{
    struct body_options opt = {.kind = BODY_KIND_pagerduty, .sink = "s"};
    struct buf large;

    (void)state;
    check_refused(&opt, "needs a `routing_key`");
    opt.routing_key = "";
    check_refused(&opt, "needs a `routing_key`");
    opt.kind = BODY_KIND_template;
    check_refused(&opt, "needs a `template`");
    opt.template = "{\n \"a\": {b|uper}}";
    check_refused(&opt, "line 2, column 10: there is no filter `uper`; did you mean `upper`?");
    opt.template = "1";
    opt.url = "https://x/{id";
    check_refused(&opt, "`link`: line 1, column 14: a placeholder does not end");
    buf_init(&large);
    buf_adds(&large, "\"");
    for (int i = 0; i < LEAST; i++)
        buf_addc(&large, 'x');
    buf_adds(&large, "\"");
    opt.url = NULL;
    opt.template = large.data;
    opt.max_bytes = LEAST;
    check_refused(&opt, "the template has 16386 bytes of its own, a message at most 16384");
    buf_fini(&large);
}

static void add_field(void *ctx, const struct body_field *field)
{
    static const char *const roots[] = {"member", "message", "emitted"};

    buf_printf(ctx, "%s:%s%s%s ", field->path->written, roots[field->root], field->path->has_default ? "?" : "",
               field->is_link ? "^" : "");
}

static void fields(void **state)
{
    struct body_options opt = {.kind = BODY_KIND_template, .sink = "s", .url = "https://x/{id}",
                               .template = "[{title},{events.a[0].b},{message.count},{alerts},{user|default(x)},{alert.id}]"};
    struct buf out;

    (void)state;
    buf_init(&out);
    struct body *b = body_new(&opt, &out);
    body_each_field(b, add_field, &out);
    assert_string_equal(out.data, "title:member events.a[0].b:member message.count:message alerts:message user:emitted? "
                                  "alert.id:message id:member^ ");
    assert_true(body_most(b, false) > 1); /* it says {alerts} */
    body_free(&b);
    buf_fini(&out);
}

/* A group of more than fit: all are counted. */
static void large_group(void **state)
{
    struct body *b = tocsin_body(LEAST);
    struct body_alert alert[20];
    struct body_group group = {3, NOW, NOW};
    struct buf out;

    (void)state;
    buf_init(&out);
    for (size_t i = 0; i < 20; i++)
        alert[i] = (struct body_alert){ALERT, strlen(ALERT), true};
    write_all(b, alert, 20, &group, LEAST, &out);
    assert_non_null(strstr(out.data, "\"count\":20,"));
    body_free(&b);
    buf_fini(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one),
        cmocka_unit_test(several),
        cmocka_unit_test(bound),
        cmocka_unit_test(bound_of_several),
        cmocka_unit_test(large_group),
        cmocka_unit_test(refused),
        cmocka_unit_test(fields),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
