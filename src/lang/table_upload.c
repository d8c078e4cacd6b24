// SPDX-License-Identifier: Apache-2.0
/* table_upload - see table_upload.h. */
#include "lang/table_upload.h"

#include <stdarg.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "event/event.h"
#include "event/json_decode.h"
#include "event/row_form.h"
#include "event/row_table.h"
#include "event/schema.h"
#include "lang/table_csv.h"

struct table_reader {
    const struct row_form *form;
    struct table_mistakes *mistakes;
    struct row_table *rows;
    bool edits;
    uint64_t most;         /* bytes of lines */
    struct value *column;  /* [n_columns + 1] of the row at hand, the line at the end */
    struct schema *schema;
    struct decoder *decoder;
    uint32_t key_slot, deleted_slot;
    uint32_t *slot;        /* [n_columns] */
    uint32_t *line_of_row; /* new tables: where it stands */
    size_t cap_lines;
    uint32_t line;         /* at hand */
    struct table_changes changes;
    bool unusable;         /* paths do not fit into a schema; told */
};

/* ---- mistakes --------------------------------------------------------------------------------- */

void table_mistakes_fini(struct table_mistakes *mistakes)
{
    for (size_t i = 0; i < mistakes->n; i++) {
        mem_free(mistakes->item[i].message);
        mem_free(mistakes->item[i].hint);
    }
    *mistakes = (struct table_mistakes){.n = 0};
}

static void add_text(struct buf *out, const char *text)
{
    if (text != NULL)
        buf_add_json_bytes(out, text, strlen(text));
    else
        buf_adds(out, "null");
}

void table_mistakes_json(const struct table_mistakes *mistakes, struct buf *out)
{
    buf_addc(out, '[');
    for (size_t i = 0; i < mistakes->n; i++) {
        const struct table_mistake *m = &mistakes->item[i];
        buf_printf(out, "%s{\"level\":\"error\",\"file\":null,\"line\":%u,\"column\":%u,\"length\":null,"
                        "\"message\":", i > 0 ? "," : "", m->line, m->column);
        add_text(out, m->message);
        buf_adds(out, ",\"hint\":");
        add_text(out, m->hint);
        buf_addc(out, '}');
    }
    buf_addc(out, ']');
}

static __attribute__((format(printf, 4, 5))) void mistake(struct table_reader *rd, uint32_t column,
                                                          const char *hint, const char *fmt, ...)
{
    struct table_mistakes *all = rd->mistakes;
    struct buf text;
    va_list args;

    if (all->total++ >= TABLE_MISTAKES_MOST)
        return;
    buf_init(&text);
    va_start(args, fmt);
    buf_vprintf(&text, fmt, args);
    va_end(args);
    all->item[all->n++] = (struct table_mistake){
        .line = rd->line,
        .column = column,
        .message = buf_take(&text),
        .hint = hint != NULL ? mem_strndup(hint, strlen(hint)) : NULL};
}

/* Moves the reader's line on to that of `at`, and gives the column; from: where the line begins. */
static uint32_t place(struct table_reader *rd, const char *from, const char *at)
{
    uint32_t column = 1;
    for (; from < at; from++) {
        bool newline = *from == '\n';
        rd->line += newline;
        column = newline ? 1 : column + (((unsigned char)*from & 0xc0) != 0x80);
    }
    return column;
}

/* ---- a row ------------------------------------------------------------------------------------ */

static bool key_fits(struct table_reader *rd, struct value key)
{
    if (key.type == VALUE_MISSING)
        mistake(rd, 1, NULL, "the key `%s` is missing", rd->form->key.name);
    else if (key.type == VALUE_LIST || key.type == VALUE_OBJECT)
        mistake(rd, 1, NULL, "the key `%s` is no single value", rd->form->key.name);
    else
        return true;
    return false;
}

static void told_twice(struct table_reader *rd, struct value key, uint32_t row)
{
    struct buf text;

    buf_init(&text);
    value_add_json(&text, key);
    mistake(rd, 1, NULL, "the key %.200s is there already, in line %u", text.data, rd->line_of_row[row]);
    buf_fini(&text);
}

static void count_line(struct table_reader *rd)
{
    rd->changes.bytes += rd->column[rd->form->n_columns].len + 1;
    rd->mistakes->too_large |= rd->changes.bytes > rd->most;
}

