// SPDX-License-Identifier: Apache-2.0
/*
 * civil - days since 1970-01-01 and dates of the proleptic Gregorian calendar, for every year
 * (Howard Hinnant, https://howardhinnant.github.io/date_algorithms.html).
 */
#ifndef BASE_CIVIL_H
#define BASE_CIVIL_H

#include <stdbool.h>
#include <stdint.h>

struct civil_date {
    int64_t year;
    unsigned month; /* 1-12 */
    unsigned day;   /* 1-31 */
};

/* Days since 1970-01-01, and the reverse. */
int64_t civil_days(int64_t year, unsigned month, unsigned day);
struct civil_date civil_date(int64_t days);
bool civil_is_leap(int64_t year);
unsigned civil_month_days(int64_t year, unsigned month);
unsigned civil_weekday(int64_t days); /* 0: Sunday */

/* x / y and what is left, rounded down: the day and the second of the day also before 1970. */
static inline int64_t civil_floor(int64_t x, int64_t y) { return x / y - (x % y < 0); }
static inline int64_t civil_rest(int64_t x, int64_t y) { return x % y + (x % y < 0 ? y : 0); }

#endif
