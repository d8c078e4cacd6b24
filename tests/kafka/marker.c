// SPDX-License-Identifier: Apache-2.0
/*
 * marker - is what the sink `kafka` builds on true of this broker? Usage: marker BROKERS TOPIC; the topic is new
 *
 * Exactly once stands on this: a transaction that sends messages also commits an offset, the marker, for a
 * group that has no members, with a text beside it. Here, on a real broker, without tocsin:
 *
 *   absent    before the first commit there is no marker, also of a topic that was just made
 *   commit    offset and text are those of the transaction
 *   lower     a later transaction may set a lower one
 *   aborted   a transaction that is aborted leaves it
 *   killed    before the commit, when its request was sent and no answer was read, and after it: whoever
 *             makes a producer of the same transactional.id and then reads finds the marker and the
 *             messages of one and the same transaction, and they stay so
 *   fenced    a second producer of the id ends the first: its commit fails, fatally, and changes nothing
 *   timeout   so does a transaction that was open for too long; the error is the same, so the sink has to find
 *             out which of the two it was
 *
 * Each producer lives in a process of its own: that is what is killed. Exit status 0: all true.
 */
#include <inttypes.h>
#include <librdkafka/rdkafka.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WAIT_MS = 120000, NO_MARKER = -1 };

static const char *brokers;
static char topic[64], id[80], group[96];

static void die(const char *what, const char *why)
{
    printf("FAILED: %s: %s\n", what, why);
    fflush(stdout);
    _exit(1);
}

static void expect(bool good, const char *what)
{
    if (!good)
        die(what, "is not so");
}

static void set(rd_kafka_conf_t *conf, const char *name, const char *value)
{
    char why[512];

    if (rd_kafka_conf_set(conf, name, value, why, sizeof why) != RD_KAFKA_CONF_OK)
        die(name, why);
}

static void good(rd_kafka_error_t *error, const char *what)
{
    if (error)
        die(what, rd_kafka_error_string(error));
}

/* The library's log: with debug=protocol it tells when a request has been sent. */
static void kill_when_sent(const rd_kafka_t *rk, int level, const char *facility, const char *line)
{
    (void)rk, (void)level;
    if (strcmp(facility, "SEND") == 0 && strstr(line, "EndTxn"))
        raise(SIGKILL);
}

static rd_kafka_t *make(rd_kafka_type_t type, rd_kafka_conf_t *conf)
{
    char why[512];

    set(conf, "bootstrap.servers", brokers);
    rd_kafka_t *rk = rd_kafka_new(type, conf, why, sizeof why);
    if (!rk)
        die("rd_kafka_new", why);
    return rk;
}

static rd_kafka_t *producer(const char *timeout_ms, bool dies)
{
    rd_kafka_conf_t *conf = rd_kafka_conf_new();

    set(conf, "transactional.id", id);
    set(conf, "transaction.timeout.ms", timeout_ms);
    if (dies) {
        set(conf, "debug", "protocol");
        rd_kafka_conf_set_log_cb(conf, kill_when_sent);
    }
    rd_kafka_t *rk = make(RD_KAFKA_PRODUCER, conf);
    good(rd_kafka_init_transactions(rk, WAIT_MS), "init_transactions");
    return rk;
}

static rd_kafka_t *consumer(void)
{
    rd_kafka_conf_t *conf = rd_kafka_conf_new();

    set(conf, "group.id", group);
    set(conf, "enable.auto.commit", "false");
    set(conf, "auto.offset.reset", "earliest");
    set(conf, "enable.partition.eof", "true");
    set(conf, "isolation.level", "read_committed");
    return make(RD_KAFKA_CONSUMER, conf);
}

/* A transaction up to its commit: the message `number`, and the marker that says so. */
static void prepare(rd_kafka_t *rk, int number)
{
    char text[32];

    snprintf(text, sizeof text, "%d", number);
    good(rd_kafka_begin_transaction(rk), "begin_transaction");
    if (rd_kafka_producev(rk, RD_KAFKA_V_TOPIC(topic), RD_KAFKA_V_PARTITION(0),
                          RD_KAFKA_V_VALUE(text, strlen(text)),
                          RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY), RD_KAFKA_V_END) != 0)
        die("produce", "refused");
    rd_kafka_flush(rk, WAIT_MS);
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(1);
    rd_kafka_topic_partition_t *part = rd_kafka_topic_partition_list_add(list, topic, 0);
    part->offset = number;
    part->metadata = strdup(text);
    part->metadata_size = strlen(text);
    rd_kafka_consumer_group_metadata_t *cg = rd_kafka_consumer_group_metadata_new(group);
    good(rd_kafka_send_offsets_to_transaction(rk, list, cg, WAIT_MS), "send_offsets_to_transaction");
    rd_kafka_consumer_group_metadata_destroy(cg);
    rd_kafka_topic_partition_list_destroy(list);
}

