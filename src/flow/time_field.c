// SPDX-License-Identifier: Apache-2.0
#include "flow/time_field.h"

#include <assert.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/suggest.h"
#include "event/event.h"
#include "event/json_view.h"
#include "event/schema.h"
#include "event/time_format.h"
#include "event/value.h"

enum { MAX_SHOWN = 60 }; /* bytes of an unreadable time in a message */

static const char *const default_path[] = {"@timestamp", "timestamp", "time", "ts"};
enum { N_DEFAULT = sizeof default_path / sizeof *default_path };

void time_specs_init(struct time_specs *specs)
{
    *specs = (struct time_specs){0};
}

void time_specs_fini(struct time_specs *specs)
{
    for (size_t i = 0; i < specs->n; i++) {
        mem_free(specs->setting[i].source);
        mem_free(specs->setting[i].path);
    }
    for (size_t i = 0; i < specs->n_order_by; i++) {
        mem_free(specs->order_by[i].source);
        mem_free(specs->order_by[i].path);
    }
    mem_free(specs->setting);
    mem_free(specs->order_by);
    time_specs_init(specs);
}

/* ---- reading a setting ----------------------------------------------------------------------- */

static bool is_name(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        char c = text[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '@';
        if (!letter && (i == 0 || c < '0' || c > '9'))
            return false;
    }
    return len > 0;
}

static bool is_path(const char *text, size_t len)
{
    size_t dots = 0;

    if (len == 0 || text[0] == '.' || text[len - 1] == '.' || memmem(text, len, "..", 2))
        return false;
    for (size_t i = 0; i < len; i++)
        dots += text[i] == '.';
    return dots < SCHEMA_MAX_PARTS;
}

static void unknown_format(const char *name, size_t len, struct buf *why)
{
    static const char *const known[] = {"rfc3339",  "datetime", "epoch_s",
                                        "epoch_ms", "epoch_us", "epoch_ns"};
    char *copy = mem_strndup(name, len);
    struct suggest s;

    suggest_init(&s, copy);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        suggest_try(&s, known[i]);
    buf_printf(why, "unknown time format \"%s\"", copy);
    if (suggest_result(&s))
        buf_printf(why, ", did you mean %s?", suggest_result(&s));
    else
        buf_printf(why, "; there are: %s", time_format_names());
    mem_free(copy);
}

/* `,FORMAT,FORMAT...`; none is all. */
static bool read_formats(const char *text, unsigned *formats_out, struct buf *why)
{
    *formats_out = *text ? 0 : TIME_ALL;
    while (*text) {
        enum time_format format;
        size_t len = strcspn(++text, ",");

        if (!time_format_named(text, len, &format)) {
            unknown_format(text, len, why);
            return false;
        }
        *formats_out |= (unsigned)format;
        text += len;
    }
    return true;
}

/* Settings of one source so far. */
static size_t count_settings(const struct time_specs *specs, const char *source)
{
    size_t n = 0;

    for (size_t i = 0; i < specs->n; i++) {
        const char *other = specs->setting[i].source;
        n += source && other ? strcmp(source, other) == 0 : source == other;
    }
    return n;
}

bool time_specs_add(struct time_specs *specs, const char *text, struct buf *why)
{
    struct time_setting setting = {0};
    const char *equals = strchr(text, '=');
    bool named = equals && is_name(text, (size_t)(equals - text));
    const char *field = named ? equals + 1 : text;
    size_t len = strcspn(field, ",");

    if (!is_path(field, len)) {
        buf_adds(why, len == 0 ? "names no field" : "the field must be a path like event.created");
        return false;
    }
    if (!read_formats(field + len, &setting.formats, why))
        return false;
    setting.source = named ? mem_strndup(text, (size_t)(equals - text)) : NULL;
    setting.path = mem_strndup(field, len);
    if (count_settings(specs, setting.source) == TIME_MAX_FIELDS) {
        buf_printf(why, "a source can have %d time fields at most", TIME_MAX_FIELDS);
        mem_free(setting.source);
        mem_free(setting.path);
        return false;
    }
    specs->setting = vec_reserve(specs->setting, &specs->cap, specs->n + 1, sizeof setting);
    specs->setting[specs->n++] = setting;
    return true;
}

/* ---- settings of a configuration -------------------------------------------------------------- */

static struct time_setting setting_of(const char *source, const char *path, unsigned formats)
{
    return (struct time_setting){.source = mem_strndup(source, strlen(source)),
                                 .path = mem_strndup(path, strlen(path)),
                                 .formats = formats ? formats : TIME_ALL};
}

void time_specs_set(struct time_specs *specs, const char *source, const char *path,
                    unsigned formats)
{
    size_t n = path ? 1 : N_DEFAULT;

    specs->setting = vec_reserve(specs->setting, &specs->cap, specs->n + n, sizeof *specs->setting);
    for (size_t i = 0; i < n; i++)
        specs->setting[specs->n++] = setting_of(source, path ? path : default_path[i], formats);
}

void time_specs_order_by(struct time_specs *specs, const char *source, const char *path)
{
    specs->order_by = vec_reserve(specs->order_by, &specs->cap_order_by, specs->n_order_by + 1,
                                  sizeof *specs->order_by);
    specs->order_by[specs->n_order_by++] = setting_of(source, path, 0);
}

/* ---- binding --------------------------------------------------------------------------------- */

static void add_path(const char **path, size_t *n, const char *text)
{
    for (size_t i = 0; i < *n; i++)
        if (strcmp(path[i], text) == 0)
            return;
    path[(*n)++] = text;
}

