// SPDX-License-Identifier: Apache-2.0
/* typecheck_compare - comparisons, `in`, and the text operators. */
#include <inttypes.h>
#include <string.h>

#include "base/cidr.h"
#include "base/diag.h"
#include "lang/typecheck_priv.h"

const char *typecheck_operator(const struct ast_expr *expr)
{
    static const char *const texts[] = {
#define OPERATOR(id, text, arity, precedence, doc) text,
#include "lang/operator.def"
#undef OPERATOR
    };
    return texts[expr->op];
}

/* A list is compared by its elements, and lists come from JSON. */
static unsigned with_elements(unsigned types)
{
    return (types & T_LIST) != 0 ? types | T_BOOL | T_NUMBER | T_TEXT : types;
}

/* ---- == != < <= > >= ----------------------------------------------------------------------- */

static bool comparable(enum ast_op op, unsigned left, unsigned right)
{
    unsigned l = with_elements(left), r = with_elements(right);
    bool numbers = (l & T_NUMBER) != 0 && (r & T_NUMBER) != 0;
    unsigned same = T_TEXT | T_TIME | T_DURATION;
    if (op == AST_OP_EQ || op == AST_OP_NE)
        same |= T_BOOL;
    return numbers || (l & r & same) != 0;
}

static bool is_number_literal(const struct ast_expr *expr)
{
    return expr->kind == AST_LITERAL && value_is_number(expr->value);
}

/* Rows that were given have a type that a rule cannot use: not that of any event, which may be another. */
static bool reads_given(const struct checker *c, const struct ast_expr *expr)
{
    return expr->ref == REF_TABLE && expr->index != NULL && c->unit->table[expr->list].given;
}

/* The words are those of plan/expr_compile, so that what both find is told once. */
static void warn_never(struct checker *c, const struct ast_expr *expr, unsigned left,
                       unsigned right)
{
    const struct ast_expr *number =
        is_number_literal(expr->args[0]) ? expr->args[0] : expr->args[1];
    unsigned both = (left | right) & T_ANY;
    char x[TYPES_TEXT_MAX], y[TYPES_TEXT_MAX];
    bool given = reads_given(c, expr->args[0]) || reads_given(c, expr->args[1]);
    diag_add(c->diag, given ? DIAG_ERROR : DIAG_WARNING, expr->span,
             "this comparison can never be true");
    if ((left & T_ANY) == 0 || (right & T_ANY) == 0)
        diag_hint(c->diag, "null equals nothing: write `%sexists(x)`",
                  expr->op == AST_OP_EQ ? "not " : "");
    else if ((both & T_DURATION) != 0 && is_number_literal(number) &&
             number->value.type == VALUE_INT)
        diag_hint(c->diag, "a number is no duration: did you mean `%" PRId64 "s`?",
                  number->value.u.i);
    else if (both == (T_TIME | T_TEXT))
        diag_hint(c->diag, "a text is no time: write it without quotes, as 2027-01-01T12:00:00Z");
    else if (left == T_BOOL && right == T_BOOL)
        diag_hint(c->diag, "true and false are equal or different, not less or more");
    else
        diag_hint(c->diag, "%s is compared with %s", types_text(left, x), types_text(right, y));
}

uint16_t typecheck_compare(struct checker *c, struct ast_expr *expr)
{
    uint16_t left = typecheck_expr(c, expr->args[0]), right = typecheck_expr(c, expr->args[1]);
    for (uint32_t i = 0; i < 2; i++) {
        if (expr->args[i]->kind != AST_LIST)
            continue;
        bool equal = expr->op == AST_OP_EQ || expr->op == AST_OP_NE;
        diag_add(c->diag, DIAG_ERROR, expr->args[i]->span, "`%s` does not take a list",
                 typecheck_operator(expr));
        if (equal)
            diag_hint(c->diag, "write `x %s [...]`", expr->op == AST_OP_EQ ? "in" : "not in");
        return T_BOOL;
    }
    if (comparable(expr->op, left, right))
        return T_BOOL;
    warn_never(c, expr, left, right);
    return T_BOOL;
}

