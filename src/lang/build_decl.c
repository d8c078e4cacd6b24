// SPDX-License-Identifier: Apache-2.0
/* Streams, lists, tables, definitions, exceptions and configuration: each is hung into the module. */
#include "lang/parse_priv.h"

void build_result(struct parse *p, struct ast_expr *expr)
{
    p->result = expr;
}

/* ---- streams ------------------------------------------------------------------------------ */

struct ast_stream *build_stream_expect(struct parse *p, struct ast_expr *cond, enum ast_expect_else otherwise, struct ast_name sink)
{
    struct ast_stream *stream = arena_alloc(p->arena, sizeof *stream);

    stream->expect = cond;
    stream->expect_else = (uint8_t)otherwise;
    stream->quarantine = sink;
    return stream;
}

void build_stream(struct parse *p, struct span span, struct ast_name name, struct build_list *inputs,
                  struct ast_expr *where, struct build_list *fields, struct ast_stream *expect)
{
    struct ast_stream *stream = expect ? expect : arena_alloc(p->arena, sizeof *stream);
    struct span from = span;

    stream->name = name;
    if (inputs) {
        struct ast_name *first = inputs->item[0], *last = inputs->item[inputs->n - 1];

        from.start = first->span.start;
        from.end = last->span.end;
    }
    stream->inputs = build_names(p, from, inputs);
    stream->where = where;
    stream->fields = parse_chain(fields);
    stream->span = span;
    *p->tails.stream = stream;
    p->tails.stream = &stream->next;
}

/* ---- lists -------------------------------------------------------------------------------- */

static bool literal_items(struct parse *p, const struct ast_expr *items)
{
    for (uint32_t i = 0; i < items->n_args; i++) {
        if (items->args[i]->kind == AST_LITERAL && items->args[i]->value.type != VALUE_MISSING)
            continue;
        parse_error_at(p, items->args[i]->span, "text stands in quotes", "a list holds texts, numbers and other literals only");
        return false;
    }
    return true;
}

struct ast_list *build_list_items(struct parse *p, struct ast_expr *items)
{
    struct ast_list *list = arena_alloc(p->arena, sizeof *list);

    if (items->kind == AST_LIST && literal_items(p, items)) {
        list->item = items->args;
        list->n_items = items->n_args;
    }
    return list;
}

struct ast_list *build_list_file(struct parse *p, struct ast_expr *file)
{
    struct ast_list *list = arena_alloc(p->arena, sizeof *list);

    list->file = build_text_name(p, file);
    return list;
}

enum ast_list_kind build_list_kind(struct parse *p, struct span span, struct build_op op)
{
    if (op.fold)
        parse_error_at(p, span, "compare with `in~` or `like~` where it is used", "a list's kind has no `~`");
    return op.op == AST_OP_LIKE ? AST_LIST_LIKE : AST_LIST_REGEX;
}

void build_list(struct parse *p, struct span span, struct ast_name name, enum ast_list_kind kind, struct ast_list *list)
{
    list->name = name;
    list->kind = kind;
    list->span = span;
    *p->tails.list = list;
    p->tails.list = &list->next;
}

/* ---- tables ------------------------------------------------------------------------------- */

static struct ast_table *table_from(struct parse *p, enum ast_table_from from)
{
    struct ast_table *table = arena_alloc(p->arena, sizeof *table);

    table->from = (uint8_t)from;
    return table;
}

struct ast_table *build_table_file(struct parse *p, struct ast_expr *file)
{
    struct ast_table *table = table_from(p, AST_TABLE_FILE);

    table->file = build_text_name(p, file);
    return table;
}

struct ast_table *build_table_stream(struct parse *p, struct ast_name stream)
{
    struct ast_table *table = table_from(p, AST_TABLE_STREAM);

    table->stream = stream;
    return table;
}

struct ast_table *build_table_kafka(struct parse *p, struct build_list *entries)
{
    struct ast_table *table = table_from(p, AST_TABLE_KAFKA);

    table->kafka = parse_chain(entries);
    return table;
}

void build_table(struct parse *p, struct span span, struct ast_name name, struct ast_table *table,
                 struct ast_expr *key, struct ast_expr *keep)
{
    if (keep && table->from != AST_TABLE_STREAM)
        parse_error_at(p, keep->span, NULL, "`keep` is for tables that a stream feeds");
    table->name = name;
    table->key = key;
    table->keep = keep;
    table->span = span;
    *p->tails.table = table;
    p->tails.table = &table->next;
}

/* ---- definitions, exceptions, configuration ------------------------------------------------- */

void build_def(struct parse *p, struct span span, struct ast_name name, struct build_list *params, struct ast_expr *body)
{
    struct ast_def *def = arena_alloc(p->arena, sizeof *def);

    def->name = name;
    def->params = build_names(p, name.span, params);
    def->body = body;
    def->span = span;
    *p->tails.def = def;
    p->tails.def = &def->next;
}

void build_exception(struct parse *p, struct span span, struct ast_expr *title, struct ast_names rules,
                     struct ast_expr *until, struct ast_expr *where)
{
    struct ast_exception *exception = arena_alloc(p->arena, sizeof *exception);

    exception->title = build_text_name(p, title);
    exception->rules = rules;
    exception->until = until;
    exception->where = where;
    exception->span = span;
    *p->tails.exception = exception;
    p->tails.exception = &exception->next;
}

static struct ast_config_decl *config_decl(struct parse *p, struct span span, enum ast_config_kind kind)
{
    struct ast_config_decl *config = arena_alloc(p->arena, sizeof *config);

    config->kind = kind;
    config->span = span;
    *p->tails.config = config;
    p->tails.config = &config->next;
    return config;
}

void build_config(struct parse *p, struct span span, enum ast_config_kind kind, struct ast_name name, struct build_list *entries)
{
    struct ast_config_decl *config = config_decl(p, span, kind);

    config->name = name;
    config->entries = parse_chain(entries);
}

void build_default_to(struct parse *p, struct span span, struct ast_names to)
{
    config_decl(p, span, AST_DEFAULT_TO)->to = to;
}
