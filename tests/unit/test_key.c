// SPDX-License-Identifier: Apache-2.0
/* key: classes of steps, keys that are lists, optional and missing ones, the cap. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <unit/engine_fixture.h>

#include "base/arena.h"
#include "engine/engine_priv.h"
#include "engine/key.h"

static struct fixture fx;
static bool no_key;

/* The offers of an event for the wanted steps, as "key:steps key:steps". */
static const char *offers(const char *json, uint64_t wanted)
{
    static struct buf text;
    struct rule_state *rs = &fx.en->rule[0];
    struct event ev = fixture_event(&fx, 0, "s", json);
    struct key_offer *offer;
    fx.en->vm.ev = &ev;
    fx.en->vm.counters = &rs->counters;
    uint32_t n = key_offers(&rs->keys, &fx.en->vm, wanted, &offer, &no_key);
    buf_clear(&text);
    buf_adds(&text, "");
    for (uint32_t i = 0; i < n; i++) {
        if (i > 0)
            buf_addc(&text, ' ');
        for (uint32_t k = 0; k < rs->keys.n_keys; k++) {
            if (k > 0)
                buf_addc(&text, '/');
            value_add_json(&text, offer[i].key[k]);
        }
        buf_printf(&text, ":%llx", (unsigned long long)offer[i].steps);
        assert_int_equal(offer[i].hash, key_hash(offer[i].key, rs->keys.n_keys));
    }
    arena_reset(fx.en->scratch);
    static char out[4096];
    snprintf(out, sizeof out, "%s", text.data != NULL ? text.data : "");
    buf_fini(&text);
    return out;
}

static int close_it(void **state)
{
    (void)state;
    fixture_close(&fx);
    return 0;
}

static void without_keys_there_is_one_offer(void **state)
{
    (void)state;
    fixture_open(&fx, "rule r { match within 9s { a: s b: s c: s } }");
    assert_int_equal(fx.en->rule[0].keys.n_classes, 1);
    assert_string_equal(offers("{}", 7), ":7");
    assert_string_equal(offers("{}", 5), ":5");
    assert_string_equal(offers("{}", 0), "");
    assert_false(no_key);
}

static void steps_with_equal_keys_are_one_class(void **state)
{
    (void)state;
    fixture_open(&fx, "rule r { match by u within 9s { a: s b: s by v c: s by x = lower(w) d: s by y = lower(w) e: s by u } }");
    const struct key_plan *plan = &fx.en->rule[0].keys;
    assert_int_equal(plan->n_classes, 3);
    assert_int_equal(plan->classes[0].steps, 0x11);
    assert_int_equal(plan->classes[1].steps, 0x2);
    assert_int_equal(plan->classes[2].steps, 0xc);
    assert_string_equal(offers("{\"u\":\"x\",\"v\":\"y\",\"w\":\"Z\"}", 0x1f),
                        "\"x\":11 \"y\":2 \"z\":c");
    /* keys that several classes give alike are one offer */
    assert_string_equal(offers("{\"u\":\"x\",\"v\":\"y\",\"w\":\"X\"}", 0x1f), "\"x\":1d \"y\":2");
    assert_string_equal(offers("{\"u\":1,\"v\":1.0}", 0x3), "1:3");
    assert_false(no_key);
    /* only classes with a wanted step are asked */
    assert_string_equal(offers("{\"v\":\"y\"}", 0x2), "\"y\":2");
    assert_false(no_key);
    assert_string_equal(offers("{\"v\":\"y\"}", 0x3), "\"y\":2");
    assert_true(no_key);
}

static void a_missing_key_is_told(void **state)
{
    (void)state;
    fixture_open(&fx, "rule r { match by u, v { a: s } }");
    assert_string_equal(offers("{\"u\":1,\"v\":2}", 1), "1/2:1");
    assert_false(no_key);
    static const char *const without[] = {"{}", "{\"u\":1}", "{\"v\":1}", "{\"u\":1,\"v\":null}",
                                          "{\"u\":[],\"v\":1}", "{\"u\":1,\"v\":[null]}",
                                          "{\"u\":[null,null],\"v\":1}"};
    for (size_t i = 0; i < sizeof without / sizeof *without; i++) {
        assert_string_equal(offers(without[i], 1), "");
        if (!no_key)
            fail_msg("a key is missing in %s", without[i]);
    }
}

