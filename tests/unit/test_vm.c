// SPDX-License-Identifier: Apache-2.0
/*
 * vm: what relations, logic and quantifiers mean. Expressions are built by hand over three
 * fields x, y, z; events are decoded from JSON. Each relation is asked four ways - field against
 * field, field against literal, literal against field, literal against literal - with and without
 * the optimiser, and all must agree.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/diag.h"
#include "base/regex.h"
#include "engine/vm.h"
#include "event/event.h"
#include "event/json_decode.h"
#include "event/schema.h"
#include "lang/ast.h"
#include "lang/resolve.h"
#include "plan/code.h"
#include "plan/expr_compile.h"
#include "plan/operate.h"
#include "plan/pools.h"
#include "plan/program.h"

enum { X, Y, Z, N_SLOTS };

static struct arena *a;
static struct diag *diag;
static struct schema *schema;
static struct program prog;
static struct regex_scratch *regex;
static struct vm_counters counters;
static struct vm vm;
static struct ast_list *lists[8];
static uint32_t n_lists;

static int setup(void **state)
{
    static const char *const name[] = { "x", "y", "z" };
    static const struct program_stream stream[] = { { .name = "any" }, { .name = "auth" } };
    uint32_t slot;

    (void)state;
    a = arena_new(0);
    diag = diag_new();
    diag_file_add(diag, "test", "", 0);
    schema = schema_new();
    for (int i = 0; i < N_SLOTS; i++)
        assert_true(schema_slot_text(schema, name[i], &slot) && slot == (uint32_t)i);
    schema_want_texts(schema);
    schema_seal(schema);
    prog = (struct program){ .arena = a, .schema = schema, .pools = pools_new(a), .stream = stream,
                             .n_streams = 2 };
    regex = regex_scratch_new();
    vm = (struct vm){ .prog = &prog, .scratch = a, .regex = regex, .counters = &counters };
    n_lists = 0;
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    regex_scratch_free(&regex);
    pools_free(&prog.pools);
    schema_unref(&schema);
    diag_free(&diag);
    arena_free(&a);
    return 0;
}

/* ---- expressions by hand ----------------------------------------------------------------------- */

static const struct span HERE = { 0, 0, 0 };

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

static struct ast_expr *field(uint32_t slot)
{
    struct ast_expr *expr = path("field", REF_FIELD);

    expr->slot = slot;
    expr->has_slot = true;
    return expr;
}

static struct ast_expr *bin(enum ast_op op, struct ast_expr *x, struct ast_expr *y)
{
    return ast_binary(a, HERE, op, false, x, y);
}

/* A call with up to three arguments. */
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

static struct ast_expr *constant(struct value v)
{
    struct ast_expr *item[16];

    if (v.type != VALUE_LIST)
        return lit(v);
    assert_true(v.len <= 16);
    for (uint32_t i = 0; i < v.len; i++)
        item[i] = constant(v.u.list[i]);
    return ast_list_expr(a, HERE, item, v.len);
}

static struct ast_expr *declared(enum ast_list_kind kind, const char *const *item, uint32_t n)
{
    static const char *const name[] = { "l0", "l1", "l2", "l3", "l4", "l5", "l6", "l7" };
    struct ast_list *list = arena_alloc(a, sizeof *list);
    struct ast_expr *expr = path(name[n_lists], REF_LIST);

    list->name = (struct ast_name){ .text = name[n_lists], .len = 2 };
    list->kind = kind;
    list->n_items = n;
    list->item = arena_alloc(a, (n + 1) * sizeof *list->item);
    for (uint32_t i = 0; i < n; i++)
        list->item[i] = text(item[i]);
    lists[n_lists] = list;
    expr->list = n_lists++;
    return expr;
}

/* ---- running ----------------------------------------------------------------------------------- */

static const struct code *compiled(struct ast_expr *expr, bool optimise)
{
    struct expr_context cx = { prog.pools, diag, optimise, lists, n_lists, NULL };
    const struct code *code = NULL;
    const char *why = NULL;
    struct buf out;

    if (!expr_compile(&cx, expr, &code)) {
        buf_init(&out);
        diag_print(diag, &out);
        fail_msg("%s", out.data);
    }
    if (!code_validate(&prog, code, &why)) {
        buf_init(&out);
        code_print(&out, &prog, code);
        fail_msg("%s:\n%s", why, out.data);
    }
    return code;
}

