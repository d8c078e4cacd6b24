/* SPDX-License-Identifier: Apache-2.0 */
/* detected_at in alerts, beside their time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "flow/deliver.h"

static void assert_stamp(const char *json, const char *expected)
{
    struct buf out;

    buf_init(&out);
    alert_stamp(&out, json, strlen(json), INT64_C(1795992001123456789));
    assert_int_equal(out.len, strlen(expected));
    assert_memory_equal(out.data, expected, out.len);
    buf_fini(&out);
}

static void test_alert_stamp(void **state)
{
    (void)state;
    assert_stamp("{\"id\":\"00ff\",\"rule\":\"a\\\"b\",\"severity\":\"low\",\"time\":\"2026-01-01T00:00:00Z\","
                 "\"title\":\"time\",\"fields\":{\"time\":\"x\"}}",
                 "{\"id\":\"00ff\",\"rule\":\"a\\\"b\",\"severity\":\"low\",\"time\":\"2026-01-01T00:00:00Z\","
                 "\"detected_at\":\"2026-11-29T22:40:01.123Z\",\"title\":\"time\",\"fields\":{\"time\":\"x\"}}");
    assert_stamp("{\"rule\":\"time\",\"time\":\"t\"}",
                 "{\"rule\":\"time\",\"time\":\"t\",\"detected_at\":\"2026-11-29T22:40:01.123Z\"}");
    /* no alert as they are made: as it is */
    assert_stamp("{\"n\":1,\"time\":\"t\"}", "{\"n\":1,\"time\":\"t\"}");
    assert_stamp("{\"id\":\"0", "{\"id\":\"0");
    assert_stamp("{\"id\":\"0\\", "{\"id\":\"0\\");
    assert_stamp("{\"id\"", "{\"id\"");
    assert_stamp("{}", "{}");
    assert_stamp("", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_alert_stamp)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
