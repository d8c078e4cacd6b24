// SPDX-License-Identifier: Apache-2.0
#include "state/module_version.h"

#include <string.h>

#include "base/buf.h"
#include "base/reader.h"
#include "state/space.h"

enum { CODEC_VERSION = 1 };

static bool name_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '.' || c == '_' || c == '-';
}

bool module_name_ok(const char *name)
{
    size_t len = strlen(name);

    if (len == 0 || len > MODULE_NAME_MOST)
        return false;
    for (const char *at = name; *at; at++) {
        bool begins = at == name || at[-1] == '/';
        if (begins ? *at == '.' || *at == '/' : *at == '/' && at[1] == '\0')
            return false;
        if (*at != '/' && !name_char(*at))
            return false;
    }
    return true;
}

/* The prefix of its versions. */
static void put_prefix(struct buf *key, const char *name)
{
    buf_addc(key, SPACE_VERSION);
    buf_add(key, name, strlen(name) + 1);
}

static void put_key(struct buf *key, const char *name, uint64_t number)
{
    uint8_t bytes[8];

    put_prefix(key, name);
    key_put_u64(bytes, number);
    buf_add(key, bytes, sizeof bytes);
}

void module_version_put(struct store_batch *batch, const char *name,
                        const struct module_version *version, uint32_t keep)
{
    struct buf key, value;

    buf_init(&key);
    buf_init(&value);
    put_key(&key, name, version->number);
    buf_add_varint(&value, CODEC_VERSION);
    buf_add_u64(&value, (uint64_t)version->time);
    buf_add_u8(&value, version->removed);
    buf_add_bytes(&value, version->who, version->who_len);
    buf_add_bytes(&value, version->text, version->len);
    store_batch_put(batch, key.data, key.len, value.data, value.len);
    if (version->number > keep)
        module_version_remove(batch, name, version->number - keep);
    buf_fini(&key);
    buf_fini(&value);
}

void module_version_remove(struct store_batch *batch, const char *name, uint64_t number)
{
    struct buf key;

    buf_init(&key);
    put_key(&key, name, number);
    store_batch_remove(batch, key.data, key.len);
    buf_fini(&key);
}

bool module_version_decode(const void *key, size_t key_len, const void *value, size_t len,
                           struct module_version *version_out)
{
    const char *bytes = key, *nul = key_len > 1 ? memchr(bytes + 1, '\0', key_len - 1) : NULL;
    struct reader r;

    *version_out = (struct module_version){0};
    if (!nul || (size_t)(bytes + key_len - nul) != 9)
        return false;
    version_out->number = key_get_u64((const uint8_t *)nul + 1);
    reader_init(&r, value, len);
    if (reader_varint(&r) != CODEC_VERSION)
        return false;
    version_out->time = (int64_t)reader_u64(&r);
    uint8_t removed = reader_u8(&r);
    version_out->removed = removed == 1;
    version_out->who = reader_bytes(&r, &version_out->who_len);
    version_out->text = reader_bytes(&r, &version_out->len);
    return !r.bad && removed <= 1 && reader_left(&r) == 0 && version_out->number > 0;
}

struct listing {
    module_version_found_fn *found;
    void *ctx;
    bool damaged;
};

static bool found_record(void *ctx, const void *key, size_t key_len, const void *value, size_t len)
{
    struct listing *listing = ctx;
    struct module_version version;

    listing->damaged = !module_version_decode(key, key_len, value, len, &version);
    return !listing->damaged && listing->found(listing->ctx, &version);
}

enum store_result module_version_list(struct store *st, const char *name,
                                      module_version_found_fn *found, void *ctx, struct buf *why)
{
    struct listing listing = {found, ctx, false};
    struct buf prefix;

    buf_init(&prefix);
    put_prefix(&prefix, name);
    enum store_result result =
        store_read(st, prefix.data, prefix.len, found_record, &listing, why);
    buf_fini(&prefix);
    if (result == STORE_OK && listing.damaged) {
        buf_printf(why, "a version of the module %s is damaged", name);
        return STORE_CORRUPT;
    }
    return result;
}

static bool take_last(void *ctx, const struct module_version *version)
{
    uint64_t *last = ctx;

    *last = version->number;
    return true;
}

enum store_result module_version_last(struct store *st, const char *name, uint64_t *number_out,
                                      struct buf *why)
{
    *number_out = 0;
    return module_version_list(st, name, take_last, number_out, why);
}
