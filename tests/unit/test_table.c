// SPDX-License-Identifier: Apache-2.0
/*
 * Tables: rows by key, files of CSV and of JSON lines, what is wrong with them, tables of test blocks,
 * and the rows that events bring (golden/cases/tables.t has what rules make of them).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/table.h"
#include "event/row_form.h"
#include "event/row_table.h"
#include "event/schema.h"
#include "lang/table_upload.h"
#include <unit/engine_fixture.h>

static char folder[] = "/tmp/tocsin_table_XXXXXX";

static void write_file(const char *name, const char *text, size_t len)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, len, f), len);
    fclose(f);
}

/* All that the compiler says of the rules, which stand in the folder. */
static struct program *compile(const char *rules, struct buf *said)
{
    char name[200];
    snprintf(name, sizeof name, "%s/r.rule", folder);
    struct program_source_text text = {.name = name, .text = rules, .len = strlen(rules)};
    struct program_options opt = {0};
    struct diag *diag = diag_new();
    struct program *prog = program_compile(&text, 1, &opt, diag);
    buf_init(said);
    diag_print(diag, said);
    diag_free(&diag);
    return prog;
}

/* ---- rows ---------------------------------------------------------------------------------- */

static void rows_are_found_by_key(void **state)
{
    struct row_table *t = row_table_new(1);
    uint32_t row;
    (void)state;
    for (int i = 0; i < 100000; i++) {
        struct value v = value_int(i * 7);
        assert_true(row_table_add(t, v, &v, &row));
    }
    assert_int_equal(row_table_count(t), 100000);
    for (int i = 0; i < 700000; i++) {
        bool found = row_table_find(t, value_int(i), &row);
        assert_int_equal(found, i % 7 == 0);
        if (found)
            assert_int_equal(row_table_get(t, row, 0).u.i, i);
    }
    assert_true(row_table_find(t, value_double(14.0), &row)); /* by value */
    assert_false(row_table_find(t, value_text("14", 2), &row));
    assert_false(row_table_find(t, value_missing(), &row));
    assert_false(row_table_add(t, value_int(7), &(struct value){0}, &row));
    assert_int_equal(row, 1);
    struct row_table *other = row_table_ref(t);
    row_table_unref(&t);
    assert_int_equal(row_table_count(other), 100000);
    row_table_unref(&other);
}

/* Against an array of what each key has; 0: no row. */
static void check_rows(const struct row_table *t, const int *want, int n_keys)
{
    uint32_t n = 0, row, texts = 0;
    for (int k = 0; k < n_keys; k++) {
        bool found = row_table_find(t, value_int(k), &row);
        assert_int_equal(found, want[k] != 0);
        if (!found)
            continue;
        n++;
        assert_int_equal(row_table_get(t, row, 0).u.i, want[k]);
        struct value text = row_table_get(t, row, 1);
        texts += text.type == VALUE_TEXT;
        char copy[40] = "";
        if (text.type == VALUE_TEXT)
            memcpy(copy, text.u.text, text.len);
        assert_int_equal(strtol(copy, NULL, 10), want[k] % 3 == 0 ? 0 : want[k]);
    }
    assert_int_equal(row_table_count(t), n);
    for (uint32_t r = 0; r < n; r++)
        assert_true(row_table_find(t, row_table_key(t, r), &row) && row == r);
    assert_int_equal(row_table_types(t, 0, VALUE_INT), n);
    assert_int_equal(row_table_types(t, 1, VALUE_TEXT), texts);
    assert_int_equal(row_table_types(t, 1, VALUE_MISSING), n - texts);
}

