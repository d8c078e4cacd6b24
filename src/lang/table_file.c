// SPDX-License-Identifier: Apache-2.0
/* table_file - see table_file.h. */
#include "lang/table_file.h"

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

struct reading {
    const struct row_form *form;
    struct row_table *rows;
    struct value *column;  /* [n_columns] of the row at hand */
    bool *has_column;
    uint32_t *line;        /* by row: where it stands */
    size_t cap_lines;
    uint32_t at_line;
    struct buf *why;
};

static bool add_row(struct reading *rd, struct value key)
{
    uint32_t row;
    if (key.type == VALUE_MISSING) {
        buf_adds(rd->why, "the key is missing");
        return false;
    }
    if (key.type == VALUE_LIST || key.type == VALUE_OBJECT) {
        buf_adds(rd->why, "the key is no single value");
        return false;
    }
    if (row_table_count(rd->rows) == ROW_TABLE_MAX_ROWS) {
        buf_printf(rd->why, "more than %d rows", ROW_TABLE_MAX_ROWS);
        return false;
    }
    for (uint32_t i = 0; i < rd->form->n_columns; i++)
        rd->has_column[i] |= rd->column[i].type != VALUE_MISSING;
    if (!row_table_add(rd->rows, key, rd->column, &row)) {
        buf_adds(rd->why, "the key `");
        value_add_text(rd->why, key);
        buf_printf(rd->why, "` is there already, in line %u", rd->line[row]);
        return false;
    }
    rd->line = vec_reserve(rd->line, &rd->cap_lines, (size_t)row + 1, sizeof *rd->line);
    rd->line[row] = rd->at_line;
    return true;
}

/* ---- CSV ----------------------------------------------------------------------------------- */

struct csv_plan {
    uint32_t n_fields;
    uint32_t n;      /* key and columns */
    uint32_t *at;    /* [n] which field; 0 is the key */
    bool *is_number; /* [n] */
};

static bool find_fields(struct reading *rd, const struct csv *head, struct csv_plan *plan)
{
    bool ok = csv_find(head, rd->form->key.name, &plan->at[0], rd->why);
    for (uint32_t i = 0; ok && i < rd->form->n_columns; i++)
        ok = csv_find(head, rd->form->column[i].name, &plan->at[1 + i], rd->why);
    plan->n_fields = head->n;
    return ok;
}

/* One pass: whether each field is of numbers, or (add) the rows. */
static bool csv_pass(struct reading *rd, struct csv *c, struct csv_plan *plan, bool add)
{
    struct value v;
    for (;;) {
        bool ok = csv_next(c, rd->why);
        rd->at_line = c->line;
        if (!ok)
            return false;
        if (c->n == 0)
            return true;
        if (c->n != plan->n_fields) {
            buf_printf(rd->why, "%u field%s, the header has %u", c->n, c->n == 1 ? "" : "s",
                       plan->n_fields);
            return false;
        }
        for (uint32_t i = 0; i < plan->n; i++) {
            struct value *cell = &c->cell[plan->at[i]];
            if (cell->type != VALUE_TEXT || !plan->is_number[i])
                continue;
            bool number = csv_number(*cell, &v);
            plan->is_number[i] = number;
        }
        if (!add)
            continue;
        for (uint32_t i = 0; i < plan->n; i++) {
            v = c->cell[plan->at[i]];
            if (v.type == VALUE_TEXT && plan->is_number[i])
                csv_number(v, &v);
            if (i > 0)
                rd->column[i - 1] = v;
        }
        v = c->cell[plan->at[0]];
        if (v.type == VALUE_TEXT && plan->is_number[0])
            csv_number(v, &v);
        if (!add_row(rd, v))
            return false;
    }
}

static bool read_csv(struct reading *rd, const char *text, size_t len)
{
    struct csv c;
    struct csv_plan plan = {.n = rd->form->n_columns + 1};
    plan.at = mem_calloc(plan.n, sizeof *plan.at);
    plan.is_number = mem_calloc(plan.n, sizeof *plan.is_number);
    for (uint32_t i = 0; i < plan.n; i++)
        plan.is_number[i] = true;
    bool ok = true;
    for (int add = 0; add < 2 && ok; add++) {
        csv_open(&c, text, len);
        ok = csv_next(&c, rd->why);
        rd->at_line = c.line;
        if (ok && c.n == 0) {
            buf_adds(rd->why, "there is no header line");
            ok = false;
        }
        ok = ok && find_fields(rd, &c, &plan) && csv_pass(rd, &c, &plan, add);
        csv_close(&c);
    }
    mem_free(plan.at);
    mem_free(plan.is_number);
    return ok;
}

