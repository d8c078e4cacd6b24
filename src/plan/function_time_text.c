// SPDX-License-Identifier: Apache-2.0
/*
 * function_time_text - parse_time(): times that are written in a format of their own.
 *
 * The named formats are those of sources (event/time_format.h). In others %Y is 4 digits, %m %d %H
 * %M %S at most 2, %j at most 3, %f any number (those beyond the ninth are cut), %z what RFC 3339
 * has or +hhmm or +hh, %b the first three letters of an English month (case ignored), %s whole
 * seconds since 1970, %% itself; a blank is one blank or more, everything else itself. The text has
 * to fit to its end. A format is read anew for each text: it is short, and nothing has to be kept.
 */
#include <stdio.h>
#include <string.h>

#include "base/civil.h"
#include "base/suggest.h"
#include "base/zone.h"
#include "event/time_format.h"
#include "plan/function.h"
#include "plan/function_priv.h"
#include "plan/operate.h"

static const int64_t NS_PER_SECOND = 1000000000;
static const char DIRECTIVES[] = "%Y %m %b %d %j %H %M %S %f %z %s %%";

struct cursor {
    const char *p, *end;
};

/* What was read of one text. */
struct parts {
    int year, month, day, day_of_year, hour, minute, second;
    int64_t nanos, epoch;
    bool before_epoch;
    int offset; /* seconds east of UTC */
    uint32_t seen;
};

/* A bit for each directive. */
static uint32_t bit(char directive)
{
    static const char known[] = "YmbdjHMSfzs%";
    const char *at = directive ? strchr(known, directive) : NULL;

    return at ? 1u << (at - known) : 0;
}

static bool has(uint32_t seen, char directive)
{
    return (seen & bit(directive)) != 0;
}

/* ---- reading --------------------------------------------------------------------------------- */

static bool take(struct cursor *c, char want)
{
    if (c->p == c->end || *c->p != want)
        return false;
    c->p++;
    return true;
}

static bool digit_at(const struct cursor *c)
{
    return c->p < c->end && *c->p >= '0' && *c->p <= '9';
}

static bool take_number(struct cursor *c, int min, int max, int *number_out)
{
    int n = 0;

    *number_out = 0;
    for (; n < max && digit_at(c); n++)
        *number_out = *number_out * 10 + (*c->p++ - '0');
    return n >= min;
}

static bool take_fraction(struct cursor *c, int64_t *nanos_out)
{
    int64_t unit = NS_PER_SECOND;

    *nanos_out = 0;
    if (!digit_at(c))
        return false;
    for (; digit_at(c); c->p++) {
        unit /= 10;
        *nanos_out += unit * (*c->p - '0');
    }
    return true;
}

static bool take_epoch(struct cursor *c, struct parts *parts)
{
    parts->before_epoch = take(c, '-');
    if (!digit_at(c))
        return false;
    for (parts->epoch = 0; digit_at(c); c->p++) {
        parts->epoch = parts->epoch * 10 + (*c->p - '0');
        if (parts->epoch > INT64_MAX / NS_PER_SECOND)
            return false;
    }
    return true;
}

static bool take_month(struct cursor *c, int *month_out)
{
    static const char names[] = "janfebmaraprmayjunjulaugsepoctnovdec";
    char word[3];

    if (c->end - c->p < 3)
        return false;
    for (int i = 0; i < 3; i++)
        word[i] = (char)(*c->p++ | 0x20);
    for (int month = 1; month <= 12; month++) {
        if (memcmp(names + 3 * (month - 1), word, 3) == 0) {
            *month_out = month;
            return true;
        }
    }
    return false;
}

static bool take_offset(struct cursor *c, int *seconds_out)
{
    int hours, minutes = 0;

    *seconds_out = 0;
    if (take(c, 'Z') || take(c, 'z'))
        return true;
    bool west = take(c, '-');
    if ((!west && !take(c, '+')) || !take_number(c, 2, 2, &hours))
        return false;
    if ((take(c, ':') || digit_at(c)) && !take_number(c, 2, 2, &minutes))
        return false;
    *seconds_out = (hours * 3600 + minutes * 60) * (west ? -1 : 1);
    return hours <= 23 && minutes <= 59;
}

