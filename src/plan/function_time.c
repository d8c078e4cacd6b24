// SPDX-License-Identifier: Apache-2.0
/*
 * function_time - the calendar and the clock of a zone, at a time. Without a zone: UTC. Zones were
 * found when the rule was compiled, so looking one up takes neither a lock nor memory.
 */
#include <string.h>

#include "base/civil.h"
#include "base/zone.h"
#include "plan/function.h"
#include "plan/function_priv.h"
#include "plan/operate.h"

enum { DAY = 86400, HOUR = 3600 };
static const int64_t NS_PER_SECOND = 1000000000;

static const char *const UNIT_NAMES[UNIT_COUNT] = {
    [UNIT_SECOND] = "second", [UNIT_MINUTE] = "minute", [UNIT_HOUR] = "hour",
    [UNIT_DAY] = "day",       [UNIT_WEEK] = "week",     [UNIT_MONTH] = "month",
    [UNIT_QUARTER] = "quarter", [UNIT_YEAR] = "year",
};

const char *function_unit_name(enum time_unit unit)
{
    return UNIT_NAMES[unit];
}

bool function_unit_named(struct value name, enum time_unit *unit_out)
{
    for (int i = 0; i < UNIT_COUNT; i++) {
        size_t len = strlen(UNIT_NAMES[i]);
        if (name.type == VALUE_TEXT && name.len == len &&
            memcmp(UNIT_NAMES[i], name.u.text, len) == 0) {
            *unit_out = (enum time_unit)i;
            return true;
        }
    }
    return false;
}

/* The zone that argument `at` names, NULL for UTC if there is no such argument. */
static bool zone_of(const struct value *arg, uint32_t n, uint32_t at, const struct zone **zone_out)
{
    *zone_out = NULL;
    if (n <= at)
        return true;
    if (arg[at].type == VALUE_TEXT)
        *zone_out = zone_find(arg[at].u.text, arg[at].len);
    return *zone_out != NULL;
}

static int64_t offset_of(const struct zone *zone, int64_t utc)
{
    return zone ? zone_offset(zone, utc) : 0;
}

/* arg[0] the time, arg[1] perhaps the zone: seconds of local time. */
static bool local_time(const struct value *arg, uint32_t n, int64_t *local_out)
{
    const struct zone *zone;

    if (arg[0].type != VALUE_TIME || !zone_of(arg, n, 1, &zone))
        return false;
    int64_t utc = civil_floor(arg[0].u.i, NS_PER_SECOND);
    *local_out = utc + offset_of(zone, utc);
    return true;
}

struct value function_hour(const struct value *arg, uint32_t n)
{
    int64_t local;

    return local_time(arg, n, &local) ? value_int(civil_rest(local, DAY) / HOUR) : value_missing();
}

struct value function_weekday(const struct value *arg, uint32_t n)
{
    int64_t local;

    if (!local_time(arg, n, &local))
        return value_missing();
    unsigned day = civil_weekday(civil_floor(local, DAY));
    return value_int(day ? day : 7);
}

static int64_t first_day(int64_t days, enum time_unit unit)
{
    struct civil_date date = civil_date(days);

    switch (unit) {
    case UNIT_WEEK: return days - (civil_weekday(days) + 6) % 7;
    case UNIT_MONTH: return civil_days(date.year, date.month, 1);
    case UNIT_QUARTER: return civil_days(date.year, (date.month - 1) / 3 * 3 + 1, 1);
    case UNIT_YEAR: return civil_days(date.year, 1, 1);
    default: return days;
    }
}

/* When the unit of local time began in which the UTC second is. Where clocks were set back an hour
 * comes twice: the one is meant that the time is in. A day is one day, however long. */
static int64_t begin_of(int64_t utc, enum time_unit unit, const struct zone *zone)
{
    int64_t offset = offset_of(zone, utc), local = utc + offset;

    if (unit >= UNIT_DAY) {
        local = first_day(civil_floor(local, DAY), unit) * DAY;
        return zone ? zone_to_utc(zone, local) : local;
    }
    local -= civil_rest(local, unit == UNIT_HOUR ? HOUR : unit == UNIT_MINUTE ? 60 : 1);
    if (offset_of(zone, local - offset) == offset)
        return local - offset;
    return zone_to_utc(zone, local);
}

struct value function_date_trunc(const struct value *arg, uint32_t n)
{
    const struct zone *zone;
    enum time_unit unit;
    int64_t ns;

    if (!function_unit_named(arg[0], &unit) || arg[1].type != VALUE_TIME ||
        !zone_of(arg, n, 2, &zone))
        return value_missing();
    int64_t begin = begin_of(civil_floor(arg[1].u.i, NS_PER_SECOND), unit, zone);
    if (__builtin_mul_overflow(begin, NS_PER_SECOND, &ns))
        return value_missing();
    return value_time(ns);
}
