// SPDX-License-Identifier: Apache-2.0
/* nfa: what nfa_build makes of rules is valid and bounded; each broken promise is found. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <unit/engine_fixture.h>

#include "base/mem.h"
#include "plan/nfa.h"

enum { MAX = 16 };

/* A copy that may be written to. */
struct copy {
    struct nfa nfa;
    struct nfa_step step[MAX];
    struct nfa_element element[MAX];
    struct nfa_link link[MAX];
    uint16_t lead[MAX], trail[MAX], gap[MAX][MAX];
    uint16_t step_link[MAX][MAX];
};

static void copy_numbers(uint16_t *to, const uint16_t **from, uint16_t n)
{
    for (uint16_t i = 0; i < n; i++)
        to[i] = (*from)[i];
    *from = to;
}

static void copy(struct copy *co, const struct nfa *nfa)
{
    assert_true(nfa->n_steps <= MAX && nfa->n_elements <= MAX && nfa->n_links <= MAX);
    co->nfa = *nfa;
    for (uint16_t i = 0; i < nfa->n_steps; i++) {
        co->step[i] = nfa->step[i];
        copy_numbers(co->step_link[i], &co->step[i].link, (uint16_t)nfa->step[i].n_links);
    }
    for (uint16_t i = 0; i < nfa->n_elements; i++) {
        co->element[i] = nfa->element[i];
        copy_numbers(co->gap[i], &co->element[i].gap_not, nfa->element[i].n_gap_nots);
    }
    for (uint16_t i = 0; i < nfa->n_links; i++)
        co->link[i] = nfa->link[i];
    copy_numbers(co->lead, &co->nfa.lead_not, nfa->n_lead_nots);
    copy_numbers(co->trail, &co->nfa.trail_not, nfa->n_trail_nots);
    co->nfa.step = co->step;
    co->nfa.element = co->element;
    co->nfa.link = co->link;
}

/* Steps: x lead, a, o?, y gap, g (all: b c d), e (any: e f), z trail, u until. */
static const char *const everything =
    "rule r { match by k within 60s { not x: s where k == 1  a: s where k == 2  o{0,2}: s where v == a.v\n"
    "  p: s not y: s where k == 3 and v == a.v  all 2 { b: s where v == a.v c: s where w == b.w d{2}: s }\n"
    "  next any { e: s where w == a.w f: t }  not z: s where v == p.v until u: s where v == a.v } }";
enum { X, A, O, P, Y, B, C, D, E, F, Z, U };

static void assert_refused(const struct copy *co, const char *want)
{
    const char *why = NULL;
    if (nfa_validate(&co->nfa, &why))
        fail_msg("not refused: %s", want);
    assert_string_equal(why, want);
}

static struct copy co;
static struct program *prog;

static int open_it(void **state)
{
    (void)state;
    prog = fixture_compile(everything, false);
    copy(&co, prog->rule[0].nfa);
    return 0;
}

static int close_it(void **state)
{
    (void)state;
    program_unref(&prog);
    return 0;
}

static void what_is_built_is_as_it_is_drawn(void **state)
{
    (void)state;
    const char *why = NULL;
    const struct nfa *nfa = &co.nfa;
    assert_true(nfa_validate(nfa, &why));
    assert_int_equal(nfa->n_steps, 12);
    assert_int_equal(nfa->n_elements, 5);
    assert_int_equal(nfa->n_lead_nots, 1);
    assert_int_equal(nfa->lead_not[0], X);
    assert_int_equal(nfa->n_trail_nots, 1);
    assert_int_equal(nfa->trail_not[0], Z);
    assert_int_equal(nfa->until, U);
    assert_true(nfa->has_next);
    static const uint16_t reach[] = {2, 2, 3, 4, 4};
    static const uint16_t element[] = {NFA_NONE, 0, 1, 2, NFA_NONE, 3, 3, 3, 4, 4, NFA_NONE, NFA_NONE};
    for (uint16_t i = 0; i < 5; i++)
        assert_int_equal(nfa->element[i].reach, reach[i]);
    for (uint16_t s = 0; s < 12; s++)
        assert_int_equal(nfa->step[s].element, element[s]);
    assert_int_equal(nfa->element[1].min, 0);
    assert_int_equal(nfa->element[1].max, 2);
    assert_int_equal(nfa->element[2].n_gap_nots, 1);
    assert_int_equal(nfa->element[2].gap_not[0], Y);
    assert_int_equal(nfa->element[3].need, 2);
    assert_true(nfa->element[3].crossed);
    assert_true(nfa->element[4].is_next);
    assert_int_equal(nfa->step[D].min, 2);
    assert_int_equal(nfa->step[C].cross_steps, UINT64_C(1) << B);
    assert_int_equal(nfa->step[Y].gap, 2);
}