static struct event *event(const char *json)
{
    struct decoder *de = decoder_new(schema, 1 << 20);
    struct event *ev = arena_alloc(a, sizeof *ev);
    const char *why = "";
    struct value *slot = arena_alloc(a, N_SLOTS * sizeof *slot), texts;

    if (!decoder_run_copy(de, json, strlen(json), ev, &why))
        fail_msg("%s: %s", json, why);
    for (int i = 0; i < N_SLOTS; i++)
        slot[i] = value_copy(ev->slot[i], a);
    texts = value_copy(value_list(ev->texts, ev->n_texts), a);
    ev->slot = slot;
    ev->texts = texts.u.list;
    decoder_free(&de);
    return ev;
}

static struct value run(struct ast_expr *expr, const struct event *ev)
{
    vm.ev = ev;
    struct value fast = vm_eval(&vm, compiled(expr, true));
    struct value slow = vm_eval(&vm, compiled(expr, false));
    if (!value_same(fast, slow) || fast.type != slow.type)
        fail_msg("optimised: %s, not: %s", value_type_name(fast.type), value_type_name(slow.type));
    return fast;
}

static void is_value(struct value v, struct value want)
{
    struct buf b;

    if (v.type == want.type && value_same(v, want))
        return;
    buf_init(&b);
    buf_printf(&b, "want %s ", value_type_name(want.type));
    value_add_json(&b, want);
    buf_printf(&b, ", got %s ", value_type_name(v.type));
    value_add_json(&b, v);
    fail_msg("%s", b.data);
}

/* ---- relations --------------------------------------------------------------------------------- */

enum want { F, T, C /* false, and a type clash is counted */ };

struct row {
    enum ast_op op;
    bool fold;
    const char *x, *y; /* JSON; NULL: the field is not there */
    enum want want;
};

