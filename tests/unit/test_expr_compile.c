// SPDX-License-Identifier: Apache-2.0
/*
 * expr_compile: what is refused and what is warned of, what code comes out, that each opcode is
 * made by some expression and passes the validator, and that the validator refuses broken code.
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
#include "event/schema.h"
#include "lang/ast.h"
#include "lang/resolve.h"
#include "plan/code.h"
#include "plan/expr_compile.h"
#include "plan/operate.h"
#include "plan/pools.h"
#include "plan/program.h"

enum { N_SLOTS = 4, N_STEPS = 2 };

static struct arena *a;
static struct diag *diag;
static struct program prog;
static const char *const column[] = { "c" };
static const struct program_table table[] = { { .name = "t", .column_name = column, .n_columns = 1 } };
static struct regex_scratch *regex;
static struct vm_counters counters;
static struct ast_list *lists[1];

static int setup(void **state)
{
    static const struct program_stream stream[] = { { .name = "any" }, { .name = "auth" } };
    static const char *const name[N_SLOTS] = { "f0", "f1", "f2", "f3" };
    uint32_t slot;

    (void)state;
    a = arena_new(0);
    diag = diag_new();
    diag_file_add(diag, "test", "0123456789", 10);
    prog = (struct program){ .table = table, .n_tables = 1, .arena = a, .schema = schema_new(), .pools = pools_new(a),
                             .stream = stream, .n_streams = 2 };
    for (int i = 0; i < N_SLOTS; i++)
        assert_true(schema_slot_text(prog.schema, name[i], &slot));
    schema_seal(prog.schema);
    regex = regex_scratch_new();
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    regex_scratch_free(&regex);
    pools_free(&prog.pools);
    schema_unref(&prog.schema);
    diag_free(&diag);
    arena_free(&a);
    return 0;
}

/* ---- expressions by hand ----------------------------------------------------------------------- */

static const struct span HERE = { 0, 2, 5 };

static struct ast_expr *lit(struct value v)
{
    return ast_literal(a, HERE, v, AST_FORM_PLAIN);
}

static struct ast_expr *text(const char *s)
{
    return lit(value_text(s, strlen(s)));
}

static struct ast_expr *num(int64_t i)
{
    return lit(value_int(i));
}

static struct ast_expr *path(const char *name, enum ast_ref ref)
{
    struct path_part part = { .name = name, .len = (uint32_t)strlen(name) };
    struct ast_expr *expr = ast_path(a, HERE, &part, NULL, 1);

    expr->ref = ref;
    return expr;
}

/* v.name of the innermost variable */
static struct ast_expr *member(const char *variable, const char *name)
{
    struct path_part part[] = { { .name = variable, .len = (uint32_t)strlen(variable) },
                                { .name = name, .len = (uint32_t)strlen(name) } };
    struct ast_expr *expr = ast_path(a, HERE, part, NULL, 2);

    expr->ref = REF_VARIABLE;
    return expr;
}

static struct ast_expr *field(uint32_t slot)
{
    struct ast_expr *expr = path("f", REF_FIELD);

    expr->slot = slot;
    expr->has_slot = true;
    return expr;
}

static struct ast_expr *step_field(uint32_t step, uint32_t slot)
{
    struct ast_expr *expr = field(slot);

    expr->ref = REF_STEP_FIELD;
    expr->step = step;
    return expr;
}

static struct ast_expr *step(uint32_t number)
{
    struct ast_expr *expr = path("s", REF_STEP);

    expr->step = number;
    return expr;
}

static struct ast_expr *bin(enum ast_op op, struct ast_expr *x, struct ast_expr *y)
{
    return ast_binary(a, HERE, op, false, x, y);
}

static struct ast_expr *fold(struct ast_expr *expr)
{
    expr->fold = true;
    return expr;
}

static struct ast_expr *call(uint32_t function, struct ast_expr *x, struct ast_expr *y,
                             struct ast_expr *z)
{
    struct ast_expr *arg[] = { x, y, z };
    struct ast_expr *expr = ast_call(a, HERE, (struct ast_name){ .text = "f" }, arg,
                                     (uint32_t)!!x + !!y + !!z);

    expr->ref = REF_FUNCTION;
    expr->function = function;
    return expr;
}

