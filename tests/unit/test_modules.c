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
        struct module_text *text = generation_add_text(gen, "empty.rule", "", 0);
        text->origin = (enum module_origin)g;
        text->version = (uint64_t)g * 300;
        for (int i = 0; i < g; i++) {
            struct module_state *rule = generation_add_rule(gen, i ? "second" : "first");
            rule->incarnation = mods->next_incarnation++;
            memset(rule->shape, 0x20 + i, sizeof rule->shape);
            memset(rule->text_hash, 0x30 + i, sizeof rule->text_hash);
        }
        generation_add_table(gen, "seen")->incarnation = mods->next_incarnation++;
        for (int i = 0; i < g; i++)
            generation_set_upload(gen, i ? "hosts" : "owners", (uint64_t)(g * 1000 + i));
    }
    modules_switch_set(mods, "first", false);
    modules_switch_set(mods, "second", true);
    modules_switch_set(mods, "third", false);
    modules_switch_set(mods, "first", true);
    modules_switch_remove(mods, "third");
    modules_switch_remove(mods, "none");
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
    assert_int_equal(generation_text(&again.generation[0], "empty.rule")->origin, MODULE_TOPIC);
    assert_int_equal(generation_text(&again.generation[1], "empty.rule")->origin, MODULE_API);
    assert_int_equal(generation_text(&again.generation[2], "empty.rule")->origin, MODULE_FILE);
    assert_int_equal(generation_text(&again.generation[0], "empty.rule")->version, 600);
    assert_int_equal(generation_text(&again.generation[0], "a/b.rule")->origin, MODULE_FILE);
    assert_null(generation_text(&again.generation[0], "none"));
    assert_int_equal(again.generation[0].n_uploads, 2);
    assert_int_equal(generation_upload(&again.generation[0], "owners")->version, 2000);
    assert_int_equal(generation_upload(&again.generation[1], "owners")->version, 1000);
    assert_null(generation_upload(&again.generation[2], "owners"));
    generation_set_upload(&again.generation[0], "owners", 0);
    generation_set_upload(&again.generation[0], "none", 0);
    generation_set_upload(&again.generation[0], "hosts", 7);
    generation_copy_uploads(&again.generation[1], &again.generation[0]);
    assert_int_equal(again.generation[1].n_uploads, 1);
    assert_int_equal(generation_upload(&again.generation[1], "hosts")->version, 7);
    assert_int_equal(again.n_switches, 2);
    assert_true(modules_switch(&again, "first")->on && modules_switch(&again, "second")->on);
    assert_null(modules_switch(&again, "third"));
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

/* A record of the version before: no origins, no switches. */
static void reads_the_version_before(void **state)
{
    (void)state;
    struct modules mods;
    struct buf old;

    buf_init(&old);
    buf_add_varint(&old, 2);
    buf_add_varint(&old, 5); /* next incarnation, generation */
    buf_add_varint(&old, 3);
    buf_add_varint(&old, 1);
    buf_add_varint(&old, 2);
    buf_add_u64(&old, 0);
    buf_add_u64(&old, (uint64_t)INT64_MAX);
    for (int i = 0; i < 16; i++)
        buf_add_u8(&old, 7);
    buf_add_varint(&old, 1);
    buf_add_bytes(&old, "a.rule", 6);
    buf_add_bytes(&old, "text", 4);
    buf_add_varint(&old, 0);
    buf_add_varint(&old, 0);
    assert_true(modules_decode(old.data, old.len, &mods));
    assert_string_equal(mods.generation[0].text[0].text, "text");
    assert_int_equal(mods.generation[0].text[0].origin, MODULE_FILE);
    assert_int_equal(mods.n_switches, 0);
    modules_fini(&mods);
    buf_fini(&old);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comes_back),
        cmocka_unit_test(refuses_other_bytes),
        cmocka_unit_test(reads_the_version_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