static const struct row ROWS[] = {
    /* equality, missing, clash */
    { AST_OP_EQ, 0, "1", "1", T },
    { AST_OP_EQ, 0, "1", "1.0", T },
    { AST_OP_EQ, 0, "9007199254740993", "9007199254740992.0", F },
    { AST_OP_EQ, 0, "\"a\"", "\"A\"", F },
    { AST_OP_EQ, 1, "\"a\"", "\"A\"", T },
    { AST_OP_EQ, 1, "\"stra\xc3\x9f""e\"", "\"STRA\xe1\xba\x9e""E\"", T },
    { AST_OP_EQ, 1, "5", "5", T },
    { AST_OP_EQ, 0, "true", "true", T },
    { AST_OP_EQ, 0, "\"1\"", "1", C },
    { AST_OP_EQ, 0, "true", "1", C },
    { AST_OP_EQ, 0, NULL, "1", F },
    { AST_OP_EQ, 0, "null", "1", F },
    { AST_OP_EQ, 0, NULL, NULL, F },
    { AST_OP_NE, 0, "1", "2", T },
    { AST_OP_NE, 0, "1", "1.0", F },
    { AST_OP_NE, 0, NULL, "1", F },
    { AST_OP_NE, 0, "1", NULL, F },
    { AST_OP_NE, 0, "\"1\"", "1", C },
    { AST_OP_NE, 1, "\"a\"", "\"A\"", F },
    /* order */
    { AST_OP_LT, 0, "1", "1.5", T },
    { AST_OP_LT, 0, "9223372036854775807", "9223372036854775808.0", T },
    { AST_OP_LE, 0, "2", "2", T },
    { AST_OP_GT, 0, "2", "2", F },
    { AST_OP_GE, 0, "2", "2", T },
    { AST_OP_LT, 0, "\"a\"", "\"b\"", T },
    { AST_OP_LT, 0, "\"Z\"", "\"a\"", T },
    { AST_OP_LT, 0, "\"\xef\xbf\xbd\"", "\"\xf0\x9f\x98\x80\"", T }, /* by code point, not UTF-16 */
    { AST_OP_LT, 0, "\"a\"", "1", C },
    { AST_OP_LT, 0, "false", "true", C },
    { AST_OP_GE, 0, NULL, "1", F },
    /* lists */
    { AST_OP_EQ, 0, "[1,2,3]", "2", T },
    { AST_OP_EQ, 0, "[1,2,3]", "4", F },
    { AST_OP_EQ, 0, "[[1,[2]],3]", "2", T },
    { AST_OP_EQ, 0, "[]", "1", F },
    { AST_OP_EQ, 0, "[\"a\",2]", "2", T },
    { AST_OP_EQ, 0, "[\"a\",\"b\"]", "2", C },
    { AST_OP_EQ, 0, "2", "[1,2]", T },
    { AST_OP_EQ, 0, "[2,5]", "[1,2]", T },
    { AST_OP_NE, 0, "[1,2,3]", "2", F },
    { AST_OP_NE, 0, "[1,2,3]", "4", T },
    { AST_OP_NE, 0, "[[1,[2]],3]", "2", F },
    { AST_OP_NE, 0, "[]", "1", F },
    { AST_OP_NE, 0, "[null]", "1", F },
    { AST_OP_NE, 0, "[null,2]", "1", T },
    { AST_OP_NE, 0, "[\"a\",2]", "1", T },
    { AST_OP_NE, 0, "[\"a\"]", "1", C },
    { AST_OP_LT, 0, "[5,1]", "2", T },
    { AST_OP_LT, 0, "[5,4]", "2", F },
    { AST_OP_LT, 0, "[]", "2", F },
    { AST_OP_LT, 0, "3", "[1,4]", T },
    /* in */
    { AST_OP_IN, 0, "1", "[1,2]", T },
    { AST_OP_IN, 0, "3", "[1,2]", F },
    { AST_OP_IN, 0, "1", "1", T },
    { AST_OP_IN, 0, "\"a\"", "[1,\"a\"]", T },
    { AST_OP_IN, 0, "\"b\"", "[1,\"a\"]", F },
    { AST_OP_IN, 0, "true", "[1,\"a\"]", C },
    { AST_OP_IN, 0, "[7,2]", "[1,2]", T },
    { AST_OP_IN, 0, "1", "[]", F },
    { AST_OP_IN, 0, NULL, "[1]", F },
    { AST_OP_IN, 1, "\"AB\"", "[\"ab\",\"cd\"]", T },
    { AST_OP_IN, 0, "\"AB\"", "[\"ab\",\"cd\"]", F },
    { AST_OP_NOT_IN, 0, "1", "[1,2]", F },
    { AST_OP_NOT_IN, 0, "3", "[1,2]", T },
    { AST_OP_NOT_IN, 0, "3", "[1]", T },
    { AST_OP_NOT_IN, 0, NULL, "[1,2]", F },
    { AST_OP_NOT_IN, 0, "1", "[]", T },
    { AST_OP_NOT_IN, 0, "[]", "[1]", F },
    { AST_OP_NOT_IN, 0, "[3,1]", "[1]", F },
    { AST_OP_NOT_IN, 0, "[3,4]", "[1]", T },
    { AST_OP_NOT_IN, 0, "\"a\"", "[1,2]", C },
    { AST_OP_NOT_IN, 1, "\"AB\"", "[\"ab\",\"x\"]", F },
    /* parts */
    { AST_OP_CONTAINS, 0, "\"hello\"", "\"ell\"", T },
    { AST_OP_CONTAINS, 0, "\"hello\"", "\"ELL\"", F },
    { AST_OP_CONTAINS, 1, "\"hello\"", "\"ELL\"", T },
    { AST_OP_CONTAINS, 0, "\"hello\"", "[\"xx\",\"lo\"]", T },
    { AST_OP_CONTAINS, 0, "\"hello\"", "\"\"", T },
    { AST_OP_CONTAINS, 0, "\"\"", "\"a\"", F },
    { AST_OP_CONTAINS, 0, "5", "\"5\"", C },
    { AST_OP_CONTAINS, 0, NULL, "\"a\"", F },
    { AST_OP_CONTAINS, 0, "[\"ab\",\"cd\"]", "\"d\"", T },
    { AST_OP_CONTAINS, 0, "\"a\"", "[]", F },
    { AST_OP_NOT_CONTAINS, 0, "\"hello\"", "\"ell\"", F },
    { AST_OP_NOT_CONTAINS, 0, "\"hello\"", "\"xx\"", T },
    { AST_OP_NOT_CONTAINS, 0, "[\"ab\",\"cd\"]", "\"d\"", F },
    { AST_OP_NOT_CONTAINS, 0, "[]", "\"d\"", F },
    { AST_OP_NOT_CONTAINS, 0, NULL, "\"d\"", F },
    { AST_OP_NOT_CONTAINS, 0, "5", "\"d\"", C },
    { AST_OP_NOT_CONTAINS, 1, "\"HELLO\"", "[\"x\",\"ell\"]", F },
    { AST_OP_CONTAINS_ALL, 0, "\"hello\"", "[\"he\",\"lo\"]", T },
    { AST_OP_CONTAINS_ALL, 0, "\"hello\"", "[\"he\",\"xx\"]", F },
    { AST_OP_CONTAINS_ALL, 0, "[\"he\",\"lo\"]", "[\"he\",\"lo\"]", F }, /* one text has all */
    { AST_OP_CONTAINS_ALL, 0, "[\"x\",\"hello\"]", "[\"he\",\"lo\"]", T },
    { AST_OP_CONTAINS_ALL, 1, "\"HELLO\"", "[\"he\",\"lo\"]", T },
    { AST_OP_CONTAINS_ALL, 0, "\"hello\"", "\"he\"", T },
    { AST_OP_CONTAINS_ALL, 0, "\"hello\"", "[]", F },
    { AST_OP_CONTAINS_ALL, 0, "1", "[\"a\"]", C },
    { AST_OP_NOT_CONTAINS_ALL, 0, "\"hello\"", "[\"he\",\"xx\"]", T },
    { AST_OP_NOT_CONTAINS_ALL, 0, "\"hello\"", "[\"he\",\"lo\"]", F },
    { AST_OP_NOT_CONTAINS_ALL, 0, NULL, "[\"he\"]", F },
    { AST_OP_STARTSWITH, 0, "\"hello\"", "\"he\"", T },
    { AST_OP_STARTSWITH, 0, "\"he\"", "\"hello\"", F },
    { AST_OP_STARTSWITH, 1, "\"Hello\"", "[\"x\",\"HE\"]", T },
    { AST_OP_NOT_STARTSWITH, 0, "\"hello\"", "\"he\"", F },
    { AST_OP_NOT_STARTSWITH, 0, "\"hello\"", "\"lo\"", T },
    { AST_OP_NOT_STARTSWITH, 0, NULL, "\"lo\"", F },
    { AST_OP_ENDSWITH, 0, "\"hello\"", "\"lo\"", T },
    { AST_OP_ENDSWITH, 0, "\"hello\"", "\"he\"", F },
    { AST_OP_ENDSWITH, 1, "\"HELLO\"", "\"lo\"", T },
    { AST_OP_NOT_ENDSWITH, 0, "\"hello\"", "[\"lo\",\"x\"]", F },
    { AST_OP_NOT_ENDSWITH, 0, "\"hello\"", "[\"y\",\"x\"]", T },
    /* patterns: constant right sides only */
    { AST_OP_LIKE, 0, "\"hello\"", "\"h*o\"", T },
    { AST_OP_LIKE, 0, "\"hello\"", "\"h?o\"", F },
    { AST_OP_LIKE, 0, "\"hello\"", "[\"x*\",\"h*\"]", T },
    { AST_OP_LIKE, 1, "\"HELLO\"", "\"h*\"", T },
    { AST_OP_LIKE, 0, "7", "\"7\"", C },
    { AST_OP_LIKE, 0, NULL, "\"*\"", F },
    { AST_OP_NOT_LIKE, 0, "\"hello\"", "\"x*\"", T },
    { AST_OP_NOT_LIKE, 0, "[\"x\",\"hello\"]", "\"h*\"", F },
    { AST_OP_NOT_LIKE, 0, NULL, "\"h*\"", F },
    { AST_OP_NOT_LIKE, 0, "[]", "\"h*\"", F },
    { AST_OP_REGEX, 0, "\"hello\"", "\"l+o$\"", T },
    { AST_OP_REGEX, 0, "\"hello\"", "\"^x\"", F },
    { AST_OP_REGEX, 0, "\"hello\"", "[\"^x\",\"^h\"]", T },
    { AST_OP_REGEX, 1, "\"HELLO\"", "\"l+o\"", T },
    { AST_OP_REGEX, 0, "[\"x\",\"hello\"]", "\"l+\"", T },
    { AST_OP_REGEX, 0, "1", "\"1\"", C },
    { AST_OP_NOT_REGEX, 0, "\"hello\"", "\"^x\"", T },
    { AST_OP_NOT_REGEX, 0, "\"hello\"", "\"^h\"", F },
    { AST_OP_NOT_REGEX, 0, NULL, "\"^h\"", F },
};