static bool read_directive(char directive, struct cursor *c, struct parts *parts)
{
    parts->seen |= bit(directive);
    switch (directive) {
    case 'Y': return take_number(c, 4, 4, &parts->year);
    case 'm': return take_number(c, 1, 2, &parts->month);
    case 'b': return take_month(c, &parts->month);
    case 'd': return take_number(c, 1, 2, &parts->day);
    case 'j': return take_number(c, 1, 3, &parts->day_of_year);
    case 'H': return take_number(c, 1, 2, &parts->hour);
    case 'M': return take_number(c, 1, 2, &parts->minute);
    case 'S': return take_number(c, 1, 2, &parts->second);
    case 'f': return take_fraction(c, &parts->nanos);
    case 'z': return take_offset(c, &parts->offset);
    case 's': return take_epoch(c, parts);
    default: return take(c, '%');
    }
}

static bool read_text(struct value format, struct cursor *c, struct parts *parts)
{
    const char *f = format.u.text, *end = f + format.len;

    for (; f < end; f++) {
        if (*f == '%' && end - f > 1) {
            if (!read_directive(*++f, c, parts))
                return false;
        } else if (!take(c, *f)) {
            return false;
        } else if (*f == ' ') {
            while (take(c, ' '))
                ;
        }
    }
    return c->p == c->end;
}

/* ---- the time -------------------------------------------------------------------------------- */

static bool to_ns(__int128 ns, int64_t *ns_out)
{
    *ns_out = (int64_t)ns;
    return ns >= INT64_MIN && ns <= INT64_MAX;
}

/* A local time in a zone, both ns. */
static bool in_zone(const struct zone *zone, int64_t local, int64_t *ns_out)
{
    int64_t second = civil_floor(local, NS_PER_SECOND);

    return to_ns((__int128)zone_to_utc(zone, second) * NS_PER_SECOND +
                 civil_rest(local, NS_PER_SECOND), ns_out);
}

static bool time_of(const struct parts *parts, const struct zone *zone, int64_t *ns_out)
{
    int day_of_year = parts->day_of_year;
    int64_t ns;

    if (has(parts->seen, 's')) {
        __int128 epoch = (__int128)parts->epoch * NS_PER_SECOND + parts->nanos;
        return to_ns(parts->before_epoch ? -epoch : epoch, ns_out);
    }
    bool by_day = has(parts->seen, 'j');
    if (by_day && (day_of_year < 1 || day_of_year > 365 + civil_is_leap(parts->year)))
        return false;
    if (!time_from_civil(parts->year, by_day ? 1 : parts->month, by_day ? 1 : parts->day,
                         parts->hour, parts->minute, parts->second, parts->nanos, &ns))
        return false;
    if (by_day && !to_ns(ns + (__int128)(day_of_year - 1) * 86400 * NS_PER_SECOND, &ns))
        return false;
    if (zone && !has(parts->seen, 'z'))
        return in_zone(zone, ns, ns_out);
    return to_ns(ns - (__int128)parts->offset * NS_PER_SECOND, ns_out);
}

struct value function_parse_time(const struct value *arg, uint32_t n)
{
    struct value x = arg[0], format = arg[1];
    const struct zone *zone = NULL;
    enum time_format named;
    int64_t ns;

    if (n > 2 && arg[2].type == VALUE_TEXT)
        zone = zone_find(arg[2].u.text, arg[2].len);
    if ((x.type != VALUE_TEXT && !value_is_number(x)) || format.type != VALUE_TEXT ||
        (n > 2 && !zone))
        return value_missing();
    if (time_format_named(format.u.text, format.len, &named)) {
        bool ok = time_read(x, named, 0, &ns) &&
                  (!zone || named != TIME_DATETIME || in_zone(zone, ns, &ns));
        return ok ? value_time(ns) : value_missing();
    }
    struct cursor c = { x.u.text, x.u.text + x.len };
    struct parts parts = { 0 };
    if (x.type != VALUE_TEXT || !read_text(format, &c, &parts) || !time_of(&parts, zone, &ns))
        return value_missing();
    return value_time(ns);
}

