// SPDX-License-Identifier: Apache-2.0
#include "flow/alert_filter.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/glob.h"
#include "base/hash.h"
#include "base/mem.h"
#include "event/json_doc.h"
#include "event/json_view.h"
#include "event/time_format.h"
#include "event/value.h"
#include "plan/program.h"
#include "state/alert_record.h"

enum { MOST_RULES = 100, MOST_KEYS = 64, MOST_DIGITS = 64 };

struct wanted {
    char *name;        /* owned; NULL: by its place */
    struct buf value;  /* JSON as keys of alerts have it */
    struct value number; /* or missing: an alert may have it in another form, as 1e+18 */
};

struct alert_filter {
    struct glob *rule[MOST_RULES]; /* 0: any */
    size_t n_rules;
    unsigned severities;           /* bits 1 << enum severity */
    struct wanted key[MOST_KEYS];
    size_t n_keys;
    bool any_key;
    bool by_name;                  /* of the key's fields; else all of them in their order */
    int64_t since, until;
    uint32_t mark;
};

/* ---- reading --------------------------------------------------------------------------------- */

/* The next of a list with commas; false: no more. */
static bool next_of(const char **at, const char **text_out, size_t *len_out)
{
    if (!*at)
        return false;
    *text_out = *at;
    *len_out = strcspn(*at, ",");
    *at = (*at)[*len_out] ? *at + *len_out + 1 : NULL;
    return true;
}

static bool read_rules(struct alert_filter *f, const char *text, struct buf *why)
{
    const char *one;
    size_t len;

    while (next_of(&text, &one, &len)) {
        if (len == 0 || f->n_rules == MOST_RULES) {
            buf_printf(why, "`rule` is a pattern, or up to %d with commas between", (int)MOST_RULES);
            return false;
        }
        f->rule[f->n_rules++] = glob_new(one, len, false);
    }
    return true;
}

static bool read_severity(const char *text, size_t len, enum severity *severity_out)
{
    for (int s = SEVERITY_INFO; s <= SEVERITY_CRITICAL; s++) {
        const char *name = severity_name((enum severity)s);
        *severity_out = (enum severity)s;
        if (strlen(name) == len && memcmp(name, text, len) == 0)
            return true;
    }
    return false;
}

static bool read_severities(struct alert_filter *f, const struct alert_filter_text *text,
                            struct buf *why)
{
    const char *at = text->severity, *one;
    enum severity severity;
    unsigned of_list = 0;
    size_t len;
    bool ok = true;

    while (ok && next_of(&at, &one, &len)) {
        ok = read_severity(one, len, &severity);
        of_list |= ok ? 1U << severity : 0;
    }
    if (ok && text->severity)
        f->severities = of_list;
    if (ok && text->min_severity) {
        ok = read_severity(text->min_severity, strlen(text->min_severity), &severity);
        f->severities &= ok ? ~0U << severity : 0;
    }
    if (!ok)
        buf_adds(why, "a severity is info, low, medium, high or critical");
    return ok;
}

static bool add_key(struct alert_filter *f, const char *name, struct value value)
{
    if (f->n_keys == MOST_KEYS)
        return false;
    struct wanted *wanted = &f->key[f->n_keys++];
    wanted->name = name ? mem_strndup(name, strlen(name)) : NULL;
    buf_init(&wanted->value);
    value_add_json(&wanted->value, value);
    wanted->number = value_is_number(value) ? value : value_missing();
    return true;
}

static bool found_member(void *ctx, const char *name, const struct json_doc *doc)
{
    struct value value;

    return json_doc_value(doc, &value) && add_key(ctx, name, value);
}

static bool read_document(struct alert_filter *f, const struct json_doc *doc)
{
    size_t n = json_doc_elements(doc);
    struct value value;

    if (json_doc_value(doc, &value))
        return add_key(f, NULL, value);
    if (n == SIZE_MAX) {
        f->by_name = true;
        return json_doc_each(doc, found_member, f);
    }
    for (size_t i = 0; i < n; i++)
        if (!json_doc_value(json_doc_element(doc, i), &value) || !add_key(f, NULL, value))
            return false;
    return true;
}

static bool read_key(struct alert_filter *f, const char *text, struct buf *why)
{
    char said[160];

    f->any_key = text == NULL;
    if (!text)
        return true;
    struct json_doc *doc = json_doc_parse_any(text, strlen(text), said, sizeof said);
    bool ok = doc ? read_document(f, doc) : add_key(f, NULL, value_text(text, strlen(text)));
    if (doc)
        json_doc_free(&doc);
    if (!ok)
        buf_printf(why, "`key` is a value, a list of values or an object of them, at most %d",
                   (int)MOST_KEYS);
    return ok;
}

