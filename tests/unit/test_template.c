// SPDX-License-Identifier: Apache-2.0
/* template: placeholders where they stand, filters, what is refused and where, the bound. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "io/template.h"

static const char VALUES[] =
    "{\"t\":\"a \\\"b\\\" \\u00e9\\n\",\"n\":12345678901234567890,\"d\":1.50,\"yes\":true,\"none\":null,"
    "\"empty\":\"\",\"list\":[\"x\",2,[3]],\"nothing\":[],\"o\":{\"p\":{\"q\":\"deep\"},\"r.s\":7},"
    "\"lines\":[\n1,\r\n2 ],\"user.id\":\"flat\",\"a b\":\"blank\",\"when\":\"2027-03-01T00:55:58.25Z\",\"epoch\":1803862558,"
    "\"level\":\"high\",\"html\":\"<b>&'\\\"\",\"mention\":\"<!here> @here\",\"long\":\"0123456789\","
    "\"nul\":\"a\\u0000b\",\"emoji\":\"\\ud83d\\ude00\\ud83d\\ude00\\ud83d\\ude00\"}";

static struct json_view find(void *ctx, const struct template_path *path, struct buf *scratch)
{
    struct json_view *root = ctx;

    if (path->step[0].len == 4 && memcmp(path->step[0].name, "made", 4) == 0) {
        buf_adds(scratch, "[1,2]");
        return template_walk((struct json_view){scratch->data, scratch->len}, path, 1);
    }
    return template_walk(*root, path, 0);
}

/* A copy of just these bytes, so that a sanitizer sees what reads behind them. */
static struct template *compile(const char *text, enum template_mode mode, struct buf *why)
{
    size_t len = strlen(text);
    char *exact = malloc(len + !len);

    memcpy(exact, text, len);
    struct template *t = template_new(exact, len, mode, why);
    free(exact);
    return t;
}

static void fill_in(const char *text, enum template_mode mode, size_t max, struct buf *out)
{
    struct json_view root;
    struct buf why;

    buf_init(&why);
    assert_true(json_view_parse(VALUES, strlen(VALUES), &root));
    struct template *t = compile(text, mode, &why);
    if (t == NULL)
        fail_msg("%s: %s", text, why.data);
    struct template_names names = {find, &root};
    buf_clear(out);
    buf_adds(out, "");
    template_write(t, &names, max, out);
    struct json_view made;
    if (mode == TEMPLATE_JSON && !json_view_parse(out->data, out->len, &made))
        fail_msg("%s makes %s", text, out->data);
    assert_true(utf8_valid(out->data, out->len, NULL));
    template_free(&t);
    buf_fini(&why);
}

struct pair {
    const char *text, *want;
};

static void check_pairs(const struct pair *pair, size_t n, enum template_mode mode)
{
    struct buf out;

    buf_init(&out);
    for (size_t i = 0; i < n; i++) {
        fill_in(pair[i].text, mode, SIZE_MAX, &out);
        assert_string_equal(out.data, pair[i].want);
    }
    buf_fini(&out);
}

static void in_json(void **state)
{
    static const struct pair pairs[] = {
        {"{\"a\": \"{t}\"}", "{\"a\": \"a \\\"b\\\" \\u00e9\\n\"}"},
        {"{\"a\": {t}}", "{\"a\": \"a \\\"b\\\" \\u00e9\\n\"}"},
        {"{t}", "\"a \\\"b\\\" \\u00e9\\n\""},
        {" [ {n} , {d},{yes}, {none},{missing} ] ", " [ 12345678901234567890 , 1.50,true, null,null ] "},
        {"\"{n} {d} {yes} {none}{missing}.\"", "\"12345678901234567890 1.50 true .\""},
        {"{o}", "{\"p\":{\"q\":\"deep\"},\"r.s\":7}"},
        {"\"{o}\"", "\"{\\\"p\\\":{\\\"q\\\":\\\"deep\\\"},\\\"r.s\\\":7}\""},
        {"[{o.p.q},{o.r.s},{user.id},{`a b`},{list[0]},{list[-1]},{list[2][0]},{list[9]},{made[1]}]",
         "[\"deep\",7,\"flat\",\"blank\",\"x\",[3],3,null,2]"},
        {"{\"{level}_{n}\": 1}", "{\"high_12345678901234567890\": 1}"},
        {"\"{{t}}\"", "\"{t}}\""},
        {"{}", "{}"},
        {"{ \"a\" : { } }", "{ \"a\" : { } }"},
        {"\"\\u00e9\\\"\\\\\"", "\"\\u00e9\\\"\\\\\""},
    };
    (void)state;
    check_pairs(pairs, sizeof pairs / sizeof pairs[0], TEMPLATE_JSON);
}