/* Of the row that is about to go, if there is one. */
static void forget_line(struct table_reader *rd, struct value key)
{
    uint32_t row;
    if (row_table_find(rd->rows, key, &row))
        rd->changes.bytes -= row_table_get(rd->rows, row, rd->form->n_columns).len + 1;
}

static void take_away(struct table_reader *rd, struct value key)
{
    forget_line(rd, key);
    rd->changes.removed += row_table_remove(rd->rows, key);
}

static void add_row(struct table_reader *rd, struct value key)
{
    uint32_t row;

    if (row_table_count(rd->rows) == ROW_TABLE_MAX_ROWS && !row_table_find(rd->rows, key, &row)) {
        rd->mistakes->too_large = true;
        return;
    }
    if (rd->edits) {
        forget_line(rd, key);
        if (row_table_put(rd->rows, key, rd->column, &row))
            rd->changes.added++;
        else
            rd->changes.replaced++;
        count_line(rd);
        return;
    }
    if (!row_table_add(rd->rows, key, rd->column, &row)) {
        told_twice(rd, key, row);
        return;
    }
    rd->changes.added++;
    rd->line_of_row = vec_reserve(rd->line_of_row, &rd->cap_lines, (size_t)row + 1,
                                  sizeof *rd->line_of_row);
    rd->line_of_row[row] = rd->line;
    count_line(rd);
}

/* padded: decoder_padding() bytes can be read behind it. */
static void take_line(struct table_reader *rd, const char *text, size_t len, bool padded)
{
    struct event ev = {0};
    const char *reason;

    if (len > TABLE_ROW_MOST) {
        mistake(rd, 1, NULL, "a row of %zu bytes: at most %d are taken", len, (int)TABLE_ROW_MOST);
        return;
    }
    if (!(padded ? decoder_run : decoder_run_copy)(rd->decoder, text, len, &ev, &reason)) {
        size_t bad;
        uint32_t column = utf8_valid(text, len, &bad) ? 1 : place(rd, text, text + bad);
        mistake(rd, column, NULL, "%s", reason);
        return;
    }
    struct value key = ev.slot[rd->key_slot], deleted = ev.slot[rd->deleted_slot];
    if (!key_fits(rd, key))
        return;
    if (deleted.type != VALUE_MISSING) {
        if (!rd->edits || deleted.type != VALUE_BOOL)
            mistake(rd, 1, rd->edits ? "write `true`, or leave it out" : "POST takes single rows away",
                    "`@deleted` is no column of a row");
        else if (deleted.u.b)
            take_away(rd, key);
        if (!rd->edits || deleted.type != VALUE_BOOL || deleted.u.b)
            return;
    }
    for (uint32_t i = 0; i < rd->form->n_columns; i++)
        rd->column[i] = ev.slot[rd->slot[i]];
    rd->column[rd->form->n_columns] = value_text(text, len);
    add_row(rd, key);
}

/* ---- JSON lines ------------------------------------------------------------------------------- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static size_t skip_mark(const char *text, size_t len)
{
    return len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

void table_reader_lines(struct table_reader *rd, const char *text, size_t len)
{
    const char *at = text + skip_mark(text, len), *end = text + len;
    uint32_t number = 0;

    while (at < end && !rd->unusable && !rd->mistakes->too_large) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *to = newline != NULL ? newline : end, *next = newline != NULL ? to + 1 : end;
        rd->line = ++number;
        while (at < to && is_blank(*at))
            at++;
        while (to > at && is_blank(to[-1]))
            to--;
        if (to > at)
            take_line(rd, at, (size_t)(to - at), (size_t)(end - to) >= decoder_padding());
        at = next;
    }
}

/* ---- CSV -------------------------------------------------------------------------------------- */

struct header {
    struct buf *name;  /* [n] the name of each column, as a JSON text with a colon behind it */
    bool *is_number;   /* [n] as far as was read */
    uint32_t n;
};