static struct ast_expr *aggregate(uint32_t id, uint32_t slot)
{
    struct ast_expr *expr = call(0, step(1), NULL, NULL);

    expr->ref = REF_AGGREGATE;
    expr->aggregate = id;
    expr->step = 1;
    expr->slot = slot;
    expr->has_slot = id != AGGREGATE_COUNT;
    return expr;
}

static struct ast_expr *pair(struct ast_expr *x, struct ast_expr *y)
{
    struct ast_expr *item[] = { x, y };

    return ast_list_expr(a, HERE, item, 2);
}

static struct ast_expr *any(bool all, struct ast_expr *list, struct ast_expr *cond)
{
    return ast_quantified(a, HERE, all, (struct ast_name){ .text = "v", .len = 1 }, list, cond);
}

static const struct code *compile(struct ast_expr *expr, bool optimise)
{
    struct expr_context cx = { prog.pools, diag, optimise, lists, 1, NULL };
    const struct code *code = NULL;
    const char *why = "";

    if (!expr_compile(&cx, expr, &code))
        return NULL;
    if (!code_validate(&prog, code, &why))
        fail_msg("%s", why);
    return code;
}

static void says(struct ast_expr *expr, const char *what)
{
    struct buf out;

    diag_free(&diag);
    diag = diag_new();
    diag_file_add(diag, "test", "0123456789", 10);
    const struct code *code = compile(expr, true);
    buf_init(&out);
    diag_print(diag, &out);
    if (strstr(what, "error:") && code)
        fail_msg("compiled: %s", what);
    if (!strstr(what, "error:") && !code)
        fail_msg("not compiled: %s", out.data);
    if (!strstr(out.data ? out.data : "", what) || (*what == '\0' && out.len))
        fail_msg("want %s, got %s", what, out.data);
    buf_fini(&out);
}

/* ---- what is refused --------------------------------------------------------------------------- */

static void errors(void **state)
{
    struct ast_list list = { .name = { .text = "nets", .len = 4 }, .kind = AST_LIST_CIDR };
    struct ast_expr *item[] = { text("10.0.0.1/8") }, *nets = path("nets", REF_LIST);
    struct ast_expr *deep = field(0);

    (void)state;
    says(bin(AST_OP_REGEX, field(0), text("a(b")), "test:1:3: error: bad regular expression at offset 3");
    says(bin(AST_OP_REGEX, field(0), pair(text("ok"), text("[a"))), "error: bad regular expression");
    says(bin(AST_OP_REGEX, field(0), field(1)), "error: the pattern of `regex` must be constant");
    says(bin(AST_OP_NOT_LIKE, field(0), field(1)), "error: the pattern of `not like` must be constant");
    says(bin(AST_OP_LIKE, field(0), num(1)), "error: a pattern of `like` must be a text, not a integer");
    says(bin(AST_OP_CONTAINS, field(0), num(1)), "error: the right side of `contains` must be text");
    says(call(FUNCTION_EXTRACT, field(0), field(1), NULL), "error: the pattern of extract must be constant");
    says(call(FUNCTION_EXTRACT, field(0), text("a(b)"), num(2)), "error: the pattern has 1 capture groups");
    says(call(FUNCTION_EXTRACT, field(0), text("a(b)"), field(1)), "error: the group of extract");
    says(call(FUNCTION_CIDR_MATCH, field(0), text("10.0.0.0/99"), NULL), "error: `10.0.0.0/99` is no network");
    says(call(FUNCTION_CIDR_MATCH, field(0), field(1), NULL), "error: the networks of cidr_match must be constant");
    says(call(FUNCTION_LOWER, NULL, NULL, NULL), "error: wrong number of arguments of lower()");
    says(call(FUNCTION_TIME, field(0), NULL, NULL), "error: time() takes the name of a step");
    /* a bad part of a condition that folding drops is an error all the same */
    says(bin(AST_OP_AND, lit(value_bool(false)), bin(AST_OP_REGEX, field(0), text("("))),
         "error: bad regular expression");
    lists[0] = &list;
    list.item = item;
    list.n_items = 1;
    says(bin(AST_OP_IN, field(0), nets), "error: `10.0.0.1/8` is no network");
    says(bin(AST_OP_CONTAINS, field(0), nets), "error: `contains` does not work with the cidr list `nets`");
    says(bin(AST_OP_EQ, nets, field(0)), "error: a declared list may only stand on the right");
    says(step(0), "error: a step is not a value");
    for (int i = 0; i < 9; i++)
        deep = any(false, field(0), deep);
    says(deep, "error: any() and all() may be nested 8 deep");
    deep = field(0);
    for (int i = 0; i < 2000; i++)
        deep = bin(AST_OP_ADD, deep, num(1));
    says(deep, "error: this expression is nested too deeply");
}

