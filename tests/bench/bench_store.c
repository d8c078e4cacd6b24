// SPDX-License-Identifier: Apache-2.0
/*
 * The database: a checkpoint's batch, synced; reading all; one key after another; the outbox.
 *
 *   bench_store DIR [RECORDS]     default 100000 a batch; DIR must not exist. Wall times: the disk counts
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/mem.h"
#include <bench/bench.h>
#include "state/checkpoint.h"
#include "state/outbox.h"
#include "state/space.h"

enum { VALUE = 200, BATCHES = 10, GETS = 20000, MESSAGES = 50000 };

static struct buf why;

static double since(int64_t start)
{
    return (double)(clock_monotonic() - start) / 1e9;
}

static void settle(struct checkpoint *cp)
{
    if (!checkpoint_settle(cp, -1))
        bench_die("it cannot be written");
}

/* A batch of n records, every `step`-th key of the directory from `from` on. */
static struct epoch *batch_of(uint64_t *random, uint32_t from, uint32_t n, uint32_t step)
{
    struct epoch *ep = epoch_new();
    uint8_t key[1 + 1 + 4 + 8] = {SPACE_ENGINE, 'P', 0, 0, 0, 1};
    uint64_t value[VALUE / 8];

    for (uint32_t i = 0; i < n; i++) {
        for (size_t k = 0; k < VALUE / 8; k++)
            value[k] = k % 3 ? bench_random(random) : k; /* about a third can be compressed */
        key_put_u64(key + 6, hash_mix(from + i * step, 0));
        store_batch_put(ep->batch, key, sizeof key, value, sizeof value);
    }
    return ep;
}

static bool count(void *ctx, const void *key, size_t key_len, const void *value, size_t len)
{
    (void)key, (void)key_len, (void)value, (void)len;
    ++*(uint64_t *)ctx;
    return true;
}

static void bench_batches(struct checkpoint *cp, uint64_t *random, uint32_t n)
{
    double worst = 0, sum = 0;

    for (uint32_t i = 0; i < BATCHES; i++) {
        struct epoch *ep = batch_of(random, i * n / 2, n, 1); /* half of them are there already */
        int64_t start = clock_monotonic();
        checkpoint_submit(cp, ep);
        settle(cp);
        double took = since(start);
        sum += took;
        worst = took > worst ? took : worst;
    }
    printf("  a batch of %u records of %d bytes, synced: %.3f s, the slowest of %d %.3f s\n", n, VALUE,
           sum / BATCHES, BATCHES, worst);
}

static void bench_reading(struct checkpoint *cp, uint64_t *random, uint32_t n)
{
    uint64_t found = 0;
    uint8_t key[1 + 1 + 4 + 8] = {SPACE_ENGINE, 'P', 0, 0, 0, 1};
    int64_t start = clock_monotonic();

    store_read(checkpoint_store(cp), key, 1, count, &found, &why);
    double took = since(start);
    printf("  reading all: %" PRIu64 " records in %.3f s, %.2f M/s\n", found, took,
           (double)found / took / 1e6);
    start = clock_monotonic();
    for (int i = 0; i < GETS; i++) {
        key_put_u64(key + 6, hash_mix((uint32_t)(bench_random(random) % n), 0));
        found = 0;
        store_read(checkpoint_store(cp), key, sizeof key, count, &found, &why);
        if (found != 1)
            bench_die("a key is not there");
    }
    printf("  one key, at random: %.1f us\n", since(start) / GETS * 1e6);
}

static void bench_outbox(struct checkpoint *cp)
{
    struct outbox *ob = checkpoint_outbox(cp);
    struct outbox_entry entry;
    char text[300];

    memset(text, 'x', sizeof text);
    int64_t start = clock_monotonic();
    for (int i = 0; i < MESSAGES; i += 1000) {
        struct epoch *ep = epoch_new();
        for (int k = 0; k < 1000; k++) {
            struct epoch_message *m = epoch_message_add(ep);
            m->text = mem_strndup(text, sizeof text);
            m->len = sizeof text;
            m->sink = mem_calloc(1, sizeof *m->sink);
            m->n_sinks = 1;
        }
        checkpoint_submit(cp, ep);
    }
    settle(cp);
    double in = since(start);
    start = clock_monotonic();
    for (int i = 0; i < MESSAGES; i++) {
        if (!outbox_next(ob, 0, 0, &entry))
            bench_die("a message is not there");
        mem_free(entry.text);
        if (i % 100 == 99)
            outbox_ack(ob, 0, entry.seq, "", 0);
    }
    printf("  messages of %zu bytes: %.0f /s into the outbox, %.0f /s out of it\n", sizeof text,
           MESSAGES / in, MESSAGES / since(start));
}

int main(int argc, char **argv)
{
    static const struct outbox_sink sink = {.name = "out"};
    struct checkpoint_options opt = {.create = true};
    uint64_t random = 7;

    bench_check_build();
    if (argc < 2)
        bench_die("usage: bench_store DIR [RECORDS]");
    opt.dir = argv[1];
    uint32_t n = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 100000;
    buf_init(&why);
    struct checkpoint *cp = checkpoint_open(&opt, &why);
    if (!cp)
        bench_die("%s", why.data);
    outbox_configure(checkpoint_outbox(cp), &sink, 1, &why);
    checkpoint_start(cp);
    bench_batches(cp, &random, n);
    bench_reading(cp, &random, n);
    bench_outbox(cp);
    checkpoint_free(&cp);
    int64_t start = clock_monotonic();
    cp = checkpoint_open(&opt, &why);
    if (!cp)
        bench_die("%s", why.data);
    printf("  opening it again: %.3f s\n", since(start));
    checkpoint_free(&cp);
    buf_fini(&why);
    return 0;
}
