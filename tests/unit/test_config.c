/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The configuration: what is read, what follows where nothing is said. What is said to mistakes is in
 * config.t.
 */
#include "config/config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <unit/text_fixture.h>

#include "base/buf.h"
#include "base/diag.h"
#include "base/mem.h"
#include "event/schema.h"
#include "event/time_format.h"
#include "flow/time_field.h"
#include "plan/program.h"

#define NS_MS INT64_C(1000000)
#define NS_S (1000 * NS_MS)
#define KIB UINT64_C(1024)
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)

/* Reads a text as file PATH; what was said is added to said. */
static struct config *read_as(const char *path, const char *text, struct buf *said)
{
    struct diag *diag = diag_new();
    struct config *c = config_read_text(path, text, strlen(text), diag);

    assert_int_equal(c == NULL, diag_errors(diag) > 0);
    diag_print(diag, said);
    diag_free(&diag);
    return c;
}

static struct config *good(const char *path, const char *text)
{
    struct buf said;
    struct config *c;

    buf_init(&said);
    c = read_as(path, text, &said);
    if (!c)
        fail_msg("%s", said.data);
    buf_fini(&said);
    return c;
}

/* ---- what is read ---------------------------------------------------------------------------- */

static void nothing_is_needed(void **state)
{
    struct config *c = config_default();

    (void)state;
    assert_null(c->path);
    assert_string_equal(c->dir, "");
    assert_string_equal(c->rules, "rules");
    assert_string_equal(c->state, "tocsin-state");
    assert_int_equal(c->checkpoint, NS_S);
    assert_int_equal(c->checkpoint_bytes, 32 * MIB);
    assert_int_equal(c->alert_delay, 10 * NS_MS);
    assert_int_equal(c->memory_limit, 4 * GIB);
    assert_int_equal(c->buffer_limit, 256 * MIB);
    assert_int_equal(c->spill_limit, 16 * GIB);
    assert_int_equal(c->queue_limit, 64 * MIB);
    assert_int_equal(c->dead_letter_bytes, GIB);
    assert_int_equal(c->dead_letter_count, 1000000);
    assert_int_equal(c->stop_within, 30 * NS_S);
    assert_int_equal(c->shards, 1);
    assert_int_equal(c->n_sources, 1);
    assert_string_equal(c->source[0].name, "events");
    assert_int_equal(c->source[0].kind, CONFIG_STDIN);
    assert_int_equal(c->source[0].lateness, 0);
    assert_int_equal(c->source[0].idle, 30 * NS_S);
    assert_int_equal(c->source[0].future, 300 * NS_S);
    assert_false(c->source[0].quiet_hold);
    assert_int_equal(c->source[0].max_line, 16 * MIB);
    assert_int_equal(c->source[0].spool_segment, 64 * MIB);
    assert_int_equal(c->source[0].spool_limit, 4 * GIB);
    assert_int_equal(c->n_sinks, 1);
    assert_string_equal(c->sink[0].name, "stdout");
    assert_int_equal(c->sink[0].kind, CONFIG_SINK_STDOUT);
    assert_false(c->sink[0].wait);
    assert_int_equal(c->sink[0].max_count, 1000000);
    assert_int_equal(c->sink[0].max_bytes, GIB);
    assert_int_equal(c->n_default_to, 1);
    assert_string_equal(c->default_to[0], "stdout");
    config_free(&c);
    assert_null(c);
}

