// SPDX-License-Identifier: Apache-2.0
/*
 * time_format - event times as text and numbers.
 *
 * All arithmetic that may leave int64 is checked (the compiler's overflow builtins): a time that
 * does not fit is unreadable, never wrapped. Dates are Howard Hinnant's days_from_civil and
 * civil_from_days (https://howardhinnant.github.io/date_algorithms.html), exact for every year.
 *
 * When several epoch formats are allowed the size of a number says which one it is; if that one is
 * not allowed the time is unreadable: a guess would silently be wrong by a factor of 1000.
 */
#include "event/time_format.h"

#include <math.h>
#include <string.h>

#include "base/buf.h"

static const int64_t ns_per_second = 1000000000;

static const struct {
    const char *name;
    enum time_format format;
} formats_table[] = {
    {"rfc3339", TIME_RFC3339},   {"datetime", TIME_DATETIME}, {"epoch_s", TIME_EPOCH_S},
    {"epoch_ms", TIME_EPOCH_MS}, {"epoch_us", TIME_EPOCH_US}, {"epoch_ns", TIME_EPOCH_NS},
};
enum { N_FORMATS = sizeof formats_table / sizeof formats_table[0] };

static const unsigned epoch_formats = TIME_EPOCH_S | TIME_EPOCH_MS | TIME_EPOCH_US | TIME_EPOCH_NS;

bool time_format_named(const char *name, size_t len, enum time_format *format_out)
{
    for (size_t i = 0; i < N_FORMATS; i++) {
        if (strlen(formats_table[i].name) == len && memcmp(formats_table[i].name, name, len) == 0) {
            *format_out = formats_table[i].format;
            return true;
        }
    }
    return false;
}

const char *time_format_names(void)
{
    return "rfc3339, datetime, epoch_s, epoch_ms, epoch_us, epoch_ns";
}

/* ---- the calendar ---------------------------------------------------------------------------- */

static int64_t days_from_civil(int64_t y, unsigned m, unsigned d)
{
    y -= m <= 2;
    int64_t era = (y >= 0 ? y : y - 399) / 400;
    unsigned yoe = (unsigned)(y - era * 400);
    unsigned doy = (153 * (m > 2 ? m - 3 : m + 9) + 2) / 5 + d - 1;
    unsigned doe = yoe * 365 + yoe / 4 - yoe / 100 + doy;
    return era * 146097 + (int64_t)doe - 719468;
}

static void civil_from_days(int64_t days, int *y_out, int *m_out, int *d_out)
{
    days += 719468;
    int64_t era = (days >= 0 ? days : days - 146096) / 146097;
    unsigned doe = (unsigned)(days - era * 146097);
    unsigned yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
    unsigned doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    unsigned mp = (5 * doy + 2) / 153;

    *d_out = (int)(doy - (153 * mp + 2) / 5 + 1);
    *m_out = (int)(mp < 10 ? mp + 3 : mp - 9);
    *y_out = (int)((int64_t)yoe + era * 400 + (*m_out <= 2));
}

static int days_in_month(int year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return month == 2 && leap ? 29 : days[month - 1];
}

bool time_from_civil(int year, int month, int day, int hour, int minute, int second, int64_t nanos,
                     int64_t *ns_out)
{
    if (month < 1 || month > 12 || day < 1 || day > days_in_month(year, month) || hour < 0 ||
        hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60 || nanos < 0 ||
        nanos >= ns_per_second)
        return false;
    int64_t seconds = days_from_civil(year, (unsigned)month, (unsigned)day) * 86400 + hour * 3600 +
                      minute * 60 + second;
    /* The first whole second of int64 is too early by itself, but not with its fraction. */
    __int128 ns = (__int128)seconds * ns_per_second + nanos;
    *ns_out = (int64_t)ns;
    return ns >= INT64_MIN && ns <= INT64_MAX;
}

/* ---- reading text ---------------------------------------------------------------------------- */

struct cursor {
    const char *p;
    const char *end;
};

static bool digit_at(const struct cursor *c)
{
    return c->p < c->end && *c->p >= '0' && *c->p <= '9';
}

/* Inlined for each n, which unrolls it: every event's time goes through here. */
static inline __attribute__((always_inline)) bool take_digits(struct cursor *c, int n,
                                                              int *number_out)
{
    const char *p = c->p;
    int number = 0;

    *number_out = 0;
    if (c->end - p < n)
        return false;
    for (int i = 0; i < n; i++) {
        unsigned digit = (unsigned)(unsigned char)p[i] - '0';
        if (digit > 9)
            return false;
        number = number * 10 + (int)digit;
    }
    c->p = p + n;
    *number_out = number;
    return true;
}

