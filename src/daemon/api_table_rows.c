// SPDX-License-Identifier: Apache-2.0
/*
 * Rows of a table over HTTP: one, or a page; as JSON, CSV, or lines of JSON. Of rows that were uploaded all that
 * they have, of those of a file what rules read.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "daemon/api_priv.h"
#include "daemon/api_table_priv.h"
#include "daemon/uploads.h"
#include "event/json_doc.h"
#include "event/json_view.h"
#include "event/row_table.h"
#include "plan/program.h"

enum { ROWS = 100, ROWS_MOST = 10000, LINES_MOST = 100000, BYTES_MOST = 16 << 20 };

struct page {
    const struct program_table *table;
    const struct row_table *rows;
    bool has_lines;           /* they were uploaded */
    uint32_t line_column;
    uint32_t from, to;        /* rows */
};

/* ---- a row as JSON ---------------------------------------------------------------------------- */

static void add_member(struct buf *out, const char *name, struct value v, bool first)
{
    if (!first)
        buf_addc(out, ',');
    buf_add_json_text(out, name, strlen(name));
    buf_addc(out, ':');
    value_add_json(out, v);
}

static void add_row(struct buf *out, const struct page *page, uint32_t row)
{
    const struct program_table *table = page->table;

    if (page->has_lines) {
        struct value line = row_table_get(page->rows, row, page->line_column);
        buf_add(out, line.u.text, line.len);
        return;
    }
    buf_addc(out, '{');
    add_member(out, table->key_name, row_table_key(page->rows, row), true);
    for (uint32_t i = 0; i < table->n_columns; i++) {
        struct value v = row_table_get(page->rows, row, i);
        if (v.type != VALUE_MISSING && strcmp(table->column_name[i], table->key_name) != 0)
            add_member(out, table->column_name[i], v, false);
    }
    buf_addc(out, '}');
}

/* Ends before there is too much; page->to says where. */
static void add_rows(struct buf *out, struct page *page, char between)
{
    size_t begin = out->len;

    for (uint32_t row = page->from; row < page->to; row++) {
        if (row > page->from && out->len - begin > BYTES_MOST) {
            page->to = row;
            break;
        }
        if (row > page->from && between == ',')
            buf_addc(out, between);
        add_row(out, page, row);
        if (between == '\n')
            buf_addc(out, between);
    }
}

/* ---- CSV -------------------------------------------------------------------------------------- */

struct columns { /* names in the order in which rows have them first */
    struct buf text;          /* all names, as they read */
    size_t *start;            /* [n] where one begins */
    size_t n, cap;
    struct hash_index *index;
};

struct name {
    const struct columns *all;
    const char *text;
    size_t len;
};

static bool same_name(uint64_t value, const void *key, void *ctx)
{
    const struct name *name = key;
    const struct columns *all = ctx;
    size_t end = value + 1 < all->n ? all->start[value + 1] : all->text.len;

    return end - all->start[value] == name->len &&
           memcmp(all->text.data + all->start[value], name->text, name->len) == 0;
}

static size_t column_named(struct columns *all, const char *text, size_t len, bool add)
{
    struct name name = {all, text, len};
    uint64_t hash = hash64(text, len, 0), found;

    if (hash_index_get(all->index, hash, same_name, &name, all, &found))
        return (size_t)found;
    if (!add)
        return SIZE_MAX;
    all->start = vec_reserve(all->start, &all->cap, all->n + 1, sizeof *all->start);
    all->start[all->n] = all->text.len;
    buf_add(&all->text, text, len);
    hash_index_add(all->index, hash, all->n);
    return all->n++;
}

static void add_cell(struct buf *out, const char *text, size_t len)
{
    bool quotes = memchr(text, ',', len) || memchr(text, '"', len) || memchr(text, '\n', len) ||
                  memchr(text, '\r', len) || (len > 0 && (text[0] == ' ' || text[len - 1] == ' '));

    if (!quotes) {
        buf_add(out, text, len);
        return;
    }
    buf_addc(out, '"');
    for (size_t i = 0; i < len; i++) {
        if (text[i] == '"')
            buf_addc(out, '"');
        buf_addc(out, text[i]);
    }
    buf_addc(out, '"');
}

/* Calls for each member of a row: its name as it reads. */
static void each_member(const struct buf *row, void (*found)(void *ctx, const struct buf *name,
                                                             struct json_view value), void *ctx)
{
    struct json_view object, name, value;
    struct buf text;

    if (!json_view_parse(row->data, row->len, &object))
        return;
    buf_init(&text);
    struct json_view_walk walk = json_view_begin(object);
    while (json_view_next(&walk, &name, &value)) {
        buf_clear(&text);
        buf_adds(&text, "");
        json_view_add_text(name, &text);
        found(ctx, &text, value);
    }
    buf_fini(&text);
}

static void note_column(void *ctx, const struct buf *name, struct json_view value)
{
    if (json_view_type(value) != JSON_VIEW_NULL)
        column_named(ctx, name->data, name->len, true);
}

struct record {
    struct columns *all;
    struct json_view *value; /* [all->n] */
};

static void note_value(void *ctx, const struct buf *name, struct json_view value)
{
    struct record *record = ctx;
    size_t at = column_named(record->all, name->data, name->len, false);

    if (at != SIZE_MAX && record->value[at].len == 0) /* the first of a name that is there twice */
        record->value[at] = value;
}

