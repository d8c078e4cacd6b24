// SPDX-License-Identifier: Apache-2.0
/*
 * typecheck - which types each expression may have at run time, and what cannot work whatever the
 * events hold. A field may be anything that JSON can hold, never a time or a duration.
 *
 * What is certainly wrong is an error; a comparison that is certainly false is a warning (language
 * section 2: different types compare false). An expression in which an error was found may be
 * anything from there on, so one mistake gives one message.
 */
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/regex.h"
#include "lang/typecheck_priv.h"

/* ---- words for types ----------------------------------------------------------------------- */

const char *types_text(unsigned types, char text[TYPES_TEXT_MAX])
{
    static const struct {
        unsigned types;
        const char *name;
    } names[] = {
        {T_TEXT, "a text"},      {T_NUMBER, "a number"},     {T_BOOL, "true or false"},
        {T_TIME, "a time"},      {T_DURATION, "a duration"}, {T_LIST, "a list"},
        {T_OBJECT, "an object"},
    };
    size_t len = 0;
    text[0] = '\0';
    if ((types & T_ANY) == 0)
        return "null";
    if ((types & T_FIELD) == T_FIELD)
        return "a field";
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        size_t more = strlen(names[i].name);
        if ((types & names[i].types) == 0 || len + more + 5 > TYPES_TEXT_MAX)
            continue;
        if (len > 0) {
            memcpy(text + len, " or ", 4);
            len += 4;
        }
        memcpy(text + len, names[i].name, more + 1);
        len += more;
    }
    return text;
}

/* ---- small things -------------------------------------------------------------------------- */

void typecheck_condition(struct checker *c, struct ast_expr *expr)
{
    char text[TYPES_TEXT_MAX];
    uint16_t types = typecheck_expr(c, expr);
    if ((types & T_BOOL) == 0)
        diag_add(c->diag, DIAG_ERROR, expr->span, "a condition is true or false, this is %s",
                 types_text(types, text));
}

bool typecheck_items(struct checker *c, struct ast_expr *list)
{
    for (uint32_t i = 0; i < list->n_args; i++) {
        struct ast_expr *item = list->args[i];
        if (item->kind != AST_LITERAL) {
            diag_add(c->diag, DIAG_ERROR, item->span, "a list holds literals only");
            if (item->kind == AST_PATH)
                diag_hint(c->diag, "a text stands in quotes; fields: `x == a or x == b`");
            return false;
        }
        if (item->value.type == VALUE_MISSING) {
            diag_add(c->diag, DIAG_ERROR, item->span, "`null` in a list equals nothing");
            return false;
        }
        item->types = (uint16_t)(1u << item->value.type);
    }
    return true;
}

bool typecheck_regex(struct checker *c, const struct ast_expr *literal, unsigned *groups_out)
{
    char *error = NULL;
    size_t offset = 0;
    struct regex *re = regex_new(literal->value.u.text, literal->value.len, false, &error, &offset);
    if (re == NULL) {
        diag_add(c->diag, DIAG_ERROR, literal->span, "bad pattern: %s at offset %zu", error,
                 offset);
        mem_free(error);
        return false;
    }
    if (groups_out != NULL)
        *groups_out = regex_groups(re);
    regex_free(&re);
    return true;
}

/* ---- paths --------------------------------------------------------------------------------- */

static uint16_t key_types(const struct checker *c, uint32_t number)
{
    uint16_t types = 0;
    for (uint32_t i = 0; i < c->rule->n_steps; i++) {
        const struct ast_key *k = c->rule->steps[i]->effective_keys;
        for (uint32_t n = 0; k != NULL && n < number; n++)
            k = k->next;
        if (k != NULL)
            types |= k->expr->types;
    }
    return types;
}

static uint16_t emitted_types(const struct checker *c, uint32_t number)
{
    const struct ast_assign *a = c->rule->emit;
    while (a != NULL && number-- > 0)
        a = a->next;
    return a != NULL ? a->expr->types : T_UNKNOWN;
}

