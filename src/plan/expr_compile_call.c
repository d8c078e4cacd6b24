// SPDX-License-Identifier: Apache-2.0
/* expr_compile_call - functions, and what is asked of steps: time(a), exists(a), count(a), sum(a.x). */
#include "base/arena.h"
#include "base/regex.h"
#include "lang/ast.h"
#include "lang/resolve.h"
#include "plan/expr_compile.h"
#include "plan/expr_compile_priv.h"
#include "plan/function.h"
#include "plan/pools.h"

static struct node *leaf(struct lower *l, enum opcode op, uint32_t b, uint32_t c)
{
    struct insn insn = { .op = (uint8_t)op, .b = (uint16_t)b, .c = c };

    return node_insn(l, insn, NULL, 0);
}

/* Is it a step, or prev(step), rather than a value? */
static bool is_step(const struct ast_expr *expr)
{
    return expr->ref == REF_STEP || (expr->ref == REF_PREV && !expr->has_slot);
}

/* time(), time(a), stream(), stream(a) */
static struct node *lower_about_event(struct lower *l, const struct ast_expr *expr,
                                      enum opcode own, enum opcode of_step)
{
    if (expr->n_args == 0 || expr->args[0]->ref == REF_CANDIDATE)
        return leaf(l, own, 0, 0);
    if (!is_step(expr->args[0]))
        return lower_error(l, expr->args[0]->span, "%s() takes the name of a step",
                           function_name(expr->function));
    return leaf(l, of_step, expr->args[0]->step, 0);
}

static struct node *lower_exists(struct lower *l, const struct ast_expr *expr)
{
    if (is_step(expr->args[0]))
        return leaf(l, OP_STEP_EXISTS, expr->args[0]->step, 0);
    return node_unary(l, OP_EXISTS, lower_expr(l, expr->args[0]));
}

static struct node *lower_if(struct lower *l, const struct ast_expr *expr)
{
    struct node *c = lower_expr(l, expr->args[0]);
    struct node *x = lower_expr(l, expr->args[1]);
    struct node *y = lower_expr(l, expr->args[2]);

    if (l->fold && c->kind == NODE_CONST)
        return operate_truth(c->value) ? x : y;
    struct node *node = arena_alloc(l->arena, sizeof *node);
    node->kind = NODE_IF;
    node->is_bool = x->is_bool && y->is_bool;
    node->n = 3;
    node->arg = arena_alloc(l->arena, 3 * sizeof *node->arg);
    node->arg[0] = c;
    node->arg[1] = x;
    node->arg[2] = y;
    return node;
}

static struct node *lower_extract(struct lower *l, const struct ast_expr *expr)
{
    struct node *x = lower_expr(l, expr->args[0]);
    struct node *pattern = lower_constant(l, expr->args[1]);
    struct insn insn = { .op = OP_EXTRACT };

    if (l->failed)
        return x;
    if (pattern->kind != NODE_CONST || pattern->value.type != VALUE_TEXT)
        return lower_error(l, expr->args[1]->span, "the pattern of extract must be constant text");
    if (!lower_pattern(l, RELATION_REGEX, false, expr->args[1], pattern->value, &insn.c))
        return x;
    unsigned groups = regex_groups(pools_get_pattern(l->cx->pools, insn.c)->regex[0]);
    insn.b = groups > 0;
    if (expr->n_args > 2) {
        struct node *group = lower_constant(l, expr->args[2]);
        if (group->kind != NODE_CONST || group->value.type != VALUE_INT)
            return lower_error(l, expr->args[2]->span, "the group of extract must be a constant");
        if (group->value.u.i < 0 || group->value.u.i > (int64_t)groups)
            return lower_error(l, expr->args[2]->span, "the pattern has %u capture groups", groups);
        insn.b = (uint16_t)group->value.u.i;
    }
    return node_insn(l, insn, &x, 1);
}

static struct node *lower_cidr_match(struct lower *l, const struct ast_expr *expr)
{
    struct node *x = lower_expr(l, expr->args[0]);
    struct insn insn = { .op = OP_MATCH, .a = RELATION_IN };

    if (!lower_networks(l, expr->args + 1, expr->n_args - 1, &insn.c))
        return x;
    return node_insn(l, insn, &x, 1);
}

/* Zones, units, formats: are they constant, and do they exist? */
static bool good_constants(struct lower *l, const struct ast_expr *expr, struct node *const *arg)
{
    const struct value *constant[FUNCTION_MAX_ARGS] = { NULL };
    struct function_fault fault;

    for (uint32_t i = 0; i < expr->n_args && i < FUNCTION_MAX_ARGS; i++) {
        if (arg[i]->kind == NODE_CONST) {
            constant[i] = &arg[i]->value;
        } else if (function_wants_constant(expr->function, i)) {
            lower_error(l, expr->args[i]->span, "`%s` needs a constant text here",
                        function_name(expr->function));
            return false;
        }
    }
    if (function_check(expr->function, constant, expr->n_args, &fault))
        return true;
    lower_error(l, expr->args[fault.arg]->span, "%s", fault.text);
    if (fault.hint[0])
        diag_hint(l->cx->diag, "%s", fault.hint);
    return false;
}