static bool take(struct cursor *c, char want)
{
    if (c->p == c->end || *c->p != want)
        return false;
    c->p++;
    return true;
}

/* The fraction behind the point, in units of 10^-digits; digits beyond are cut. False if there is
 * no digit at all. */
static bool take_fraction(struct cursor *c, int digits, int64_t *fraction_out)
{
    static const int64_t power[] = {1,         10,         100,         1000,         10000,
                                    100000,    1000000,    10000000,    100000000,    1000000000};
    const char *p = c->p, *end = c->end;
    int64_t fraction = 0;
    int n = 0;

    for (; p < end && *p >= '0' && *p <= '9'; p++)
        if (n < digits) {
            fraction = fraction * 10 + (*p - '0');
            n++;
        }
    bool any = p > c->p;
    c->p = p;
    *fraction_out = fraction * power[digits - n];
    return any;
}

/* Z, z, +hh:mm, +hhmm, +hh */
static bool take_offset(struct cursor *c, int *minutes_out)
{
    int hours, minutes = 0;

    *minutes_out = 0;
    if (take(c, 'Z') || take(c, 'z'))
        return true;
    bool west = take(c, '-');
    if ((!west && !take(c, '+')) || !take_digits(c, 2, &hours))
        return false;
    if (take(c, ':') || c->p < c->end)
        if (!take_digits(c, 2, &minutes))
            return false;
    if (hours > 23 || minutes > 59)
        return false;
    *minutes_out = (hours * 60 + minutes) * (west ? -1 : 1);
    return true;
}

/* "2027-01-01T00:00:00.000" with (rfc3339) or without (datetime) an offset behind it. */
static bool read_date_text(const char *text, size_t len, unsigned formats, int zone_minutes,
                           int64_t *ns_out)
{
    struct cursor c = {text, text + len};
    int year, month, day, hour, minute, second;
    int64_t nanos = 0;

    if (!take_digits(&c, 4, &year) || !take(&c, '-') || !take_digits(&c, 2, &month) ||
        !take(&c, '-') || !take_digits(&c, 2, &day) ||
        !(take(&c, 'T') || take(&c, 't') || take(&c, ' ')) || !take_digits(&c, 2, &hour) ||
        !take(&c, ':') || !take_digits(&c, 2, &minute) || !take(&c, ':') ||
        !take_digits(&c, 2, &second))
        return false;
    if (take(&c, '.') && !take_fraction(&c, 9, &nanos))
        return false;
    if (c.p == c.end) {
        if (!(formats & TIME_DATETIME))
            return false;
    } else if (!(formats & TIME_RFC3339) || !take_offset(&c, &zone_minutes) || c.p != c.end) {
        return false;
    }
    int64_t ns;
    if (!time_from_civil(year, month, day, hour, minute, second, nanos, &ns))
        return false;
    return !__builtin_sub_overflow(ns, zone_minutes * 60 * ns_per_second, ns_out);
}

/* ---- epochs ---------------------------------------------------------------------------------- */

/* ns a unit, for a number of this size; 0 if it is not allowed. */
static int64_t epoch_unit(unsigned formats, uint64_t size)
{
    unsigned allowed = formats & epoch_formats;

    if (allowed & (allowed - 1))
        allowed &= size < UINT64_C(100000000000)         ? TIME_EPOCH_S
                   : size < UINT64_C(100000000000000)    ? TIME_EPOCH_MS
                   : size < UINT64_C(100000000000000000) ? TIME_EPOCH_US
                                                         : TIME_EPOCH_NS;
    switch (allowed) {
    case TIME_EPOCH_S: return ns_per_second;
    case TIME_EPOCH_MS: return 1000000;
    case TIME_EPOCH_US: return 1000;
    case TIME_EPOCH_NS: return 1;
    default: return 0;
    }
}

static bool read_epoch_int(int64_t i, unsigned formats, int64_t *ns_out)
{
    int64_t unit = epoch_unit(formats, i < 0 ? 0 - (uint64_t)i : (uint64_t)i);
    return unit && !__builtin_mul_overflow(i, unit, ns_out);
}

static bool read_epoch_double(double d, unsigned formats, int64_t *ns_out)
{
    if (!(fabs(d) < 9.3e18))
        return false;
    int64_t unit = epoch_unit(formats, (uint64_t)fabs(d));
    if (!unit)
        return false;
    /* Whole part and rest apart: their product with the unit as one double would be rounded to
     * some 200 ns. */
    double whole = trunc(d);
    __int128 ns = (__int128)whole * unit + (__int128)llroundl((long double)(d - whole) * unit);
    *ns_out = (int64_t)ns;
    return ns >= INT64_MIN && ns <= INT64_MAX;
}

