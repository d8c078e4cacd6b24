// SPDX-License-Identifier: Apache-2.0
/*
 * resolve_table - tables: where their rows come from, and which columns something reads.
 *
 * A column is found when it is read, `t[key].column`; files are loaded when all are known, and hold
 * no others. A table that a stream feeds is state of the engine: its key and columns are expressions
 * over the event that brings the row, and what reads it is not known before the engine has the event.
 */
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/diag.h"
#include "base/intern.h"
#include "base/mem.h"
#include "event/json_decode.h"
#include "event/row_form.h"
#include "event/row_table.h"
#include "lang/resolve_priv.h"
#include "lang/table_file.h"

/* ---- declarations -------------------------------------------------------------------------- */

void resolve_declare_tables(struct resolver *r)
{
    uint32_t number;
    for (struct ast_table *t = r->module->tables; t != NULL; t = t->next) {
        if (name_table_find(&r->lists, t->name.text, &number)) {
            diag_add(r->diag, DIAG_ERROR, t->name.span, "table `%s` is named like a list",
                     t->name.text);
            diag_hint(r->diag, "`x in %s` must mean one of them", t->name.text);
        }
        if (!name_table_add(r, &r->tables, "table", &t->name, t, &number))
            continue;
        r->table = vec_reserve(r->table, &r->table_cap, (size_t)number + 1, sizeof *r->table);
        r->table[number] = (struct lang_table){.name = t->name.text, .decl = t, .keep = -1,
                                               .fed = t->from != AST_TABLE_FILE};
    }
}

static void resolve_key(struct resolver *r, struct lang_table *table)
{
    struct ast_expr *key = table->decl->key;
    table->key_name = resolve_path_plain(r, key->part, key->n_parts);
    table->key_part = key->part;
    table->n_key_parts = key->n_parts;
    table->key = key;
    bool named = key->index == NULL;
    for (uint32_t i = 0; i < key->n_parts && !table->fed; i++)
        named &= key->part[i].name != NULL;
    if (!named) {
        diag_add(r->diag, DIAG_ERROR, key->span, "the key of a table is the name of a column");
    } else if (table->fed) {
        struct scope sc = {.r = r, .kind = SCOPE_STREAM, .stream = &table->stream, .n_streams = 1};
        if (table->kafka != NULL && !resolve_row_check(r, key->span, key->part, key->n_parts))
            return;
        if (table->kafka != NULL)
            table->key = key = ast_path(r->arena, key->span, resolve_row_part(r, key->part, key->n_parts), NULL,
                                        key->n_parts);
        resolve_expr(&sc, key);
    }
}

static void resolve_keep(struct resolver *r, struct lang_table *table)
{
    struct ast_expr *keep = table->decl->keep;
    if (keep == NULL || !resolve_duration(r, keep, "keep"))
        return;
    table->keep = keep->value.u.i;
    if (table->keep == 0)
        diag_add(r->diag, DIAG_ERROR, keep->span, "`keep` must be more than 0");
}

void resolve_tables(struct resolver *r)
{
    for (uint32_t i = 0; i < intern_count(r->tables.names); i++) {
        struct lang_table *table = &r->table[i];
        if (table->decl->from == AST_TABLE_KAFKA)
            resolve_table_kafka(r, table);
        else if (table->fed && resolve_stream(r, &table->decl->stream, &table->stream))
            r->used[table->stream] = true;
        resolve_key(r, table);
        resolve_keep(r, table);
    }
}

/* ---- reading ------------------------------------------------------------------------------- */

/* Is the path's first part the name of a table? */
static bool resolve_table_named(const struct scope *sc, const struct ast_expr *path, uint32_t *number_out)
{
    uint32_t depth;
    return path->kind == AST_PATH && path->n_parts > 0 && path->part[0].name != NULL &&
           !resolve_find_variable(sc, path, &depth) &&
           name_table_find(&sc->r->tables, path->part[0].name, number_out);
}

