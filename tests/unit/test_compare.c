// SPDX-License-Identifier: Apache-2.0
/* compare: each key that changes is noticed, by what it takes; what is written otherwise is not. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/diag.h"
#include "config/compare.h"
#include "config/config.h"
#include "config/option.h"

/* A whole configuration; %s in it is where the changed keys go, by block. */
enum block { ENGINE, SOURCE, STDIN, SINK, FILE_SINK, HOOK, TLS, ROUTE, HTTP, HTTP_TLS, N_BLOCKS };

static struct config *with(const char *const key[N_BLOCKS])
{
    struct diag *diag = diag_new();
    struct buf text;

    buf_init(&text);
    buf_printf(&text,
               "engine { %s }\nsource s { file \"a.ndjson\" %s }\nsource input { stdin {} %s }\n"
               "sink other { stdout {} %s }\nsink f { file \"a\" %s }\n"
               "sink h { webhook \"https://example.org/a\" %s tls { %s } }\n"
               "route { to [h] rules \"r*\" %s }\nhttp { %s tls { %s } }\n",
               key[ENGINE], key[SOURCE], key[STDIN], key[SINK], key[FILE_SINK], key[HOOK], key[TLS],
               key[ROUTE], key[HTTP], key[HTTP_TLS]);
    struct config *config = config_read_text("t.conf", text.data, text.len, diag);
    if (!config) {
        buf_clear(&text);
        diag_print(diag, &text);
        fail_msg("%s", text.data);
    }
    buf_fini(&text);
    diag_free(&diag);
    return config;
}

static void differ(enum block block, const char *was, const char *now, struct config_difference *diff,
                   struct buf *later)
{
    const char *key[N_BLOCKS];

    for (int i = 0; i < N_BLOCKS; i++)
        key[i] = "";
    key[HTTP_TLS] = "certificate \"c\" key \"k\"";
    key[TLS] = "";
    key[block] = was;
    struct config *a = with(key);
    key[block] = now;
    struct config *b = with(key);
    config_compare(a, b, diff, later);
    config_free(&a);
    config_free(&b);
}

#define HASH "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void each_key_is_noticed(void **state)
{
    enum takes { FLOW, SINKS, IN, SECRETS, LATER, RENEWED };
    static const struct {
        enum block block;
        const char *was, *now;
        enum takes takes;
    } keys[] = {
        {ENGINE, "rules \"here\"", "rules \"there\"", FLOW},
        {ENGINE, "", "checkpoint 2s", FLOW},
        {ENGINE, "", "stop_within 1s", FLOW},
        {ENGINE, "", "log_format json", FLOW},
        {ENGINE, "log_level \"info\"", "log_level \"error\"", FLOW},
        {ENGINE, "", "state \"x\"", LATER},
        {ENGINE, "", "dead_letter_bytes 2MiB", LATER},
        {ENGINE, "", "dead_letter_count 7", LATER},
        {ENGINE, "", "rules_topic { brokers \"a\" topic \"t\" }", LATER},
        {ENGINE, "rules_topic { brokers \"a\" topic \"t\" }", "rules_topic { brokers \"a\" topic \"u\" }", LATER},
        {ENGINE, "rules_topic { brokers \"a\" topic \"t\" options { retries 1 } }",
         "rules_topic { brokers \"a\" topic \"t\" options { retries 2 } }", LATER},
        {SOURCE, "", "lateness 1s", FLOW},
        {SOURCE, "time a", "time b.c", FLOW},
        {SOURCE, "", "time_format rfc3339", FLOW},
        {SOURCE, "", "quiet hold", FLOW},
        {SOURCE, "", "late other", SINKS}, /* which gets no alerts any more */
        {SOURCE, "", "follow false", FLOW},
        {STDIN, "", "time arrival", IN},
        {STDIN, "", "spool_limit 3GiB", IN},
        {STDIN, "", "max_line 2KiB", IN},
        {SINK, "", "on_full wait", SINKS},
        {SINK, "", "queue_count 5", SINKS},
        {FILE_SINK, "", "rotate_keep 5", SINKS},
        {HOOK, "", "in_flight 3", SINKS},
        {HOOK, "", "body slack", SINKS},
        {HOOK, "", "timeout 30s", SINKS},
        {HOOK, "allow [\"10.0.0.0/8\"]", "allow [\"10.0.0.0/9\"]", SINKS},
        {HOOK, "secret \"one\"", "secret [\"one\", \"two\"]", SECRETS},
        {HOOK, "headers { A \"one\" }", "headers { A \"two\" }", SECRETS},
        {HOOK, "headers { A \"one\" }", "headers { B \"one\" }", SECRETS},
        {TLS, "ca \"a\"", "ca \"b\"", SECRETS},
        {TLS, "", "min_version 1.3", SINKS},
        {ROUTE, "severity [high]", "severity [low]", SINKS},
        {ROUTE, "tags [\"a\"]", "tags [\"a\", \"b\"]", SINKS},
        {ROUTE, "", "group 5s", SINKS},
        {HTTP, "", "listen \"127.0.0.1:1\"", LATER},
        {HTTP, "", "versions 5", LATER},
        {HTTP, "tokens \"ann read " HASH "\"", "tokens \"ann admin " HASH "\"", RENEWED},
        {HTTP, "", "tokens \"ann read " HASH "\"", LATER},
        {HTTP_TLS, "certificate \"c\" key \"k\"", "certificate \"d\" key \"l\"", RENEWED},
    };

    (void)state;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        struct config_difference diff;
        struct buf later;
        enum takes takes = keys[i].takes;
        buf_init(&later);
        differ(keys[i].block, keys[i].was, keys[i].now, &diff, &later);
        if (diff.flow != (takes <= IN) || diff.sinks != (takes == SINKS) || diff.in != (takes == IN) ||
            diff.secrets != (takes == SECRETS) || (later.len > 0) != (takes == LATER) || diff.http != (takes == RENEWED))
            fail_msg("%s: flow %d sinks %d in %d secrets %d later %s", keys[i].now, diff.flow, diff.sinks,
                     diff.in, diff.secrets, later.len ? later.data : "");
        buf_fini(&later);
    }
}

