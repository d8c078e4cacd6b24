// SPDX-License-Identifier: Apache-2.0
/* uri, route: what a target is, which route it has, what of its query is refused; ETags. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <unit/text_fixture.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "http/problem.h"
#include "http/route.h"
#include "http/uri.h"

static void refused(const char *target, const char *why)
{
    struct http_uri uri;
    const char *wrong = http_uri_parse(&uri, target, strlen(target));

    assert_non_null(wrong);
    assert_non_null(strstr(wrong, why));
    http_uri_fini(&uri);
}

static void test_targets(void **state)
{
    struct http_uri uri;

    (void)state;
    assert_null(http_uri_parse(&uri, "/v1/modules/a%2Fb%20c?x=%C3%a4&y&z=a+b%2B&&x2=", 46));
    assert_int_equal(uri.n_segments, 3);
    assert_string_equal(uri.segment[2], "a/b c");
    assert_string_equal(http_uri_query(&uri, "x"), "\xc3\xa4");
    assert_string_equal(http_uri_query(&uri, "y"), "");
    assert_string_equal(http_uri_query(&uri, "z"), "a b+");
    assert_string_equal(http_uri_query(&uri, "x2"), "");
    assert_null(http_uri_query(&uri, "none"));
    http_uri_fini(&uri);
    assert_null(http_uri_parse(&uri, "HTTP://localhost:7070/v1/a%2Fb?x=/1", 35));
    assert_string_equal(uri.authority, "localhost:7070");
    assert_int_equal(uri.n_segments, 2);
    assert_string_equal(uri.segment[1], "a/b");
    assert_string_equal(http_uri_query(&uri, "x"), "/1");
    http_uri_fini(&uri);
    assert_null(http_uri_parse(&uri, "https://h", 9));
    assert_int_equal(uri.n_segments, 1);
    assert_string_equal(uri.segment[0], "");
    http_uri_fini(&uri);
    refused("http:///a", "no host");
    refused("http://", "no host");
    refused("http://me@localhost/", "a user");
    refused("ftp://localhost/", "begin with /");
    refused("", "begin with /");
    refused("*", "begin with /");
    refused("/%", "hexadecimal");
    refused("/%a", "hexadecimal");
    refused("/%0g", "hexadecimal");
    refused("/a%00", "control");
    refused("/a%7f", "control");
    refused("/%c3", "UTF-8");
    refused("/a?b=%ff", "UTF-8");
    refused("/../a", "`.`");
    refused("/a/%2e", "`.`");
    refused("/1/2/3/4/5/6/7/8/9", "segments");
    refused("/?a&b&c&d&e&f&g&h&i&j&k&l&m&n&o&p&q", "parameters");
    assert_non_null(http_uri_parse(&uri, "/a\0b", 4));
    http_uri_fini(&uri);
}

/* The operation of a request; -1: none. */
static int operation(const char *method, const char *target, const char *want_name,
                     unsigned *allowed_out)
{
    struct http_uri uri;
    char *name;

    assert_null(http_uri_parse(&uri, target, strlen(target)));
    const struct http_route *route = http_route_find(method, &uri, &name, allowed_out);
    if (want_name)
        assert_string_equal(name, want_name);
    mem_free(name);
    http_uri_fini(&uri);
    return route ? (int)route->operation : -1;
}

static void test_routes(void **state)
{
    struct buf allow;
    unsigned allowed;

    (void)state;
    assert_int_equal(operation("GET", "/v1/rules", NULL, &allowed), HTTP_OP_rules_list);
    assert_int_equal(operation("HEAD", "/v1/rules", NULL, &allowed), HTTP_OP_rules_list);
    assert_int_equal(operation("POST", "/v1/rules:check", NULL, &allowed), HTTP_OP_rules_check);
    assert_int_equal(operation("GET", "/v1/rules/a%3Aenable", "a", &allowed), -1);
    assert_int_equal(allowed, 1U << HTTP_POST);
    assert_int_equal(operation("GET", "/v1/rules/:enable", ":enable", &allowed), HTTP_OP_rule_get);
    assert_int_equal(operation("POST", "/v1/rules/a:enable", "a", &allowed), HTTP_OP_rule_enable);
    assert_int_equal(operation("GET", "/v1/rules/a/explain", "a", &allowed), HTTP_OP_rule_explain);
    assert_int_equal(operation("GET", "/v1/rules/", NULL, &allowed), -1);
    assert_int_equal(allowed, 0);
    assert_int_equal(operation("GET", "/v1/modules/a%2Fversions", "a/versions", &allowed),
                     HTTP_OP_module_get);
    assert_int_equal(operation("POST", "/v1/modules/a", "a", &allowed), -1);
    buf_init(&allow);
    http_route_add_allow(&allow, allowed);
    assert_string_equal(allow.data, "GET, HEAD, PUT, DELETE");
    buf_fini(&allow);
}

