// SPDX-License-Identifier: Apache-2.0
/* topic_reader_part - the partitions of a topic that is read whole: taken up, compared, read. */
#include <inttypes.h>
#include <string.h>

#include "base/hash.h"
#include "base/log.h"
#include "base/mem.h"
#include "io/topic_reader_priv.h"

#define MS INT64_C(1000000)

/* ---- records ---------------------------------------------------------------------------------------- */

static uint64_t hash_of(const rd_kafka_message_t *msg)
{
    rd_kafka_timestamp_type_t type;
    uint64_t hash = hash64(msg->key, msg->key ? msg->key_len : 0, 1);

    hash = hash_mix((uint64_t)rd_kafka_message_timestamp(msg, &type), hash);
    return hash64(msg->payload, msg->payload ? msg->len : 0, hash);
}

static void copy_headers(struct topic_record *record, const rd_kafka_message_t *msg)
{
    rd_kafka_headers_t *headers;
    const char *name;
    const void *value;
    size_t len;

    if (rd_kafka_message_headers(msg, &headers) != RD_KAFKA_RESP_ERR_NO_ERROR)
        return;
    for (size_t i = 0; record->n_headers < TOPIC_HEADERS_MOST &&
                       rd_kafka_header_get_all(headers, i, &name, &value, &len) == RD_KAFKA_RESP_ERR_NO_ERROR;
         i++) {
        if (strlen(name) > TOPIC_HEADER_MOST)
            continue;
        record->header[record->n_headers++] = (struct topic_header){
            .name = mem_strndup(name, strlen(name)),
            .value = len > TOPIC_HEADER_MOST ? NULL : mem_strndup(value ? value : "", value ? len : 0),
            .len = value ? len : 0};
    }
}

static struct topic_record *copy_of(const struct topic_reader *r, const rd_kafka_message_t *msg, uint64_t hash)
{
    struct topic_record *record = mem_calloc(1, sizeof *record);
    rd_kafka_timestamp_type_t type;
    int64_t time = rd_kafka_message_timestamp(msg, &type);

    record->partition = msg->partition;
    record->offset = (uint64_t)msg->offset;
    record->hash = hash;
    record->time = time < 0 || time > INT64_MAX / MS ? INT64_MIN : time * MS;
    if (msg->key) {
        record->key_len = msg->key_len;
        record->key = mem_strndup(msg->key, msg->key_len);
    }
    record->len = msg->payload ? msg->len : 0;
    record->too_long = record->len > r->max_value;
    if (msg->payload && !record->too_long)
        record->value = mem_strndup(msg->payload, msg->len);
    copy_headers(record, msg);
    return record;
}

/* ---- reading begins and ends ------------------------------------------------------------------------ */

static bool begin(struct topic_reader *r, struct topic_part *part, struct buf *why)
{
    uint64_t from = topic_position_check_from(&part->pos, part->low);

    part->at_end = false;
    if (rd_kafka_consume_start_queue(r->rkt, part->pos.partition, (int64_t)from, r->queue) != 0) {
        buf_adds(why, rd_kafka_err2str(rd_kafka_last_error()));
        return false;
    }
    part->reads = true;
    return true;
}

void topic_part_stop(struct topic_reader *r)
{
    rd_kafka_message_t *msg;

    for (size_t i = 0; i < r->n_parts; i++) {
        if (r->part[i].reads)
            rd_kafka_consume_stop(r->rkt, r->part[i].pos.partition);
        r->part[i].reads = r->part[i].at_end = false;
    }
    while ((msg = rd_kafka_consume_queue(r->queue, 0)) != NULL)
        rd_kafka_message_destroy(msg);
}

