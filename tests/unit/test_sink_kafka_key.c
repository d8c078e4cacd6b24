// SPDX-License-Identifier: Apache-2.0
/* Keys of records: equal keys of rules are equal bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "event/json_view.h"
#include "io/sink_kafka_priv.h"

static void is_key(const char *alert, const char *record)
{
    struct json_view view;
    struct buf b;

    buf_init(&b);
    assert_true(json_view_parse(alert, strlen(alert), &view));
    kafka_add_key(view, &b);
    assert_string_equal(b.data, record);
    buf_fini(&b);
}

static void test_one(void **state)
{
    (void)state;
    is_key("{\"k\":\"alice\"}", "alice");
    is_key("{\"k\":\"a\\\"b\"}", "a\"b");
    is_key("{\"k\":1}", "1");
    is_key("{\"k\":1.0}", "1");
    is_key("{\"k\":1e0}", "1");
    is_key("{\"k\":10E-1}", "1");
    is_key("{\"k\":-0.0}", "0");
    is_key("{\"k\":1.50}", "1.5");
    is_key("{\"k\":15e-1}", "1.5");
    is_key("{\"k\":9007199254740993}", "9007199254740993");
    is_key("{\"k\":-9223372036854775808}", "-9223372036854775808");
    is_key("{\"k\":1e18}", "1000000000000000000");
    is_key("{\"k\":null}", "null");
    is_key("{\"k\":true}", "true");
    is_key("{\"k\":\"1.0\"}", "1.0");
}

static void test_large(void **state)
{
    const char *const same[] = {"{\"k\":18446744073709551616}", "{\"k\":1.8446744073709551616e19}",
                                "{\"k\":18446744073709551616.0}"};
    struct json_view view;
    struct buf first, other;

    (void)state;
    buf_init(&first);
    buf_init(&other);
    assert_true(json_view_parse(same[0], strlen(same[0]), &view));
    kafka_add_key(view, &first);
    for (size_t i = 1; i < sizeof same / sizeof *same; i++) {
        buf_clear(&other);
        assert_true(json_view_parse(same[i], strlen(same[i]), &view));
        kafka_add_key(view, &other);
        assert_string_equal(other.data, first.data);
    }
    buf_fini(&first);
    buf_fini(&other);
}

static void test_several(void **state)
{
    (void)state;
    is_key("{\"user\":\"u5\",\"n\":5}", "{\"user\":\"u5\",\"n\":5}");
    is_key("{\"user\":\"u5\",\"n\":5.0}", "{\"user\":\"u5\",\"n\":5}");
    is_key("{\"a\":null,\"b\":1e2,\"c\":[1.0]}", "{\"a\":null,\"b\":100,\"c\":[1.0]}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_one), cmocka_unit_test(test_large), cmocka_unit_test(test_several)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
