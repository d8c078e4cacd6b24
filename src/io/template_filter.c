// SPDX-License-Identifier: Apache-2.0
/*
 * template_filter - what the filters do. Each takes a value and gives one; what it makes it makes in the
 * scratch's next buf, while its input may stand in the other one.
 */
#include <string.h>

#include "base/casefold.h"
#include "base/mem.h"
#include "io/template_escape.h"
#include "io/template_priv.h"

static const struct template_value NO_VALUE = {VALUE_IS_NONE, NULL, 0};

struct buf *template_next_out(struct template_scratch *scratch)
{
    scratch->turn ^= 1;
    buf_clear(&scratch->out[scratch->turn]);
    return &scratch->out[scratch->turn];
}

struct template_value template_text_of(struct template_value value, struct template_scratch *scratch)
{
    if (value.type == VALUE_IS_NONE)
        return (struct template_value){VALUE_IS_TEXT, "", 0};
    if (value.type == VALUE_IS_JSON && value.p[0] == '"') {
        if (memchr(value.p, '\\', value.len) == NULL)
            return (struct template_value){VALUE_IS_TEXT, value.p + 1, value.len - 2};
        buf_clear(&scratch->in);
        json_view_add_text((struct json_view){value.p, value.len}, &scratch->in);
        return (struct template_value){VALUE_IS_TEXT, scratch->in.data ? scratch->in.data : "",
                                       scratch->in.len};
    }
    return (struct template_value){VALUE_IS_TEXT, value.p, value.len};
}

static struct template_value text_in(const struct buf *b)
{
    return (struct template_value){VALUE_IS_TEXT, b->data ? b->data : "", b->len};
}

static struct json_view view_of(struct template_value value)
{
    return value.type == VALUE_IS_JSON ? (struct json_view){value.p, value.len}
                                       : (struct json_view){0};
}

static struct template_value json_value(struct json_view view)
{
    enum json_view_type type = json_view_type(view);

    if (type == JSON_VIEW_NONE || type == JSON_VIEW_NULL)
        return NO_VALUE;
    return (struct template_value){VALUE_IS_JSON, view.text, view.len};
}

/* ---- the filters ----------------------------------------------------------------------------- */

/* A text as it was written, or a number as JSON. */
static struct template_value argument_value(const struct template_argument *argument)
{
    return (struct template_value){argument->is_number ? VALUE_IS_JSON : VALUE_IS_TEXT,
                                   argument->text, argument->len};
}

static struct template_value template_filter_default(const struct template_filter *filter,
                                                     struct template_value value,
                                                     struct template_scratch *scratch)
{
    struct json_view view = view_of(value);
    enum json_view_type type = json_view_type(view);

    (void)scratch;
    if (value.type == VALUE_IS_NONE || (value.type == VALUE_IS_TEXT && value.len == 0) ||
        (type == JSON_VIEW_TEXT && view.len == 2) ||
        (type == JSON_VIEW_ARRAY && json_view_count(view) == 0))
        return argument_value(&filter->argument[0]);
    return value;
}

static struct template_value template_filter_upper(const struct template_filter *filter,
                                                   struct template_value value,
                                                   struct template_scratch *scratch)
{
    struct template_value text = template_text_of(value, scratch);
    struct buf *out = template_next_out(scratch);

    (void)filter;
    casefold_add_upper(out, text.p, text.len);
    return text_in(out);
}

static struct template_value template_filter_lower(const struct template_filter *filter,
                                                   struct template_value value,
                                                   struct template_scratch *scratch)
{
    struct template_value text = template_text_of(value, scratch);
    struct buf *out = template_next_out(scratch);

    (void)filter;
    casefold_add_lower(out, text.p, text.len);
    return text_in(out);
}

static struct template_value template_filter_truncate(const struct template_filter *filter,
                                                      struct template_value value,
                                                      struct template_scratch *scratch)
{
    struct template_value text = template_text_of(value, scratch);
    struct buf *out = template_next_out(scratch);

