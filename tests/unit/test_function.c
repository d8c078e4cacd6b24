// SPDX-License-Identifier: Apache-2.0
/* Arithmetic, the functions of function.def and the aggregates of aggregate.def, at their edges. */
#include <unit/function_fixture.h>
#include <unit/text_fixture.h>

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event/schema.h"
#include "lang/ast.h"
#include "lang/resolve.h"

static struct value operate(enum ast_op o, struct value x, struct value y)
{
    switch (o) {
    case AST_OP_ADD: return operate_add(x, y);
    case AST_OP_SUB: return operate_sub(x, y);
    case AST_OP_MUL: return operate_mul(x, y);
    case AST_OP_DIV: return operate_div(x, y);
    default: return operate_mod(x, y);
    }
}

/* ---- arithmetic -------------------------------------------------------------------------------- */

static void arithmetic(void **state)
{
    const struct value miss = value_missing(), max = value_int(INT64_MAX), min = value_int(INT64_MIN);
    const struct value s30 = value_duration(INT64_C(30000000000)), s60 = value_duration(INT64_C(60000000000));
    const struct value t = value_time(INT64_C(1000000000000)), i0 = value_int(0);
    const struct {
        enum ast_op op;
        struct value x, y, want;
    } row[] = {
        { AST_OP_ADD, value_int(2), value_int(3), value_int(5) },
        { AST_OP_ADD, max, value_int(1), value_double(9223372036854775808.0) },
        { AST_OP_ADD, min, value_int(-1), value_double(-9223372036854775808.0) },
        { AST_OP_ADD, value_int(1), value_double(0.5), value_double(1.5) },
        { AST_OP_ADD, value_double(DBL_MAX), value_double(DBL_MAX), miss },
        { AST_OP_ADD, s30, s30, s60 },
        { AST_OP_ADD, t, s30, value_time(INT64_C(1030000000000)) },
        { AST_OP_ADD, s30, t, value_time(INT64_C(1030000000000)) },
        { AST_OP_ADD, t, t, miss },
        { AST_OP_ADD, s30, value_int(1), miss },
        { AST_OP_ADD, value_bool(true), value_int(1), miss },
        { AST_OP_ADD, value_text("1", 1), value_int(1), miss },
        { AST_OP_ADD, miss, value_int(1), miss },
        { AST_OP_ADD, value_time(INT64_MAX), s30, miss },
        { AST_OP_SUB, min, value_int(1), value_double(-9223372036854775808.0) },
        { AST_OP_SUB, t, value_time(0), value_duration(INT64_C(1000000000000)) },
        { AST_OP_SUB, t, s30, value_time(INT64_C(970000000000)) },
        { AST_OP_SUB, s30, t, miss },
        { AST_OP_SUB, s60, s30, s30 },
        { AST_OP_MUL, max, value_int(2), value_double(18446744073709551616.0) },
        { AST_OP_MUL, min, value_int(-1), value_double(9223372036854775808.0) },
        { AST_OP_MUL, s30, value_int(2), s60 },
        { AST_OP_MUL, value_double(0.5), s60, s30 },
        { AST_OP_MUL, s30, s30, miss },
        { AST_OP_MUL, value_duration(INT64_MAX), value_int(2), miss },
        { AST_OP_DIV, value_int(6), value_int(2), value_int(3) },
        { AST_OP_DIV, value_int(7), value_int(2), value_double(3.5) },
        { AST_OP_DIV, value_int(7), i0, miss },
        { AST_OP_DIV, value_double(7), value_double(0), miss },
        { AST_OP_DIV, min, value_int(-1), value_double(9223372036854775808.0) },
        { AST_OP_DIV, s60, s30, value_int(2) },
        { AST_OP_DIV, s60, value_int(2), s30 },
        { AST_OP_DIV, s60, value_double(2), s30 },
        { AST_OP_DIV, s60, i0, miss },
        { AST_OP_DIV, s60, value_duration(0), miss },
        { AST_OP_DIV, value_duration(INT64_MIN), value_int(-1), miss },
        { AST_OP_DIV, value_int(1), s60, miss },
        { AST_OP_MOD, value_int(7), value_int(-2), value_int(1) },
        { AST_OP_MOD, value_int(-7), value_int(2), value_int(-1) },
        { AST_OP_MOD, min, value_int(-1), i0 },
        { AST_OP_MOD, value_int(7), i0, miss },
        { AST_OP_MOD, value_double(7.5), value_int(2), value_double(1.5) },
        { AST_OP_MOD, s60, s30, miss },
    };

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        is_value(operate(row[i].op, row[i].x, row[i].y), row[i].want, i);
    is_value(operate_neg(min), value_double(9223372036854775808.0), 0);
    is_value(operate_neg(s30), value_duration(INT64_C(-30000000000)), 1);
    is_value(operate_neg(value_double(1.5)), value_double(-1.5), 2);
    is_value(operate_neg(t), miss, 3);
    is_value(operate_neg(value_duration(INT64_MIN)), miss, 4);
    is_value(operate_neg(value_list(NULL, 0)), miss, 5);
}