/* The record at hand is text without NUL. */
static bool record_is_text(struct table_reader *rd, const struct csv *c)
{
    size_t len = (size_t)(c->at - c->begin), bad;
    const char *nul = memchr(c->begin, '\0', len);

    rd->line = c->line;
    if (nul != NULL)
        mistake(rd, place(rd, c->begin, nul), NULL, "a NUL byte");
    else if (!utf8_valid(c->begin, len, &bad))
        mistake(rd, place(rd, c->begin, c->begin + bad), "CSV is read as UTF-8", "invalid UTF-8");
    else
        return true;
    return false;
}

static bool same_cell(const struct value *a, const struct value *b)
{
    return a->len == b->len && memcmp(a->u.text, b->u.text, a->len) == 0;
}

static bool check_header(struct table_reader *rd, const struct csv *c)
{
    size_t before = rd->mistakes->total;

    for (uint32_t i = 0; i < c->n; i++) {
        bool twice = false;
        if (c->cell[i].len == 0)
            mistake(rd, 1, NULL, "column %u has no name", i + 1);
        for (uint32_t j = 0; j < i && c->cell[i].len > 0 && !twice; j++)
            twice = c->cell[j].len > 0 && same_cell(&c->cell[i], &c->cell[j]);
        if (twice)
            mistake(rd, 1, NULL, "the column `%.*s` is there twice",
                    c->cell[i].len < 200 ? (int)c->cell[i].len : 200, c->cell[i].u.text);
    }
    for (uint32_t i = 0; i <= rd->form->n_columns && rd->mistakes->total == before; i++) {
        const char *name = i == 0 ? rd->form->key.name : rd->form->column[i - 1].name;
        uint32_t at;
        struct buf why;
        buf_init(&why);
        if (!csv_find(c, name, &at, &why))
            mistake(rd, 1, i == 0 ? "it is the key of the table" : "rules read it", "%s", why.data);
        buf_fini(&why);
    }
    return rd->mistakes->total == before;
}

/* Reads on to the end: whether the texts of each column are numbers. */
static void find_numbers(struct csv *c, struct header *head)
{
    struct buf why;
    struct value v;

    for (uint32_t i = 0; i < head->n; i++)
        head->is_number[i] = true;
    buf_init(&why);
    while (csv_next(c, &why) && c->n > 0)
        for (uint32_t i = 0; i < head->n && c->n == head->n; i++)
            if (c->cell[i].type == VALUE_TEXT && head->is_number[i])
                head->is_number[i] = csv_number(c->cell[i], &v);
    buf_fini(&why);
}

static void record_to_line(const struct csv *c, const struct header *head, struct buf *line)
{
    buf_clear(line);
    buf_addc(line, '{');
    for (uint32_t i = 0; i < head->n; i++) {
        const struct value *cell = &c->cell[i];
        if (cell->type != VALUE_TEXT)
            continue;
        if (line->len > 1)
            buf_addc(line, ',');
        buf_add(line, head->name[i].data, head->name[i].len);
        if (head->is_number[i])
            buf_add(line, cell->u.text, cell->len);
        else
            buf_add_json_text(line, cell->u.text, cell->len);
    }
    buf_addc(line, '}');
}

static void take_records(struct table_reader *rd, struct csv *c, const struct header *head)
{
    struct buf why, line;

    buf_init(&why);
    buf_init(&line);
    while (!rd->mistakes->too_large) {
        if (!csv_next(c, &why)) {
            rd->line = c->line;
            mistake(rd, 1, "what stands behind it was not read", "%s", why.data);
            break;
        }
        if (c->n == 0)
            break;
        if (!record_is_text(rd, c))
            continue;
        if (c->n != head->n) {
            mistake(rd, 1, NULL, "%u field%s, the header has %u", c->n, c->n == 1 ? "" : "s", head->n);
            continue;
        }
        record_to_line(c, head, &line);
        take_line(rd, line.data, line.len, false);
    }
    buf_fini(&line);
    buf_fini(&why);
}

static void header_init(struct header *head, const struct csv *c)
{
    head->n = c->n;
    head->name = mem_calloc(c->n + 1, sizeof *head->name);
    head->is_number = mem_calloc(c->n + 1, sizeof *head->is_number);
    for (uint32_t i = 0; i < c->n; i++) {
        buf_init(&head->name[i]);
        buf_add_json_text(&head->name[i], c->cell[i].u.text, c->cell[i].len);
        buf_addc(&head->name[i], ':');
    }
}