static struct node *lower_plain_call(struct lower *l, const struct ast_expr *expr)
{
    struct node **arg = arena_alloc(l->arena, (expr->n_args + 1) * sizeof *arg);
    struct insn insn = { .op = OP_CALL, .a = (uint8_t)expr->n_args, .b = (uint16_t)expr->function };

    for (uint32_t i = 0; i < expr->n_args; i++)
        arg[i] = function_wants_constant(expr->function, i) ? lower_constant(l, expr->args[i])
                                                            : lower_expr(l, expr->args[i]);
    if (!l->failed && !good_constants(l, expr, arg))
        return node_const(l, value_missing());
    return node_insn(l, insn, arg, expr->n_args);
}

static bool good_count(const struct ast_expr *expr)
{
    static const struct {
        uint32_t min, max;
    } args[] = {
#define FUNCTION(id, name, min_args, max_args, types, doc) { min_args, max_args },
#include "lang/function.def"
#undef FUNCTION
    };

    return expr->function < FUNCTION_COUNT && expr->n_args >= args[expr->function].min &&
           expr->n_args <= args[expr->function].max;
}

static struct node *lower_function(struct lower *l, const struct ast_expr *expr)
{
    if (!good_count(expr))
        return lower_error(l, expr->span, "wrong number of arguments of %s()",
                           function_name(expr->function));
    switch (expr->function) {
    case FUNCTION_TIME: return lower_about_event(l, expr, OP_TIME, OP_STEP_TIME);
    case FUNCTION_STREAM: return lower_about_event(l, expr, OP_STREAM, OP_STEP_STREAM);
    case FUNCTION_EXISTS: return lower_exists(l, expr);
    case FUNCTION_IF: return lower_if(l, expr);
    case FUNCTION_EXTRACT: return lower_extract(l, expr);
    case FUNCTION_CIDR_MATCH: return lower_cidr_match(l, expr);
    default: return lower_plain_call(l, expr);
    }
}

/* Over what a stream computes: its values, of each event. The body counts as one of any(). */
static struct node *lower_over(struct lower *l, const struct ast_expr *expr)
{
    if (l->variables == CODE_MAX_VARIABLES)
        return lower_error(l, expr->span, "any(), all() and fields of streams may be nested %d deep",
                           CODE_MAX_VARIABLES);
    l->variables++;
    struct node *value = lower_expr(l, expr->args[0]);
    l->variables--;
    struct node *list = node_new(l, NODE_OVER, &value, 1);
    list->insn = (struct insn){ .op = OP_OVER, .b = (uint16_t)expr->step };
    struct insn insn = { .op = OP_AGGREGATE_LIST, .a = (uint8_t)expr->aggregate };
    return node_insn(l, insn, &list, 1);
}

static struct node *lower_aggregate(struct lower *l, const struct ast_expr *expr)
{
    struct insn insn = { .op = OP_AGGREGATE, .a = (uint8_t)expr->aggregate,
                         .b = (uint16_t)expr->step, .c = expr->slot };

    if (expr->is_over)
        return lower_over(l, expr);
    if (expr->aggregate == AGGREGATE_COUNT && !expr->has_slot)
        return leaf(l, OP_STEP_COUNT, expr->step, 0);
    if (!expr->has_slot)
        return lower_error(l, expr->span, "%s() takes a field of the step",
                           function_aggregate_name(expr->aggregate));
    if (expr->aggregate == AGGREGATE_FIRST)
        return leaf(l, OP_STEP_FIRST, expr->step, expr->slot);
    if (expr->aggregate == AGGREGATE_LAST)
        return leaf(l, OP_STEP_FIELD, expr->step, expr->slot);
    return node_insn(l, insn, NULL, 0);
}

struct node *lower_call(struct lower *l, const struct ast_expr *expr)
{
    if (expr->ref == REF_WINDOW_AGGREGATE)
        return leaf(l, OP_WINDOW_AGGREGATE, 0, expr->number);
    if (expr->where || expr->within)
        return lower_error(l, expr->span, "`where` and `within` in %s() are not supported here",
                           expr->name.text);
    switch (expr->ref) {
    case REF_FUNCTION: return lower_function(l, expr);
    case REF_AGGREGATE: return lower_aggregate(l, expr);
    case REF_IN_STREAM: return leaf(l, OP_IN_STREAM, 0, expr->number);
    case REF_STEP_IN_STREAM: return leaf(l, OP_STEP_IN_STREAM, expr->step, expr->number);
    case REF_PREV:
        if (expr->has_slot)
            return leaf(l, OP_STEP_FIELD, expr->step, expr->slot);
        return lower_error(l, expr->span, "a step is not a value: name one of its fields");
    default: break;
    }
    l->failed = true; /* unresolved: that was reported */
    if (diag_errors(l->cx->diag) == 0)
        lower_error(l, expr->span, "`%s` is not a function", expr->name.text);
    return node_const(l, value_missing());
}