/* What was read is gone, or another's. False and why: that is the end. */
static bool go_on(struct topic_reader *r, struct topic_part *part, bool another, bool *lost_out, struct buf *why)
{
    struct buf b;

    if (!r->go_on) {
        buf_adds(why, "; `on_reset` is `fail`");
        *lost_out = true;
        return false;
    }
    buf_init(&b);
    log_field(&b, "topic", r->topic);
    buf_printf(&b, " partition=%" PRId32 " position=%" PRIu64 " goes_on=%" PRIu64, part->pos.partition, part->pos.next,
               part->low);
    log_field(&b, "why", why->data);
    log_line(LOG_ERROR, LOG_kafka, another ? "another topic has taken the place of the one that was read" : "records are lost",
             "%s", b.data);
    buf_fini(&b);
    buf_clear(why);
    topic_position_restart(&part->pos, part->low);
    part->renewed |= another;
    return true;
}

static bool take_up(struct topic_reader *r, struct topic_part *part, bool *lost_out, struct buf *why)
{
    int64_t low, high;
    rd_kafka_resp_err_t err =
        rd_kafka_query_watermark_offsets(r->rk, r->topic, part->pos.partition, &low, &high, TOPIC_ASK_MS);

    if (err) {
        buf_printf(why, "partition %" PRId32 ": ", part->pos.partition);
        kafka_add_read_error(err, r->topic, why);
        return false;
    }
    part->low = (uint64_t)low;
    if (part->pos.next > (uint64_t)high) {
        buf_printf(why, "partition %" PRId32 " ends at offset %" PRId64 ", before the position %" PRIu64
                        ": it was truncated, or is another topic of this name",
                   part->pos.partition, high, part->pos.next);
        if (!go_on(r, part, true, lost_out, why))
            return false;
    } else if (part->pos.next < part->low && part->pos.next > 0) {
        buf_printf(why, "records of partition %" PRId32 " from offset %" PRIu64 " on are gone, the oldest is %" PRId64,
                   part->pos.partition, part->pos.next, low);
        if (!go_on(r, part, false, lost_out, why))
            return false;
    }
    topic_position_pass(&part->pos, part->low);
    return begin(r, part, why);
}

/* ---- which there are ---------------------------------------------------------------------------------- */

static void add_parts(struct topic_reader *r, size_t n)
{
    r->part = mem_realloc(r->part, (n + 1) * sizeof *r->part);
    for (; r->n_parts < n; r->n_parts++)
        r->part[r->n_parts] = (struct topic_part){.pos = {.partition = (int32_t)r->n_parts}};
}

static bool look_at(struct topic_reader *r, const struct rd_kafka_metadata *found, struct buf *why)
{
    const struct rd_kafka_metadata_topic *topic = found->topic_cnt == 1 ? &found->topics[0] : NULL;

    if (!topic || topic->err == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART || (!topic->err && topic->partition_cnt == 0)) {
        buf_printf(why, "there is no topic %s", r->topic);
        return false;
    }
    if (topic->err && topic->err != RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE) {
        kafka_add_read_error(topic->err, r->topic, why);
        return false;
    }
    for (int i = 0; i < topic->partition_cnt; i++)
        if (topic->partitions[i].leader < 0) {
            buf_printf(why, "partition %" PRId32 " has no leader", topic->partitions[i].id);
            return false;
        }
    if ((size_t)topic->partition_cnt < r->n_parts) {
        /* positions of partitions that are no more: offsets of the others say what it is */
        buf_printf(why, "the topic %s has %d partitions, and had %zu: it is another topic of this name", r->topic,
                   topic->partition_cnt, r->n_parts);
        return false;
    }
    add_parts(r, (size_t)topic->partition_cnt);
    return true;
}

bool topic_part_connect(struct topic_reader *r, bool *lost_out, struct buf *why)
{
    const struct rd_kafka_metadata *found;
    rd_kafka_resp_err_t err = rd_kafka_metadata(r->rk, 0, r->rkt, &found, TOPIC_ASK_MS);

    if (err) {
        kafka_told_why(&r->told, err, why);
        return false;
    }
    kafka_told_forget(&r->told);
    size_t had = r->n_parts;
    bool ok = look_at(r, found, why);
    int32_t n = found->topic_cnt == 1 ? found->topics[0].partition_cnt : 0;
    rd_kafka_metadata_destroy(found);
    if (!ok && n > 0 && (size_t)n < had) { /* fewer partitions: that cannot be the same topic */
        struct topic_part *first = &r->part[0];
        if (!go_on(r, first, true, lost_out, why))
            return false;
        topic_part_stop(r);
        r->n_parts = (size_t)n;
        for (size_t i = 0; i < r->n_parts; i++) {
            topic_position_restart(&r->part[i].pos, 0);
            r->part[i].renewed = true;
        }
        ok = true;
    }
    for (size_t i = 0; ok && i < r->n_parts; i++)
        if (!r->part[i].reads)
            ok = take_up(r, &r->part[i], lost_out, why);
    return ok;
}