static bool has_pattern(enum ast_op op)
{
    return op >= AST_OP_LIKE && op <= AST_OP_NOT_REGEX;
}

static void check_row(const struct row *row, const char *how, struct ast_expr *x,
                      struct ast_expr *y, const struct event *ev, bool counts)
{
    struct ast_expr *expr = ast_binary(a, HERE, row->op, row->fold, x, y);

    for (int optimise = 0; optimise <= 1; optimise++) {
        const struct code *code = compiled(expr, optimise);
        counters = (struct vm_counters){ 0 };
        vm.ev = ev;
        struct value v = vm_eval(&vm, code);
        bool clash = counters.type_clash == 1 || (!counts && optimise);
        if (v.type != VALUE_BOOL || v.u.b != (row->want == T) || counters.type_clash > 1 ||
            (row->want == C && !clash) || (row->want != C && counters.type_clash))
            fail_msg("row %d, %s, optimise %d: %s op %d %s: got %d, clash %d", (int)(row - ROWS),
                     how, optimise, row->x ? row->x : "-", row->op, row->y ? row->y : "-", v.u.b,
                     (int)counters.type_clash);
    }
}

static void relations(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        const struct row *row = &ROWS[i];
        struct buf json;
        buf_init(&json);
        buf_addc(&json, '{');
        if (row->x)
            buf_printf(&json, "\"x\":%s%s", row->x, row->y ? "," : "");
        if (row->y)
            buf_printf(&json, "\"y\":%s", row->y);
        buf_addc(&json, '}');
        const struct event *ev = event(json.data);
        struct value x = ev->slot[X], y = ev->slot[Y];
        bool pattern = has_pattern(row->op);
        if (!pattern)
            check_row(row, "field field", field(X), field(Y), ev, true);
        if (row->y && !(y.type == VALUE_MISSING))
            check_row(row, "field literal", field(X), constant(y), ev, true);
        if (!pattern && x.type != VALUE_MISSING)
            check_row(row, "literal field", constant(x), field(Y), ev, true);
        if (x.type != VALUE_MISSING && y.type != VALUE_MISSING)
            check_row(row, "literal literal", constant(x), constant(y), ev, false);
        buf_fini(&json);
    }
}

