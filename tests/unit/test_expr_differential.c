// SPDX-License-Identifier: Apache-2.0
/*
 * Random expressions over random events: the optimiser changes no value, the code passes the
 * validator, and what necessary_find says is necessary is.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/diag.h"
#include "base/regex.h"
#include "engine/vm.h"
#include "event/event.h"
#include "lang/ast.h"
#include "lang/resolve.h"
#include "plan/code.h"
#include "plan/expr_compile.h"
#include "plan/necessary.h"
#include "plan/operate.h"
#include "plan/pools.h"
#include "plan/program.h"

enum { N_SLOTS = 4, N_EVENTS = 12, ROUNDS = 15000, MAX_DEPTH = 4 };

static struct arena *a;
static struct ast_list *lists[3];
static uint64_t seed;

static uint32_t below(uint32_t n)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(seed >> 33) % n;
}

/* ---- random values ----------------------------------------------------------------------------- */

static struct value random_text(void)
{
    static const char *const word[] = { "", "a", "A", "ab", "xab", "B", "\xc3\xa4", "\xc3\x84", "1" };
    const char *text = word[below(9)];

    return value_text(text, strlen(text));
}

static int64_t random_int(void)
{
    static const int64_t number[] = { 0, 1, 2, 3, -1, 7, INT64_MAX, INT64_MIN };

    return number[below(8)];
}

static struct value random_scalar(void)
{
    switch (below(9)) {
    case 0: return value_missing();
    case 1: return value_bool(below(2));
    case 2: return value_double((double)random_int() / 2);
    case 3: return value_duration(random_int());
    case 4:
    case 5: return value_int(random_int());
    default: return random_text();
    }
}

static struct value random_value(int depth)
{
    struct value list[3];
    uint32_t n = below(4);

    if (depth == 0 || below(4))
        return random_scalar();
    for (uint32_t i = 0; i < n; i++)
        list[i] = random_value(depth - 1);
    return value_copy(value_list(list, n), a);
}

/* ---- random expressions ------------------------------------------------------------------------ */

static const struct span HERE = { 0, 0, 1 };
static uint32_t variables; /* around the expression being made */

static struct ast_expr *random_expr(int depth);

static struct ast_expr *lit(struct value v)
{
    return ast_literal(a, HERE, v, AST_FORM_PLAIN);
}

static struct ast_expr *path(enum ast_ref ref)
{
    struct path_part part = { .name = "p", .len = 1 };
    struct ast_expr *expr = ast_path(a, HERE, &part, NULL, 1);

    expr->ref = ref;
    return expr;
}

static struct ast_expr *random_leaf(void)
{
    struct ast_expr *expr;

    switch (below(variables ? 6 : 5)) {
    case 0: return lit(random_scalar());
    case 1:
        expr = path(REF_STEP_FIELD);
        expr->slot = below(N_SLOTS);
        return expr;
    case 5:
        expr = path(REF_VARIABLE);
        expr->variable = below(variables);
        return expr;
    default:
        expr = path(REF_FIELD);
        expr->slot = below(N_SLOTS);
        return expr;
    }
}

static struct ast_expr *random_list(bool text)
{
    struct ast_expr *item[4];
    uint32_t n = below(4);

    for (uint32_t i = 0; i < n; i++)
        item[i] = lit(text ? random_text() : random_scalar());
    return ast_list_expr(a, HERE, item, n);
}

static struct ast_expr *random_right(enum ast_op op, int depth)
{
    bool text = op >= AST_OP_LIKE && op <= AST_OP_NOT_ENDSWITH;
    bool pattern = op >= AST_OP_LIKE && op <= AST_OP_NOT_REGEX;
    struct ast_expr *expr;

    switch (below(6)) {
    case 0: return random_list(text);
    case 1:
        if (op >= AST_OP_LT && op <= AST_OP_GE)
            return lit(random_scalar());
        expr = path(REF_LIST);
        expr->list = below(3);
        return expr;
    case 2:
    case 3: return lit(text ? random_text() : random_scalar());
    default: return pattern ? lit(random_text()) : text ? random_leaf() : random_expr(depth - 1);
    }
}

static struct ast_expr *random_call(int depth)
{
    static const uint32_t function[] = { FUNCTION_LOWER, FUNCTION_LENGTH, FUNCTION_TRIM, FUNCTION_NUMBER,
                                         FUNCTION_STRING, FUNCTION_ABS, FUNCTION_EXISTS, FUNCTION_IF,
                                         FUNCTION_CONCAT, FUNCTION_SUBSTRING };
    uint32_t id = function[below(10)];
    struct ast_expr *arg[3];
    uint32_t n = id == FUNCTION_IF ? 3 : id == FUNCTION_CONCAT || id == FUNCTION_SUBSTRING ? 2 : 1;

