// SPDX-License-Identifier: Apache-2.0
/* row_form - what of a row is a table's key and its columns, and who gives rows that are not those of a file. */
#ifndef EVENT_ROW_FORM_H
#define EVENT_ROW_FORM_H

#include <stdbool.h>
#include <stdint.h>

struct buf;
struct path_part;
struct row_table;

struct row_path { /* borrowed */
    const char *name; /* dotted: how CSV calls it */
    const struct path_part *part;
    uint32_t n_parts;
};

struct row_form { /* borrowed */
    struct row_path key;
    const struct row_path *column;
    uint32_t n_columns;
};

/* A form that owns all it has. */
struct row_form *row_form_copy(const struct row_form *from);
void row_form_free(struct row_form **form);
bool row_path_same(const struct row_path *a, const struct row_path *b);
/* False: it has no such column. */
bool row_form_column(const struct row_form *form, const struct row_path *path, uint32_t *at_out);

/* Rows in place of those of a file. */
struct row_given {
    struct row_table *rows; /* owned reference */
    const uint32_t *at;     /* [form.n_columns] which of their columns each is; borrowed for the call */
    uint8_t id[16];         /* of what they are */
};
/* False: the file is to be read; or the rows do not fit, and why says what. */
typedef bool row_given_fn(void *ctx, const char *table, const struct row_form *form,
                          struct row_given *given_out, struct buf *why);

#endif