/* x in [y, 5]: a list that holds a field. */
static void list_with_fields(void **state)
{
    struct ast_expr *item[] = { field(Y), num(5) };

    (void)state;
    struct ast_expr *in = bin(AST_OP_IN, field(X), ast_list_expr(a, HERE, item, 2));
    assert_true(operate_truth(run(in, event("{\"x\":1,\"y\":1}"))));
    assert_true(operate_truth(run(in, event("{\"x\":5}"))));
    assert_false(operate_truth(run(in, event("{\"x\":2,\"y\":1}"))));
    assert_true(operate_truth(run(in, event("{\"x\":2,\"y\":[1,2]}"))));
    in->op = AST_OP_NOT_IN;
    assert_true(operate_truth(run(in, event("{\"x\":2}"))));
    assert_false(operate_truth(run(in, event("{\"y\":2}"))));
}

static void declared_lists(void **state)
{
    static const char *const plain[] = { "a", "B" }, *const globs[] = { "adm-*", "root" };
    static const char *const nets[] = { "10.0.0.0/8", "2001:db8::/32" };
    static const char *const patterns[] = { "^a.c$", "x+" };
    struct {
        struct ast_expr *list;
        enum ast_op op;
        bool fold;
        const char *x;
        enum want want;
    } row[] = {
        { declared(AST_LIST_PLAIN, plain, 2), AST_OP_IN, 0, "\"a\"", T },
        { declared(AST_LIST_TEXT, plain, 2), AST_OP_IN, 0, "\"b\"", F },
        { path("l1", REF_LIST), AST_OP_IN, 1, "\"b\"", T },
        { path("l1", REF_LIST), AST_OP_NOT_IN, 0, "\"b\"", T },
        { path("l1", REF_LIST), AST_OP_NOT_IN, 0, "null", F },
        { path("l1", REF_LIST), AST_OP_EQ, 0, "\"B\"", T },
        { path("l1", REF_LIST), AST_OP_NE, 0, "\"B\"", F },
        { path("l1", REF_LIST), AST_OP_CONTAINS, 0, "\"xBx\"", T },
        { path("l1", REF_LIST), AST_OP_STARTSWITH, 1, "\"bx\"", T },
        { path("l1", REF_LIST), AST_OP_IN, 0, "1", C },
        { declared(AST_LIST_CIDR, nets, 2), AST_OP_IN, 0, "\"10.1.2.3\"", T },
        { path("l2", REF_LIST), AST_OP_IN, 0, "\"::ffff:10.1.2.3\"", T },
        { path("l2", REF_LIST), AST_OP_IN, 0, "\"11.1.2.3\"", F },
        { path("l2", REF_LIST), AST_OP_NOT_IN, 0, "\"no address\"", T },
        { path("l2", REF_LIST), AST_OP_NOT_IN, 0, "[\"1.2.3.4\",\"2001:db8::1\"]", F },
        { path("l2", REF_LIST), AST_OP_NOT_IN, 0, "null", F },
        { declared(AST_LIST_LIKE, globs, 2), AST_OP_IN, 0, "\"adm-x\"", T },
        { path("l3", REF_LIST), AST_OP_LIKE, 1, "\"ROOT\"", T },
        { path("l3", REF_LIST), AST_OP_NOT_IN, 0, "\"ROOT\"", T },
        { declared(AST_LIST_REGEX, patterns, 2), AST_OP_IN, 0, "\"abc\"", T },
        { path("l4", REF_LIST), AST_OP_REGEX, 0, "\"xx\"", T },
        { path("l4", REF_LIST), AST_OP_NOT_IN, 0, "\"abd\"", T },
        { declared(AST_LIST_PLAIN, plain, 0), AST_OP_IN, 0, "\"a\"", F },
        { path("l5", REF_LIST), AST_OP_NOT_IN, 0, "\"a\"", T },
    };

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char json[100];
        row[i].list->list = (uint32_t)(row[i].list->part[0].name[1] - '0');
        struct ast_expr *expr = ast_binary(a, HERE, row[i].op, row[i].fold, field(X), row[i].list);
        snprintf(json, sizeof json, "{\"x\":%s}", row[i].x);
        counters = (struct vm_counters){ 0 };
        if (operate_truth(run(expr, event(json))) != (row[i].want == T) ||
            counters.type_clash != (row[i].want == C ? 2 : 0))
            fail_msg("row %zu: %s", i, row[i].x);
    }
}