/* ---- functions --------------------------------------------------------------------------------- */

struct call_row {
    uint32_t function;
    struct value arg[3]; /* up to the first that is NO_ARGUMENT */
    struct value want;
};

static void check_calls(const struct call_row *row, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t args = 0;
        while (args < 3 && row[i].arg[args].spare == 0)
            args++;
        is_value(function_call(&op, row[i].function, row[i].arg, args), row[i].want, i);
    }
}

#define NO_ARGUMENT { .spare = 1 }

static void text_functions(void **state)
{
    const struct value miss = value_missing(), none = NO_ARGUMENT, one = value_int(1);
    const struct value pair[] = { one, text("a") };
    const struct call_row row[] = {
        { FUNCTION_LOWER, { text("AbC"), none }, text("abc") },
        { FUNCTION_LOWER, { text("\xc3\x84\xc8\xba"), none }, text("\xc3\xa4\xe2\xb1\xa5") },
        { FUNCTION_LOWER, { text(""), none }, text("") },
        { FUNCTION_LOWER, { one, none }, miss },
        { FUNCTION_LOWER, { miss, none }, miss },
        { FUNCTION_UPPER, { text("a\xc3\xa4z"), none }, text("A\xc3\x84Z") },
        { FUNCTION_LENGTH, { text("a\xc3\xa4\xf0\x9f\x98\x80"), none }, value_int(3) },
        { FUNCTION_LENGTH, { value_list(pair, 2), none }, value_int(2) },
        { FUNCTION_LENGTH, { value_list(NULL, 0), none }, value_int(0) },
        { FUNCTION_LENGTH, { one, none }, miss },
        { FUNCTION_SUBSTRING, { text("h\xc3\xa4llo"), one, value_int(2) }, text("\xc3\xa4l") },
        { FUNCTION_SUBSTRING, { text("hello"), value_int(-2), none }, text("lo") },
        { FUNCTION_SUBSTRING, { text("hello"), value_int(-9), value_int(2) }, text("he") },
        { FUNCTION_SUBSTRING, { text("hello"), value_int(INT64_MIN), none }, text("hello") },
        { FUNCTION_SUBSTRING, { text("hello"), value_int(9), none }, text("") },
        { FUNCTION_SUBSTRING, { text("hello"), value_double(1), value_int(99) }, text("ello") },
        { FUNCTION_SUBSTRING, { text("hello"), value_double(1.5), none }, miss },
        { FUNCTION_SUBSTRING, { text("hello"), one, value_int(-1) }, miss },
        { FUNCTION_SUBSTRING, { text("hello"), miss, none }, miss },
        { FUNCTION_SUBSTRING, { one, one, none }, miss },
        { FUNCTION_CONCAT, { text("a"), value_double(1.5), value_int(-7) }, text("a1.5-7") },
        { FUNCTION_CONCAT, { text("a"), value_bool(true), none }, text("atrue") },
        { FUNCTION_CONCAT, { text("a"), miss, none }, miss },
        { FUNCTION_CONCAT, { text("a"), value_list(pair, 2), none }, miss },
        { FUNCTION_TRIM, { text(" \t a b\r\n"), none }, text("a b") },
        { FUNCTION_TRIM, { text("  "), none }, text("") },
        { FUNCTION_TRIM, { one, none }, miss },
        { FUNCTION_STRING, { value_duration(INT64_C(5400000000000)), none }, text("1h30m") },
        { FUNCTION_STRING, { value_time(0), none }, text("1970-01-01T00:00:00Z") },
        { FUNCTION_STRING, { value_int(INT64_MIN), none }, text("-9223372036854775808") },
        { FUNCTION_STRING, { text("x"), none }, text("x") },
        { FUNCTION_STRING, { value_list(pair, 2), none }, miss },
        { FUNCTION_STRING, { miss, none }, miss },
    };

    (void)state;
    check_calls(row, sizeof row / sizeof *row);
}

