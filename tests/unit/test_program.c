// SPDX-License-Identifier: Apache-2.0
/* program: names and numbers, and what program_validate finds when they are wrong. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <unit/engine_fixture.h>

#include "base/mem.h"
#include "plan/code.h"

static const char *const text =
    "stream auth = winlog, ssh where user in admins\n"
    "list admins = [\"root\"]\n"
    "rule b { match by user within 9s { a: auth b: ssh where pid == a.pid next c: any where x > 1 } emit { n = pid + 1 } }\n"
    "rule a { match { a: winlog where exists(y) } }\n";

static struct program *prog;

static int open_it(void **state)
{
    (void)state;
    prog = fixture_compile(text, false);
    return 0;
}

static int close_it(void **state)
{
    (void)state;
    program_unref(&prog);
    assert_null(prog);
    return 0;
}

static void rules_and_streams_are_found_by_name(void **state)
{
    (void)state;
    assert_int_equal(prog->n_rules, 2);
    assert_string_equal(prog->rule[0].name, "a");
    assert_int_equal(program_rule_named(prog, "a"), 0);
    assert_int_equal(program_rule_named(prog, "b"), 1);
    assert_int_equal(program_rule_named(prog, "c"), UINT32_MAX);
    assert_int_equal(program_rule_named(prog, ""), UINT32_MAX);
    assert_string_equal(prog->stream[0].name, "any");
    uint32_t ssh = program_source(prog, "ssh");
    assert_true(ssh < prog->n_streams && prog->stream[ssh].is_source);
    assert_int_equal(program_source(prog, "auth"), PROGRAM_NO_SOURCE); /* declared, no source */
    assert_int_equal(program_source(prog, "any"), PROGRAM_NO_SOURCE);
    assert_int_equal(program_source(prog, "nothing"), PROGRAM_NO_SOURCE);
    assert_string_equal(severity_name(SEVERITY_INFO), "info");
    assert_string_equal(severity_name(SEVERITY_CRITICAL), "critical");
}

/* Rule b names `next`: its steps are probed, and its streams are touched. */
static void probes_are_grouped_by_rule(void **state)
{
    (void)state;
    assert_int_equal(prog->n_probes, 7);
    uint32_t next = 0;
    for (uint32_t r = 0; r < prog->n_rules; r++) {
        assert_int_equal(prog->rule[r].first_probe, next);
        for (uint32_t p = 0; p < prog->rule[r].n_probes; p++, next++) {
            assert_int_equal(prog->probe[next].rule, r);
            assert_int_equal(prog->probe[next].step, p % prog->rule[r].nfa->n_steps);
            assert_int_equal(prog->probe[next].kind,
                             p < prog->rule[r].nfa->n_steps ? PROBE_STEP : PROBE_TOUCH);
        }
    }
    assert_int_equal(next, prog->n_probes);
}

static void a_reference_keeps_it(void **state)
{
    (void)state;
    struct program *mine = program_ref(prog);
    assert_ptr_equal(mine, prog);
    program_unref(&mine);
    assert_null(mine);
    program_unref(&mine);
    assert_string_equal(prog->rule[1].name, "b");
}

/* The hash is of what the rules mean, not of blanks and comments. */
static void the_hash_is_of_the_rules(void **state)
{
    (void)state;
    struct program *same = fixture_compile("rule r { match { a: s where k == 1 } }", false);
    struct program *blanks = fixture_compile("# x\nrule r {\n match { a : s where k==1 } }\n", true);
    struct program *other = fixture_compile("rule r { match { a: s where k == 2 } }", false);
    assert_memory_equal(same->hash, blanks->hash, sizeof same->hash);
    assert_memory_not_equal(same->hash, other->hash, sizeof same->hash);
    program_unref(&same);
    program_unref(&blanks);
    program_unref(&other);
}

static void assert_refused(const struct program *broken, const char *want)
{
    const char *why = NULL;
    if (program_validate(broken, &why))
        fail_msg("not refused: %s", want);
    if (want != NULL)
        assert_string_equal(why, want);
    else
        assert_non_null(why);
}

