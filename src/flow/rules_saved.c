// SPDX-License-Identifier: Apache-2.0
#include "flow/rules_saved.h"

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/reader.h"
#include "state/space.h"
#include "state/store.h"

enum { CODEC_VERSION = 1, POSITION = 'p', WISH = 'w', ANSWER = 'a' };

/* ---- keys ---------------------------------------------------------------------------------------------- */

static void begin_key(struct buf *key, int what)
{
    buf_add_u8(key, SPACE_RULES_TOPIC);
    buf_add_u8(key, (uint8_t)what);
}

static void position_key(struct buf *key, const char *topic, int32_t partition)
{
    uint8_t number[4];

    begin_key(key, POSITION);
    buf_add(key, topic, strlen(topic) + 1);
    key_put_u32(number, (uint32_t)partition);
    buf_add(key, number, sizeof number);
}

static void wish_key(struct buf *key, const char *topic, const char *name)
{
    begin_key(key, WISH);
    buf_add(key, topic, strlen(topic) + 1);
    buf_adds(key, name);
}

static void answer_key(struct buf *key, uint64_t number)
{
    uint8_t bytes[8];

    begin_key(key, ANSWER);
    key_put_u64(bytes, number);
    buf_add(key, bytes, sizeof bytes);
}

/* Of a key: what is behind the topic; NULL: it is none of these. */
static const char *behind_topic(const char *key, size_t len, size_t *left_out)
{
    const char *end = len > 2 ? memchr(key + 2, '\0', len - 2) : NULL;

    *left_out = end ? len - (size_t)(end + 1 - key) : 0;
    return end ? end + 1 : NULL;
}

/* ---- values -------------------------------------------------------------------------------------------- */

void rules_answer_fini(struct rules_answer *answer)
{
    mem_free(answer->key);
    mem_free(answer->text);
    *answer = (struct rules_answer){0};
}

static bool decode_position(const void *data, size_t len, struct topic_position *pos)
{
    struct reader r;

    reader_init(&r, data, len);
    r.bad |= reader_varint(&r) != CODEC_VERSION;
    pos->next = reader_varint(&r);
    uint64_t n = reader_varint(&r);
    r.bad |= n > TOPIC_ANCHORS;
    pos->n_anchors = r.bad ? 0 : (size_t)n;
    for (size_t i = 0; i < pos->n_anchors; i++) {
        pos->anchor[i].offset = reader_varint(&r);
        pos->anchor[i].hash = reader_u64(&r);
        r.bad |= pos->anchor[i].offset >= pos->next || (i > 0 && pos->anchor[i].offset <= pos->anchor[i - 1].offset);
    }
    return !r.bad && reader_left(&r) == 0;
}

static bool decode_answer(const void *data, size_t len, struct rules_answer *answer)
{
    struct reader r;
    size_t n = 0;

    reader_init(&r, data, len);
    r.bad |= reader_varint(&r) != CODEC_VERSION;
    uint8_t has_key = reader_u8(&r);
    const char *key = reader_bytes(&r, &answer->key_len);
    const char *text = reader_bytes(&r, &n);
    r.bad |= has_key > 1 || (!has_key && answer->key_len > 0) || reader_left(&r) > 0;
    if (r.bad)
        return false;
    answer->key = has_key ? mem_strndup(key, answer->key_len) : NULL;
    answer->text = mem_strndup(text, n);
    answer->len = n;
    return true;
}

/* ---- writing ------------------------------------------------------------------------------------------- */

/* Frees both. */
static void put(struct store_batch *batch, struct buf *key, struct buf *value)
{
    store_batch_put(batch, key->data, key->len, value->data, value->len);
    buf_fini(key);
    buf_fini(value);
}

void rules_saved_put_position(struct store_batch *batch, const char *topic, const struct topic_position *pos)
{
    struct buf key, value;

    buf_init(&key);
    buf_init(&value);
    position_key(&key, topic, pos->partition);
    buf_add_varint(&value, CODEC_VERSION);
    buf_add_varint(&value, pos->next);
    buf_add_varint(&value, pos->n_anchors);
    for (size_t i = 0; i < pos->n_anchors; i++) {
        buf_add_varint(&value, pos->anchor[i].offset);
        buf_add_u64(&value, pos->anchor[i].hash);
    }
    put(batch, &key, &value);
}

void rules_saved_put_wish(struct store_batch *batch, const char *topic, const struct rules_wish *wish)
{
    struct buf key, value;

    buf_init(&key);
    buf_init(&value);
    wish_key(&key, topic, wish->name);
    rules_wish_encode(&value, wish);
    put(batch, &key, &value);
}

void rules_saved_remove_wish(struct store_batch *batch, const char *topic, const char *name)
{
    struct buf key;

    buf_init(&key);
    wish_key(&key, topic, name);
    store_batch_remove(batch, key.data, key.len);
    buf_fini(&key);
}

