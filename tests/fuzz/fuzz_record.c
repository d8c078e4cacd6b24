// SPDX-License-Identifier: Apache-2.0
/*
 * Any bytes as a record of the database, or as LevelDB's log. What can be decoded is coded again to the
 * same bytes. The first byte says which kind.
 */
#include <fuzz/fuzz.h>

#include <string.h>

#include "base/buf.h"
#include "flow/courier_saved.h"
#include "flow/position.h"
#include "state/database.h"
#include "state/dead_letter.h"
#include "state/modules.h"
#include "state/outbox_record.h"
#include "state/space.h"
#include "state/store_batch.h"
#include "state/store_log.h"
#include "state/table_version.h"

static void same(const char *what, const struct buf *again, const uint8_t *data, size_t len)
{
    if (again->len != len || (len && memcmp(again->data, data, len) != 0))
        fuzz_fail("%s: %zu bytes were decoded and are coded as %zu others", what, len, again->len);
}

static void dead_letter(const uint8_t *data, size_t len, struct buf *b)
{
    uint8_t key[9] = {SPACE_DEAD};
    struct dead_letter letter;

    if (!dead_letter_decode(key, sizeof key, data, len, &letter))
        return;
    dead_letter_encode(&letter, b);
    struct dead_letter again;
    if (!dead_letter_decode(key, sizeof key, b->data, b->len, &again) || again.len != letter.len ||
        again.time != letter.time)
        fuzz_fail("a dead letter does not come back");
}

static void entry(const uint8_t *data, size_t len, struct buf *b)
{
    struct outbox_entry_record record, again;

    if (!outbox_entry_decode(data, len, &record))
        return;
    outbox_entry_encode(&record, b);
    if (!outbox_entry_decode(b->data, b->len, &again) || again.is_alert != record.is_alert ||
        again.direct != record.direct || again.at != record.at || again.len != record.len ||
        memcmp(again.text, record.text, record.len) != 0)
        fuzz_fail("an entry does not come back");
    if (data[0] != 1) /* of an older version: it becomes one of the newest */
        same("an entry", b, data, len);
}

static void sink(const uint8_t *data, size_t len, struct buf *b)
{
    struct outbox_sink_record record, again;

    if (!outbox_sink_decode(data, len, &record))
        return;
    outbox_sink_encode(&record, b);
    if (!outbox_sink_decode(b->data, b->len, &again) || again.next != record.next ||
        again.position_len != record.position_len)
        fuzz_fail("a sink does not come back");
}

static void modules(const uint8_t *data, size_t len, struct buf *b)
{
    struct modules mods, again;

    if (modules_decode(data, len, &mods)) {
        modules_encode(b, &mods);
        if (!modules_decode(b->data, b->len, &again) || again.n != mods.n)
            fuzz_fail("modules do not come back");
        modules_fini(&again);
    }
    modules_fini(&mods);
}

static void meta(const uint8_t *data, size_t len)
{
    static const char *const keys[] = {"mdatabase", "mepoch", "mdead", "mother"};
    struct dead_letter_stats stats;
    struct database_meta about;
    bool known;

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        database_read_meta(&about, keys[i], strlen(keys[i]), data, len, &known);
        dead_letters_read_stats(keys[i], strlen(keys[i]), data, len, &stats, &known);
    }
}

static void position(const uint8_t *data, size_t len)
{
    static const char key[] = "s\0p\0\0\0\0\1";
    struct position pos;
    const char *why = NULL;

    position_init(&pos);
    if (!position_decode(&pos, key, sizeof key - 1, data, len, &why) && !why)
        fuzz_fail("a position is refused without a word");
    position_fini(&pos);
}

static void courier(const uint8_t *data, size_t len, struct buf *b)
{
    struct courier_saved saved, again;

    if (!courier_saved_decode(data, len, &saved))
        return;
    courier_saved_encode(&saved, b);
    if (!courier_saved_decode(b->data, b->len, &again) ||
        again.disabled_since != saved.disabled_since ||
        memcmp(again.url, saved.url, sizeof saved.url) != 0)
        fuzz_fail("what is saved of a webhook does not come back");
}

static void found_table(void *ctx, const void *key, size_t key_len, const void *value, size_t len)
{
    (void)key, (void)key_len;
    buf_add(ctx, value, len);
}

static void table(const uint8_t *data, size_t len, struct buf *b)
{
    static const char key[] = "tvname\0\0\0\0\0\0\0\0\7";
    struct table_version version, again;

    if (!table_version_decode(key, sizeof key - 1, data, len, &version))
        return;
    struct store_batch *batch = store_batch_new();
    table_version_put(batch, &version);
    store_batch_each(batch, found_table, b);
    store_batch_free(&batch);
    if (!table_version_decode(key, sizeof key - 1, b->data, b->len, &again) ||
        again.kind != version.kind || again.rows != version.rows || again.data != version.data ||
        again.n_pieces != version.n_pieces || again.key_len != version.key_len)
        fuzz_fail("a version of a table does not come back");
}

static void leveldb_log(const uint8_t *data, size_t len)
{
    size_t torn_at;

    if (store_log_check(data, len, &torn_at) != STORE_LOG_WHOLE && torn_at >= len)
        fuzz_fail("a log is torn behind its end");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct buf b;

    if (size == 0)
        return 0;
    uint8_t kind = *data++ % 9;
    size--;
    buf_init(&b);
    if (kind == 0)
        dead_letter(data, size, &b);
    else if (kind == 1)
        entry(data, size, &b);
    else if (kind == 2)
        sink(data, size, &b);
    else if (kind == 3)
        modules(data, size, &b);
    else if (kind == 4)
        meta(data, size);
    else if (kind == 5)
        position(data, size);
    else if (kind == 6)
        leveldb_log(data, size);
    else if (kind == 7)
        courier(data, size, &b);
    else
        table(data, size, &b);
    buf_fini(&b);
    return 0;
}