/* ---- what comes ---------------------------------------------------------------------------------------- */

/* Is a transaction open: is there more behind what may be read? */
static bool is_open(const struct topic_reader *r, int32_t partition, uint64_t offset)
{
    int64_t low, high;

    return rd_kafka_get_watermark_offsets(r->rk, r->topic, partition, &low, &high) == RD_KAFKA_RESP_ERR_NO_ERROR &&
           high > 0 && (uint64_t)high > offset;
}

static void take_end(struct topic_reader *r, struct topic_part *part, uint64_t offset)
{
    topic_position_pass(&part->pos, offset);
    if (part->at_end || is_open(r, part->pos.partition, offset))
        return;
    part->at_end = true;
    struct topic_record *end = mem_calloc(1, sizeof *end);
    end->is_end = true;
    end->is_new = part->renewed;
    part->renewed = false;
    end->partition = part->pos.partition;
    end->offset = part->pos.next;
    topic_reader_put(r, end);
}

static bool take_record(struct topic_reader *r, struct topic_part *part, const rd_kafka_message_t *msg, bool *lost_out,
                        struct buf *why)
{
    uint64_t offset = (uint64_t)msg->offset, hash = hash_of(msg);

    if (offset < part->pos.next) {
        if (topic_position_knows(&part->pos, offset, hash))
            return true;
        buf_printf(why, "the record of partition %" PRId32 " and offset %" PRIu64
                        " is not one that was read: it is another topic of this name", part->pos.partition, offset);
        if (!go_on(r, part, true, lost_out, why))
            return false;
        rd_kafka_consume_stop(r->rkt, part->pos.partition);
        part->reads = false;
        return begin(r, part, why);
    }
    struct topic_record *record = copy_of(r, msg, hash);
    record->is_new = part->renewed;
    part->renewed = false;
    topic_position_note(&part->pos, offset, hash);
    topic_reader_put(r, record);
    return true;
}

bool topic_part_take(struct topic_reader *r, rd_kafka_message_t *msg, bool *lost_out, struct buf *why)
{
    struct topic_part *part = msg->partition >= 0 && (size_t)msg->partition < r->n_parts ? &r->part[msg->partition]
                                                                                         : NULL;

    if (msg->err == RD_KAFKA_RESP_ERR__PARTITION_EOF) {
        if (part && part->reads)
            take_end(r, part, (uint64_t)msg->offset);
        return true;
    }
    if (!msg->err)
        return !part || !part->reads || take_record(r, part, msg, lost_out, why);
    kafka_add_read_error(msg->err, r->topic, why);
    if (msg->payload && msg->len > 0)
        buf_printf(why, ": %.*s", (int)msg->len, (const char *)msg->payload);
    return false;
}

/* ---- how far -------------------------------------------------------------------------------------------- */

bool topic_part_all_read(const struct topic_reader *r)
{
    for (size_t i = 0; i < r->n_parts; i++)
        if (!r->part[i].at_end)
            return false;
    return r->n_parts > 0;
}

uint64_t topic_part_ahead(struct topic_reader *r)
{
    uint64_t n = 0;

    for (size_t i = 0; i < r->n_parts; i++) {
        struct topic_part *part = &r->part[i];
        int64_t low, high;
        if (part->reads && rd_kafka_get_watermark_offsets(r->rk, r->topic, part->pos.partition, &low, &high) ==
                               RD_KAFKA_RESP_ERR_NO_ERROR && high >= 0)
            part->ahead = (uint64_t)high > part->pos.next ? (uint64_t)high - part->pos.next : 0;
        n += part->ahead;
    }
    return n;
}
