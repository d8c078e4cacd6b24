// SPDX-License-Identifier: Apache-2.0
#include "base/log_form.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "base/utf8.h"

static const char *const level_name[] = {"debug", "info", "warning", "error"};
static const int level_priority[] = {7, 6, 4, 3}; /* of syslog */
static const char *const category_name[] = {
#define LOG_CATEGORY(name) #name,
#include "base/log.def"
#undef LOG_CATEGORY
};

static void add_time(struct buf *b, int64_t now)
{
    struct tm tm;
    time_t seconds = (time_t)(now / 1000000000);

    gmtime_r(&seconds, &tm);
    buf_printf(b, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", tm.tm_year + 1900, tm.tm_mon + 1,
               tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec, (int)(now / 1000000 % 1000));
}

/* ---- key=value ------------------------------------------------------------------------------- */

static void form_pairs(struct buf *out, const struct log_entry *entry, bool journal)
{
    if (!journal) {
        add_time(out, entry->time);
        buf_addc(out, ' ');
    }
    buf_printf(out, "level=%s category=%s", level_name[entry->level], category_name[entry->category]);
    log_field(out, "msg", entry->msg);
    if (entry->fields && *entry->fields)
        buf_printf(out, "%s%s", *entry->fields == ' ' ? "" : " ", entry->fields);
    if (entry->held)
        buf_printf(out, " held=%" PRIu32, entry->held);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

/* A number as JSON has it: other readers need not take what we do not write. */
static bool is_number(const char *text, size_t len)
{
    size_t i = len > 0 && text[0] == '-', digits = 0;

    if (i + 1 < len && text[i] == '0' && text[i + 1] != '.')
        return false;
    for (; i < len && text[i] >= '0' && text[i] <= '9'; i++)
        digits++;
    if (digits == 0)
        return false;
    if (i == len)
        return true;
    if (text[i++] != '.' || i == len)
        return false;
    for (; i < len; i++)
        if (text[i] < '0' || text[i] > '9')
            return false;
    return true;
}

/* What is no UTF-8 (a file may have any name) is told as U+FFFD. */
static void add_clean(struct buf *out, const char *text, size_t len)
{
    size_t bad;

    while (!utf8_valid(text, len, &bad)) {
        buf_add(out, text, bad);
        buf_adds(out, "\xEF\xBF\xBD");
        text += bad + 1;
        len -= bad + 1;
    }
    buf_add(out, text, len);
}

/* Bytes of the value at text: quoted as JSON, or up to a blank. */
static size_t value_length(const char *text)
{
    size_t i = 1;

    if (*text != '"')
        return strcspn(text, " ");
    for (; text[i] && text[i] != '"'; i++)
        i += text[i] == '\\' && text[i + 1];
    return i + (text[i] == '"');
}

static void add_members(struct buf *out, const char *fields)
{
    for (fields += strspn(fields, " "); *fields; fields += strspn(fields, " ")) {
        size_t key = strcspn(fields, "= "), len;
        const char *value = fields + key + (fields[key] == '=');
        buf_adds(out, ",\"");
        add_clean(out, fields, key);
        buf_adds(out, "\":");
        len = value_length(value);
        if (*value == '"' || is_number(value, len)) {
            add_clean(out, value, len);
        } else {
            buf_addc(out, '"');
            add_clean(out, value, len);
            buf_addc(out, '"');
        }
        fields = value + len;
    }
}

static void form_json(struct buf *out, const struct log_entry *entry, bool journal)
{
    buf_addc(out, '{');
    if (!journal) {
        buf_adds(out, "\"time\":\"");
        add_time(out, entry->time);
        buf_adds(out, "\",");
    }
    buf_printf(out, "\"level\":\"%s\",\"category\":\"%s\",\"msg\":", level_name[entry->level],
               category_name[entry->category]);
    buf_add_json_text(out, entry->msg, strlen(entry->msg));
    if (entry->fields)
        add_members(out, entry->fields);
    if (entry->held)
        buf_printf(out, ",\"held\":%" PRIu32, entry->held);
    buf_addc(out, '}');
}

void log_form(struct buf *out, const struct log_entry *entry, enum log_format format, bool journal)
{
    if (journal)
        buf_printf(out, "<%d>", level_priority[entry->level]);
    if (format == LOG_JSON)
        form_json(out, entry, journal);
    else
        form_pairs(out, entry, journal);
    buf_addc(out, '\n');
}

/* ---- levels ---------------------------------------------------------------------------------- */

static int find_name(const char *const *name, size_t n, const char *text, size_t len)
{
    for (size_t i = 0; i < n; i++)
        if (strlen(name[i]) == len && memcmp(name[i], text, len) == 0)
            return (int)i;
    return -1;
}

bool log_levels_read(struct log_levels *levels_out, const char *text, struct buf *why)
{
    static const char blanks[] = " ,\t\n";
    struct log_levels levels;

    log_levels_init(&levels);
    for (text += strspn(text, blanks); *text; text += strspn(text, blanks)) {
        size_t len = strcspn(text, blanks), key = 0;
        while (key < len && text[key] != '=')
            key++;
        const char *value = key < len ? text + key + 1 : text;
        int level = find_name(level_name, sizeof level_name / sizeof *level_name, value,
                              (size_t)(text + len - value));
        int category = key < len ? find_name(category_name, N_LOG_CATEGORIES, text, key) : 0;
        if (level < 0 || category < 0) {
            buf_printf(why, "`%.*s`: levels are debug, info, warning, error; categories:", (int)len, text);
            for (int i = 0; i < N_LOG_CATEGORIES; i++)
                buf_printf(why, "%s %s", i ? "," : "", category_name[i]);
            return false;
        }
        for (int i = 0; key == len && i < N_LOG_CATEGORIES; i++)
            levels.least[i] = (enum log_level)level;
        if (key < len)
            levels.least[category] = (enum log_level)level;
        text += len;
    }
    *levels_out = levels;
    return true;
}

void log_levels_init(struct log_levels *levels)
{
    for (int i = 0; i < N_LOG_CATEGORIES; i++)
        levels->least[i] = LOG_INFO;
}
