// SPDX-License-Identifier: Apache-2.0
/* reaper: engines are freed elsewhere; programs are let go where they are counted. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <unit/engine_fixture.h>
#include <unit/record_store.h>

#include "flow/reaper.h"

enum { ENGINES = 6, KEYS = 3000 };

/* An engine with state; its program is the reaper's and its own alone afterwards. */
static void give(struct reaper *rp, uint64_t keys)
{
    static const struct engine_clock none = ENGINE_CLOCK_NONE;
    struct record_store store;
    struct fixture fx;
    char json[64];
    fixture_open(&fx, "table last = from s key u\n"
                      "rule r { match by u within 1h { a: s where k == 1  b: s where k == 2 } }\n"
                      "rule w { window tumbling 1h by u { a: s } emit { v = values(k, 5) } }\n");
    record_store_init(&store);
    assert_null(record_store_open(&store, fx.en, fx.prog, &none));
    for (uint64_t i = 0; i < keys; i++) {
        snprintf(json, sizeof json, "{\"k\":1,\"u\":%d}", (int)i);
        fixture_feed(&fx, 1000, "s", json);
    }
    reaper_take(rp, fx.en, fx.prog);
    fx.en = NULL;
    fixture_close(&fx);
    record_store_fini(&store);
}

static void all_are_freed_at_the_end(void **state)
{
    (void)state;
    struct reaper *rp = reaper_new();
    for (int i = 0; i < ENGINES; i++)
        give(rp, KEYS);
    reaper_free(&rp);
    assert_null(rp);
    reaper_free(&rp);
}

static void room_is_waited_for(void **state)
{
    (void)state;
    struct reaper *rp = reaper_new();
    for (int i = 0; i < ENGINES; i++) {
        give(rp, i % 2 ? KEYS : 0);
        reaper_room(rp, i % 3 ? 0 : UINT64_MAX);
    }
    reaper_room(rp, 0);
    reaper_free(&rp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_are_freed_at_the_end),
        cmocka_unit_test(room_is_waited_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