const char **time_specs_paths(const struct time_specs *specs, size_t *n_out)
{
    const char **path = mem_calloc(specs->n + specs->n_order_by + N_DEFAULT, sizeof *path);

    *n_out = 0;
    for (size_t i = 0; i < N_DEFAULT; i++)
        add_path(path, n_out, default_path[i]);
    for (size_t i = 0; i < specs->n; i++)
        add_path(path, n_out, specs->setting[i].path);
    for (size_t i = 0; i < specs->n_order_by; i++)
        add_path(path, n_out, specs->order_by[i].path);
    return path;
}

static uint32_t slot_of(const struct schema *schema, const char *path)
{
    uint32_t slot = 0;
    bool found = schema_find_text(schema, path, &slot);

    assert(found);
    (void)found;
    return slot;
}

static void bind_field(struct time_spec *spec, const struct schema *schema, const char *path,
                       unsigned formats)
{
    spec->field[spec->n].path = path;
    spec->field[spec->n].slot = slot_of(schema, path);
    spec->field[spec->n].formats = formats;
    spec->n++;
}

void time_spec_bind(const struct time_specs *specs, const char *source,
                    const struct schema *schema, struct time_spec *spec_out)
{
    const char *of = count_settings(specs, source) > 0 ? source : NULL;

    spec_out->n = 0;
    spec_out->order_by = UINT32_MAX;
    for (size_t i = 0; i < specs->n_order_by; i++)
        if (strcmp(specs->order_by[i].source, source) == 0)
            spec_out->order_by = slot_of(schema, specs->order_by[i].path);
    for (size_t i = 0; i < specs->n; i++) {
        const struct time_setting *setting = &specs->setting[i];
        if (of && setting->source ? strcmp(of, setting->source) == 0 : of == setting->source)
            bind_field(spec_out, schema, setting->path, setting->formats);
    }
    if (spec_out->n > 0)
        return;
    for (size_t i = 0; i < N_DEFAULT; i++)
        bind_field(spec_out, schema, default_path[i], TIME_ALL);
}

/* ---- an event's time ------------------------------------------------------------------------- */

enum time_outcome time_spec_read(const struct time_spec *spec, struct event *ev)
{
    if (spec->order_by != UINT32_MAX)
        ev->order_by = ev->slot[spec->order_by];
    for (uint32_t i = 0; i < spec->n; i++) {
        struct value v = ev->slot[spec->field[i].slot];
        if (!value_is_missing(v))
            return time_read(v, spec->field[i].formats, 0, &ev->time) ? TIME_FOUND
                                                                      : TIME_UNREADABLE;
    }
    return TIME_ABSENT;
}

static void explain_absent(const struct time_spec *spec, struct buf *out)
{
    buf_adds(out, spec->n == 1 ? "no time: the field " : "no time: none of the fields ");
    for (uint32_t i = 0; i < spec->n; i++)
        buf_printf(out, "%s%s", i ? ", " : "", spec->field[i].path);
    buf_adds(out, spec->n == 1 ? " is not there" : " is there");
}

static bool is_time(struct json_view view, struct buf *scratch)
{
    int64_t time;

    if (json_view_type(view) != JSON_VIEW_TEXT || view.len > 64)
        return false;
    buf_clear(scratch);
    json_view_add_text(view, scratch);
    return scratch->len > 0 && time_read(value_text(scratch->data, scratch->len), TIME_RFC3339 | TIME_DATETIME, 0, &time);
}

static bool is_plain(const char *name)
{
    return *name && !name[strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_@.")];
}

static bool guess_in(struct json_view object, bool deeper, struct buf *path_out, struct buf *scratch)
{
    struct json_view_walk walk = json_view_begin(object);
    struct json_view name, value;
    size_t before = path_out->len;

    while (json_view_next(&walk, &name, &value)) {
        path_out->len = before;
        if (before > 0)
            buf_addc(path_out, '.');
        json_view_add_text(name, path_out);
        if (!is_plain(path_out->data))
            continue;
        if (is_time(value, scratch) ||
            (deeper && json_view_type(value) == JSON_VIEW_OBJECT && guess_in(value, false, path_out, scratch)))
            return true;
    }
    path_out->len = before;
    return false;
}

bool time_field_guess(const char *line, size_t len, struct buf *path_out)
{
    struct json_view all;
    struct buf scratch;

    buf_init(&scratch);
    bool found = json_view_parse(line, len, &all) && json_view_type(all) == JSON_VIEW_OBJECT &&
                 guess_in(all, true, path_out, &scratch);
    buf_fini(&scratch);
    return found;
}

/* At most MAX_SHOWN bytes of text from `from` on, cut between two characters. */
static void shorten(struct buf *out, size_t from)
{
    if (out->len - from <= MAX_SHOWN)
        return;
    size_t len = from + MAX_SHOWN;
    while (len > from && ((unsigned char)out->data[len] & 0xc0) == 0x80)
        len--;
    out->len = len;
    buf_adds(out, "...");
}

void time_spec_explain(const struct time_spec *spec, const struct event *ev, struct buf *out)
{
    for (uint32_t i = 0; i < spec->n; i++) {
        struct value v = ev->slot[spec->field[i].slot];
        if (value_is_missing(v))
            continue;
        buf_printf(out, "unreadable time in %s: ", spec->field[i].path);
        size_t from = out->len;
        value_add_json(out, v);
        shorten(out, from);
        return;
    }
    explain_absent(spec, out);
}
