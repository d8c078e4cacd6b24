// SPDX-License-Identifier: Apache-2.0
/* swap, shape, modules: what becomes of each rule's state when other rules are to run. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include <unit/engine_fixture.h>

#include "base/buf.h"
#include "flow/swap.h"
#include "plan/program.h"
#include "state/modules.h"

static void plan(struct modules *mods, const char *text, struct swap *swap)
{
    struct program *prog = fixture_compile(text, false);
    struct program_source_text source = {.name = "a.rule", .text = text, .len = strlen(text)};

    swap_plan(NULL, mods, prog, &source, 1, 100, 200, swap);
    program_unref(&prog);
}

/* What becomes of rule `r` when the text changes. */
static enum swap_fate fate(const char *before, const char *after)
{
    struct modules mods;
    struct swap swap;
    enum swap_fate found = SWAP_REMOVED;

    modules_init(&mods);
    plan(&mods, before, &swap);
    swap_fini(&swap);
    plan(&mods, after, &swap);
    for (size_t i = 0; i < swap.n; i++)
        if (strcmp(swap.rule[i].name, "r") == 0)
            found = swap.rule[i].fate;
    swap_fini(&swap);
    modules_fini(&mods);
    return found;
}

#define MATCH "rule r { match by user within 9s { a: s where x == 1 b: t } }\n"

static void conditions_and_times_are_no_shape(void **state)
{
    (void)state;
    assert_int_equal(fate(MATCH, MATCH), SWAP_UNCHANGED);
    assert_int_equal(fate(MATCH, "rule r { match by user within 9s { a: s where x == 1  b: t } } // !\n"),
                     SWAP_UNCHANGED);
    assert_int_equal(fate(MATCH, "rule r { match by user within 10s { a: s where x == 1 b: t } }\n"),
                     SWAP_KEPT);
    assert_int_equal(fate(MATCH, "rule r { title \"x\" match by user within 9s { a{2,}: s b: t } }\n"),
                     SWAP_KEPT);
    assert_int_equal(fate(MATCH, "list l = [1]\n" MATCH), SWAP_KEPT);
}

static void keys_elements_and_streams_are(void **state)
{
    (void)state;
    assert_int_equal(fate(MATCH, "rule r { match by host within 9s { a: s where x == 1 b: t } }\n"),
                     SWAP_DRAINED);
    assert_int_equal(fate(MATCH, "rule r { match by user within 9s { a: s where x == 1 c: t } }\n"),
                     SWAP_DRAINED);
    assert_int_equal(fate(MATCH, "rule r { match by user within 9s { a: s where x == 1 b: u } }\n"),
                     SWAP_DRAINED);
    assert_int_equal(fate(MATCH, "rule r { match by user within 9s { a: s not b: t  c: t } }\n"),
                     SWAP_DRAINED);
    assert_int_equal(fate(MATCH, "rule r { match by user within 9s { a: s b: t } on_reload fresh }\n"),
                     SWAP_KEPT);
    assert_int_equal(
        fate(MATCH, "rule r { match by host within 9s { a: s b: t } on_reload fresh }\n"),
        SWAP_FRESH);
    assert_int_equal(
        fate(MATCH, "rule r { match by host within 9s { a: s b: t } on_reload refuse }\n"),
        SWAP_REFUSED);
}

#define WINDOW "rule r { window tumbling 1m by user { a: s having count() > 3 } emit { n = sum(x) } }\n"

static void windows_by_kind_size_and_aggregates(void **state)
{
    (void)state;
    assert_int_equal(fate(WINDOW, "rule r { window tumbling 1m by user { a: s where exists(y) having "
                                  "count() > 4 } emit { n = sum(x) } }\n"),
                     SWAP_KEPT);
    assert_int_equal(fate(WINDOW, "rule r { window tumbling 2m by user { a: s having count() > 3 } "
                                  "emit { n = sum(x) } }\n"),
                     SWAP_DRAINED);
    assert_int_equal(fate(WINDOW, "rule r { window tumbling 1m by user { a: s having count() > 3 } "
                                  "emit { n = max(x) } }\n"),
                     SWAP_DRAINED);
    assert_int_equal(fate("rule r { window sliding 1m by user { a: s having count() > 3 } }\n",
                          "rule r { window sliding 2m by user { a: s having count() > 3 } }\n"),
                     SWAP_REFUSED);
    assert_int_equal(fate("rule r { novel x by user within 1d { a: s } }\n",
                          "rule r { novel y by user within 1d { a: s } }\n"),
                     SWAP_REFUSED);
    assert_int_equal(fate("rule r { novel x by user within 1d { a: s } }\n",
                          "rule r { novel x by user within 2d { a: s } }\n"),
                     SWAP_KEPT);
}

