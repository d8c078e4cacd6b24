// SPDX-License-Identifier: Apache-2.0
/*
 * template - text with {placeholders}: what a webhook says in a form of its own.
 *
 *     {"message": "{title|truncate(130)}", "details": {fields}, "host": "{key.host|default(-)}"}
 *
 * Compiled once: the template is read along the grammar of what it makes, so each placeholder knows
 * where it stands, and what comes of it is always well-formed:
 *
 *   JSON      inside a text: escaped into it; outside: a whole value (null when there is none)
 *   FORM, URL percent-encoded
 *   MARKUP    &lt; ... (HTML, XML)
 *   TEXT      as it is, but for NUL
 *
 * A placeholder is `{` path [| filter ...] `}`; a path is names joined by `.`, a name with other
 * characters in backticks, [n] an element of a list (-1: the last). In JSON an `{` that begins an
 * object is no placeholder: a name stands directly behind that of one. In texts `{{` is a brace.
 * Filters: template.def.
 */
#ifndef IO_TEMPLATE_H
#define IO_TEMPLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/json_view.h"

struct buf;
struct template;

enum template_mode {
    TEMPLATE_JSON,
    TEMPLATE_JSON_LINES, /* one value a line, as application/x-ndjson */
    TEMPLATE_FORM,
    TEMPLATE_MARKUP,
    TEMPLATE_URL,
    TEMPLATE_TEXT,
};

enum { TEMPLATE_MAX_BYTES = 256 << 10, TEMPLATE_MAX_PLACES = 1000, TEMPLATE_MAX_STEPS = 16,
       TEMPLATE_MAX_FILTERS = 8 };

struct template_step {
    const char *name; /* NULL: an element of a list */
    size_t len;
    int64_t index;
};
struct template_path {
    const char *written;  /* NUL-terminated: "key.`a b`.c" */
    size_t at;            /* byte of the template where it begins */
    bool has_default;     /* one of its filters is `default` */
    const struct template_step *step;
    size_t n_steps;
};

/* What placeholders stand for. Returns the value, or none; it may be made in scratch (empty). */
struct template_names {
    struct json_view (*find)(void *ctx, const struct template_path *path, struct buf *scratch);
    void *ctx;
};

/* By the content type's name (parameters are ignored). */
enum template_mode template_mode_of(const char *content_type);
/* NULL and why, which begins with "line 3, column 5: ". Owned. */
struct template *template_new(const char *text, size_t len, enum template_mode mode, struct buf *why);
void template_free(struct template **t);
/* Appends what the template makes, in at most max bytes as long as its own text leaves that much:
 * then values are cut, the largest first. */
void template_write(const struct template *t, const struct template_names *names, size_t max,
                    struct buf *out);
size_t template_own_bytes(const struct template *t); /* without placeholders */
size_t template_count(const struct template *t);     /* placeholders */
const struct template_path *template_path(const struct template *t, size_t i); /* of placeholder i; borrowed */
/* The value at a path's steps from `from` on, in a value: as members of members, or else under the
 * joined name ("user.id") of one. */
struct json_view template_walk(struct json_view value, const struct template_path *path, size_t from);

#endif
