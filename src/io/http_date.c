// SPDX-License-Identifier: Apache-2.0
#include "io/http_date.h"

#include <string.h>

#include "base/civil.h"

static const char *const MONTH[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                    "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
static const char *const DAY[] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                  "Thursday", "Friday", "Saturday"};

struct scan { /* what is left of the text; bad: it does not fit */
    const char *p, *end;
    bool bad;
};

static void expect(struct scan *s, const char *text)
{
    size_t len = strlen(text);

    if (s->bad || (size_t)(s->end - s->p) < len || memcmp(s->p, text, len) != 0)
        s->bad = true;
    else
        s->p += len;
}

static bool comes(const struct scan *s, const char *text, size_t len)
{
    return !s->bad && (size_t)(s->end - s->p) >= len && memcmp(s->p, text, len) == 0;
}

/* So many digits; the first may be a blank if `blank`. */
static unsigned number(struct scan *s, unsigned digits, bool blank)
{
    unsigned n = 0;

    for (unsigned i = 0; i < digits; i++) {
        if (s->bad || s->p == s->end) {
            s->bad = true;
            return 0;
        }
        char c = *s->p++;
        if (c >= '0' && c <= '9')
            n = n * 10 + (unsigned)(c - '0');
        else if (!(blank && i == 0 && c == ' '))
            s->bad = true;
    }
    return n;
}

static unsigned month(struct scan *s)
{
    for (unsigned i = 0; i < 12; i++) {
        if (comes(s, MONTH[i], 3)) {
            s->p += 3;
            return i + 1;
        }
    }
    s->bad = true;
    return 1;
}

static int64_t clock_time(struct scan *s)
{
    unsigned hour = number(s, 2, false);
    expect(s, ":");
    unsigned minute = number(s, 2, false);
    expect(s, ":");
    unsigned second = number(s, 2, false);

    if (hour > 23 || minute > 59 || second > 60)
        s->bad = true;
    return (int64_t)hour * 3600 + minute * 60 + second;
}

/* The name of the day, long or short; false: short. */
static bool weekday(struct scan *s)
{
    for (unsigned i = 0; i < 7; i++) {
        size_t len = strlen(DAY[i]);
        if (comes(s, DAY[i], len)) {
            s->p += len;
            return true;
        }
    }
    for (unsigned i = 0; i < 7; i++) {
        if (comes(s, DAY[i], 3)) {
            s->p += 3;
            return false;
        }
    }
    s->bad = true;
    return false;
}

static int64_t year_of_two(unsigned digits, int64_t now)
{
    int64_t this_year = civil_date(civil_floor(now, 86400)).year;
    int64_t year = civil_floor(this_year, 100) * 100 + digits;

    if (year > this_year + 50)
        year -= 100;
    else if (year <= this_year - 50)
        year += 100;
    return year;
}

bool http_date_read(const char *text, size_t len, int64_t now, int64_t *seconds_out)
{
    struct scan s = {.p = text, .end = text + len};
    bool long_day = weekday(&s), asctime = comes(&s, " ", 1);
    unsigned day, month_of;
    int64_t year, time;

    if (asctime) {
        expect(&s, " ");
        month_of = month(&s);
        expect(&s, " ");
        day = number(&s, 2, true);
        expect(&s, " ");
        time = clock_time(&s);
        expect(&s, " ");
        year = number(&s, 4, false);
        s.bad |= long_day;
    } else {
        expect(&s, ", ");
        day = number(&s, 2, false);
        expect(&s, long_day ? "-" : " ");
        month_of = month(&s);
        expect(&s, long_day ? "-" : " ");
        year = number(&s, long_day ? 2 : 4, false);
        expect(&s, " ");
        time = clock_time(&s);
        expect(&s, " GMT");
        if (long_day)
            year = year_of_two((unsigned)year, now);
    }
    if (s.bad || s.p != s.end || day < 1 || day > civil_month_days(year, month_of))
        return false;
    *seconds_out = civil_days(year, month_of, day) * 86400 + time;
    return true;
}