static void filters(void **state)
{
    static const struct pair pairs[] = {
        {"{missing|default('-')}", "\"-\""},
        {"{missing|default(0)}", "0"},
        {"[{missing|default(-)},{missing|default(-12)},{missing|default( two words )},{missing|default('7')},"
         "{missing|default(1234567890)},{missing|default(-x)}]",
         "[\"-\",-12,\"two words\",\"7\",\"1234567890\",\"-x\"]"},
        {"{level|map(low=1, high=2, 3)}", "\"2\""},
        {"{when|date(%d.%m.%Y %H:%M, Europe/Paris)}", "\"01.03.2027 01:55\""},
        {"[{empty|default('e')},{nothing|default('l')},{none|default('n')},{yes|default('y')}]",
         "[\"e\",\"l\",\"n\",true]"},
        {"{missing|upper|truncate(3)|default('it''s')}", "\"it's\""},
        {"[{level|upper},{level|upper|lower},{emoji|truncate(4)},{long|truncate(10)},{long|truncate(9)}]",
         "[\"HIGH\",\"high\",\"\xf0\x9f\x98\x80…\",\"0123456789\",\"01234567…\"]"},
        {"[{level|map('low=1','high=2')},{level|map('low=1','else')},{level|map('low=1')},{n|map('12345678901234567890=big')}]",
         "[\"2\",\"else\",\"high\",\"big\"]"},
        {"[{list|join},{list|join(' ')},{o|join(';')},{level|join},{nothing|join}]",
         "[\"x, 2, [3]\",\"x 2 [3]\",\"p={\\\"q\\\":\\\"deep\\\"};r.s=7\",\"high\",\"\"]"},
        {"[{list|first},{list|last},{list|count},{o|count},{level|count},{missing|count},{list|last|first}]",
         "[\"x\",[3],3,2,1,0,3]"},
        {"[{n|text},{n|json},{t|json},{missing|json},{level|upper|json}]",
         "[\"12345678901234567890\",\"12345678901234567890\",\"\\\"a \\\\\\\"b\\\\\\\" \\\\u00e9\\\\n\\\"\","
         "\"null\",\"\\\"HIGH\\\"\"]"},
        {"[{html|html},{t|url},{mention|slack},{long|replace('0','zero ')},{long|replace('9','')}]",
         "[\"&lt;b&gt;&amp;&#39;&quot;\",\"a%20%22b%22%20%C3%A9%0A\",\"&lt;!here&gt; @\xe2\x81\xa0here\","
         "\"zero 123456789\",\"012345678\"]"},
        {"[{when|date('epoch_s')},{when|date('epoch_ms')},{epoch|date('%Y-%m-%d')},{level|date('%Y')}]",
         "[1803862558,1803862558250,\"2027-03-01\",\"high\"]"},
        {"[{when|date('%d.%b.%Y %H:%M:%S.%f %z %j %s %%')},{when|date('%H:%M %z', 'Asia/Kolkata')},"
         "{when|date('rfc3339')}]",
         "[\"01.Mar.2027 00:55:58.250 +00:00 060 1803862558 %\",\"06:25 +05:30\",\"2027-03-01T00:55:58.250Z\"]"},
        {"{level | upper | truncate( 2 ) }", "\"H…\""},
    };
    (void)state;
    check_pairs(pairs, sizeof pairs / sizeof pairs[0], TEMPLATE_JSON);
}

