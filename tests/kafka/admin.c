// SPDX-License-Identifier: Apache-2.0
/*
 * admin - what tests ask of a broker and kcat cannot do, without the start of a JVM for each:
 *
 *     admin BROKERS create TOPIC PARTITIONS [replicas=N] [KEY=VALUE...]
 *     admin BROKERS delete TOPIC...
 *     admin BROKERS partitions TOPIC NUMBER             it has so many from now on
 *     admin BROKERS delete-records TOPIC PARTITION OFFSET
 *     admin BROKERS offsets TOPIC PARTITIONS            a line each: partition, low, high
 *     admin BROKERS committed TOPIC PARTITIONS GROUP    a line each: partition, offset that the group was told
 *     admin BROKERS version                             of librdkafka
 *     admin BROKERS produce TOPIC [KEY=VALUE...]        options of librdkafka, from standard input a
 *                                                       line each:
 *         PARTITION TIMESTAMP KEY VALUE                 by tabs; -1, 0, `-`: not said; value `\N`: none
 *         \begin, \commit, \abort, \init, \flush        transactions, with transactional.id=
 *         \offset GROUP N                               of partition 0 of TOPIC, with the transaction
 *         \sleep MS
 *
 * Ends with 1 and a message when the broker refuses it.
 */
#include <librdkafka/rdkafka.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TIMEOUT = 30000, FLUSH_TIMEOUT = 240000 /* leaders may move */ };

static const char *brokers;
static char text[512];

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "admin: %s: %s\n", what, why);
    exit(1);
}

static void fail_error(const char *what, rd_kafka_error_t *error)
{
    if (error)
        fail(what, rd_kafka_error_string(error));
}

static void set(rd_kafka_conf_t *conf, const char *name, const char *value)
{
    if (rd_kafka_conf_set(conf, name, value, text, sizeof text) != RD_KAFKA_CONF_OK)
        fail(name, text);
}

static long long number(const char *digits)
{
    char *end;
    long long n = strtoll(digits, &end, 10);

    if (*end || end == digits)
        fail(digits, "a number is wanted");
    return n;
}

/* KEY=VALUE, in place. */
static char *split(char *pair)
{
    char *value = strchr(pair, '=');

    if (!value)
        fail(pair, "KEY=VALUE is wanted");
    *value = '\0';
    return value + 1;
}

static rd_kafka_conf_t *begin_conf(char **option, int n_options)
{
    rd_kafka_conf_t *conf = rd_kafka_conf_new();

    set(conf, "bootstrap.servers", brokers);
    set(conf, "log_level", "2");
    for (int i = 0; i < n_options; i++)
        set(conf, option[i], split(option[i]));
    return conf;
}

static rd_kafka_t *begin(char **option, int n_options)
{
    rd_kafka_conf_t *conf = begin_conf(option, n_options);

    set(conf, "queue.buffering.max.messages", "1000000");
    /* else what is sent again, since a broker that has just begun knows no leader, comes behind what was sent after it */
    set(conf, "enable.idempotence", "true");
    rd_kafka_t *rk = rd_kafka_new(RD_KAFKA_PRODUCER, conf, text, sizeof text);
    if (!rk)
        fail(brokers, text);
    return rk;
}

/* ---- administration -------------------------------------------------------------------------------- */

static void judge_topics(const rd_kafka_topic_result_t **result, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (rd_kafka_topic_result_error(result[i]) != RD_KAFKA_RESP_ERR_NO_ERROR) {
            const char *why = rd_kafka_topic_result_error_string(result[i]);
            fail(rd_kafka_topic_result_name(result[i]),
                 why ? why : rd_kafka_err2str(rd_kafka_topic_result_error(result[i])));
        }
}

static void wait_answer(rd_kafka_queue_t *queue, const char *what)
{
    rd_kafka_event_t *ev = rd_kafka_queue_poll(queue, TIMEOUT);
    const rd_kafka_topic_partition_list_t *list;
    size_t n = 0;

    if (!ev)
        fail(what, "no answer");
    if (rd_kafka_event_error(ev))
        fail(what, rd_kafka_event_error_string(ev));
    const rd_kafka_topic_result_t **topics = NULL;
    if (rd_kafka_event_type(ev) == RD_KAFKA_EVENT_CREATETOPICS_RESULT)
        topics = rd_kafka_CreateTopics_result_topics(rd_kafka_event_CreateTopics_result(ev), &n);
    if (rd_kafka_event_type(ev) == RD_KAFKA_EVENT_DELETETOPICS_RESULT)
        topics = rd_kafka_DeleteTopics_result_topics(rd_kafka_event_DeleteTopics_result(ev), &n);
    if (rd_kafka_event_type(ev) == RD_KAFKA_EVENT_CREATEPARTITIONS_RESULT)
        topics = rd_kafka_CreatePartitions_result_topics(rd_kafka_event_CreatePartitions_result(ev), &n);
    if (topics)
        judge_topics(topics, n);
    if (rd_kafka_event_type(ev) == RD_KAFKA_EVENT_DELETERECORDS_RESULT) {
        list = rd_kafka_DeleteRecords_result_offsets(rd_kafka_event_DeleteRecords_result(ev));
        for (int i = 0; i < list->cnt; i++)
            if (list->elems[i].err)
                fail(what, rd_kafka_err2str(list->elems[i].err));
    }
    rd_kafka_event_destroy(ev);
}