static uint16_t variable_types(const struct checker *c, const struct ast_expr *path)
{
    const struct typed_variable *v = c->variable;
    for (uint32_t i = 0; v != NULL && i < path->variable; i++)
        v = v->outer;
    return v == NULL || path->n_parts > 1 ? T_FIELD | T_MISSING : v->types;
}

static uint16_t path_types(const struct checker *c, const struct ast_expr *path)
{
    switch (path->ref) {
    case REF_FIELD:
    case REF_STEP_FIELD: return T_FIELD | T_MISSING;
    case REF_KEY: return key_types(c, path->key);
    case REF_EMITTED: return emitted_types(c, path->emitted);
    case REF_LIST:
    case REF_TABLE: return T_LIST;
    case REF_VARIABLE: return variable_types(c, path);
    case REF_ANY_FIELD: return T_TEXT;
    case REF_WINDOW_AGGREGATE: return T_FIELD | T_MISSING; /* what a novel is about */
    case REF_WINDOW_BOUND: return T_TIME | T_MISSING;
    default: return T_UNKNOWN;
    }
}

/* ---- arithmetic ---------------------------------------------------------------------------- */

struct arithmetic {
    enum ast_op op;
    uint16_t left, right, result;
};
static const struct arithmetic arithmetics[] = {
    {AST_OP_ADD, T_NUMBER, T_NUMBER, T_NUMBER},
    {AST_OP_ADD, T_DURATION, T_DURATION, T_DURATION},
    {AST_OP_ADD, T_TIME, T_DURATION, T_TIME},
    {AST_OP_ADD, T_DURATION, T_TIME, T_TIME},
    {AST_OP_SUB, T_NUMBER, T_NUMBER, T_NUMBER},
    {AST_OP_SUB, T_DURATION, T_DURATION, T_DURATION},
    {AST_OP_SUB, T_TIME, T_TIME, T_DURATION},
    {AST_OP_SUB, T_TIME, T_DURATION, T_TIME},
    {AST_OP_MUL, T_NUMBER, T_NUMBER, T_NUMBER},
    {AST_OP_MUL, T_DURATION, T_NUMBER, T_DURATION},
    {AST_OP_MUL, T_NUMBER, T_DURATION, T_DURATION},
    {AST_OP_DIV, T_NUMBER, T_NUMBER, T_NUMBER},
    {AST_OP_DIV, T_DURATION, T_NUMBER, T_DURATION},
    {AST_OP_DIV, T_DURATION, T_DURATION, T_NUMBER},
    {AST_OP_MOD, T_NUMBER, T_NUMBER, T_NUMBER},
};

static void hint_arithmetic(struct checker *c, const struct ast_expr *expr, unsigned left,
                            unsigned right)
{
    unsigned both = left | right;
    if (expr->op == AST_OP_ADD && (left == T_TEXT || right == T_TEXT))
        diag_hint(c->diag, "`concat(x, y)` joins texts");
    else if ((both & T_FIELD) == T_FIELD)
        diag_hint(c->diag, "no field is a time or a duration: JSON has none");
    else if ((both & (T_TIME | T_DURATION)) != 0 && (both & T_INT) != 0)
        diag_hint(c->diag, "a duration is written with its unit, as `5s`");
}

static uint16_t check_arithmetic(struct checker *c, struct ast_expr *expr)
{
    uint16_t left = typecheck_expr(c, expr->args[0]), right = typecheck_expr(c, expr->args[1]);
    uint16_t result = 0;
    for (size_t i = 0; i < sizeof arithmetics / sizeof arithmetics[0]; i++) {
        const struct arithmetic *a = &arithmetics[i];
        if (a->op == expr->op && (left & a->left) != 0 && (right & a->right) != 0)
            result |= a->result;
    }
    if (result != 0)
        return result | T_MISSING;
    char x[TYPES_TEXT_MAX], y[TYPES_TEXT_MAX];
    diag_add(c->diag, DIAG_ERROR, expr->span, "`%s` does not take %s and %s",
             typecheck_operator(expr), types_text(left, x), types_text(right, y));
    hint_arithmetic(c, expr, left, right);
    return T_UNKNOWN;
}

