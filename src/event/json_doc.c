// SPDX-License-Identifier: Apache-2.0
/*
 * json_doc - whole JSON documents by jansson.
 *
 * A struct json_doc is never defined: a pointer to one is a jansson json_t, so a member of a
 * document is a document too, without a wrapper that someone would have to free.
 * Stricter than events: a name that stands twice in an object is a mistake, and in documents that are
 * written by people, who can be told, so is an integer outside int64.
 */
#include "event/json_doc.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "event/value.h"

static const json_t *json_of(const struct json_doc *doc)
{
    return (const json_t *)(const void *)doc;
}

static struct json_doc *parse(const char *text, size_t len, size_t flags, char *why, size_t why_size)
{
    json_error_t error;
    json_t *json = json_loadb(text, len, JSON_ALLOW_NUL | flags, &error);

    if (!json && (flags & JSON_DECODE_ANY) != 0 &&
        json_error_code(&error) == json_error_numeric_overflow)
        json = json_loadb(text, len, JSON_ALLOW_NUL | JSON_DECODE_INT_AS_REAL | flags, &error);
    if (!json && why_size)
        snprintf(why, why_size, "line %d, column %d: %s", error.line, error.column, error.text);
    return (struct json_doc *)(void *)json;
}

struct json_doc *json_doc_parse(const char *text, size_t len, char *why, size_t why_size)
{
    return parse(text, len, JSON_REJECT_DUPLICATES, why, why_size);
}

struct json_doc *json_doc_parse_any(const char *text, size_t len, char *why, size_t why_size)
{
    return parse(text, len, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, why, why_size);
}

struct json_doc *json_doc_parse_lax(const char *text, size_t len, char *why, size_t why_size)
{
    return parse(text, len, JSON_DECODE_ANY, why, why_size);
}

void json_doc_free(struct json_doc **doc)
{
    json_decref((json_t *)(void *)*doc);
    *doc = NULL;
}

const struct json_doc *json_doc_member(const struct json_doc *doc, const char *name)
{
    return (const struct json_doc *)(const void *)json_object_get(json_of(doc), name);
}

const char *json_doc_text(const struct json_doc *doc, size_t *len_out)
{
    const json_t *json = json_of(doc);

    *len_out = json_is_string(json) ? json_string_length(json) : 0;
    return json_string_value(json);
}

bool json_doc_value(const struct json_doc *doc, struct value *value_out)
{
    const json_t *json = json_of(doc);

    switch (json_typeof(json)) {
    case JSON_STRING: *value_out = value_text(json_string_value(json), json_string_length(json)); break;
    case JSON_INTEGER: *value_out = value_int(json_integer_value(json)); break;
    case JSON_REAL: *value_out = value_double(json_real_value(json)); break;
    case JSON_TRUE: *value_out = value_bool(true); break;
    case JSON_FALSE: *value_out = value_bool(false); break;
    case JSON_NULL: *value_out = value_missing(); break;
    default: return false;
    }
    return true;
}

size_t json_doc_elements(const struct json_doc *doc)
{
    return json_is_array(json_of(doc)) ? json_array_size(json_of(doc)) : SIZE_MAX;
}

const struct json_doc *json_doc_element(const struct json_doc *doc, size_t at)
{
    return (const struct json_doc *)(const void *)json_array_get(json_of(doc), at);
}

bool json_doc_each(const struct json_doc *doc,
                   bool (*found)(void *ctx, const char *name, const struct json_doc *value), void *ctx)
{
    json_t *members = (json_t *)(uintptr_t)doc;

    if (!json_is_object(members))
        return false;
    for (void *it = json_object_iter(members); it; it = json_object_iter_next(members, it))
        if (!found(ctx, json_object_iter_key(it),
                   (const struct json_doc *)(const void *)json_object_iter_value(it)))
            return false;
    return true;
}

/* ---- writing --------------------------------------------------------------------------------- */

static bool add_member(void *ctx, const char *name, const struct json_doc *value)
{
    struct buf *out = ctx;

    if (out->data[out->len - 1] != '{')
        buf_addc(out, ',');
    buf_add_json_text(out, name, strlen(name));
    buf_addc(out, ':');
    json_doc_add(out, value);
    return true;
}

void json_doc_add(struct buf *out, const struct json_doc *doc)
{
    const json_t *json = json_of(doc);

    switch (json_typeof(json)) {
    case JSON_STRING: buf_add_json_text(out, json_string_value(json), json_string_length(json)); break;
    case JSON_INTEGER: buf_add_int(out, json_integer_value(json)); break;
    case JSON_REAL: buf_add_double(out, json_real_value(json)); break;
    case JSON_TRUE: buf_adds(out, "true"); break;
    case JSON_FALSE: buf_adds(out, "false"); break;
    case JSON_NULL: buf_adds(out, "null"); break;
    case JSON_OBJECT:
        buf_addc(out, '{');
        json_doc_each(doc, add_member, out);
        buf_addc(out, '}');
        break;
    case JSON_ARRAY:
        buf_addc(out, '[');
        for (size_t i = 0; i < json_array_size(json); i++) {
            if (i > 0)
                buf_addc(out, ',');
            json_doc_add(out, json_doc_element(doc, i));
        }
        buf_addc(out, ']');
        break;
    }
}

/* ---- comparison ------------------------------------------------------------------------------ */

static bool contains(const json_t *have, const json_t *want, struct buf *path);

static bool contains_members(const json_t *have, const json_t *want, struct buf *path)
{
    /* jansson's iterators take a json_t * but change nothing. */
    json_t *members = (json_t *)(uintptr_t)want;
    size_t here = path->len;

    if (!json_is_object(have))
        return false;
    for (void *it = json_object_iter(members); it; it = json_object_iter_next(members, it)) {
        const char *name = json_object_iter_key(it);
        const json_t *value = json_object_get(have, name);
        if (here)
            buf_addc(path, '.');
        buf_adds(path, name);
        if (!value || !contains(value, json_object_iter_value(it), path))
            return false;
        path->len = here;
    }
    return true;
}

static bool contains_elements(const json_t *have, const json_t *want, struct buf *path)
{
    size_t here = path->len;

    if (!json_is_array(have) || json_array_size(have) != json_array_size(want))
        return false;
    for (size_t i = 0; i < json_array_size(want); i++) {
        buf_printf(path, "[%zu]", i);
        if (!contains(json_array_get(have, i), json_array_get(want, i), path))
            return false;
        path->len = here;
    }
    return true;
}

static struct value number_of(const json_t *json)
{
    return json_is_integer(json) ? value_int(json_integer_value(json))
                                 : value_double(json_real_value(json));
}

static bool contains(const json_t *have, const json_t *want, struct buf *path)
{
    switch (json_typeof(want)) {
    case JSON_OBJECT: return contains_members(have, want, path);
    case JSON_ARRAY: return contains_elements(have, want, path);
    case JSON_INTEGER:
    case JSON_REAL: return json_is_number(have) && value_same(number_of(have), number_of(want));
    case JSON_STRING:
        return json_is_string(have) && json_string_length(have) == json_string_length(want) &&
               memcmp(json_string_value(have), json_string_value(want), json_string_length(want)) ==
                   0;
    default: return json_typeof(have) == json_typeof(want);
    }
}

bool json_doc_contains(const struct json_doc *have, const struct json_doc *want, struct buf *path)
{
    buf_clear(path);
    /* An emptied buf still says something sensible when the documents themselves differ. */
    buf_adds(path, "");
    return contains(json_of(have), json_of(want), path);
}
