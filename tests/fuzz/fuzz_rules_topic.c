// SPDX-License-Identifier: Apache-2.0
/*
 * A record of a topic of rules - key, value, headers, by lengths of a byte each - becomes a wish or is refused with a
 * reason, and the wish comes back from the database as it was; the same bytes as records of the database are refused,
 * or are written again the same.
 */
#include <fuzz/fuzz.h>

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "flow/rules_saved.h"
#include "flow/rules_wish.h"
#include "io/topic_reader.h"
#include "state/space.h"

struct bytes {
    const uint8_t *at;
    size_t left;
};

/* Owned; NULL: there is none. 255: nothing. */
static char *take(struct bytes *b, size_t *len_out)
{
    size_t len = b->left > 0 ? *b->at : 255;

    *len_out = 0;
    b->at += b->left > 0;
    b->left -= b->left > 0;
    if (len == 255)
        return NULL;
    len = len < b->left ? len : b->left;
    char *text = mem_strndup((const char *)b->at, len);
    b->at += len;
    b->left -= len;
    *len_out = len;
    return text;
}

static void check_same(const struct rules_wish *wish)
{
    struct rules_wish again;
    struct buf one, two;

    buf_init(&one);
    buf_init(&two);
    rules_wish_encode(&one, wish);
    if (!rules_wish_decode(one.data, one.len, &again))
        fuzz_fail("what was written is not read");
    rules_wish_encode(&two, &again);
    if (one.len != two.len || memcmp(one.data, two.data, one.len) != 0)
        fuzz_fail("a wish comes back as another one");
    rules_wish_fini(&again);
    buf_fini(&one);
    buf_fini(&two);
}

static void read_record(const uint8_t *data, size_t size)
{
    struct topic_record *record = mem_calloc(1, sizeof *record);
    struct bytes b = {data, size};
    struct rules_wish wish;
    struct buf why;

    record->key = take(&b, &record->key_len);
    record->value = take(&b, &record->len);
    record->too_long = !record->value && b.left > 0 && (*b.at & 1);
    record->len = record->too_long ? 12345 : record->len;
    while (b.left > 0 && record->n_headers < TOPIC_HEADERS_MOST) {
        struct topic_header *header = &record->header[record->n_headers++];
        size_t len;
        header->name = take(&b, &len);
        header->value = take(&b, &header->len);
        if (!header->name)
            header->name = mem_strndup("on_reload", 9);
    }
    buf_init(&why);
    enum rules_fault fault = rules_wish_read(record, &wish, &why);
    if ((fault == RULES_FINE) != (why.len == 0))
        fuzz_fail("refused without a reason");
    if (fault == RULES_FINE && !wish.name)
        fuzz_fail("a wish without a name");
    if (fault == RULES_FINE)
        check_same(&wish);
    buf_fini(&why);
    rules_wish_fini(&wish);
    topic_record_free(&record);
}

static void read_saved(const uint8_t *data, size_t size)
{
    static const char *const key[] = {"p" "t\0\0\0\0\1", "w" "t\0name", "a" "\0\0\0\0\0\0\0\1"};
    static const size_t key_len[] = {7, 7, 9};
    struct rules_wish wish;
    struct buf again;

    for (int i = 0; i < 3; i++) {
        char whole[16] = {(char)SPACE_RULES_TOPIC};
        memcpy(whole + 1, key[i], key_len[i]);
        rules_saved_is_fine(whole, key_len[i] + 1, data, size);
    }
    rules_saved_is_fine(data, size, data, size);
    if (!rules_wish_decode(data, size, &wish))
        return;
    buf_init(&again);
    rules_wish_encode(&again, &wish);
    if (again.len != size || memcmp(again.data, data, size) != 0)
        fuzz_fail("a wish is written otherwise than it was read");
    buf_fini(&again);
    rules_wish_fini(&wish);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_record(data, size);
    read_saved(data, size);
    return 0;
}
