// SPDX-License-Identifier: Apache-2.0
/* template_priv - shared by the files of the template: places, filters, values on their way. */
#ifndef IO_TEMPLATE_PRIV_H
#define IO_TEMPLATE_PRIV_H

#include "base/buf.h"
#include "io/template.h"

struct zone;

enum template_filter_name {
#define FILTER(name, least, most, doc) TEMPLATE_FILTER_##name,
#include "io/template.def"
#undef FILTER
    TEMPLATE_N_FILTERS
};

struct template_argument {
    char *text;     /* owned, unquoted */
    size_t len;
    int64_t number; /* of digits without quotes */
    bool is_number;
};

struct template_filter {
    enum template_filter_name name;
    struct template_argument *argument; /* owned */
    size_t n_arguments;
    const struct zone *zone; /* of date; NULL: UTC */
};

/* A placeholder, and the text before it. */
struct template_place {
    size_t text_from, text_len; /* in the template's own text */
    bool in_text;               /* within quotes (JSON) */
    struct template_path path;
    struct template_filter *filter; /* owned */
    size_t n_filters;
};

struct template {
    enum template_mode mode;
    struct buf own; /* the template without its placeholders, `{{` made `{` */
    struct template_place *place;
    size_t n_places, cap_places;
    size_t tail_from; /* of own: behind the last placeholder */
};

/* A value on its way through filters: JSON, or plain text, or none. */
struct template_value {
    enum { VALUE_IS_NONE, VALUE_IS_JSON, VALUE_IS_TEXT } type;
    const char *p;
    size_t len;
};

struct template_scratch {
    struct buf found;  /* what names->find made */
    struct buf in;     /* text of a JSON text */
    struct buf out[2]; /* results of filters, in turns */
    int turn;
};

/* Where the template is being read. */
struct template_reader {
    struct template *t;
    const char *text, *at, *end;
    struct buf *why; /* the first mistake */
    bool failed;
};

/* Says a mistake at `at`, once; returns false. */
bool template_fail(struct template_reader *r, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Reads a placeholder at r->at, which is its `{`. */
bool template_read_place(struct template_reader *r, bool in_text);
/* Does a placeholder begin at p? */
bool template_place_begins(const char *p, const char *end);

bool template_filter_named(const char *name, size_t len, enum template_filter_name *name_out);
/* Checks the arguments; false and a message in r. `at`: where the filter begins. */
bool template_filter_check(struct template_reader *r, const char *at, struct template_filter *filter);
struct template_value template_filter_run(const struct template_filter *filter,
                                          struct template_value value,
                                          struct template_scratch *scratch);
/* The value as plain text: borrowed from it, or from scratch->in. */
struct template_value template_text_of(struct template_value value, struct template_scratch *scratch);
/* The buf for the next result, empty. */
struct buf *template_next_out(struct template_scratch *scratch);
struct template_value template_date(const struct template_filter *filter, struct template_value value,
                                    struct template_scratch *scratch);
bool template_date_check(struct template_reader *r, const char *at, struct template_filter *filter);

#endif
