// SPDX-License-Identifier: Apache-2.0
/* probe: streams and unary conditions decide; streams of steps that read several; nothing is kept. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <unit/engine_fixture.h>

#include <sys/resource.h>

#include "base/mem.h"
#include "engine/probe.h"

static const char *const rule_text =
    "stream low = s where k < 10\n"
    "stream tiny = low where k < 3 and lower(pad) != \"x\"\n"
    "stream both = tiny, t\n"
    "rule r { match within 9s { a: [tiny, low] where u == 1  b: both  c: any where v == 2  next d: [t, tiny] } }\n"
    "rule z { match { a: s where exists(k) } disabled }\n";

/* The probes that the event fits, as "step step/touch". */
static const char *fits(struct fixture *fx, const char *source, const char *json)
{
    static char text[200];
    struct event ev = fixture_event(fx, 0, source, json);
    size_t n = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < ev.n_fits; i++) {
        const struct program_probe *probe = &fx->prog->probe[ev.fits[i]];
        assert_true(i == 0 || ev.fits[i - 1] < ev.fits[i]);
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%c%s", i > 0 ? " " : "", 'a' + probe->step,
                              probe->kind == PROBE_TOUCH ? "/" : "");
    }
    return text;
}

static void streams_and_conditions_decide(void **state)
{
    (void)state;
    struct fixture fx;
    fixture_open(&fx, rule_text);
    assert_string_equal(fits(&fx, "s", "{\"k\":1,\"u\":1,\"v\":2,\"pad\":\"p\"}"), "a b c d a/ b/ c/ d/");
    assert_string_equal(fits(&fx, "s", "{\"k\":5,\"u\":1,\"v\":2}"), "a c a/ c/");
    assert_string_equal(fits(&fx, "s", "{\"k\":50,\"u\":1,\"v\":2}"), "c c/");
    assert_string_equal(fits(&fx, "t", "{\"k\":1,\"u\":1,\"v\":3}"), "b d b/ c/ d/");
    assert_string_equal(fits(&fx, "other", "{\"v\":2.0}"), "c c/");
    assert_string_equal(fits(&fx, "other", "{}"), "c/");
    fixture_close(&fx);
}

static const char *stream_of(struct fixture *fx, uint16_t step, const char *source, const char *json)
{
    struct event ev = fixture_event(fx, 0, source, json);
    const struct program_probe *probe = &fx->prog->probe[fx->prog->rule[0].first_probe + step];
    assert_int_equal(probe->step, step);
    return fx->prog->stream[probe_stream(fx->prog, fx->probe, probe, &ev)].name;
}

static void the_first_listed_stream_counts(void **state)
{
    (void)state;
    struct fixture fx;
    fixture_open(&fx, rule_text);
    assert_string_equal(stream_of(&fx, 0, "s", "{\"k\":1,\"u\":1,\"pad\":\"p\"}"), "tiny");
    assert_string_equal(stream_of(&fx, 0, "s", "{\"k\":1,\"u\":1,\"pad\":\"X\"}"), "low");
    assert_string_equal(stream_of(&fx, 0, "s", "{\"k\":5,\"u\":1,\"pad\":\"p\"}"), "low");
    assert_string_equal(stream_of(&fx, 1, "t", "{}"), "both");
    assert_string_equal(stream_of(&fx, 3, "t", "{}"), "t");
    assert_string_equal(stream_of(&fx, 3, "s", "{\"k\":1,\"pad\":\"p\"}"), "tiny");
    fixture_close(&fx);
}

static void membership_is_through_all_streams(void **state)
{
    (void)state;
    struct fixture fx;
    fixture_open(&fx, rule_text);
    static const struct {
        const char *source, *json;
        const char *in; /* of s t low tiny both */
    } cases[] = {
        {"s", "{\"k\":1,\"pad\":\"p\"}", "s low tiny both"},
        {"s", "{\"k\":5,\"pad\":\"p\"}", "s low"},
        {"s", "{\"k\":50}", "s"},
        {"t", "{\"k\":1,\"pad\":\"p\"}", "t both"},
        {"unknown", "{\"k\":1}", ""},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct event ev = fixture_event(&fx, 0, cases[c].source, cases[c].json);
        char in[100] = "";
        static const char *const names[] = {"s", "t", "low", "tiny", "both"};
        for (size_t i = 0; i < 5; i++) {
            uint32_t n = 0;
            while (n < fx.prog->n_streams && strcmp(fx.prog->stream[n].name, names[i]) != 0)
                n++;
            assert_true(n < fx.prog->n_streams);
            if (engine_is_member(fx.prog, fx.probe, &ev, n))
                snprintf(in + strlen(in), sizeof in - strlen(in), "%s%s", in[0] ? " " : "", names[i]);
        }
        assert_string_equal(in, cases[c].in);
        assert_true(engine_is_member(fx.prog, fx.probe, &ev, 0));
    }
    fixture_close(&fx);
}