static void other_modes(void **state)
{
    static const struct pair text[] = {
        {"{level}: {t}{{x}} {o.p}", "high: a \"b\" \xc3\xa9\n{x}} {\"q\":\"deep\"}"},
        {"{nul}|", "a\xef\xbf\xbd" "b|"},
    };
    static const struct pair form[] = {{"a={t}&b={n}&c={missing}", "a=a%20%22b%22%20%C3%A9%0A&b=12345678901234567890&c="}};
    static const struct pair markup[] = {{"<p title=\"{html}\">{mention}</p>",
                                          "<p title=\"&lt;b&gt;&amp;&#39;&quot;\">&lt;!here&gt; @here</p>"}};
    static const struct pair lines[] = {{"{\"index\":{}}\n{o}", "{\"index\":{}}\n{\"p\":{\"q\":\"deep\"},\"r.s\":7}\n"},
                                        {"[1]\n\"{level}\"\n", "[1]\n\"high\"\n"},
                                        {"{lines}", "[ 1,  2 ]\n"}};
    (void)state;
    check_pairs(text, 2, TEMPLATE_TEXT);
    check_pairs(form, 1, TEMPLATE_FORM);
    check_pairs(markup, 1, TEMPLATE_MARKUP);
    check_pairs(lines, 3, TEMPLATE_JSON_LINES);
    assert_int_equal(template_mode_of("application/json"), TEMPLATE_JSON);
    assert_int_equal(template_mode_of("Application/JSON; charset=utf-8"), TEMPLATE_JSON);
    assert_int_equal(template_mode_of("application/vnd.x+json"), TEMPLATE_JSON);
    assert_int_equal(template_mode_of("application/x-ndjson"), TEMPLATE_JSON_LINES);
    assert_int_equal(template_mode_of("application/x-www-form-urlencoded"), TEMPLATE_FORM);
    assert_int_equal(template_mode_of("text/html;charset=utf-8"), TEMPLATE_MARKUP);
    assert_int_equal(template_mode_of("text/plain"), TEMPLATE_TEXT);
    assert_int_equal(template_mode_of(""), TEMPLATE_TEXT);
}

static void mistakes(void **state)
{
    static const struct pair pairs[] = {
        {"", "line 1, column 1: the template ends where a value"},
        {"{\"a\": }", "line 1, column 7: a value"},
        {"{\"a\": 1,}", "line 1, column 9: the name of a member"},
        {"{\"a\" 1}", "line 1, column 6: `:` is expected here, not `1`"},
        {"{\"a\": 1", "line 1, column 8: the template ends where `,` or `}`"},
        {"[1 2]", "line 1, column 4: `,` or `]` is expected here, not `2`"},
        {"{\n  \"a\": \"x\n\"}", "line 2, column 10: the text that is open here"},
        {"\"abc", "line 1, column 1: this text does not end"},
        {"{\"é\": tru}", "line 1, column 7: a value"},
        {"{a}{b}", "line 1, column 4: something follows the JSON value"},
        {"\"{ a }\"", "line 1, column 2: an `{` in a text is written `{{`"},
        {"\"{a\"", "line 1, column 4: `|` or `}` is expected here"},
        {"{a", "line 1, column 3: a placeholder does not end"},
        {"{a|uper}", "line 1, column 4: there is no filter `uper`; did you mean `upper`?"},
        {"{a|xyzzy}", "line 1, column 4: there is no filter `xyzzy`"},
        {"{a|}", "line 1, column 4: a filter is expected here"},
        {"{a|default}", "line 1, column 4: `default` takes 1 argument"},
        {"{a|upper('x')}", "line 1, column 4: `upper` takes 0 arguments"},
        {"{a|truncate('x')}", "line 1, column 4: `truncate` takes a number"},
        {"{a|truncate(0)}", "line 1, column 4: `truncate` takes a number"},
        {"{a|date('%Q')}", "line 1, column 4: `date` knows %Y"},
        {"{a|date('year')}", "line 1, column 4: `year` is no form of a date"},
        {"{a|date('%Y','Mars/Base')}", "line 1, column 4: there is no zone `Mars/Base`"},
        {"{a|default('x}", "line 1, column 12: this argument does not end"},
        {"\"{a|default(\"x\")}\"", "line 1, column 13: an argument is expected here"},
        {"\"{a|default('x\\n')}\"", "line 1, column 15: no double quote or backslash"},
        {"{a.}", "line 1, column 4: a name is expected here"},
        {"{a[x]}", "line 1, column 4: a number is expected here"},
        {"{a[1}", "line 1, column 5: `]` is expected here"},
        {"{`a}", "line 1, column 2: this name does not end"},
        {"{{a}: 1}", "line 1, column 2: a member's name is a text"},
        {"\"\\x\"", "line 1, column 2: JSON has no such escape"},
        {"\"\\ud83d\"", "line 1, column 2: surrogates"},
        {"\"a\xff\"", "line 1, column 3: not UTF-8"},
        {"{a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r}", "line 1, column 33: a path has at most 16 names"},
    };
    struct buf why;

    (void)state;
    buf_init(&why);
    assert_null(compile("", TEMPLATE_JSON_LINES, &why));
    assert_null(compile("1\n\n2", TEMPLATE_JSON_LINES, &why));
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        buf_clear(&why);
        struct template *t = compile(pairs[i].text, TEMPLATE_JSON, &why);
        if (t != NULL)
            fail_msg("taken: %s", pairs[i].text);
        if (strncmp(why.data, pairs[i].want, strlen(pairs[i].want)) != 0)
            fail_msg("%s: want %s, have %s", pairs[i].text, pairs[i].want, why.data);
    }
    buf_fini(&why);
}

