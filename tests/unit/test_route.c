// SPDX-License-Identifier: Apache-2.0
/*
 * Routes: to which sinks alerts of a compiled program go by `to`, default_to, severity, tags and name;
 * and what is done with them at delivery, by alerts as the engine writes them and by what is none.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/civil.h"
#include "base/diag.h"
#include "flow/route.h"
#include "plan/program.h"

#define NS INT64_C(1000000000)
#define BIT(name) (1u << SEVERITY_##name)
#define MIDNIGHT (INT64_C(20000) * 86400 * NS)
#define NOON (MIDNIGHT + INT64_C(43200) * NS)

static const char *const sinks[] = {"disk", "soc", "pager", "mail"};
enum { DISK, SOC, PAGER, MAIL, N_SINKS };

static const char rules[] =
    "rule ssh_low    { severity low tags [\"attack.t1110\", \"net\"] match by k { a: s where n == 1 } }\n"
    "rule ssh_to     { severity critical to [pager, soc] match by k { a: s where n == 1 } }\n"
    "rule web        { severity high tags [\"Attack.x\"] to [gone] match by k { a: s where n == 1 } }\n"
    "rule computed   { severity if(n > 5, \"critical\", \"info\") match by k { a: s where n > 1 } }\n"
    "rule off        { disabled severity medium match by k { a: s where n == 1 } }\n";

static struct program *compile(void)
{
    static const char *const source = "s";
    static const char *const known[] = {"disk", "soc", "pager", "mail", "gone"};
    struct program_source_text text = {.name = "r.rule", .text = rules, .len = sizeof rules - 1};
    struct program_options opt = {.source = &source, .n_sources = 1, .sink = known, .n_sinks = 5};
    struct diag *diag = diag_new();
    struct program *prog = program_compile(&text, 1, &opt, diag);

    if (!prog) {
        struct buf why;
        buf_init(&why);
        diag_print(diag, &why);
        fail_msg("%s", why.data);
    }
    diag_free(&diag);
    return prog;
}

static struct route_table *table(const struct route_spec *route, size_t n)
{
    static const uint32_t default_to = DISK;
    struct route_options opt = {.sink = sinks, .n_sinks = N_SINKS, .default_to = &default_to,
                                .n_default_to = 1, .route = route, .n_routes = n};

    return route_table_new(&opt);
}

/* "disk soc*": those with a * by a route only. */
static const char *text_of(const struct route_set *set)
{
    static char text[100];
    size_t len = 0;

    text[0] = '\0';
    for (uint32_t i = 0; i < set->n; i++)
        len += (size_t)snprintf(text + len, sizeof text - len, "%s%s%s", i ? " " : "",
                                sinks[set->sink[i]], set->direct[i] ? "" : "*");
    return text;
}

static uint32_t rule_named(const struct program *prog, const char *name)
{
    for (uint32_t i = 0; i < prog->n_rules; i++)
        if (strcmp(prog->rule[i].name, name) == 0)
            return i;
    fail_msg("no rule %s", name);
    return 0;
}

static void where_alerts_go(void **state)
{
    static const char *const attack[] = {"attack.*"}, *const ssh[] = {"ssh_???", "x"}, *const all[] = {"*"};
    static const uint32_t soc = SOC, both[] = {PAGER, DISK};
    const struct route_spec route[] = {
        {.severities = BIT(HIGH) | BIT(CRITICAL), .sink = &soc, .n_sinks = 1},
        {.tag = attack, .n_tags = 1, .sink = both, .n_sinks = 2},
        {.rule = ssh, .n_rules = 2, .severities = BIT(LOW), .tag = all, .n_tags = 1, .sink = &soc, .n_sinks = 1},
    };
    struct program *prog = compile();
    struct route_table *rt = table(route, 3);
    struct route_rules *rr = route_rules_new(rt, prog);

    (void)state;
    assert_string_equal(text_of(route_of(rr, rule_named(prog, "ssh_low"), SEVERITY_LOW)), "disk soc* pager*");
    assert_string_equal(text_of(route_of(rr, rule_named(prog, "ssh_to"), SEVERITY_CRITICAL)), "soc pager");
    /* `to` names none that there is: default_to stands for it. Tags go by case. */
    assert_string_equal(text_of(route_of(rr, rule_named(prog, "web"), SEVERITY_HIGH)), "disk soc*");
    assert_string_equal(text_of(route_of(rr, rule_named(prog, "computed"), SEVERITY_INFO)), "disk");
    assert_string_equal(text_of(route_of(rr, rule_named(prog, "computed"), SEVERITY_CRITICAL)), "disk soc*");
    route_rules_free(&rr);
    route_table_unref(&rt);
    program_unref(&prog);
}

