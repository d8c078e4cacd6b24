// SPDX-License-Identifier: Apache-2.0
/* Zones against known changes of clocks, against glibc, and against files that are broken. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/civil.h"
#include "base/zone.h"
#include "base/zone_rule.h"

static const struct zone *find(const char *name)
{
    return zone_find(name, strlen(name));
}

static const struct zone *there(const char *name)
{
    const struct zone *zone = find(name);

    if (!zone)
        fail_msg("no zone %s (is tzdata installed?)", name);
    return zone;
}

static int64_t at(int year, unsigned month, unsigned day, int hour, int minute, int second)
{
    return civil_days(year, month, day) * 86400 + hour * 3600 + minute * 60 + second;
}

static void known_offsets(void **state)
{
    const struct {
        const char *zone;
        int64_t utc;
        int32_t offset;
    } row[] = {
        { "UTC", 0, 0 },
        { "UTC", at(2500, 1, 1, 0, 0, 0), 0 },
        { "Europe/Paris", at(2027, 3, 28, 0, 59, 59), 3600 },
        { "Europe/Paris", at(2027, 3, 28, 1, 0, 0), 7200 },
        { "Europe/Paris", at(2027, 10, 31, 0, 59, 59), 7200 },
        { "Europe/Paris", at(2027, 10, 31, 1, 0, 0), 3600 },
        { "Europe/Paris", at(2200, 7, 1, 0, 0, 0), 7200 },
        { "Europe/Paris", at(2200, 12, 1, 0, 0, 0), 3600 },
        { "Europe/Paris", at(1800, 1, 1, 0, 0, 0), 561 },
        { "America/New_York", at(2027, 3, 14, 6, 59, 59), -18000 },
        { "America/New_York", at(2027, 3, 14, 7, 0, 0), -14400 },
        { "America/New_York", at(2027, 11, 7, 5, 59, 59), -14400 },
        { "America/New_York", at(2027, 11, 7, 6, 0, 0), -18000 },
        { "America/New_York", at(2250, 7, 4, 12, 0, 0), -14400 },
        { "Australia/Lord_Howe", at(2027, 4, 3, 14, 59, 59), 39600 },
        { "Australia/Lord_Howe", at(2027, 4, 3, 15, 0, 0), 37800 },
        { "Australia/Lord_Howe", at(2027, 10, 2, 15, 30, 0), 39600 },
        { "Australia/Lord_Howe", at(2101, 1, 1, 0, 0, 0), 39600 },
        { "Australia/Lord_Howe", at(2101, 7, 1, 0, 0, 0), 37800 },
        { "Asia/Kolkata", at(2027, 1, 1, 0, 0, 0), 19800 },
        { "Asia/Kolkata", at(2260, 1, 1, 0, 0, 0), 19800 },
        { "Pacific/Apia", at(2011, 12, 30, 9, 59, 59), -36000 },
        { "Pacific/Apia", at(2011, 12, 30, 10, 0, 0), 50400 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        int32_t offset = zone_offset(there(row[i].zone), row[i].utc);
        if (offset != row[i].offset)
            fail_msg("row %zu, %s: %d", i, row[i].zone, offset);
    }
}

static void local_times(void **state)
{
    const struct {
        const char *zone;
        int64_t local, utc;
    } row[] = {
        { "UTC", 12345, 12345 },
        { "Europe/Paris", at(2027, 7, 1, 0, 0, 0), at(2027, 6, 30, 22, 0, 0) },
        /* the gap of spring: the first second behind it */
        { "Europe/Paris", at(2027, 3, 28, 1, 59, 59), at(2027, 3, 28, 0, 59, 59) },
        { "Europe/Paris", at(2027, 3, 28, 2, 0, 0), at(2027, 3, 28, 1, 0, 0) },
        { "Europe/Paris", at(2027, 3, 28, 2, 59, 59), at(2027, 3, 28, 1, 0, 0) },
        { "Europe/Paris", at(2027, 3, 28, 3, 0, 0), at(2027, 3, 28, 1, 0, 0) },
        /* the hour of autumn that comes twice: the earlier */
        { "Europe/Paris", at(2027, 10, 31, 2, 0, 0), at(2027, 10, 31, 0, 0, 0) },
        { "Europe/Paris", at(2027, 10, 31, 2, 59, 59), at(2027, 10, 31, 0, 59, 59) },
        { "Europe/Paris", at(2027, 10, 31, 3, 0, 0), at(2027, 10, 31, 2, 0, 0) },
        { "Europe/Paris", at(2200, 3, 30, 2, 30, 0), at(2200, 3, 30, 1, 0, 0) },
        { "Australia/Lord_Howe", at(2027, 4, 4, 1, 45, 0), at(2027, 4, 3, 14, 45, 0) },
        { "Australia/Lord_Howe", at(2027, 10, 3, 2, 15, 0), at(2027, 10, 2, 15, 30, 0) },
        { "Pacific/Apia", at(2011, 12, 30, 12, 0, 0), at(2011, 12, 30, 10, 0, 0) },
    };

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        int64_t utc = zone_to_utc(there(row[i].zone), row[i].local);
        if (utc != row[i].utc)
            fail_msg("row %zu, %s: %lld instead of %lld", i, row[i].zone, (long long)utc,
                     (long long)row[i].utc);
    }
}