static void header_fini(struct header *head)
{
    for (uint32_t i = 0; i < head->n; i++)
        buf_fini(&head->name[i]);
    mem_free(head->name);
    mem_free(head->is_number);
}

/* The header is the first record. False: told. */
static bool first_record(struct table_reader *rd, struct csv *c)
{
    struct buf why;

    buf_init(&why);
    rd->line = 1;
    bool ok = csv_next(c, &why);
    rd->line = c->line;
    if (!ok)
        mistake(rd, 1, NULL, "%s", why.data);
    else if (c->n == 0)
        mistake(rd, 1, NULL, "there is no header line");
    else if (record_is_text(rd, c) && check_header(rd, c)) {
        buf_fini(&why);
        return true;
    }
    buf_fini(&why);
    return false;
}

void table_reader_csv(struct table_reader *rd, const char *text, size_t len)
{
    struct header head;
    struct csv c;

    if (rd->unusable)
        return;
    csv_open(&c, text, len);
    if (first_record(rd, &c)) {
        header_init(&head, &c);
        find_numbers(&c, &head);
        csv_close(&c);
        csv_open(&c, text, len);
        struct buf why;
        buf_init(&why);
        csv_next(&c, &why);
        buf_fini(&why);
        take_records(rd, &c, &head);
        header_fini(&head);
    }
    csv_close(&c);
}

/* ---- lifetime --------------------------------------------------------------------------------- */

static bool make_schema(struct table_reader *rd)
{
    const struct row_form *form = rd->form;
    bool ok = schema_slot(rd->schema, form->key.part, form->key.n_parts, &rd->key_slot);

    for (uint32_t i = 0; i < form->n_columns && ok; i++)
        ok = schema_slot(rd->schema, form->column[i].part, form->column[i].n_parts, &rd->slot[i]);
    ok = ok && schema_slot_text(rd->schema, "@deleted", &rd->deleted_slot);
    schema_seal(rd->schema);
    return ok;
}

struct table_reader *table_reader_new(const struct row_form *form, struct row_table *base,
                                      struct table_mistakes *mistakes)
{
    struct table_reader *rd = mem_calloc(1, sizeof *rd);

    rd->form = form;
    rd->mistakes = mistakes;
    rd->edits = base != NULL;
    rd->most = UINT64_MAX;
    rd->rows = base != NULL ? row_table_copy(base) : row_table_new(form->n_columns + 1);
    rd->column = mem_calloc((size_t)form->n_columns + 1, sizeof *rd->column);
    rd->slot = mem_calloc((size_t)form->n_columns + 1, sizeof *rd->slot);
    rd->schema = schema_new();
    rd->unusable = !make_schema(rd);
    if (rd->unusable)
        mistake(rd, 1, NULL, "rules read too many columns, or paths of too many parts");
    rd->decoder = decoder_new(rd->schema, TABLE_ROW_MOST);
    return rd;
}

void table_reader_limit(struct table_reader *rd, uint64_t bytes, uint64_t most)
{
    rd->changes.bytes = bytes;
    rd->most = most;
}

struct row_table *table_reader_end(struct table_reader **reader, struct table_changes *changes_out)
{
    struct table_reader *rd = *reader;
    struct row_table *rows = rd->rows;

    if (changes_out != NULL)
        *changes_out = rd->changes;
    if (rd->mistakes->total > 0 || rd->mistakes->too_large)
        row_table_unref(&rows);
    else
        row_table_seal(rows);
    decoder_free(&rd->decoder);
    schema_unref(&rd->schema);
    mem_free(rd->column);
    mem_free(rd->slot);
    mem_free(rd->line_of_row);
    mem_free(rd);
    *reader = NULL;
    return rows;
}

struct row_table *table_rows_again(const struct row_table *rows, uint32_t line_column,
                                   const struct row_form *form, struct table_mistakes *mistakes)
{
    struct table_reader *rd = table_reader_new(form, NULL, mistakes);

    for (uint32_t row = 0; row < row_table_count(rows) && !rd->unusable; row++) {
        struct value line = row_table_get(rows, row, line_column);
        rd->line = row + 1;
        take_line(rd, line.u.text, line.len, false);
    }
    return table_reader_end(&rd, NULL);
}
