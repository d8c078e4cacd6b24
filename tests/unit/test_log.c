// SPDX-License-Identifier: Apache-2.0
/* log_form: both forms, the journal's; levels of categories; what goes out, through a pipe. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <jansson.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/log.h"
#include "base/log_form.h"

static const int64_t time_of = INT64_C(1764456001123456789); /* 2025-11-29T22:40:01.123Z */

static void forms(const char *fields, enum log_format format, bool journal, uint32_t held,
                  const char *expected)
{
    struct log_entry entry = {.level = LOG_WARNING, .category = LOG_source, .msg = "a \"b\"",
                              .fields = fields, .held = held, .time = time_of};
    struct buf out;

    buf_init(&out);
    log_form(&out, &entry, format, journal);
    assert_string_equal(out.data, expected);
    if (format == LOG_JSON) {
        json_t *json = json_loads(out.data + (journal ? 3 : 0), JSON_REJECT_DUPLICATES, NULL);
        assert_non_null(json);
        json_decref(json);
    }
    buf_fini(&out);
}

static void pairs(void **state)
{
    (void)state;
    forms("n=1 x=ab", LOG_PAIRS, false, 0,
          "2025-11-29T22:40:01.123Z level=warning category=source msg=\"a \\\"b\\\"\" n=1 x=ab\n");
    forms(" n=1", LOG_PAIRS, true, 3, "<4>level=warning category=source msg=\"a \\\"b\\\"\" n=1 held=3\n");
    forms(NULL, LOG_PAIRS, true, 0, "<4>level=warning category=source msg=\"a \\\"b\\\"\"\n");
    forms("", LOG_PAIRS, true, 0, "<4>level=warning category=source msg=\"a \\\"b\\\"\"\n");
}

#define HEAD "<4>{\"level\":\"warning\",\"category\":\"source\",\"msg\":\"a \\\"b\\\"\""

static void json(void **state)
{
    struct buf fields;

    (void)state;
    forms("n=1 x=ab", LOG_JSON, false, 7,
          "{\"time\":\"2025-11-29T22:40:01.123Z\",\"level\":\"warning\",\"category\":\"source\","
          "\"msg\":\"a \\\"b\\\"\",\"n\":1,\"x\":\"ab\",\"held\":7}\n");
    forms(NULL, LOG_JSON, true, 0, HEAD "}\n");
    forms("  a=-1.50  b=01 c=1. d=- e= f=1e5 g=0 h=0.5 i=.5", LOG_JSON, true, 0,
          HEAD ",\"a\":-1.50,\"b\":\"01\",\"c\":\"1.\",\"d\":\"-\",\"e\":\"\",\"f\":\"1e5\",\"g\":0,"
               "\"h\":0.5,\"i\":\".5\"}\n");
    buf_init(&fields);
    log_field(&fields, "path", "a b=\"c\" \\ \x01\n");
    log_field(&fields, "bad", "x\xff\xfey");
    log_field(&fields, "last", "\\");
    forms(fields.data, LOG_JSON, true, 0,
          HEAD ",\"path\":\"a b=\\\"c\\\" \\\\ \\u0001\\n\",\"bad\":\"x\xEF\xBF\xBD\xEF\xBF\xBDy\","
               "\"last\":\"\\\\\"}\n");
    buf_fini(&fields);
}

static void levels_are_read(void **state)
{
    struct log_levels levels;
    struct buf why;

    (void)state;
    buf_init(&why);
    assert_true(log_levels_read(&levels, "", &why));
    assert_int_equal(levels.least[LOG_rules], LOG_INFO);
    assert_true(log_levels_read(&levels, " warning, source=debug\nsink=error ", &why));
    assert_int_equal(levels.least[LOG_rules], LOG_WARNING);
    assert_int_equal(levels.least[LOG_source], LOG_DEBUG);
    assert_int_equal(levels.least[LOG_sink], LOG_ERROR);
    assert_int_equal(why.len, 0);
    const char *wrong[] = {"loud", "source=loud", "nothing=info", "source=", "=info", "info source"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        buf_clear(&why);
        assert_false(log_levels_read(&levels, wrong[i], &why));
        assert_non_null(strstr(why.data, "levels are debug"));
        assert_int_equal(levels.least[LOG_source], LOG_DEBUG); /* as it was */
    }
    buf_fini(&why);
}

static void what_goes_out(void **state)
{
    struct log_levels levels;
    struct buf why;
    char text[65536];
    int ends[2], err = dup(STDERR_FILENO), lines = 0;

    (void)state;
    buf_init(&why);
    assert_int_equal(pipe(ends), 0);
    dup2(ends[1], STDERR_FILENO);
    assert_true(log_levels_read(&levels, "error source=debug", &why));
    log_set_levels(&levels);
    log_set_format(LOG_JSON);
    log_line(LOG_WARNING, LOG_sink, "not this", NULL);
    log_always(LOG_INFO, LOG_sink, "nor this", NULL);
    log_line(LOG_DEBUG, LOG_source, "this", "n=%d", 1);
    for (int i = 0; i < 3 * LOG_BURST; i++)
        log_line(LOG_DEBUG, LOG_source, "many", NULL);
    dup2(err, STDERR_FILENO);
    close(ends[1]);
    close(err);
    log_levels_init(&levels);
    log_set_levels(&levels);
    log_set_format(LOG_PAIRS);
    size_t len = 0;
    for (ssize_t n; (n = read(ends[0], text + len, sizeof text - 1 - len)) > 0;)
        len += (size_t)n;
    text[len] = '\0';
    close(ends[0]);
    for (const char *at = text; (at = strchr(at, '\n')) != NULL; at++)
        lines++;
    assert_int_equal(lines, 1 + LOG_BURST);
    assert_null(strstr(text, "not this"));
    assert_null(strstr(text, "nor this"));
    assert_non_null(strstr(text, "\"msg\":\"this\",\"n\":1}\n"));
    buf_fini(&why);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs),
        cmocka_unit_test(json),
        cmocka_unit_test(levels_are_read),
        cmocka_unit_test(what_goes_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