static void broken_programs_are_found(void **state)
{
    (void)state;
    const char *why = NULL;
    assert_true(program_validate(prog, &why));
    struct program broken = *prog;
    struct program_rule rule[2] = {prog->rule[1], prog->rule[0]};
    broken.rule = rule;
    rule[0].number = 0;
    rule[1].number = 1;
    assert_refused(&broken, "rules are not sorted by name");
    rule[0] = prog->rule[0];
    rule[1] = prog->rule[0];
    rule[1].number = 1;
    assert_refused(&broken, "rules are not sorted by name"); /* twice the same */
    rule[1] = prog->rule[1];
    assert_true(program_validate(&broken, &why));
    rule[1].number = 0;
    assert_refused(&broken, "a rule's probes are not its own");
    rule[1] = prog->rule[1];
    rule[1].n_probes++;
    assert_refused(&broken, "a rule's probes are not its own");
    rule[1] = prog->rule[1];
    struct nfa nfa = *rule[1].nfa;
    nfa.within = -1;
    rule[1].nfa = &nfa;
    assert_refused(&broken, "the state has no bound");
}

/* Each place that holds code is looked at. */
static void broken_code_is_found_wherever_it_stands(void **state)
{
    (void)state;
    struct program broken = *prog;
    struct program_rule rule[2] = {prog->rule[0], prog->rule[1]};
    const char *why = NULL;
    broken.rule = rule;
    struct code code = *rule[1].emit[0].code;
    struct insn *insn = mem_calloc(code.n, sizeof *insn);
    memcpy(insn, code.insn, code.n * sizeof *insn);
    code.insn = insn;
    struct program_emit emit = rule[1].emit[0];
    emit.code = &code;
    rule[1].emit = &emit;
    assert_true(program_validate(&broken, &why));
    insn[code.n - 1].op = OP_COUNT;
    assert_refused(&broken, NULL);
    rule[1] = prog->rule[1];

    struct nfa nfa = *rule[1].nfa;
    struct nfa_step step[3];
    memcpy(step, nfa.step, sizeof step);
    nfa.step = step;
    rule[1].nfa = &nfa;
    assert_true(program_validate(&broken, &why));
    step[1].cross = &code;
    assert_refused(&broken, NULL);
    rule[1] = prog->rule[1];

    struct program_probe probe[7];
    assert_int_equal(prog->n_probes, 7);
    memcpy(probe, prog->probe, sizeof probe);
    broken.probe = probe;
    assert_true(program_validate(&broken, &why));
    probe[3].unary = &code;
    assert_refused(&broken, NULL);
    mem_free(insn);
}

/* Any one instruction garbled: the validator says no, or the code is one that ends within bounds. */
static void garbled_code_is_refused_or_sound(void **state)
{
    (void)state;
    uint64_t seed = 9;
    uint32_t refused = 0;
    const struct code *from[] = {prog->rule[1].emit[0].code, prog->rule[1].nfa->step[1].cross,
                                 prog->probe[0].unary, prog->rule[1].nfa->step[1].cross};
    for (int round = 0; round < 20000; round++) {
        struct code code = *from[round % 4];
        struct insn insn[64];
        const char *why = NULL;
        assert_true(code.n <= 64);
        memcpy(insn, code.insn, code.n * sizeof *insn);
        code.insn = insn;
        struct insn *in = &insn[fixture_below(&seed, code.n)];
        switch (fixture_below(&seed, 4)) {
        case 0: in->op = (uint8_t)fixture_below(&seed, OP_COUNT + 2); break;
        case 1: in->a = (uint8_t)fixture_random(&seed); break;
        case 2: in->b = (uint16_t)(fixture_random(&seed) >> fixture_below(&seed, 64)); break;
        default: in->c = (uint32_t)(fixture_random(&seed) >> fixture_below(&seed, 64)); break;
        }
        if (fixture_below(&seed, 10) == 0)
            code.max_stack = 0;
        bool sound = code_validate(prog, &code, &why);
        assert_int_equal(sound, why == NULL);
        refused += !sound;
    }
    assert_true(refused > 4000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(rules_and_streams_are_found_by_name, open_it, close_it),
        cmocka_unit_test_setup_teardown(probes_are_grouped_by_rule, open_it, close_it),
        cmocka_unit_test_setup_teardown(a_reference_keeps_it, open_it, close_it),
        cmocka_unit_test_setup_teardown(broken_programs_are_found, open_it, close_it),
        cmocka_unit_test_setup_teardown(broken_code_is_found_wherever_it_stands, open_it, close_it),
        cmocka_unit_test_setup_teardown(garbled_code_is_refused_or_sound, open_it, close_it),
        cmocka_unit_test(the_hash_is_of_the_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
