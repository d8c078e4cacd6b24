// SPDX-License-Identifier: Apache-2.0
/* Names, literals and expressions as text. Parentheses stand where they were written, and where the
 * tree needs them. */
#include <string.h>

#include "base/buf.h"
#include "event/time_format.h"
#include "lang/ast.h"
#include "lang/ast_print.h"
#include "lang/ast_print_priv.h"
#include "lang/keyword.h"

static const struct {
    const char *text;
    int precedence;
} operators[] = {
#define OPERATOR(id, text, arity, precedence, doc) [AST_OP_##id] = {text, precedence},
#include "lang/operator.def"
#undef OPERATOR
};

enum { LOWEST = 1, FALLBACK = 5, PRIMARY = 9 }; /* precedences, see operator.def */

/* ---- names -------------------------------------------------------------------------------- */

static void print_quoted(struct buf *out, const char *text, size_t len)
{
    buf_addc(out, '`');
    for (size_t i = 0; i < len; i++) {
        buf_addc(out, text[i]);
        if (text[i] == '`')
            buf_addc(out, '`');
    }
    buf_addc(out, '`');
}

void print_word(struct buf *out, const char *text, size_t len, enum print_place place)
{
    enum keyword_id id = keyword_find(text, len);
    bool plain = keyword_name_plain(text, len);

    if (id != KEYWORD_NO && place != PRINT_MEMBER)
        plain = keyword_kind(id) == KEYWORD_WORD || (keyword_kind(id) == KEYWORD_EDGE && place == PRINT_NAME);
    if (plain)
        buf_add(out, text, len);
    else
        print_quoted(out, text, len);
}

void print_name(struct buf *out, const struct ast_name *name)
{
    print_word(out, name->text, name->len, PRINT_NAME);
}

void print_text(struct buf *out, const struct ast_name *text)
{
    buf_add_json_text(out, text->text, text->len);
}

/* `any` is no declared name but the stream of all sources; only there may it stand in such a list. */
void print_names(struct buf *out, const struct ast_names *names, const char *open, const char *close)
{
    buf_adds(out, open);
    for (uint32_t i = 0; i < names->n; i++) {
        buf_adds(out, i > 0 ? ", " : "");
        if (strcmp(names->name[i].text, "any") == 0)
            buf_adds(out, "any");
        else
            print_name(out, &names->name[i]);
    }
    buf_adds(out, close);
}

void print_targets(struct buf *out, const struct ast_names *names)
{
    print_names(out, names, names->n == 1 ? "" : "[", names->n == 1 ? "" : "]");
}

static void print_part(struct buf *out, const struct path_part *part, bool first, bool quoted)
{
    if (!part->name) {
        buf_printf(out, "[%d]", (int)part->index);
        return;
    }
    if (!first)
        buf_addc(out, '.');
    if (quoted)
        print_quoted(out, part->name, part->len);
    else
        print_word(out, part->name, part->len, first ? PRINT_NAME : PRINT_MEMBER);
}

void print_parts(struct buf *out, const struct path_part *part, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        print_part(out, &part[i], i == 0, false);
}

/* ---- literals ----------------------------------------------------------------------------- */

void print_duration(struct buf *out, int64_t ns)
{
    duration_add_text(out, ns);
}