static void numbers_follow_the_state(void **state)
{
    struct modules mods;
    struct swap swap;
    bool is_table;

    (void)state;
    modules_init(&mods);
    plan(&mods, MATCH "rule q { match by user within 9s { a: s } }\n", &swap);
    assert_true(swap.changes);
    assert_int_equal(mods.n, 1);
    uint32_t q = generation_rule(&mods.generation[0], "q")->incarnation;
    uint32_t r = generation_rule(&mods.generation[0], "r")->incarnation;
    assert_int_not_equal(q, r);
    swap_fini(&swap);
    /* q goes, r is drained */
    plan(&mods, "rule r { match by host within 9s { a: s b: t } }\n", &swap);
    assert_int_equal(mods.n, 2);
    assert_int_equal(swap.n_purge, 1);
    assert_int_equal(swap.purge[0], q);
    assert_int_equal(mods.generation[1].n_rules, 1);
    assert_int_equal(mods.generation[1].rule[0].incarnation, r);
    assert_int_equal(mods.generation[1].frontier, 100);
    assert_int_equal(mods.generation[0].frontier, INT64_MAX);
    assert_true(generation_rule(&mods.generation[0], "r")->incarnation > r);
    assert_string_equal(modules_name(&mods, r, &is_table), "r");
    assert_null(modules_name(&mods, q, &is_table));
    swap_fini(&swap);
    modules_fini(&mods);
}

/* What has no end, and what reads the matches of other rules, begins anew. */
static void what_cannot_be_drained_begins_anew(void **state)
{
    (void)state;
    assert_int_equal(fate("rule r { window sliding 1m by user { a: s having count() > 3 } }\n",
                          "rule r { window sliding 2m by user { a: s having count() > 3 } on_reload "
                          "drain }\n"),
                     SWAP_FRESH);
    assert_int_equal(fate("rule r { window global expire 1d by user { a: s having count() > 3 } }\n",
                          "rule r { window global expire 1d by host { a: s having count() > 3 } on_reload "
                          "drain }\n"),
                     SWAP_FRESH);
    assert_int_equal(fate("rule r { novel x by user within 1d { a: s } }\n",
                          "rule r { novel y by user within 1d { a: s } on_reload drain }\n"),
                     SWAP_FRESH);
    /* the old version decides */
    assert_int_equal(fate("rule r { novel x by user within 1d { a: s } }\n", MATCH), SWAP_FRESH);
    assert_int_equal(fate(MATCH, "rule r { novel x by user within 1d { a: s } on_reload drain }\n"),
                     SWAP_DRAINED);
    assert_int_equal(fate(MATCH, "rule r { novel x by user within 1d { a: s } }\n"), SWAP_REFUSED);
#define MADE "rule m { match by user { a: s } emit { user = user } }\n"
    assert_int_equal(fate(MADE "rule r { match by user within 9s { a: m b: s } }\n",
                          MADE "rule r { match by user within 9s { a: m c: s } }\n"),
                     SWAP_FRESH);
    assert_int_equal(fate(MADE "stream both = m, s\nrule r { match by user within 9s { a: both b: s } }\n",
                          MADE "rule r { match by user within 9s { a: s b: s } }\n"),
                     SWAP_FRESH);
    assert_int_equal(fate(MADE "table t = from m key user keep 1d\n"
                               "rule r { match by user within 9s { a: s where user in t } }\n",
                          MADE "rule r { match by user within 9s { b: s } }\n"),
                     SWAP_FRESH);
}

static void a_disabled_rule_is_gone(void **state)
{
    (void)state;
    static const char off[] = "rule r { disabled match by user within 9s { a: s where x == 1 b: t } }\n";
    assert_int_equal(fate(MATCH, off), SWAP_REMOVED);
    assert_int_equal(fate(off, MATCH), SWAP_ADDED);
    assert_int_equal(fate(MATCH, "rule q { match by user within 9s { a: s where x == 1 b: t } }\n"),
                     SWAP_REMOVED);
}

#define BY(key) "rule r { match by " key " within 9s { a: s  b: t } }\nrule q { match by " key      \
                " within 9s { a: s  b: t } }\n"

