// SPDX-License-Identifier: Apache-2.0
#include "state/audit.h"

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/reader.h"
#include "state/space.h"

enum { CODEC_VERSION = 1, N_TEXTS = 7, KEY_BYTES = 9 };

struct audit {
    uint64_t next;
};

static void put_key(uint8_t key[KEY_BYTES], uint64_t number)
{
    key[0] = SPACE_AUDIT;
    key_put_u64(key + 1, number);
}

static void texts_of(struct audit_entry *entry, const char **text[N_TEXTS])
{
    const char **all[N_TEXTS] = {&entry->who,    &entry->from,  &entry->what,  &entry->name,
                                 &entry->before, &entry->after, &entry->result};

    memcpy(text, all, sizeof all);
}

static bool found_number(void *ctx, const void *key, size_t key_len, const void *value, size_t len)
{
    struct audit *audit = ctx;

    (void)value, (void)len;
    if (key_len == KEY_BYTES)
        audit->next = key_get_u64((const uint8_t *)key + 1) + 1;
    return true;
}

struct audit *audit_open(struct store *st, struct buf *why)
{
    struct audit *audit = mem_calloc(1, sizeof *audit);
    static const uint8_t space = SPACE_AUDIT;

    audit->next = 1;
    if (store_read(st, &space, 1, found_number, audit, why) != STORE_OK)
        audit_free(&audit);
    return audit;
}

void audit_free(struct audit **audit)
{
    mem_free(*audit);
    *audit = NULL;
}

uint64_t audit_next(const struct audit *audit)
{
    return audit->next;
}

uint64_t audit_reserve(struct audit *audit)
{
    return audit->next++;
}

void audit_add(struct audit *audit, struct store_batch *batch, const struct audit_entry *entry)
{
    struct audit_entry numbered = *entry;

    numbered.number = audit_reserve(audit);
    audit_put(batch, &numbered);
}

void audit_put(struct store_batch *batch, const struct audit_entry *entry)
{
    struct audit_entry copy = *entry;
    const char **text[N_TEXTS];
    uint8_t key[KEY_BYTES];
    struct buf value;

    buf_init(&value);
    buf_add_varint(&value, CODEC_VERSION);
    buf_add_u64(&value, (uint64_t)entry->time);
    texts_of(&copy, text);
    for (int i = 0; i < N_TEXTS; i++)
        buf_add_bytes(&value, *text[i], strlen(*text[i]));
    put_key(key, entry->number);
    store_batch_put(batch, key, sizeof key, value.data, value.len);
    if (entry->number > AUDIT_MOST) {
        put_key(key, entry->number - AUDIT_MOST);
        store_batch_remove(batch, key, sizeof key);
    }
    buf_fini(&value);
}

bool audit_decode(const void *key, size_t key_len, const void *value, size_t len, struct buf *texts,
                  struct audit_entry *entry_out)
{
    const char **text[N_TEXTS];
    size_t at[N_TEXTS];
    struct reader r;

    *entry_out = (struct audit_entry){0};
    if (key_len != KEY_BYTES)
        return false;
    entry_out->number = key_get_u64((const uint8_t *)key + 1);
    reader_init(&r, value, len);
    if (reader_varint(&r) != CODEC_VERSION)
        return false;
    entry_out->time = (int64_t)reader_u64(&r);
    buf_clear(texts);
    for (int i = 0; i < N_TEXTS; i++) {
        size_t text_len = 0;
        const char *bytes = reader_bytes(&r, &text_len);
        at[i] = texts->len;
        if (!r.bad)
            buf_add(texts, bytes, text_len);
        buf_addc(texts, '\0');
    }
    texts_of(entry_out, text);
    for (int i = 0; i < N_TEXTS; i++)
        *text[i] = texts->data + at[i];
    return !r.bad && reader_left(&r) == 0;
}

struct listing {
    audit_found_fn *found;
    void *ctx;
    struct buf texts;
    bool damaged;
};

static bool found_record(void *ctx, const void *key, size_t key_len, const void *value, size_t len)
{
    struct listing *listing = ctx;
    struct audit_entry entry;

    listing->damaged = !audit_decode(key, key_len, value, len, &listing->texts, &entry);
    return !listing->damaged && listing->found(listing->ctx, &entry);
}

enum store_result audit_list(struct store *st, uint64_t first, audit_found_fn *found, void *ctx,
                             struct buf *why)
{
    struct listing listing = {.found = found, .ctx = ctx};
    uint8_t key[KEY_BYTES];

    buf_init(&listing.texts);
    put_key(key, first);
    enum store_result result =
        store_read_from(st, key, 1, key, sizeof key, found_record, &listing, why);
    buf_fini(&listing.texts);
    if (result == STORE_OK && listing.damaged) {
        buf_adds(why, "an entry of the audit log is damaged");
        return STORE_CORRUPT;
    }
    return result;
}
