// SPDX-License-Identifier: Apache-2.0
/*
 * Damaged records: the first byte says how many events are fed before all is written, the second
 * which; then each six bytes are one change (which record, place, kind, value). What is accepted at a
 * start must take further events without a crash: bodies are loaded then, and a damaged one breaks the
 * engine. Untouched, all must be accepted and go on as an engine that was never stopped.
 */
#include <fuzz/fuzz.h>
#include <fuzz/rule_gen.h>
#include <unit/record_store.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "engine/engine.h"
#include "plan/program.h"

/* A bit of everything that has state. A rule that this version says it does not support is left out. */
static const char *const rules[] = {
    "rule first { limit alerts 3 per 5s match by u within 8s { not n: s where k == 3 within 2s\n"
    "  a{2,}: s where v >= (prev(a).v ?? 0)  b: t where l == first(a).l  not x: u within 3s\n"
    "  until e: s where k == 2 and v == 3 } emit { n = sum(a.v) o = values(a.t) } }\n",
    "rule last { suppress 5s by u match by ?o within 9s select last {\n"
    "  a: s b: t where l == a.l next c{2}: any d?: u e: t } }\n",
    "rule each { suppress 3s match by list within 7s select each {\n"
    "  all { a{2}: s b: t where v >= 1 c: [s, t] } d: any within 3s } }\n",
    "rule summary { suppress 3s summary match by u { a: s where k == 1 } }\n",
    "rule every { limit runs 5 per key match within 5s select all {\n"
    "  a+: s where k == 1 any { b: t c: u } } emit { c = count(a) } }\n",
    "rule absent { match by u, w within 4s { a: s where k == 0 not b: t not c: u within 6s } }\n",
    "rule depth { match within 6s { a: absent b: s where k == 1 } emit into deep { k = b.k } }\n",
    "rule deeper { match within 5s { a{2}: deep } }\n",
    "rule pairs { join by u within 3s { a: s b: t where l == a.l } }\n",
    "rule alone { join by u within 0s..3s { a: s where k == 1 b?: t where k == 1 } }\n",
    "rule new { novel k, list by u within 6s after 1s { a: s b: t } }\n",
    "rule w1 { window tumbling 5s by u { a: s having count() > 1 } emit { c = count_distinct(a.t) } }\n",
    "rule w2 { window hopping 6s every 2s { a: s } emit { s = sum(a.v) v = values(a.t, 3) } }\n",
    "rule w3 { window session 2s by u { a: s b: t allow late 2s } emit { m = max(a.v) } }\n",
    "rule w4 { window sliding 4s by list { a: s having avg(a.v) > 1 } emit { p = percentile(a.v, 50) } }\n",
    "rule w5 { window global expire 9s by u { a: s having count() > 2 fire on match reset } }\n",
};

enum { MAX_CHANGES = 16, AFTER = 24 };

static void feed_some(struct feed *feed, uint64_t seed, uint32_t n, int64_t time)
{
    struct buf json;
    int64_t at = time;

    buf_init(&json);
    for (uint32_t i = 0; i < n; i++) {
        uint8_t bytes[4];
        struct fuzz_bytes fb = {bytes, bytes + sizeof bytes};
        struct gen_event event;

        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        for (size_t b = 0; b < sizeof bytes; b++)
            bytes[b] = (uint8_t)(seed >> (32 + 8 * b));
        event_gen(&fb, &event, &json);
        if (at < INT64_MAX - event.after)
            at += event.after;
        feed_event(feed, event.source, at, json.data, json.len);
    }
    buf_fini(&json);
}

static void change(struct fuzz_bytes *fb, struct buf *bytes)
{
    size_t at = (size_t)(fuzz_byte(fb) << 8);
    at = (at | fuzz_byte(fb)) % (bytes->len + 1);
    uint8_t kind = fuzz_byte(fb), value = fuzz_byte(fb);

    if (kind % 8 == 0) {
        bytes->len = at; /* cut */
    } else if (kind % 8 == 1 && at < bytes->len) { /* take some out */
        size_t n = value % 16 + 1u < bytes->len - at ? value % 16 + 1u : bytes->len - at;

        memmove(bytes->data + at, bytes->data + at + n, bytes->len - at - n);
        bytes->len -= n;
    } else if (kind % 8 == 2) { /* put one in */
        buf_addc(bytes, 0);
        memmove(bytes->data + at + 1, bytes->data + at, bytes->len - at - 1);
        bytes->data[at] = (char)value;
    } else if (kind % 8 == 3 && at < bytes->len) {
        bytes->data[at] = (char)(bytes->data[at] ^ value);
    } else if (kind % 8 == 4 && at < bytes->len) {
        bytes->data[at] = (char)((uint8_t)bytes->data[at] + value);
    } else if (kind % 8 == 5 && bytes->len - at >= 8) { /* eight bytes, all bits or none or one */
        memset(bytes->data + at, value & 0x80 ? 0xff : 0, 8);
        bytes->data[at + value % 8] ^= 1;
    } else if (at < bytes->len) {
        bytes->data[at] = (char)value;
    }
}

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
    change(fb, &bytes);
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
        feed_some(&feed, 99, AFTER / 2, clock->now > 0 ? clock->now : 0);
        write_all(&feed, store);
        feed_some(&feed, 7, AFTER / 2, engine_clock_get(feed.engine).now);
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

static struct program *open_program(void)
{
    struct program *prog;
    struct buf text, messages;

    buf_init(&text);
    buf_init(&messages);
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        buf_clear(&messages);
        prog = fuzz_compile(rules[i], strlen(rules[i]), false, &messages);
        if (prog != NULL)
            buf_adds(&text, rules[i]);
        else if (strstr(messages.data, "not supported by this version") == NULL)
            fuzz_fail("%s", messages.data);
        program_unref(&prog);
    }
    prog = fuzz_compile(text.data, text.len, false, &messages);
    if (prog == NULL)
        fuzz_fail("%s", messages.data);
    buf_fini(&text);
    buf_fini(&messages);
    return prog;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct program *prog;
    static const struct engine_clock none = {.now = INT64_MIN, .since = INT64_MAX};
    struct fuzz_bytes fb = {data, data + size};
    uint32_t n = fuzz_below(&fb, 64);
    uint8_t seed = fuzz_byte(&fb);
    struct record_store store;
    struct feed feed;
    const char *why;
    int changes = 0;

    if (prog == NULL)
        prog = open_program();
    record_store_init(&store);
    open_engine(&feed, prog, &store, &none, &why);
    feed_some(&feed, seed, n, INT64_C(1800000000000000000));
    write_all(&feed, &store);
    struct engine_clock clock = engine_clock_get(feed.engine);
    for (; changes < MAX_CHANGES && fb.p < fb.end; changes++)
        change_record(&fb, &store);
    if (changes == 0 && n > 0) {
        alert_list_clear(&feed.out);
        feed.offset = 1000;
        feed_some(&feed, 99, AFTER / 2, clock.now);
        feed_some(&feed, 7, AFTER / 2, engine_clock_get(feed.engine).now);
        feed_end(&feed);
        go_on(prog, &store, &clock, &feed);
    } else {
        go_on(prog, &store, &clock, NULL);
    }
    feed_close(&feed);
    record_store_fini(&store);
    return 0;
}
