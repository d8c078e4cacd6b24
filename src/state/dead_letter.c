// SPDX-License-Identifier: Apache-2.0
#include "state/dead_letter.h"

#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/reader.h"
#include "state/space.h"

enum { LETTER_VERSION = 1, COUNTS_VERSION = 1 };
enum { KEY_BYTES = 9 };
enum { OLD_CHUNK = 4096 }; /* of the oldest, whose sizes are read at once */
enum { FLAG_SINK = 1, FLAG_ALERT = 2 };

static const char counts_key[] = {SPACE_META, 'd', 'e', 'a', 'd'};

struct old {
    uint64_t seq;
    uint64_t bytes;
};

struct dead_letters {
    struct store *store; /* borrowed */
    uint64_t max_bytes, max_count;
    uint64_t next;  /* number of the next one */
    uint64_t first; /* none below it is there */
    struct dead_letter_stats stats;
    bool changed;
    struct old *old; /* [n_old], from at_old on: the oldest that are in the store */
    size_t n_old, cap_old, at_old;
};

/* ---- records --------------------------------------------------------------------------------- */

static void put_key(uint8_t key[KEY_BYTES], uint64_t seq)
{
    key[0] = SPACE_DEAD;
    key_put_u64(key + 1, seq);
}

void dead_letter_encode(const struct dead_letter *letter, struct buf *value_out)
{
    buf_add_u8(value_out, LETTER_VERSION);
    buf_add_u8(value_out, (uint8_t)((letter->of_sink ? FLAG_SINK : 0) |
                                    (letter->is_alert ? FLAG_ALERT : 0)));
    buf_add_u64(value_out, (uint64_t)letter->time);
    buf_add_bytes(value_out, letter->origin, letter->origin_len);
    buf_add_bytes(value_out, letter->reason, letter->reason_len);
    buf_add_bytes(value_out, letter->text, letter->len);
}

bool dead_letter_decode(const void *key, size_t key_len, const void *value, size_t len,
                        struct dead_letter *letter_out)
{
    struct reader r;

    if (key_len != KEY_BYTES)
        return false;
    reader_init(&r, value, len);
    uint8_t version = reader_u8(&r), flags = reader_u8(&r);
    letter_out->seq = key_get_u64((const uint8_t *)key + 1);
    letter_out->of_sink = flags & FLAG_SINK;
    letter_out->is_alert = flags & FLAG_ALERT;
    letter_out->time = (int64_t)reader_u64(&r);
    letter_out->origin = reader_bytes(&r, &letter_out->origin_len);
    letter_out->reason = reader_bytes(&r, &letter_out->reason_len);
    letter_out->text = reader_bytes(&r, &letter_out->len);
    return version == LETTER_VERSION && flags <= (FLAG_SINK | FLAG_ALERT) && !r.bad &&
           reader_left(&r) == 0;
}

static void put_counts(const struct dead_letters *dl, struct store_batch *batch)
{
    struct buf b;

    buf_init(&b);
    buf_add_u8(&b, COUNTS_VERSION);
    buf_add_u64(&b, dl->next);
    buf_add_u64(&b, dl->first);
    buf_add_u64(&b, dl->stats.count);
    buf_add_u64(&b, dl->stats.bytes);
    buf_add_u64(&b, dl->stats.pushed_out);
    store_batch_put(batch, counts_key, sizeof counts_key, b.data, b.len);
    buf_fini(&b);
}

static bool read_counts(struct dead_letters *dl, const void *value, size_t len)
{
    struct reader r;

    reader_init(&r, value, len);
    uint8_t version = reader_u8(&r);
    dl->next = reader_u64(&r);
    dl->first = reader_u64(&r);
    dl->stats.count = reader_u64(&r);
    dl->stats.bytes = reader_u64(&r);
    dl->stats.pushed_out = reader_u64(&r);
    dl->stats.added = dl->next - 1;
    return version == COUNTS_VERSION && !r.bad && reader_left(&r) == 0 && dl->next > 0;
}

bool dead_letters_read_stats(const void *key, size_t key_len, const void *value, size_t len,
                             struct dead_letter_stats *stats_out, bool *known_out)
{
    struct dead_letters dl = {0};

    *known_out = key_len == sizeof counts_key && memcmp(key, counts_key, key_len) == 0;
    if (!*known_out)
        return true;
    bool ok = read_counts(&dl, value, len);
    *stats_out = dl.stats;
    return ok;
}

/* ---- what is there --------------------------------------------------------------------------- */

struct dead_letters *dead_letters_open(struct store *st, uint64_t max_bytes, uint64_t max_count,
                                       struct buf *why)
{
    struct dead_letters *dl = mem_calloc(1, sizeof *dl);
    struct buf value;
    bool found;

    *dl = (struct dead_letters){.store = st, .max_bytes = max_bytes, .max_count = max_count,
                                .next = 1, .first = 1};
    buf_init(&value);
    bool ok = store_get(st, counts_key, sizeof counts_key, &found, &value, why) == STORE_OK;
    if (ok && found && !read_counts(dl, value.data, value.len)) {
        ok = false;
        buf_adds(why, "the record of the dead letters is damaged, or of a later version");
    }
    if (!ok)
        dead_letters_free(&dl);
    buf_fini(&value);
    return dl;
}

