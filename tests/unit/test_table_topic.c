/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that the records of a topic bring: which row, what is seen of it, what is no row, and all of it restored. */
#include "engine/table.h"

#include <unit/engine_fixture.h>

static const char rules[] = "table t = kafka { topic \"x\"  brokers \"h:1\" } key id\n"
                            "rule r { match { a: s where k in t and t[k].v != \"\" } }\n";

static const struct origin partition[2][2] = {
    {{.source = "table t", .partition = "x/0"}, {.source = "table t", .partition = "x/0", .generation = 1}},
    {{.source = "table t", .partition = "x/1"}, {.source = "table t", .partition = "x/1", .generation = 1}}};

/* A record, as the source makes a line of it. False: it is no row. */
static bool put_in(struct fixture *fx, int number, int generation, int64_t time, const char *id, const char *value)
{
    struct origin origin = partition[number][generation];
    struct event ev = {.origin = &origin, .offset = fx->offset++, .time = time * SECOND};
    const char *reason;
    struct buf line, why;

    origin.source_id = program_source(fx->prog, origin.source);
    buf_init(&line);
    buf_adds(&line, "{\"@row\":{");
    if (id != NULL)
        buf_printf(&line, "\"id\":\"t%s\",", id);
    buf_printf(&line, "%s\"partition\":%d}%s%s", value == NULL ? "\"deleted\":true," : "", number,
               value != NULL && value[1] != '}' ? "," : "", value != NULL ? value + 1 : "}");
    size_t len = line.len;
    buf_reserve(&line, decoder_padding());
    assert_true(decoder_run(fx->decoder, line.data, len, &ev, &reason));
    engine_probe(fx->prog, fx->probe, &ev);
    assert_int_equal(ev.n_fits, 1);
    buf_init(&why);
    bool is_row = engine_probe_row(fx->prog, fx->probe, &ev, &why);
    assert_int_equal(is_row, why.len == 0);
    if (is_row)
        engine_feed_row(fx->en, &ev);
    buf_fini(&line);
    buf_fini(&why);
    return is_row;
}

static bool put(struct fixture *fx, int64_t time, const char *id, const char *value)
{
    return put_in(fx, 0, 0, time, id, value);
}

static uint64_t rows(const struct fixture *fx)
{
    uint64_t n, bytes, refused;

    engine_table_stats(fx->en, 0, &n, &bytes, &refused);
    assert_int_equal(refused, 0);
    return n;
}

/* What an event sees: which key it asked for is in an alert, if it sees anything. */
static void sees(struct fixture *fx, int64_t time, const char *key, bool want)
{
    struct origin origin = {.source = "s", .partition = "p", .source_id = program_source(fx->prog, "s")};
    struct event ev = {.origin = &origin, .offset = fx->offset++, .time = time * SECOND};
    const char *reason;
    struct buf line;
    size_t before = fx->out.n;

    buf_init(&line);
    buf_printf(&line, "{\"k\":%s}", key);
    size_t len = line.len;
    buf_reserve(&line, decoder_padding());
    assert_true(decoder_run(fx->decoder, line.data, len, &ev, &reason));
    engine_probe(fx->prog, fx->probe, &ev);
    engine_feed(fx->en, &ev, &fx->out);
    buf_fini(&line);
    assert_int_equal(fx->out.n - before, want);
}

/* The same engine again, from its snapshot. */
static void restart(struct fixture *fx)
{
    struct buf saved;
    const char *why;

    buf_init(&saved);
    engine_snapshot(fx->en, &saved);
    engine_free(&fx->en);
    fx->en = engine_new(fx->prog);
    if (!engine_restore(fx->en, saved.data, saved.len, &why))
        fail_msg("%s", why);
    buf_fini(&saved);
}

static void a_record_key_is_a_row(void **state)
{
    struct fixture fx;

    (void)state;
    fixture_open(&fx, rules);
    assert_true(put(&fx, 1, "a", "{\"id\":1,\"v\":\"x\"}"));
    assert_true(put(&fx, 2, "b", "{\"id\":\"1\",\"v\":\"x\"}"));
    assert_true(put(&fx, 3, "a", "{\"id\":2,\"v\":\"x\"}")); /* the row is found elsewhere now */
    assert_int_equal(rows(&fx), 2);
    sees(&fx, 10, "1", false);
    sees(&fx, 10, "\"1\"", true);
    sees(&fx, 10, "2", true);
    sees(&fx, 10, "2.0", true);
    restart(&fx);
    assert_true(put(&fx, 11, "a", NULL));
    assert_true(put(&fx, 11, "nobody", NULL));
    assert_int_equal(rows(&fx), 1);
    sees(&fx, 12, "2", false);
    fixture_close(&fx);
}

