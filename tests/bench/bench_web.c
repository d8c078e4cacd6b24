// SPDX-License-Identifier: Apache-2.0
/*
 * The webhook client on loopback: posts a second to one and to eight endpoints, signed, of 1 KB; CPU of
 * the client's thread for each. The receiver is a thread of this program that answers 204 to all.
 *
 *   bench_web [POSTS]            default 100000. Wall times: the receiver has a core of its own, if there is one
 *   bench_web --receive [PORT]   the receiver alone, for webhook.py: prints its port, then its figures (JSON) for
 *                                each line on standard input
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include <bench/bench.h>
#include <bench/receiver.h>
#include "io/web.h"

enum { BODY = 1000, ENDPOINTS = 8 };

/* Each line on standard input asks for the figures since the last one. */
static int receive_only(uint16_t port)
{
    char line[64];

    printf("%u\n", receiver_start(port));
    fflush(stdout);
    while (fgets(line, sizeof line, stdin)) {
        struct receiver_stats stats;
        receiver_stats(&stats);
        printf("{\"requests\": %" PRIu64 ", \"connections\": %" PRIu64 ", \"p50\": %" PRId64
               ", \"p99\": %" PRId64 ", \"most\": %" PRId64 "}\n",
               stats.requests, stats.connections, stats.p50, stats.p99, stats.most);
        fflush(stdout);
    }
    return 0;
}

/* ---- the client -------------------------------------------------------------------------------- */

static struct web_endpoint *endpoint_to(struct web *w, uint16_t port, uint32_t connections)
{
    static const char *const ALLOW[] = {"127.0.0.1"};
    char url[64];
    struct web_endpoint_options opt = {.name = "bench", .url = url, .secret = {"a secret of the benchmark", NULL},
                                       .allow = ALLOW, .n_allow = 1, .max_connections = connections};
    struct buf why;

    buf_init(&why);
    snprintf(url, sizeof url, "http://127.0.0.1:%u/hook", port);
    struct web_endpoint *ep = web_endpoint_new(w, &opt, &why);
    if (!ep)
        bench_die("%s", why.data);
    buf_fini(&why);
    return ep;
}

/* `window` requests at a time to each endpoint. */
static void run(uint16_t port, int endpoints, uint32_t window, int posts)
{
    struct web *w = web_new();
    struct web_endpoint *ep[ENDPOINTS];
    char body[BODY], id[64];
    struct web_request request = {.content_type = "application/json", .body = body, .len = BODY, .id = id};
    struct web_answer answer;
    int sent = 0, done = 0, bad = 0;

    memset(body, 'b', sizeof body);
    for (int i = 0; i < endpoints; i++)
        ep[i] = endpoint_to(w, port, window);
    int64_t wall = clock_monotonic(), cpu = clock_thread();
    while (done < posts) {
        if (sent < posts && sent - done < (int)window * endpoints) {
            snprintf(id, sizeof id, "bench.%d", sent);
            web_post(ep[sent++ % endpoints], &request);
        } else if (web_wait(w, -1, &answer)) {
            bad += answer.outcome != WEB_DONE;
            done++;
        }
    }
    wall = clock_monotonic() - wall;
    cpu = clock_thread() - cpu;
    printf("    %d endpoint%s, %3u in flight each: %8.0f posts/s, %5.1f us of CPU each%s\n", endpoints,
           endpoints == 1 ? " " : "s", window, posts / ((double)wall / 1e9), (double)cpu / 1e3 / posts,
           bad > 0 ? " (some FAILED)" : "");
    web_free(&w);
}

int main(int argc, char **argv)
{
    int posts = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 100000;

    bench_check_build();
    signal(SIGPIPE, SIG_IGN);
    if (argc > 1 && strcmp(argv[1], "--receive") == 0)
        return receive_only((uint16_t)(argc > 2 ? strtoul(argv[2], NULL, 10) : 0));
    uint16_t port = receiver_start(0);
    run(port, 1, 1, posts / 10);
    run(port, 1, 8, posts);
    run(port, 1, 64, posts);
    run(port, ENDPOINTS, 1, posts);
    run(port, ENDPOINTS, 8, posts);
    return 0;
}