bool resolve_in_table(const struct scope *sc, struct ast_expr *expr)
{
    struct ast_expr *path = expr->args[1];
    struct diag *diag = sc->r->diag;
    uint32_t number;
    if (path->kind != AST_PATH || path->n_parts != 1 || path->index != NULL ||
        !resolve_table_named(sc, path, &number))
        return false;
    path->ref = REF_TABLE;
    path->list = number;
    path->is_fed = sc->r->table[number].fed;
    if (expr->op != AST_OP_IN && expr->op != AST_OP_NOT_IN) {
        diag_add(diag, DIAG_ERROR, path->span, "`%s` is a table: it stands behind `in`",
                 path->part[0].name);
    } else if (expr->fold) {
        diag_add(diag, DIAG_ERROR, expr->span, "a table is looked up by equal keys: `in~` has none");
        diag_hint(diag, "write `lower(x) in %s`, and the table's keys in lower case",
                  path->part[0].name);
    }
    return true;
}

static uint32_t find_column(struct lang_table *table, const char *name)
{
    uint32_t i = 0;
    while (i < table->n_columns && strcmp(table->column[i].name, name) != 0)
        i++;
    return i;
}

static uint32_t get_column(struct resolver *r, struct lang_table *table, struct span span,
                           const struct path_part *part, uint32_t n)
{
    const char *name = resolve_path_plain(r, part, n);
    uint32_t i = find_column(table, name);
    if (i < table->n_columns)
        return i;
    table->column = vec_reserve(table->column, &table->column_cap, (size_t)i + 1,
                                sizeof *table->column);
    table->column[i] = (struct lang_column){.name = name, .part = part, .n_parts = n,
                                            .span = span};
    table->n_columns++;
    return i;
}

/* What the columns are in the events that bring rows; they may bring further columns to light. */
static void resolve_columns(struct resolver *r, struct lang_table *table)
{
    struct scope sc = {.r = r, .kind = SCOPE_STREAM, .stream = &table->stream, .n_streams = 1};
    for (uint32_t i = 0; i < table->n_columns; i++) {
        const struct lang_column *column = &table->column[i];
        if (table->kafka != NULL && !resolve_row_check(r, column->span, column->part, column->n_parts))
            continue;
        const struct path_part *part = table->kafka != NULL
                                           ? resolve_row_part(r, column->part, column->n_parts)
                                           : column->part;
        struct ast_expr *field = ast_path(r->arena, column->span, part, NULL, column->n_parts);
        resolve_expr(&sc, field);
        table->column[i].expr = field;
    }
}

/* The index of `t[5].x` is a key, though the parser takes it for a place in a list. */
static void index_to_key(struct resolver *r, struct ast_expr *path)
{
    path->index = ast_literal(r->arena, path->span, value_int(path->part[1].index), AST_FORM_PLAIN);
    path->index_at = 1;
    struct path_part *part = arena_memdup(r->arena, path->part, path->n_parts * sizeof *part);
    bool *quoted = arena_alloc(r->arena, path->n_parts * sizeof *quoted);
    memmove(part + 1, part + 2, (path->n_parts - 2) * sizeof *part);
    for (uint32_t i = 2; i < path->n_parts && path->part_quoted != NULL; i++)
        quoted[i - 1] = path->part_quoted[i];
    path->part = part;
    path->part_quoted = quoted;
    path->n_parts--;
}

static void not_a_table(const struct scope *sc, const struct ast_expr *path)
{
    struct diag *diag = sc->r->diag;
    struct suggest s;
    diag_add(diag, DIAG_ERROR, path->span, "`%s[...]` looks into a table, and no such is declared",
             resolve_path_text(sc->r, path->part, path->index_at));
    suggest_init(&s, path->part[0].name);
    name_table_suggest(&sc->r->tables, &s);
    if (!resolve_did_you_mean(sc->r, &s))
        diag_hint(diag, "an element of a list is `x[0]` or `x[-1]`");
}

