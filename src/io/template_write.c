// SPDX-License-Identifier: Apache-2.0
/*
 * template_write - a template filled in. If that is too large it is done once more, and each value gets
 * at most the bytes at which all fit (event/json_trim.h: the large ones are cut).
 */
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "event/json_trim.h"
#include "io/template_escape.h"
#include "io/template_priv.h"

/* ---- paths ----------------------------------------------------------------------------------- */

/* The member under the names of all steps from `from` on, joined by dots; none if one is an index. */
static struct json_view joined_member(struct json_view value, const struct template_path *path,
                                      size_t from)
{
    char name[256];
    size_t len = 0;

    for (size_t i = from; i < path->n_steps; i++) {
        const struct template_step *step = &path->step[i];
        if (step->name == NULL || len + step->len + 1 > sizeof name)
            return (struct json_view){0};
        if (i > from)
            name[len++] = '.';
        memcpy(name + len, step->name, step->len);
        len += step->len;
    }
    return json_view_member(value, name, len);
}

struct json_view template_walk(struct json_view value, const struct template_path *path, size_t from)
{
    if (from == path->n_steps)
        return value;
    const struct template_step *step = &path->step[from];
    struct json_view next = step->name != NULL ? json_view_member(value, step->name, step->len)
                                               : json_view_element(value, step->index);
    if (next.len > 0)
        next = template_walk(next, path, from + 1);
    if (next.len == 0 && from + 1 < path->n_steps)
        next = joined_member(value, path, from);
    return next;
}

/* ---- values ---------------------------------------------------------------------------------- */

static struct template_value evaluate(const struct template_place *place,
                                      const struct template_names *names,
                                      struct template_scratch *scratch)
{
    buf_clear(&scratch->found);
    struct json_view view = names->find(names->ctx, &place->path, &scratch->found);
    enum json_view_type type = json_view_type(view);
    struct template_value value = {VALUE_IS_JSON, view.text, view.len};

    if (type == JSON_VIEW_NONE || type == JSON_VIEW_NULL)
        value = (struct template_value){VALUE_IS_NONE, NULL, 0};
    for (size_t i = 0; i < place->n_filters; i++)
        value = template_filter_run(&place->filter[i], value, scratch);
    return value;
}

/* As a JSON value of at most max bytes. */
static void add_json_value(struct template_value value, size_t max, struct template_scratch *scratch,
                           struct buf *out)
{
    if (value.type == VALUE_IS_NONE) {
        buf_adds(out, "null");
        return;
    }
    if (value.type == VALUE_IS_TEXT) {
        struct buf *json = template_next_out(scratch);
        buf_add_json_text(json, value.p, value.len);
        value = (struct template_value){VALUE_IS_JSON, json->data, json->len};
    }
    (void)json_add_trimmed(out, (struct json_view){value.p, value.len}, max < 4 ? 4 : max);
}

/* Within the quotes of a JSON text, at most max bytes. */
static void add_inside(struct template_value value, size_t max, struct template_scratch *scratch,
                       struct buf *out)
{
    if (value.type == VALUE_IS_NONE)
        return;
    if (value.type == VALUE_IS_TEXT || value.p[0] != '"') {
        struct buf *json = template_next_out(scratch);
        buf_add_json_text(json, value.p, value.len);
        value = (struct template_value){VALUE_IS_JSON, json->data, json->len};
    }
    (void)json_add_trimmed_inside(out, value.p + 1, value.len - 2, max);
}

static void add_value(const struct template *t, const struct template_place *place,
                      struct template_value value, size_t max, struct template_scratch *scratch,
                      struct buf *out)
{
    if (t->mode == TEMPLATE_JSON || t->mode == TEMPLATE_JSON_LINES) {
        size_t before = out->len;
        if (place->in_text)
            add_inside(value, max, scratch, out);
        else
            add_json_value(value, max, scratch, out);
        for (size_t i = before; t->mode == TEMPLATE_JSON_LINES && i < out->len; i++)
            if (out->data[i] == '\n' || out->data[i] == '\r')
                out->data[i] = ' '; /* between parts of a value: in texts they are escaped */
        return;
    }
    struct template_value text = template_text_of(value, scratch);
    switch (t->mode) {
    case TEMPLATE_FORM:
    case TEMPLATE_URL: escape_add(out, text.p, text.len, max, escape_url); break;
    case TEMPLATE_MARKUP: escape_add(out, text.p, text.len, max, escape_markup); break;
    default: escape_add(out, text.p, text.len, max, escape_text); break;
    }
}

/* Fills in; size_out: bytes of each value. */
static void fill(const struct template *t, const struct template_names *names, size_t max_value,
                 struct template_scratch *scratch, struct buf *out, size_t *size_out)
{
    for (size_t i = 0; i < t->n_places; i++) {
        const struct template_place *place = &t->place[i];
        buf_add(out, t->own.data + place->text_from, place->text_len);
        size_t before = out->len;
        add_value(t, place, evaluate(place, names, scratch), max_value, scratch, out);
        size_out[i] = out->len - before;
    }
    buf_add(out, t->own.data + t->tail_from, t->own.len - t->tail_from);
}

void template_write(const struct template *t, const struct template_names *names, size_t max,
                    struct buf *out)
{
    size_t *size = mem_calloc(t->n_places + 1, sizeof *size);
    struct template_scratch scratch = {0};
    size_t before = out->len;

    fill(t, names, SIZE_MAX, &scratch, out, size);
    if (out->len - before > max) {
        size_t room = max > t->own.len ? max - t->own.len : 0;
        buf_truncate(out, before);
        fill(t, names, json_trim_level(size, t->n_places, room), &scratch, out, size);
    }
    buf_fini(&scratch.found);
    buf_fini(&scratch.in);
    buf_fini(&scratch.out[0]);
    buf_fini(&scratch.out[1]);
    mem_free(size);
}