static void add_record(struct buf *out, const struct record *record)
{
    struct buf text;

    buf_init(&text);
    for (size_t i = 0; i < record->all->n; i++) {
        struct json_view value = record->value[i];
        if (i > 0)
            buf_addc(out, ',');
        if (value.len == 0 || json_view_type(value) == JSON_VIEW_NULL)
            continue;
        buf_clear(&text);
        buf_adds(&text, "");
        json_view_add_text(value, &text);
        add_cell(out, text.data, text.len);
    }
    buf_adds(out, "\r\n");
    buf_fini(&text);
}

static void add_csv(struct buf *out, struct page *page)
{
    struct columns all = {.n = 0};
    struct buf row;

    buf_init(&row);
    buf_init(&all.text);
    all.index = hash_index_new();
    column_named(&all, page->table->key_name, strlen(page->table->key_name), true);
    for (uint32_t i = page->from; i < page->to; i++) {
        buf_clear(&row);
        add_row(&row, page, i);
        each_member(&row, note_column, &all);
    }
    for (size_t i = 0; i < all.n; i++) {
        size_t end = i + 1 < all.n ? all.start[i + 1] : all.text.len;
        if (i > 0)
            buf_addc(out, ',');
        add_cell(out, all.text.data + all.start[i], end - all.start[i]);
    }
    buf_adds(out, "\r\n");
    struct record record = {&all, mem_calloc(all.n + 1, sizeof *record.value)};
    for (uint32_t i = page->from; i < page->to; i++) {
        if (i > page->from && out->len > BYTES_MOST) {
            page->to = i;
            break;
        }
        buf_clear(&row);
        add_row(&row, page, i);
        memset(record.value, 0, (all.n + 1) * sizeof *record.value);
        each_member(&row, note_value, &record);
        add_record(out, &record);
    }
    mem_free(record.value);
    mem_free(all.start);
    hash_index_free(&all.index);
    buf_fini(&all.text);
    buf_fini(&row);
}

/* ---- which rows ------------------------------------------------------------------------------- */

/* False: it is answered. */
static bool find_key(struct api_call *call, struct page *page, const char *given)
{
    char why[160];
    struct json_doc *doc = json_doc_parse_any(given, strlen(given), why, sizeof why);
    struct value key;
    uint32_t row = 0;

    if (!doc || !json_doc_value(doc, &key))
        key = value_text(given, strlen(given));
    bool found = row_table_find(page->rows, key, &row);
    json_doc_free(&doc);
    page->from = row;
    page->to = row + 1;
    if (!found)
        http_answer_problem(call->rq, HTTP_NOT_FOUND, "the table %s has no row of that key",
                            page->table->name);
    return found;
}

static void find_page(struct api_call *call, struct page *page)
{
    uint64_t most = http_request_wants_ndjson(call->rq) ? LINES_MOST : ROWS_MOST;
    uint64_t limit = http_request_count(call->rq, "limit", ROWS);
    uint64_t after = http_request_count(call->rq, "after", 0);
    uint32_t n = row_table_count(page->rows);

    if (limit > most)
        limit = most;
    page->from = after < n ? (uint32_t)after : n;
    page->to = limit < n - page->from ? page->from + (uint32_t)limit : n;
}

static void tell_next(struct api_call *call, const struct page *page)
{
    char after[20];

    if (page->to >= row_table_count(page->rows) || http_request_query(call->rq, "key"))
        return;
    snprintf(after, sizeof after, "%u", (unsigned)page->to);
    http_answer_next(call->rq, after);
}

static void answer_page(struct api_call *call, struct page *page, const struct buf *head)
{
    struct buf b;

    buf_init(&b);
    if (http_request_wants_csv(call->rq)) {
        add_csv(&b, page);
        http_answer(call->rq, 200, "text/csv; charset=utf-8", &b);
    } else if (http_request_wants_ndjson(call->rq)) {
        add_rows(&b, page, '\n');
        http_answer(call->rq, 200, "application/x-ndjson", &b);
    } else {
        buf_addc(&b, '{');
        buf_add(&b, head->data, head->len);
        buf_adds(&b, ",\"items\":[");
        add_rows(&b, page, ',');
        buf_addc(&b, ']');
        if (!http_request_query(call->rq, "key") && page->to < row_table_count(page->rows))
            buf_printf(&b, ",\"next\":%u", (unsigned)page->to);
        else
            buf_adds(&b, ",\"next\":null");
        buf_adds(&b, "}\n");
        http_answer_json(call->rq, 200, &b);
    }
    tell_next(call, page);
}

bool api_table_rows(struct api_call *call, const struct program_table *table, struct buf *head)
{
    const char *key = http_request_query(call->rq, "key");
    const struct upload_head *upload = table && table->path ? api_table_upload(call, table->name) : NULL;
    struct page page = {.table = table};
    struct buf b, why;

    if (!table || !table->rows) { /* rows of events are the engine's; of orphans nothing is in memory */
        if (key || http_request_wants_csv(call->rq) || http_request_wants_ndjson(call->rq)) {
            http_answer_problem(call->rq, HTTP_CONFLICT, "the rows of this table cannot be read");
            return false;
        }
        buf_init(&b);
        buf_printf(&b, "{%s}\n", head->data);
        http_answer_json(call->rq, 200, &b);
        return true;
    }
    page.rows = table->rows;
    if (upload) {
        buf_init(&why);
        const struct upload *in = uploads_get(*call->host->uploads, table->name, upload->is.number,
                                              table->form, &why);
        if (!in) {
            api_failed(call, &why);
            return false;
        }
        buf_fini(&why);
        page.rows = in->rows;
        page.has_lines = true;
        page.line_column = in->form->n_columns;
    }
    if (!key)
        find_page(call, &page);
    else if (!find_key(call, &page, key))
        return false;
    answer_page(call, &page, head);
    return true;
}