bool resolve_lookup(const struct scope *sc, struct ast_expr *path)
{
    struct resolver *r = sc->r;
    uint32_t number;
    bool by_place = path->index == NULL && path->n_parts > 1 && path->part[1].name == NULL;
    if (path->index == NULL && !by_place)
        return false;
    if (!resolve_table_named(sc, path, &number) || (path->index != NULL && path->index_at != 1)) {
        if (path->index != NULL)
            not_a_table(sc, path);
        return path->index != NULL;
    }
    if (by_place)
        index_to_key(r, path);
    struct lang_table *table = &r->table[number];
    struct scope in = *sc;
    in.in_text_operator = false;
    resolve_expr(&in, path->index);
    if (path->n_parts == 1) {
        diag_add(r->diag, DIAG_ERROR, path->span, "a row of `%s` is no value", table->name);
        diag_hint(r->diag, "name a column, as `%s[...].x`; whether there is a row asks `... in %s`",
                  table->name, table->name);
        return true;
    }
    path->number = get_column(r, table, path->span, path->part + 1, path->n_parts - 1);
    path->list = number;
    path->is_fed = table->fed;
    path->ref = REF_TABLE;
    return true;
}

static bool note_fed(struct ast_expr *expr, void *ctx)
{
    (void)ctx;
    return expr->ref != REF_TABLE || !expr->is_fed;
}

bool resolve_reads_fed(struct ast_expr *expr)
{
    return !ast_walk(expr, note_fed, NULL);
}

void resolve_refuse_fed(struct resolver *r, struct ast_expr *expr, const char *where)
{
    if (expr == NULL || !resolve_reads_fed(expr))
        return;
    diag_add(r->diag, DIAG_ERROR, expr->span, "%s reads a table that events feed", where);
    diag_hint(r->diag, "it is decided before the order of events is known: ask in the `where` of a "
                       "step");
}

/* ---- loading ------------------------------------------------------------------------------- */

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), k = strlen(end);
    return n >= k && strcmp(text + n - k, end) == 0;
}

static void own_rows(struct resolver *r, struct row_table *rows)
{
    struct lang_unit *unit = r->unit;
    unit->rows = vec_reserve(unit->rows, &unit->rows_cap, unit->n_rows + 1,
                             sizeof(struct row_table *));
    unit->rows[unit->n_rows++] = rows;
}

/* What is read of the rows; the columns are owned, in form_out->column. */
static void form_of(const struct lang_table *table, struct row_form *form_out)
{
    struct row_path *column = mem_calloc((size_t)table->n_columns + 1, sizeof *column);
    for (uint32_t i = 0; i < table->n_columns; i++)
        column[i] = (struct row_path){table->column[i].name, table->column[i].part,
                                        table->column[i].n_parts};
    *form_out = (struct row_form){.key = {table->key_name, table->key_part, table->n_key_parts},
                                    .column = column, .n_columns = table->n_columns};
}

static void form_fini(struct row_form *form)
{
    mem_free((void *)(uintptr_t)form->column);
}

/* Which types the rows have in a column. */
static uint16_t types_of_rows(const struct row_table *rows, uint32_t at)
{
    uint16_t types = 0;
    for (int type = VALUE_BOOL; type <= VALUE_OBJECT; type++)
        if (row_table_types(rows, at, type) > 0)
            types |= (uint16_t)(1u << type);
    return types;
}

static void load_file(struct resolver *r, struct lang_table *table, const struct row_form *form)
{
    const struct ast_name *file = &table->decl->file;
    bool csv = ends_with(file->text, ".csv");
    size_t len;
    uint32_t line;
    struct buf why;
    char *text = resolve_load(r, file, TABLE_MAX_BYTES, decoder_padding(), &len);
    if (text == NULL)
        return;
    bool *has = mem_calloc(table->n_columns + 1, sizeof *has);
    buf_init(&why);
    table->rows = table_file_read(form, csv ? TABLE_CSV : TABLE_JSON_LINES, text, len, has, &line,
                                  &why);
    if (table->rows == NULL)
        diag_add(r->diag, DIAG_ERROR, file->span, "%s:%u: %s", file->text, line, why.data);
    else
        own_rows(r, table->rows);
    for (uint32_t i = 0; table->rows != NULL && i < table->n_columns; i++) {
        table->column[i].types = types_of_rows(table->rows, i);
        if (!has[i] && row_table_count(table->rows) > 0)
            diag_add(r->diag, DIAG_WARNING, table->column[i].span, "no row of `%s` has `%s`",
                     table->name, table->column[i].name);
    }
    buf_fini(&why);
    mem_free(has);
    mem_free(text);
}

