// SPDX-License-Identifier: Apache-2.0
/* http_date: the three forms, two digits of a year, what is refused; each second of some years by timegm. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>


#include <stdio.h>
#include <string.h>
#include <time.h>

#include "io/http_date.h"

#define NOW INT64_C(1796000000) /* November 2026 */

static int64_t date(const char *text)
{
    int64_t seconds;

    return http_date_read(text, strlen(text), NOW, &seconds) ? seconds : -1;
}

static void forms(void **state)
{
    (void)state;
    assert_int_equal(date("Sun, 06 Nov 1994 08:49:37 GMT"), 784111777);
    assert_int_equal(date("Sunday, 06-Nov-94 08:49:37 GMT"), 784111777);
    assert_int_equal(date("Sun Nov  6 08:49:37 1994"), 784111777);
    assert_int_equal(date("Sun Nov 16 08:49:37 1994"), 784111777 + 864000);
    assert_int_equal(date("Thu, 01 Jan 1970 00:00:00 GMT"), 0);
    assert_int_equal(date("Thu, 29 Feb 2024 23:59:60 GMT"), 1709251200);
}

static void centuries(void **state)
{
    (void)state;
    assert_int_equal(date("Tuesday, 01-Jan-76 00:00:00 GMT"), date("Wed, 01 Jan 2076 00:00:00 GMT"));
    assert_int_equal(date("Tuesday, 01-Jan-77 00:00:00 GMT"), date("Sat, 01 Jan 1977 00:00:00 GMT"));
    assert_int_equal(date("Tuesday, 01-Jan-26 00:00:00 GMT"), date("Thu, 01 Jan 2026 00:00:00 GMT"));
}

static void refused(void **state)
{
    static const char *const BAD[] = {
        "", "5", "Sun", "Sun, ", "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 94 08:49:37 GMT",
        "Sun, 06 nov 1994 08:49:37 GMT", "sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37",
        "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1994 08:49:37 +0000", "Sun, 06 Nov 1994 8:49:37 GMT",
        "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49:61 GMT",
        "Sun, 31 Nov 1994 08:49:37 GMT", "Sun, 29 Feb 2023 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:37 GMT ", " Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06 Nov 1994 08:49:37 GMT",
        "Sun, 06-Nov-94 08:49:37 GMT", "Sun, 06-Nov-1994 08:49:37 GMT", "Sunday Nov  6 08:49:37 1994",
        "Sun Nov 6 08:49:37 1994", "Sun Nov  6 08:49:37 1994 GMT", "Sun Nov  6 08:49:37 94",
        "Sun Nov 006 08:49:37 1994", "1994-11-06T08:49:37Z", "Sun,  6 Nov 1994 08:49:37 GMT"};

    (void)state;
    for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++)
        if (date(BAD[i]) != -1)
            fail_msg("`%s' is taken", BAD[i]);
}

static void every_day(void **state)
{
    char text[64];

    (void)state;
    for (int64_t t = -86400 * INT64_C(300); t < INT64_C(86400) * 365 * 300; t += 86400 * 3 + 3607) {
        time_t seconds = t;
        struct tm tm;
        int64_t back;
        gmtime_r(&seconds, &tm);
        size_t n = strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &tm);
        assert_true(http_date_read(text, n, NOW, &back));
        assert_int_equal(back, t);
        n = strftime(text, sizeof text, "%a %b %e %H:%M:%S %Y", &tm);
        assert_true(http_date_read(text, n, NOW, &back));
        assert_int_equal(back, t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(forms), cmocka_unit_test(centuries),
                                       cmocka_unit_test(refused), cmocka_unit_test(every_day)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
