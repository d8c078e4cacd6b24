// SPDX-License-Identifier: Apache-2.0
/* Expressions: operators, calls and paths. Every result is at most PARSE_MAX_DEPTH levels deep, so
 * the passes behind may recurse. */
#include <string.h>

#include "base/buf.h"
#include "event/schema.h"
#include "lang/parse_priv.h"

/* A path in the making. After a call the parts are the member path behind it. */
struct build_path {
    struct path_part part[SCHEMA_MAX_PARTS];
    bool quoted[SCHEMA_MAX_PARTS];
    uint32_t n;
    struct ast_expr *call;  /* or NULL */
    struct ast_expr *index; /* name[key].column, at index_at; or NULL */
    uint32_t index_at;
    struct span first;
    bool too_long; /* reported */
    struct build_path *next_free;
};

/* They are large and short-lived: the node is made from one, and it is used again. */
static struct build_path *path_new(struct parse *p)
{
    struct build_path *path = p->free_path;

    if (!path)
        return arena_alloc(p->arena, sizeof *path);
    p->free_path = path->next_free;
    path->n = path->index_at = 0;
    path->call = path->index = NULL;
    path->too_long = false;
    return path;
}

static void path_free(struct parse *p, struct build_path *path)
{
    path->next_free = p->free_path;
    p->free_path = path;
}

/* Puts a literal in place of what is nested too deeply. */
static struct ast_expr *bounded(struct parse *p, struct ast_expr *expr)
{
    if (expr->depth <= PARSE_MAX_DEPTH)
        return expr;
    parse_error_at(p, expr->span, NULL, "the expression is nested deeper than %d", (int)PARSE_MAX_DEPTH);
    return lex_null(&p->lex, expr->span);
}

static void deepen(struct ast_expr *expr, const struct ast_expr *child)
{
    if (child && child->depth >= expr->depth)
        expr->depth = child->depth + 1;
}

static bool is_text(const struct parse *p, struct span span, const char *text)
{
    size_t len = strlen(text);

    return span.end - span.start == len && memcmp(p->lex.text + span.start, text, len) == 0;
}

struct ast_expr *build_negative(struct parse *p, struct span span, struct ast_expr *x)
{
    struct value *v = &x->value;

    if (x->kind == AST_LITERAL && !x->parenthesised && x->literal_form == AST_FORM_PLAIN &&
        p->lex.text[x->span.start] != '-') {
        bool least = v->type == VALUE_DOUBLE && is_text(p, x->span, "9223372036854775808");

        if (least)
            *v = value_int(INT64_MIN);
        else if (v->type == VALUE_DOUBLE)
            v->u.d = -v->u.d;
        else if (v->type == VALUE_INT || v->type == VALUE_DURATION)
            v->u.i = -v->u.i;
        if (v->type == VALUE_DOUBLE || v->type == VALUE_INT || v->type == VALUE_DURATION) {
            x->span = span;
            return x;
        }
    }
    return bounded(p, ast_unary(p->arena, span, AST_OP_NEG, x));
}

struct ast_expr *build_not(struct parse *p, struct span span, struct ast_expr *x)
{
    return bounded(p, ast_unary(p->arena, span, AST_OP_NOT, x));
}

struct ast_expr *build_binary(struct parse *p, struct span span, enum ast_op op, struct ast_expr *x, struct ast_expr *y)
{
    return bounded(p, ast_binary(p->arena, span, op, false, x, y));
}

struct ast_expr *build_compare(struct parse *p, struct span span, struct build_op op, struct ast_expr *x, struct ast_expr *y)
{
    return bounded(p, ast_binary(p->arena, span, op.op, op.fold, x, y));
}

static struct ast_expr *balanced(struct parse *p, enum ast_op op, void **item, uint32_t n)
{
    struct ast_expr *left, *right;
    struct span span;

    if (n == 1)
        return item[0];
    left = balanced(p, op, item, (n + 1) / 2);
    right = balanced(p, op, item + (n + 1) / 2, n / 2);
    span = left->span;
    span.end = right->span.end;
    return ast_binary(p->arena, span, op, false, left, right);
}

struct ast_expr *build_terms(struct parse *p, enum ast_op op, struct build_list *terms)
{
    return bounded(p, balanced(p, op, terms->item, terms->n));
}

struct ast_expr *build_parenthesised(struct ast_expr *x)
{
    x->parenthesised = true;
    return x;
}

struct ast_expr *build_list_expr(struct parse *p, struct span span, struct build_list *items)
{
    if (!items)
        return ast_list_expr(p->arena, span, NULL, 0);
    return bounded(p, ast_list_expr(p->arena, span, (struct ast_expr **)items->item, items->n));
}

struct ast_expr *build_quantified(struct parse *p, struct span span, bool all, struct ast_name variable,
                                  struct build_op in, struct ast_expr *list, struct ast_expr *cond)
{
    if (in.fold)
        parse_error_at(p, span, NULL, "`in~` has no place here: write `in`, and `~` in the condition");
    return bounded(p, ast_quantified(p->arena, span, all, variable, list, cond));
}

struct build_args build_args(struct build_list *list, struct ast_expr *where, struct ast_expr *within)
{
    return (struct build_args){list, where, within};
}

struct ast_expr *build_call(struct parse *p, struct span span, struct ast_name name, struct build_args args)
{
    struct ast_expr **items = args.list ? (struct ast_expr **)args.list->item : NULL;
    struct ast_expr *call = ast_call(p->arena, span, name, items, args.list ? args.list->n : 0);

    call->where = args.where;
    call->within = args.within;
    deepen(call, args.where);
    return bounded(p, call);
}

/* ---- paths -------------------------------------------------------------------------------- */