/* Rules get what they need of rows that were given, or are refused: nobody sees a rule that died. */
static void take_given(struct resolver *r, struct lang_table *table, const struct row_given *given)
{
    table->given = true;
    table->rows = given->rows;
    table->at = arena_memdup(r->arena, given->at, table->n_columns * sizeof *table->at);
    own_rows(r, given->rows);
    resolve_note_loaded(r, given->id, sizeof given->id);
    for (uint32_t i = 0; i < table->n_columns; i++) {
        struct lang_column *column = &table->column[i];
        column->types = types_of_rows(table->rows, table->at[i]);
        if (column->types != 0 || row_table_count(table->rows) == 0)
            continue;
        diag_add(r->diag, DIAG_ERROR, column->span, "no row of `%s` has `%s`", table->name,
                 column->name);
        diag_hint(r->diag, "the rows are those that were uploaded");
    }
}

static void load(struct resolver *r, struct lang_table *table)
{
    const struct ast_name *file = &table->decl->file;
    struct row_given given = {.rows = NULL};
    struct row_form form;
    struct buf why;
    bool is_given = false;
    if (!ends_with(file->text, ".csv") && !ends_with(file->text, ".ndjson") &&
        !ends_with(file->text, ".jsonl")) {
        diag_add(r->diag, DIAG_ERROR, file->span, "`%s` is no file of a table", file->text);
        diag_hint(r->diag, "its name ends in `.csv` or `.ndjson`");
        return;
    }
    buf_init(&why);
    form_of(table, &form);
    if (r->opt != NULL && r->opt->rows != NULL)
        is_given = r->opt->rows(r->opt->rows_ctx, table->name, &form, &given, &why);
    if (is_given) {
        take_given(r, table, &given);
    } else if (why.len > 0) {
        diag_add(r->diag, DIAG_ERROR, table->decl->name.span, "the rows that were uploaded to `%s` do "
                 "not fit: %s", table->name, why.data);
        diag_hint(r->diag, "DELETE /v1/tables/%s goes back to the file", table->name);
    } else {
        load_file(r, table, &form);
    }
    form_fini(&form);
    buf_fini(&why);
}

void resolve_load_tables(struct resolver *r)
{
    for (uint32_t round = 0; round < 2; round++) { /* a table's columns may read another's */
        for (uint32_t i = 0; i < intern_count(r->tables.names); i++) {
            if (r->table[i].fed)
                resolve_columns(r, &r->table[i]);
        }
    }
    for (uint32_t i = 0; i < intern_count(r->tables.names); i++) {
        if (r->table[i].decl->from == AST_TABLE_FILE && r->table[i].key != NULL)
            load(r, &r->table[i]);
    }
}

void resolve_test_table(struct resolver *r, const struct ast_test_item *item)
{
    struct ast_table *given = item->table;
    uint32_t number, line;
    if (!name_table_find(&r->tables, given->name.text, &number)) {
        diag_add(r->diag, DIAG_ERROR, given->name.span, "no table `%s` is declared",
                 given->name.text);
        struct suggest s;
        suggest_init(&s, given->name.text);
        name_table_suggest(&r->tables, &s);
        resolve_did_you_mean(r, &s);
        return;
    }
    const struct lang_table *table = &r->table[number];
    struct row_form form;
    size_t len = strlen(item->table_rows);
    char *text = mem_calloc(len + decoder_padding() + 1, 1);
    memcpy(text, item->table_rows, len);
    bool *has = mem_calloc(table->n_columns + 1, sizeof *has);
    struct buf why;
    buf_init(&why);
    form_of(table, &form);
    given->rows = table_file_read(&form, TABLE_JSON_ARRAY, text, len, has, &line, &why);
    form_fini(&form);
    if (given->rows == NULL)
        diag_add(r->diag, DIAG_ERROR, given->span, "row %u: %s", line, why.data);
    else
        own_rows(r, given->rows);
    given->number = number;
    buf_fini(&why);
    mem_free(has);
    mem_free(text);
}