/* Whatever is cut off is refused or well-formed. */
static void cut_short(void **state)
{
    static const char text[] = "{\"a\": \"{t|truncate(3)|default('x')} {{\", \"{`a b`}\": [{o.p[0]}, 1.5e3]}";
    char part[sizeof text];
    struct buf why;

    (void)state;
    buf_init(&why);
    for (size_t len = 0; len < sizeof text - 1; len++) {
        memcpy(part, text, len);
        part[len] = '\0';
        buf_clear(&why);
        struct template *t = compile(part, TEMPLATE_JSON, &why);
        assert_null(t);
    }
    buf_fini(&why);
}

static void bound(void **state)
{
    static const char text[] = "{\"a\": \"{long}{emoji}{t}\", \"b\": {o}, \"c\": {list}, \"d\": {n}}";
    static const enum template_mode modes[] = {TEMPLATE_TEXT, TEMPLATE_FORM, TEMPLATE_MARKUP, TEMPLATE_URL};
    struct buf out;

    (void)state;
    buf_init(&out);
    fill_in(text, TEMPLATE_JSON, SIZE_MAX, &out);
    size_t whole = out.len;
    for (size_t max = whole + 1; max-- > 0;) {
        fill_in(text, TEMPLATE_JSON, max, &out);
        if (max > 80)
            assert_true(out.len <= max);
    }
    for (size_t m = 0; m < 4; m++) {
        for (size_t max = 100; max-- > 0;) {
            fill_in("{t}{emoji}{html}", modes[m], max, &out);
            assert_true(out.len <= max);
            const char *percent = strrchr(out.data, '%');
            if (modes[m] == TEMPLATE_FORM && percent)
                assert_true(strlen(percent) >= 3);
        }
    }
    buf_fini(&out);
}

static void what_is_known(void **state)
{
    struct buf why;

    (void)state;
    buf_init(&why);
    struct template *t = compile("{\"a\": {b.`c d`[2]|default('x')}, \"e\": \"{f}\"}", TEMPLATE_JSON, &why);
    assert_int_equal(template_count(t), 2);
    const struct template_path *path = template_path(t, 0);
    assert_string_equal(path->written, "b.`c d`[2]");
    assert_int_equal(path->at, 7);
    assert_true(path->has_default);
    assert_int_equal(path->n_steps, 3);
    assert_string_equal(path->step[1].name, "c d");
    assert_null(path->step[2].name);
    assert_int_equal(path->step[2].index, 2);
    assert_false(template_path(t, 1)->has_default);
    assert_int_equal(template_own_bytes(t), strlen("{\"a\": , \"e\": \"\"}"));
    template_free(&t);
    buf_fini(&why);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_json),   cmocka_unit_test(filters), cmocka_unit_test(other_modes),
        cmocka_unit_test(mistakes),  cmocka_unit_test(bound),   cmocka_unit_test(cut_short),
        cmocka_unit_test(what_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