/* ---- logic ------------------------------------------------------------------------------------- */

static void truth_and_logic(void **state)
{
    const struct event *ev = event("{\"x\":true,\"y\":1}");
    struct ast_expr *t = field(X), *one = field(Y), *gone = field(Z);

    (void)state;
    is_value(run(ast_unary(a, HERE, AST_OP_NOT, t), ev), value_bool(false));
    is_value(run(ast_unary(a, HERE, AST_OP_NOT, one), ev), value_bool(true));
    is_value(run(ast_unary(a, HERE, AST_OP_NOT, gone), ev), value_bool(true));
    is_value(run(bin(AST_OP_AND, t, t), ev), value_bool(true));
    is_value(run(bin(AST_OP_AND, t, one), ev), value_bool(false));
    is_value(run(bin(AST_OP_AND, gone, t), ev), value_bool(false));
    is_value(run(bin(AST_OP_OR, gone, t), ev), value_bool(true));
    is_value(run(bin(AST_OP_OR, one, gone), ev), value_bool(false));
    is_value(run(bin(AST_OP_AND, t, lit(value_bool(true))), ev), value_bool(true));
    is_value(run(bin(AST_OP_AND, one, lit(value_bool(true))), ev), value_bool(false));
    is_value(run(bin(AST_OP_OR, t, lit(value_bool(false))), ev), value_bool(true));
    is_value(run(bin(AST_OP_DEFAULT, gone, one), ev), value_int(1));
    is_value(run(bin(AST_OP_DEFAULT, one, num(7)), ev), value_int(1));
    is_value(run(bin(AST_OP_DEFAULT, bin(AST_OP_DEFAULT, gone, gone), num(7)), ev), value_int(7));
    is_value(run(call(FUNCTION_IF, t, one, num(2)), ev), value_int(1));
    is_value(run(call(FUNCTION_IF, one, num(1), gone), ev), value_missing());
    is_value(run(call(FUNCTION_EXISTS, one, NULL, NULL), ev), value_bool(true));
    is_value(run(call(FUNCTION_EXISTS, gone, NULL, NULL), ev), value_bool(false));
    is_value(run(call(FUNCTION_EXISTS, field(X), NULL, NULL), event("{\"x\":[]}")), value_bool(true));
    assert_false(vm_test(&vm, compiled(one, true)));
}