void rules_saved_put_answer(struct store_batch *batch, const struct rules_answer *answer)
{
    struct buf key, value;

    buf_init(&key);
    buf_init(&value);
    answer_key(&key, answer->number);
    buf_add_varint(&value, CODEC_VERSION);
    buf_add_u8(&value, answer->key != NULL);
    buf_add_bytes(&value, answer->key ? answer->key : "", answer->key ? answer->key_len : 0);
    buf_add_bytes(&value, answer->text, answer->len);
    put(batch, &key, &value);
}

void rules_saved_remove_answer(struct store_batch *batch, uint64_t number)
{
    struct buf key;

    buf_init(&key);
    answer_key(&key, number);
    store_batch_remove(batch, key.data, key.len);
    buf_fini(&key);
}

/* ---- reading ------------------------------------------------------------------------------------------- */

struct reading {
    const char *topic;
    struct rules_saved *saved;
    bool bad;
};

static bool is_of_topic(struct reading *rd, const char *key)
{
    return strcmp(key + 2, rd->topic) == 0;
}

/* Each takes one record; false: it is damaged. */
static bool take_position(struct reading *rd, const char *key, const char *rest, size_t left, const void *value,
                          size_t len)
{
    struct rules_saved *saved = rd->saved;
    struct topic_position pos = {0};

    if (left != 4 || key_get_u32((const uint8_t *)rest) > INT32_MAX || !decode_position(value, len, &pos))
        return false;
    pos.partition = (int32_t)key_get_u32((const uint8_t *)rest);
    if (!is_of_topic(rd, key)) {
        saved->others = true;
        return true;
    }
    saved->position = vec_reserve(saved->position, &saved->cap_positions, saved->n_positions + 1, sizeof pos);
    saved->position[saved->n_positions++] = pos;
    return true;
}

static bool take_wish(struct reading *rd, const char *key, const char *rest, size_t left, const void *value, size_t len)
{
    struct rules_saved *saved = rd->saved;
    struct rules_wish wish;

    if (!rules_wish_decode(value, len, &wish))
        return false;
    bool same = strlen(wish.name) == left && memcmp(wish.name, rest, left) == 0;
    if (!same || !is_of_topic(rd, key)) {
        rules_wish_fini(&wish);
        return same;
    }
    saved->wish = vec_reserve(saved->wish, &saved->cap_wishes, saved->n_wishes + 1, sizeof wish);
    saved->wish[saved->n_wishes++] = wish;
    return true;
}

static bool take_answer(struct reading *rd, const char *key, size_t key_len, const void *value, size_t len)
{
    struct rules_saved *saved = rd->saved;
    struct rules_answer answer = {0};

    if (key_len != 10 || !decode_answer(value, len, &answer))
        return false;
    answer.number = key_get_u64((const uint8_t *)key + 2);
    saved->answer = vec_reserve(saved->answer, &saved->cap_answers, saved->n_answers + 1, sizeof answer);
    saved->answer[saved->n_answers++] = answer;
    return answer.number > 0;
}

static bool take(void *ctx, const void *key_bytes, size_t key_len, const void *value, size_t len)
{
    struct reading *rd = ctx;
    const char *key = key_bytes;
    size_t left;
    const char *rest = behind_topic(key, key_len, &left);
    bool fine = false;

    if (key_len > 2 && key[1] == ANSWER)
        fine = take_answer(rd, key, key_len, value, len);
    else if (rest && key[1] == POSITION)
        fine = take_position(rd, key, rest, left, value, len);
    else if (rest && key[1] == WISH)
        fine = take_wish(rd, key, rest, left, value, len);
    rd->bad |= !fine;
    return fine;
}

bool rules_saved_read(struct store *st, const char *topic, struct rules_saved *saved_out, struct buf *why)
{
    static const uint8_t space = SPACE_RULES_TOPIC;
    struct reading rd = {topic, saved_out, false};

    *saved_out = (struct rules_saved){0};
    if (store_read(st, &space, 1, take, &rd, why) == STORE_OK && !rd.bad)
        return true;
    if (rd.bad)
        buf_adds(why, "a record of the topic of rules is damaged");
    rules_saved_fini(saved_out);
    return false;
}

void rules_saved_fini(struct rules_saved *saved)
{
    for (size_t i = 0; i < saved->n_wishes; i++)
        rules_wish_fini(&saved->wish[i]);
    for (size_t i = 0; i < saved->n_answers; i++)
        rules_answer_fini(&saved->answer[i]);
    mem_free(saved->position);
    mem_free(saved->wish);
    mem_free(saved->answer);
    *saved = (struct rules_saved){0};
}

bool rules_saved_is_fine(const void *key, size_t key_len, const void *value, size_t len)
{
    struct rules_saved saved = {0};
    struct reading rd = {"", &saved, false};

    take(&rd, key, key_len, value, len);
    rules_saved_fini(&saved);
    return !rd.bad;
}