/* ---- JSON ---------------------------------------------------------------------------------- */

struct json {
    struct schema *schema;
    struct decoder *decoder;
    uint32_t key;
    uint32_t *slot; /* [n_columns] */
};

static bool json_open(struct json *j, const struct row_form *form, size_t len, struct buf *why)
{
    bool ok;
    j->schema = schema_new();
    j->slot = mem_calloc(form->n_columns + 1, sizeof *j->slot);
    ok = schema_slot(j->schema, form->key.part, form->key.n_parts, &j->key);
    for (uint32_t i = 0; i < form->n_columns && ok; i++)
        ok = schema_slot(j->schema, form->column[i].part, form->column[i].n_parts, &j->slot[i]);
    if (!ok)
        buf_adds(why, "too many columns, or paths of too many parts");
    schema_seal(j->schema);
    j->decoder = decoder_new(j->schema, len + 1);
    return ok;
}

static void json_close(struct json *j)
{
    decoder_free(&j->decoder);
    schema_unref(&j->schema);
    mem_free(j->slot);
}

static bool json_row(struct reading *rd, struct json *j, const char *text, size_t len)
{
    struct event ev = {0};
    const char *reason;
    if (!decoder_run(j->decoder, text, len, &ev, &reason)) {
        buf_adds(rd->why, reason);
        return false;
    }
    for (uint32_t i = 0; i < rd->form->n_columns; i++)
        rd->column[i] = ev.slot[j->slot[i]];
    return add_row(rd, ev.slot[j->key]);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool read_lines(struct reading *rd, struct json *j, const char *text, size_t len)
{
    const char *at = text, *end = text + len;
    if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        at += 3;
    for (rd->at_line = 1; at < end; rd->at_line++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *to = newline != NULL ? newline : end, *next = newline != NULL ? to + 1 : end;
        while (to > at && is_blank(to[-1]))
            to--;
        if (to > at && !json_row(rd, j, at, (size_t)(to - at)))
            return false;
        at = next;
    }
    return true;
}

/* The element that begins at `at` ends before what this gives: a comma or the bracket. */
static const char *element_end(const char *at, const char *end)
{
    uint32_t depth = 0;
    bool in_text = false;
    for (; at < end; at++) {
        if (in_text) {
            if (*at == '\\' && at + 1 < end)
                at++;
            else if (*at == '"')
                in_text = false;
        } else if (*at == '"') {
            in_text = true;
        } else if (*at == '{' || *at == '[') {
            depth++;
        } else if (depth > 0 && (*at == '}' || *at == ']')) {
            depth--;
        } else if (depth == 0 && (*at == ',' || *at == ']')) {
            break;
        }
    }
    return at;
}

/* The parser has checked that it is an array; its rows count as lines. */
static bool read_array(struct reading *rd, struct json *j, const char *text, size_t len)
{
    const char *at = text + 1, *end = text + len;
    for (rd->at_line = 1; at < end && *at != ']'; rd->at_line++) {
        const char *to = element_end(at, end);
        if (!json_row(rd, j, at, (size_t)(to - at)))
            return false;
        at = to < end && *to == ',' ? to + 1 : to;
    }
    return true;
}

static bool read_json(struct reading *rd, enum table_format format, const char *text, size_t len)
{
    struct json j;
    bool ok = json_open(&j, rd->form, len, rd->why);
    if (ok)
        ok = format == TABLE_JSON_LINES ? read_lines(rd, &j, text, len)
                                        : read_array(rd, &j, text, len);
    json_close(&j);
    return ok;
}

struct row_table *table_file_read(const struct row_form *form, enum table_format format,
                                  const char *text, size_t len, bool *has_column,
                                  uint32_t *line_out, struct buf *why)
{
    struct reading rd = {.form = form, .why = why, .has_column = has_column};
    rd.rows = row_table_new(form->n_columns);
    rd.column = mem_calloc(form->n_columns + 1, sizeof *rd.column);
    bool ok;
    if (format != TABLE_CSV) {
        ok = read_json(&rd, format, text, len);
    } else if (utf8_valid(text, len, NULL)) {
        ok = read_csv(&rd, text, len);
    } else {
        buf_adds(why, "not UTF-8");
        ok = false;
    }
    *line_out = rd.at_line;
    row_table_seal(rd.rows);
    if (!ok)
        row_table_unref(&rd.rows);
    mem_free(rd.column);
    mem_free(rd.line);
    return ok ? rd.rows : NULL;
}
