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

#include "event/row_table.h"
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
        cmocka_unit_test(csv_is_read),
        cmocka_unit_test(json_lines_are_read),
        cmocka_unit_test(mistakes_are_told_with_their_line),
        cmocka_unit_test(rows_go_when_their_time_is_over),
        cmocka_unit_test(damaged_snapshots_do_no_harm),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