static void compare_texts(const char *was, const char *now, struct config_difference *diff)
{
    struct diag *diag = diag_new();
    struct config *a = config_read_text("t.conf", was, strlen(was), diag);
    struct config *b = config_read_text("t.conf", now, strlen(now), diag);
    struct buf later;

    buf_init(&later);
    if (!a || !b) {
        diag_print(diag, &later);
        fail_msg("%s", later.data);
    }
    config_compare(a, b, diff, &later);
    assert_int_equal(later.len, 0);
    buf_fini(&later);
    config_free(&a);
    config_free(&b);
    diag_free(&diag);
}

static void blocks_come_and_go(void **state)
{
    struct config_difference diff;

    (void)state;
    compare_texts("source a { file \"x\" }", "source a { file \"x\" } # the same\n\n", &diff);
    assert_false(diff.flow || diff.sinks || diff.in || diff.secrets);
    compare_texts("source a { file \"x\" lateness 0s }", "source a { lateness 0s file \"x\" }", &diff);
    assert_false(diff.flow || diff.sinks || diff.in || diff.secrets);
    compare_texts("source a { file \"x\" }", "source a { file [\"x\", \"y\"] }", &diff);
    assert_true(diff.flow && !diff.sinks && !diff.in);
    compare_texts("source a { file \"x\" }", "source b { file \"x\" }", &diff);
    assert_true(diff.flow && !diff.sinks && !diff.in);
    compare_texts("source a { file \"x\" }", "source a { file \"x\" } source b { stdin {} }", &diff);
    assert_true(diff.flow && !diff.sinks && diff.in);
    compare_texts("source a { stdin {} }", "source a { file \"x\" }", &diff);
    assert_true(diff.flow && diff.in);
    compare_texts("sink a { file \"x\" }", "sink a { file \"x\" } sink b { file \"y\" }", &diff);
    assert_true(diff.flow && diff.sinks);
    compare_texts("sink a { file \"x\" } sink b { file \"y\" }", "sink b { file \"y\" } sink a { file \"x\" }",
                  &diff);
    assert_true(diff.flow && diff.sinks); /* they have other numbers */
    compare_texts("sink a { file \"x\" } sink b { file \"y\" }",
                  "sink a { file \"x\" } sink b { file \"y\" } default_to a", &diff);
    assert_true(diff.flow && diff.sinks);
    compare_texts("sink a { file \"x\" } route { to [a] rules \"x\" }", "sink a { file \"x\" }", &diff);
    assert_true(diff.flow && diff.sinks);
}

static void what_a_start_reads_is_kept(void **state)
{
    static const char was_text[] = "engine { state \"one\" dead_letter_count 5 rules_topic { brokers \"a\" topic \"t\" } }";
    static const char now_text[] = "engine { state \"two\" stop_within 2s }";
    struct diag *diag = diag_new();
    struct config *was = config_read_text("t.conf", was_text, strlen(was_text), diag);
    struct config *now = config_read_text("t.conf", now_text, strlen(now_text), diag);

    (void)state;
    config_keep(was, now);
    config_free(&was);
    assert_string_equal(now->state, "one");
    assert_int_equal(now->dead_letter_count, 5);
    assert_true(now->rules_topic.given);
    assert_string_equal(now->rules_topic.kafka.topic, "t");
    assert_int_equal(now->stop_within, INT64_C(2000000000));
    config_free(&now);
    diag_free(&diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_key_is_noticed),
        cmocka_unit_test(blocks_come_and_go),
        cmocka_unit_test(what_a_start_reads_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