/* Case mapping may lengthen text; the result's memory must bear the worst mix. */
static void lower_of_growing_text(void **state)
{
    struct buf b, want;

    (void)state;
    buf_init(&b);
    buf_init(&want);
    for (int i = 0; i < 3000; i++) {
        buf_adds(&b, i % 3 ? "\xc8\xba" : "A"); /* U+023A lowers to three bytes */
        buf_adds(&want, i % 3 ? "\xe2\xb1\xa5" : "a");
    }
    struct value v = value_text(b.data, b.len);
    is_value(function_call(&op, FUNCTION_LOWER, &v, 1), value_text(want.data, want.len), 0);
    buf_fini(&b);
    buf_fini(&want);
}

static void number_functions(void **state)
{
    const struct value miss = value_missing(), none = NO_ARGUMENT;
    const struct call_row row[] = {
        { FUNCTION_NUMBER, { text("42"), none }, value_int(42) },
        { FUNCTION_NUMBER, { text(" -42\n"), none }, value_int(-42) },
        { FUNCTION_NUMBER, { text("+7"), none }, value_int(7) },
        { FUNCTION_NUMBER, { text("9223372036854775807"), none }, value_int(INT64_MAX) },
        { FUNCTION_NUMBER, { text("9223372036854775808"), none }, value_double(9223372036854775808.0) },
        { FUNCTION_NUMBER, { text("1.5e3"), none }, value_double(1500) },
        { FUNCTION_NUMBER, { text("1e999"), none }, miss },
        { FUNCTION_NUMBER, { text(""), none }, miss },
        { FUNCTION_NUMBER, { text("-"), none }, miss },
        { FUNCTION_NUMBER, { text("1."), none }, miss },
        { FUNCTION_NUMBER, { text("1e"), none }, miss },
        { FUNCTION_NUMBER, { text("0x10"), none }, miss },
        { FUNCTION_NUMBER, { text("nan"), none }, miss },
        { FUNCTION_NUMBER, { text("1 2"), none }, miss },
        { FUNCTION_NUMBER, { text("0000000000000000000000000000000000000000000000000000000000000000000001"), none }, value_int(1) },
        { FUNCTION_NUMBER, { value_bool(true), none }, value_int(1) },
        { FUNCTION_NUMBER, { value_double(2.5), none }, value_double(2.5) },
        { FUNCTION_NUMBER, { value_duration(INT64_C(1500000000)), none }, value_double(1.5) },
        { FUNCTION_NUMBER, { value_time(0), none }, miss },
        { FUNCTION_NUMBER, { miss, none }, miss },
        { FUNCTION_SECONDS, { value_duration(INT64_C(2000000000)), none }, value_int(2) },
        { FUNCTION_SECONDS, { value_int(2), none }, miss },
        { FUNCTION_ABS, { value_int(-2), none }, value_int(2) },
        { FUNCTION_ABS, { value_int(INT64_MIN), none }, value_double(9223372036854775808.0) },
        { FUNCTION_ABS, { value_double(-0.5), none }, value_double(0.5) },
        { FUNCTION_ABS, { value_duration(-5), none }, value_duration(5) },
        { FUNCTION_ABS, { value_time(-5), none }, miss },
        { FUNCTION_ABS, { value_bool(true), none }, miss },
        { FUNCTION_EXISTS, { value_int(1), none }, miss }, /* has an instruction of its own */
    };

    (void)state;
    check_calls(row, sizeof row / sizeof *row);
}

/* ---- coverage ---------------------------------------------------------------------------------- */

/* Is `before` NAME `after` there? */
static bool mentions(const char *text, const char *before, const char *name, const char *after)
{
    char what[100];

    snprintf(what, sizeof what, "%s%s%s", before, name, after);
    return strstr(text, what) != NULL;
}