/* Copies of copies, each checked when others were changed: what is shared stays as it was. */
static void copies_share_and_differ(void **state)
{
    enum { KEYS = 9000, COPIES = 12 };
    static int want[COPIES][KEYS];
    struct row_table *t[COPIES];
    unsigned seed = 7;
    (void)state;
    t[0] = row_table_new(2);
    for (int c = 0; c < COPIES; c++) {
        if (c > 0) {
            int from = (int)(seed >> 8) % c;
            t[c] = row_table_copy(t[from]);
            memcpy(want[c], want[from], sizeof want[c]);
        }
        int edits = c == 0 ? 6000 : c % 3 == 0 ? 20000 : 40;
        for (int i = 0; i < edits; i++) {
            seed = seed * 1103515245 + 12345;
            int key = (int)(seed >> 8) % KEYS, value = (int)(seed >> 16) % 30000 + 1;
            char text[20];
            int len = snprintf(text, sizeof text, "%d", value);
            struct value column[2] = {value_int(value), value % 3 == 0 ? value_missing()
                                                                       : value_text(text, (size_t)len)};
            uint32_t row;
            if (seed >> 30 == 0) {
                assert_int_equal(row_table_remove(t[c], value_int(key)), want[c][key] != 0);
                want[c][key] = 0;
            } else {
                assert_int_equal(row_table_put(t[c], value_int(key), column, &row), want[c][key] == 0);
                want[c][key] = value;
            }
        }
        row_table_seal(t[c]);
    }
    for (int c = 0; c < COPIES; c++)
        check_rows(t[c], want[c], KEYS);
    for (int c = 0; c < COPIES; c += 2)
        row_table_unref(&t[c]);
    for (int c = 1; c < COPIES; c += 2) {
        check_rows(t[c], want[c], KEYS);
        for (int k = 0; k < KEYS; k++)
            assert_int_equal(row_table_remove(t[c], value_int(k)), want[c][k] != 0);
        assert_int_equal(row_table_count(t[c]), 0);
        row_table_unref(&t[c]);
    }
}

/* Of rows that are put again and again nothing is left behind for long. */
static void what_was_replaced_gives_its_memory_back(void **state)
{
    struct row_table *t = row_table_new(1);
    static char text[20000];
    uint32_t row;
    (void)state;
    memset(text, 'x', sizeof text);
    for (int i = 0; i < 2000; i++) {
        struct row_table *next = row_table_copy(t);
        struct value v = value_text(text, sizeof text);
        row_table_put(next, value_int(i % 10), &v, &row);
        row_table_unref(&t);
        t = next;
    }
    assert_true(row_table_bytes(t) < 8 << 20);
    row_table_unref(&t);
}

/* ---- files --------------------------------------------------------------------------------- */

/* What the rule emits for each of the keys, one a line. */
static void emitted(const char *rules, const char *const *key, size_t n, const char *want)
{
    struct buf said, got;
    struct program *prog = compile(rules, &said);
    struct fixture fx;
    char json[200];
    if (prog == NULL)
        fail_msg("%s", said.data);
    buf_init(&got);
    fixture_open_program(&fx, prog);
    for (size_t i = 0; i < n; i++) {
        snprintf(json, sizeof json, "{\"k\":%s}", key[i]);
        fixture_feed(&fx, (int64_t)i, "s", json);
    }
    for (size_t i = 0; i < fx.out.n; i++) {
        const char *fields = strstr(fx.out.alert[i].json, "\"fields\":");
        const char *end = strstr(fields, ",\"events\"");
        buf_add(&got, fields + 9, (size_t)(end - fields) - 9);
        buf_addc(&got, '\n');
    }
    assert_string_equal(got.len > 0 ? got.data : "", want);
    buf_fini(&got);
    buf_fini(&said);
    fixture_close(&fx);
}

static const char *const keys[] = {"\"a\"", "\"b c\"", "\"d\"", "\"nope\"", "1", "[\"a\"]"};

static void csv_is_read(void **state)
{
    static const char csv[] = "\xef\xbb\xbfhost,tier,\"no\"\"te\",code,x.y\r\n"
                              "a,1,\"p,q\",007,1.5\r\n"
                              "\r\n"
                              "\"b c\",-2e1,\"two\nlines\",8,\n"
                              "d,,,9,0";
    (void)state;
    write_file("t.csv", csv, sizeof csv - 1);
    emitted("table t = file \"t.csv\" key host\n"
            "rule r { match { a: s where k in t } emit { tier = t[k].tier  note = t[k].`no\"te`  code = "
            "t[k].code  y = t[k].x.y  key = t[k].host  more = t[k].tier + 1 } }",
            keys, 6,
            "{\"tier\":1,\"note\":\"p,q\",\"code\":\"007\",\"y\":1.5,\"key\":\"a\",\"more\":2}\n"
            "{\"tier\":-20,\"note\":\"two\\nlines\",\"code\":\"8\",\"y\":null,\"key\":\"b c\",\"more\":-19}\n"
            "{\"tier\":null,\"note\":null,\"code\":\"9\",\"y\":0,\"key\":\"d\",\"more\":null}\n"
            "{\"tier\":null,\"note\":null,\"code\":null,\"y\":null,\"key\":null,\"more\":null}\n");
    write_file("n.csv", "id,v\n1,x\n2.0,y\n", 15);
    static const char *const numbers[] = {"1", "2", "\"1\"", "[3,2]"};
    emitted("table t = file \"n.csv\" key id\n"
            "rule r { match { a: s where k in t } emit { v = t[k].v } }",
            numbers, 4, "{\"v\":\"x\"}\n{\"v\":\"y\"}\n{\"v\":null}\n");
}