static bool read_time(const char *name, const char *text, int64_t *time_out, struct buf *why)
{
    if (!text || time_read(value_text(text, strlen(text)), TIME_RFC3339, 0, time_out))
        return true;
    buf_printf(why, "`%s` is a time such as 2027-01-01T00:00:00Z", name);
    return false;
}

static void mark(struct alert_filter *f, const struct alert_filter_text *text)
{
    const char *const all[] = {text->rule, text->severity, text->min_severity,
                               text->key,  text->since,    text->until};
    struct buf b;

    buf_init(&b);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        buf_addc(&b, all[i] ? '+' : '-');
        buf_add_bytes(&b, all[i] ? all[i] : "", all[i] ? strlen(all[i]) : 0);
    }
    f->mark = (uint32_t)hash64(b.data, b.len, 0);
    buf_fini(&b);
}

struct alert_filter *alert_filter_new(const struct alert_filter_text *text, struct buf *why)
{
    struct alert_filter *f = mem_calloc(1, sizeof *f);

    f->severities = ~0U;
    f->since = INT64_MIN;
    f->until = INT64_MAX;
    mark(f, text);
    if (!read_rules(f, text->rule, why) || !read_severities(f, text, why) ||
        !read_key(f, text->key, why) || !read_time("since", text->since, &f->since, why) ||
        !read_time("until", text->until, &f->until, why))
        alert_filter_free(&f);
    return f;
}

void alert_filter_free(struct alert_filter **fp)
{
    struct alert_filter *f = *fp;

    if (!f)
        return;
    *fp = NULL;
    for (size_t i = 0; i < f->n_rules; i++)
        glob_free(&f->rule[i]);
    for (size_t i = 0; i < f->n_keys; i++) {
        mem_free(f->key[i].name);
        buf_fini(&f->key[i].value);
    }
    mem_free(f);
}

/* ---- asking ---------------------------------------------------------------------------------- */

static bool fits_rule(const struct alert_filter *f, const struct alert_record *record)
{
    struct json_view view;
    struct buf plain;
    bool fits = false;

    if (f->n_rules == 0)
        return true;
    if (!json_view_parse(record->text + record->about.rule.at, record->about.rule.len, &view) ||
        json_view_type(view) != JSON_VIEW_TEXT)
        return false;
    buf_init(&plain);
    json_view_add_text(view, &plain);
    for (size_t i = 0; i < f->n_rules && !fits; i++)
        fits = glob_match(f->rule[i], plain.len ? plain.data : "", plain.len);
    buf_fini(&plain);
    return fits;
}

/* Of a rule's key 0, -0 and 0.0 are one, and so are 1e18 and its digits. */
static bool is_number(struct json_view view, struct value wanted)
{
    char text[MOST_DIGITS];
    int64_t i;

    if (json_view_type(view) != JSON_VIEW_NUMBER || view.len >= sizeof text)
        return false;
    if (json_view_int(view, &i))
        return value_same(value_int(i), wanted);
    memcpy(text, view.text, view.len);
    text[view.len] = '\0';
    return value_same(value_double(strtod(text, NULL)), wanted);
}

static bool is_same(struct json_view view, const struct wanted *wanted)
{
    return (view.len == wanted->value.len && memcmp(view.text, wanted->value.data, view.len) == 0) ||
           (value_is_number(wanted->number) && is_number(view, wanted->number));
}

static bool fits_key(const struct alert_filter *f, const struct alert_record *record)
{
    struct json_view key, value;
    size_t n = 0;

    if (!json_view_parse(record->text + record->about.key.at, record->about.key.len, &key))
        return false;
    if (f->by_name) {
        for (; n < f->n_keys; n++) {
            const char *name = f->key[n].name;
            if (!is_same(json_view_member(key, name, strlen(name)), &f->key[n]))
                return false;
        }
        return true;
    }
    struct json_view_walk walk = json_view_begin(key);
    while (json_view_next(&walk, NULL, &value)) {
        if (n >= f->n_keys || !is_same(value, &f->key[n]))
            return false;
        n++;
    }
    return n == f->n_keys;
}

bool alert_filter_fits(const struct alert_filter *f, const struct alert_record *record)
{
    int64_t time = record->about.time;

    return time >= f->since && time < f->until && (f->severities >> record->about.severity & 1U) &&
           fits_rule(f, record) && (f->any_key || fits_key(f, record));
}

void alert_filter_times(const struct alert_filter *f, int64_t *since_out, int64_t *until_out)
{
    *since_out = f->since;
    *until_out = f->until;
}

uint32_t alert_filter_mark(const struct alert_filter *f)
{
    return f->mark;
}
