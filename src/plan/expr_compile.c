// SPDX-License-Identifier: Apache-2.0
/*
 * expr_compile - from nodes to code: operands before their instruction, forward jumps for `and`,
 * `or`, `??` and if(), and, when optimising, one instruction for the usual "field against
 * something".
 */
#include "plan/expr_compile.h"

#include <assert.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/regex.h"
#include "lang/ast.h"
#include "plan/code.h"
#include "plan/expr_compile_priv.h"
#include "plan/pools.h"

struct emit {
    struct pools *pools;
    bool optimise;
    struct insn *insn; /* owned */
    size_t cap;
    uint32_t n;
    uint32_t depth, max; /* of the stack, here and at most so far */
};

static uint32_t put(struct emit *e, struct insn insn)
{
    e->insn = vec_reserve(e->insn, &e->cap, (size_t)e->n + 1, sizeof *e->insn);
    e->insn[e->n] = insn;
    return e->n++;
}

static uint32_t put_op(struct emit *e, enum opcode op)
{
    return put(e, (struct insn){ .op = (uint8_t)op });
}

static void set_depth(struct emit *e, uint32_t depth)
{
    e->depth = depth;
    if (depth > e->max)
        e->max = depth;
}

static void land(struct emit *e, uint32_t jump)
{
    e->insn[jump].c = e->n;
}

/* ---- one instruction for several --------------------------------------------------------------- */

static bool is_insn(const struct node *node, enum opcode op)
{
    return node->kind == NODE_INSN && node->insn.op == op;
}

static bool small_field(const struct node *node)
{
    return is_insn(node, OP_FIELD) && node->insn.c <= UINT16_MAX;
}

/* x rel constant, where x is a field or anything else. */
static bool fuse_const(struct emit *e, const struct node *node, struct insn *insn,
                       const struct node **operand)
{
    const struct node *x = node->arg[0], *y = node->arg[1];
    struct insn compare = node->insn;

    if (y->kind != NODE_CONST)
        return false;
    compare.c = pools_constant(e->pools, y->value);
    if (!small_field(x)) {
        compare.op = OP_COMPARE_CONST;
        *operand = x;
    } else if (compare.a == RELATION_EQ && !compare.b) {
        compare.op = OP_FIELD_EQ;
        compare.b = (uint16_t)x->insn.c;
    } else {
        compare.op = OP_FIELD_COMPARE;
        compare.a |= compare.b ? 128 : 0;
        compare.b = (uint16_t)x->insn.c;
    }
    *insn = compare;
    return true;
}

/* field rel field of a step */
static bool fuse_step(const struct node *node, struct insn *insn)
{
    const struct node *x = node->arg[0], *y = node->arg[1];

    if (!small_field(x) || !is_insn(y, OP_STEP_FIELD) || y->insn.c > UINT16_MAX)
        return false;
    *insn = (struct insn){ .op = OP_FIELD_STEP,
                           .a = (uint8_t)(node->insn.a | (node->insn.b ? 128 : 0)),
                           .b = (uint16_t)x->insn.c,
                           .c = (uint32_t)y->insn.b << 16 | y->insn.c };
    return true;
}

/* The instruction that does the node's work over *operand (NULL: over none). */
static bool fuse(struct emit *e, const struct node *node, struct insn *insn,
                 const struct node **operand)
{
    *operand = NULL;
    *insn = node->insn;
    switch (node->insn.op) {
    case OP_COMPARE: return fuse_const(e, node, insn, operand) || fuse_step(node, insn);
    case OP_MATCH:
        insn->op = OP_FIELD_MATCH;
        insn->b = (uint16_t)node->arg[0]->insn.c;
        return small_field(node->arg[0]);
    case OP_EXISTS:
        insn->op = OP_FIELD_EXISTS;
        insn->c = node->arg[0]->insn.c;
        return is_insn(node->arg[0], OP_FIELD);
    default: return false;
    }
}

/* ---- nodes ------------------------------------------------------------------------------------- */

static void emit(struct emit *e, const struct node *node);

static void emit_insn(struct emit *e, const struct node *node)
{
    const struct node *operand;
    struct insn insn;
    uint32_t depth = e->depth;

    if (e->optimise && node->n && fuse(e, node, &insn, &operand)) {
        if (operand)
            emit(e, operand);
        put(e, insn);
    } else {
        for (uint32_t i = 0; i < node->n; i++)
            emit(e, node->arg[i]);
        put(e, node->insn);
    }
    set_depth(e, depth + 1);
}

static void emit_chain(struct emit *e, const struct node *node, enum opcode jump)
{
    uint32_t *from = mem_alloc(node->n * sizeof *from);
    uint32_t depth = e->depth;

    for (uint32_t i = 0; i < node->n; i++) {
        set_depth(e, depth);
        emit(e, node->arg[i]);
        if (i + 1 < node->n)
            from[i] = put_op(e, jump);
    }
    if (jump != OP_JUMP_PRESENT && !node->arg[node->n - 1]->is_bool)
        put_op(e, OP_TRUTH);
    for (uint32_t i = 0; i + 1 < node->n; i++)
        land(e, from[i]);
    mem_free(from);
}

static void emit_if(struct emit *e, const struct node *node)
{
    uint32_t depth = e->depth;

    emit(e, node->arg[0]);
    uint32_t to_else = put_op(e, OP_JUMP_ELSE);
    set_depth(e, depth);
    emit(e, node->arg[1]);
    uint32_t to_end = put_op(e, OP_JUMP);
    land(e, to_else);
    set_depth(e, depth);
    emit(e, node->arg[2]);
    land(e, to_end);
}

