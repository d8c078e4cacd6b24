// SPDX-License-Identifier: Apache-2.0
/*
 * Bodies of webhooks (io/body.h): what a message of each kind costs, of an alert with five events (about
 * 1.6 kB) and of one with 4 MB of them.
 *
 *   bench_body [SECONDS_A_ROW]     default 0.2
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bench/bench.h>

#include "base/buf.h"
#include "event/json_doc.h"
#include "event/json_view.h"
#include "io/body.h"

#define NOW (BENCH_START + BENCH_SECOND)

static const char TEMPLATE[] =
    "{\"message\":\"{title|truncate(130)}\",\"alias\":\"{id}\",\"description\":\"{description}\","
    "\"priority\":\"{severity|map('critical=P1', 'high=P2', 'P3')}\",\"tags\":{tags},"
    "\"details\":{\"user\":\"{fields.user}\",\"key\":{key},\"when\":\"{time|date('%d.%m.%Y %H:%M')}\"}}";

static void make_alert(struct buf *out, size_t events)
{
    buf_clear(out);
    buf_adds(out, "{\"id\":\"e67200fba4d6139749b7af0f625157a3\",\"rule\":\"ssh_brute_force\","
                  "\"severity\":\"medium\",\"time\":\"2027-03-01T00:55:58Z\",\"title\":"
                  "\"203.0.113.200 failed to log in over SSH 5 times within a minute\","
                  "\"description\":\"Passwords are being guessed; the last user tried was root\","
                  "\"tags\":[\"attack.t1110\",\"attack.credential_access\"],"
                  "\"key\":{\"src_ip\":\"203.0.113.200\"},\"fields\":{\"user\":\"root\",\"failures\":5},"
                  "\"events\":{\"fail\":[");
    for (size_t i = 0; i < events; i++)
        buf_printf(out, "%s{\"timestamp\":\"2027-03-01T00:55:46Z\",\"host\":\"web-2\",\"pid\":%zu,"
                        "\"message\":\"Failed password for root from 203.0.113.200 port 35998 ssh2\","
                        "\"sshd\":{\"event\":\"failed\",\"user\":\"root\",\"src_port\":35998}}",
                   i > 0 ? "," : "", i);
    buf_adds(out, "]},\"revision\":0,\"suppressed\":0}");
}

static double measure(const struct body *b, const struct buf *text, double seconds, struct buf *out)
{
    struct body_alert alert = {text->data, text->len, true};
    int64_t start = bench_clock(), end;
    uint64_t n = 0;

    do {
        for (int i = 0; i < 16; i++, n++) {
            buf_clear(out);
            if (!body_write(b, &alert, 1, NULL, NOW, out, NULL))
                bench_die("no body");
        }
        end = bench_clock();
    } while ((double)(end - start) < seconds * 1e9);
    return (double)(end - start) / 1e3 / (double)n;
}

/* What only reading it costs, and what a tree of it would. */
static void measure_reading(const struct buf *text)
{
    enum { TIMES = 20000 };
    struct json_view view;
    char why[100];

    int64_t start = bench_clock();
    for (int i = 0; i < TIMES; i++)
        if (!json_view_parse(text->data, text->len, &view))
            bench_die("no JSON");
    int64_t middle = bench_clock();
    for (int i = 0; i < TIMES; i++) {
        struct json_doc *doc = json_doc_parse(text->data, text->len, why, sizeof why);
        json_doc_free(&doc);
    }
    printf("    %-50s %8.2f us, as a tree (jansson) %.2f us\n", "checking the alert's JSON",
           (double)(middle - start) / 1e3 / TIMES, (double)(bench_clock() - middle) / 1e3 / TIMES);
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? strtod(argv[1], NULL) : 0.2;
    struct buf small, large, out, why;

    bench_check_build();
    buf_init(&small);
    buf_init(&large);
    buf_init(&out);
    buf_init(&why);
    make_alert(&small, 5);
    make_alert(&large, 20000);
    measure_reading(&small);
    for (int k = 0; k < BODY_N_KINDS; k++) {
        struct body_options opt = {.kind = (enum body_kind)k, .sink = "s",
                                   .url = "https://soc.example/alerts/{id}", .routing_key = "key",
                                   .template = TEMPLATE};
        struct body *b = body_new(&opt, &why);
        if (b == NULL)
            bench_die("%s", why.data);
        double us = measure(b, &small, seconds, &out);
        size_t bytes = out.len;
        printf("    %-13s of an alert of %zu bytes, %6zu bytes %13.1f us, of %.1f MB %9.0f us\n",
               body_kind_word(opt.kind), small.len, bytes, us, (double)large.len / 1e6,
               measure(b, &large, seconds, &out));
        body_free(&b);
    }
    buf_fini(&small);
    buf_fini(&large);
    buf_fini(&out);
    buf_fini(&why);
    return 0;
}