/* ---- in ------------------------------------------------------------------------------------ */

static const char *kind_name(enum ast_list_kind kind)
{
    switch (kind) {
    case AST_LIST_CIDR: return "cidr";
    case AST_LIST_LIKE: return "like";
    case AST_LIST_REGEX: return "regex";
    case AST_LIST_TEXT: return "text";
    default: return "plain";
    }
}

static void check_in_items(struct checker *c, struct ast_expr *expr, unsigned left)
{
    struct ast_expr *list = expr->args[1];
    list->types = T_LIST;
    if (!typecheck_items(c, list))
        return;
    if (list->n_args == 0) {
        diag_add(c->diag, DIAG_WARNING, list->span, "an empty list holds nothing");
        return;
    }
    unsigned items = 0;
    for (uint32_t i = 0; i < list->n_args; i++)
        items |= list->args[i]->types;
    if (!comparable(AST_OP_EQ, left, items))
        warn_never(c, expr, left, items);
}

static void check_in_declared(struct checker *c, struct ast_expr *expr, unsigned left)
{
    const struct ast_list *list = c->unit->list[expr->args[1]->list];
    expr->args[1]->types = T_LIST;
    unsigned items = 0;
    for (uint32_t i = 0; i < list->n_items && !comparable(AST_OP_EQ, left, items); i++)
        items |= list->item[i]->types;
    if (items != 0 && !comparable(AST_OP_EQ, left, items))
        warn_never(c, expr, left, items);
}

static bool is_network(const struct ast_expr *expr)
{
    struct cidr_set *set = cidr_set_new();
    const char *why;
    bool is = expr->kind == AST_LITERAL && expr->value.type == VALUE_TEXT && memchr(expr->value.u.text, '/', expr->value.len) &&
              cidr_set_add(set, expr->value.u.text, expr->value.len, &why);

    cidr_set_free(&set);
    return is;
}

uint16_t typecheck_in(struct checker *c, struct ast_expr *expr)
{
    unsigned left = typecheck_expr(c, expr->args[0]);
    struct ast_expr *right = expr->args[1];
    if (right->kind == AST_LIST) {
        check_in_items(c, expr, left);
    } else if (right->kind == AST_PATH && right->ref == REF_LIST) {
        check_in_declared(c, expr, left);
    } else if (right->ref == REF_TABLE && right->index == NULL) {
        right->types = T_LIST;
    } else if ((typecheck_expr(c, right) & T_LIST) == 0) {
        char text[TYPES_TEXT_MAX];
        diag_add(c->diag, DIAG_ERROR, right->span, "`%s` takes a list, this is %s",
                 typecheck_operator(expr), types_text(right->types, text));
        if (is_network(right))
            diag_hint(c->diag, "write `cidr_match(x, \"%.*s\")`, or `x in NAME` for a list of `cidr`",
                      (int)right->value.len, right->value.u.text);
        else if (right->kind == AST_LITERAL)
            diag_hint(c->diag, "write `[...]` around it; a part of a text is found by `contains`");
    }
    return T_BOOL;
}

/* ---- text operators ------------------------------------------------------------------------ */

static bool takes_pattern(enum ast_op op)
{
    return op == AST_OP_LIKE || op == AST_OP_NOT_LIKE || op == AST_OP_REGEX ||
           op == AST_OP_NOT_REGEX;
}

static bool takes_list(enum ast_op op)
{
    return op == AST_OP_CONTAINS_ALL || op == AST_OP_NOT_CONTAINS_ALL;
}

/* SQL's "%adm%" */
static bool is_like_of_sql(const struct ast_expr *literal)
{
    const char *text = literal->value.u.text;
    size_t len = literal->value.len;

    return len > 0 && (text[0] == '%' || text[len - 1] == '%') && !memchr(text, '*', len) && !memchr(text, '?', len);
}

