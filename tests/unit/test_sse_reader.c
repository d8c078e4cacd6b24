// SPDX-License-Identifier: Apache-2.0
#include "io/sse_reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

static bool note(void *ctx, const struct sse_event *event)
{
    struct buf *out = ctx;

    buf_printf(out, "[%s|%s|", event->name, event->id);
    buf_add(out, event->data, event->len);
    buf_addc(out, ']');
    return strcmp(event->name, "stop") != 0;
}

/* The same, byte by byte. */
static void reads(const char *text, const char *want)
{
    for (size_t piece = 1; piece <= strlen(text) + 1; piece += strlen(text)) {
        struct sse_reader r;
        struct buf out;
        size_t len = strlen(text);

        sse_reader_init(&r, 1000);
        buf_init(&out);
        buf_adds(&out, "");
        for (size_t at = 0; at < len; at += piece)
            assert_true(sse_reader_add(&r, text + at, piece < len - at ? piece : len - at, note, &out));
        assert_string_equal(out.data, want);
        buf_fini(&out);
        sse_reader_fini(&r);
    }
}

static void test_events(void **state)
{
    (void)state;
    reads("data: x\n\n", "[message||x]");
    reads("\xef\xbb\xbf" "data: x\n\n", "[message||x]");
    reads("data:YHOO\ndata: +2\ndata:  10\n\n", "[message||YHOO\n+2\n 10]");
    reads(": a comment\n\nid: 7\nevent: alert\ndata: {}\n\n", "[alert|7|{}]");
    reads("data: first\nid: 1\n\ndata:second\nid\n\ndata:  third\n\n", "[message|1|first][message||second][message|| third]");
    reads("data\n\ndata\ndata\n\ndata:", "[message||][message||\n]");
    reads("event: x\n\ndata: y\n\n", "[message||y]"); /* without data it is none */
    reads("data: a\r\n\r\ndata: b\r\rdata: c\n\n", "[message||a][message||b][message||c]");
    reads("retry: 3\nunknown: 1\nnothing\ndata: x\n\n", "[message||x]");
    reads("id: 5\n\ndata: x\n\n", "[message|5|x]"); /* an id alone */
    reads("data: not complete\n", "");
}

static void test_broken(void **state)
{
    static const char one[] = "id: 1\ndata: one\n\nid: 2\ndata: tw", two[] = "id: 2\ndata: two\n\n";
    struct sse_reader r;
    struct buf out;

    (void)state;
    sse_reader_init(&r, 1000);
    buf_init(&out);
    assert_true(sse_reader_add(&r, one, strlen(one), note, &out));
    assert_string_equal(r.id, "1"); /* 2 was not complete */
    sse_reader_restart(&r);
    assert_true(sse_reader_add(&r, two, strlen(two), note, &out));
    assert_string_equal(out.data, "[message|1|one][message|2|two]");
    buf_fini(&out);
    sse_reader_fini(&r);
}

static void test_bounds(void **state)
{
    static const char stop[] = "event: stop\ndata: x\n\ndata: y\n\n";
    struct sse_reader r;
    struct buf out;
    char line[400];

    (void)state;
    buf_init(&out);
    sse_reader_init(&r, 100); /* a line, and lines together */
    memset(line, 'x', sizeof line);
    assert_false(sse_reader_add(&r, line, sizeof line, note, &out));
    sse_reader_restart(&r);
    for (int i = 0; i < 9; i++)
        assert_true(sse_reader_add(&r, "data: 0123456\n", 14, note, &out));
    for (int i = 0; i < 4; i++)
        sse_reader_add(&r, "data: 0123456\n", 14, note, &out);
    assert_false(sse_reader_add(&r, "data: 0123456\n", 14, note, &out));
    /* who has enough */
    sse_reader_restart(&r);
    buf_clear(&out);
    assert_false(sse_reader_add(&r, stop, strlen(stop), note, &out));
    assert_string_equal(out.data, "[stop||x]");
    /* an id that is too long, or has a NUL, is none */
    sse_reader_restart(&r);
    assert_true(sse_reader_add(&r, "id: a\0b\n\n", 9, note, &out));
    assert_string_equal(r.id, "");
    buf_fini(&out);
    sse_reader_fini(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_events),
        cmocka_unit_test(test_broken),
        cmocka_unit_test(test_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
