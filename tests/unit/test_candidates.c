// SPDX-License-Identifier: Apache-2.0
/* candidates: random rules and events; what an event fits does not depend on the index. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <unit/engine_fixture.h>

#include "base/mem.h"
#include "plan/candidates.h"

static const char *const literals[] = {"1", "2", "1.0", "\"a\"", "\"b\"", "true", "false", "-1", "0.5", "\"\""};
static const char *const json_values[] = {
    "1", "1.0", "2", "-1", "\"a\"", "\"A\"", "\"b\"", "true", "false", "null", "[]", "[1,\"a\"]",
    "[[\"b\"],null]", "{\"x\":1}", "0.5", "\"\"", "[{\"x\":1}]", "1e0",
};
static const char *const fields[] = {"f", "g.h", "i"};
static const char *const sources[] = {"s", "t", "none"};
#define PICK(array) array[fixture_below(seed, sizeof array / sizeof *array)]

static void condition(struct buf *out, uint64_t *seed, int depth)
{
    uint32_t kind = fixture_below(seed, depth > 0 ? 14 : 10);
    const char *f = PICK(fields);
    switch (kind) {
    case 0:
    case 1: buf_printf(out, "%s == %s", f, PICK(literals)); break;
    case 2: buf_printf(out, "%s in [%s, %s]", f, PICK(literals), PICK(literals)); break;
    case 3: buf_printf(out, "exists(%s)", f); break;
    case 4: buf_printf(out, "%s != %s", f, PICK(literals)); break;
    case 5: buf_printf(out, "%s in wanted", f); break;
    case 6: buf_printf(out, "%s ==~ \"A\"", f); break;
    case 7: buf_printf(out, "lower(%s) == \"a\"", f); break;
    case 8: buf_printf(out, "any(x in %s: x == %s)", f, PICK(literals)); break;
    case 9: buf_printf(out, "%s == %s", f, PICK(fields)); break;
    case 10:
        buf_adds(out, "not (");
        condition(out, seed, depth - 1);
        buf_addc(out, ')');
        break;
    default:
        buf_addc(out, '(');
        condition(out, seed, depth - 1);
        buf_adds(out, kind == 11 ? " or " : kind == 12 ? " and " : " or ");
        condition(out, seed, depth - 1);
        buf_addc(out, ')');
        break;
    }
}

static void random_rules(struct buf *out, uint64_t *seed)
{
    static const char *const streams[] = {"s", "t", "any", "narrow", "[s, t]", "[narrow, t]"};
    buf_adds(out, "stream narrow = s where f == 1 or exists(i)\nlist wanted = [\"a\", 1, true]\n");
    uint32_t n = 1 + fixture_below(seed, 12);
    for (uint32_t r = 0; r < n; r++) {
        buf_printf(out, "rule r%u { %s match within 9s { a: %s where ", r,
                   fixture_below(seed, 10) == 0 ? "disabled" : "", PICK(streams));
        condition(out, seed, 2);
        buf_printf(out, " %s b: %s where ", fixture_below(seed, 4) == 0 ? "next" : "", PICK(streams));
        condition(out, seed, 2);
        buf_adds(out, " and f != a.f } }\n");
    }
}

/* Rules whose constants are of different types may be refused: then there is nothing to compare. */
static struct program *compile(const char *text, bool no_opt)
{
    struct program_source_text source = {.name = "t", .text = text, .len = strlen(text)};
    struct program_options opt = {.no_opt = no_opt};
    struct diag *diag = diag_new();
    struct program *prog = program_compile(&source, 1, &opt, diag);
    diag_free(&diag);
    return prog;
}

static void random_event(struct buf *out, uint64_t *seed)
{
    buf_clear(out);
    buf_adds(out, "{\"n\":0");
    if (fixture_below(seed, 5) > 0)
        buf_printf(out, ",\"f\":%s", PICK(json_values));
    if (fixture_below(seed, 3) > 0)
        buf_printf(out, ",\"g\":{\"h\":%s}", PICK(json_values));
    else
        buf_printf(out, ",\"g.h\":%s", PICK(json_values));
    if (fixture_below(seed, 3) > 0)
        buf_printf(out, ",\"i\":%s", PICK(json_values));
    buf_addc(out, '}');
}