static uint16_t check_negative(struct checker *c, struct ast_expr *expr)
{
    uint16_t types = typecheck_expr(c, expr->args[0]);
    uint16_t result = types & (T_NUMBER | T_DURATION);
    char text[TYPES_TEXT_MAX];
    if (result != 0)
        return (result & T_INT) != 0 ? result | T_DOUBLE | T_MISSING : result | T_MISSING;
    diag_add(c->diag, DIAG_ERROR, expr->span, "`-` takes a number or a duration, this is %s",
             types_text(types, text));
    return T_UNKNOWN;
}

/* ---- the walk ------------------------------------------------------------------------------ */

static uint16_t check_quantified(struct checker *c, struct ast_expr *expr)
{
    uint16_t types = typecheck_expr(c, expr->args[0]);
    struct typed_variable v = {T_FIELD, c->variable};
    char text[TYPES_TEXT_MAX];
    if ((types & T_LIST) == 0)
        diag_add(c->diag, DIAG_ERROR, expr->args[0]->span,
                 "`%s(... in ...)` goes through a list, this is %s", expr->all ? "all" : "any",
                 types_text(types, text));
    c->variable = &v;
    typecheck_condition(c, expr->args[1]);
    c->variable = v.outer;
    return T_BOOL;
}

static uint16_t check_binary(struct checker *c, struct ast_expr *expr)
{
    switch (expr->op) {
    case AST_OP_AND:
    case AST_OP_OR:
        typecheck_condition(c, expr->args[0]);
        typecheck_condition(c, expr->args[1]);
        return T_BOOL;
    case AST_OP_EQ:
    case AST_OP_NE:
    case AST_OP_LT:
    case AST_OP_LE:
    case AST_OP_GT:
    case AST_OP_GE: return typecheck_compare(c, expr);
    case AST_OP_IN:
    case AST_OP_NOT_IN: return typecheck_in(c, expr);
    case AST_OP_ADD:
    case AST_OP_SUB:
    case AST_OP_MUL:
    case AST_OP_DIV:
    case AST_OP_MOD: return check_arithmetic(c, expr);
    case AST_OP_DEFAULT: {
        uint16_t left = typecheck_expr(c, expr->args[0]);
        return (left & ~T_MISSING) | typecheck_expr(c, expr->args[1]);
    }
    default: return typecheck_pattern(c, expr);
    }
}

/* t[key].column */
static uint16_t lookup_types(struct checker *c, struct ast_expr *expr)
{
    const struct lang_column *column = &c->unit->table[expr->list].column[expr->number];
    typecheck_expr(c, expr->index);
    if (column->expr != NULL)
        return column->expr->types | T_MISSING;
    return (column->types != 0 ? column->types : T_FIELD) | T_MISSING;
}

static uint16_t types_of(struct checker *c, struct ast_expr *expr)
{
    if (expr->ref == REF_ADDED)
        return typecheck_expr(c, expr->args[0]);
    if (expr->ref == REF_TABLE && expr->index != NULL)
        return lookup_types(c, expr);
    switch (expr->kind) {
    case AST_LITERAL: return (uint16_t)(1u << expr->value.type);
    case AST_LIST: return typecheck_items(c, expr) ? T_LIST : T_UNKNOWN;
    case AST_PATH: return path_types(c, expr);
    case AST_UNARY:
        if (expr->op == AST_OP_NEG)
            return check_negative(c, expr);
        typecheck_condition(c, expr->args[0]);
        return T_BOOL;
    case AST_BINARY: return check_binary(c, expr);
    case AST_CALL: return typecheck_call(c, expr);
    case AST_QUANTIFIED: return check_quantified(c, expr);
    }
    return T_UNKNOWN;
}

uint16_t typecheck_expr(struct checker *c, struct ast_expr *expr)
{
    expr->types = types_of(c, expr);
    return expr->types;
}

/* ---- rules --------------------------------------------------------------------------------- */

static void check_optional(struct checker *c, struct ast_expr *expr)
{
    if (expr != NULL)
        typecheck_expr(c, expr);
}

static void check_keys(struct checker *c, struct ast_key *key)
{
    for (; key != NULL; key = key->next)
        typecheck_expr(c, key->expr);
}