static void what_nothing_goes_by(void **state)
{
    static const char *const none[] = {"zzz"}, *const net[] = {"net"}, *const web[] = {"web"},
                      *const off[] = {"off"};
    static const uint32_t soc = SOC;
    const struct route_spec route[] = {
        {.rule = none, .n_rules = 1, .sink = &soc, .n_sinks = 1},
        {.tag = none, .n_tags = 1, .sink = &soc, .n_sinks = 1},
        {.severities = BIT(MEDIUM), .rule = web, .n_rules = 1, .sink = &soc, .n_sinks = 1},
        {.tag = net, .n_tags = 1, .rule = web, .n_rules = 1, .sink = &soc, .n_sinks = 1},
        {.rule = off, .n_rules = 1, .sink = &soc, .n_sinks = 1},
        {.tag = net, .n_tags = 1, .sink = &soc, .n_sinks = 1},
        {.severities = BIT(MEDIUM), .sink = &soc, .n_sinks = 1}, /* a computed one may be that */
    };
    struct program *prog = compile();
    struct route_table *rt = table(route, 7);

    (void)state;
    assert_string_equal(route_misses(rt, 0, prog), "no rule has such a name");
    assert_string_equal(route_misses(rt, 1, prog), "no rule has such a tag");
    assert_string_equal(route_misses(rt, 2, prog), "no rule has all that it asks for");
    assert_string_equal(route_misses(rt, 3, prog), "no rule has all that it asks for");
    assert_string_equal(route_misses(rt, 4, prog), "no rule has such a name"); /* it is disabled */
    assert_null(route_misses(rt, 5, prog));
    assert_null(route_misses(rt, 6, prog));
    assert_true(route_pattern_fits("ssh*", false, prog));
    assert_false(route_pattern_fits("ssh", false, prog));
    assert_true(route_pattern_fits("net", true, prog));
    assert_false(route_pattern_fits("attack", true, prog));
    route_table_unref(&rt);
    program_unref(&prog);
}

/* ---- at delivery ------------------------------------------------------------------------------- */

static struct route_policy policy(struct route_table *rt, uint32_t sink, bool direct, const char *alert,
                                  int64_t now)
{
    struct route_policy first, again;

    route_policy_again(rt, sink, direct, alert, strlen(alert), now, &again);
    route_policy(rt, sink, direct, alert, strlen(alert), now, &first);
    assert_int_equal(first.muted, again.muted);
    assert_int_equal(first.group, again.group);
    return first;
}

#define ALERT(rule, severity, tags) \
    "{\"id\":\"00\",\"rule\":\"" rule "\",\"severity\":\"" severity \
    "\",\"time\":\"2026-11-30T00:00:00Z\",\"title\":\"a \\\"t\\\" \\\\\",\"description\":\"tags\",\"tags\":" tags \
    ",\"key\":{\"rule\":\"x\"},\"fields\":{},\"events\":{},\"revision\":0,\"suppressed\":0}"

static void what_is_done(void **state)
{
    static const char *const attack[] = {"attack.*"}, *const quoted[] = {"a\"b\xc3\xa9"}, *const web[] = {"web"};
    static const char *const night[] = {"22:00-06:00"}, *const always[] = {"00:00-24:00"},
                      *const day[] = {"06:00-22:00"};
    static const uint32_t soc = SOC, pager = PAGER, mail = MAIL;
    const struct route_spec route[] = {
        {.tag = attack, .n_tags = 1, .sink = &soc, .n_sinks = 1, .mute = night, .n_mutes = 1, .group = 30 * NS},
        {.severities = BIT(HIGH), .sink = &soc, .n_sinks = 1, .mute = day, .n_mutes = 1, .group = 10 * NS},
        {.rule = web, .n_rules = 1, .sink = &soc, .n_sinks = 1, .group = 20 * NS},
        {.tag = quoted, .n_tags = 1, .sink = &pager, .n_sinks = 1, .mute = always, .n_mutes = 1},
        {.severities = BIT(HIGH), .sink = &mail, .n_sinks = 1},
    };
    struct route_table *rt = table(route, 5);
    const char *alert = ALERT("r", "low", "[\"net\",\"attack.t1\"]");

    (void)state;
    assert_true(route_has_policy(rt, SOC));
    assert_true(route_has_policy(rt, PAGER));
    assert_false(route_has_policy(rt, MAIL));
    assert_false(route_has_policy(rt, DISK));
    assert_false(route_has_policy(rt, 17));
    assert_true(policy(rt, SOC, false, alert, MIDNIGHT).muted);
    assert_false(policy(rt, SOC, true, alert, MIDNIGHT).muted);
    assert_int_equal(policy(rt, SOC, true, alert, NOON).group, 0);
    assert_false(policy(rt, MAIL, false, alert, MIDNIGHT).muted);
    assert_false(policy(rt, SOC, false, alert, NOON).muted);
    assert_int_equal(policy(rt, SOC, false, alert, NOON).group, 30 * NS);
    /* By two routes: muted if both are, grouped by the one that speaks. */
    alert = ALERT("r", "high", "[\"attack.t1\"]");
    assert_int_equal(policy(rt, SOC, false, alert, MIDNIGHT).group, 10 * NS);
    assert_int_equal(policy(rt, SOC, false, alert, NOON).group, 30 * NS);
    alert = ALERT("web", "high", "[\"attack.t1\"]");
    assert_int_equal(policy(rt, SOC, false, alert, MIDNIGHT).group, 10 * NS);
    assert_int_equal(policy(rt, SOC, false, alert, NOON).group, 20 * NS);
    alert = ALERT("r", "high", "[]");
    assert_true(policy(rt, SOC, false, alert, NOON).muted);
    /* None of them: the routes were others when it was found. */
    alert = ALERT("r", "low", "[]");
    assert_false(policy(rt, SOC, false, alert, NOON).muted);
    assert_int_equal(policy(rt, SOC, false, alert, NOON).group, 0);
    /* What is escaped is compared as it reads. */
    alert = ALERT("r", "low", "[\"a\\\"b\\u00e9\"]");
    assert_true(policy(rt, PAGER, false, alert, NOON).muted);
    route_look(rt, NOON);
    route_look(rt, MIDNIGHT);
    route_end(rt);
    route_table_unref(&rt);
}

