// SPDX-License-Identifier: Apache-2.0
/* link_table: look-ups by linked values against a scan of the list; odd values; agreement of runs. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <unit/engine_fixture.h>

#include "base/arena.h"
#include "base/mem.h"
#include "engine/engine_priv.h"
#include "engine/link_table.h"
#include "engine/run.h"
#include "plan/nfa.h"
#include "plan/operate.h"

/* Links 0 (v) and 1 (w) of step b with step a, 2 (x) of step c with step b. */
static const char *const rule_text =
    "rule r { match within 60s { a: s where k == 1  b: s where k == 2 and v == a.v and w == a.w\n"
    "  c: s where k == 3 and x == b.x } }";

static const char *const values[] = {
    "1", "1.0", "2", "\"1\"", "true", "null", "[1]", "[1,2]", "[]", "[[1]]", "[[2,[\"1\"]],3]",
    "\"a\"", "1.5", "-0.0", "0", "9007199254740993", "9007199254740992.0", "{\"a\":1}", "[null,1]",
};
enum { N_VALUES = sizeof values / sizeof *values };

static const char *random_value(uint64_t *seed)
{
    return values[fixture_below(seed, N_VALUES)];
}

static void random_event(uint64_t *seed, char json[160], int k)
{
    snprintf(json, 160, "{\"k\":%d,\"v\":%s,\"w\":%s,\"x\":%s}", k, random_value(seed),
             random_value(seed), random_value(seed));
}

/* A run of its own, with an event bound to step a, half of them to step b too. */
static struct run *random_run(struct fixture *fx, struct partition *part, uint64_t *seed)
{
    char json[160];
    struct run *run = run_new(fx->en, part);
    int n = 1 + (int)fixture_below(seed, 2);
    for (int i = 0; i < n; i++) {
        random_event(seed, json, i + 1);
        struct event scratch = fixture_event(fx, 0, "s", json), *ev = event_keep(&scratch);
        run_bind(fx->en, run, (uint16_t)i, ev, 1, ++fx->en->seq, 0);
        event_unref(ev);
    }
    run->start_seq = run->last_seq;
    return run;
}

static bool equal(struct value a, struct value b)
{
    struct vm_counters counters = {0};
    struct operate op = {.counters = &counters};
    return operate_compare(&op, RELATION_EQ, false, a, b);
}

static bool is_odd(struct value v)
{
    return v.type == VALUE_LIST || v.type == VALUE_MISSING;
}

static bool found_has(const struct run_found *found, const struct run *run)
{
    for (size_t i = 0; i < found->n; i++) {
        if (found->run[i] == run)
            return true;
    }
    return false;
}

/* All runs for which the condition holds are found, and all odd ones; others are not. */
static void assert_finds(const struct run_list *list, const struct nfa *nfa, uint16_t link,
                         struct value v)
{
    struct run_found found = {0};
    link_table_find(list, link, v, &found);
    for (const struct run *run = list->first; run != NULL; run = run->next) {
        struct value has = link_value(nfa, run, link);
        bool must = equal(v, has) || is_odd(has);
        if (!must && has.type == VALUE_OBJECT)
            continue; /* never equal, may be found */
        if (found_has(&found, run) != must) {
            struct buf text;
            buf_init(&text);
            value_add_json(&text, v);
            buf_adds(&text, " and ");
            value_add_json(&text, has);
            fail_msg("link %u: %s: %s", link, must ? "not found" : "found", text.data);
        }
    }
    for (size_t i = 0; i < found.n; i++)
        assert_ptr_equal(found.run[i]->list, list);
    mem_free(found.run);
}

