// SPDX-License-Identifier: Apache-2.0
/* table_version: heads and pieces come back in order; what was begun and never used goes; damage is seen. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <unit/state_fixture.h>

#include "state/space.h"
#include "state/store.h"
#include "state/table_version.h"

static struct store *st;

static void open_store(const char *dir)
{
    struct store_options opt = {.create = true};
    struct buf why;

    buf_init(&why);
    assert_int_equal(store_open(dir, &opt, &st, &why), STORE_OK);
    buf_fini(&why);
}

static void write_batch(struct store_batch **batch)
{
    struct buf why;

    buf_init(&why);
    assert_int_equal(store_write(st, *batch, false, &why), STORE_OK);
    store_batch_free(batch);
    buf_fini(&why);
}

static struct table_version version(const char *table, uint64_t number, uint64_t data, uint32_t pieces)
{
    return (struct table_version){.number = number, .kind = data ? TABLE_VERSION_FULL : TABLE_VERSION_REMOVED,
                                  .time = -7, .data = data, .n_pieces = pieces, .data_bytes = 1000 * number,
                                  .rows = number, .bytes = UINT64_C(5000000000), .id = {1, 2, 3},
                                  .table = table, .who = "me", .key = "a.b",
                                  .table_len = strlen(table), .who_len = 2, .key_len = 3};
}

static bool add_head(void *ctx, const struct table_version *v)
{
    buf_printf(ctx, "%.*s %d %d ", (int)v->table_len, v->table, (int)v->number, (int)v->kind);
    assert_true(v->time == -7 && v->bytes == UINT64_C(5000000000) && v->id[2] == 3);
    assert_memory_equal(v->key, "a.b", 3);
    return true;
}

static bool add_piece(void *ctx, uint32_t piece, const char *text, size_t len)
{
    buf_printf(ctx, "%u:%.*s ", (unsigned)piece, (int)len, text);
    return piece != 299;
}

static void heads(const char *table, const char *want)
{
    struct buf got, why;

    buf_init(&got);
    buf_init(&why);
    assert_int_equal(table_version_list(st, table, add_head, &got, &why), STORE_OK);
    assert_string_equal(got.len ? got.data : "", want);
    buf_fini(&got);
    buf_fini(&why);
}

static void pieces(uint64_t data, const char *want)
{
    struct buf got, why;

    buf_init(&got);
    buf_init(&why);
    assert_int_equal(table_data_read(st, data, add_piece, &got, &why), STORE_OK);
    assert_string_equal(got.len ? got.data : "", want);
    buf_fini(&got);
    buf_fini(&why);
}

static void come_back(void **state)
{
    struct store_batch *batch = store_batch_new();
    struct table_version v;
    (void)state;

    for (uint64_t n = 3; n > 0; n--) { /* names of which one begins another */
        v = version("own", n, n, 1);
        table_version_put(batch, &v);
        v = version("owners", n * 200, n == 2 ? 0 : n + 10, n == 2 ? 0 : 2);
        table_version_put(batch, &v);
    }
    table_piece_put(batch, 11, 1, "b\n", 2);
    table_piece_put(batch, 11, 0, "a\n", 2);
    table_piece_put(batch, 12, 0, "c\n", 2);
    write_batch(&batch);
    heads("own", "own 1 0 own 2 0 own 3 0 ");
    heads("owners", "owners 200 0 owners 400 2 owners 600 0 ");
    heads(NULL, "own 1 0 own 2 0 own 3 0 owners 200 0 owners 400 2 owners 600 0 ");
    heads("owner", "");
    pieces(11, "0:a\n 1:b\n ");
    batch = store_batch_new();
    table_version_remove(batch, "owners", 200, 11, 2);
    write_batch(&batch);
    heads("owners", "owners 400 2 owners 600 0 ");
    pieces(11, "");
    pieces(12, "0:c\n ");
}

static void what_was_begun_goes(void **state)
{
    struct store_batch *batch = store_batch_new();
    struct buf why;
    uint64_t most;
    (void)state;

    buf_init(&why);
    table_data_begin(batch, 700);
    table_data_begin(batch, 701);
    for (uint32_t i = 0; i < 300; i++)
        table_piece_put(batch, 700, i, "x", 1);
    table_piece_put(batch, 701, 0, "y", 1);
    table_piece_put(batch, 702, 0, "z", 1);
    write_batch(&batch);
    batch = store_batch_new();
    table_data_done(batch, 701); /* its head came */
    write_batch(&batch);
    batch = store_batch_new();
    assert_int_equal(table_data_forget(st, batch, &most, &why), STORE_OK);
    assert_int_equal(most, 700);
    write_batch(&batch);
    pieces(700, "");
    pieces(701, "0:y ");
    pieces(702, "0:z ");
    batch = store_batch_new();
    assert_int_equal(table_data_forget(st, batch, &most, &why), STORE_OK);
    assert_int_equal(most, 0);
    assert_int_equal(store_batch_bytes(batch), 0);
    store_batch_free(&batch);
    buf_fini(&why);
}

static void damage_is_seen(void **state)
{
    static const char bad[] = {SPACE_TABLE, 'v', 'x', 0, 0, 0, 0, 0, 0, 0, 0, 1};
    struct store_batch *batch = store_batch_new();
    struct table_version v;
    struct buf got, why;
    (void)state;

    buf_init(&got);
    buf_init(&why);
    store_batch_put(batch, bad, sizeof bad, "\1\0", 2);
    table_piece_put(batch, 900, 0, "a", 1);
    table_piece_put(batch, 900, 2, "c", 1);
    write_batch(&batch);
    assert_int_equal(table_version_list(st, "x", add_head, &got, &why), STORE_CORRUPT);
    assert_int_equal(table_data_read(st, 900, add_piece, &got, &why), STORE_CORRUPT);
    assert_string_equal(got.data, "0:a ");
    assert_false(table_version_decode(bad, 3, "", 0, &v));
    uint64_t data;
    uint32_t piece;
    assert_false(table_data_key_decode(bad, sizeof bad, &data, &piece));
    assert_true(table_data_key_decode("ti\0\0\0\0\0\0\0\7", 10, &data, &piece) && data == 7 && piece == UINT32_MAX);
    assert_true(table_data_key_decode("td\0\0\0\0\0\0\0\7\0\0\0\2", 14, &data, &piece) && data == 7 && piece == 2);
    assert_false(table_data_key_decode("ti1234567", 9, &data, &piece) || table_data_key_decode("t", 1, &data, &piece));
    buf_fini(&got);
    buf_fini(&why);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(come_back),
        cmocka_unit_test(what_was_begun_goes),
        cmocka_unit_test(damage_is_seen),
    };
    char *dir = temp_dir();

    open_store(dir);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    store_free(&st);
    temp_dir_end(dir);
    return failed;
}