static void the_index_changes_nothing(void **state)
{
    (void)state;
    uint64_t fitted = 0, found_with = 0, found_without = 0, compiled = 0;
    struct buf text, json;
    buf_init(&text);
    buf_init(&json);
    for (uint64_t round = 0; round < 150; round++) {
        uint64_t seed_is = round, *seed = &seed_is;
        buf_clear(&text);
        random_rules(&text, seed);
        struct program *prog = compile(text.data, false), *plain = compile(text.data, true);
        assert_int_equal(prog == NULL, plain == NULL);
        if (prog == NULL)
            continue;
        compiled++;
        struct fixture with, without;
        fixture_open_program(&with, prog);
        fixture_open_program(&without, plain);
        assert_int_equal(prog->n_probes, plain->n_probes);
        uint64_t *seen = mem_calloc(prog->n_probes / 64 + 1, sizeof *seen);
        uint32_t *found = mem_calloc(prog->n_probes + 1, sizeof *found);
        for (int i = 0; i < 60; i++) {
            const char *source = PICK(sources);
            random_event(&json, seed);
            struct event a = fixture_event(&with, 0, source, json.data);
            struct event b = fixture_event(&without, 0, source, json.data);
            uint32_t n = candidates_find(prog->candidates, &a, seen, found);
            for (uint32_t w = 0; w <= prog->n_probes / 64; w++)
                assert_int_equal(seen[w], 0);
            for (uint32_t k = 0; k < n; k++)
                assert_true(found[k] < prog->n_probes && (k == 0 || found[k - 1] < found[k]));
            found_with += n;
            found_without += candidates_find(plain->candidates, &b, seen, found);
            if (a.n_fits != b.n_fits ||
                (a.n_fits > 0 && memcmp(a.fits, b.fits, a.n_fits * sizeof *a.fits) != 0))
                fail_msg("%u with the index, %u without: %s of %s\n%s", a.n_fits, b.n_fits, json.data,
                         source, text.data);
            fitted += a.n_fits;
            for (uint32_t k = 0; k < a.n_fits; k++)
                assert_false(prog->rule[prog->probe[a.fits[k]].rule].disabled);
        }
        mem_free(seen);
        mem_free(found);
        fixture_close(&with);
        fixture_close(&without);
    }
    buf_fini(&text);
    buf_fini(&json);
    assert_true(compiled > 75);
    assert_true(fitted > 5000);
    assert_true(found_with < found_without); /* it is of use */
}

/* Many values, many rules: an event finds its own. */
static void of_many_rules_few_are_asked(void **state)
{
    (void)state;
    struct buf text;
    struct fixture fx;
    char json[64];
    uint32_t found[1001];
    uint64_t seen[16] = {0};
    buf_init(&text);
    for (int i = 0; i < 1000; i++)
        buf_printf(&text, "rule r%03d { match { a: s where k == \"v%d\" } }\n", i, i);
    fixture_open(&fx, text.data);
    for (uint32_t i = 0; i < 1000; i += 37) {
        snprintf(json, sizeof json, "{\"k\":\"v%u\"}", i);
        struct event ev = fixture_event(&fx, 0, "s", json);
        assert_int_equal(candidates_find(fx.prog->candidates, &ev, seen, found), 1);
        assert_int_equal(found[0], i);
        assert_int_equal(ev.n_fits, 1);
    }
    struct event none = fixture_event(&fx, 0, "s", "{\"k\":\"w\"}");
    assert_int_equal(candidates_find(fx.prog->candidates, &none, seen, found), 0);
    buf_fini(&text);
    fixture_close(&fx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_index_changes_nothing),
        cmocka_unit_test(of_many_rules_few_are_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