void print_size(struct buf *out, int64_t bytes)
{
    static const struct {
        int64_t n;
        const char *name;
    } unit[] = {
        {INT64_C(1) << 40, "TiB"}, {1 << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"},
        {INT64_C(1000000000000), "TB"}, {1000000000, "GB"}, {1000000, "MB"}, {1000, "KB"},
    };

    for (size_t i = 0; i < sizeof unit / sizeof *unit; i++) {
        if (bytes != 0 && bytes % unit[i].n == 0) {
            buf_add_int(out, bytes / unit[i].n);
            buf_adds(out, unit[i].name);
            return;
        }
    }
    buf_add_int(out, bytes);
    buf_addc(out, 'B');
}

static void print_raw(struct buf *out, const char *text, size_t len)
{
    buf_addc(out, '\'');
    for (size_t i = 0; i < len; i++) {
        buf_addc(out, text[i]);
        if (text[i] == '\'')
            buf_addc(out, '\'');
    }
    buf_addc(out, '\'');
}

/* So that it is read as a double again. */
static void print_double(struct buf *out, double d)
{
    size_t before = out->len;

    buf_add_double(out, d);
    if (!strpbrk(out->data + before, ".eE"))
        buf_adds(out, ".0");
}

static void print_time(struct buf *out, int64_t ns, bool date)
{
    size_t before = out->len;

    time_add_text(out, ns);
    if (date && out->len > before + 10) {
        buf_truncate(out, before + 10);
        out->data[out->len] = '\0';
    }
}

static void print_value(struct buf *out, const struct value *v, enum ast_literal_form form)
{
    switch ((enum value_type)v->type) {
    case VALUE_MISSING:
        buf_adds(out, "null");
        break;
    case VALUE_BOOL:
        buf_adds(out, v->u.b ? "true" : "false");
        break;
    case VALUE_INT:
        if (form == AST_FORM_SIZE)
            print_size(out, v->u.i);
        else
            buf_add_int(out, v->u.i);
        break;
    case VALUE_DOUBLE:
        print_double(out, v->u.d);
        break;
    case VALUE_TEXT:
        if (form == AST_FORM_RAW_TEXT)
            print_raw(out, v->u.text, v->len);
        else
            buf_add_json_text(out, v->u.text, v->len);
        break;
    case VALUE_TIME:
        print_time(out, v->u.i, form == AST_FORM_DATE);
        break;
    case VALUE_DURATION:
        print_duration(out, v->u.i);
        break;
    case VALUE_LIST: /* folded by a later pass */
        buf_addc(out, '[');
        for (uint32_t i = 0; i < v->len; i++) {
            buf_adds(out, i > 0 ? ", " : "");
            print_value(out, &v->u.list[i], AST_FORM_PLAIN);
        }
        buf_addc(out, ']');
        break;
    case VALUE_OBJECT:
        buf_add(out, v->u.text, v->len);
        break;
    }
}

/* ---- expressions -------------------------------------------------------------------------- */

static void print_at(struct buf *out, const struct ast_expr *expr, int least);

static void print_path(struct buf *out, const struct ast_expr *expr)
{
    for (uint32_t i = 0; i <= expr->n_parts; i++) {
        if (expr->index && expr->index_at == i) {
            buf_addc(out, '[');
            print_at(out, expr->index, LOWEST);
            buf_addc(out, ']');
        }
        if (i < expr->n_parts)
            print_part(out, &expr->part[i], i == 0, expr->part_quoted[i]);
    }
}

void print_exprs(struct buf *out, struct ast_expr *const *items, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        buf_adds(out, i > 0 ? ", " : "");
        print_at(out, items[i], LOWEST);
    }
}

static void print_call(struct buf *out, const struct ast_expr *expr)
{
    print_name(out, &expr->name);
    buf_addc(out, '(');
    print_exprs(out, expr->args, expr->n_args);
    if (expr->where) {
        buf_adds(out, expr->n_args > 0 ? " where " : "where ");
        print_at(out, expr->where, LOWEST);
    }
    if (expr->within) {
        buf_adds(out, expr->n_args > 0 || expr->where ? ", within " : "within ");
        print_at(out, expr->within, PRIMARY);
    }
    buf_addc(out, ')');
    for (uint32_t i = 0; i < expr->n_parts; i++)
        print_part(out, &expr->part[i], false, expr->part_quoted && expr->part_quoted[i]);
}

static void print_quantified(struct buf *out, const struct ast_expr *expr)
{
    buf_adds(out, expr->all ? "all(" : "any(");
    print_name(out, &expr->name);
    buf_adds(out, " in ");
    print_at(out, expr->args[0], FALLBACK);
    buf_adds(out, ": ");
    print_at(out, expr->args[1], LOWEST);
    buf_addc(out, ')');
}

