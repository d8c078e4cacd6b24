// SPDX-License-Identifier: Apache-2.0
/* zone_rule - reading POSIX TZ strings, and the changes of clocks that they mean. */
#include "base/zone_rule.h"

#include "base/civil.h"

enum { DAY = 86400, HOUR = 3600 };

struct cursor {
    const char *p, *end;
};

static bool take(struct cursor *c, char want)
{
    if (c->p == c->end || *c->p != want)
        return false;
    c->p++;
    return true;
}

static bool take_number(struct cursor *c, int32_t min, int32_t max, int32_t *number_out)
{
    const char *from = c->p;
    int32_t n = 0;

    for (; c->p < c->end && *c->p >= '0' && *c->p <= '9' && c->p - from < 4; c->p++)
        n = n * 10 + (*c->p - '0');
    *number_out = n;
    return c->p > from && n >= min && n <= max;
}

/* An abbreviation: three letters or more, or anything of the kind in < >. */
static bool take_name(struct cursor *c)
{
    const char *from = c->p;
    bool quoted = take(c, '<');

    for (; c->p < c->end; c->p++) {
        char x = *c->p;
        bool letter = (x >= 'a' && x <= 'z') || (x >= 'A' && x <= 'Z');
        if (!letter && !(quoted && ((x >= '0' && x <= '9') || x == '+' || x == '-')))
            break;
    }
    return c->p - from >= 3 && (!quoted || take(c, '>'));
}

/* [+-]hh[:mm[:ss]] in seconds */
static bool take_time(struct cursor *c, int32_t max_hours, int32_t *seconds_out)
{
    int32_t hours, minutes = 0, seconds = 0;
    bool negative = take(c, '-');

    if (!negative)
        take(c, '+');
    if (!take_number(c, 0, max_hours, &hours))
        return false;
    if (take(c, ':')) {
        if (!take_number(c, 0, 59, &minutes))
            return false;
        if (take(c, ':') && !take_number(c, 0, 59, &seconds))
            return false;
    }
    seconds += hours * HOUR + minutes * 60;
    *seconds_out = negative ? -seconds : seconds;
    return true;
}

static bool take_day(struct cursor *c, struct zone_rule_day *day)
{
    int32_t month = 0, week = 0, number;

    if (!take(c, ','))
        return false;
    if (take(c, 'M')) {
        day->kind = 'M';
        if (!take_number(c, 1, 12, &month) || !take(c, '.') || !take_number(c, 1, 5, &week) ||
            !take(c, '.') || !take_number(c, 0, 6, &number))
            return false;
    } else {
        day->kind = take(c, 'J') ? 'J' : 'D';
        if (!take_number(c, day->kind == 'J', 365, &number))
            return false;
    }
    day->month = (uint8_t)month;
    day->week = (uint8_t)week;
    day->day = (uint16_t)number;
    day->seconds = 2 * HOUR;
    return !take(c, '/') || take_time(c, 167, &day->seconds);
}

bool zone_rule_parse(struct zone_rule *rule_out, const char *text, size_t len)
{
    struct cursor c = { text, text + len };
    struct zone_rule rule = { 0 };
    int32_t west;

    if (!take_name(&c) || !take_time(&c, 24, &west))
        return false;
    rule.standard = -west;
    if (c.p < c.end) {
        rule.has_summer = true;
        rule.summer = rule.standard + HOUR;
        if (!take_name(&c))
            return false;
        if (c.p < c.end && *c.p != ',') {
            if (!take_time(&c, 24, &west))
                return false;
            rule.summer = -west;
        }
        if (!take_day(&c, &rule.begin) || !take_day(&c, &rule.end) || c.p < c.end)
            return false;
    }
    *rule_out = rule;
    return true;
}

static int64_t day_of(const struct zone_rule_day *rule, int64_t year)
{
    int64_t first = civil_days(year, 1, 1);

    if (rule->kind == 'D')
        return first + rule->day;
    if (rule->kind == 'J')
        return first + rule->day - 1 + (civil_is_leap(year) && rule->day >= 60);
    int64_t month = civil_days(year, rule->month, 1);
    unsigned shift = (rule->day + 7 - civil_weekday(month)) % 7 + 7 * (rule->week - 1u);
    if (shift >= civil_month_days(year, rule->month))
        shift -= 7;
    return month + shift;
}

/* The last change at or before `utc` says what holds, the first behind it how long. Three years are
 * looked at, since a change may lie some days outside its year; of two at one moment (summer time
 * all the year) the beginning counts. */
struct zone_span zone_rule_at(const struct zone_rule *rule, int64_t utc)
{
    struct zone_span span = { rule->standard, INT64_MAX };
    int64_t last = INT64_MIN;

    if (!rule->has_summer)
        return span;
    int64_t year = civil_date(civil_floor(utc, DAY)).year;
    for (int64_t y = year - 1; y <= year + 1; y++) {
        int64_t begin = day_of(&rule->begin, y) * DAY + rule->begin.seconds - rule->standard;
        int64_t end = day_of(&rule->end, y) * DAY + rule->end.seconds - rule->summer;
        if (end <= utc && end > last) {
            last = end;
            span.offset = rule->standard;
        }
        if (begin <= utc && begin >= last) {
            last = begin;
            span.offset = rule->summer;
        }
        if (begin > utc && begin < span.end)
            span.end = begin;
        if (end > utc && end < span.end)
            span.end = end;
    }
    return span;
}