/* The examples alone: what stands in blocks marked tocsin, which tests/cli/reference.sh runs. */
static char *examples(const char *text)
{
    struct buf b;

    buf_init(&b);
    for (const char *at = strstr(text, "```tocsin\n"); at; at = strstr(at, "```tocsin\n")) {
        const char *end = strstr(at + 3, "```");
        assert_non_null(end);
        buf_add(&b, at, (size_t)(end - at));
        at = end;
    }
    buf_addc(&b, '\0');
    return buf_take(&b);
}

static void each_function_is_described_shown_and_tried(void **state)
{
    char *chapter = text_of("grammar/functions.md");
    char *cases = text_of("tests/golden/cases/functions.t");
    char *shown = examples(chapter);

    (void)state;
    for (uint32_t id = 0; id < function_count(); id++) {
        const char *name = function_name(id);
        if (!mentions(chapter, "\n| `", name, "("))
            fail_msg("grammar/functions.md does not describe %s()", name);
        if (!mentions(shown, " ", name, "(") && !mentions(shown, "(", name, "("))
            fail_msg("grammar/functions.md has no example of %s()", name);
        if (!mentions(cases, "\n=== ", name, "\n") && !mentions(cases, "\n=== ", name, ":"))
            fail_msg("tests/golden/cases/functions.t has no case `%s'", name);
        if (!mentions(cases, " ", name, "(") && !mentions(cases, "(", name, "("))
            fail_msg("tests/golden/cases/functions.t does not call %s()", name);
    }
    free(chapter);
    free(cases);
    free(shown);
}

/* ---- aggregates -------------------------------------------------------------------------------- */

static void check_aggregate(uint32_t id, struct value list, struct value want, size_t row)
{
    is_value(function_aggregate(&op, id, list.u.list, list.len), want, row);
}

static void aggregates_over_nothing(void **state)
{
    const struct value null = value_missing();
    const struct value none[] = { value_list(NULL, 0), value_list(&null, 1) };

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        for (uint32_t id = 0; id < AGGREGATE_COUNT_OF; id++)
            check_aggregate(id, none[i], id == AGGREGATE_COUNT ? value_int(0) : value_missing(), i);
    }
}

static void aggregates(void **state)
{
    const struct value nested[] = { value_int(1), value_int(7) };
    const struct value v[] = { value_int(3), value_missing(), value_int(1), value_text("a", 1),
                               value_list(nested, 2), value_double(3.0) };
    const struct value all = value_list(v, 6);
    const struct value big[] = { value_int(INT64_MAX), value_int(1), value_int(-1) };
    const struct value d[] = { value_duration(10), value_duration(20) };
    const struct value t[] = { text("b"), text("a"), value_int(5), text("c") };
    const struct value order[] = { value_int(3), value_int(1), value_text("a", 1), value_int(7) };
    struct value quarter[10];

    (void)state;
    check_aggregate(AGGREGATE_COUNT, all, value_int(6), 0);
    check_aggregate(AGGREGATE_SUM, all, value_double(15), 1);
    check_aggregate(AGGREGATE_SUM, value_list(v, 5), value_int(12), 2);
    check_aggregate(AGGREGATE_AVG, value_list(v, 5), value_double(3), 3);
    check_aggregate(AGGREGATE_MIN, all, value_int(1), 4);
    check_aggregate(AGGREGATE_MAX, all, value_int(7), 5);
    check_aggregate(AGGREGATE_FIRST, all, value_int(3), 6);
    check_aggregate(AGGREGATE_LAST, all, value_double(3), 7);
    check_aggregate(AGGREGATE_VALUES, all, value_list(order, 4), 8);
    check_aggregate(AGGREGATE_COUNT_DISTINCT, all, value_int(4), 9);
    check_aggregate(AGGREGATE_SUM, value_list(big, 2), value_double(9223372036854775808.0), 10);
    check_aggregate(AGGREGATE_SUM, value_list(big, 3), value_int(INT64_MAX), 11);
    check_aggregate(AGGREGATE_SUM, value_list(d, 2), value_duration(30), 12);
    check_aggregate(AGGREGATE_AVG, value_list(d, 2), value_duration(15), 13);
    check_aggregate(AGGREGATE_MIN, value_list(t, 4), text("a"), 14);
    check_aggregate(AGGREGATE_MAX, value_list(t, 4), text("c"), 15);
    check_aggregate(AGGREGATE_SUM, value_list(t, 2), value_missing(), 16);
    for (size_t i = 0; i < 10; i++)
        quarter[i] = value_double(i ? 0.25 : 1e16);
    check_aggregate(AGGREGATE_SUM, value_list(quarter + 1, 9), value_double(2.25), 17);
    quarter[9] = value_double(-1e16);
    check_aggregate(AGGREGATE_SUM, value_list(quarter, 10), value_double(2), 18);
}

