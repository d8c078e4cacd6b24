// SPDX-License-Identifier: Apache-2.0
/* window_bounds - where tumbling and hopping windows and their panes begin and end. */
#include "base/zone.h"
#include "engine/window_pane.h"

static const int64_t second_ns = 1000000000, day_s = 86400;

int64_t window_floor(int64_t time, int64_t step, int64_t offset)
{
    int64_t from = time_minus(time, offset), rest = from % step;
    return time_plus(time_minus(from, rest < 0 ? rest + step : rest), offset);
}

/* A calendar window begins `offset` of local time behind its first day's midnight. */
static int64_t day_start(const struct window_plan *plan, int64_t day)
{
    int64_t local = day * day_s + plan->offset / second_ns, ns;
    int64_t utc = zone_to_utc(plan->zone, local);
    if (__builtin_mul_overflow(utc, second_ns, &ns)) /* beyond what times can say */
        ns = utc < 0 ? INT64_MIN : INT64_MAX - 1;
    return time_plus(ns, plan->offset % second_ns);
}

/* First day of the calendar window that holds the time. */
static int64_t first_day(const struct window_plan *plan, int64_t time)
{
    int64_t shifted = time_minus(time, plan->offset % second_ns);
    int64_t utc = window_floor(shifted, second_ns, 0) / second_ns;
    int64_t local = utc + zone_offset(plan->zone, utc) - plan->offset / second_ns;
    int64_t day = window_floor(local, day_s, 0) / day_s;
    int64_t n = plan->size / (day_s * second_ns);
    return window_floor(day, n, 0);
}

int64_t pane_start(const struct window_plan *plan, int64_t time)
{
    if (plan->zone == NULL)
        return window_floor(time, plan->every, plan->offset);
    int64_t day = first_day(plan, time), n = plan->size / (day_s * second_ns);
    int64_t start = day_start(plan, day);
    /* Where clocks are set back at midnight the day's first hour comes twice. */
    return start <= time ? start : day_start(plan, day - n);
}

/* End of the earliest window that holds the pane. */
int64_t pane_end(const struct window_plan *plan, int64_t start)
{
    if (plan->zone == NULL)
        return time_plus(start, plan->every);
    return day_start(plan, first_day(plan, start) + plan->size / (day_s * second_ns));
}

/* End of the last window that holds the pane. */
int64_t pane_last_end(const struct window_plan *plan, int64_t start)
{
    return plan->zone != NULL ? pane_end(plan, start) : time_plus(start, plan->size);
}

int64_t window_start(const struct window_plan *plan, int64_t end)
{
    return plan->zone != NULL ? pane_start(plan, time_minus(end, 1)) : time_minus(end, plan->size);
}

int64_t window_next_end(const struct window_plan *plan, int64_t end)
{
    return plan->zone != NULL ? pane_end(plan, end) : time_plus(end, plan->every);
}
