/* SPDX-License-Identifier: Apache-2.0 */
/* position: what is written is read back; whatever else is read ends in an error, never outside. */
#include "flow/position.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/mem.h"

struct record {
    struct buf key, value;
};

static void write_record(struct record *rec, const struct position *pos)
{
    buf_init(&rec->key);
    buf_init(&rec->value);
    position_key(&rec->key, pos->source, pos->partition, pos->generation);
    position_encode(&rec->value, pos);
}

static void fini_record(struct record *rec)
{
    buf_fini(&rec->key);
    buf_fini(&rec->value);
}

static bool read_record(const struct record *rec, struct position *pos)
{
    const char *why = NULL;
    bool ok;

    position_init(pos);
    ok = position_decode(pos, rec->key.data, rec->key.len, rec->value.data, rec->value.len, &why);
    assert_true(ok || why);
    return ok;
}

static void fill(struct position *pos)
{
    position_init(pos);
    position_name(pos, "auth", "log/auth 1.ndjson", UINT32_MAX - 1);
    pos->identity[0] = 7;
    pos->identity[1] = UINT64_MAX;
    pos->resume = UINT64_C(1) << 40;
    pos->read = pos->resume + 1000;
    pos->first = -5;
    pos->max_before = INT64_MAX;
    pos->lateness = 3;
    pos->floor = INT64_MIN;
    pos->floor_at = 99;
    pos->cut = 12345;
    pos->cut_event = pos->resume + 1;
    pos->cut_late = 3;
    pos->n_aside = 3;
    pos->aside = mem_calloc(3, sizeof *pos->aside);
    pos->aside[0] = pos->resume;
    pos->aside[1] = pos->resume + 1;
    pos->aside[2] = pos->resume + 999;
    pos->idle = true;
}

static void same(const struct position *x, const struct position *y)
{
    assert_string_equal(x->source, y->source);
    assert_string_equal(x->partition, y->partition);
    assert_int_equal(x->generation, y->generation);
    assert_memory_equal(x->identity, y->identity, sizeof x->identity);
    assert_true(x->resume == y->resume && x->read == y->read && x->first == y->first);
    assert_true(x->max_before == y->max_before && x->lateness == y->lateness);
    assert_true(x->floor == y->floor && x->floor_at == y->floor_at && x->cut == y->cut);
    assert_true(x->cut_event == y->cut_event && x->cut_late == y->cut_late);
    assert_true(x->idle == y->idle && x->ended == y->ended && x->n_aside == y->n_aside);
    for (size_t i = 0; i < x->n_aside; i++)
        assert_int_equal(x->aside[i], y->aside[i]);
}

static void reads_back(void **state)
{
    struct position pos, back, copy;
    struct record rec;

    (void)state;
    fill(&pos);
    write_record(&rec, &pos);
    assert_true(read_record(&rec, &back));
    same(&pos, &back);
    position_init(&copy);
    position_copy(&copy, &back);
    position_fini(&back);
    same(&pos, &copy);
    position_fini(&copy);
    position_fini(&pos);
    fini_record(&rec);

    position_init(&pos); /* nothing is known */
    position_name(&pos, "s", "", 0);
    pos.ended = true;
    write_record(&rec, &pos);
    assert_true(read_record(&rec, &back));
    same(&pos, &back);
    position_fini(&back);
    position_fini(&pos);
    fini_record(&rec);
}

static void keys_sort_by_generation(void **state)
{
    struct buf x, y;

    (void)state;
    buf_init(&x);
    buf_init(&y);
    position_key(&x, "s", "p", 255);
    position_key(&y, "s", "p", 256);
    assert_int_equal(x.len, 8);
    assert_true(memcmp(x.data, y.data, x.len) < 0);
    buf_fini(&x);
    buf_fini(&y);
}

static void cut_short_is_refused(void **state)
{
    struct position pos, back;
    struct record rec;

    (void)state;
    fill(&pos);
    write_record(&rec, &pos);
    for (size_t len = rec.value.len; len-- > 0;) {
        struct record cut = {rec.key, rec.value};
        cut.value.len = len;
        assert_false(read_record(&cut, &back));
        position_fini(&back);
    }
    for (size_t len = rec.key.len; len-- > 0;) {
        struct record cut = {rec.key, rec.value};
        cut.key.len = len;
        assert_false(read_record(&cut, &back));
        position_fini(&back);
    }
    buf_addc(&rec.value, 'x');
    assert_false(read_record(&rec, &back));
    position_fini(&back);
    position_fini(&pos);
    fini_record(&rec);
}

/* Exact heap blocks, so that AddressSanitizer sees a byte too many. */
static void random_bytes_do_no_harm(void **state)
{
    uint64_t seed = 88172645463325252u;
    struct position pos, back;
    struct record rec;
    size_t read = 0;

    (void)state;
    fill(&pos);
    write_record(&rec, &pos);
    for (int round = 0; round < 200000; round++) {
        char *key = mem_alloc(rec.key.len), *value = mem_alloc(rec.value.len);
        const char *why = NULL;
        memcpy(key, rec.key.data, rec.key.len);
        memcpy(value, rec.value.data, rec.value.len);
        for (int i = 0; i < 3; i++) {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            value[(seed >> 8) % rec.value.len] = (char)(seed >> 40);
            if (seed % 7 == 0)
                key[(seed >> 16) % rec.key.len] = (char)(seed >> 50);
        }
        position_init(&back);
        if (position_decode(&back, key, rec.key.len, value, rec.value.len, &why)) {
            assert_true(back.read >= back.resume && back.lateness >= 0);
            for (size_t i = 0; i < back.n_aside; i++)
                assert_true(back.aside[i] >= back.resume && back.aside[i] < back.read);
            read++;
        } else {
            assert_non_null(why);
        }
        position_fini(&back);
        mem_free(key);
        mem_free(value);
    }
    assert_true(read > 0);
    position_fini(&pos);
    fini_record(&rec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_back),
        cmocka_unit_test(keys_sort_by_generation),
        cmocka_unit_test(cut_short_is_refused),
        cmocka_unit_test(random_bytes_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