static void check_pieces(struct checker *c, struct ast_piece *piece)
{
    for (; piece != NULL; piece = piece->next)
        check_optional(c, piece->expr);
}

static void check_head(struct checker *c, struct ast_rule *rule)
{
    switch (rule->body) {
    case AST_BODY_NONE: break;
    case AST_BODY_MATCH:
        check_keys(c, rule->match->keys);
        check_optional(c, rule->match->within);
        break;
    case AST_BODY_WINDOW: check_keys(c, rule->window->keys); break;
    case AST_BODY_JOIN: check_keys(c, rule->join->keys); break;
    case AST_BODY_NOVEL:
        check_keys(c, rule->novel->keys);
        for (uint32_t i = 0; i < rule->novel->n_paths; i++)
            typecheck_expr(c, rule->novel->paths[i]);
        break;
    }
}

static void check_steps(struct checker *c, struct ast_rule *rule)
{
    for (uint32_t i = 0; i < rule->n_steps; i++) {
        struct ast_step *step = rule->steps[i];
        check_keys(c, step->effective_keys);
        check_optional(c, step->within);
        if (step->where != NULL)
            typecheck_condition(c, step->where);
    }
}

/* Severity and risk, when they are computed; literals are looked at by resolve. */
static void check_computed(struct checker *c, struct ast_expr *expr, uint16_t takes,
                           const char *what)
{
    char want[TYPES_TEXT_MAX], got[TYPES_TEXT_MAX];
    if (expr == NULL || (typecheck_expr(c, expr) & takes) != 0 || expr->kind == AST_LITERAL)
        return;
    diag_add(c->diag, DIAG_ERROR, expr->span, "`%s` is %s, this is %s", what,
             types_text(takes, want), types_text(expr->types, got));
}

static void check_rule(struct checker *c, struct ast_rule *rule)
{
    c->rule = rule;
    if (rule->steps == NULL) /* it has none that is known */
        return;
    check_head(c, rule);
    check_steps(c, rule);
    if (rule->body == AST_BODY_WINDOW && rule->window->having != NULL)
        typecheck_condition(c, rule->window->having);
    for (struct ast_assign *a = rule->emit; a != NULL; a = a->next)
        typecheck_expr(c, a->expr);
    check_optional(c, rule->suppress.delay);
    for (uint32_t i = 0; i < rule->suppress.n_by; i++)
        typecheck_expr(c, rule->suppress.by[i]);
    check_pieces(c, rule->title_pieces);
    check_pieces(c, rule->description_pieces);
    check_computed(c, rule->severity, T_TEXT, "severity");
    check_computed(c, rule->risk, T_NUMBER, "risk");
    check_optional(c, rule->keep);
    for (struct ast_excepted *e = rule->excepted; e != NULL; e = e->next)
        typecheck_condition(c, e->where);
}

static void check_table(struct checker *c, struct lang_table *table)
{
    check_optional(c, table->key);
    for (uint32_t i = 0; i < table->n_columns; i++)
        check_optional(c, table->column[i].expr);
}

static void check_list(struct ast_list *list)
{
    for (uint32_t i = 0; i < list->n_items; i++)
        list->item[i]->types = (uint16_t)(1u << list->item[i]->value.type);
}

bool typecheck_module(struct lang_unit *unit, struct diag *diag)
{
    size_t before = diag_errors(diag);
    struct checker c = {.unit = unit, .diag = diag};
    for (uint32_t i = 0; i < unit->n_tables; i++) {
        if (unit->table[i].fed)
            check_table(&c, &unit->table[i]);
    }
    for (struct ast_list *l = unit->module->lists; l != NULL; l = l->next)
        check_list(l);
    for (struct ast_stream *s = unit->module->streams; s != NULL; s = s->next) {
        if (s->where != NULL)
            typecheck_condition(&c, s->where);
        for (struct ast_assign *a = s->fields; a != NULL; a = a->next)
            check_optional(&c, a->checked);
        if (s->expect != NULL)
            typecheck_condition(&c, s->expect);
    }
    for (struct ast_rule *rule = unit->module->rules; rule != NULL; rule = rule->next)
        check_rule(&c, rule);
    return diag_errors(diag) == before;
}