static void json_lines_are_read(void **state)
{
    static const char json[] = "{\"host\":\"a\",\"o\":{\"p\":[1,\"x\"]},\"b\":true}\n\n"
                               "  {\"host\":\"d\",\"o.p\":2.5}\r\n"
                               "{\"host\":1,\"o\":null}";
    (void)state;
    write_file("t.ndjson", json, sizeof json - 1);
    emitted("table t = file \"t.ndjson\" key host\n"
            "rule r { match { a: s where k in t } emit { p = t[k].o.p  first = t[k].o.p[0]  b = t[k].b  "
            "one = t[1].host } }",
            keys, 6,
            "{\"p\":[1,\"x\"],\"first\":1,\"b\":true,\"one\":1}\n"
            "{\"p\":2.5,\"first\":null,\"b\":null,\"one\":1}\n"
            "{\"p\":null,\"first\":null,\"b\":null,\"one\":1}\n"
            "{\"p\":null,\"first\":null,\"b\":null,\"one\":1}\n");
}

/* ---- rows that are given in place of a file's ------------------------------------------------- */

/* Gives the rows of these lines to `t`; "-": they do not fit. */
static bool give(void *ctx, const char *table, const struct row_form *form, struct row_given *given_out,
                 struct buf *why)
{
    static const struct path_part extra = {.name = "extra", .len = 5};
    static uint32_t at[8];
    struct row_path column[9] = {{"extra", &extra, 1}};
    struct table_mistakes mistakes = {.n = 0};
    const char *text = ctx;

    if (strcmp(table, "t") != 0)
        return false;
    if (strcmp(text, "-") == 0) {
        buf_adds(why, "too old");
        return false;
    }
    for (uint32_t i = 0; i < form->n_columns; i++) { /* the other way round, behind one that nobody reads */
        column[form->n_columns - i] = form->column[i];
        at[i] = form->n_columns - i;
    }
    struct row_form other = {.key = form->key, .column = column, .n_columns = form->n_columns + 1};
    struct table_reader *rd = table_reader_new(&other, NULL, &mistakes);
    table_reader_lines(rd, text, strlen(text));
    *given_out = (struct row_given){.rows = table_reader_end(&rd, NULL), .at = at, .id = {1}};
    assert_non_null(given_out->rows);
    table_mistakes_fini(&mistakes);
    return true;
}

static struct program *compile_given(const char *rules, const char *lines, struct buf *said)
{
    char name[200];
    snprintf(name, sizeof name, "%s/r.rule", folder);
    struct program_source_text text = {.name = name, .text = rules, .len = strlen(rules)};
    struct program_options opt = {.rows = give, .rows_ctx = (void *)(uintptr_t)lines};
    struct diag *diag = diag_new();
    struct program *prog = program_compile(&text, 1, &opt, diag);
    buf_init(said);
    diag_print(diag, said);
    diag_free(&diag);
    return prog;
}

