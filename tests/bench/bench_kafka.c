// SPDX-License-Identifier: Apache-2.0
/*
 * What the daemon is measured against: librdkafka's consumer alone, with each record decoded for ten.rule's
 * fields, to the ends of a topic.
 *
 *   bench_kafka BROKERS TOPIC PARTITIONS
 *
 * Prints records, seconds of CPU and events a second of CPU. kafka.py runs it beside the daemon.
 */
#include <inttypes.h>
#include <librdkafka/rdkafka.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "event/json_decode.h"
#include "event/schema.h"
#include <bench/bench.h>

static rd_kafka_t *begin(const char *brokers)
{
    static const char *const set[][2] = {{"group.id", "bench"},
                                         {"enable.auto.commit", "false"},
                                         {"enable.partition.eof", "true"},
                                         {"isolation.level", "read_committed"}};
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    char why[512];

    if (rd_kafka_conf_set(conf, "bootstrap.servers", brokers, why, sizeof why) != RD_KAFKA_CONF_OK)
        bench_die("%s", why);
    for (size_t i = 0; i < sizeof set / sizeof *set; i++)
        if (rd_kafka_conf_set(conf, set[i][0], set[i][1], why, sizeof why) != RD_KAFKA_CONF_OK)
            bench_die("%s", why);
    rd_kafka_t *rk = rd_kafka_new(RD_KAFKA_CONSUMER, conf, why, sizeof why);
    if (!rk)
        bench_die("%s", why);
    rd_kafka_poll_set_consumer(rk);
    return rk;
}

static struct schema *ten_rules_schema(void)
{
    static const char *const field[] = {"ts", "ev", "k", "net.port", "net.zone"};
    struct schema *schema = schema_new();
    uint32_t slot;

    for (size_t i = 0; i < sizeof field / sizeof *field; i++)
        schema_slot_text(schema, field[i], &slot);
    schema_seal(schema);
    return schema;
}

int main(int argc, char **argv)
{
    if (argc < 4)
        bench_die("usage: bench_kafka BROKERS TOPIC PARTITIONS");
    int n = (int)strtol(argv[3], NULL, 10), ended = 0;
    struct schema *schema = ten_rules_schema();
    struct decoder *decoder = decoder_new(schema, 1 << 20);
    uint64_t records = 0, broken = 0;
    const char *reason;

    bench_check_build();
    rd_kafka_t *rk = begin(argv[1]);
    rd_kafka_topic_partition_list_t *all = rd_kafka_topic_partition_list_new(n);
    for (int i = 0; i < n; i++)
        rd_kafka_topic_partition_list_add(all, argv[2], i)->offset = RD_KAFKA_OFFSET_BEGINNING;
    rd_kafka_assign(rk, all);
    while (ended < n) {
        rd_kafka_message_t *msg = rd_kafka_consumer_poll(rk, 1000);
        if (!msg)
            continue;
        if (msg->err == RD_KAFKA_RESP_ERR__PARTITION_EOF) {
            ended++;
        } else if (msg->err) {
            bench_die("%s", rd_kafka_message_errstr(msg));
        } else {
            struct event ev = {.offset = (uint64_t)msg->offset};
            broken += !decoder_run_copy(decoder, msg->payload, msg->len, &ev, &reason);
            records++;
        }
        rd_kafka_message_destroy(msg);
    }
    double seconds = (double)bench_clock() / (double)BENCH_SECOND;
    printf("%" PRIu64 " records, %" PRIu64 " broken, %.3f s of CPU, %.0f a second\n", records, broken, seconds,
           (double)records / seconds);
    rd_kafka_topic_partition_list_destroy(all);
    rd_kafka_consumer_close(rk);
    rd_kafka_destroy(rk);
    decoder_free(&decoder);
    schema_unref(&schema);
    return 0;
}