static void names(void **state)
{
    static const char *const bad[] = { "", ".", "..", "../UTC", "/usr/share/zoneinfo/UTC", "Europe",
                                       "Europe/", "Europe//Paris", "Europe/../UTC", "./UTC",
                                       "Europe/Pari", "europe/paris\n", "zone.tab", "zone1970.tab",
                                       "UTC ", "Europe\\Paris" };
    char longest[400];

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (find(bad[i]))
            fail_msg("found: %s", bad[i]);
    }
    assert_null(zone_find("UTC\0x", 5));
    memset(longest, 'a', sizeof longest);
    assert_null(zone_find(longest, sizeof longest));
    assert_ptr_equal(there("Europe/Paris"), zone_find("Europe/Paris and more", 12));
    assert_string_equal(zone_name(there("Europe/Paris")), "Europe/Paris");
}

static void extreme_times(void **state)
{
    static const int64_t times[] = { INT64_MIN, INT64_MIN + 1, -(INT64_C(1) << 50), INT64_C(1) << 50,
                                     INT64_MAX - 1, INT64_MAX };
    static const char *const zones[] = { "UTC", "Europe/Paris", "Australia/Lord_Howe" };

    (void)state;
    for (size_t z = 0; z < 3; z++) {
        for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
            zone_offset(there(zones[z]), times[i]);
            zone_to_utc(there(zones[z]), times[i]);
        }
    }
}

/* ---- glibc ----------------------------------------------------------------------------------- */

static uint64_t random_state;