void dead_letters_free(struct dead_letters **dl)
{
    if (!*dl)
        return;
    mem_free((*dl)->old);
    mem_free(*dl);
    *dl = NULL;
}

void dead_letters_add(struct dead_letters *dl, struct store_batch *batch,
                      const struct dead_letter *letter)
{
    uint8_t key[KEY_BYTES];
    struct buf value;

    buf_init(&value);
    dead_letter_encode(letter, &value);
    put_key(key, dl->next++);
    store_batch_put(batch, key, sizeof key, value.data, value.len);
    dl->stats.count++;
    dl->stats.added++;
    dl->stats.bytes += value.len;
    dl->changed = true;
    buf_fini(&value);
}

void dead_letters_remove(struct dead_letters *dl, struct store_batch *batch, uint64_t seq,
                         size_t value_len)
{
    uint8_t key[KEY_BYTES];

    put_key(key, seq);
    store_batch_remove(batch, key, sizeof key);
    dl->stats.count -= dl->stats.count > 0;
    dl->stats.bytes -= value_len < dl->stats.bytes ? value_len : dl->stats.bytes;
    if (dl->stats.count == 0)
        dl->first = dl->next;
    else if (seq == dl->first)
        dl->first++;
    dl->n_old = dl->at_old = 0; /* it may be one of them */
    dl->changed = true;
}

static bool found_old(void *ctx, const void *key, size_t key_len, const void *value, size_t len)
{
    struct dead_letters *dl = ctx;

    (void)value;
    if (key_len != KEY_BYTES)
        return true;
    dl->old = vec_reserve(dl->old, &dl->cap_old, dl->n_old + 1, sizeof *dl->old);
    dl->old[dl->n_old++] = (struct old){key_get_u64((const uint8_t *)key + 1), len};
    return dl->n_old < OLD_CHUNK;
}

/* The oldest one in the store; NULL: none (what the batch itself brings is not there yet). */
static const struct old *oldest(struct dead_letters *dl)
{
    static const uint8_t space = SPACE_DEAD;
    uint8_t from[KEY_BYTES];
    struct buf why;

    if (dl->at_old == dl->n_old) {
        buf_init(&why);
        dl->n_old = dl->at_old = 0;
        put_key(from, dl->first);
        if (store_read_from(dl->store, &space, 1, from, sizeof from, found_old, dl, &why) !=
            STORE_OK)
            log_line(LOG_ERROR, LOG_checkpoint, "dead letters cannot be read", "why=\"%s\"",
                     why.data);
        buf_fini(&why);
    }
    return dl->at_old < dl->n_old ? &dl->old[dl->at_old++] : NULL;
}

void dead_letters_finish(struct dead_letters *dl, struct store_batch *batch)
{
    uint64_t gone = 0;
    const struct old *old;
    uint8_t key[KEY_BYTES];

    while ((dl->stats.count > dl->max_count || dl->stats.bytes > dl->max_bytes) &&
           (old = oldest(dl))) {
        put_key(key, old->seq);
        store_batch_remove(batch, key, sizeof key);
        dl->stats.count--;
        dl->stats.bytes -= old->bytes;
        dl->first = old->seq + 1;
        gone++;
    }
    if (gone) {
        dl->stats.pushed_out += gone;
        dl->changed = true;
        log_line(LOG_WARNING, LOG_checkpoint, "the oldest dead letters made room for new ones",
                 "n=%" PRIu64 " all=%" PRIu64, gone, dl->stats.pushed_out);
    }
    if (dl->changed)
        put_counts(dl, batch);
    dl->changed = false;
}

struct dead_letter_stats dead_letters_stats(const struct dead_letters *dl)
{
    return dl->stats;
}

/* ---- list ------------------------------------------------------------------------------------ */

struct list {
    dead_letter_found_fn *found;
    void *ctx;
    bool damaged;
};

static bool found_letter(void *ctx, const void *key, size_t key_len, const void *value, size_t len)
{
    struct list *list = ctx;
    struct dead_letter letter;

    if (!dead_letter_decode(key, key_len, value, len, &letter)) {
        list->damaged = true;
        return false;
    }
    return list->found(list->ctx, &letter, len);
}

enum store_result dead_letter_list(struct store *st, uint64_t first, dead_letter_found_fn *found,
                                   void *ctx, struct buf *why)
{
    static const uint8_t space = SPACE_DEAD;
    struct list list = {found, ctx, false};
    uint8_t from[KEY_BYTES];

    put_key(from, first);
    enum store_result result =
        store_look(st, &space, 1, from, sizeof from, false, found_letter, &list, why);
    if (result == STORE_OK && list.damaged) {
        buf_adds(why, "a dead letter is damaged, or of a later version");
        result = STORE_CORRUPT;
    }
    return result;
}
