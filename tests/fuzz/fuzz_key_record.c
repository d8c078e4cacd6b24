// SPDX-License-Identifier: Apache-2.0
/*
 * Damaged records: the first byte says how many events are fed before all is written, the second
 * which; then each six bytes are one change (which record, place, kind, value). What is accepted at a
 * start must take further events without a crash: bodies are loaded then, and a damaged one breaks the
 * engine. Untouched, all must be accepted and go on as an engine that was never stopped.
 */
#include <fuzz/damage.h>
#include <fuzz/fuzz.h>
#include <fuzz/rule_gen.h>
#include <unit/record_store.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "engine/engine.h"
#include "plan/program.h"

/* One record's key or value. */
static void change_record(struct fuzz_bytes *fb, struct record_store *store)
{
    uint8_t which = fuzz_byte(fb), part = fuzz_byte(fb);
    struct record_entry *at = store->is.n > 0 ? &store->is.at[which % store->is.n] : NULL;
    struct buf bytes;

    buf_init(&bytes);
    if (at == NULL)
        return;
    bool of_key = part % 8 == 0;
    buf_add(&bytes, of_key ? at->key : at->value, of_key ? at->key_len : at->len);
    damage_bytes(fb, &bytes);
    if (of_key)
        record_store_put(store, bytes.data, bytes.len, at->value, at->len);
    else
        record_store_put(store, at->key, at->key_len, bytes.data, bytes.len);
    record_store_commit(store);
    buf_fini(&bytes);
}

static void open_engine(struct feed *feed, struct program *prog, struct record_store *store,
                        const struct engine_clock *clock, const char **why)
{
    feed_open(feed, prog);
    *why = record_store_open(store, feed->engine, prog, clock);
}

static void write_all(struct feed *feed, struct record_store *store)
{
    engine_epoch_close(feed->engine, &store->writer);
    while (!engine_epoch_slice(feed->engine, 1000))
        ;
    record_store_commit(store);
    engine_epoch_durable(feed->engine);
    engine_evict(feed->engine, 0);
}

static void go_on(struct program *prog, struct record_store *store, const struct engine_clock *clock,
                  const struct feed *untouched)
{
    struct feed feed;
    const char *why;

    open_engine(&feed, prog, store, clock, &why);
    feed.offset = 1000;
    if (why == NULL) {
        damage_feed(&feed, 99, DAMAGE_AFTER / 2, clock->now > 0 ? clock->now : 0);
        write_all(&feed, store);
        damage_feed(&feed, 7, DAMAGE_AFTER / 2, engine_clock_get(feed.engine).now);
        feed_end(&feed);
        if (untouched != NULL && engine_broken(feed.engine) != NULL)
            fuzz_fail("untouched records break it: %s", engine_broken(feed.engine));
        if (untouched != NULL)
            feed_same(untouched, &feed, "records");
    } else if (untouched != NULL) {
        fuzz_fail("untouched records are refused: %s", why);
    }
    feed_close(&feed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct program *prog;
    static const struct engine_clock none = ENGINE_CLOCK_NONE;
    struct fuzz_bytes fb = {data, data + size};
    uint32_t n = fuzz_below(&fb, 64);
    uint8_t seed = fuzz_byte(&fb);
    struct record_store store;
    struct feed feed;
    const char *why;
    int changes = 0;

    if (prog == NULL)
        prog = damage_program();
    record_store_init(&store);
    store.small = true;
    open_engine(&feed, prog, &store, &none, &why);
    damage_feed(&feed, seed, n, INT64_C(1800000000000000000));
    write_all(&feed, &store);
    struct engine_clock clock = engine_clock_get(feed.engine);
    for (; changes < DAMAGE_MOST && fb.p < fb.end; changes++)
        change_record(&fb, &store);
    if (changes == 0 && n > 0) {
        alert_list_clear(&feed.out);
        feed.offset = 1000;
        damage_feed(&feed, 99, DAMAGE_AFTER / 2, clock.now);
        damage_feed(&feed, 7, DAMAGE_AFTER / 2, engine_clock_get(feed.engine).now);
        feed_end(&feed);
        go_on(prog, &store, &clock, &feed);
    } else {
        go_on(prog, &store, &clock, NULL);
    }
    feed_close(&feed);
    record_store_fini(&store);
    return 0;
}