/* r is drained twice: both versions go on, until it is gone or begins anew. */
static void versions_drain_beside_each_other(void **state)
{
    static const char *const last[] = {
        "rule q { match by kd within 9s { a: s  b: t } }\n",
        "rule r { match by kd within 9s { a: s  b: t } on_reload fresh }\nrule q { match by kd within 9s { a: s  b: t } }\n"};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct modules mods;
        struct swap swap;
        modules_init(&mods);
        plan(&mods, BY("ka"), &swap);
        uint32_t first = generation_rule(&mods.generation[0], "r")->incarnation;
        swap_fini(&swap);
        plan(&mods, BY("kb"), &swap);
        uint32_t second = generation_rule(&mods.generation[0], "r")->incarnation;
        assert_int_equal(mods.n, 2);
        swap_fini(&swap);
        plan(&mods, BY("kc"), &swap);
        uint32_t third = generation_rule(&mods.generation[0], "r")->incarnation;
        assert_int_equal(mods.n, 3);
        assert_int_equal(generation_rule(&mods.generation[1], "r")->incarnation, second);
        assert_int_equal(generation_rule(&mods.generation[2], "r")->incarnation, first);
        swap_fini(&swap);
        plan(&mods, last[i], &swap);
        assert_int_equal(mods.n, 4);
        for (size_t g = 1; g < mods.n; g++) {
            assert_null(generation_rule(&mods.generation[g], "r"));
            assert_non_null(generation_rule(&mods.generation[g], "q"));
        }
        uint32_t purged = 0;
        for (size_t k = 0; k < swap.n_purge; k++)
            purged += swap.purge[k] == first || swap.purge[k] == second || swap.purge[k] == third;
        assert_int_equal(purged, 3);
        swap_fini(&swap);
        plan(&mods, "rule x { match { a: s } }\n", &swap); /* nothing is left to drain */
        assert_int_equal(mods.n, 1);
        swap_fini(&swap);
        modules_fini(&mods);
    }
}

static void what_is_refused_changes_nothing(void **state)
{
    struct modules mods;
    struct swap swap;
    struct buf before, after;

    (void)state;
    buf_init(&before);
    buf_init(&after);
    modules_init(&mods);
    plan(&mods, "rule r { novel x by user within 1d { a: s } }\n"
               "rule q { match by user within 9s { a: s } }\n", &swap);
    swap_fini(&swap);
    modules_encode(&before, &mods);
    plan(&mods, "rule r { novel y by user within 1d { a: s } }\n", &swap);
    assert_true(swap.refused);
    swap_describe(&swap, &after);
    buf_addc(&after, '\0');
    assert_string_equal(after.data, "1 removed (q), 1 refused (r)");
    buf_clear(&after);
    modules_encode(&after, &mods);
    assert_int_equal(before.len, after.len);
    assert_memory_equal(before.data, after.data, before.len);
    swap_fini(&swap);
    modules_fini(&mods);
    buf_fini(&before);
    buf_fini(&after);
}

static void the_record_reads_back_whole_or_not_at_all(void **state)
{
    struct modules mods, again;
    struct swap swap;
    struct buf out, out_again;

    (void)state;
    buf_init(&out);
    buf_init(&out_again);
    modules_init(&mods);
    plan(&mods, "table t = from s key user keep 1d\n" MATCH
               "rule q { match by user within 9s { a: s where user in t } }\n", &swap);
    swap_fini(&swap);
    plan(&mods, "rule r { match by host within 9s { a: s b: t } }\n", &swap);
    swap_fini(&swap);
    modules_encode(&out, &mods);
    assert_true(modules_decode(out.data, out.len, &again));
    modules_encode(&out_again, &again);
    assert_int_equal(out.len, out_again.len);
    assert_memory_equal(out.data, out_again.data, out.len);
    modules_fini(&again);
    for (size_t len = 0; len < out.len; len++) {
        assert_false(modules_decode(out.data, len, &again));
        assert_int_equal(again.n, 0);
    }
    modules_fini(&mods);
    buf_fini(&out);
    buf_fini(&out_again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conditions_and_times_are_no_shape),
        cmocka_unit_test(keys_elements_and_streams_are),
        cmocka_unit_test(windows_by_kind_size_and_aggregates),
        cmocka_unit_test(numbers_follow_the_state),
        cmocka_unit_test(what_cannot_be_drained_begins_anew),
        cmocka_unit_test(a_disabled_rule_is_gone),
        cmocka_unit_test(versions_drain_beside_each_other),
        cmocka_unit_test(what_is_refused_changes_nothing),
        cmocka_unit_test(the_record_reads_back_whole_or_not_at_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