static void many_different_values(void **state)
{
    enum { N = 20000 };
    struct value *v = arena_alloc(a, 2 * N * sizeof *v);

    (void)state;
    for (size_t i = 0; i < 2 * N; i++)
        v[i] = value_int((int64_t)(i % N));
    check_aggregate(AGGREGATE_COUNT_DISTINCT, value_list(v, 2 * N), value_int(N), 0);
    struct value values = function_aggregate(&op, AGGREGATE_VALUES, v, 2 * N);
    assert_int_equal(values.len, N);
    for (size_t i = 0; i < N; i++)
        assert_int_equal(values.u.list[i].u.i, i);
}

/* ---- fields of objects ------------------------------------------------------------------------- */

/* JSON with ' for ". */
static void quote(struct buf *out, const char *s)
{
    buf_init(out);
    for (; *s; s++)
        buf_addc(out, *s == '\'' ? '"' : *s);
}

static struct path_part name_part(const char *name)
{
    return (struct path_part){ .name = name, .len = (uint32_t)strlen(name) };
}

/* path: names divided by `/`, [n] as #n. */
static struct value member(const char *json, const char *path)
{
    struct path_part part[8];
    struct value object = text(json);
    char *copy = arena_strndup(a, path, strlen(path)), *rest = copy, *word;
    uint32_t n = 0;

    object.type = VALUE_OBJECT;
    while ((word = strsep(&rest, "/")))
        part[n++] = *word == '#' ? (struct path_part){ .index = (int32_t)strtol(word + 1, NULL, 10) }
                                 : name_part(word);
    return operate_member(&op, object, part, n);
}

static void members_of_objects(void **state)
{
    static const struct {
        const char *json, *path, *want;
    } row[] = {
        { "{'a':1,'b':'x'}", "b", "'x'" },
        { "{'a':1,'b':'x'}", "c", "null" },
        { "{}", "a", "null" },
        { "{'a':{'b':[1,2.5,true,null,'y',[3],{'c':4}]}}", "a/b", "[1,2.5,true,null,'y',[3],{'c':4}]" },
        { "{'a':{'b':[1,2]}}", "a/b/#-1", "2" },
        { "{'a':{'b':[1,2]}}", "a/b/#2", "null" },
        { "{'a':[]}", "a", "[]" },
        { "{'a.b':1}", "a/b", "1" },
        { "{'a.b':1,'a':{'b':2}}", "a/b", "2" },
        { "{'a.b':1,'a':{'b':null}}", "a/b", "1" },
        { "{'a.b':{'c':7}}", "a/b/c", "7" },
        { "{'a':1,'a':2}", "a", "1" },
        { "{'a':[{'b':1},{'b':[2,3]},{'c':9},4]}", "a/b", "[1,2,3]" },
        { "{'a':[{'c':9}]}", "a/b", "null" },
        { "{'x':'}],\\'{','a':'\\u00e4\\ud83d\\ude00\\n\\/'}", "a", "'\xc3\xa4\xf0\x9f\x98\x80\\n/'" },
        { "{'\\u0061':5}", "a", "5" },
        { "{'a':9223372036854775807}", "a", "9223372036854775807" },
        { "{'a':-9223372036854775809}", "a", "-9.223372036854776e+18" },
        { "{ 'b' : [ 1 , 2 ] , 'a' : 3 }", "a", "3" },
        { "{ 'b' : [ 1 , 2 ] , 'a' : 3 }", "b", "[1,2]" },
        { "{'a':1}", "a/b", "null" },
        { "{'a':{'b':1}}", "#0", "null" },
    };
    struct buf json, want, out;

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        quote(&json, row[i].json);
        quote(&want, row[i].want);
        struct value v = member(json.data, row[i].path);
        buf_init(&out);
        value_add_json(&out, v);
        if (strcmp(out.data, want.data) != 0)
            fail_msg("row %zu: %s of %s: %s", i, row[i].path, json.data, out.data);
        buf_fini(&json);
        buf_fini(&want);
        buf_fini(&out);
    }
}