static void given_rows_stand_for_a_file(void **state)
{
    static const char rules[] =
        "table t = file \"absent.csv\" key k\ntable other = file \"n.csv\" key id\n"
        "rule r { match { a: s where k in t and k not in other } emit { x = t[k].x  y = t[k].o.y }\n"
        "  test \"with its own\" { table t = [{\"k\": 5, \"x\": 7}]  0s s {\"k\": 5}  expect alert {\"x\": 7} } }";
    static const struct {
        const char *where, *lines, *want;
    } cases[] = {
        {"t[k].x > 2", "{\"k\":1,\"x\":\"text\"}", "error: this comparison can never be true"},
        {"t[k].x > 2", "{\"k\":1,\"x\":\"text\"}\n{\"k\":2,\"x\":3}", ""},
        {"t[k].x > 2", "{\"k\":1}", "error: no row of `t` has `x`"},
        {"t[k].x > 2", "", ""},
        {"lower(t[k].x) == \"a\"", "{\"k\":1,\"x\":2}", "error: "},
        {"t[k].x > 2", "-", "error: the rows that were uploaded to `t` do not fit: too old"},
    };
    struct buf said;
    char text[300];
    (void)state;

    write_file("n.csv", "id,v\n9,x\n", 9);
    struct program *prog = compile_given(
        rules, "{\"k\":1,\"x\":\"one\",\"o\":{\"y\":true},\"extra\":3}\n{\"k\":9,\"x\":\"nine\"}\n", &said);
    if (prog == NULL)
        fail_msg("%s", said.data);
    struct value key = value_int(1);
    assert_true(prog->table[0].is_given && !prog->table[1].is_given);
    assert_string_equal(prog->table[0].path, "absent.csv");
    assert_string_equal(prog->table[0].key_name, "k");
    assert_int_equal(table_get(NULL, &prog->table[0], 0, key, 0).len, 3);
    assert_int_equal(table_get(NULL, &prog->table[0], 0, key, 1).type, VALUE_BOOL);
    assert_int_equal(prog->n_tests, 1);
    assert_null(prog->test[0].program->table[0].at); /* rows of its own, in their own order */
    program_unref(&prog);
    buf_fini(&said);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        snprintf(text, sizeof text, "table t = file \"absent.csv\" key k\nrule r { match { a: s where %s } }",
                 cases[i].where);
        prog = compile_given(text, cases[i].lines, &said);
        const char *got = said.len > 0 ? said.data : "";
        if ((prog == NULL) != (*cases[i].want != '\0') || strstr(got, cases[i].want) == NULL)
            fail_msg("%s of %s: wanted: %s, got: %s", cases[i].where, cases[i].lines, cases[i].want, got);
        if (prog != NULL)
            program_unref(&prog);
        buf_fini(&said);
    }
}

static void mistakes_are_told_with_their_line(void **state)
{
    static const struct {
        const char *name, *text, *column, *want;
    } cases[] = {
        {"a.csv", "host,tier\na,1\nb\n", "tier", "a.csv:3: 1 field, the header has 2"},
        {"b.csv", "host,tier\na,1\n\nb,2\na,3\n", "tier",
         "b.csv:5: the key `a` is there already, in line 2"},
        {"c.csv", "host,tier\na,1\n,2\n", "tier", "c.csv:3: the key is missing"},
        {"d.csv", "host,tier\n\"a,1\n", "tier", "d.csv:2: a quoted field does not end"},
        {"e.csv", "host,tier\n\"a\"x,1\n", "tier", "e.csv:2: behind the quotes of a field stands"},
        {"f.csv", "host,teir\na,1\n", "tier", "f.csv:1: there is no column `tier`: did you mean `teir`?"},
        {"g.csv", "hst,a,b\n", "a", "g.csv:1: there is no column `host`: did you mean `hst`?"},
        {"h.csv", "x,tier\na,1\n", "tier", "h.csv:1: there is no column `host`; columns are `x`, `tier`"},
        {"i.csv", "host,tier,host\na,1,b\n", "tier", "i.csv:1: the column `host` is there twice"},
        {"j.csv", "", "tier", "j.csv:1: there is no header line"},
        {"k.csv", "host,tier\n\xff,1\n", "tier", "not UTF-8"},
        {"l.csv", "host,tier\na,\n", "tier", "warning: no row of `t` has `tier`"},
        {"a.ndjson", "{\"host\":1}\n{\"host\":2,}\n", "x", "a.ndjson:2: "},
        {"b.ndjson", "{\"host\":1}\n\n{\"host\":1.0}\n", "x",
         "b.ndjson:3: the key `1` is there already, in line 1"},
        {"c.ndjson", "{\"host\":[1]}\n", "x", "c.ndjson:1: the key is no single value"},
        {"d.ndjson", "{\"h\":[1]}\n", "x", "d.ndjson:1: the key is missing"},
        {"e.txt", "", "x", "error: `e.txt` is no file of a table"},
        {"none.csv", NULL, "x", "none.csv`: No such file or directory"},
    };
    char rules[300];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct buf said;
        if (cases[i].text != NULL)
            write_file(cases[i].name, cases[i].text, strlen(cases[i].text));
        snprintf(rules, sizeof rules,
                 "table t = file \"%s\" key host\nrule r { match { a: s where t[k].%s == 1 } }",
                 cases[i].name, cases[i].column);
        struct program *prog = compile(rules, &said);
        if (said.data == NULL || strstr(said.data, cases[i].want) == NULL)
            fail_msg("%s: wanted: %s\ngot: %s", cases[i].name, cases[i].want,
                     said.data != NULL ? said.data : "nothing");
        if (prog != NULL)
            program_unref(&prog);
        buf_fini(&said);
    }
}