static void check_text_literal(struct checker *c, const struct ast_expr *expr,
                               struct ast_expr *literal)
{
    literal->types = (uint16_t)(1u << literal->value.type);
    if (literal->value.type != VALUE_TEXT) {
        char text[TYPES_TEXT_MAX];
        diag_add(c->diag, DIAG_ERROR, literal->span, "`%s` takes a text on its right, this is %s",
                 typecheck_operator(expr), types_text(literal->types, text));
    } else if (expr->op == AST_OP_REGEX || expr->op == AST_OP_NOT_REGEX) {
        typecheck_regex(c, literal, NULL);
    } else if (takes_pattern(expr->op) && is_like_of_sql(literal)) {
        diag_add(c->diag, DIAG_WARNING, literal->span, "`%%` stands for itself here");
        diag_hint(c->diag, "any characters are `*`, one is `?`");
    }
}

static void check_declared_texts(struct checker *c, const struct ast_expr *expr,
                                 struct ast_expr *right)
{
    const struct ast_list *list = c->unit->list[right->list];
    right->types = T_LIST;
    if (list->kind != AST_LIST_PLAIN && list->kind != AST_LIST_TEXT) {
        diag_add(c->diag, DIAG_ERROR, right->span, "the `%s` list `%s` stands behind `in` only",
                 kind_name(list->kind), list->name.text);
        diag_hint(c->diag, "write `%sin %s`",
                  strncmp(typecheck_operator(expr), "not", 3) == 0 ? "not " : "", list->name.text);
        return;
    }
    for (uint32_t i = 0; i < list->n_items; i++) {
        if (list->item[i]->value.type == VALUE_TEXT)
            continue;
        diag_add(c->diag, DIAG_ERROR, right->span,
                 "`%s` takes texts, the list `%s` holds others too", typecheck_operator(expr),
                 list->name.text);
        return;
    }
}

static void check_computed_text(struct checker *c, const struct ast_expr *expr,
                                struct ast_expr *right)
{
    const char *op = typecheck_operator(expr);
    char text[TYPES_TEXT_MAX];
    uint16_t types = typecheck_expr(c, right);
    if (takes_pattern(expr->op)) {
        diag_add(c->diag, DIAG_ERROR, right->span,
                 "`%s` takes a text in quotes, a list of them or a declared list", op);
        diag_hint(c->diag, "a pattern must be known when the rule is compiled");
    } else if (takes_list(expr->op)) {
        diag_add(c->diag, DIAG_ERROR, right->span,
                 "`%s` takes a list in brackets or a declared list", op);
    } else if ((types & T_TEXT) == 0) {
        diag_add(c->diag, DIAG_ERROR, right->span, "`%s` takes a text on its right, this is %s", op,
                 types_text(types, text));
    }
}

uint16_t typecheck_pattern(struct checker *c, struct ast_expr *expr)
{
    struct ast_expr *right = expr->args[1];
    uint16_t left = typecheck_expr(c, expr->args[0]);
    char text[TYPES_TEXT_MAX];
    if ((left & (T_TEXT | T_LIST)) == 0)
        diag_add(c->diag, DIAG_ERROR, expr->args[0]->span,
                 "`%s` takes a text on its left, this is %s", typecheck_operator(expr),
                 types_text(left, text));
    if (right->ref == REF_TABLE && right->index == NULL) {
        right->types = T_LIST; /* told */
    } else if (right->kind == AST_LIST) {
        right->types = T_LIST;
        if (!typecheck_items(c, right))
            return T_BOOL;
        if (right->n_args == 0)
            diag_add(c->diag, DIAG_WARNING, right->span, "an empty list holds nothing");
        for (uint32_t i = 0; i < right->n_args; i++)
            check_text_literal(c, expr, right->args[i]);
    } else if (right->kind == AST_PATH && right->ref == REF_LIST) {
        check_declared_texts(c, expr, right);
    } else if (right->kind == AST_LITERAL && !takes_list(expr->op)) {
        check_text_literal(c, expr, right);
    } else {
        check_computed_text(c, expr, right);
    }
    return T_BOOL;
}
