// SPDX-License-Identifier: Apache-2.0
/* civil - eras of 400 years of 146,097 days; years begin in March, so the leap day is the last. */
#include "base/civil.h"

enum { ERA_DAYS = 146097, EPOCH_DAYS = 719468 /* from 0000-03-01 to 1970-01-01 */ };

int64_t civil_days(int64_t year, unsigned month, unsigned day)
{
    year -= month <= 2;
    int64_t era = civil_floor(year, 400);
    unsigned year_of_era = (unsigned)(year - era * 400);
    unsigned day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
    unsigned day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;

    return era * ERA_DAYS + (int64_t)day_of_era - EPOCH_DAYS;
}

struct civil_date civil_date(int64_t days)
{
    days += EPOCH_DAYS;
    int64_t era = civil_floor(days, ERA_DAYS);
    unsigned day = (unsigned)(days - era * ERA_DAYS);
    unsigned year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
    unsigned day_of_year = day - (365 * year + year / 4 - year / 100);
    unsigned month = (5 * day_of_year + 2) / 153; /* 0: March */
    struct civil_date date = { .month = month < 10 ? month + 3 : month - 9,
                               .day = day_of_year - (153 * month + 2) / 5 + 1 };

    date.year = (int64_t)year + era * 400 + (date.month <= 2);
    return date;
}

bool civil_is_leap(int64_t year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

unsigned civil_month_days(int64_t year, unsigned month)
{
    static const uint8_t days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };

    return month == 2 && civil_is_leap(year) ? 29 : days[month - 1];
}

unsigned civil_weekday(int64_t days)
{
    return (unsigned)civil_rest(days + 4, 7); /* 1970-01-01 was a Thursday */
}
