// SPDX-License-Identifier: Apache-2.0
/*
 * Windows of mute: every text that is one or is none, days, midnight, changes of clocks in both directions
 * against a second by second count of what the clock on the wall shows, and against glibc's local time.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "base/civil.h"
#include "flow/mute.h"

#define NS INT64_C(1000000000)

static struct mute window(const char *text)
{
    struct mute mute;
    struct buf why;

    buf_init(&why);
    if (!mute_parse(text, strlen(text), &mute, &why))
        fail_msg("%s: %s", text, why.data);
    buf_fini(&why);
    return mute;
}

static int64_t at(int year, unsigned month, unsigned day, int hour, int minute, int second)
{
    return civil_days(year, month, day) * 86400 + hour * 3600 + minute * 60 + second;
}

static bool is_muted(const char *text, int64_t utc)
{
    struct mute mute = window(text);

    return mute_has(&mute, utc * NS);
}

static void what_is_a_window(void **state)
{
    static const char *const good[] = {
        "22:00-06:00", "00:00-24:00", "23:59-24:00", "23:59-00:00", "00:00-00:01", " 10:00-11:00  UTC ",
        "10:00-11:00 Europe/Paris", "Mon 10:00-11:00", "Mon-Fri 10:00-11:00 Asia/Kolkata",
        "Fri-Mon 10:00-11:00", "sat,SUN 00:00-24:00", "Monday,Wed-friday 10:00-11:00",
        "Sun-Sun 10:00-11:00", "Sun-Sat   10:00-11:00",
    };
    static const char *const bad[] = {
        "", " ", "10:00", "10:00-", "-10:00", "10-11", "1:00-2:00", "10:00-11:0", "10:00-11:000",
        "24:00-01:00", "24:01-01:00", "10:00-24:01", "25:00-26:00", "10:60-11:00", "10:00-10:00",
        "24:00-24:00", "10:00 -11:00", "10:00- 11:00", "10:00-11:00UTC", "10:00-11:00 Nowhere/There",
        "10:00-11:00 ../../etc/passwd", "10:00-11:00 Europe/Paris x", "10:00-11:00 +01:00", "Mon",
        "Mon 10:00", "Mo 10:00-11:00", "Mond 10:00-11:00", "Mon- 10:00-11:00", ",Mon 10:00-11:00",
        "Mon,,Tue 10:00-11:00", "Mon, Tue 10:00-11:00", "Mon10:00-11:00", "Mon-Tue-Wed 10:00-11:00",
        "10:00:00-11:00:00", "10:00-11:00,12:00-13:00", "0x:00-11:00", "10.00-11.00", "10:00\t-11:00",
    };

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        window(good[i]);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct mute mute;
        struct buf why;
        buf_init(&why);
        if (mute_parse(bad[i], strlen(bad[i]), &mute, &why))
            fail_msg("`%s' was taken", bad[i]);
        assert_true(why.len > 0);
        buf_fini(&why);
    }
}

static void first_in_last_not(void **state)
{
    (void)state;
    assert_false(is_muted("10:00-11:00", at(2026, 11, 30, 9, 59, 59)));
    assert_true(is_muted("10:00-11:00", at(2026, 11, 30, 10, 0, 0)));
    assert_true(is_muted("10:00-11:00", at(2026, 11, 30, 10, 59, 59)));
    assert_false(is_muted("10:00-11:00", at(2026, 11, 30, 11, 0, 0)));
    assert_true(is_muted("23:00-24:00", at(2026, 11, 30, 23, 59, 59)));
    assert_false(is_muted("23:00-24:00", at(2026, 12, 1, 0, 0, 0)));
    assert_true(is_muted("00:00-24:00", at(2026, 12, 1, 0, 0, 0)));
    assert_true(is_muted("10:00-11:00 Asia/Kolkata", at(2026, 12, 1, 4, 30, 0))); /* +05:30, no DST */
    assert_false(is_muted("10:00-11:00 Asia/Kolkata", at(2026, 12, 1, 5, 30, 0)));
    assert_true(is_muted("10:00-11:00 Asia/Kolkata", at(2026, 7, 1, 4, 30, 0)));
    assert_true(is_muted("10:00-11:00", -14 * 3600)); /* before 1970 */
    struct mute mute = window("10:00-11:00");
    assert_true(mute_has(&mute, at(2026, 11, 30, 11, 0, 0) * NS - 1));
}

