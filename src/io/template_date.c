// SPDX-License-Identifier: Apache-2.0
/*
 * template_date - the filter `date`: RFC 3339 text or a number of s, ms, us or ns (event/time_format.h)
 * as a number, or as text in the directives that parse_time() of rules has.
 */
#include <stdio.h>
#include <string.h>

#include "base/civil.h"
#include "base/zone.h"
#include "event/time_format.h"
#include "io/template_priv.h"

#define SECOND INT64_C(1000000000)

static const char DIRECTIVES[] = "%Y %m %b %d %j %H %M %S %f %z %s %%";
static const char MONTHS[] = "JanFebMarAprMayJunJulAugSepOctNovDec";

bool template_date_check(struct template_reader *r, const char *at, struct template_filter *filter)
{
    const struct template_argument *format = &filter->argument[0];
    enum time_format named;

    if (format->is_number || (filter->n_arguments > 1 && filter->argument[1].is_number))
        return template_fail(r, at, "`date` takes a form and a zone: date(%%H:%%M, Europe/Paris)");
    bool is_named = time_format_named(format->text, format->len, &named);
    for (size_t i = 0; !is_named && i < format->len; i++) {
        if (format->text[i] != '%')
            continue;
        i++;
        if (i == format->len || !strchr("YmbdjHMSfzs%", format->text[i]))
            return template_fail(r, at, "`date` knows %s, and epoch_s, epoch_ms, epoch_us, epoch_ns",
                                 DIRECTIVES);
    }
    if (!is_named && memchr(format->text, '%', format->len) == NULL)
        return template_fail(r, at, "`%s` is no form of a date: %s, or epoch_s, epoch_ms, epoch_us, "
                             "epoch_ns", format->text, DIRECTIVES);
    if (filter->n_arguments < 2)
        return true;
    filter->zone = zone_find(filter->argument[1].text, filter->argument[1].len);
    return filter->zone || template_fail(r, at, "there is no zone `%s`", filter->argument[1].text);
}

static void add_epoch(struct buf *out, enum time_format format, int64_t ns)
{
    int64_t unit = format == TIME_EPOCH_S ? SECOND : format == TIME_EPOCH_MS ? SECOND / 1000
                   : format == TIME_EPOCH_US ? SECOND / 1000000 : 1;

    buf_add_int(out, civil_floor(ns, unit));
}

struct moment {
    struct civil_date date;
    int64_t days, second; /* of the day */
    int64_t utc, nanos;
    int32_t offset;
};

static struct moment moment_of(int64_t ns, const struct zone *zone)
{
    struct moment m = {.utc = civil_floor(ns, SECOND), .nanos = civil_rest(ns, SECOND)};

    m.offset = zone ? zone_offset(zone, m.utc) : 0;
    m.days = civil_floor(m.utc + m.offset, 86400);
    m.second = civil_rest(m.utc + m.offset, 86400);
    m.date = civil_date(m.days);
    return m;
}

static void add_directive(struct buf *out, char directive, const struct moment *m)
{
    int offset = m->offset < 0 ? -m->offset : m->offset;

    switch (directive) {
    case 'Y': buf_printf(out, "%04lld", (long long)m->date.year); break;
    case 'm': buf_printf(out, "%02u", m->date.month); break;
    case 'b': buf_add(out, MONTHS + 3 * (m->date.month - 1), 3); break;
    case 'd': buf_printf(out, "%02u", m->date.day); break;
    case 'j':
        buf_printf(out, "%03lld", (long long)(m->days - civil_days(m->date.year, 1, 1) + 1));
        break;
    case 'H': buf_printf(out, "%02lld", (long long)(m->second / 3600)); break;
    case 'M': buf_printf(out, "%02lld", (long long)(m->second / 60 % 60)); break;
    case 'S': buf_printf(out, "%02lld", (long long)(m->second % 60)); break;
    case 'f': buf_printf(out, "%03lld", (long long)(m->nanos / 1000000)); break;
    case 'z':
        buf_printf(out, "%c%02d:%02d", m->offset < 0 ? '-' : '+', offset / 3600, offset / 60 % 60);
        break;
    case 's': buf_add_int(out, m->utc); break;
    default: buf_addc(out, directive); break;
    }
}

struct template_value template_date(const struct template_filter *filter, struct template_value value,
                                    struct template_scratch *scratch)
{
    const struct template_argument *format = &filter->argument[0];
    struct template_value text = template_text_of(value, scratch);
    enum time_format named;
    int64_t ns;

    if (!time_read(value_text(text.p, text.len), TIME_ALL, 0, &ns))
        return value; /* what is no time stays what it is */
    struct buf *out = template_next_out(scratch);
    if (time_format_named(format->text, format->len, &named)) {
        if (named == TIME_RFC3339 || named == TIME_DATETIME) {
            time_add_text(out, ns);
            return (struct template_value){VALUE_IS_TEXT, out->data, out->len};
        }
        add_epoch(out, named, ns);
        return (struct template_value){VALUE_IS_JSON, out->data, out->len};
    }
    struct moment m = moment_of(ns, filter->zone);
    for (size_t i = 0; i < format->len; i++) {
        if (format->text[i] == '%')
            add_directive(out, format->text[++i], &m);
        else
            buf_addc(out, format->text[i]);
    }
    return (struct template_value){VALUE_IS_TEXT, out->data ? out->data : "", out->len};
}