static uint64_t random_number(void)
{
    random_state += UINT64_C(0x9e3779b97f4a7c15); /* splitmix64 */
    uint64_t x = random_state;
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* Any int64 ns time; every second one between 1900 and 2040. */
static int64_t random_time(void)
{
    uint64_t x = random_number();

    if (x & 1)
        return (int64_t)(x >> 1) % INT64_C(9223372036);
    return at(1900, 1, 1, 0, 0, 0) + (int64_t)((x >> 1) % (140 * UINT64_C(31556952)));
}

static int32_t offset_of_libc(int64_t utc)
{
    time_t t = (time_t)utc;
    struct tm tm;

    assert_non_null(localtime_r(&t, &tm));
    return (int32_t)tm.tm_gmtoff;
}

/* The UTC second, found by looking around: the earliest that shows this local time. */
static bool search(const struct zone *zone, int64_t local, int64_t *utc_out)
{
    for (int64_t utc = local - 16 * 3600; utc <= local + 16 * 3600; utc += 60) {
        if (utc + zone_offset(zone, utc) == local) {
            *utc_out = utc;
            return true;
        }
    }
    return false;
}

static void as_glibc(void **state)
{
    static const char *const zones[] = {
        "UTC", "Europe/Paris", "Europe/London", "Europe/Dublin", "Europe/Moscow", "America/New_York",
        "America/Sao_Paulo", "America/St_Johns", "America/Nuuk", "America/Havana", "Asia/Kolkata",
        "Asia/Tehran", "Asia/Gaza", "Asia/Kathmandu", "Africa/Casablanca", "Africa/Cairo",
        "Australia/Lord_Howe", "Australia/Sydney", "Pacific/Apia", "Pacific/Chatham",
        "Antarctica/Troll", "Etc/GMT-14", "Etc/GMT+12",
    };

    (void)state;
    random_state = 42;
    for (size_t z = 0; z < sizeof zones / sizeof *zones; z++) {
        const struct zone *zone = there(zones[z]);
        assert_int_equal(setenv("TZ", zones[z], 1), 0);
        tzset();
        for (int i = 0; i < 4000; i++) {
            int64_t utc = random_time(), back;
            int32_t offset = zone_offset(zone, utc), want = offset_of_libc(utc);
            if (offset != want)
                fail_msg("%s at %lld: %d, glibc %d", zones[z], (long long)utc, offset, want);
            back = zone_to_utc(zone, utc + offset);
            if (back > utc || back + zone_offset(zone, back) != utc + offset)
                fail_msg("%s at %lld: back to %lld", zones[z], (long long)utc, (long long)back);
        }
    }
    unsetenv("TZ");
    tzset();
}

/* Around the changes of clocks, minute by minute. */
static void local_times_as_by_search(void **state)
{
    static const char *const zones[] = { "Europe/Paris", "Australia/Lord_Howe", "America/Havana" };
    static const int years[] = { 2007, 2027, 2100 };

    (void)state;
    for (size_t z = 0; z < 3; z++) {
        const struct zone *zone = there(zones[z]);
        for (size_t y = 0; y < 3; y++) {
            int64_t hour = at(years[y], 1, 1, 0, 0, 0), end = at(years[y] + 1, 1, 1, 0, 0, 0), want;
            for (; hour < end; hour += 3600) {
                if (zone_offset(zone, hour) == zone_offset(zone, hour + 3600))
                    continue;
                for (int64_t t = hour - 2 * 3600; t < hour + 4 * 3600; t += 300) {
                    int64_t local = t + zone_offset(zone, hour), utc = zone_to_utc(zone, local);
                    if (search(zone, local, &want))
                        assert_int_equal(utc, want);
                    else
                        assert_true(zone_offset(zone, utc) > zone_offset(zone, utc - 1));
                }
            }
        }
    }
}

/* ---- rules ----------------------------------------------------------------------------------- */

static bool parses(const char *text)
{
    struct zone_rule rule;

    return zone_rule_parse(&rule, text, strlen(text));
}

static void rules(void **state)
{
    static const char *const good[] = { "UTC0", "<+0330>-3:30", "CET-1CEST,M3.5.0,M10.5.0/3",
                                        "EST5EDT4,M3.2.0/02:00:00,M11.1.0", "XXX3EDT4,0/0,J365/23",
                                        "<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "AAA-24:59:59" };
    static const char *const bad[] = { "", "U0", "UTC", "UTC25", "UTC0X", "CET-1CEST", "<+03-3",
                                       "CET-1CEST,M3.5.0", "CET-1CEST,M13.5.0,M10.5.0",
                                       "CET-1CEST,M3.6.0,M10.5.0", "CET-1CEST,M3.5.7,M10.5.0",
                                       "CET-1CEST,M3.5.0,M10.5.0/168", "CET-1CEST,J0,J365",
                                       "CET-1CEST,366,1", "CET-1CEST,M3.5.0,M10.5.0 ",
                                       "CET-1CEST,M3.5.0,M10.5.0/3:", "CET-99999999999" };

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        if (!parses(good[i]))
            fail_msg("refused: %s", good[i]);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (parses(bad[i]))
            fail_msg("read: %s", bad[i]);
    }
}

static void summer_all_the_year(void **state)
{
    struct zone_rule rule;
    const char *text = "XXX3EDT4,0/0,J365/23";

    (void)state;
    assert_true(zone_rule_parse(&rule, text, strlen(text)));
    for (int64_t t = at(2030, 1, 1, 0, 0, 0); t < at(2034, 1, 1, 0, 0, 0); t += 3600)
        assert_int_equal(zone_rule_at(&rule, t).offset, -4 * 3600);
}

/* 29 February counts for a day without J, not for one with. */
static void days_of_the_year(void **state)
{
    struct zone_rule rule;
    const char *text = "AAA0BBB,J60/0,90/0";

    (void)state;
    assert_true(zone_rule_parse(&rule, text, strlen(text)));
    assert_int_equal(zone_rule_at(&rule, at(2028, 2, 29, 23, 59, 59)).offset, 0);
    assert_int_equal(zone_rule_at(&rule, at(2028, 3, 1, 0, 0, 0)).offset, 3600);
    assert_int_equal(zone_rule_at(&rule, at(2027, 3, 1, 0, 0, 0)).offset, 3600);
    assert_int_equal(zone_rule_at(&rule, at(2028, 3, 30, 22, 59, 59)).offset, 3600);
    assert_int_equal(zone_rule_at(&rule, at(2028, 3, 30, 23, 0, 0)).offset, 0);
    assert_int_equal(zone_rule_at(&rule, at(2027, 3, 31, 22, 59, 59)).offset, 3600);
    assert_int_equal(zone_rule_at(&rule, at(2027, 3, 31, 23, 0, 0)).offset, 0);
}

/* ---- files ----------------------------------------------------------------------------------- */

static char folder[] = "/tmp/test_zone.XXXXXX";
static unsigned n_files;

/* Writes the bytes as a zone of a new name and asks for it. */
static const struct zone *zone_of_bytes(const void *data, size_t len)
{
    char path[100], name[20];

    snprintf(name, sizeof name, "Z%u", n_files++);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, len, file), len);
    fclose(file);
    const struct zone *zone = find(name);
    unlink(path);
    return zone;
}