/* ---- rows that events bring ---------------------------------------------------------------- */

static void rows_go_when_their_time_is_over(void **state)
{
    struct fixture fx;
    uint64_t rows, bytes, refused;
    char json[64];
    (void)state;
    fixture_open(&fx, "table t = from b key k keep 10s\nrule r { match { a: s where k in t } emit { v = t[k].v } }");
    for (int i = 0; i < 1000; i++) {
        snprintf(json, sizeof json, "{\"k\":%d,\"v\":\"text %d\"}", i % 100, i);
        fixture_feed_ns(&fx, i * (SECOND / 100), "b", json);
    }
    fixture_feed(&fx, 10, "b", "{\"v\":1}");
    engine_table_stats(fx.en, 0, &rows, &bytes, &refused);
    assert_int_equal(rows, 100);
    assert_true(bytes > 100 * 100 && bytes < 100 * 400);
    assert_int_equal(refused, 1);
    fixture_restart(&fx);
    engine_table_stats(fx.en, 0, &rows, &bytes, &refused);
    assert_int_equal(rows, 100);
    assert_int_equal(refused, 1);
    fixture_feed(&fx, 15, "s", "{\"k\":42}");
    assert_int_equal(fx.out.n, 1);
    assert_non_null(strstr(fx.out.alert[0].json, "text 942"));
    fixture_advance(&fx, 30);
    engine_table_stats(fx.en, 0, &rows, &bytes, &refused);
    assert_int_equal(rows, 0);
    assert_true(bytes < 100 * 40);
    fixture_close(&fx);
}

/* Whatever the bytes are: a restored engine runs, or they are refused. */
static void damaged_snapshots_do_no_harm(void **state)
{
    struct fixture fx;
    struct buf bytes;
    char json[64];
    const char *why;
    (void)state;
    fixture_open(&fx, "table t = from b key k keep 10s\n"
                      "table u = from r key x\n"
                      "exception \"e\" for r where k == 3\n"
                      "rule r { match by k { a: s where k in t } emit { v = t[k].v  x = k } }\n"
                      "rule q { match within 5s { a: r b: s where u[b1].v == a.v } }");
    for (int i = 0; i < 12; i++) {
        snprintf(json, sizeof json, "{\"k\":%d,\"v\":[\"text\",%d]}", i % 5, i);
        fixture_feed(&fx, i, "b", json);
        fixture_feed(&fx, i, "s", json);
    }
    buf_init(&bytes);
    engine_snapshot(fx.en, &bytes);
    for (size_t i = 0; i < bytes.len * 2; i++) {
        size_t at = i / 2;
        char was = bytes.data[at];
        bytes.data[at] = (char)(i % 2 != 0 ? was ^ 1 << (at & 7) : 0xff);
        struct engine *en = engine_new(fx.prog);
        struct alert_list out;
        alert_list_init(&out);
        if (engine_restore(en, bytes.data, bytes.len, &why))
            engine_advance(en, INT64_MAX, &out);
        alert_list_fini(&out);
        engine_free(&en);
        en = engine_new(fx.prog);
        assert_false(engine_restore(en, bytes.data, at, &why));
        engine_free(&en);
        bytes.data[at] = was;
    }
    buf_fini(&bytes);
    fixture_close(&fx);
}

static int remove_folder(void **state)
{
    char command[100];
    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) == NULL;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_found_by_key),
        cmocka_unit_test(copies_share_and_differ),
        cmocka_unit_test(what_was_replaced_gives_its_memory_back),
        cmocka_unit_test(csv_is_read),
        cmocka_unit_test(json_lines_are_read),
        cmocka_unit_test(given_rows_stand_for_a_file),
        cmocka_unit_test(mistakes_are_told_with_their_line),
        cmocka_unit_test(rows_go_when_their_time_is_over),
        cmocka_unit_test(damaged_snapshots_do_no_harm),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
