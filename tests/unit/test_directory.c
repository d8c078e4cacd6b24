// SPDX-License-Identifier: Apache-2.0
/*
 * directory: an engine that a directory was read into knows the same keys as one that read the records of all
 * keys, whenever it was killed; what is damaged or missing is seen, and the records are read.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <unit/engine_fixture.h>
#include <unit/record_store.h>

#include "base/mem.h"
#include "engine/directory_priv.h"
#include "engine/directory_verify.h"
#include "engine/record_priv.h"

/* Keys whose deadline stays, moves with some events, moves with each. */
static const char *const rules =
    "rule a { match by u within 60s select each { a: s where k == 1  b: s where k == 2 } limit state 1GiB }\n"
    "rule b { window session 20s by u { a: s } emit { n = count() } }\n"
    "rule c { window global expire 300s by u { a: s having count() > 50 fire on match reset } }\n";

struct run {
    struct fixture fx;
    struct record_store store;
    struct engine_clock clock;
    uint64_t dice;
    int64_t time;
};

static void attach(struct run *run, bool small)
{
    run->fx.en = engine_new(run->fx.prog);
    run->store.small = small;
    const char *why = record_store_open(&run->store, run->fx.en, run->fx.prog, &run->clock);
    if (why != NULL)
        fail_msg("restore: %s", why);
}

static void open_run(struct run *run, bool small, uint64_t dice)
{
    *run = (struct run){.clock = ENGINE_CLOCK_NONE, .dice = dice, .time = 1000 * SECOND};
    fixture_open_program(&run->fx, fixture_compile(rules, false));
    engine_free(&run->fx.en);
    record_store_init(&run->store);
    attach(run, small);
}

static void close_run(struct run *run)
{
    fixture_close(&run->fx);
    record_store_fini(&run->store);
}

static void feed(struct run *run, uint32_t keys)
{
    char json[80];
    uint32_t k = fixture_below(&run->dice, 5) == 0 ? 2 : 1;
    run->time += SECOND / 50;
    snprintf(json, sizeof json, "{\"k\":%u,\"u\":%u}", k, fixture_below(&run->dice, keys));
    fixture_feed_ns(&run->fx, run->time, "s", json);
}

static void close_epoch(struct run *run)
{
    engine_epoch_close(run->fx.en, &run->store.writer);
    run->clock = engine_clock_get(run->fx.en);
}

static void end_epoch(struct run *run)
{
    record_store_commit(&run->store);
    engine_epoch_durable(run->fx.en);
}

static void settle(struct run *run)
{
    close_epoch(run);
    while (!engine_epoch_slice(run->fx.en, 300))
        ;
    end_epoch(run);
}