    for (uint32_t i = 0; i < n; i++)
        arg[i] = random_expr(depth - 1);
    struct ast_expr *expr = ast_call(a, HERE, (struct ast_name){ .text = "f" }, arg, n);
    expr->ref = REF_FUNCTION;
    expr->function = id;
    return expr;
}

static struct ast_expr *random_quantified(int depth)
{
    struct ast_expr *list = random_expr(depth - 1), *cond;

    if (variables == CODE_MAX_VARIABLES)
        return list;
    variables++;
    cond = random_expr(depth - 1);
    variables--;
    return ast_quantified(a, HERE, below(2), (struct ast_name){ .text = "v", .len = 1 }, list, cond);
}

static struct ast_expr *random_relation(int depth)
{
    enum ast_op op = AST_OP_EQ + below(AST_OP_NOT_ENDSWITH - AST_OP_EQ + 1);
    struct ast_expr *x = random_expr(depth - 1);
    struct ast_expr *y = random_right(op, depth);

    /* a text operator with a constant that is no text is an error: keep to fields there */
    if (op >= AST_OP_CONTAINS && y->kind == AST_LITERAL && y->value.type != VALUE_TEXT)
        y = lit(random_text());
    return ast_binary(a, HERE, op, below(3) == 0, x, y);
}

static struct ast_expr *random_expr(int depth)
{
    if (depth <= 0)
        return random_leaf();
    switch (below(10)) {
    case 0: return ast_unary(a, HERE, below(3) ? AST_OP_NOT : AST_OP_NEG, random_expr(depth - 1));
    case 1:
    case 2:
    case 3: {
        struct ast_expr *x = random_expr(depth - 1);
        return ast_binary(a, HERE, below(2) ? AST_OP_AND : AST_OP_OR, false, x, random_expr(depth - 1));
    }
    case 4: {
        struct ast_expr *x = random_expr(depth - 1);
        return ast_binary(a, HERE, AST_OP_DEFAULT + below(6), false, x, random_expr(depth - 1));
    }
    case 5: return random_call(depth);
    case 6: return random_quantified(depth);
    default: return random_relation(depth);
    }
}

/* What rules are made of: fields and constants, and, or. */
static struct ast_expr *random_condition(int depth)
{
    struct ast_expr *x, *y;

    if (depth > 0 && below(3)) {
        x = random_condition(depth - 1);
        return ast_binary(a, HERE, below(2) ? AST_OP_AND : AST_OP_OR, false, x, random_condition(depth - 1));
    }
    if (below(5) == 0)
        return random_relation(1);
    if (below(5) == 0)
        return ast_binary(a, HERE, AST_OP_EQ, false, random_call(1), lit(random_scalar()));
    x = path(REF_FIELD);
    x->slot = below(N_SLOTS);
    y = below(2) ? random_list(false) : lit(random_scalar());
    return ast_binary(a, HERE, below(2) ? AST_OP_EQ : AST_OP_IN, below(8) == 0, x, y);
}

/* ---- the checks -------------------------------------------------------------------------------- */

static bool has_equal(struct value v, const struct necessary *ne)
{
    if (v.type == VALUE_LIST) {
        for (uint32_t i = 0; i < v.len; i++)
            if (has_equal(v.u.list[i], ne))
                return true;
        return false;
    }
    for (uint32_t i = 0; i < ne->n; i++)
        if (value_same(v, ne->value[i]))
            return true;
    return false;
}

static bool fulfils(const struct event *ev, const struct necessary *ne)
{
    switch (ne->kind) {
    case NECESSARY_EQUALS: return has_equal(ev->slot[ne->slot], ne);
    case NECESSARY_EXISTS: return ev->slot[ne->slot].type != VALUE_MISSING;
    default: return true;
    }
}

static void show(const struct program *prog, const struct code *fast, const struct code *slow,
                 struct value x, struct value y)
{
    struct buf b;

    buf_init(&b);
    code_print(&b, prog, fast);
    buf_adds(&b, "= ");
    value_add_json(&b, x);
    buf_adds(&b, "\n\n");
    code_print(&b, prog, slow);
    buf_adds(&b, "= ");
    value_add_json(&b, y);
    fail_msg("the two differ:\n%s", b.data);
}

