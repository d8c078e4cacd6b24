// SPDX-License-Identifier: Apache-2.0
/*
 * table_upload - the rows of a table that come over the HTTP interface, from text to a row_table: CSV with a
 * header line, or JSON lines. Unlike a file's, all of a row is kept, as a line of JSON in a column of its own
 * behind those that rules read: rules that come later may read others. A record of CSV becomes such a line.
 *
 *   text --table_reader_csv, _lines--> reader --table_reader_end--> rows: [key][columns][line]
 *
 * All mistakes are told, with line and column, the first TABLE_MISTAKES_MOST with their texts. Read next:
 * event/row_table.h.
 */
#ifndef LANG_TABLE_UPLOAD_H
#define LANG_TABLE_UPLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct row_table;
struct row_form;
struct table_reader;

enum { TABLE_ROW_MOST = 1 << 20, TABLE_MISTAKES_MOST = 20 };

struct table_mistake { /* owned texts */
    uint32_t line, column; /* from 1; column: code points */
    char *message, *hint;  /* hint: or NULL */
};
struct table_mistakes { /* embedded, begins zeroed; _fini */
    struct table_mistake item[TABLE_MISTAKES_MOST];
    size_t n, total;
    bool too_large;        /* more bytes than there may be */
};
void table_mistakes_fini(struct table_mistakes *mistakes);
/* A JSON array like that of diag_print_json, of no file. */
void table_mistakes_json(const struct table_mistakes *mistakes, struct buf *out);

/* base NULL: rows of a new table, no key twice. Else of a copy of base, which was made with this form: a row
 * takes the place of the one of its key, and one with `"@deleted": true` takes that away. form: borrowed
 * until _end; mistakes too. */
struct table_reader *table_reader_new(const struct row_form *form, struct row_table *base,
                                      struct table_mistakes *mistakes);
/* How many bytes the lines of base have, and how many there may be. Without it any. */
void table_reader_limit(struct table_reader *rd, uint64_t bytes, uint64_t most);
/* Nothing is read behind text. */
void table_reader_lines(struct table_reader *rd, const char *text, size_t len);
void table_reader_csv(struct table_reader *rd, const char *text, size_t len);
struct table_changes {
    uint64_t added, replaced, removed;
    uint64_t bytes; /* of all lines, with their ends */
};
/* The rows, sealed, owned; NULL: there are mistakes. changes_out: or NULL. */
struct row_table *table_reader_end(struct table_reader **rd, struct table_changes *changes_out);
/* The same rows with the columns of another form. NULL: they do not fit its key. Owned. */
struct row_table *table_rows_again(const struct row_table *rows, uint32_t line_column,
                                   const struct row_form *form, struct table_mistakes *mistakes);

#endif