static void create(rd_kafka_t *rk, rd_kafka_queue_t *queue, char **arg, int n)
{
    bool replicated = n > 2 && strncmp(arg[2], "replicas=", 9) == 0;
    int replicas = replicated ? (int)number(arg[2] + 9) : 1;
    rd_kafka_NewTopic_t *topic = rd_kafka_NewTopic_new(arg[0], (int)number(arg[1]), replicas, text, sizeof text);

    if (!topic)
        fail(arg[0], text);
    for (int i = replicated ? 3 : 2; i < n; i++)
        rd_kafka_NewTopic_set_config(topic, arg[i], split(arg[i]));
    rd_kafka_CreateTopics(rk, &topic, 1, NULL, queue);
    wait_answer(queue, arg[0]);
    rd_kafka_NewTopic_destroy(topic);
}

static void delete_topics(rd_kafka_t *rk, rd_kafka_queue_t *queue, char **arg, int n)
{
    for (int i = 0; i < n; i++) {
        rd_kafka_DeleteTopic_t *topic = rd_kafka_DeleteTopic_new(arg[i]);
        rd_kafka_DeleteTopics(rk, &topic, 1, NULL, queue);
        wait_answer(queue, arg[i]);
        rd_kafka_DeleteTopic_destroy(topic);
    }
}

static void add_partitions(rd_kafka_t *rk, rd_kafka_queue_t *queue, char **arg)
{
    rd_kafka_NewPartitions_t *more =
        rd_kafka_NewPartitions_new(arg[0], (size_t)number(arg[1]), text, sizeof text);

    if (!more)
        fail(arg[0], text);
    rd_kafka_CreatePartitions(rk, &more, 1, NULL, queue);
    wait_answer(queue, arg[0]);
    rd_kafka_NewPartitions_destroy(more);
}

static void delete_records(rd_kafka_t *rk, rd_kafka_queue_t *queue, char **arg)
{
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(1);

    rd_kafka_topic_partition_list_add(list, arg[0], (int)number(arg[1]))->offset = number(arg[2]);
    rd_kafka_DeleteRecords_t *del = rd_kafka_DeleteRecords_new(list);
    rd_kafka_DeleteRecords(rk, &del, 1, NULL, queue);
    wait_answer(queue, arg[0]);
    rd_kafka_DeleteRecords_destroy(del);
    rd_kafka_topic_partition_list_destroy(list);
}

static void print_offsets(rd_kafka_t *rk, char **arg)
{
    for (int i = 0; i < (int)number(arg[1]); i++) {
        int64_t low, high;
        rd_kafka_resp_err_t err =
            rd_kafka_query_watermark_offsets(rk, arg[0], i, &low, &high, TIMEOUT);
        if (err)
            fail(arg[0], rd_kafka_err2str(err));
        printf("%d %lld %lld\n", i, (long long)low, (long long)high);
    }
}

static void print_committed(char **arg)
{
    char *option[] = {NULL};
    int n = (int)number(arg[1]);
    rd_kafka_conf_t *conf = begin_conf(option, 0);
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(n);

    set(conf, "group.id", arg[2]);
    rd_kafka_t *rk = rd_kafka_new(RD_KAFKA_CONSUMER, conf, text, sizeof text);
    if (!rk)
        fail(brokers, text);
    rd_kafka_topic_partition_list_add_range(list, arg[0], 0, n - 1);
    rd_kafka_resp_err_t err = rd_kafka_committed(rk, list, TIMEOUT);
    if (err)
        fail(arg[2], rd_kafka_err2str(err));
    for (int i = 0; i < n; i++)
        printf("%d %lld\n", i, (long long)list->elems[i].offset);
    rd_kafka_topic_partition_list_destroy(list);
    rd_kafka_destroy(rk);
}

/* ---- producing ------------------------------------------------------------------------------------- */

