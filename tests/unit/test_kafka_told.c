// SPDX-License-Identifier: Apache-2.0
/* What librdkafka says, in plain words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"
#include "io/kafka_priv.h"

static void is_plain(const char *said, const char *plain)
{
    struct buf b;

    buf_init(&b);
    kafka_add_reason(&b, said);
    assert_string_equal(b.data, plain);
    buf_fini(&b);
}

static void test_reason(void **state)
{
    (void)state;
    is_plain("nothing special", "nothing special");
    is_plain("", "");
    is_plain("h:1/1: Connect failed (after 12ms in state CONNECT)", "h:1/1: Connect failed");
    is_plain("h:1/1: Connect failed (after 12ms in state CONNECT, 3 identical error(s) suppressed)",
             "h:1/1: Connect failed");
    is_plain("it failed (after 7 ms) (NAME)", "it failed (NAME)");
    is_plain("cut (after 7", "cut");
    is_plain("h: SSL handshake failed: error:0A000086:SSL routines::certificate verify failed: no (after 1ms in state X)",
             "h: SSL handshake failed: certificate verify failed: no");
    is_plain("h: ../ssl/record/rec_layer_s3.c:318:ssl3_read_n error:0A000126:SSL routines::unexpected eof",
             "h: unexpected eof");
    is_plain("error:0A000126:SSL routines::a error:0A000127:SSL routines::b", "a b");
}

static void is_missing(rd_kafka_resp_err_t error, const struct kafka_need *need, const char *text)
{
    struct buf b;

    buf_init(&b);
    buf_adds(&b, "");
    assert_int_equal(kafka_add_missing(error, need, &b), text != NULL);
    assert_string_equal(b.data, text ? text : "");
    buf_fini(&b);
}

static void test_missing(void **state)
{
    const struct kafka_need need = {"t", "Write", "g", "i"}, none = {0};

    (void)state;
    is_missing(RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED, &need,
               "the right `Write` on the topic t is missing (Broker: Topic authorization failed)");
    is_missing(RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED, &need,
               "the right `Read` on the group g is missing (Broker: Group authorization failed)");
    is_missing(RD_KAFKA_RESP_ERR_TRANSACTIONAL_ID_AUTHORIZATION_FAILED, &need,
               "the right `Write` on the transactional id i is missing (Broker: Transactional Id authorization failed)");
    is_missing(RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED, &need,
               "the right `Write` on the topic t is missing, or before Kafka 2.8 `IdempotentWrite` on the cluster (Broker: "
               "Cluster authorization failed)");
    is_missing(RD_KAFKA_RESP_ERR__TIMED_OUT, &need, NULL);
    is_missing(RD_KAFKA_RESP_ERR_NO_ERROR, &need, NULL);
    is_missing(RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED, &none, NULL);
}

static void test_secret(void **state)
{
    static const char *const secret[] = {"sasl.password", "ssl.key.password", "ssl.key.pem", "ssl.keystore.password",
                                         "sasl.oauthbearer.client.secret", "sasl.oauthbearer.config"};

    (void)state;
    for (size_t i = 0; i < sizeof secret / sizeof *secret; i++)
        assert_true(kafka_is_secret(secret[i]));
    assert_false(kafka_is_secret("sasl.username"));
    assert_false(kafka_is_secret("ssl.ca.location"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_reason), cmocka_unit_test(test_missing),
                                       cmocka_unit_test(test_secret)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