static struct ast_expr *variable(uint32_t depth)
{
    struct ast_expr *expr = path("v", REF_VARIABLE);

    expr->variable = depth;
    return expr;
}

static void quantifiers(void **state)
{
    struct ast_name v = { .text = "v", .len = 1 };
    struct ast_expr *big = bin(AST_OP_GT, variable(0), field(Y));
    struct ast_expr *any = ast_quantified(a, HERE, false, v, field(X), big);
    struct ast_expr *all = ast_quantified(a, HERE, true, v, field(X), big);
    static const struct {
        const char *json;
        bool any, all;
    } row[] = {
        { "{\"x\":[1,5],\"y\":3}", true, false }, { "{\"x\":[4,5],\"y\":3}", true, true },
        { "{\"x\":[1,2],\"y\":3}", false, false }, { "{\"x\":[],\"y\":3}", false, true },
        { "{\"y\":3}", false, false }, { "{\"x\":5,\"y\":3}", true, true },
        { "{\"x\":[5,null],\"y\":3}", true, false },
    };

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        is_value(run(any, event(row[i].json)), value_bool(row[i].any));
        is_value(run(all, event(row[i].json)), value_bool(row[i].all));
    }
    /* any(v in x: all(w in z: w + v > 10 and w < v)) beside other operands */
    struct ast_expr *sum = bin(AST_OP_GT, bin(AST_OP_ADD, variable(0), variable(1)), num(10));
    struct ast_expr *inner = ast_quantified(a, HERE, true, v, field(Z),
                                            bin(AST_OP_AND, sum, bin(AST_OP_LT, variable(0), variable(1))));
    struct ast_expr *outer = ast_quantified(a, HERE, false, v, field(X), inner);
    struct ast_expr *whole = bin(AST_OP_EQ, field(Y), call(FUNCTION_IF, outer, num(1), num(0)));
    is_value(run(whole, event("{\"x\":[1,9],\"z\":[2,3],\"y\":1}")), value_bool(true));
    is_value(run(whole, event("{\"x\":[1,9],\"z\":[2,10],\"y\":0}")), value_bool(true));
}

static void any_field(void **state)
{
    struct ast_expr *any = path("any_field", REF_ANY_FIELD);
    const struct event *ev = event("{\"x\":\"abc\",\"q\":{\"r\":[\"def\"]},\"y\":1}");

    (void)state;
    is_value(run(bin(AST_OP_CONTAINS, any, text("ef")), ev), value_bool(true));
    is_value(run(bin(AST_OP_CONTAINS, any, text("zz")), ev), value_bool(false));
    is_value(run(bin(AST_OP_NOT_CONTAINS, any, text("ef")), ev), value_bool(false));
    is_value(run(bin(AST_OP_EQ, any, text("abc")), ev), value_bool(true));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(relations, setup, teardown),
        cmocka_unit_test_setup_teardown(list_with_fields, setup, teardown),
        cmocka_unit_test_setup_teardown(declared_lists, setup, teardown),
        cmocka_unit_test_setup_teardown(truth_and_logic, setup, teardown),
        cmocka_unit_test_setup_teardown(quantifiers, setup, teardown),
        cmocka_unit_test_setup_teardown(any_field, setup, teardown),
    };

    return cmocka_run_group_tests_name("vm", tests, NULL, NULL);
}