static void send_line(rd_kafka_t *rk, const char *topic, char *line)
{
    char *part[4];

    for (int i = 0; i < 4; i++) {
        part[i] = line;
        char *tab = i < 3 ? strchr(line, '\t') : NULL;
        if (i < 3 && !tab)
            fail("produce", "PARTITION TIMESTAMP KEY VALUE are wanted");
        if (tab) {
            *tab = '\0';
            line = tab + 1;
        }
    }
    bool no_key = strcmp(part[2], "-") == 0, no_value = strcmp(part[3], "\\N") == 0;
    rd_kafka_resp_err_t err;
    do {
        err = rd_kafka_producev(rk, RD_KAFKA_V_TOPIC(topic), RD_KAFKA_V_PARTITION((int)number(part[0])),
                                RD_KAFKA_V_TIMESTAMP(number(part[1])),
                                RD_KAFKA_V_KEY(no_key ? NULL : part[2], no_key ? 0 : strlen(part[2])),
                                RD_KAFKA_V_VALUE(no_value ? NULL : part[3],
                                                 no_value ? 0 : strlen(part[3])),
                                RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY), RD_KAFKA_V_END);
        rd_kafka_poll(rk, err ? 100 : 0);
    } while (err == RD_KAFKA_RESP_ERR__QUEUE_FULL);
    if (err)
        fail(topic, rd_kafka_err2str(err));
}

static void send_offset(rd_kafka_t *rk, const char *topic, const char *rest)
{
    char *group = strdup(rest), *space = group ? strchr(group, ' ') : NULL;

    if (!space)
        fail(rest, "GROUP N is wanted");
    *space = '\0';
    rd_kafka_consumer_group_metadata_t *metadata = rd_kafka_consumer_group_metadata_new(group);
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(1);
    rd_kafka_topic_partition_list_add(list, topic, 0)->offset = number(space + 1);
    fail_error(rest, rd_kafka_send_offsets_to_transaction(rk, list, metadata, TIMEOUT));
    rd_kafka_topic_partition_list_destroy(list);
    rd_kafka_consumer_group_metadata_destroy(metadata);
    free(group);
}

static void command(rd_kafka_t *rk, const char *topic, const char *line)
{
    if (strcmp(line, "\\init") == 0)
        fail_error(line, rd_kafka_init_transactions(rk, TIMEOUT));
    else if (strcmp(line, "\\begin") == 0)
        fail_error(line, rd_kafka_begin_transaction(rk));
    else if (strcmp(line, "\\commit") == 0)
        fail_error(line, rd_kafka_commit_transaction(rk, TIMEOUT));
    else if (strcmp(line, "\\abort") == 0)
        fail_error(line, rd_kafka_abort_transaction(rk, TIMEOUT));
    else if (strcmp(line, "\\flush") == 0)
        rd_kafka_flush(rk, TIMEOUT);
    else if (strncmp(line, "\\offset ", 8) == 0)
        send_offset(rk, topic, line + 8);
    else if (strncmp(line, "\\sleep ", 7) == 0)
        usleep((useconds_t)number(line + 7) * 1000);
    else
        fail(line, "unknown");
}

static void produce(rd_kafka_t *rk, const char *topic)
{
    char *line = NULL;
    size_t cap = 0;
    ssize_t len;

    while ((len = getline(&line, &cap, stdin)) > 0) {
        if (line[len - 1] == '\n')
            line[len - 1] = '\0';
        if (line[0] == '\\')
            command(rk, topic, line);
        else
            send_line(rk, topic, line);
    }
    free(line);
    rd_kafka_resp_err_t err = rd_kafka_flush(rk, FLUSH_TIMEOUT);
    if (err)
        fail(topic, rd_kafka_err2str(err));
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[2], "version") == 0) {
        printf("%x\n", (unsigned)rd_kafka_version());
        return 0;
    }
    if (argc < 4)
        fail("usage", "admin BROKERS create|delete|partitions|delete-records|offsets|produce TOPIC ...");
    brokers = argv[1];
    const char *what = argv[2];
    char **arg = argv + 3;
    int n = argc - 3;
    bool is_produce = strcmp(what, "produce") == 0;
    rd_kafka_t *rk = begin(arg + 1, is_produce ? n - 1 : 0);
    rd_kafka_queue_t *queue = rd_kafka_queue_new(rk);

    if (is_produce)
        produce(rk, arg[0]);
    else if (strcmp(what, "delete") == 0)
        delete_topics(rk, queue, arg, n);
    else if (n < 2)
        fail(what, "too few arguments");
    else if (strcmp(what, "create") == 0)
        create(rk, queue, arg, n);
    else if (strcmp(what, "partitions") == 0)
        add_partitions(rk, queue, arg);
    else if (strcmp(what, "offsets") == 0)
        print_offsets(rk, arg);
    else if (strcmp(what, "committed") == 0 && n > 2)
        print_committed(arg);
    else if (strcmp(what, "delete-records") == 0 && n > 2)
        delete_records(rk, queue, arg);
    else
        fail(what, "unknown");
    rd_kafka_queue_destroy(queue);
    rd_kafka_destroy(rk);
    return 0;
}