static int by_place(const void *a, const void *b)
{
    const struct record_place *x = a, *y = b;
    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

static struct record_place *places(const struct rule_state *rs)
{
    struct record_place *place = mem_calloc(rs->parts.n + 1, sizeof *place);
    size_t n = 0;
    for (size_t i = 0; rs->parts.slot != NULL && i <= rs->parts.mask; i++) {
        if (rs->parts.slot[i].part == NULL)
            continue;
        assert_true(partition_is_stub(rs->parts.slot[i].part));
        place[n++] = (struct record_place){rs->parts.slot[i].hash,
                                           (uint64_t)(uintptr_t)rs->parts.slot[i].part};
    }
    assert_int_equal(n, rs->parts.n);
    if (n > 1)
        qsort(place, n, sizeof *place, by_place);
    return place;
}

static void assert_same_keys(const struct engine *a, const struct engine *b)
{
    for (uint32_t i = 0; i < a->prog->n_rules; i++) {
        struct record_place *x = places(&a->rule[i]), *y = places(&b->rule[i]);
        assert_int_equal(a->rule[i].parts.n, b->rule[i].parts.n);
        for (size_t k = 0; k < a->rule[i].parts.n; k++) {
            assert_true(x[k].hash == y[k].hash);
            assert_true(x[k].place == y[k].place);
        }
        assert_int_equal(a->rule[i].stats.keys, b->rule[i].stats.keys);
        assert_int_equal(a->rule[i].stats.runs, b->rule[i].stats.runs);
        assert_int_equal(a->rule[i].stats.bytes, b->rule[i].stats.bytes);
        assert_memory_equal(&a->rule[i].records->stored, &b->rule[i].records->stored,
                            sizeof a->rule[i].records->stored);
        mem_free(x);
        mem_free(y);
    }
    assert_int_equal(a->records->n_stubs, b->records->n_stubs);
    assert_int_equal(a->records->stub_bytes, b->records->stub_bytes);
    assert_int_equal(a->records->n_heap, b->records->n_heap);
}

/* An engine that never saw a directory, from the same records. */
static struct engine *from_records(struct run *run)
{
    struct engine *en = engine_new(run->fx.prog);
    const char *why = NULL;
    record_store_attach(&run->store, en, run->fx.prog);
    engine_clock_set(en, &run->clock);
    for (size_t i = 0; i < run->store.is.n && why == NULL; i++) {
        const struct record_entry *at = &run->store.is.at[i];
        if (at->key[0] != 'D')
            engine_restore_record(en, at->key, at->key_len, at->value, at->len, &why);
    }
    assert_null(why);
    engine_restore_end(en);
    return en;
}

static void count_fault(void *ctx, uint32_t incarnation, const char *why)
{
    size_t *n = ctx;
    (void)incarnation, (void)why;
    ++*n;
}

/* What a check of the store finds. */
static size_t faults_of(const struct record_store *store)
{
    struct directory_verify *dv = directory_verify_new();
    size_t n = 0;
    for (size_t i = 0; i < store->is.n; i++) {
        const struct record_entry *at = &store->is.at[i];
        directory_verify_take(dv, at->key, at->key_len, at->value, at->len);
    }
    directory_verify_end(dv, count_fault, &n);
    directory_verify_free(&dv);
    return n;
}

/* Killed and started again; *known: keys that came from directories. */
static void restart(struct run *run, bool small, size_t *known)
{
    record_entries_fini(&run->store.next);
    engine_free(&run->fx.en);
    assert_int_equal(faults_of(&run->store), 0);
    attach(run, small);
    assert_null(engine_mended(run->fx.en));
    struct engine *other = from_records(run);
    assert_same_keys(run->fx.en, other);
    engine_free(&other);
    for (uint32_t i = 0; i < run->fx.prog->n_rules; i++) {
        const struct rule_state *rs = &run->fx.en->rule[i];
        *known += rs->records->dir != NULL ? rs->parts.n : 0;
    }
}

static size_t n_of(const struct record_store *store, uint8_t rule, char what)
{
    size_t n = 0;
    for (size_t i = 0; i < store->is.n; i++) {
        const struct record_entry *at = &store->is.at[i];
        n += at->key[0] == 'D' && (uint8_t)at->key[4] == rule && at->key[5] == what;
    }
    return n;
}

/* Keys come, change, go and are let go of at any time between slices; their number grows and shrinks. */
static void it_knows_what_the_records_say(void **state)
{
    (void)state;
    size_t known = 0, most = 0;
    for (uint64_t round = 0; round < 4; round++) {
        struct run run;
        open_run(&run, true, round + 1);
        for (int epoch = 0; epoch < 400; epoch++) {
            uint32_t keys = 3u << (epoch / 25 % 2 == 0 ? epoch % 10 : 2);
            uint32_t events = fixture_below(&run.dice, 60);
            bool killed = fixture_below(&run.dice, 8) == 0;
            for (uint32_t i = 0; i < events; i++)
                feed(&run, keys);
            if (fixture_below(&run.dice, 25) == 0)
                run.time += 15 * SECOND;
            struct engine_clock before = run.clock;
            close_epoch(&run);
            while (!engine_epoch_slice(run.fx.en, fixture_below(&run.dice, 400))) {
                feed(&run, keys);
                if (fixture_below(&run.dice, 9) == 0)
                    engine_evict(run.fx.en, fixture_below(&run.dice, 2) * 5000);
                if (killed && fixture_below(&run.dice, 4) == 0)
                    break;
                killed &= fixture_below(&run.dice, 3) != 0;
            }
            if (run.fx.en->records->is_closing) {
                run.clock = before;
                restart(&run, true, &known);
                continue;
            }
            end_epoch(&run);
            assert_null(engine_broken(run.fx.en));
            most = n_of(&run.store, 1, 'p') > most ? n_of(&run.store, 1, 'p') : most;
            if (fixture_below(&run.dice, 6) == 0)
                restart(&run, true, &known);
        }
        settle(&run);
        restart(&run, true, &known);
        close_run(&run);
    }
    print_message("%zu keys came back from directories of up to %zu pages\n", known, most);
    assert_true(known > 50000);
    assert_true(most > 100);
}

/* The sizes that are used. */
static void thousands_of_keys(void **state)
{
    enum { KEYS = 20000 };
    (void)state;
    struct run run;
    size_t known = 0;
    open_run(&run, false, 7);
    for (int round = 0; round < 12; round++) {
        run.time -= KEYS / 4 * (SECOND / 50); /* so that few go */
        run.time = run.time > run.clock.now ? run.time : run.clock.now;
        for (int i = 0; i < KEYS / 4; i++)
            feed(&run, KEYS);
        settle(&run);
    }
    assert_true(n_of(&run.store, 3, 'p') >= 8);
    restart(&run, false, &known);
    assert_true(known >= KEYS / 2);
    close_run(&run);
}

/* Few keys have none; it comes when there are many, also into a store of a version that knew none. */
static void it_begins_when_there_are_many(void **state)
{
    (void)state;
    struct run run;
    size_t known = 0;
    open_run(&run, false, 3);
    for (int i = 0; i < 200; i++)
        feed(&run, 100);
    settle(&run);
    assert_int_equal(n_of(&run.store, 3, 'h'), 0);
    restart(&run, false, &known);
    assert_int_equal(known, 0);
    restart(&run, true, &known);
    feed(&run, 100);
    settle(&run);
    assert_int_equal(n_of(&run.store, 3, 'h'), 1);
    restart(&run, true, &known); /* it is not whole yet */
    for (int i = 0; i < 60; i++)
        settle(&run);
    restart(&run, true, &known);
    assert_true(known > 50);
    /* what does not change is not written again */
    settle(&run);
    size_t puts = run.store.n_puts;
    settle(&run);
    assert_int_equal(run.store.n_puts, puts);
    close_run(&run);
}

static void copy_store(const struct record_store *from, struct record_store *to)
{
    for (size_t i = 0; i < from->is.n; i++)
        record_store_put(to, from->is.at[i].key, from->is.at[i].key_len, from->is.at[i].value,
                         from->is.at[i].len);
    record_store_commit(to);
}

/* What stands at n is taken away, cut, or changed: the keys are found nevertheless. */
static void damage_one(struct run *run, size_t n, int how)
{
    const struct record_entry *at = &run->store.is.at[n];
    char *value = mem_strndup(at->value, at->len);
    if (how == 0)
        record_store_remove(&run->store, at->key, at->key_len);
    else if (how == 1)
        record_store_put(&run->store, at->key, at->key_len, value, at->len / 2);
    else
        value[at->len - 1 - fixture_below(&run->dice, (uint32_t)(at->len - 1))] ^= 0x11;
    if (how == 2)
        record_store_put(&run->store, at->key, at->key_len, value, at->len);
    record_store_commit(&run->store);
    mem_free(value);
}

static void what_is_damaged_is_not_used(void **state)
{
    (void)state;
    struct run run;
    size_t tried = 0, mended = 0;
    open_run(&run, true, 11);
    for (int epoch = 0; epoch < 60; epoch++) {
        for (int i = 0; i < 20; i++)
            feed(&run, 300);
        settle(&run);
    }
    struct record_store whole = run.store;
    for (size_t n = 0; n < whole.is.n; n++) {
        for (int how = 0; whole.is.at[n].key[0] == 'D' && how < 3; how++) {
            memset(&run.store, 0, sizeof run.store);
            record_store_init(&run.store);
            copy_store(&whole, &run.store);
            damage_one(&run, n, how);
            bool seen = faults_of(&run.store) > 0;
            engine_free(&run.fx.en);
            attach(&run, true);
            assert_true(seen || engine_mended(run.fx.en) == NULL);
            struct engine *other = from_records(&run);
            assert_same_keys(run.fx.en, other);
            engine_free(&other);
            mended += engine_mended(run.fx.en) != NULL;
            tried++;
            if (tried % 40 == 0) { /* and it is begun anew */
                size_t known = 0;
                for (int i = 0; i < 100; i++)
                    settle(&run);
                restart(&run, true, &known);
                assert_true(known > 0);
            }
            record_store_fini(&run.store);
        }
    }
    print_message("%zu of %zu damages seen\n", mended, tried);
    assert_true(tried > 100);
    assert_true(mended > tried / 2); /* changes that a page knows are not looked at */
    record_store_init(&run.store);
    record_store_fini(&whole);
    close_run(&run);
}

/* A check sees records of keys that are missing, or say another deadline. */
static void keys_and_directory_agree(void **state)
{
    (void)state;
    struct run run;
    size_t tried = 0;
    open_run(&run, true, 5);
    for (int epoch = 0; epoch < 60; epoch++) {
        for (int i = 0; i < 20; i++)
            feed(&run, 300);
        settle(&run);
    }
    struct record_store whole = run.store;
    assert_int_equal(faults_of(&whole), 0);
    for (size_t n = 0; n < whole.is.n && tried < 20; n++) {
        if (whole.is.at[n].key[0] != 'P')
            continue;
        memset(&run.store, 0, sizeof run.store);
        record_store_init(&run.store);
        copy_store(&whole, &run.store);
        record_store_remove(&run.store, whole.is.at[n].key, whole.is.at[n].key_len);
        record_store_commit(&run.store);
        assert_true(faults_of(&run.store) > 0);
        record_store_fini(&run.store);
        tried++;
    }
    assert_int_equal(tried, 20);
    run.store = whole;
    close_run(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_knows_what_the_records_say),
        cmocka_unit_test(thousands_of_keys),
        cmocka_unit_test(it_begins_when_there_are_many),
        cmocka_unit_test(what_is_damaged_is_not_used),
        cmocka_unit_test(keys_and_directory_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