    (void)escape_add_units(out, text.p, text.len, (size_t)filter->argument[0].number, escape_none);
    return text_in(out);
}

static struct template_value template_filter_replace(const struct template_filter *filter,
                                                     struct template_value value,
                                                     struct template_scratch *scratch)
{
    const struct template_argument *from = &filter->argument[0], *to = &filter->argument[1];
    struct template_value text = template_text_of(value, scratch);
    struct buf *out = template_next_out(scratch);
    const char *p = text.p, *end = text.p + text.len;

    for (;;) {
        const char *hit = memmem(p, (size_t)(end - p), from->text, from->len);
        buf_add(out, p, (size_t)((hit ? hit : end) - p));
        if (hit == NULL)
            return text_in(out);
        buf_add(out, to->text, to->len);
        p = hit + from->len;
    }
}

static struct template_value template_filter_map(const struct template_filter *filter,
                                                 struct template_value value,
                                                 struct template_scratch *scratch)
{
    struct template_value text = template_text_of(value, scratch);

    for (size_t i = 0; i < filter->n_arguments; i++) {
        const struct template_argument *pair = &filter->argument[i];
        const char *equals = memchr(pair->text, '=', pair->len);
        size_t len = equals ? (size_t)(equals - pair->text) : 0;
        if (!equals)
            return argument_value(pair);
        if (len == text.len && memcmp(pair->text, text.p, len) == 0)
            return (struct template_value){VALUE_IS_TEXT, equals + 1, pair->len - len - 1};
    }
    return value;
}

static struct template_value template_filter_join(const struct template_filter *filter,
                                                  struct template_value value,
                                                  struct template_scratch *scratch)
{
    struct json_view_walk walk = json_view_begin(view_of(value));
    struct json_view name, member;
    bool first = true;

    if (walk.at == NULL)
        return value;
    struct buf *out = template_next_out(scratch);
    while (json_view_next(&walk, &name, &member)) {
        if (!first && filter->n_arguments > 0)
            buf_add(out, filter->argument[0].text, filter->argument[0].len);
        else if (!first)
            buf_adds(out, ", ");
        first = false;
        if (name.len > 0) {
            json_view_add_text(name, out);
            buf_addc(out, '=');
        }
        json_view_add_text(member, out);
    }
    return text_in(out);
}

static struct template_value element(struct template_value value, int64_t index)
{
    struct json_view view = view_of(value);

    return json_view_type(view) == JSON_VIEW_ARRAY ? json_value(json_view_element(view, index))
                                                   : value;
}

static struct template_value template_filter_first(const struct template_filter *filter,
                                                   struct template_value value,
                                                   struct template_scratch *scratch)
{
    (void)filter, (void)scratch;
    return element(value, 0);
}

static struct template_value template_filter_last(const struct template_filter *filter,
                                                  struct template_value value,
                                                  struct template_scratch *scratch)
{
    (void)filter, (void)scratch;
    return element(value, -1);
}

static struct template_value template_filter_count(const struct template_filter *filter,
                                                   struct template_value value,
                                                   struct template_scratch *scratch)
{
    struct json_view view = view_of(value);
    enum json_view_type type = json_view_type(view);
    bool many = type == JSON_VIEW_ARRAY || type == JSON_VIEW_OBJECT;
    int64_t n = value.type == VALUE_IS_NONE ? 0 : many ? (int64_t)json_view_count(view) : 1;

    (void)filter;
    struct buf *out = template_next_out(scratch);
    buf_add_int(out, n);
    return (struct template_value){VALUE_IS_JSON, out->data, out->len};
}

static struct template_value template_filter_date(const struct template_filter *filter,
                                                  struct template_value value,
                                                  struct template_scratch *scratch)
{
    return template_date(filter, value, scratch);
}