/* The text was validated, but what is broken must not be read past its end either. */
static void broken_objects_are_not_overrun(void **state)
{
    struct path_part part[] = { name_part("a"), name_part("b") }, d = name_part("d");
    struct buf json;

    (void)state;
    quote(&json, "{'a':[{'b':'\\ud83d\\ude00'},[1,{'c':null}]],'d':'\\\\'}");
    for (size_t len = 1; len <= json.len; len++) {
        struct value object = value_text(arena_memdup(a, json.data, len), len);
        object.type = VALUE_OBJECT;
        operate_member(&op, object, part, 1);
        operate_member(&op, object, part, 2);
        operate_member(&op, object, &d, 1);
    }
    buf_fini(&json);
}

/* ---- long lists -------------------------------------------------------------------------------- */

/* Two long lists are compared by hashing; what they mean stays the same as pair by pair. */
static void long_lists_are_compared_as_short_ones(void **state)
{
    enum { N = 100000 };
    struct value *v = arena_alloc(a, 2 * N * sizeof *v);
    static const char *const word[] = { "A", "B" };

    (void)state;
    for (size_t i = 0; i < 2 * N; i++)
        v[i] = value_int((int64_t)i);
    struct value x = value_list(v, N), y = value_list(v + N, N), z = value_list(v + N - 1, N);
    counters = (struct vm_counters){ 0 };
    assert_false(operate_compare(&op, RELATION_EQ, false, x, y));
    assert_true(operate_compare(&op, RELATION_NE, false, x, y));
    assert_true(operate_compare(&op, RELATION_IN, false, x, z));
    assert_false(operate_compare(&op, RELATION_NOT_IN, false, x, z));
    assert_int_equal(counters.type_clash, 0);
    for (size_t i = 0; i < N; i++)
        v[i] = text(word[i % 2]);
    assert_false(operate_compare(&op, RELATION_NE, false, x, y));
    assert_int_equal(counters.type_clash, 1);
    v[N + 5] = text("b");
    v[N + 6] = value_list(v + N + 10, 3);
    v[N + 7] = value_missing();
    assert_false(operate_compare(&op, RELATION_EQ, false, x, y));
    assert_true(operate_compare(&op, RELATION_EQ, true, x, y));
    assert_true(operate_compare(&op, RELATION_NE, false, x, y));
    assert_false(operate_compare(&op, RELATION_NE, true, x, y));
    assert_int_equal(counters.type_clash, 1);
}

static void names(void **state)
{
    (void)state;
    assert_string_equal(function_name(FUNCTION_LOWER), "lower");
    assert_string_equal(function_name(function_count()), "?");
    assert_string_equal(function_aggregate_name(AGGREGATE_COUNT_DISTINCT), "count_distinct");
    assert_string_equal(function_aggregate_name(function_aggregate_count()), "?");
    assert_string_equal(relation_name(RELATION_NOT_CONTAINS_ALL), "not contains_all");
    for (int r = 0; r < RELATION_COUNT; r++)
        assert_non_null(relation_name((enum relation)r));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(arithmetic, setup, teardown),
        cmocka_unit_test_setup_teardown(text_functions, setup, teardown),
        cmocka_unit_test_setup_teardown(lower_of_growing_text, setup, teardown),
        cmocka_unit_test_setup_teardown(number_functions, setup, teardown),
        cmocka_unit_test(each_function_is_described_shown_and_tried),
        cmocka_unit_test_setup_teardown(aggregates_over_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(aggregates, setup, teardown),
        cmocka_unit_test_setup_teardown(many_different_values, setup, teardown),
        cmocka_unit_test_setup_teardown(members_of_objects, setup, teardown),
        cmocka_unit_test_setup_teardown(broken_objects_are_not_overrun, setup, teardown),
        cmocka_unit_test_setup_teardown(long_lists_are_compared_as_short_ones, setup, teardown),
        cmocka_unit_test_setup_teardown(names, setup, teardown),
    };

    return cmocka_run_group_tests_name("function", tests, NULL, NULL);
}
