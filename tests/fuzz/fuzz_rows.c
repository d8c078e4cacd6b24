// SPDX-License-Identifier: Apache-2.0
/*
 * Rows of tables from text. The first byte says what it is:
 *   even   CSV: what is taken as an upload is taken as a file too, with the same rows and values
 *   odd    lines of JSON: likewise; and as changes of rows that are there
 * Lines that were kept are read again as the same rows.
 */
#include <fuzz/fuzz.h>

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "event/json_decode.h"
#include "event/row_form.h"
#include "event/row_table.h"
#include "event/schema.h"
#include "lang/table_file.h"
#include "lang/table_upload.h"

static const struct path_part part_k[] = {{.name = "k", .len = 1}};
static const struct path_part part_v[] = {{.name = "v", .len = 1}};
static const struct path_part part_ab[] = {{.name = "a", .len = 1}, {.name = "b", .len = 1}};
static const struct row_path columns[] = {{"v", part_v, 1}, {"a.b", part_ab, 2}};
static const struct row_form form = {.key = {"k", part_k, 1}, .column = columns, .n_columns = 2};
static const struct row_form bare = {.key = {"k", part_k, 1}, .n_columns = 0};

static struct row_table *read_upload(const char *text, size_t len, bool csv, struct row_table *base,
                                     struct table_changes *changes)
{
    struct table_mistakes mistakes = {.n = 0};
    struct table_reader *rd = table_reader_new(&form, base, &mistakes);
    struct buf json;

    table_reader_limit(rd, 0, UINT64_MAX);
    if (csv)
        table_reader_csv(rd, text, len);
    else
        table_reader_lines(rd, text, len);
    struct row_table *rows = table_reader_end(&rd, changes);
    if ((rows == NULL) != (mistakes.total > 0 || mistakes.too_large))
        fuzz_fail("refused without a mistake");
    buf_init(&json);
    table_mistakes_json(&mistakes, &json);
    buf_fini(&json);
    table_mistakes_fini(&mistakes);
    return rows;
}

/* Each row of x is in y, with the same columns. */
static void compare(const struct row_table *x, const struct row_table *y, uint32_t n_columns)
{
    uint32_t row;

    if (row_table_count(x) != row_table_count(y))
        fuzz_fail("another number of rows");
    for (uint32_t i = 0; i < row_table_count(x); i++) {
        if (!row_table_find(y, row_table_key(x, i), &row))
            fuzz_fail("a row is not there");
        for (uint32_t c = 0; c < n_columns; c++)
            if (!value_same(row_table_get(x, i, c), row_table_get(y, row, c)))
                fuzz_fail("another value");
    }
}

static void check_file(const struct row_table *rows, const char *text, size_t len, bool csv)
{
    bool has[2] = {false, false};
    uint32_t line;
    struct buf why;

    buf_init(&why);
    struct row_table *file =
        table_file_read(&form, csv ? TABLE_CSV : TABLE_JSON_LINES, text, len, has, &line, &why);
    if (rows != NULL && file == NULL)
        fuzz_fail("as a file it is refused");
    if (rows != NULL)
        compare(file, rows, 2);
    row_table_unref(&file);
    buf_fini(&why);
}

static void check_lines(const struct row_table *rows, uint64_t bytes)
{
    struct table_mistakes mistakes = {.n = 0};
    struct table_changes again;
    struct buf lines;

    buf_init(&lines);
    buf_adds(&lines, "");
    for (uint32_t i = 0; i < row_table_count(rows); i++) {
        struct value line = row_table_get(rows, i, 2);
        buf_add(&lines, line.u.text, line.len);
        buf_addc(&lines, '\n');
    }
    if (lines.len != bytes)
        fuzz_fail("bytes are counted wrongly");
    struct row_table *read = read_upload(lines.data, lines.len, false, NULL, &again);
    if (read == NULL || again.bytes != bytes)
        fuzz_fail("kept lines are refused");
    compare(rows, read, 3);
    row_table_unref(&read);
    struct row_table *other = table_rows_again(rows, 2, &bare, &mistakes);
    if (other == NULL || row_table_count(other) != row_table_count(rows))
        fuzz_fail("with other columns they are refused");
    row_table_unref(&other);
    table_mistakes_fini(&mistakes);
    buf_fini(&lines);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct table_changes changes;

    if (size == 0)
        return 0;
    bool csv = data[0] % 2 == 0;
    size_t len = size - 1;
    char *text = mem_calloc(len + decoder_padding() + 1, 1);
    memcpy(text, data + 1, len);
    struct row_table *rows = read_upload(text, len, csv, NULL, &changes);
    check_file(rows, text, len, csv);
    if (rows != NULL)
        check_lines(rows, changes.bytes);
    if (!csv) {
        static const char first[] = "{\"k\":1,\"v\":1}\n{\"k\":\"a\"}\n{\"k\":true,\"a\":{\"b\":[1]}}\n";
        struct row_table *base = read_upload(first, sizeof first - 1, false, NULL, &changes);
        struct row_table *changed = read_upload(text, len, false, base, &changes);
        if (row_table_count(base) != 3)
            fuzz_fail("the rows that were changed are others");
        row_table_unref(&base);
        if (changed != NULL && row_table_count(changed) + changes.removed != 3 + changes.added)
            fuzz_fail("changes are counted wrongly");
        row_table_unref(&changed);
    }
    row_table_unref(&rows);
    mem_free(text);
    return 0;
}