static void add_part(struct parse *p, struct span span, struct build_path *path, struct path_part part, bool quoted)
{
    if (path->n == SCHEMA_MAX_PARTS) {
        if (!path->too_long)
            parse_error_at(p, span, NULL, "a path has at most %d parts", (int)SCHEMA_MAX_PARTS);
        path->too_long = true;
        return;
    }
    path->part[path->n] = part;
    path->quoted[path->n] = quoted;
    path->n++;
}

static bool was_quoted(const struct parse *p, struct ast_name name)
{
    return p->lex.text[name.span.start] == '`';
}

struct build_path *build_path(struct parse *p, struct ast_name name)
{
    struct build_path *path = path_new(p);

    path->first = name.span;
    return build_path_name(p, path, name);
}

struct build_path *build_path_of_call(struct parse *p, struct ast_expr *call)
{
    struct build_path *path = path_new(p);

    path->call = call;
    return path;
}

struct build_path *build_path_name(struct parse *p, struct build_path *path, struct ast_name name)
{
    add_part(p, name.span, path, (struct path_part){.name = name.text, .len = name.len}, was_quoted(p, name));
    return path;
}

struct build_path *build_path_index(struct parse *p, struct span span, struct build_path *path, struct ast_expr *index)
{
    const struct value *v = &index->value;

    if (index->kind == AST_LITERAL && v->type == VALUE_INT && index->literal_form == AST_FORM_PLAIN) {
        if (v->u.i < INT32_MIN || v->u.i > INT32_MAX)
            parse_error_at(p, span, NULL, "the index is out of range");
        else
            add_part(p, span, path, (struct path_part){.index = (int32_t)v->u.i}, false);
    } else if (path->call) {
        parse_error_at(p, span, NULL, "behind a call only a whole number may be an index");
    } else if (path->index) {
        parse_error_at(p, span, NULL, "a path looks up one key only");
    } else {
        path->index = index;
        path->index_at = path->n;
    }
    return path;
}

struct ast_expr *build_path_expr(struct parse *p, struct span span, struct build_path *path)
{
    struct ast_expr *expr = path->call;

    path_free(p, path);
    if (!expr) {
        expr = ast_path(p->arena, span, path->part, path->quoted, path->n);
        expr->index = path->index;
        expr->index_at = path->index_at;
        deepen(expr, path->index);
        return bounded(p, expr);
    }
    if (path->n > 0 && expr->kind == AST_CALL) {
        expr->part = arena_memdup(p->arena, path->part, path->n * sizeof *path->part);
        expr->part_quoted = arena_memdup(p->arena, path->quoted, path->n * sizeof *path->quoted);
        expr->n_parts = path->n;
        expr->span = span;
    }
    return expr;
}

/* ---- where only the path itself counts ------------------------------------------------------ */

struct ast_assign *build_assign(struct parse *p, struct span span, struct build_path *left, struct span left_span, struct ast_expr *expr)
{
    struct ast_assign *assign = arena_alloc(p->arena, sizeof *assign);
    bool names_only = left->index == NULL;

    for (uint32_t i = 0; i < left->n; i++)
        names_only = names_only && left->part[i].name;
    if (!names_only)
        parse_error_at(p, left_span, NULL, "a field that is made here is named without `[ ]`");
    assign->part = arena_memdup(p->arena, left->part, left->n * sizeof *left->part);
    assign->n_parts = left->n;
    assign->expr = expr;
    assign->span = span;
    assign->left_span = left_span;
    path_free(p, left);
    return assign;
}

static struct ast_config *entry(struct parse *p, struct span span, struct build_path *key, struct span key_span)
{
    struct ast_config *config = arena_alloc(p->arena, sizeof *config);

    config->key = arena_memdup(p->arena, key->part, key->n * sizeof *key->part);
    config->n_key = key->n;
    config->span = span;
    config->key_span = key_span;
    path_free(p, key);
    return config;
}

struct ast_config *build_entry(struct parse *p, struct span span, struct build_path *key, struct span key_span, struct ast_expr *value)
{
    struct ast_config *config = entry(p, span, key, key_span);

    config->value = value;
    return config;
}

struct ast_config *build_block(struct parse *p, struct span span, struct build_path *key, struct span key_span, struct build_list *entries)
{
    struct ast_config *config = entry(p, span, key, key_span);

    config->has_block = true;
    config->block = parse_chain(entries);
    return config;
}

struct ast_key *build_key(struct parse *p, struct span span, struct build_path *path, bool optional)
{
    struct ast_key *key = arena_alloc(p->arena, sizeof *key);
    struct span path_span = span;
    struct buf text;

    if (path->n > 0 && !path->call)
        path_span.start = path->first.start;
    buf_init(&text);
    for (uint32_t i = 0; i < path->n; i++) {
        if (path->part[i].name) {
            buf_adds(&text, i > 0 ? "." : "");
            buf_add(&text, path->part[i].name, path->part[i].len);
        } else {
            buf_printf(&text, "[%d]", (int)path->part[i].index);
        }
    }
    key->name.text = arena_strndup(p->arena, text.data, text.len);
    key->name.len = (uint32_t)text.len;
    key->name.span = path_span;
    buf_fini(&text);
    if (path->index)
        parse_error_at(p, span, "name it: `name = expression`", "a key that is looked up needs a name");
    key->expr = build_path_expr(p, path_span, path);
    key->optional = optional;
    key->span = span;
    return key;
}

struct ast_key *build_named_key(struct parse *p, struct span span, struct ast_name name, struct ast_expr *expr)
{
    struct ast_key *key = arena_alloc(p->arena, sizeof *key);

    key->name = name;
    key->expr = expr;
    key->span = span;
    return key;
}