static void warnings(void **state)
{
    struct ast_expr *hint = bin(AST_OP_EQ, field(0), lit(value_missing()));

    (void)state;
    says(bin(AST_OP_EQ, num(1), text("a")), "test:1:3: warning: this comparison can never be true");
    says(bin(AST_OP_AND, field(0), bin(AST_OP_GT, num(1), num(2))), "warning: this comparison can never");
    says(hint, "null equals nothing");
    says(ast_unary(a, HERE, AST_OP_NOT, lit(value_bool(true))), "warning: this condition can never be true");
    says(bin(AST_OP_EQ, num(1), num(1)), "");
    says(lit(value_bool(false)), "");
    says(bin(AST_OP_ADD, num(1), num(1)), "");
    says(bin(AST_OP_EQ, field(0), num(1)), "");
}

/* ---- what code comes out ----------------------------------------------------------------------- */

static void prints(struct ast_expr *expr, bool optimise, const char *want)
{
    struct buf out;

    buf_init(&out);
    code_print(&out, &prog, compile(expr, optimise));
    assert_string_equal(out.data, want);
    buf_fini(&out);
}

static void code_is_fused_and_folded(void **state)
{
    struct ast_expr *sum = bin(AST_OP_ADD, num(1), bin(AST_OP_MUL, num(2), num(3)));
    struct ast_expr *both = bin(AST_OP_AND, bin(AST_OP_EQ, field(0), text("a")),
                                bin(AST_OP_IN, field(1), pair(num(1), num(2))));

    (void)state;
    prints(bin(AST_OP_LT, sum, field(2)), true,
           "   0  FIELD_COMPARE  f2 > 7\n"
           "   1  RETURN\n");
    prints(both, true,
           "   0  FIELD_EQ       f0 == \"a\"\n"
           "   1  JUMP_AND       to 3\n"
           "   2  FIELD_MATCH    f1 in [1, 2]\n"
           "   3  RETURN\n");
    prints(bin(AST_OP_IN, field(1), pair(num(1), num(1))), false,
           "   0  FIELD          f1\n"
           "   1  MATCH           in [1]\n"
           "   2  RETURN\n");
    prints(bin(AST_OP_NE, field(3), step_field(1, 2)), true,
           "   0  FIELD_STEP     f3 != step1.f2\n"
           "   1  RETURN\n");
    prints(fold(bin(AST_OP_STARTSWITH, call(FUNCTION_TRIM, field(0), NULL, NULL), text("AB"))), true,
           "   0  FIELD          f0\n"
           "   1  CALL           trim 1\n"
           "   2  MATCH           startswith~ [\"AB\"]\n"
           "   3  RETURN\n");
    prints(bin(AST_OP_OR, lit(value_bool(true)), field(0)), true,
           "   0  CONST          true\n"
           "   1  RETURN\n");
    prints(any(true, field(0), bin(AST_OP_GT, path("v", REF_VARIABLE), num(1))), true,
           "   0  FIELD          f0\n"
           "   1  QUANTIFY       all 0, to 5\n"
           "   2  VARIABLE       0\n"
           "   3  COMPARE_CONST   > 1\n"
           "   4  END_BODY\n"
           "   5  RETURN\n");
    const struct code *code = compile(bin(AST_OP_NE, field(3), step_field(1, 2)), true);
    assert_true(code->reads_candidate && code->steps == 2 && code->max_stack == 1);
    code = compile(aggregate(AGGREGATE_COUNT, 0), true);
    assert_true(!code->reads_candidate && code->steps == 2);
}

