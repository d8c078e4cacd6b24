// SPDX-License-Identifier: Apache-2.0
/*
 * table_file - the rows of a table from text: CSV (RFC 4180, a header line), JSON lines, or the JSON
 * array of a test block. Only the key and the columns that something reads are kept.
 *
 * A CSV column is of numbers if each of its cells that is not empty is one, else of texts; an empty
 * cell is missing. JSON keeps its types. A row without a key is an error, and so is a key twice.
 */
#ifndef LANG_TABLE_FILE_H
#define LANG_TABLE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct row_form;
struct row_table;

enum { TABLE_MAX_BYTES = 1 << 30 };

enum table_format { TABLE_CSV, TABLE_JSON_LINES, TABLE_JSON_ARRAY };

/* text must have decoder_padding() readable bytes behind it. Returns owned; NULL: *line_out and why
 * say what is wrong (line 0: the whole). column_at[n_columns] gets whether any row has the column. */
struct row_table *table_file_read(const struct row_form *form, enum table_format format,
                                  const char *text, size_t len, bool *has_column,
                                  uint32_t *line_out, struct buf *why);

#endif