static long most_memory(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

/* The engine asks for streams event by event, for ever. */
static void nothing_is_kept_of_an_event(void **state)
{
    (void)state;
    enum { PAD = 1000, TIMES = 50000 };
    struct fixture fx;
    char *json = mem_calloc(1, PAD + 100);
    int at = snprintf(json, 100, "{\"k\":5,\"u\":1,\"pad\":\"");
    memset(json + at, 'P', PAD);
    snprintf(json + at + PAD, 50, "\"}");
    fixture_open(&fx, "stream low = s where lower(pad) != \"x\"\n"
                      "rule r { match by u { a: [t, low] where u == 1 } suppress 1d }");
    fixture_feed(&fx, 1, "s", json);
    struct event ev = fixture_event(&fx, SECOND, "s", json);
    const struct program_probe *probe = &fx.prog->probe[0];
    assert_int_equal(ev.n_fits, 1);
    long before = most_memory();
    for (int i = 0; i < TIMES; i++) {
        assert_true(engine_is_member(fx.prog, fx.probe, &ev, probe->stream[1]));
        probe_stream(fx.prog, fx.probe, probe, &ev);
    }
    assert_true(most_memory() - before < 10000); /* kB; to keep all would be 100 MB */
    mem_free(json);
    fixture_close(&fx);
}

static void what_conditions_count_is_told_by_rule(void **state)
{
    (void)state;
    struct fixture fx;
    fixture_open(&fx, "rule q { match { a: s where k == 1 } } rule r { match { a: s where v < \"x\" } }");
    fixture_event(&fx, 0, "s", "{\"k\":1,\"v\":1}");
    fixture_event(&fx, 0, "s", "{\"k\":1,\"v\":\"a\"}");
    fixture_event(&fx, 0, "s", "{\"k\":1,\"v\":true}");
    struct probe_tally tally = probe_tally_of(fx.probe, 0);
    assert_int_equal(tally.type_clash, 0);
    tally = probe_tally_of(fx.probe, 1);
    assert_int_equal(tally.type_clash, 2);
    assert_int_equal(tally.regex_limit, 0);
    assert_int_equal(tally.ns, 0); /* no clock was lent */
    fixture_close(&fx);
}

static void what_is_not_expected_is_counted(void **state)
{
    (void)state;
    struct fixture fx;
    fixture_open(&fx, "stream warned = a, b expect exists(id) else warn\n"
                      "stream dropped = warned where k == 1 { i = number(id) } expect i > 5 else drop\n"
                      "stream gone = a expect false else quarantine bad\n"
                      "rule r { match { x: [dropped, c] } }\n");
    static const struct {
        const char *source, *json;
        uint32_t n_fits;
    } event[] = {
        {"a", "{\"id\":\"9\",\"k\":1}", 1}, {"b", "{\"id\":\"9\",\"k\":2}", 0},
        {"a", "{\"k\":1}", 0},               {"b", "{\"id\":\"1\",\"k\":1}", 0},
        {"c", "{}", 1},                      {"a", "{}", 0},
    };
    for (size_t i = 0; i < sizeof event / sizeof event[0]; i++) {
        struct event ev = fixture_event(&fx, 0, event[i].source, event[i].json);
        assert_int_equal(ev.n_fits, event[i].n_fits);
        if (ev.n_fits > 0) /* asking again counts nothing */
            probe_stream(fx.prog, fx.probe, &fx.prog->probe[0], &ev);
    }
    assert_int_equal(fx.prog->n_expecting, 3);
    static const uint64_t want[] = {2, 2, 3};
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(probe_unexpected(fx.probe, fx.prog->expecting[i]), want[i]);
    const struct program_stream *stream = &fx.prog->stream[fx.prog->expecting[0]];
    assert_string_equal(stream->name, "warned");
    assert_false(stream->drops);
    assert_string_equal(fx.prog->stream[fx.prog->expecting[2]].quarantine, "bad");
    fixture_close(&fx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streams_and_conditions_decide),
        cmocka_unit_test(the_first_listed_stream_counts),
        cmocka_unit_test(membership_is_through_all_streams),
        cmocka_unit_test(nothing_is_kept_of_an_event),
        cmocka_unit_test(what_conditions_count_is_told_by_rule),
        cmocka_unit_test(what_is_not_expected_is_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
