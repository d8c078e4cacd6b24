// SPDX-License-Identifier: Apache-2.0
/*
 * A record of a topic as a line: what is known of it is put in so that the same lines are JSON as without it, and
 * can be taken out again. A record cannot be made by hand: one comes from librdkafka's brokers for tests, and gets
 * another key, value and headers each time.
 *
 *     FLAGS KEY_LENGTH KEY [HEADERS: LENGTH NAME LENGTH VALUE ...] VALUE
 */
#include <fuzz/fuzz.h>

#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "event/json_decode.h"
#include "event/schema.h"
#include "io/source_kafka_priv.h"

enum { HAS_KEY = 1, HAS_VALUE = 2, HAS_HEADERS = 4, MAX_HEADERS = 8, PATIENCE_MS = 60000, LONGEST = 1 << 16 };

static rd_kafka_t *producer, *consumer; /* these live as long as the process */
static rd_kafka_topic_t *rkt;
static rd_kafka_message_t *record;
static struct schema *schema;
static struct decoder *decoder;
static struct source_kafka source = {.source = {.meta = "@kafka"}, .max_line = LONGEST};
static struct kafka_topic topic = {.name = (char *)(uintptr_t)"t"};

/* One real record. */
static void make_record(void)
{
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    char text[256];

    rd_kafka_conf_set(conf, "test.mock.num.brokers", "1", text, sizeof text);
    rd_kafka_conf_set(conf, "group.id", "g", text, sizeof text);
    rd_kafka_conf_set(conf, "log_level", "0", text, sizeof text);
    producer = rd_kafka_new(RD_KAFKA_PRODUCER, conf, text, sizeof text);
    if (!producer)
        fuzz_fail("%s", text);
    conf = rd_kafka_conf_new();
    const char *brokers = rd_kafka_mock_cluster_bootstraps(rd_kafka_handle_mock_cluster(producer));
    rd_kafka_conf_set(conf, "bootstrap.servers", brokers, text, sizeof text);
    consumer = rd_kafka_new(RD_KAFKA_CONSUMER, conf, text, sizeof text);
    if (!consumer || rd_kafka_producev(producer, RD_KAFKA_V_TOPIC("t"), RD_KAFKA_V_PARTITION(0), RD_KAFKA_V_VALUE("x", 1),
                                       RD_KAFKA_V_TIMESTAMP(1769904000000), RD_KAFKA_V_END) != RD_KAFKA_RESP_ERR_NO_ERROR ||
        rd_kafka_flush(producer, PATIENCE_MS) != RD_KAFKA_RESP_ERR_NO_ERROR)
        fuzz_fail("no record: %s", text);
    rkt = rd_kafka_topic_new(consumer, "t", NULL);
    rd_kafka_consume_start(rkt, 0, RD_KAFKA_OFFSET_BEGINNING);
    record = rd_kafka_consume(rkt, 0, PATIENCE_MS);
    if (!record || record->err)
        fuzz_fail("the record does not come");
}

static void prepare(void)
{
    uint32_t slot;

    if (record)
        return;
    make_record();
    schema = schema_new();
    schema_slot_text(schema, "@kafka.key", &slot);
    schema_seal(schema);
    decoder = decoder_new(schema, 64 * LONGEST);
    source.padding = decoder_padding();
    buf_init(&source.line);
}

/* ---- an input as a record ------------------------------------------------------------------------------ */

struct input {
    const uint8_t *p, *end;
};

static struct input piece(struct input *in)
{
    size_t len = in->p < in->end ? *in->p++ : 0;

    if (len > (size_t)(in->end - in->p))
        len = (size_t)(in->end - in->p);
    struct input found = {in->p, in->p + len};
    in->p += len;
    return found;
}

static rd_kafka_headers_t *headers_of(struct input *in)
{
    rd_kafka_headers_t *headers = rd_kafka_headers_new(MAX_HEADERS);

    for (int i = 0; i < MAX_HEADERS && in->p < in->end; i++) {
        struct input name = piece(in), value = piece(in);
        bool none = value.p == value.end && i % 2;
        rd_kafka_header_add(headers, (const char *)name.p, (ssize_t)(name.end - name.p), none ? NULL : (const char *)value.p,
                            none ? 0 : (ssize_t)(value.end - value.p));
    }
    return headers;
}

static void fill_record(struct input in)
{
    uint8_t flags = in.p < in.end ? *in.p++ : 0;
    struct input key = piece(&in);

    record->key = flags & HAS_KEY ? (void *)(uintptr_t)key.p : NULL;
    record->key_len = flags & HAS_KEY ? (size_t)(key.end - key.p) : 0;
    rd_kafka_message_set_headers(record, flags & HAS_HEADERS ? headers_of(&in) : rd_kafka_headers_new(1));
    record->payload = flags & HAS_VALUE ? (void *)(uintptr_t)in.p : NULL;
    record->len = flags & HAS_VALUE ? (size_t)(in.end - in.p) : 0;
}

/* ---- what must be so ------------------------------------------------------------------------------------ */

/* The line in out; is it one? */
static bool line_of(bool wants_meta, struct source_item *item_out, struct buf *out)
{
    static const struct kafka_part part = {.topic = &topic};

    *item_out = (struct source_item){.record_time = SOURCE_NO_TIME};
    source.source.wants_meta = wants_meta;
    if (!kafka_line(&source, &part, record, item_out))
        return false;
    if (item_out->what != SOURCE_EVENT_LINE)
        fuzz_fail("a record of %zu bytes is too long", record->len);
    buf_add(out, item_out->text, item_out->len);
    buf_reserve(out, decoder_padding());
    return true;
}

/* As it would be without what was put in. */
static void take_out(const struct source_item *item, struct buf *line)
{
    if (item->inside == 0)
        return;
    memmove(line->data + 1, line->data + 1 + item->inside, line->len - 1 - item->inside);
    line->len -= item->inside;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct buf plain, whole;
    struct source_item a, b;
    struct event ev = {.offset = 0};
    const char *reason;

    prepare();
    if (size > LONGEST)
        return 0;
    void *payload = record->payload, *key = record->key;
    size_t len = record->len, key_len = record->key_len;
    fill_record((struct input){data, data + size});
    buf_init(&plain);
    buf_init(&whole);
    bool is_line = line_of(false, &a, &plain);
    if (line_of(true, &b, &whole) != is_line)
        fuzz_fail("it is a line, or not, by what is put in");
    if (is_line) {
        bool right = decoder_run(decoder, plain.data, plain.len, &ev, &reason);
        if (decoder_run(decoder, whole.data, whole.len, &ev, &reason) != right)
            fuzz_fail("what is put in changes whether it is JSON: %.*s", (int)whole.len, whole.data);
        take_out(&b, &whole);
        if (whole.len != plain.len || memcmp(whole.data, plain.data, plain.len) != 0)
            fuzz_fail("what was put in cannot be taken out: %.*s", (int)whole.len, whole.data);
    }
    buf_fini(&plain);
    buf_fini(&whole);
    record->payload = payload;
    record->len = len;
    record->key = key;
    record->key_len = key_len;
    return 0;
}