static void look_ups_are_as_a_scan(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < 20; round++) {
        uint64_t seed = round;
        struct fixture fx;
        struct run *run[150];
        size_t n = 0, max = round < 10 ? 150 : 20;
        char json[160];
        fixture_open(&fx, rule_text);
        struct rule_state *rs = &fx.en->rule[0];
        const struct nfa *nfa = rs->rule->nfa;
        assert_int_equal(nfa->n_links, 3);
        struct partition *part = partition_new(rs, 1, NULL);
        struct run_list *list = &part->at[0];
        for (int step = 0; step < 400; step++) {
            if (n < max && fixture_below(&seed, 3) > 0) {
                run[n] = random_run(&fx, part, &seed);
                run_stand(run[n++], list);
            } else if (n > 0) {
                size_t i = fixture_below(&seed, (uint32_t)n);
                run_end(fx.en, run[i]);
                run[i] = run[--n];
            }
            assert_true(list->links != NULL || n < LINK_TABLE_FROM);
            assert_true(list->links == NULL || n > 0);
            if (list->links == NULL)
                continue;
            random_event(&seed, json, 2);
            struct event ev = fixture_event(&fx, 0, "s", json);
            for (uint16_t l = 0; l < nfa->n_links; l++)
                assert_finds(list, nfa, l, ev.slot[nfa->link[l].slot]);
        }
        while (n > 0)
            run_end(fx.en, run[--n]);
        assert_null(list->links);
        partition_release(part);
        fixture_assert_no_state(&fx);
        fixture_close(&fx);
    }
}

/* link_agree is symmetric, and by values that both have. */
static void runs_agree_by_what_both_have(void **state)
{
    (void)state;
    uint64_t seed = 1;
    struct fixture fx;
    fixture_open(&fx, rule_text);
    struct rule_state *rs = &fx.en->rule[0];
    const struct nfa *nfa = rs->rule->nfa;
    struct partition *part = partition_new(rs, 1, NULL);
    uint32_t agree = 0;
    for (int round = 0; round < 3000; round++) {
        struct run *a = random_run(&fx, part, &seed), *b = random_run(&fx, part, &seed);
        bool want = true;
        for (uint16_t l = 0; l < nfa->n_links; l++) {
            struct value x = link_value(nfa, a, l), y = link_value(nfa, b, l);
            bool object = x.type == VALUE_OBJECT && y.type == VALUE_OBJECT;
            want &= value_is_missing(x) || value_is_missing(y) || equal(x, y) || object;
        }
        assert_int_equal(link_agree(nfa, a, b), want);
        assert_int_equal(link_agree(nfa, b, a), want);
        agree += want;
        run_free(fx.en, a);
        run_free(fx.en, b);
    }
    assert_true(agree > 30);
    partition_release(part);
    fixture_assert_no_state(&fx);
    fixture_close(&fx);
}

static uint32_t count_matches(const char *text, uint64_t seed, int events)
{
    struct fixture fx;
    char json[160];
    fixture_open(&fx, text);
    for (int i = 0; i < events; i++) {
        random_event(&seed, json, 1 + (int)fixture_below(&seed, 3));
        fixture_feed_ns(&fx, i * SECOND / 16, "s", json);
    }
    fixture_end(&fx);
    uint32_t n = (uint32_t)fx.out.n;
    fixture_assert_no_state(&fx);
    fixture_close(&fx);
    return n;
}

/* The same rules, once with equalities that link, once with conditions that mean the same but do not:
 * in `each` a match ends no other run, so the matches are the same. */
static void links_change_no_match_of_each(void **state)
{
    (void)state;
    static const char *const linked =
        "rule r { match within 9s select each { a: s where k == 1  b: s where k == 2 and v == a.v\n"
        "  c: s where k == 3 and x == b.x and w == a.w } limit runs 100000 per key }";
    static const char *const plain =
        "rule r { match within 9s select each { a: s where k == 1  b: s where k == 2 and (v == a.v or false)\n"
        "  c: s where k == 3 and (x == b.x or false) and (w == a.w or false) } limit runs 100000 per key }";
    uint32_t all = 0;
    for (uint64_t seed = 0; seed < 12; seed++) {
        uint32_t n = count_matches(linked, seed, 500);
        assert_int_equal(n, count_matches(plain, seed, 500));
        all += n;
    }
    assert_true(all > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(look_ups_are_as_a_scan),
        cmocka_unit_test(runs_agree_by_what_both_have),
        cmocka_unit_test(links_change_no_match_of_each),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