/* ---- formats --------------------------------------------------------------------------------- */

static bool fault_is(struct function_fault *fault, const char *text, const char *hint)
{
    snprintf(fault->text, sizeof fault->text, "%s", text);
    snprintf(fault->hint, sizeof fault->hint, "%s", hint);
    return false;
}

static bool unknown_format(struct value format, struct function_fault *fault)
{
    static const char *const names[] = { "rfc3339", "datetime", "epoch_s", "epoch_ms", "epoch_us",
                                         "epoch_ns" };
    char name[64];
    struct suggest s;

    snprintf(fault->text, sizeof fault->text, "`%.*s` is no time format", function_shown(format),
             format.u.text);
    snprintf(name, sizeof name, "%.*s", function_shown(format), format.u.text);
    suggest_init(&s, name);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        suggest_try(&s, names[i]);
    if (suggest_result(&s))
        snprintf(fault->hint, sizeof fault->hint, "did you mean `%s`?", suggest_result(&s));
    else
        snprintf(fault->hint, sizeof fault->hint, "%s, or of %s", time_format_names(), DIRECTIVES);
    return false;
}

/* Do the directives make a time, and one only? */
static bool check_seen(uint32_t seen, struct function_fault *fault)
{
    static const struct {
        char what, needs;
    } rules[] = { { 'M', 'H' }, { 'S', 'M' }, { 'f', 'S' } };

    if (has(seen, 's'))
        return !(seen & ~(bit('s') | bit('f') | bit('%'))) ||
               fault_is(fault, "`%s` stands for the whole time: only `%f` goes with it", "");
    if (!has(seen, 'Y'))
        return fault_is(fault, "a time without a year (`%Y`) is none", "no function asks the clock");
    if (has(seen, 'j') ? (seen & (bit('m') | bit('b') | bit('d'))) != 0
                       : has(seen, 'm') == has(seen, 'b') || !has(seen, 'd'))
        return fault_is(fault, "the date needs a month (`%m` or `%b`) and `%d`, or `%j`", "");
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        if (!has(seen, rules[i].what) || has(seen, rules[i].needs))
            continue;
        snprintf(fault->text, sizeof fault->text, "`%%%c` needs `%%%c`", rules[i].what,
                 rules[i].needs);
        return false;
    }
    return true;
}

static bool check_directives(struct value format, uint32_t *seen_out, struct function_fault *fault)
{
    *seen_out = 0;
    for (size_t i = 0; i < format.len; i++) {
        if (format.u.text[i] != '%')
            continue;
        char directive = ++i < format.len ? format.u.text[i] : '\0';
        if (!bit(directive)) {
            bool ascii = directive > ' ' && directive < 127;
            snprintf(fault->text, sizeof fault->text, "a time format has no `%%%.*s`", ascii,
                     &directive);
            snprintf(fault->hint, sizeof fault->hint, "there are %s", DIRECTIVES);
            return false;
        }
        if (directive != '%' && has(*seen_out, directive)) {
            snprintf(fault->text, sizeof fault->text, "`%%%c` stands there twice", directive);
            return false;
        }
        *seen_out |= bit(directive);
    }
    return true;
}

bool function_check_format(struct value format, bool *zone_out, struct function_fault *fault)
{
    enum time_format named;
    uint32_t seen;

    *zone_out = false;
    if (time_format_named(format.u.text, format.len, &named)) {
        *zone_out = named == TIME_DATETIME;
        return true;
    }
    if (format.len == 0 || !memchr(format.u.text, '%', format.len))
        return unknown_format(format, fault);
    if (!check_directives(format, &seen, fault) || !check_seen(seen, fault))
        return false;
    *zone_out = !has(seen, 'z') && !has(seen, 's');
    return true;
}