static void days_and_midnight(void **state)
{
    /* 2026-11-30 is a Monday. */
    (void)state;
    assert_true(is_muted("Mon 22:00-06:00", at(2026, 11, 30, 22, 0, 0)));
    assert_true(is_muted("Mon 22:00-06:00", at(2026, 12, 1, 5, 59, 59)));
    assert_false(is_muted("Mon 22:00-06:00", at(2026, 12, 1, 6, 0, 0)));
    assert_false(is_muted("Mon 22:00-06:00", at(2026, 12, 1, 22, 0, 0)));
    assert_false(is_muted("Mon 22:00-06:00", at(2026, 11, 30, 5, 0, 0))); /* that began on Sunday */
    assert_true(is_muted("Sun 22:00-06:00", at(2026, 11, 30, 5, 0, 0)));
    assert_true(is_muted("Mon-Fri 10:00-11:00", at(2026, 12, 4, 10, 30, 0)));
    assert_false(is_muted("Mon-Fri 10:00-11:00", at(2026, 12, 5, 10, 30, 0)));
    assert_true(is_muted("Sat,Sun 00:00-24:00", at(2026, 12, 5, 0, 0, 0)));
    assert_true(is_muted("Sat,Sun 00:00-24:00", at(2026, 12, 6, 23, 59, 59)));
    assert_false(is_muted("Sat,Sun 00:00-24:00", at(2026, 12, 7, 0, 0, 0)));
    assert_true(is_muted("Fri-Mon 10:00-11:00", at(2026, 12, 6, 10, 0, 0)));
    assert_false(is_muted("Fri-Mon 10:00-11:00", at(2026, 12, 3, 10, 0, 0)));
    /* The day is that of the zone. */
    assert_true(is_muted("Tue 00:00-01:00 Europe/Paris", at(2026, 11, 30, 23, 30, 0)));
    assert_false(is_muted("Mon 00:00-01:00 Europe/Paris", at(2026, 11, 30, 23, 30, 0)));
}

/* Seconds of [from, to) that are muted. */
static int64_t seconds_muted(const char *text, int64_t from, int64_t to)
{
    struct mute mute = window(text);
    int64_t n = 0;

    for (int64_t utc = from; utc < to; utc++)
        n += mute_has(&mute, utc * NS);
    return n;
}

static void clocks_change(void **state)
{
    int64_t paris_spring = at(2027, 3, 27, 12, 0, 0), paris_autumn = at(2027, 10, 30, 12, 0, 0);
    int64_t york_spring = at(2027, 3, 13, 18, 0, 0), york_autumn = at(2027, 11, 6, 18, 0, 0);
    int64_t day = 86400;

    (void)state;
    /* 02:00 becomes 03:00: the hour is not there; the night is an hour shorter. */
    assert_int_equal(seconds_muted("02:00-03:00 Europe/Paris", paris_spring, paris_spring + day), 0);
    assert_int_equal(seconds_muted("02:30-03:30 Europe/Paris", paris_spring, paris_spring + day), 1800);
    assert_int_equal(seconds_muted("22:00-06:00 Europe/Paris", paris_spring, paris_spring + day), 7 * 3600);
    assert_int_equal(seconds_muted("02:00-03:00 America/New_York", york_spring, york_spring + day), 0);
    assert_int_equal(seconds_muted("22:00-06:00 America/New_York", york_spring, york_spring + day),
                     7 * 3600);
    /* 03:00 becomes 02:00 (in New York 02:00 becomes 01:00): the hour is there twice. */
    assert_int_equal(seconds_muted("02:00-03:00 Europe/Paris", paris_autumn, paris_autumn + day), 2 * 3600);
    assert_int_equal(seconds_muted("22:00-06:00 Europe/Paris", paris_autumn, paris_autumn + day), 9 * 3600);
    assert_int_equal(seconds_muted("01:00-02:00 America/New_York", york_autumn, york_autumn + day),
                     2 * 3600);
    assert_int_equal(seconds_muted("Sat 22:00-06:00 America/New_York", york_autumn, york_autumn + day),
                     9 * 3600);
    /* No change in a zone that has none. */
    assert_int_equal(seconds_muted("22:00-06:00 Asia/Kolkata", paris_spring, paris_spring + day), 8 * 3600);
    assert_int_equal(seconds_muted("22:00-06:00", paris_autumn, paris_autumn + day), 8 * 3600);
}

/* Against what glibc shows as local time, at random times of 60 years. */
static void as_glibc_shows_it(void **state)
{
    static const char *const zones[] = {"Europe/Paris", "America/New_York", "Asia/Kolkata",
                                        "Australia/Lord_Howe", "Pacific/Apia"};
    uint64_t random = 7;

    (void)state;
    for (size_t z = 0; z < sizeof zones / sizeof *zones; z++) {
        char text[80];
        setenv("TZ", zones[z], 1);
        tzset();
        for (int i = 0; i < 20000; i++) {
            random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            unsigned r = (unsigned)(random >> 33);
            int begin = (int)(r % 1440), end = (int)(r / 1440 % 1441), first = (int)(r / 7 % 7);
            time_t utc = (time_t)(random >> 20) % (60 * 366 * 86400) + 946684800 - 86400;
            static const char *const days[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
            struct tm tm;
            if (begin == end)
                continue;
            snprintf(text, sizeof text, "%s %02d:%02d-%02d:%02d %s", days[first], begin / 60, begin % 60,
                     end / 60, end % 60, zones[z]);
            localtime_r(&utc, &tm);
            int minute = tm.tm_hour * 60 + tm.tm_min;
            bool want = begin < end ? tm.tm_wday == first && minute >= begin && minute < end
                                    : (tm.tm_wday == first && minute >= begin) ||
                                          (tm.tm_wday == (first + 1) % 7 && minute < end);
            if (is_muted(text, utc) != want)
                fail_msg("%s at %lld", text, (long long)utc);
        }
    }
    unsetenv("TZ");
    tzset();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_a_window),
        cmocka_unit_test(first_in_last_not),
        cmocka_unit_test(days_and_midnight),
        cmocka_unit_test(clocks_change),
        cmocka_unit_test(as_glibc_shows_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
