// SPDX-License-Identifier: Apache-2.0
/*
 * Damaged snapshots: the first byte says how many events are fed before one is taken, the second
 * which; then each four bytes are one change of it (place, kind, value). What engine_restore accepts
 * must take further events without a crash. Untouched, it must be accepted.
 */
#include <fuzz/damage.h>
#include <fuzz/fuzz.h>
#include <fuzz/rule_gen.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/reader.h"
#include "engine/engine.h"
#include "plan/program.h"

/* The time at which a restored engine is. */
static int64_t now_of(const struct buf *bytes)
{
    struct reader r;

    reader_init(&r, bytes->data, bytes->len);
    reader_u32(&r); /* TSNP */
    reader_varint(&r);
    return (int64_t)reader_u64(&r);
}

static void go_on(struct program *prog, const struct buf *bytes, bool untouched)
{
    struct feed feed;
    const char *why = "?";
    char *exact = malloc(bytes->len + !bytes->len);

    memcpy(exact, bytes->data, bytes->len);
    feed_open(&feed, prog);
    if (engine_restore(feed.engine, exact, bytes->len, &why)) {
        free(exact);
        exact = NULL;
        feed.offset = 1000;
        feed_renew(&feed);
        damage_feed(&feed, 99, DAMAGE_AFTER, now_of(bytes));
        feed_renew(&feed);
        feed_end(&feed);
    } else if (untouched) {
        fuzz_fail("an untouched snapshot is refused: %s", why);
    }
    free(exact);
    feed_close(&feed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct program *prog;
    struct fuzz_bytes fb = {data, data + size};
    uint32_t n = fuzz_below(&fb, 64);
    uint8_t seed = fuzz_byte(&fb);
    struct feed feed;
    struct buf bytes;
    int changes = 0;

    if (prog == NULL)
        prog = damage_program();
    buf_init(&bytes);
    feed_open(&feed, prog);
    damage_feed(&feed, seed, n, INT64_C(1800000000000000000));
    engine_snapshot(feed.engine, &bytes);
    feed_close(&feed);
    for (; changes < DAMAGE_MOST && fb.p < fb.end; changes++)
        damage_bytes(&fb, &bytes);
    go_on(prog, &bytes, changes == 0);
    buf_fini(&bytes);
    return 0;
}