static void many_conjuncts(void **state)
{
    enum { N = 5000 };
    struct ast_expr *conjunct[N];
    struct expr_context cx = { prog.pools, diag, true, NULL, 0, NULL };
    const struct code *code = NULL;
    const char *why = "";

    (void)state;
    for (int i = 0; i < N; i++)
        conjunct[i] = bin(AST_OP_NE, field(0), num(i));
    assert_true(expr_compile_all(&cx, conjunct, N, &code));
    assert_true(code_validate(&prog, code, &why));
    assert_int_equal(code->n, 2 * N);
    assert_int_equal(code->max_stack, 1);
    assert_true(expr_compile_all(&cx, conjunct, 1, &code));
    assert_int_equal(code->n, 2);
}

/* ---- every opcode ------------------------------------------------------------------------------ */

static void note(bool *seen, struct ast_expr *expr)
{
    for (int optimise = 0; optimise <= 1; optimise++) {
        const struct code *code = compile(expr, optimise);
        struct buf out;
        assert_non_null(code);
        for (uint32_t i = 0; i < code->n; i++)
            seen[code->insn[i].op] = true;
        buf_init(&out);
        code_print(&out, &prog, code);
        buf_fini(&out);
    }
}

static struct ast_expr *one_of_each(void)
{
    struct ast_expr *key = path("k", REF_KEY), *emitted = path("e", REF_EMITTED);
    struct ast_expr *item[] = {
        key, emitted, path("any_field", REF_ANY_FIELD),
        call(FUNCTION_TIME, NULL, NULL, NULL), call(FUNCTION_STREAM, NULL, NULL, NULL),
        call(FUNCTION_TIME, step(1), NULL, NULL), call(FUNCTION_STREAM, step(1), NULL, NULL),
        call(FUNCTION_EXISTS, step(1), NULL, NULL), call(FUNCTION_EXISTS, step(0), NULL, NULL),
        call(FUNCTION_EXISTS, field(0), NULL, NULL), aggregate(AGGREGATE_COUNT, 0),
        aggregate(AGGREGATE_FIRST, 0), aggregate(AGGREGATE_LAST, 0), aggregate(AGGREGATE_SUM, 0),
        aggregate(AGGREGATE_VALUES, 0), step_field(0, 0), step_field(1, 0),
        call(FUNCTION_TIME, step(0), NULL, NULL), aggregate(AGGREGATE_MAX, 1),
        call(FUNCTION_EXTRACT, field(1), text("u(.)"), NULL), call(FUNCTION_STREAM, step(0), NULL, NULL),
    };
    return ast_list_expr(a, HERE, item, sizeof item / sizeof *item);
}

static struct ast_expr *in_stream(enum ast_ref ref)
{
    struct ast_expr *asks = call(FUNCTION_TIME, NULL, NULL, NULL);
    asks->ref = ref;
    return asks;
}

static struct ast_expr *lookup(struct ast_expr *key)
{
    struct ast_expr *get = path("t", REF_TABLE);
    get->index = key;
    return get;
}

/* An aggregate over what a stream computes of each event of step 1. */
static struct ast_expr *over(uint32_t id, struct ast_expr *value)
{
    struct ast_expr *all = aggregate(id, 0);
    all->step = 1;
    all->is_over = true;
    all->has_slot = false;
    all->args = arena_memdup(a, &value, sizeof(struct ast_expr *));
    all->n_args = 1;
    return all;
}