struct world {
    struct program prog;
    struct event ev[N_EVENTS];
    struct bind bind;
    struct bound bound;
    struct vm_counters counters;
    struct regex_scratch *regex;
    uint64_t found[3]; /* necessary conditions by kind */
    uint64_t rejected; /* events that one of them ruled out */
};

static void check_values(struct world *w, const struct code *fast, const struct code *slow,
                         const struct necessary *ne)
{
    for (int i = 0; i < N_EVENTS; i++) {
        struct vm vm = { .prog = &w->prog, .ev = &w->ev[i], .bound = &w->bound, .scratch = a,
                         .regex = w->regex, .counters = &w->counters };
        w->bind.ev = &w->ev[(i + 1) % N_EVENTS];
        struct value x = vm_eval(&vm, fast), y = vm_eval(&vm, slow);
        if (x.type != y.type || !value_same(x, y))
            show(&w->prog, fast, slow, x, y);
        bool possible = fulfils(&w->ev[i], ne);
        w->rejected += !possible;
        if (!possible && operate_truth(x))
            show(&w->prog, fast, slow, x, value_text("not necessary", 13));
    }
}

static void check_one(struct world *w)
{
    struct diag *diag = diag_new();
    struct ast_expr *expr = below(3) ? random_expr(1 + (int)below(MAX_DEPTH))
                                     : random_condition((int)below(MAX_DEPTH));
    const struct code *code[2];
    struct necessary ne;
    const char *why;

    diag_file_add(diag, "random", "", 0);
    for (int optimise = 0; optimise <= 1; optimise++) {
        struct expr_context cx = { w->prog.pools, diag, optimise, lists, 3, NULL };
        if (!expr_compile(&cx, expr, &code[optimise])) {
            struct buf b;
            buf_init(&b);
            diag_print(diag, &b);
            fail_msg("%s", b.data);
        }
        if (!code_validate(&w->prog, code[optimise], &why))
            fail_msg("%s", why);
        necessary_find(&cx, &expr, 1, a, &ne);
    }
    w->found[ne.kind]++;
    check_values(w, code[1], code[0], &ne);
    diag_free(&diag);
}

static void declare(void)
{
    static const char *const text[] = { "a", "AB", "\xc3\x84" };

    for (int k = 0; k < 3; k++) {
        struct ast_list *list = arena_alloc(a, sizeof *list);
        list->name = (struct ast_name){ .text = k == 0 ? "l0" : k == 1 ? "l1" : "l2", .len = 2 };
        list->kind = AST_LIST_PLAIN;
        list->n_items = k == 2 ? 0 : 3;
        list->item = arena_alloc(a, 3 * sizeof *list->item);
        for (uint32_t i = 0; i < 3; i++)
            list->item[i] = lit(value_text(text[i], strlen(text[i])));
        lists[k] = list;
    }
}

static void world_round(uint64_t number, uint64_t found[3], uint64_t *rejected)
{
    struct world w = { .regex = regex_scratch_new() };

    seed = number;
    a = arena_new(0);
    declare();
    w.prog = (struct program){ .arena = a, .pools = pools_new(a) };
    w.bound = (struct bound){ &w.bind, 1 };
    for (int i = 0; i < N_EVENTS; i++) {
        struct value *slot = arena_alloc(a, N_SLOTS * sizeof *slot);
        for (int k = 0; k < N_SLOTS; k++)
            slot[k] = random_value(2);
        w.ev[i] = (struct event){ .time = i, .n_slots = N_SLOTS, .slot = slot };
    }
    for (int i = 0; i < 30; i++)
        check_one(&w);
    for (int i = 0; i < 3; i++)
        found[i] += w.found[i];
    *rejected += w.rejected;
    regex_scratch_free(&w.regex);
    pools_free(&w.prog.pools);
    arena_free(&a);
}

static void optimised_is_the_same(void **state)
{
    uint64_t found[3] = { 0 }, rejected = 0;

    (void)state;
    for (uint64_t i = 0; i < ROUNDS / 30; i++)
        world_round(i, found, &rejected);
    /* the check is worth something only if it had something to check */
    assert_true(found[NECESSARY_EQUALS] > ROUNDS / 100);
    assert_true(found[NECESSARY_EXISTS] > ROUNDS / 20);
    assert_true(rejected > ROUNDS / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(optimised_is_the_same),
    };

    return cmocka_run_group_tests_name("expr_differential", tests, NULL, NULL);
}