/* Of rows that are found by one key the last written is seen; below it are the others, also after a restart. */
static void rows_of_one_key_lie_on_each_other(void **state)
{
    struct fixture fx;
    char id[16];

    (void)state;
    fixture_open(&fx, rules);
    for (int i = 0; i < 5; i++) {
        snprintf(id, sizeof id, "r%d", i);
        assert_true(put(&fx, i, id, i % 2 ? "{\"id\":7,\"v\":\"x\"}" : "{\"id\":7,\"v\":\"\"}"));
    }
    sees(&fx, 10, "7", false); /* r4 */
    restart(&fx);
    sees(&fx, 10, "7", false);
    assert_true(put(&fx, 11, "r4", NULL));
    sees(&fx, 12, "7", true); /* r3 */
    assert_true(put(&fx, 13, "r2", NULL)); /* from within */
    restart(&fx);
    assert_true(put(&fx, 13, "r3", NULL));
    sees(&fx, 14, "7", true); /* r1 */
    assert_true(put(&fx, 15, "r0", "{\"id\":7,\"v\":\"\"}")); /* from the bottom to the top */
    sees(&fx, 16, "7", false);
    assert_true(put(&fx, 17, "r0", NULL));
    assert_true(put(&fx, 17, "r1", "{\"id\":8,\"v\":\"x\"}"));
    sees(&fx, 18, "7", false);
    sees(&fx, 18, "8", true);
    assert_int_equal(rows(&fx), 1);
    fixture_close(&fx);
}

static void what_is_no_row_changes_nothing(void **state)
{
    struct fixture fx;

    (void)state;
    fixture_open(&fx, rules);
    assert_true(put(&fx, 1, "a", "{\"id\":1,\"v\":\"x\"}"));
    assert_false(put(&fx, 2, NULL, "{\"id\":1,\"v\":\"\"}"));
    assert_false(put(&fx, 2, NULL, NULL));
    assert_false(put(&fx, 2, "a", "{}"));
    assert_false(put(&fx, 2, "a", "{\"v\":\"\"}"));
    assert_false(put(&fx, 2, "a", "{\"id\":null}"));
    assert_false(put(&fx, 2, "a", "{\"id\":[1]}"));
    assert_false(put(&fx, 2, "a", "{\"id\":{\"x\":1}}"));
    sees(&fx, 3, "1", true);
    assert_int_equal(rows(&fx), 1);
    fixture_close(&fx);
}

/* A record key that moved to another partition: the later time counts. In one partition the later record does. */
static void partitions_and_generations(void **state)
{
    struct fixture fx;

    (void)state;
    fixture_open(&fx, rules);
    assert_true(put_in(&fx, 1, 0, 20, "a", "{\"id\":1,\"v\":\"x\"}"));
    assert_true(put_in(&fx, 0, 0, 10, "a", "{\"id\":1,\"v\":\"\"}"));
    assert_true(put_in(&fx, 0, 0, 10, "a", NULL));
    sees(&fx, 30, "1", true);
    assert_true(put_in(&fx, 1, 0, 5, "a", "{\"id\":1,\"v\":\"\"}"));
    sees(&fx, 30, "1", false);
    assert_true(put_in(&fx, 1, 0, 40, "b", "{\"id\":2,\"v\":\"x\"}"));
    assert_true(put_in(&fx, 0, 0, 40, "c", "{\"id\":3,\"v\":\"x\"}"));
    assert_true(put_in(&fx, 1, 1, 41, "d", "{\"id\":4,\"v\":\"x\"}"));
    restart(&fx);
    uint32_t source = program_source(fx.prog, "table t");
    engine_drop_rows(fx.en, source, 1, 1);
    sees(&fx, 50, "2", false);
    sees(&fx, 50, "3", true);
    sees(&fx, 50, "4", true);
    assert_int_equal(rows(&fx), 2);
    engine_drop_rows(fx.en, program_source(fx.prog, "s"), 1, 9);
    engine_drop_rows(fx.en, source, 1, 2);
    assert_int_equal(rows(&fx), 1);
    assert_int_equal(table_partition_number("a/b/12"), 12);
    fixture_close(&fx);
}

/* A program in which the table is another one is told so; `any` has no rows. */
static void sources_of_tables(void **state)
{
    struct program *is = fixture_compile(rules, false), *was = fixture_compile(rules, false);
    struct program *other = fixture_compile("table t = kafka { topic \"y\"  brokers \"h:1\" } key id\n"
                                            "rule r { match { a: any where k in t } }\n", false);

    (void)state;
    assert_true(program_is_table_source("table t"));
    assert_false(program_is_table_source("tables"));
    assert_int_equal(program_source_before(was, is, "table t"), program_source(was, "table t"));
    assert_int_equal(program_source_before(other, is, "table t"), PROGRAM_NO_SOURCE);
    assert_int_equal(program_source_before(was, is, "s"), program_source(was, "s"));
    program_unref(&is);
    program_unref(&was);
    program_unref(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_record_key_is_a_row),
        cmocka_unit_test(rows_of_one_key_lie_on_each_other),
        cmocka_unit_test(what_is_no_row_changes_nothing),
        cmocka_unit_test(partitions_and_generations),
        cmocka_unit_test(sources_of_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
