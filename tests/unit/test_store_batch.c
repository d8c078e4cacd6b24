// SPDX-License-Identifier: Apache-2.0
/* store_batch: what is put and removed in any order is found by key, the last of each. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "state/store_batch.h"

static void put(struct store_batch *batch, const char *key, const char *value)
{
    store_batch_put(batch, key, strlen(key), value, strlen(value));
}

static void collect(void *ctx, const void *key, size_t key_len, const void *value, size_t len)
{
    struct buf *b = ctx;

    buf_add(b, key, key_len);
    buf_addc(b, value ? '=' : '-');
    if (len > 0)
        buf_add(b, value, len);
    buf_addc(b, ' ');
}

static void holds(const struct store_batch *batch, const char *expected)
{
    struct buf got;

    buf_init(&got);
    buf_adds(&got, "");
    store_batch_each(batch, collect, &got);
    assert_string_equal(got.data, expected);
    buf_fini(&got);
}

static void the_last_of_each_key_by_key(void **state)
{
    (void)state;
    struct store_batch *batch = store_batch_new(), *more = store_batch_new();

    holds(batch, "");
    put(batch, "b", "1");
    put(batch, "0123456789abcdef+2", "x");
    put(batch, "a", "");
    store_batch_remove(batch, "b", 1);
    put(batch, "0123456789abcdef+1", "y");
    put(batch, "0123456789abcdef", "z");
    holds(batch, "0123456789abcdef=z 0123456789abcdef+1=y 0123456789abcdef+2=x a= b- ");
    put(more, "b", "2");
    put(more, "b\xff", "3");
    store_batch_remove(more, "a", 1);
    size_t bytes = store_batch_bytes(batch) + store_batch_bytes(more);
    store_batch_append(batch, more);
    assert_int_equal(store_batch_bytes(batch), bytes);
    assert_int_equal(store_batch_bytes(more), 0);
    holds(more, "");
    holds(batch, "0123456789abcdef=z 0123456789abcdef+1=y 0123456789abcdef+2=x a- b=2 b\xff=3 ");
    put(more, "c", "again");
    store_batch_append(batch, more);
    holds(more, "");
    store_batch_clear(batch);
    assert_int_equal(store_batch_bytes(batch), 0);
    put(batch, "d", "4");
    holds(batch, "d=4 ");
    store_batch_free(&batch);
    store_batch_free(&more);
}

/* Zeros in keys are bytes like others, also where a shorter key has ended. */
static void zeros_in_keys(void **state)
{
    (void)state;
    struct store_batch *batch = store_batch_new();

    store_batch_put(batch, "k\0\0", 3, "3", 1);
    store_batch_put(batch, "k", 1, "1", 1);
    store_batch_put(batch, "k\0", 2, "2", 1);
    store_batch_put(batch, "", 0, "0", 1);
    struct buf got;
    buf_init(&got);
    store_batch_each(batch, collect, &got);
    static const char expected[] = "=0 k=1 k\0=2 k\0\0=3 ";
    assert_int_equal(got.len, sizeof expected - 1);
    assert_memory_equal(got.data, expected, got.len);
    buf_fini(&got);
    store_batch_free(&batch);
}

struct seen {
    int n;
    size_t bytes;
};

static void count(void *ctx, const void *key, size_t key_len, const void *value, size_t len)
{
    struct seen *seen = ctx;
    char name[20];

    snprintf(name, sizeof name, "%08d", seen->n++);
    assert_int_equal(key_len, 8);
    assert_memory_equal(key, name, 8);
    assert_int_equal(((const char *)value)[len - 1], name[7]);
    seen->bytes += key_len + len;
}

static void blocks_of_all_sizes(void **state)
{
    enum { N = 2000, BIG = 3 << 20 };
    (void)state;
    struct store_batch *batch = store_batch_new();
    char *value = mem_calloc(1, BIG), name[20];
    struct seen seen = {0};

    for (int i = 0; i < N; i++) {
        int at = (i * 7) % N;
        size_t len = at % 500 == 3 ? BIG : (size_t)at + 1;
        snprintf(name, sizeof name, "%08d", at);
        value[len - 1] = name[7];
        store_batch_put(batch, name, 8, value, len);
        value[len - 1] = 0;
    }
    store_batch_each(batch, count, &seen);
    assert_int_equal(seen.n, N);
    assert_int_equal(seen.bytes, store_batch_bytes(batch));
    mem_free(value);
    store_batch_free(&batch);
}

enum { MANY = 4000, LONGEST = 24 };

struct many {
    uint8_t key[MANY][LONGEST];
    size_t len[MANY];
    uint32_t found[MANY]; /* which one was told, in that order */
    size_t n;
};

static int compare(const struct many *many, size_t a, size_t b)
{
    size_t len = many->len[a] < many->len[b] ? many->len[a] : many->len[b];
    int order = memcmp(many->key[a], many->key[b], len);

    return order != 0 ? order : (many->len[a] > many->len[b]) - (many->len[a] < many->len[b]);
}

static void note(void *ctx, const void *key, size_t key_len, const void *value, size_t len)
{
    struct many *many = ctx;
    uint32_t at;

    assert_int_equal(len, sizeof at);
    memcpy(&at, value, sizeof at);
    assert_int_equal(key_len, many->len[at]);
    assert_memory_equal(key, many->key[at], key_len);
    many->found[many->n++] = at;
}

/* Keys of few different bytes: many are equal, or differ behind their first 16 bytes alone. */
static void many_that_are_alike(void **state)
{
    (void)state;
    static const uint8_t byte[] = {0, 1, 'k', 255};
    struct store_batch *batch = store_batch_new();
    struct many *many = mem_calloc(1, sizeof *many);
    uint64_t random = 1;

    for (uint32_t i = 0; i < MANY; i++) {
        many->len[i] = i % 3 == 0 ? i % LONGEST : LONGEST - i % 2;
        for (size_t k = 0; k < LONGEST; k++) {
            random = random * 6364136223846793005 + 1442695040888963407;
            many->key[i][k] = k < 18 && i % 2 ? 'p' : byte[random >> 62];
        }
        store_batch_put(batch, many->key[i], many->len[i], &i, sizeof i);
    }
    store_batch_each(batch, note, many);
    size_t different = 0;
    for (size_t i = 0; i < MANY; i++) {
        size_t later = i + 1;
        while (later < MANY && compare(many, i, later) != 0)
            later++;
        different += later == MANY;
    }
    assert_int_equal(many->n, different);
    for (size_t i = 0; i < many->n; i++) {
        if (i > 0)
            assert_true(compare(many, many->found[i - 1], many->found[i]) < 0);
        for (size_t later = many->found[i] + 1; later < MANY; later++)
            assert_true(compare(many, many->found[i], later) != 0);
    }
    mem_free(many);
    store_batch_free(&batch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_of_each_key_by_key),
        cmocka_unit_test(zeros_in_keys),
        cmocka_unit_test(many_that_are_alike),
        cmocka_unit_test(blocks_of_all_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