/* Any number of tags, escaped or not: each is found. */
static void many_tags(void **state)
{
    static const char *const always[] = {"00:00-24:00"};
    static const uint32_t soc = SOC;
    struct buf alert, pattern;
    struct route_policy out;

    (void)state;
    buf_init(&alert);
    buf_init(&pattern);
    for (int n = 1; n < 70; n++) {
        buf_clear(&alert);
        buf_adds(&alert, "{\"rule\":\"r\\u0041\",\"severity\":\"low\",\"tags\":[");
        for (int i = 0; i < n; i++)
            buf_printf(&alert, "%s\"%st%d\"", i ? "," : "", i % 3 ? "" : "\\n", i);
        buf_adds(&alert, "]}");
        for (int i = 0; i <= n; i++) {
            buf_clear(&pattern);
            buf_printf(&pattern, "%st%d", i % 3 ? "" : "\n", i);
            const char *const tag = pattern.data, *const name = "rA";
            const struct route_spec route = {.tag = &tag, .n_tags = 1, .rule = &name, .n_rules = 1, .sink = &soc,
                                             .n_sinks = 1, .mute = always, .n_mutes = 1};
            struct route_table *rt = table(&route, 1);
            route_policy(rt, SOC, false, alert.data, alert.len, NOON, &out);
            assert_int_equal(out.muted, i < n);
            route_table_unref(&rt);
        }
    }
    buf_fini(&alert);
    buf_fini(&pattern);
}

/* Each beginning of an alert, and what is none, is read within its bounds; ASan looks on. */
static void what_is_no_alert(void **state)
{
    static const char *const any[] = {"*"}, *const always[] = {"00:00-24:00"};
    static const uint32_t soc = SOC;
    const struct route_spec route = {.rule = any, .n_rules = 1, .sink = &soc, .n_sinks = 1, .mute = always,
                                     .n_mutes = 1};
    static const char *const odd[] = {"", "{", "{}", "[]", "{\"tags\":[", "{\"tags\":[\"a\",", "{\"rule\":\"\\",
                                      "{\"rule\":1,\"tags\":[\"a\"]}", "null", "{\"a\":\"b\",}", "\"x\""};
    const char *alert = ALERT("r", "high", "[\"a\",\"b\\\"\"]");
    struct route_table *rt = table(&route, 1);
    struct route_policy out;

    (void)state;
    for (size_t len = 0; len <= strlen(alert); len++) {
        char *copy = memcpy(test_malloc(len + 1), alert, len);
        route_policy(rt, SOC, false, copy, len, NOON, &out);
        assert_true(out.muted);
        test_free(copy);
    }
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        route_policy(rt, SOC, false, odd[i], strlen(odd[i]), NOON, &out);
        assert_true(out.muted);
    }
    route_table_unref(&rt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(where_alerts_go),
        cmocka_unit_test(what_nothing_goes_by),
        cmocka_unit_test(what_is_done),
        cmocka_unit_test(many_tags),
        cmocka_unit_test(what_is_no_alert),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