static size_t read_paris(uint8_t *data, size_t size)
{
    const char *tzdir = getenv("TZDIR");
    char path[300];

    snprintf(path, sizeof path, "%s/Europe/Paris", tzdir ? tzdir : "/usr/share/zoneinfo");
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t len = fread(data, 1, size, file);
    fclose(file);
    return len;
}

static void cut_and_spoilt_files(void **state)
{
    static uint8_t data[1 << 16], spoilt[1 << 16];
    size_t len = read_paris(data, sizeof data);

    (void)state;
    random_state = 7;
    assert_non_null(mkdtemp(folder));
    setenv("TZDIR", folder, 1);
    assert_non_null(zone_of_bytes(data, len));
    for (size_t n = 0; n < len; n += n > 50 && n + 60 < len ? 7 : 1)
        assert_null(zone_of_bytes(data, n));
    for (int i = 0; i < 3000; i++) {
        memcpy(spoilt, data, len);
        for (unsigned k = 0; k <= random_number() % 3; k++)
            spoilt[random_number() % (i % 2 ? 100 : len)] = (uint8_t)random_number();
        const struct zone *zone = zone_of_bytes(spoilt, len);
        for (int k = 0; zone && k < 20; k++)
            zone_to_utc(zone, random_time() + zone_offset(zone, random_time()));
    }
    unsetenv("TZDIR");
    rmdir(folder);
}

/* Version 1: times of 32 bits, no rule; what holds last holds for ever. */
static void version_one(void **state)
{
    static const uint8_t file[] = {
        'T', 'Z', 'i', 'f', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 4,
        0, 0, 0, 100, 1,
        0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xf1, 0xf0, 0, 0, 'A', 'B', 'C', 0,
    };

    (void)state;
    memset(folder + strlen(folder) - 6, 'X', 6);
    assert_non_null(mkdtemp(folder));
    setenv("TZDIR", folder, 1);
    const struct zone *zone = zone_of_bytes(file, sizeof file);
    assert_non_null(zone);
    assert_null(zone_of_bytes(file, sizeof file - 1));
    unsetenv("TZDIR");
    rmdir(folder);
    assert_int_equal(zone_offset(zone, 99), 0);
    assert_int_equal(zone_offset(zone, 100), -3600);
    assert_int_equal(zone_offset(zone, INT64_C(1) << 40), -3600);
    assert_int_equal(zone_to_utc(zone, 99), 99);
    assert_int_equal(zone_to_utc(zone, 100), 3700);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_offsets),   cmocka_unit_test(local_times),
        cmocka_unit_test(names),           cmocka_unit_test(extreme_times),
        cmocka_unit_test(as_glibc),        cmocka_unit_test(local_times_as_by_search),
        cmocka_unit_test(rules),           cmocka_unit_test(summer_all_the_year),
        cmocka_unit_test(days_of_the_year), cmocka_unit_test(cut_and_spoilt_files),
        cmocka_unit_test(version_one),
    };

    return cmocka_run_group_tests_name("zone", tests, NULL, NULL);
}