#define REFUSED(change, why)                                                                       \
    do {                                                                                           \
        struct copy was = co;                                                                      \
        change;                                                                                    \
        assert_refused(&co, why);                                                                  \
        co = was;                                                                                  \
    } while (0)

static void a_broken_element_is_found(void **state)
{
    (void)state;
    REFUSED(co.nfa.n_elements = 0, "no elements");
    REFUSED(co.element[1].n_steps = 0, "an element has no steps");
    REFUSED(co.element[1].n_steps = 11, "an element has no steps");
    REFUSED(co.element[1].first_step = 12, "an element has no steps");
    REFUSED(co.element[1].max = 0, "an element's maximum is below its minimum");
    REFUSED(co.element[0].min = 2, "an element's maximum is below its minimum");
    REFUSED(co.element[4].min = 0, "the last element may be empty");
    REFUSED(co.element[3].max = 2, "a group is quantified");
    REFUSED(co.element[3].min = 0, "a group is quantified");
    REFUSED(co.element[3].need = 0, "a group needs more steps than it has");
    REFUSED(co.element[3].need = 4, "a group needs more steps than it has");
    REFUSED(co.element[0].reach = 0, "an element reaches nothing");
    REFUSED(co.element[2].reach = 2, "an element reaches nothing");
    REFUSED(co.element[0].reach = 5, "an element reaches nothing");
    REFUSED(co.element[0].reach = 3, "an element reaches over one that may not be empty");
    REFUSED(co.element[2].first_step = A, "a step belongs to another element");
    REFUSED(co.gap[2][0] = A, "a gap is watched by no `not` of its own");
    REFUSED(co.gap[2][0] = 99, "a gap is watched by no `not` of its own");
    REFUSED(co.gap[2][0] = Z, "a gap is watched by no `not` of its own");
    REFUSED(co.lead[0] = Y, "a gap is watched by no `not` of its own");
    REFUSED(co.lead[0] = 12, "a gap is watched by no `not` of its own");
    REFUSED(co.trail[0] = X, "a gap is watched by no `not` of its own");
    REFUSED(co.trail[0] = U, "a gap is watched by no `not` of its own");
}

static void a_broken_step_is_found(void **state)
{
    (void)state;
    REFUSED(co.step[P].number = A, "a step has another's number");
    REFUSED(co.step[P].is_not = true, "a step is not exactly one of element, `not`, `until`");
    REFUSED(co.step[Y].is_not = false, "a gap is watched by no `not` of its own");
    REFUSED(co.step[U].is_until = false, "a step is not exactly one of element, `not`, `until`");
    REFUSED(co.step[U].element = 0, "a step is not exactly one of element, `not`, `until`");
    REFUSED(co.step[Y].is_until = true, "a step is not exactly one of element, `not`, `until`");
    REFUSED((co.step[U].is_until = false, co.step[U].element = 9), "a step belongs to no element");
    REFUSED(co.step[P].cross_steps = 1, "a step without cross conditions reads other steps");
    REFUSED(co.step[C].cross_steps = 1 << X, "a condition reads a `not` or an `until`");
    REFUSED(co.step[C].cross_steps = 1 << U, "a condition reads a `not` or an `until`");
    REFUSED(co.step[C].cross_steps = 1 << E, "a condition reads a later element");
    REFUSED(co.step[C].cross_steps = UINT64_C(1) << 63, "a condition reads a step that there is not");
    REFUSED(co.step[E].cross_steps = 1 << F, "a condition reads a step that is never bound with its own");
    REFUSED(co.nfa.until = NFA_NONE, "the `until` is another step");
    REFUSED(co.nfa.until = 12, "the `until` is another step");
    REFUSED(co.nfa.until = A, "the `until` is another step");
}