/* Each route is found by its own path, and no two are the same. */
static void test_each_route(void **state)
{
    (void)state;
    for (int i = 0; i < N_HTTP_ROUTES; i++) {
        const struct http_route *route = &http_routes[i];
        unsigned allowed;
        assert_int_equal(operation(http_method_names[route->method], route->path, NULL, &allowed),
                         route->operation);
        assert_true(strlen(route->doc) > 0);
    }
}

static void query(enum http_operation op, const char *target, const char *want)
{
    struct http_uri uri;
    struct buf why;

    buf_init(&why);
    assert_null(http_uri_parse(&uri, target, strlen(target)));
    assert_int_equal(http_route_check_query(op, &uri, &why), want == NULL);
    if (want)
        assert_non_null(strstr(why.data, want));
    http_uri_fini(&uri);
    buf_fini(&why);
}

static void test_queries(void **state)
{
    (void)state;
    query(HTTP_OP_module_put, "/?dry_run&on_reload=fresh&allow_state_drop=true", NULL);
    query(HTTP_OP_module_put, "/?dryrun=1", "did you mean `dry_run`");
    query(HTTP_OP_module_put, "/?dry_run=yes", "1 or 0");
    query(HTTP_OP_module_put, "/?dry_run=1&dry_run=1", "twice");
    query(HTTP_OP_audit_list, "/?limit=-1", "whole number");
    query(HTTP_OP_audit_list, "/?limit=10&before=99", NULL);
    query(HTTP_OP_rules_list, "/?x", "no query parameter");
}

static void test_etags(void **state)
{
    (void)state;
    assert_true(http_etag_listed("\"a\"", "\"a\""));
    assert_true(http_etag_listed("*", "\"a\""));
    assert_true(http_etag_listed(" \"b\" , W/\"a\"", "\"a\""));
    assert_false(http_etag_listed("\"ab\"", "\"a\""));
    assert_false(http_etag_listed("a", "\"a\""));
    assert_false(http_etag_listed("", "\"a\""));
    assert_false(http_etag_listed("\"a", "\"a\""));
}

static void test_problems(void **state)
{
    struct buf out, more;

    (void)state;
    buf_init(&out);
    buf_init(&more);
    buf_adds(&more, "[1]");
    http_problem_add(&out, HTTP_COMPILE, "a \"b\"", "diagnostics", &more);
    assert_string_equal(out.data,
                        "{\"type\":\"urn:tocsin:problem:rules-do-not-compile\",\"title\":\"The rules have "
                        "mistakes\",\"status\":422,\"detail\":\"a \\\"b\\\"\",\"diagnostics\":[1]}\n");
    buf_fini(&out);
    buf_fini(&more);
    for (int i = 0; i < N_HTTP_PROBLEMS; i++)
        for (int j = 0; j < i; j++)
            assert_string_not_equal(http_problem_name((enum http_problem)i),
                                    http_problem_name((enum http_problem)j));
}

static void test_reference(void **state)
{
    struct buf want;

    (void)state;
    buf_init(&want);
    http_route_markdown(&want);
    assert_true(text_has_table("grammar/http.md", want.data));
    buf_fini(&want);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_targets), cmocka_unit_test(test_routes),
        cmocka_unit_test(test_each_route), cmocka_unit_test(test_queries),
        cmocka_unit_test(test_etags), cmocka_unit_test(test_problems),
        cmocka_unit_test(test_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
