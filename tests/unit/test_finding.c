// SPDX-License-Identifier: Apache-2.0
/* finding: events bound in order and held until it is freed; the order in which findings are told. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <unit/engine_fixture.h>

#include "engine/finding.h"

static void events_are_held_in_order(void **state)
{
    struct fixture fx;
    (void)state;
    fixture_open(&fx, "rule r { window tumbling 1s { a: s  b: t having count(a) + count(b) > 0 } }");
    struct finding *found = finding_new(2);
    struct event *kept[3];
    for (int i = 0; i < 3; i++) {
        struct event ev = fixture_event(&fx, i, "s", "{\"v\":\"a text that is kept\"}");
        kept[i] = event_keep(&ev);
        finding_bind(found, 1, kept[i], (uint16_t)i);
        event_unref(kept[i]); /* the finding's reference is its own */
    }
    assert_null(found->bound[0].last);
    assert_int_equal(found->bound[1].count, 3);
    const struct bind *bind = found->bound[1].last;
    for (int i = 2; i >= 0; i--, bind = bind->prev) {
        assert_ptr_equal(bind->ev, kept[i]);
        assert_int_equal(bind->stream, i);
    }
    assert_null(bind);
    finding_free(&found);
    assert_null(found);
    finding_free(&found);
    fixture_close(&fx);
}

/* Of one rule and instant: by key, then as they came to be. */
static void findings_of_one_instant_are_told_in_order(void **state)
{
    struct fixture fx;
    (void)state;
    fixture_open(&fx, "rule b { window tumbling 10s by k { a: s } emit { n = count() } }\n"
                      "rule a { window hopping 20s every 10s by k { a: s } emit { n = count() } }");
    for (int k = 5; k > 0; k--) {
        char json[30];
        snprintf(json, sizeof json, "{\"k\":\"%d\"}", k);
        fixture_feed(&fx, 1, "s", json);
    }
    fixture_end(&fx);
    assert_int_equal(fx.out.n, 15);
    alert_list_sort(&fx.out, 0, fx.prog);
    for (int i = 0; i < 10; i++) {
        char want[60];
        snprintf(want, sizeof want, "\"rule\":\"%s\"", i < 5 ? "a" : "b");
        assert_non_null(strstr(fx.out.alert[i].json, want));
        snprintf(want, sizeof want, "\"key\":{\"k\":\"%d\"}", i % 5 + 1);
        assert_non_null(strstr(fx.out.alert[i].json, want));
    }
    fixture_assert_no_state(&fx);
    fixture_close(&fx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_are_held_in_order),
        cmocka_unit_test(findings_of_one_instant_are_told_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