static void all_keys(void **state)
{
    struct config *c = good("/etc/tocsin/tocsin.conf",
        "engine { rules \"r\" state \"/var/lib/s\" checkpoint 2s checkpoint_bytes 1MiB alert_delay 0s\n"
        "  memory_limit 1GiB buffer_limit 2MiB spill_limit 0B queue_limit 3MiB dead_letter_bytes 4MiB\n"
        "  dead_letter_count 7 stop_within 1m shards 1 }\n"
        "source a { file [\"logs/a-*.ndjson\", \"/b\"] follow false time event.created\n"
        "  time_format [\"rfc3339\", epoch_ms] lateness 5s idle 1m future 0s quiet hold order_by seq\n"
        "  late l dead_letter d max_line 1MiB }\n"
        "source b { stdin {} time arrival spool_segment 1MiB spool_limit 2MiB }\n"
        "sink l { file \"late\" }  sink d { file \"../dead\" }\n"
        "sink k { file \"alerts\" rotate_size 100MiB rotate_every 1d rotate_keep 9 on_full wait\n"
        "  queue_count 5 queue_bytes 1MiB }\n"
        "sink o { stdout {} }\n"
        "default_to [k, o]\n");

    (void)state;
    assert_string_equal(c->path, "/etc/tocsin/tocsin.conf");
    assert_string_equal(c->dir, "/etc/tocsin/");
    assert_string_equal(c->rules, "/etc/tocsin/r");
    assert_string_equal(c->state, "/var/lib/s");
    assert_int_equal(c->checkpoint, 2 * NS_S);
    assert_int_equal(c->alert_delay, 0);
    assert_int_equal(c->spill_limit, 0);
    assert_int_equal(c->dead_letter_count, 7);
    assert_int_equal(c->n_sources, 2);
    assert_int_equal(c->source[0].n_paths, 2);
    assert_string_equal(c->source[0].path[0], "/etc/tocsin/logs/a-*.ndjson");
    assert_string_equal(c->source[0].path[1], "/b");
    assert_false(c->source[0].follow);
    assert_string_equal(c->source[0].time, "event.created");
    assert_int_equal(c->source[0].formats, TIME_RFC3339 | TIME_EPOCH_MS);
    assert_int_equal(c->source[0].lateness, 5 * NS_S);
    assert_true(c->source[0].quiet_hold);
    assert_string_equal(c->source[0].order_by, "seq");
    assert_string_equal(c->source[0].late, "l");
    assert_string_equal(c->source[0].dead_letter, "d");
    assert_int_equal(c->source[0].max_line, MIB);
    assert_int_equal(c->source[1].kind, CONFIG_STDIN);
    assert_true(c->source[1].time_arrival);
    assert_null(c->source[1].time);
    assert_true(c->source[1].follow);
    assert_int_equal(c->source[1].spool_limit, 2 * MIB);
    assert_int_equal(c->n_sinks, 4);
    assert_string_equal(c->sink[1].path, "/etc/tocsin/../dead");
    assert_int_equal(c->sink[2].rotate_size, 100 * MIB);
    assert_int_equal(c->sink[2].rotate_every, 86400 * NS_S);
    assert_int_equal(c->sink[2].rotate_keep, 9);
    assert_true(c->sink[2].wait);
    assert_int_equal(c->sink[2].max_count, 5);
    assert_int_equal(c->n_default_to, 2);
    assert_string_equal(c->default_to[1], "o");
    assert_int_equal(config_sink_named(c, "k"), 2);
    assert_int_equal(config_sink_named(c, "x"), UINT32_MAX);
    assert_int_equal(config_source_named(c, "b"), 1);
    config_free(&c);
}

static void alerts_go_where_nothing_else_does(void **state)
{
    struct config *c = good("t.conf", "source a { file \"a\" late l dead_letter d }\n"
                                      "sink l { file \"l\" } sink x { file \"x\" }\n"
                                      "sink d { file \"d\" } sink y { file \"y\" }\n");
    (void)state;
    assert_int_equal(c->n_default_to, 2);
    assert_string_equal(c->default_to[0], "x");
    assert_string_equal(c->default_to[1], "y");
    config_free(&c);
    c = good("t.conf", "source a { file \"a\" late l } sink l { file \"l\" }");
    assert_int_equal(c->n_sinks, 2);
    assert_string_equal(c->default_to[0], "stdout");
    assert_int_equal(c->sink[1].kind, CONFIG_SINK_STDOUT);
    config_free(&c);
}