static void every_opcode_is_made_by_something(void **state)
{
    bool seen[OP_COUNT] = { false };
    struct ast_expr *x = field(0), *y = field(1);

    (void)state;
    note(seen, one_of_each());
    note(seen, ast_unary(a, HERE, AST_OP_NOT, ast_unary(a, HERE, AST_OP_NEG, x)));
    for (int op = AST_OP_ADD; op <= AST_OP_MOD; op++)
        note(seen, bin((enum ast_op)op, x, y));
    note(seen, bin(AST_OP_AND, bin(AST_OP_OR, x, y), bin(AST_OP_DEFAULT, x, y)));
    note(seen, bin(AST_OP_EQ, x, y));
    note(seen, bin(AST_OP_EQ, x, num(1)));
    note(seen, bin(AST_OP_LT, x, num(1)));
    note(seen, bin(AST_OP_LT, bin(AST_OP_ADD, x, y), num(1)));
    note(seen, bin(AST_OP_LIKE, x, text("a*")));
    note(seen, bin(AST_OP_EQ, x, step_field(0, 0)));
    note(seen, call(FUNCTION_LOWER, x, NULL, NULL));
    note(seen, call(FUNCTION_IF, x, y, x));
    note(seen, any(false, x, path("v", REF_VARIABLE)));
    note(seen, any(false, x, member("v", "name")));
    for (int is_end = 0; is_end < 2; is_end++) {
        struct ast_expr *bound = path("window_start", REF_WINDOW_BOUND);
        bound->is_end = is_end;
        note(seen, bound);
    }
    note(seen, path("x", REF_WINDOW_AGGREGATE));
    note(seen, in_stream(REF_IN_STREAM));
    note(seen, in_stream(REF_STEP_IN_STREAM));
    note(seen, bin(AST_OP_NOT_IN, x, path("t", REF_TABLE)));
    note(seen, lookup(x));
    note(seen, over(AGGREGATE_VALUES, bin(AST_OP_ADD, x, y)));
    for (int op = 0; op < OP_COUNT; op++)
        if (!seen[op])
            fail_msg("no expression makes %s", opcode_name((enum opcode)op));
    assert_string_equal(opcode_name(OP_COUNT), "?");
}

/* A run: step 0 not bound, step 1 bound to three events, oldest first: f0 = 5, 7, 6. */
static void what_a_run_has_bound(void **state)
{
    struct value slot[3][N_SLOTS] = { { value_int(5) }, { value_int(7) }, { value_int(6) } };
    struct value own[N_SLOTS] = { value_int(1), value_text("ux", 2) };
    struct event ev[3], candidate = { .time = 400, .n_slots = N_SLOTS, .slot = own };
    struct bind bind[3];
    struct bound bound[N_STEPS] = { { NULL, 0 }, { &bind[2], 3 } };
    struct value key = value_text("k", 1), emitted = value_int(9);
    struct vm vm = { .prog = &prog, .ev = &candidate, .ev_stream = 1, .bound = bound, .key = &key,
                     .emitted = &emitted, .scratch = a, .regex = regex, .counters = &counters };
    struct buf out;

    (void)state;
    for (int i = 0; i < 3; i++) {
        ev[i] = (struct event){ .time = (i + 1) * 100, .n_slots = 1, .slot = slot[i] };
        bind[i] = (struct bind){ i ? &bind[i - 1] : NULL, &ev[i], 1 };
    }
    static const char want[] =
        "[\"k\",9,[],\"1970-01-01T00:00:00.000000400Z\",\"auth\",\"1970-01-01T00:00:00.000000300Z\","
        "\"auth\",true,false,true,3,5,6,18,[5,7,6],null,6,null,null,\"x\",null]";
    for (int optimise = 0; optimise <= 1; optimise++) {
        buf_init(&out);
        value_add_json(&out, vm_eval(&vm, compile(one_of_each(), optimise)));
        assert_string_equal(out.data, want);
        buf_fini(&out);
    }
    vm = (struct vm){ .prog = &prog, .scratch = a, .regex = regex, .counters = &counters };
    buf_init(&out);
    value_add_json(&out, vm_eval(&vm, compile(one_of_each(), true)));
    assert_string_equal(out.data, "[null,null,null,null,null,null,null,false,false,false,0,null,null,"
                                  "null,null,null,null,null,null,null,null]");
    buf_fini(&out);
}

/* What is odd in the data is false, and counted. */
static void odd_data_is_counted(void **state)
{
    char hard[64];
    struct value slot[N_SLOTS] = { value_text(hard, sizeof hard),
                                   value_text("2027-01-01T00:00:00Z", 20) };
    struct event ev = { .n_slots = N_SLOTS, .slot = slot };
    struct vm vm = { .prog = &prog, .ev = &ev, .scratch = a, .regex = regex, .counters = &counters };

    (void)state;
    memset(hard, 'x', sizeof hard);
    hard[sizeof hard - 1] = 'z';
    counters = (struct vm_counters){ 0 };
    assert_false(vm_test(&vm, compile(bin(AST_OP_REGEX, field(0), text("^(x+x+)+$")), true)));
    assert_int_equal(counters.regex_limit, 1);
    assert_false(vm_test(&vm, compile(bin(AST_OP_NOT_REGEX, field(0), text("^(x+x+)+$")), true)));
    assert_int_equal(counters.regex_limit, 2);
    assert_false(vm_test(&vm, compile(bin(AST_OP_LT, field(1), lit(value_time(INT64_MAX))), true)));
    assert_false(vm_test(&vm, compile(bin(AST_OP_NE, field(1), lit(value_time(0))), true)));
    assert_int_equal(counters.type_clash, 2);
}

