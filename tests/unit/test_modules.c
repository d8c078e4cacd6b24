// SPDX-License-Identifier: Apache-2.0
/* modules: what was coded comes back, and bytes that are no such record are refused. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/buf.h"
#include "state/modules.h"

static void fill(struct modules *mods)
{
    modules_init(mods);
    for (int g = 0; g < 3; g++) {
        struct generation *gen = modules_generation_add(mods, 0);
        gen->since = g * 7 - 3;
        gen->frontier = g == 2 ? INT64_MAX : INT64_MIN + g;
        memset(gen->declared_hash, 0x10 + g, sizeof gen->declared_hash);
        generation_add_text(gen, "a/b.rule", "rule a { }\n", 11);
        generation_add_text(gen, "empty.rule", "", 0);
        for (int i = 0; i < g; i++) {
            struct module_state *rule = generation_add_rule(gen, i ? "second" : "first");
            rule->incarnation = mods->next_incarnation++;
            memset(rule->shape, 0x20 + i, sizeof rule->shape);
            memset(rule->text_hash, 0x30 + i, sizeof rule->text_hash);
        }
        generation_add_table(gen, "seen")->incarnation = mods->next_incarnation++;
    }
}

static void comes_back(void **state)
{
    (void)state;
    struct modules mods, again;
    struct buf one, two;
    bool is_table;

    fill(&mods);
    buf_init(&one);
    buf_init(&two);
    modules_encode(&one, &mods);
    assert_true(modules_decode(one.data, one.len, &again));
    modules_encode(&two, &again);
    assert_int_equal(one.len, two.len);
    assert_memory_equal(one.data, two.data, one.len);
    assert_int_equal(again.n, 3);
    assert_int_equal(again.next_incarnation, mods.next_incarnation);
    assert_int_equal(again.next_generation, 4);
    assert_int_equal(again.generation[0].number, 3);
    assert_true(again.generation[0].frontier == INT64_MAX);
    assert_int_equal(again.generation[2].n_rules, 0);
    assert_string_equal(again.generation[0].text[0].text, "rule a { }\n");
    const struct module_state *rule = generation_rule(&again.generation[0], "second");
    assert_non_null(rule);
    assert_int_equal(rule->text_hash[15], 0x31);
    assert_string_equal(modules_name(&again, rule->incarnation, &is_table), "second");
    assert_false(is_table);
    rule = generation_table(&again.generation[1], "seen");
    assert_string_equal(modules_name(&again, rule->incarnation, &is_table), "seen");
    assert_true(is_table);
    assert_null(modules_name(&again, 99, &is_table));
    assert_null(generation_rule(&again.generation[2], "first"));
    modules_fini(&mods);
    modules_fini(&again);
    buf_fini(&one);
    buf_fini(&two);
}

static void refuses_other_bytes(void **state)
{
    (void)state;
    struct modules mods, again;
    struct buf bytes;

    fill(&mods);
    buf_init(&bytes);
    modules_encode(&bytes, &mods);
    for (size_t len = 0; len < bytes.len; len++) {
        assert_false(modules_decode(bytes.data, len, &again));
        assert_int_equal(again.n, 0);
        modules_fini(&again);
    }
    for (size_t at = 0; at < bytes.len; at++) { /* whatever it says, nothing breaks */
        for (int bit = 0; bit < 8; bit++) {
            bytes.data[at] = (char)(bytes.data[at] ^ (1 << bit));
            modules_decode(bytes.data, bytes.len, &again);
            modules_fini(&again);
            bytes.data[at] = (char)(bytes.data[at] ^ (1 << bit));
        }
    }
    buf_addc(&bytes, 'x');
    assert_false(modules_decode(bytes.data, bytes.len, &again));
    modules_fini(&again);
    bytes.data[0]++;
    assert_false(modules_decode(bytes.data, bytes.len - 1, &again));
    modules_fini(&again);
    modules_fini(&mods);
    buf_fini(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comes_back),
        cmocka_unit_test(refuses_other_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