static void webhooks_and_routes(void **state)
{
    struct config *c = good("t.conf",
        "sink plain { webhook \"https://soc.example/x\" }\n"
        "sink full { webhook env(\"CONFIG_URL\")  secret [file(\"name\"), env(\"CONFIG_NAME\")]\n"
        "  headers { Authorization file(\"name\")  `X-Team` \"soc\" }\n"
        "  body template  template '{\"a\": {title}}'  content_type \"application/x+json\"\n"
        "  link \"https://soc.example/{id}\"  max_body 32KiB  batch_count 1\n"
        "  order strict  connect_timeout 1s  timeout 2s  retry_least 3s  retry_most 4s  max_age 1h\n"
        "  max_response 1KiB  proxy \"http://p.example:1\"  allow [\"127.0.0.0/8\", \"::1\"]\n"
        "  tls { ca \"ca.pem\"  certificate \"/c.pem\"  key \"k.pem\"  min_version 1.3 }\n"
        "  on_full wait }\n"
        "sink pages { webhook \"http://127.0.0.1:80/x\"  allow \"127.0.0.1\"  in_flight 3  batch_count 1\n"
        "  timeout 2s  retry_most 500ms  body pagerduty  routing_key env(\"CONFIG_NAME\") }\n"
        "sink disk { file \"d\" }\n"
        "\n"
        "route { severity [high, \"critical\"]  tags \"a.*\"  rules [b, \"c_?\"]  to [plain, disk]\n"
        "  mute [\"22:00-06:00 Europe/Paris\", \"Sat 10:00-11:00\"] }\n"
        "route { rules \"*\"  to full  group 30s }\n");
    const struct config_webhook *web = &c->sink[0].web;

    (void)state;
    assert_int_equal(c->sink[0].kind, CONFIG_SINK_WEBHOOK);
    assert_string_equal(web->url, "https://soc.example/x");
    assert_null(web->secret[0]);
    assert_int_equal(web->n_headers, 0);
    assert_int_equal(web->body, BODY_KIND_tocsin);
    assert_int_equal(web->in_flight, 8);
    assert_int_equal(web->batch_count, 1);
    assert_int_equal(web->connect_timeout, 5 * NS_S);
    assert_int_equal(web->timeout, 20 * NS_S);
    assert_int_equal(web->max_age, 86400 * NS_S);
    assert_int_equal(web->retry_least, NS_S);
    assert_int_equal(web->retry_most, 600 * NS_S);
    assert_int_equal(web->max_response, 64 * KIB);
    assert_false(web->tls_1_3);
    web = &c->sink[1].web;
    assert_string_equal(web->url, "https://hook.example/T0/B0");
    assert_string_equal(web->secret[0], "out.ndjson");
    assert_string_equal(web->secret[1], "out.ndjson");
    assert_int_equal(web->n_headers, 2);
    assert_string_equal(web->header[0].name, "Authorization");
    assert_string_equal(web->header[0].value, "out.ndjson");
    assert_string_equal(web->header[1].name, "X-Team");
    assert_int_equal(web->body, BODY_KIND_template);
    assert_string_equal(web->template, "{\"a\": {title}}");
    assert_int_equal(web->max_body, 32 * KIB);
    assert_int_equal(web->in_flight, 1);
    assert_true(web->strict);
    assert_int_equal(web->max_age, 3600 * NS_S);
    assert_int_equal(web->allow.n, 2);
    assert_string_equal(web->ca, "ca.pem");
    assert_string_equal(web->certificate, "/c.pem");
    assert_string_equal(web->key, "k.pem");
    assert_true(web->tls_1_3);
    assert_true(c->sink[1].wait);
    assert_int_equal(c->sink[2].web.connect_timeout, 2 * NS_S); /* as much as there is of the whole */
    assert_int_equal(c->sink[2].web.retry_least, NS_S / 2);
    assert_int_equal(c->sink[2].web.in_flight, 3);
    assert_string_equal(c->sink[2].web.routing_key, "out.ndjson");
    assert_int_equal(c->n_routes, 2);
    assert_int_equal(c->route[0].severities, 1u << SEVERITY_HIGH | 1u << SEVERITY_CRITICAL);
    assert_int_equal(c->route[0].tags.n, 1);
    assert_string_equal(c->route[0].rules.text[1], "c_?");
    assert_int_equal(c->route[0].to.n, 2);
    assert_int_equal(c->route[0].mute.n, 2);
    assert_int_equal(c->route[0].line, 14);
    assert_int_equal(c->route[1].group, 30 * NS_S);
    /* What a route names is not for all alerts. */
    assert_int_equal(c->n_default_to, 1);
    assert_string_equal(c->default_to[0], "pages");
    config_free(&c);
}

static void texts_come_from_elsewhere(void **state)
{
    struct config *c = good("t.conf", "engine { state env(\"CONFIG_NAME\") rules file(\"name\") }");

    (void)state;
    assert_string_equal(c->state, "out.ndjson");
    assert_string_equal(c->rules, "out.ndjson");
    config_free(&c);
}

/* What is special in a pattern is not special in the name of the directory. */
static void directories_are_no_patterns(void **state)
{
    struct config *c = good("a[1]*/t.conf", "source a { file \"*.x\" } sink b { file \"b\" }");

    (void)state;
    assert_string_equal(c->source[0].path[0], "a[[]1][*]/*.x");
    assert_string_equal(c->sink[0].path, "a[1]*/b");
    config_free(&c);
}

