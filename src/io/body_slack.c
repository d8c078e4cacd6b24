// SPDX-License-Identifier: Apache-2.0
/*
 * body_slack - a message for an incoming webhook of Slack.
 *
 *     text          what notifications show: "[HIGH] title"
 *     blocks        header: the title
 *     attachments   one, coloured by severity: description, key and fields, rule, time, link;
 *                   of several alerts a line for each
 *
 * Limits (Block Kit reference): header 150 characters, section text 3,000, field 2,000 and ten of them,
 * 50 blocks; characters are counted as UTF-16 does, after escaping, so on the safe side.
 * Event data is never markup: & < > are escaped, so no <!channel>, <@user> or link comes of it; texts are
 * `verbatim`, so names and addresses are not linked; @here and its like get a word joiner; values stand in
 * backticks, of which they hold none.
 */
#include <string.h>

#include "base/buf.h"
#include "event/json_write.h"
#include "event/time_format.h"
#include "io/body_entity.h"
#include "io/body_priv.h"
#include "io/template_escape.h"

enum {
    HEADER_MAX = 150, TEXT_MAX = 3000, FALLBACK_MAX = 1000,
    NAME_MAX_UNITS = 100, VALUE_MAX = 500, KEY_MAX = 300,
    FIELDS_A_BLOCK = 10, FIELD_BLOCKS = 2, LINES = 20
};

static const char *colour_of(enum body_severity severity)
{
    static const char *const colours[] = {
#define SEVERITY(name, colour, pagerduty, ocsf_id, ocsf, risk, number) colour,
#include "io/body_severity.def"
#undef SEVERITY
    };
    return colours[severity];
}

static const char *capitals_of(enum body_severity severity)
{
    static const char *const words[] = {"INFO", "LOW", "MEDIUM", "HIGH", "CRITICAL"};

    return words[severity];
}

/* For what stands in backticks, which end at a line's end. */
static size_t escape_code(const char *p, size_t n, const char *end, char *bytes)
{
    if (*p == '`') {
        memcpy(bytes, "\xcb\x8b", 2);
        return 2;
    }
    if ((unsigned char)*p < 0x20) {
        bytes[0] = ' ';
        return 1;
    }
    return escape_slack(p, n, end, bytes);
}

/* Within <URL|text>. */
static size_t escape_link(const char *p, size_t n, const char *end, char *bytes)
{
    if (*p == '|' || *p == '<' || *p == '>' || (unsigned char)*p <= 0x20)
        return escape_url(p, n, end, bytes);
    return escape_slack(p, n, end, bytes);
}

/* For plain_text, in which nothing is markup: still no control sequence, should someone copy it. */
static size_t escape_plain(const char *p, size_t n, const char *end, char *bytes)
{
    if (*p == '<' && p + 1 < end && strchr("!@#", p[1])) {
        memcpy(bytes, "<\xe2\x81\xa0", 4);
        return 4;
    }
    if ((unsigned char)*p < 0x20) {
        bytes[0] = ' ';
        return 1;
    }
    return *p == '@' ? escape_slack(p, n, end, bytes) : escape_none(p, n, end, bytes);
}

static void add_mrkdwn(struct buf *out, const struct buf *text)
{
    buf_adds(out, "{\"type\":\"mrkdwn\",\"text\":");
    buf_add_json_text(out, text->data, text->len);
    buf_adds(out, ",\"verbatim\":true}");
}

static void add_section(struct buf *out, const struct buf *text)
{
    json_add_comma(out);
    buf_adds(out, "{\"type\":\"section\",\"text\":");
    add_mrkdwn(out, text);
    buf_addc(out, '}');
}

/* The member in backticks, or nothing. */
static void add_code(struct buf *text, const char *value, size_t len, size_t max)
{
    if (len == 0)
        return;
    buf_addc(text, '`');
    (void)escape_add_units(text, value, len, max, escape_code);
    buf_addc(text, '`');
}

/* ---- one alert ------------------------------------------------------------------------------- */

struct fields {
    struct buf *out;
    size_t n;
    bool more;
};

static void add_field(void *ctx, const struct body_pair *pair)
{
    struct fields *f = ctx;
    struct buf text, value;

    f->more |= f->n == FIELDS_A_BLOCK * FIELD_BLOCKS;
    if (f->more)
        return;
    if (f->n % FIELDS_A_BLOCK == 0) {
        if (f->n > 0)
            buf_adds(f->out, "]}");
        json_add_comma(f->out);
        buf_adds(f->out, "{\"type\":\"section\",\"fields\":[");
    }
    f->n++;
    buf_init(&text);
    buf_init(&value);
    json_view_add_text(pair->value, &value);
    buf_addc(&text, '*');
    if (pair->len == 0)
        buf_addc(&text, '-'); /* ** would be nothing */
    (void)escape_add_units(&text, pair->path, pair->len, NAME_MAX_UNITS, escape_code);
    buf_adds(&text, "*\n");
    add_code(&text, value.data, value.len, VALUE_MAX);
    json_add_comma(f->out);
    add_mrkdwn(f->out, &text);
    buf_fini(&text);
    buf_fini(&value);
}

