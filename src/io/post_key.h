// SPDX-License-Identifier: Apache-2.0
/*
 * post_key - the keys (Idempotency-Key) of posts that were accepted, with what was answered: the last
 * POST_KEYS_MOST of them, and no more bytes than was said. Each is a note in the spool (io/spool.h).
 */
#ifndef IO_POST_KEY_H
#define IO_POST_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct post_keys;

enum { POST_KEYS_MOST = 10000, POST_KEY_LONGEST = 255 };

struct post_key { /* borrowed texts */
    const char *key;
    size_t key_len;      /* 1 to POST_KEY_LONGEST */
    uint8_t body[16];    /* digest_id of it */
    uint64_t accepted, rejected;
    const char *rejects; /* JSON */
    size_t rejects_len;
};

void post_key_put(struct buf *out, const struct post_key *key);
/* Borrows data. False: damaged. */
bool post_key_get(struct post_key *key_out, const void *data, size_t len);

struct post_keys *post_keys_new(uint64_t most_bytes);
void post_keys_free(struct post_keys **keys);
/* The newest; copies the note. One that is there already is replaced. */
void post_keys_add(struct post_keys *keys, const void *note, size_t len);
/* Borrowed until the next change. */
bool post_keys_find(const struct post_keys *keys, const char *key, struct post_key *key_out);
void post_keys_remove(struct post_keys *keys, const char *key);
/* Oldest first. */
void post_keys_each(const struct post_keys *keys, void (*found)(void *ctx, const void *note, size_t len),
                    void *ctx);

#endif