static void print_unary(struct buf *out, const struct ast_expr *expr)
{
    const struct ast_expr *x = expr->args[0];

    if (expr->op == AST_OP_NOT) {
        buf_adds(out, "not ");
        print_at(out, x, operators[AST_OP_NOT].precedence);
        return;
    }
    buf_addc(out, '-');
    if (x->kind == AST_LITERAL && x->literal_form == AST_FORM_PLAIN && !x->parenthesised) {
        buf_addc(out, '('); /* `-5` would be read as one literal */
        print_at(out, x, LOWEST);
        buf_addc(out, ')');
        return;
    }
    print_at(out, x, operators[AST_OP_NEG].precedence);
}

/* `and` and `or` join terms in any shape; the others associate to the left, comparisons do not. */
static void print_binary(struct buf *out, const struct ast_expr *expr)
{
    int precedence = operators[expr->op].precedence;
    bool terms = expr->op == AST_OP_AND || expr->op == AST_OP_OR;
    bool left = terms || precedence >= FALLBACK;

    print_at(out, expr->args[0], precedence + !left);
    buf_addc(out, ' ');
    buf_adds(out, operators[expr->op].text);
    buf_adds(out, expr->fold ? "~ " : " ");
    print_at(out, expr->args[1], precedence + !terms);
}

static int precedence_of(const struct ast_expr *expr)
{
    return expr->kind == AST_UNARY || expr->kind == AST_BINARY ? operators[expr->op].precedence : PRIMARY;
}

/* In parentheses if it binds less tightly than `least`. */
static void print_at(struct buf *out, const struct ast_expr *expr, int least)
{
    bool parentheses = expr->parenthesised || precedence_of(expr) < least;

    if (parentheses)
        buf_addc(out, '(');
    switch (expr->kind) {
    case AST_LITERAL:
        print_value(out, &expr->value, (enum ast_literal_form)expr->literal_form);
        break;
    case AST_LIST:
        buf_addc(out, '[');
        print_exprs(out, expr->args, expr->n_args);
        buf_addc(out, ']');
        break;
    case AST_PATH:
        print_path(out, expr);
        break;
    case AST_UNARY:
        print_unary(out, expr);
        break;
    case AST_BINARY:
        print_binary(out, expr);
        break;
    case AST_CALL:
        print_call(out, expr);
        break;
    case AST_QUANTIFIED:
        print_quantified(out, expr);
        break;
    }
    if (parentheses)
        buf_addc(out, ')');
}

void ast_print_expr(struct buf *out, const struct ast_expr *expr)
{
    print_at(out, expr, LOWEST);
}

/* ---- keys --------------------------------------------------------------------------------- */

/* A key that is a path is named as the path; any other is written `name = expression`. */
static bool named_as_path(const struct ast_key *key)
{
    const struct ast_expr *expr = key->expr;
    struct buf text;
    bool same;

    if (expr->kind != AST_PATH || expr->index || expr->parenthesised)
        return false;
    buf_init(&text);
    for (uint32_t i = 0; i < expr->n_parts; i++) {
        if (expr->part[i].name) {
            buf_adds(&text, i > 0 ? "." : "");
            buf_add(&text, expr->part[i].name, expr->part[i].len);
        } else {
            buf_printf(&text, "[%d]", (int)expr->part[i].index);
        }
    }
    same = text.len == key->name.len && memcmp(text.data, key->name.text, text.len) == 0;
    buf_fini(&text);
    return same;
}

void print_keys(struct buf *out, const char *before, const struct ast_key *keys)
{
    for (const struct ast_key *key = keys; key; key = key->next) {
        buf_adds(out, key == keys ? before : ", ");
        if (key->optional)
            buf_addc(out, '?');
        if (!key->optional && !named_as_path(key)) {
            print_name(out, &key->name);
            buf_adds(out, " = ");
        }
        print_at(out, key->expr, FALLBACK);
    }
}

void print_clause(struct buf *out, const char *word, const struct ast_expr *expr)
{
    if (!expr)
        return;
    buf_adds(out, word);
    print_at(out, expr, LOWEST);
}