static void an_optional_key_may_be_missing(void **state)
{
    (void)state;
    fixture_open(&fx, "rule r { match by ?u, v { a: s } }");
    static const char *const without[] = {"{\"v\":2}", "{\"u\":null,\"v\":2}", "{\"u\":[],\"v\":2}",
                                          "{\"u\":[null],\"v\":2}"};
    for (size_t i = 0; i < sizeof without / sizeof *without; i++) {
        assert_string_equal(offers(without[i], 1), "null/2:1");
        assert_false(no_key);
    }
    assert_string_equal(offers("{\"u\":1}", 1), "");
    assert_true(no_key);
}

static void a_list_offers_each_element_once(void **state)
{
    (void)state;
    fixture_open(&fx, "rule r { match by u, v within 9s { a: s b: s by w, v } }");
    assert_string_equal(offers("{\"u\":[1,2,null,1.0,\"1\"],\"v\":\"k\"}", 1),
                        "1/\"k\":1 2/\"k\":1 \"1\"/\"k\":1");
    assert_false(no_key);
    assert_string_equal(offers("{\"u\":[1,2],\"v\":[3,4]}", 1), "1/3:1 1/4:1 2/3:1 2/4:1");
    assert_string_equal(offers("{\"u\":[1,2],\"w\":[2,3],\"v\":0}", 3), "1/0:1 2/0:3 3/0:2");
    assert_string_equal(offers("{\"u\":{\"x\":1},\"v\":true}", 1), "{\"x\":1}/true:1");
}

static uint32_t count_offers(const char *json, uint64_t wanted, uint64_t *steps_out)
{
    struct rule_state *rs = &fx.en->rule[0];
    struct event ev = fixture_event(&fx, 0, "s", json);
    struct key_offer *offer;
    fx.en->vm.ev = &ev;
    fx.en->vm.counters = &rs->counters;
    uint32_t n = key_offers(&rs->keys, &fx.en->vm, wanted, &offer, &no_key);
    *steps_out = n > 0 ? offer[0].steps : 0;
    arena_reset(fx.en->scratch);
    return n;
}

/* Combinations of lists are bounded. */
static void combinations_have_a_cap(void **state)
{
    (void)state;
    struct buf json;
    uint64_t steps;
    fixture_open(&fx, "rule r { match by u, v within 9s { a: s b: s by v, u } }");
    buf_init(&json);
    buf_adds(&json, "{\"u\":[0");
    for (int i = 1; i < 100; i++)
        buf_printf(&json, ",%d", i);
    buf_adds(&json, "],\"v\":[0");
    for (int i = 1; i < 100; i++)
        buf_printf(&json, ",%d", i);
    buf_adds(&json, "]}");
    assert_int_equal(count_offers(json.data, 1, &steps), KEY_MAX_OFFERS);
    assert_int_equal(count_offers(json.data, 3, &steps), KEY_MAX_OFFERS);
    buf_fini(&json);
}

static void keys_are_compared_by_value(void **state)
{
    (void)state;
    struct value a[2] = {value_int(1), value_text("x", 1)}, b[2] = {value_double(1.0), value_text("x", 1)};
    assert_true(key_same(a, b, 2));
    assert_int_equal(key_hash(a, 2), key_hash(b, 2));
    b[1] = value_missing();
    assert_false(key_same(a, b, 2));
    assert_true(key_same(a, b, 1));
    assert_true(key_same(a, b, 0));
    struct value swapped[2] = {a[1], a[0]};
    assert_true(key_hash(a, 2) != key_hash(swapped, 2));
    fixture_open(&fx, "rule r { match { a: s } }");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(without_keys_there_is_one_offer, close_it),
        cmocka_unit_test_teardown(steps_with_equal_keys_are_one_class, close_it),
        cmocka_unit_test_teardown(a_missing_key_is_told, close_it),
        cmocka_unit_test_teardown(an_optional_key_may_be_missing, close_it),
        cmocka_unit_test_teardown(a_list_offers_each_element_once, close_it),
        cmocka_unit_test_teardown(combinations_have_a_cap, close_it),
        cmocka_unit_test_teardown(keys_are_compared_by_value, close_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