static int unit_digits(int64_t unit)
{
    return unit == ns_per_second ? 9 : unit == 1000000 ? 6 : unit == 1000 ? 3 : 0;
}

/* "-1588205000.123456": exact. */
static bool read_epoch_text(const char *text, size_t len, unsigned formats, int64_t *ns_out)
{
    struct cursor c = {text, text + len};
    int64_t whole = 0, fraction = 0;

    bool negative = take(&c, '-');
    if (!digit_at(&c))
        return false;
    for (; digit_at(&c); c.p++)
        if (__builtin_mul_overflow(whole, 10, &whole) ||
            __builtin_add_overflow(whole, *c.p - '0', &whole))
            return false;
    int64_t unit = epoch_unit(formats, (uint64_t)whole);
    if (!unit)
        return false;
    if (take(&c, '.') && !take_fraction(&c, unit_digits(unit), &fraction))
        return false;
    __int128 ns = (__int128)whole * unit + fraction;
    if (negative)
        ns = -ns;
    *ns_out = (int64_t)ns;
    return c.p == c.end && ns >= INT64_MIN && ns <= INT64_MAX;
}

bool time_read(struct value v, unsigned formats, int zone_minutes, int64_t *ns_out)
{
    switch (v.type) {
    case VALUE_INT: return read_epoch_int(v.u.i, formats, ns_out);
    case VALUE_DOUBLE: return read_epoch_double(v.u.d, formats, ns_out);
    case VALUE_TIME: *ns_out = v.u.i; return true;
    case VALUE_TEXT:
        /* Five bytes tell a date from a number. */
        if (v.len > 4 && v.u.text[4] == '-')
            return read_date_text(v.u.text, v.len, formats, zone_minutes, ns_out);
        return v.len && read_epoch_text(v.u.text, v.len, formats, ns_out);
    default: return false;
    }
}

/* ---- writing --------------------------------------------------------------------------------- */

void time_add_text(struct buf *out, int64_t ns)
{
    int64_t seconds = ns / ns_per_second;
    int64_t nanos = ns % ns_per_second;
    int year, month, day;

    if (nanos < 0) {
        nanos += ns_per_second;
        seconds--;
    }
    int64_t days = seconds / 86400;
    int64_t rest = seconds % 86400;
    if (rest < 0) {
        rest += 86400;
        days--;
    }
    civil_from_days(days, &year, &month, &day);
    buf_printf(out, "%04d-%02d-%02dT%02d:%02d:%02d", year, month, day, (int)(rest / 3600),
               (int)(rest / 60 % 60), (int)(rest % 60));
    if (nanos % 1000)
        buf_printf(out, ".%09d", (int)nanos);
    else if (nanos % 1000000)
        buf_printf(out, ".%06d", (int)(nanos / 1000));
    else if (nanos)
        buf_printf(out, ".%03d", (int)(nanos / 1000000));
    buf_addc(out, 'Z');
}

static uint64_t magnitude(struct buf *out, int64_t ns)
{
    if (ns >= 0)
        return (uint64_t)ns;
    buf_addc(out, '-');
    return 0 - (uint64_t)ns;
}

/* Seconds and their fraction, without zeros at its end. */
static void add_seconds(struct buf *out, uint64_t ns)
{
    unsigned nanos = (unsigned)(ns % 1000000000);
    int digits = 9;

    buf_printf(out, "%llu", (unsigned long long)(ns / 1000000000));
    if (!nanos)
        return;
    for (; nanos % 10 == 0; digits--)
        nanos /= 10;
    buf_printf(out, ".%0*u", digits, nanos);
}

void duration_add_text(struct buf *out, int64_t ns)
{
    static const struct {
        uint64_t ns;
        const char *name;
    } unit[] = {{86400000000000, "d"}, {3600000000000, "h"}, {60000000000, "m"}};
    uint64_t rest = magnitude(out, ns);

    if (rest == 0) {
        buf_adds(out, "0s");
        return;
    }
    for (size_t i = 0; i < sizeof unit / sizeof unit[0]; i++) {
        if (rest >= unit[i].ns)
            buf_printf(out, "%llu%s", (unsigned long long)(rest / unit[i].ns), unit[i].name);
        rest %= unit[i].ns;
    }
    if (rest % 1000000) {
        add_seconds(out, rest);
        buf_addc(out, 's');
        return;
    }
    if (rest >= 1000000000)
        buf_printf(out, "%llus", (unsigned long long)(rest / 1000000000));
    if (rest % 1000000000)
        buf_printf(out, "%llums", (unsigned long long)(rest % 1000000000 / 1000000));
}

void duration_add_seconds(struct buf *out, int64_t ns)
{
    add_seconds(out, magnitude(out, ns));
}