/* ---- what a process does; its exit status is its answer --------------------------------------- */

static int do_commit(int number)
{
    rd_kafka_t *rk = producer("60000", false);

    prepare(rk, number);
    good(rd_kafka_commit_transaction(rk, WAIT_MS), "commit_transaction");
    rd_kafka_destroy(rk);
    return 0;
}

static int do_abort(int number)
{
    rd_kafka_t *rk = producer("60000", false);

    prepare(rk, number);
    good(rd_kafka_abort_transaction(rk, WAIT_MS), "abort_transaction");
    rd_kafka_destroy(rk);
    return 0;
}

static int do_killed_before(int number)
{
    prepare(producer("60000", false), number);
    raise(SIGKILL);
    return 0;
}

static int do_killed_sent(int number)
{
    rd_kafka_t *rk = producer("60000", true);

    prepare(rk, number);
    rd_kafka_error_destroy(rd_kafka_commit_transaction(rk, WAIT_MS));
    return 0;
}

static int do_killed_after(int number)
{
    rd_kafka_t *rk = producer("60000", false);

    prepare(rk, number);
    good(rd_kafka_commit_transaction(rk, WAIT_MS), "commit_transaction");
    raise(SIGKILL);
    return 0;
}

/* A producer is made, then `ends` ends its transaction: the commit fails for good. */
static int is_fenced(rd_kafka_t *rk)
{
    char why[512];
    rd_kafka_error_t *error = rd_kafka_commit_transaction(rk, WAIT_MS);

    expect(error != NULL, "the commit of a producer that was ended fails");
    printf("    %s: %s, fatal: %s (%s)\n", rd_kafka_error_name(error), rd_kafka_error_string(error),
           rd_kafka_error_is_fatal(error) ? "yes" : "no",
           rd_kafka_err2name(rd_kafka_fatal_error(rk, why, sizeof why)));
    expect(rd_kafka_error_is_fatal(error), "it fails fatally");
    expect(rd_kafka_error_code(error) == RD_KAFKA_RESP_ERR__FENCED, "it fails as fenced");
    rd_kafka_error_destroy(error);
    rd_kafka_destroy(rk);
    return 0;
}

static int do_fenced(int number)
{
    rd_kafka_t *first = producer("60000", false);

    prepare(first, number);
    rd_kafka_destroy(producer("60000", false));
    return is_fenced(first);
}

/* Before this all is decided: what comes later may belong to a transaction that is open. */
static int64_t decided(rd_kafka_t *rk)
{
    int64_t low, high;

    rd_kafka_resp_err_t error = rd_kafka_query_watermark_offsets(rk, topic, 0, &low, &high, WAIT_MS);
    if (error)
        die("offsets", rd_kafka_err2str(error));
    return high;
}