static void times_and_order(void **state)
{
    struct config *c = good("t.conf", "source a { file \"a\" time t order_by o }\n"
                                      "source b { file \"b\" time_format epoch_s }\n"
                                      "source c { file \"c\" }\n");
    struct schema *schema = schema_new();
    struct time_specs specs;
    struct time_spec a, b, d;
    const char **path;
    uint32_t slot;
    size_t n;

    (void)state;
    time_specs_init(&specs);
    config_times(c, &specs);
    path = time_specs_paths(&specs, &n);
    assert_int_equal(n, 6);
    for (size_t i = 0; i < n; i++)
        schema_slot_text(schema, path[i], &slot);
    mem_free(path);
    time_spec_bind(&specs, "a", schema, &a);
    time_spec_bind(&specs, "b", schema, &b);
    time_spec_bind(&specs, "c", schema, &d);
    assert_int_equal(a.n, 1);
    assert_string_equal(a.field[0].path, "t");
    assert_int_equal(a.field[0].formats, TIME_ALL);
    assert_true(schema_find_text(schema, "o", &slot));
    assert_int_equal(a.order_by, slot);
    assert_int_equal(b.n, 4);
    assert_int_equal(b.field[3].formats, TIME_EPOCH_S);
    assert_int_equal(b.order_by, UINT32_MAX);
    assert_int_equal(d.n, 4);
    assert_int_equal(d.field[0].formats, TIME_ALL);
    time_specs_fini(&specs);
    schema_unref(&schema);
    config_free(&c);
}

static void a_file_is_read(void **state)
{
    struct diag *diag = diag_new();
    struct config *c;
    struct buf said;
    FILE *f = fopen("real.conf", "w");

    (void)state;
    fputs("engine { state \"s\" }\n", f);
    fclose(f);
    c = config_read("./real.conf", diag);
    assert_non_null(c);
    assert_string_equal(c->state, "./s");
    config_free(&c);
    assert_null(config_read("not-there.conf", diag));
    assert_null(config_read(".", diag));
    buf_init(&said);
    diag_print(diag, &said);
    assert_non_null(strstr(said.data, "error: cannot read not-there.conf: No such file or directory"));
    assert_non_null(strstr(said.data, "error: cannot read .: Is a directory"));
    buf_fini(&said);
    diag_free(&diag);
}

/* ---- what is said ---------------------------------------------------------------------------- */

static char *cases; /* read before the directory is changed */

/* What env() and file() gave is said nowhere. */
static void cases_of_the_file(void **state)
{
    char *at = strstr(cases, "\n--- ");
    int wrong = 0, n = 0;

    (void)state;
    for (char *next; at; at = next, n++) {
        char *text = strchr(at + 1, '\n') + 1, *want = strstr(text, "\n->\n");
        struct buf said;
        struct config *c;

        assert_non_null(want);
        want[1] = '\0';
        want += 4;
        next = strstr(want - 1, "\n--- ");
        if (next)
            next[1] = '\0';
        buf_init(&said);
        c = read_as("t.conf", text, &said);
        config_free(&c);
        assert_null(strstr(said.len ? said.data : "", "out.ndjson"));
        if (strcmp(want, said.len ? said.data : "") != 0 || strstr(want, "SECRET")) {
            printf("%.*s%s->\n%s", (int)(text - at) - 1, at + 1, text, said.len ? said.data : "");
            wrong++;
        }
        buf_fini(&said);
        if (next)
            next[1] = '-';
    }
    assert_true(n > 15);
    assert_int_equal(wrong, 0);
}

static int prepare(void **state)
{
    static char dir[] = "/tmp/test_config.XXXXXX";
    FILE *f;

    cases = text_of("tests/unit/config.t");
    setenv("CONFIG_NAME", "out.ndjson", 1);
    setenv("CONFIG_EMPTY", "", 1);
    setenv("CONFIG_URL", "https://hook.example/T0/B0", 1);
    if (!mkdtemp(dir) || chdir(dir) != 0)
        return -1;
    mkdir("sub", 0700);
    f = fopen("name", "w");
    fputs("out.ndjson\n", f);
    fclose(f);
    f = fopen("zero", "w");
    fwrite("a\0b", 1, 3, f);
    fclose(f);
    *state = dir;
    return 0;
}

static int clean(void **state)
{
    mem_free(cases);
    remove("name");
    remove("zero");
    rmdir("sub");
    remove("real.conf");
    return chdir("/") != 0 || rmdir(*state) != 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_needed),
        cmocka_unit_test(all_keys),
        cmocka_unit_test(alerts_go_where_nothing_else_does),
        cmocka_unit_test(webhooks_and_routes),
        cmocka_unit_test(texts_come_from_elsewhere),
        cmocka_unit_test(directories_are_no_patterns),
        cmocka_unit_test(times_and_order),
        cmocka_unit_test(a_file_is_read),
        cmocka_unit_test(cases_of_the_file),
    };
    return cmocka_run_group_tests(tests, prepare, clean);
}