static void emit_quantified(struct emit *e, const struct node *node)
{
    uint32_t depth = e->depth;

    emit(e, node->arg[0]);
    uint32_t at = put(e, node->insn);
    set_depth(e, depth);
    emit(e, node->arg[1]);
    put_op(e, OP_END_BODY);
    land(e, at);
}

static void emit_over(struct emit *e, const struct node *node)
{
    uint32_t depth = e->depth, at = put(e, node->insn);

    emit(e, node->arg[0]);
    put_op(e, OP_END_BODY);
    land(e, at);
    set_depth(e, depth);
}

static void emit(struct emit *e, const struct node *node)
{
    uint32_t depth = e->depth;

    switch (node->kind) {
    case NODE_CONST:
        put(e, (struct insn){ .op = OP_CONST, .c = pools_constant(e->pools, node->value) });
        break;
    case NODE_INSN: emit_insn(e, node); break;
    case NODE_AND: emit_chain(e, node, OP_JUMP_AND); break;
    case NODE_OR: emit_chain(e, node, OP_JUMP_OR); break;
    case NODE_DEFAULT: emit_chain(e, node, OP_JUMP_PRESENT); break;
    case NODE_IF: emit_if(e, node); break;
    case NODE_OVER: emit_over(e, node); break;
    case NODE_QUANTIFIED: emit_quantified(e, node); break;
    }
    set_depth(e, depth + 1);
}

/* ---- the whole --------------------------------------------------------------------------------- */

static void note_reads(struct code *code)
{
    for (uint32_t i = 0; i < code->n; i++) {
        struct insn in = code->insn[i];
        switch (in.op) {
        case OP_FIELD:
        case OP_TEXTS:
        case OP_TIME:
        case OP_STREAM:
        case OP_IN_STREAM:
        case OP_FIELD_EQ:
        case OP_FIELD_COMPARE:
        case OP_FIELD_MATCH:
        case OP_FIELD_EXISTS: code->reads_candidate = true; break;
        case OP_STEP_FIELD:
        case OP_STEP_FIRST:
        case OP_STEP_COUNT:
        case OP_STEP_TIME:
        case OP_STEP_STREAM:
        case OP_STEP_EXISTS:
        case OP_STEP_IN_STREAM:
        case OP_OVER:
        case OP_AGGREGATE: code->steps |= UINT64_C(1) << (in.b & 63); break;
        case OP_FIELD_STEP:
            code->reads_candidate = true;
            code->steps |= UINT64_C(1) << (in.c >> 16 & 63);
            break;
        default: break;
        }
    }
}

static bool generate(const struct expr_context *cx, const struct node *node, struct span span,
                     const struct code **code_out)
{
    struct emit e = { .pools = cx->pools, .optimise = cx->optimise };
    struct arena *a = pools_arena(cx->pools);
    struct code *code = arena_alloc(a, sizeof *code);

    emit(&e, node);
    put_op(&e, OP_RETURN);
    bool fits = e.n <= CODE_MAX_INSNS && e.max <= CODE_MAX_STACK;
    if (!fits) {
        diag_add(cx->diag, DIAG_ERROR, span, "this expression is too large");
    } else {
        code->insn = arena_memdup(a, e.insn, e.n * sizeof *e.insn);
        code->n = e.n;
        code->max_stack = (uint16_t)e.max;
        code->pool = pools_view(cx->pools);
        note_reads(code);
        *code_out = code;
    }
    mem_free(e.insn);
    return fits;
}

static bool is_literal(const struct ast_expr *expr)
{
    return expr->kind == AST_LITERAL;
}

static void lower_init(struct lower *l, const struct expr_context *cx, bool fold)
{
    *l = (struct lower){ .cx = cx, .arena = arena_new(0), .fold = fold };
    l->op = (struct operate){ .arena = l->arena, .counters = &l->counters };
}

static void lower_fini(struct lower *l)
{
    regex_scratch_free(&l->op.regex);
    arena_free(&l->arena);
}

/* Warns, once, of a condition that folding found to be constant and not true. */
static void warn_constant(struct lower *l, const struct ast_expr *expr, const struct node *node,
                          bool condition)
{
    if (l->failed || l->warned || node->kind != NODE_CONST || is_literal(expr))
        return;
    if (operate_truth(node->value) || (!condition && node->value.type != VALUE_BOOL))
        return;
    l->warned = true;
    diag_add(l->cx->diag, DIAG_WARNING, expr->span, "this condition can never be true");
}

static bool compile(const struct expr_context *cx, const struct ast_expr *expr, bool condition,
                    const struct code **code_out)
{
    struct lower l;

    /* --no-opt gives the same warnings: it folds too, but throws the result away */
    lower_init(&l, cx, true);
    struct node *node = lower_expr(&l, expr);
    warn_constant(&l, expr, node, condition);
    bool good = !l.failed;
    if (good && !cx->optimise) {
        lower_fini(&l);
        lower_init(&l, cx, false);
        node = lower_expr(&l, expr);
        good = !l.failed;
    }
    if (good)
        good = generate(cx, node, expr->span, code_out);
    lower_fini(&l);
    return good;
}

bool expr_compile(const struct expr_context *cx, const struct ast_expr *expr,
                  const struct code **code_out)
{
    return compile(cx, expr, false, code_out);
}

bool expr_compile_all(const struct expr_context *cx, struct ast_expr *const *expr, uint32_t n,
                      const struct code **code_out)
{
    struct arena *a;
    struct ast_expr *all = expr[0];

    if (n == 1)
        return compile(cx, all, true, code_out);
    a = arena_new(0);
    for (uint32_t i = 1; i < n; i++)
        all = ast_binary(a, expr[i]->span, AST_OP_AND, false, all, expr[i]);
    bool good = compile(cx, all, true, code_out);
    arena_free(&a);
    return good;
}
