// SPDX-License-Identifier: Apache-2.0
/* json_doc: what it parses and refuses, members, containment and where it ends. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/buf.h"
#include "event/json_doc.h"

static struct json_doc *parse(const char *t)
{
    char why[200] = "";
    struct json_doc *doc = json_doc_parse(t, strlen(t), why, sizeof why);
    if (!doc)
        fail_msg("%s: %s", t, why);
    return doc;
}

static void parsing(void **state)
{
    char why[200] = "";
    static const char *const bad[] = {
        "",
        "{",
        "{\"a\":1}x",
        "{'a':1}",
        "{\"a\":1,\"a\":2}",
        "{\"a\":9223372036854775808}",
        "{\"a\":1e999}",
        "{\"a\":\"\\ud800\"}",
        "{\"a\":\"\xff\"}",
        "[1,]",
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        why[0] = 0;
        assert_null(json_doc_parse(bad[i], strlen(bad[i]), why, sizeof why));
        assert_int_equal(strncmp(why, "line ", 5), 0);
    }
    assert_null(json_doc_parse("{", 1, NULL, 0));
    struct json_doc *doc = parse("{\"a\":{\"b\":[1,2]},\"n\":9223372036854775807}");
    const struct json_doc *a = json_doc_member(doc, "a");
    assert_non_null(a);
    assert_non_null(json_doc_member(a, "b"));
    assert_null(json_doc_member(doc, "b"));
    assert_null(json_doc_member(json_doc_member(a, "b"), "b"));
    json_doc_free(&doc);
    assert_null(doc);
    json_doc_free(&doc);
}

static void contains(const char *have, const char *want, const char *where)
{
    struct json_doc *h = parse(have), *w = parse(want);
    struct buf path;

    buf_init(&path);
    bool yes = json_doc_contains(h, w, &path);
    if (yes != !where)
        fail_msg("%s in %s: %d (%s)", want, have, yes, path.data);
    if (where)
        assert_string_equal(path.data, where);
    buf_fini(&path);
    json_doc_free(&h);
    json_doc_free(&w);
}

static void containment(void **state)
{
    (void)state;
    contains("{}", "{}", NULL);
    contains("{\"a\":1,\"b\":2}", "{\"b\":2}", NULL);
    contains("{\"a\":1}", "{\"a\":1.0}", NULL);
    contains("{\"a\":9007199254740993}", "{\"a\":9007199254740992.0}", "a");
    contains("{\"a\":1}", "{\"a\":\"1\"}", "a");
    contains("{\"a\":1}", "{\"a\":true}", "a");
    contains("{\"a\":1}", "{\"b\":1}", "b");
    contains("{\"a\":null}", "{\"a\":null}", NULL);
    contains("{}", "{\"a\":null}", "a");
    contains("{\"a\":true}", "{\"a\":false}", "a");
    contains("{\"user\":{\"id\":\"u1\",\"x\":2}}", "{\"user\":{\"id\":\"u1\"}}", NULL);
    contains("{\"user\":{\"id\":\"u1\"}}", "{\"user\":{\"id\":\"u2\"}}", "user.id");
    contains("{\"user\":3}", "{\"user\":{\"id\":\"u2\"}}", "user");
    contains("{\"l\":[{\"a\":1,\"b\":2},3]}", "{\"l\":[{\"a\":1},3]}", NULL);
    contains("{\"l\":[{\"a\":1},3]}", "{\"l\":[{\"a\":2},3]}", "l[0].a");
    contains("{\"l\":[1,[2,3]]}", "{\"l\":[1,[2,4]]}", "l[1][1]");
    contains("{\"l\":[1,2]}", "{\"l\":[1]}", "l");
    contains("{\"l\":[1]}", "{\"l\":{}}", "l");
    contains("{\"t\":\"a\\u0000b\"}", "{\"t\":\"a\\u0000b\"}", NULL);
    contains("{\"t\":\"a\\u0000b\"}", "{\"t\":\"a\\u0000c\"}", "t");
    contains("[1]", "{}", "");
}

/* What others wrote, and as it is written again. */
static void lax(const char *text, const char *want)
{
    char why[200] = "";
    struct buf b;
    struct json_doc *doc = json_doc_parse_lax(text, strlen(text), why, sizeof why);

    buf_init(&b);
    if (doc)
        json_doc_add(&b, doc);
    assert_string_equal(doc ? b.data : why[0] ? "refused" : "?", want);
    buf_fini(&b);
    json_doc_free(&doc);
}

static void of_others(void **state)
{
    (void)state;
    lax("{\"a\": [1, -2.5, true, false, null, \"x\\n\\u001b\\\"\"], \"b\": {}, \"c\": []}",
        "{\"a\":[1,-2.5,true,false,null,\"x\\n\\u001b\\\"\"],\"b\":{},\"c\":[]}");
    lax("{\"a\":1,\"a\":2}", "{\"a\":2}");
    lax("[18446744073709551615,1]", "[1.8446744073709552e+19,1]"); /* all are doubles then */
    lax("9223372036854775807", "9223372036854775807");
    lax("\"a\\u0000b\"", "\"a\\u0000b\"");
    lax("[1e999]", "refused");
    lax("{\"a\":", "refused");
    lax("", "refused");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parsing),
        cmocka_unit_test(containment),
        cmocka_unit_test(of_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