static void add_fields(const struct body_item *item, struct buf *out)
{
    struct fields f = {out, 0, false};

    body_each_pair(item, add_field, &f);
    if (f.n > 0)
        buf_adds(out, "]}");
}

static void add_description(const struct body_item *item, struct buf *out)
{
    struct buf plain, text;

    buf_init(&plain);
    buf_init(&text);
    if (item->is_alert)
        json_view_add_text(item->member[MEMBER_description], &plain);
    else
        body_add_other(item, TEXT_MAX, &plain);
    (void)escape_add_units(&text, plain.data, plain.len, TEXT_MAX, escape_slack);
    if (text.len > 0)
        add_section(out, &text);
    buf_fini(&plain);
    buf_fini(&text);
}

/* In the reader's zone, by Slack. */
static void add_when(const struct body_item *item, struct buf *text)
{
    buf_printf(text, "<!date^%lld^{date_short_pretty} {time_secs}|",
               (long long)(item->time / 1000000000));
    time_add_text(text, item->time);
    buf_addc(text, '>');
}

static void add_link(const struct body_message *m, struct buf *text)
{
    struct buf link;

    buf_init(&link);
    if (body_add_link(m, &link)) {
        buf_adds(text, "  <");
        (void)escape_add(text, link.data, link.len, SIZE_MAX, escape_link);
        buf_adds(text, "|Open>");
    }
    buf_fini(&link);
}

static void add_foot(const struct body_message *m, struct buf *out)
{
    const struct body_item *item = m->item;
    struct buf text, part;

    buf_init(&text);
    buf_init(&part);
    json_view_add_text(item->member[MEMBER_rule], &part);
    buf_printf(&text, "%s  ", capitals_of(body_severity(m)));
    add_code(&text, part.data, part.len, NAME_MAX_UNITS);
    buf_adds(&text, "  ");
    add_when(item, &text);
    if (item->suppressed > 0)
        buf_printf(&text, "  %lld more held back", (long long)item->suppressed);
    if (item->revision > 0)
        buf_printf(&text, "  revision %lld", (long long)item->revision);
    add_link(m, &text);
    json_add_comma(out);
    buf_adds(out, "{\"type\":\"context\",\"elements\":[");
    add_mrkdwn(out, &text);
    buf_adds(out, "]}");
    buf_fini(&text);
    buf_fini(&part);
}

/* ---- several --------------------------------------------------------------------------------- */

static void add_line(const struct body_message *m, const struct body_item *item, struct buf *out)
{
    struct body_message one = {m->body, item, 1, NULL, m->now, m->max_bytes};
    struct buf text, part;

    buf_init(&text);
    buf_init(&part);
    buf_printf(&text, "*%s* ", capitals_of(item->severity));
    json_view_add_text(item->member[MEMBER_title], &part);
    (void)escape_add_units(&text, part.data, part.len, VALUE_MAX, escape_slack);
    buf_clear(&part);
    body_add_key(item, &part);
    buf_adds(&text, "  ");
    add_code(&text, part.data, part.len, KEY_MAX);
    buf_adds(&text, "  ");
    add_when(item, &text);
    add_link(&one, &text);
    add_section(out, &text);
    buf_fini(&text);
    buf_fini(&part);
}

static void add_lines(const struct body_message *m, struct buf *out)
{
    uint64_t n = m->n < LINES ? m->n : LINES;

    for (size_t i = 0; i < n; i++)
        add_line(m, &m->item[i], out);
    if (body_count(m) > n) {
        struct buf text;
        buf_init(&text);
        buf_printf(&text, "and %llu more", (unsigned long long)(body_count(m) - n));
        add_section(out, &text);
        buf_fini(&text);
    }
}

/* ---- the message ----------------------------------------------------------------------------- */

static void add_cut(struct buf *out, const struct buf *text, size_t max,
                    size_t (*escape)(const char *p, size_t n, const char *end, char *bytes))
{
    struct buf cut;

    buf_init(&cut);
    (void)escape_add_units(&cut, text->data, text->len, max, escape);
    buf_add_json_text(out, cut.data, cut.len);
    buf_fini(&cut);
}

bool body_write_slack(const struct body *b, const struct body_message *m, struct buf *out,
                      struct buf *why)
{
    enum body_severity severity = body_severity(m);
    struct buf heading, text;

    (void)b, (void)why;
    buf_init(&heading);
    buf_init(&text);
    body_add_heading(m, &heading);
    buf_printf(&text, "[%s] ", capitals_of(severity));
    buf_add(&text, heading.data, heading.len);
    buf_adds(out, "{\"text\":");
    add_cut(out, &text, FALLBACK_MAX, escape_slack);
    buf_adds(out, ",\"blocks\":[{\"type\":\"header\",\"text\":{\"type\":\"plain_text\",\"emoji\":false,"
                  "\"text\":");
    add_cut(out, &heading, HEADER_MAX, escape_plain);
    buf_printf(out, "}}],\"attachments\":[{\"color\":\"%s\",\"blocks\":[", colour_of(severity));
    if (m->n == 1) {
        add_description(m->item, out);
        add_fields(m->item, out);
        add_foot(m, out);
    } else {
        add_lines(m, out);
    }
    buf_adds(out, "]}]}");
    buf_fini(&heading);
    buf_fini(&text);
    return true;
}