/* ---- the validator ----------------------------------------------------------------------------- */

static void broken_code_is_refused(void **state)
{
    const struct insn c = { OP_CONST, 0, 0, 0 }, ret = { OP_RETURN, 0, 0, 0 };
    const struct {
        const char *why;
        struct insn insn[6];
        uint32_t n;
    } row[] = {
        { "no code, or too much", { ret }, 0 },
        { "stack underflow", { ret }, 1 },
        { "RETURN is not the end", { c, c, ret }, 3 },
        { "a jump that does not go forward within its block", { c, { OP_NOT, 0, 0, 0 } }, 2 },
        { "no such opcode", { { OP_COUNT, 0, 0, 0 }, ret }, 2 },
        { "no such constant", { { OP_CONST, 0, 0, 7 }, ret }, 2 },
        { "no such slot", { { OP_FIELD, 0, 0, N_SLOTS }, ret }, 2 },
        { "no such pattern", { c, { OP_MATCH, 0, 0, 3 }, ret }, 3 },
        { "no such relation", { c, c, { OP_COMPARE, RELATION_COUNT, 0, 0 }, ret }, 4 },
        { "no such function", { c, { OP_CALL, 1, 999, 0 }, ret }, 3 },
        { "no such step", { { OP_STEP_TIME, 0, 64, 0 }, ret }, 2 },
        { "no such variable", { { OP_VARIABLE, 0, 0, 0 }, ret }, 2 },
        { "stack underflow", { { OP_LIST, 0, 0, UINT32_MAX }, ret }, 2 },
        { "a jump that does not go forward within its block", { c, { OP_JUMP, 0, 0, 1 }, ret }, 3 },
        { "a jump that does not go forward within its block", { c, { OP_JUMP, 0, 0, 3 }, ret }, 3 },
        { "an instruction that is never reached", { c, { OP_JUMP, 0, 0, 3 }, c, ret }, 4 },
        { "two stack depths", { c, { OP_JUMP_AND, 0, 0, 4 }, c, c, ret }, 5 },
        { "a jump that does not go forward within its block",
          { c, { OP_QUANTIFY, 0, 0, 4 }, c, c, ret }, 5 },
        { "END_BODY without QUANTIFY", { c, { OP_END_BODY, 0, 0, 0 }, ret }, 3 },
        { "a body that takes from outside",
          { c, c, { OP_QUANTIFY, 0, 0, 5 }, { OP_NOT, 0, 0, 0 }, { OP_END_BODY, 0, 0, 0 }, ret }, 6 },
        { "stack out of bounds", { c, c, c, { OP_LIST, 0, 0, 3 }, ret }, 5 },
    };

    (void)state;
    pools_constant(prog.pools, value_int(1));
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct code code = { .insn = row[i].insn, .n = row[i].n, .max_stack = 2 };
        const char *why = NULL;
        if (code_validate(&prog, &code, &why))
            fail_msg("row %zu: %s", i, row[i].why);
        assert_string_equal(why, row[i].why);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(errors, setup, teardown),
        cmocka_unit_test_setup_teardown(warnings, setup, teardown),
        cmocka_unit_test_setup_teardown(code_is_fused_and_folded, setup, teardown),
        cmocka_unit_test_setup_teardown(many_conjuncts, setup, teardown),
        cmocka_unit_test_setup_teardown(every_opcode_is_made_by_something, setup, teardown),
        cmocka_unit_test_setup_teardown(what_a_run_has_bound, setup, teardown),
        cmocka_unit_test_setup_teardown(odd_data_is_counted, setup, teardown),
        cmocka_unit_test_setup_teardown(broken_code_is_refused, setup, teardown),
    };

    return cmocka_run_group_tests_name("expr_compile", tests, NULL, NULL);
}