static void a_broken_link_is_found(void **state)
{
    (void)state;
    assert_true(co.step[B].n_links == 1);
    REFUSED(co.step_link[B][0] = co.nfa.n_links, "a link belongs to another step");
    REFUSED(co.link[co.step_link[B][0]].step = C, "a link belongs to another step");
    REFUSED(co.link[co.step_link[B][0]].from_step = 40, "a link is with a step that no condition reads");
    REFUSED(co.link[co.step_link[B][0]].from_step = P, "a link is with a step that no condition reads");
}

static void state_without_bound_is_found(void **state)
{
    (void)state;
    REFUSED(co.nfa.within = -1, "the state has no bound");
}

/* The compiler's proof and the validator's agree: nothing is refused as an internal error. */
static void bounded_rules_compile(void **state)
{
    (void)state;
    static const char *const rules[] = {
        "rule r { match { a: s } }",
        "rule r { match { a: s b: s within 5s } }",
        "rule r { match { a: s not x: s where k == 9 b: s within 5s } }",
        "rule r { match { any { a: s b: t } not x: s not y: t c: s within 5s not d: s within 1s until u: t } }",
        "rule r { match { all 1 { a: s } b: s within 5s } }",
        "rule r { match { a{1}: s b{2}: s within 5s c?: s within 1s all { d: s within 2s e: t within 3s } } }",
        "rule r { match { not x: s within 9s a: t b: s within 5s } }",
        "rule r { match { not x: s within 9s a: t } }",
        "rule r { match within 5s { not x: s a{2,}: t not y: s b*: s c: s not z: t } }",
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        for (int no_opt = 0; no_opt < 2; no_opt++) {
            const char *why = "";
            struct program *one = fixture_compile(rules[i], no_opt);
            assert_true(program_validate(one, &why));
            program_unref(&one);
        }
    }
}

static void unbounded_rules_do_not(void **state)
{
    (void)state;
    static const char *const rules[] = {
        "rule r { match { a: s b: s } }",
        "rule r { match { a+: s } }",
        "rule r { match { a?: s b: s } }",
        "rule r { match { all { a: s b: s } } }",
        "rule r { match { all 1 { a: s b: s } c: s within 5s } }",
        "rule r { match { all 1 { a{2}: s } c: s within 5s } }",
        "rule r { match { a: s not b: s } }",
        "rule r { match { not b: s a: s } }",
        "rule r { match { a: s b: s within 5s not c: s } }",
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        struct program_source_text text = {.name = "t", .text = rules[i], .len = strlen(rules[i])};
        struct program_options opt = {0};
        struct diag *diag = diag_new();
        struct buf said;
        buf_init(&said);
        assert_null(program_compile(&text, 1, &opt, diag));
        diag_print(diag, &said);
        if (strstr(said.data, "internal") != NULL || strstr(said.data, "add `within`") == NULL)
            fail_msg("%s", said.data);
        buf_fini(&said);
        diag_free(&diag);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_built_is_as_it_is_drawn, open_it, close_it),
        cmocka_unit_test_setup_teardown(a_broken_element_is_found, open_it, close_it),
        cmocka_unit_test_setup_teardown(a_broken_step_is_found, open_it, close_it),
        cmocka_unit_test_setup_teardown(a_broken_link_is_found, open_it, close_it),
        cmocka_unit_test_setup_teardown(state_without_bound_is_found, open_it, close_it),
        cmocka_unit_test(bounded_rules_compile),
        cmocka_unit_test(unbounded_rules_do_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
