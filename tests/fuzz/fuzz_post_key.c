// SPDX-License-Identifier: Apache-2.0
/* A note of a key (io/post_key.h): damaged, or said again it is the same; kept it is found by its key. */
#include <fuzz/fuzz.h>

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "io/post_key.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct post_keys *keys = post_keys_new(1000);
    struct post_key key, again, found;
    struct buf b;

    buf_init(&b);
    if (post_key_get(&key, data, size)) {
        post_key_put(&b, &key);
        if (!post_key_get(&again, b.data, b.len) || again.key_len != key.key_len ||
            memcmp(again.key, key.key, key.key_len) != 0 || again.accepted != key.accepted ||
            again.rejected != key.rejected || again.rejects_len != key.rejects_len ||
            memcmp(again.body, key.body, sizeof key.body) != 0)
            fuzz_fail("not the same when it is said again");
        char *name = mem_strndup(key.key, key.key_len);
        post_keys_add(keys, data, size);
        if (strlen(name) == key.key_len && (!post_keys_find(keys, name, &found) || found.accepted != key.accepted))
            fuzz_fail("it is not found");
        post_keys_remove(keys, name);
        if (post_keys_find(keys, name, &found))
            fuzz_fail("it is still there");
        mem_free(name);
    } else {
        post_keys_add(keys, data, size); /* passed over */
    }
    buf_fini(&b);
    post_keys_free(&keys);
    return 0;
}