static int do_timeout(int number)
{
    rd_kafka_t *rk = producer("4000", false), *reader = consumer();
    int64_t before = decided(reader);

    prepare(rk, number);
    while (decided(reader) == before)
        usleep(100000);
    rd_kafka_destroy(reader);
    return is_fenced(rk);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* The marker's offset; NO_MARKER: there is none. */
static int64_t marker(rd_kafka_t *rk)
{
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(1);
    char text[32];

    rd_kafka_topic_partition_list_add(list, topic, 0);
    rd_kafka_resp_err_t error = rd_kafka_committed(rk, list, WAIT_MS);
    if (error)
        die("committed", rd_kafka_err2str(error));
    const rd_kafka_topic_partition_t *part = &list->elems[0];
    if (part->err)
        die("committed", rd_kafka_err2str(part->err));
    int64_t found = part->offset == RD_KAFKA_OFFSET_INVALID ? NO_MARKER : part->offset;
    snprintf(text, sizeof text, "%" PRId64, found);
    if (found != NO_MARKER)
        expect(part->metadata_size == strlen(text) && memcmp(part->metadata, text, strlen(text)) == 0,
               "the text beside the offset is what was sent with it");
    rd_kafka_topic_partition_list_destroy(list);
    return found;
}

/* The last message that a reader of what is committed sees; NO_MARKER: none. */
static int64_t last_message(rd_kafka_t *rk)
{
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(1);
    int64_t last = NO_MARKER;
    char text[32];
    bool end = false;

    rd_kafka_topic_partition_list_add(list, topic, 0)->offset = RD_KAFKA_OFFSET_BEGINNING;
    rd_kafka_assign(rk, list);
    rd_kafka_topic_partition_list_destroy(list);
    while (!end) {
        rd_kafka_message_t *m = rd_kafka_consumer_poll(rk, WAIT_MS);
        if (!m || (m->err && m->err != RD_KAFKA_RESP_ERR__PARTITION_EOF))
            die("reading", m ? rd_kafka_message_errstr(m) : "nothing comes");
        end = m->err != 0;
        if (!end) {
            snprintf(text, sizeof text, "%.*s", (int)m->len, (const char *)m->payload);
            last = strtoll(text, NULL, 10);
        }
        rd_kafka_message_destroy(m);
    }
    return last;
}

/* As the sink does it: a producer of the same id, then the marker. It is `wanted` or, if not 0, `other`;
 * the messages say the same; and all stays so. */
static int64_t wanted, other;
static int do_read(int with_producer)
{
    rd_kafka_t *next = with_producer ? producer("60000", false) : NULL;
    rd_kafka_t *rk = consumer();
    int64_t found = marker(rk);

    printf("    marker %" PRId64 "\n", found);
    expect(found == wanted || (other != 0 && found == other), "the marker is the one that it must be");
    if (with_producer)
        expect(last_message(rk) == found, "the marker is that of the last message which is committed");
    usleep(300000);
    expect(marker(rk) == found, "the marker stays");
    rd_kafka_consumer_close(rk);
    rd_kafka_destroy(rk);
    if (next)
        rd_kafka_destroy(next);
    return found == wanted ? 0 : 2;
}

/* ---- all ------------------------------------------------------------------------------------- */

/* Runs it in a process of its own; its exit status, or -1: it was killed. */
static int run(int (*what)(int), int number)
{
    int status = 0;

    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        alarm(600);
        status = what(number);
        fflush(stdout);
        _exit(status);
    }
    if (waitpid(pid, &status, 0) != pid)
        die("waitpid", "failed");
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void must(const char *name, int (*what)(int), int number, int status)
{
    printf("%s\n", name);
    if (run(what, number) != status)
        die(name, "ended otherwise");
}

static void must_read(const char *name, int64_t number, bool with_producer)
{
    wanted = number;
    other = 0;
    must(name, do_read, with_producer, 0);
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    brokers = argv[1];
    snprintf(topic, sizeof topic, "%s", argv[2]);
    snprintf(id, sizeof id, "%s.id", topic);
    snprintf(group, sizeof group, "%s.outbox", id);

    must_read("absent", NO_MARKER, false);
    must("commit", do_commit, 50, 0);
    must_read("committed", 50, true);
    must("lower", do_commit, 5, 0);
    must_read("committed, lower", 5, true);
    must("aborted", do_abort, 6, 0);
    must_read("after an abort", 5, true);
    must("killed before the commit", do_killed_before, 7, -1);
    must_read("it is the one before", 5, true);
    for (int i = 0; i < 2; i++) {
        must("killed when the commit was sent", do_killed_sent, 10 + i, -1);
        wanted = 10 + i;
        other = i == 0 ? 5 : 9 + i;
        printf("one of both, the same for marker and messages\n");
        int status = run(do_read, true);
        expect(status == 0 || status == 2, "one of both");
        if (status == 2) /* so that the next one has a marker that is known */
            must("commit", do_commit, 10 + i, 0);
    }
    must("killed after the commit", do_killed_after, 20, -1);
    must_read("it is the new one", 20, true);
    must("fenced", do_fenced, 21, 0);
    must_read("it is the one before", 20, true);
    must("timeout", do_timeout, 999, 0);
    must_read("it is the one before", 20, true);
    printf("all is so\n");
    return 0;
}
