// SPDX-License-Identifier: Apache-2.0
#include "io/post_key.h"

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/reader.h"

enum { NOTE_VERSION = 1 };

/* ---- notes ------------------------------------------------------------------------------------ */

void post_key_put(struct buf *out, const struct post_key *key)
{
    buf_add_u8(out, NOTE_VERSION);
    buf_add_bytes(out, key->key, key->key_len);
    buf_add(out, key->body, sizeof key->body);
    buf_add_varint(out, key->accepted);
    buf_add_varint(out, key->rejected);
    buf_add_bytes(out, key->rejects, key->rejects_len);
}

bool post_key_get(struct post_key *key_out, const void *data, size_t len)
{
    struct reader r;

    *key_out = (struct post_key){.key = NULL};
    reader_init(&r, data, len);
    bool ok = reader_u8(&r) == NOTE_VERSION;
    key_out->key = reader_bytes(&r, &key_out->key_len);
    for (size_t i = 0; i < sizeof key_out->body; i++)
        key_out->body[i] = reader_u8(&r);
    key_out->accepted = reader_varint(&r);
    key_out->rejected = reader_varint(&r);
    key_out->rejects = reader_bytes(&r, &key_out->rejects_len);
    return ok && !r.bad && reader_left(&r) == 0 && key_out->key_len > 0 &&
           key_out->key_len <= POST_KEY_LONGEST;
}

/* ---- those that are kept ---------------------------------------------------------------------- */

struct note {
    char *data; /* owned */
    size_t len;
    size_t key_at, key_len; /* where the key is in data */
};

struct post_keys {
    struct note *note; /* owned; oldest first */
    size_t n, cap;
    uint64_t bytes, most;
};

struct post_keys *post_keys_new(uint64_t most_bytes)
{
    struct post_keys *keys = mem_calloc(1, sizeof *keys);

    keys->most = most_bytes;
    return keys;
}

void post_keys_free(struct post_keys **keys)
{
    if (!*keys)
        return;
    for (size_t i = 0; i < (*keys)->n; i++)
        mem_free((*keys)->note[i].data);
    mem_free((*keys)->note);
    mem_free(*keys);
    *keys = NULL;
}

static void drop(struct post_keys *keys, size_t i)
{
    keys->bytes -= keys->note[i].len;
    mem_free(keys->note[i].data);
    memmove(keys->note + i, keys->note + i + 1, (--keys->n - i) * sizeof *keys->note);
}

/* SIZE_MAX: it is not there. */
static size_t find(const struct post_keys *keys, const char *key, size_t len)
{
    for (size_t i = keys->n; i-- > 0;) {
        const struct note *note = &keys->note[i];
        if (note->key_len == len && memcmp(note->data + note->key_at, key, len) == 0)
            return i;
    }
    return SIZE_MAX;
}

void post_keys_add(struct post_keys *keys, const void *note, size_t len)
{
    struct post_key key;

    if (!post_key_get(&key, note, len))
        return;
    size_t at = find(keys, key.key, key.key_len);
    if (at != SIZE_MAX)
        drop(keys, at);
    keys->note = vec_reserve(keys->note, &keys->cap, keys->n + 1, sizeof *keys->note);
    keys->note[keys->n++] = (struct note){.data = mem_strndup(note, len),
                                          .len = len,
                                          .key_at = (size_t)(key.key - (const char *)note),
                                          .key_len = key.key_len};
    keys->bytes += len;
    while (keys->n > POST_KEYS_MOST || (keys->bytes > keys->most && keys->n > 1))
        drop(keys, 0);
}

bool post_keys_find(const struct post_keys *keys, const char *key, struct post_key *key_out)
{
    size_t at = find(keys, key, strlen(key));

    return at != SIZE_MAX && post_key_get(key_out, keys->note[at].data, keys->note[at].len);
}

void post_keys_remove(struct post_keys *keys, const char *key)
{
    size_t at = find(keys, key, strlen(key));

    if (at != SIZE_MAX)
        drop(keys, at);
}

void post_keys_each(const struct post_keys *keys, void (*found)(void *ctx, const void *note, size_t len),
                    void *ctx)
{
    for (size_t i = 0; i < keys->n; i++)
        found(ctx, keys->note[i].data, keys->note[i].len);
}