static struct template_value template_filter_text(const struct template_filter *filter,
                                                  struct template_value value,
                                                  struct template_scratch *scratch)
{
    (void)filter;
    return template_text_of(value, scratch);
}

static struct template_value template_filter_json(const struct template_filter *filter,
                                                  struct template_value value,
                                                  struct template_scratch *scratch)
{
    (void)filter;
    if (value.type == VALUE_IS_NONE)
        return (struct template_value){VALUE_IS_TEXT, "null", 4};
    if (value.type == VALUE_IS_JSON)
        return (struct template_value){VALUE_IS_TEXT, value.p, value.len};
    struct buf *out = template_next_out(scratch);
    buf_add_json_text(out, value.p, value.len);
    return text_in(out);
}

static struct template_value escaped(struct template_value value, struct template_scratch *scratch,
                                     size_t (*escape)(const char *p, size_t n, const char *end,
                                                      char *bytes))
{
    struct template_value text = template_text_of(value, scratch);
    struct buf *out = template_next_out(scratch);

    (void)escape_add(out, text.p, text.len, SIZE_MAX, escape);
    return text_in(out);
}

static struct template_value template_filter_url(const struct template_filter *filter,
                                                 struct template_value value,
                                                 struct template_scratch *scratch)
{
    (void)filter;
    return escaped(value, scratch, escape_url);
}

static struct template_value template_filter_html(const struct template_filter *filter,
                                                  struct template_value value,
                                                  struct template_scratch *scratch)
{
    (void)filter;
    return escaped(value, scratch, escape_markup);
}

static struct template_value template_filter_slack(const struct template_filter *filter,
                                                   struct template_value value,
                                                   struct template_scratch *scratch)
{
    (void)filter;
    return escaped(value, scratch, escape_slack);
}

/* ---- the table ------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    size_t least, most;
    struct template_value (*run)(const struct template_filter *filter, struct template_value value,
                                 struct template_scratch *scratch);
} FILTERS[] = {
#define FILTER(name, least, most, doc) {#name, least, most, template_filter_##name},
#include "io/template.def"
#undef FILTER
};

bool template_filter_named(const char *name, size_t len, enum template_filter_name *name_out)
{
    for (size_t i = 0; i < TEMPLATE_N_FILTERS; i++) {
        if (strlen(FILTERS[i].name) == len && memcmp(FILTERS[i].name, name, len) == 0) {
            *name_out = (enum template_filter_name)i;
            return true;
        }
    }
    return false;
}

bool template_filter_check(struct template_reader *r, const char *at, struct template_filter *filter)
{
    size_t least = FILTERS[filter->name].least, most = FILTERS[filter->name].most;
    const char *name = FILTERS[filter->name].name;

    if (filter->n_arguments < least || filter->n_arguments > most) {
        if (least == most)
            return template_fail(r, at, "`%s` takes %zu argument%s", name, most, most == 1 ? "" : "s");
        return template_fail(r, at, "`%s` takes %zu to %zu arguments", name, least, most);
    }
    if (filter->name == TEMPLATE_FILTER_truncate &&
        (!filter->argument[0].is_number || filter->argument[0].number < 1))
        return template_fail(r, at, "`truncate` takes a number of characters: truncate(80)");
    if (filter->name == TEMPLATE_FILTER_replace && filter->argument[0].len == 0)
        return template_fail(r, at, "`replace` of an empty text");
    if (filter->name == TEMPLATE_FILTER_date)
        return template_date_check(r, at, filter);
    return true;
}

struct template_value template_filter_run(const struct template_filter *filter,
                                          struct template_value value,
                                          struct template_scratch *scratch)
{
    /* no value stays none, for `default`, which may come later */
    if (value.type == VALUE_IS_NONE && filter->name != TEMPLATE_FILTER_default &&
        filter->name != TEMPLATE_FILTER_count && filter->name != TEMPLATE_FILTER_json)
        return value;
    return FILTERS[filter->name].run(filter, value, scratch);
}
